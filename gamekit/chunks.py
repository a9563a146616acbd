"""Plays many rounds of a game in chunks, with production code or kernel, over several processes, and can be resumed.

Each chunk has its own generator, seeded by the seed and the chunk's number. So the result depends only on the seed: not
on the number of processes, on interruptions, or on whether production code or the kernel played.
"""

import random
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context

import msgspec

from gamekit.kernels.finding import kernel_of
from gamekit.maths import load_maths
from gamekit.play import Stake
from gamekit.simulate import Tally, play_rounds, seeded_draw

CHUNK_ROUNDS = 50_000
_COMPILED_AT_ONCE = 20
"""How many chunks a process is given at once where a kernel plays them: some 20 milliseconds each."""

_WAITING = 4
"""How many tasks wait for each process."""


class Run(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The rounds to play: of one game's mathematics at one stake, from a seed and a memory state."""

    game: str
    maths_hash: str
    stake: Stake
    seed: int
    state: str | None

    @classmethod
    def of(cls, name: str, stake: Stake, seed: int, state: str | None) -> "Run":
        """Return a run of the game called `name` with its current mathematics."""
        return cls(game=name, maths_hash=load_maths(name).game.maths_hash, stake=stake, seed=seed, state=state)


class Played(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The progress of a run: the tally of its first `chunks` whole chunks."""

    run: Run
    chunks: int
    tally: Tally


def generator_of(run: Run, chunk: int) -> random.Random:
    """Return the generator of a chunk."""
    # Seeded on purpose: a simulation must be repeatable, and no money depends on it.
    return random.Random(f"{run.seed}:{chunk}")  # noqa: S311


def play_chunk(run: Run, chunk: int, rounds: int = CHUNK_ROUNDS, *, compiled: bool = False) -> Tally:
    """Play a chunk; raise `NoKernelError` if a kernel is requested and the game has none."""
    generator = generator_of(run, chunk)
    if not compiled:
        return play_rounds(load_maths(run.game), run.stake, seeded_draw(generator), rounds, run.state)
    return kernel_of(run.game).play(run.stake, generator, rounds, run.state)


def _play_chunks(run: Run, chunks: range, *, compiled: bool) -> Tally:
    tally = Tally.empty(load_maths(run.game))
    for chunk in chunks:
        tally.add(play_chunk(run, chunk, compiled=compiled))
    return tally


def simulate(
    name: str,
    stake: Stake,
    rounds: int,
    *,
    seed: int,
    jobs: int,
    state: str | None = None,
    compiled: bool = False,
    progress: Callable[[int], None] = lambda _: None,
) -> Tally:
    """Play `rounds` rounds of game `name` over `jobs` processes; `progress` is called with the rounds played.

    Each chunk begins with a memory in `state`, or in the game's first state if it is None. With `compiled` the game's
    kernel plays.
    """
    run = Run.of(name, stake, seed, state)
    played = Played(run=run, chunks=0, tally=Tally.empty(load_maths(name)))
    return go_on(
        played,
        rounds,
        jobs=jobs,
        compiled=compiled,
        progress=lambda now, more: progress(more),  # noqa: ARG005 - who wants the tally calls `go_on`
    )


def go_on(
    played: Played,
    rounds: int,
    *,
    jobs: int,
    compiled: bool = False,
    progress: Callable[[Played, int], None] = lambda _played, _more: None,
) -> Tally:
    """Continue from `played` to `rounds` rounds in all; return their tally.

    `progress` is called with the run so far, from which it can be resumed, and the number of rounds just added. A last
    chunk that is incomplete is played again when a run is resumed.
    """
    whole, rest = divmod(rounds, CHUNK_ROUNDS)
    total = Tally.empty(load_maths(played.run.game))
    total.add(played.tally)
    for chunks, tally in _in_order(played.run, range(played.chunks, whole), jobs=jobs, compiled=compiled):
        total.add(tally)
        so_far = Tally.empty(load_maths(played.run.game))
        so_far.add(total)
        progress(Played(run=played.run, chunks=chunks.stop, tally=so_far), tally.rounds)
    if rest:
        so_far = Tally.empty(load_maths(played.run.game))
        so_far.add(total)
        total.add(play_chunk(played.run, whole, rest, compiled=compiled))
        progress(Played(run=played.run, chunks=max(whole, played.chunks), tally=so_far), rest)
    return total


def _in_order(run: Run, chunks: range, *, jobs: int, compiled: bool) -> Iterator[tuple[range, Tally]]:
    """Yield the tallies of `chunks` in order; several chunks run in parallel."""
    step = _COMPILED_AT_ONCE if compiled else 1
    tasks = (chunks[first : first + step] for first in range(0, len(chunks), step))
    if jobs == 1:
        for task in tasks:
            yield task, _play_chunks(run, task, compiled=compiled)
        return
    # Spawned, not forked: the caller may have threads, for example for a progress bar.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:

        def begun(task: range) -> tuple[range, Future[Tally]]:
            return task, pool.submit(_play_chunks, run, task, compiled=compiled)

        waiting = [begun(task) for task in islice(tasks, jobs * _WAITING)]
        while waiting:
            task, future = waiting.pop(0)
            tally = future.result()
            waiting += [begun(following) for following in islice(tasks, 1)]
            yield task, tally
