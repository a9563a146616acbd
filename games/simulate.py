"""Plays a game's production generator many times and adds up what each part of it paid.

Rounds are dealt in chunks, each with a generator of its own seeded by the seed and the chunk's number, so the
result depends on the seed alone and not on how many processes shared the work.
"""

import random
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

import msgspec

from games import catalogue
from games.beats import FreeSpinBegins, LineWin, PickOpened, PicksWon, ScatterWin
from games.play import Answer, Draw, Game, Memory, Offer, Stake, Step

CHUNK_ROUNDS = 50_000

# The order of SpinMoments: lines, scatter, picks; the same three in free spins follow.
PART_OF = {LineWin: 0, ScatterWin: 1, PickOpened: 2}
KINDS = len(PART_OF)
PICKS = PART_OF[PickOpened]


class Tally(msgspec.Struct):
    """Coins won and their squares by part, and the events of each part (what they are: `agreement.expected_events`).

    The parts are the paid spin's lines, scatter and picks, then the same in free spins.
    """

    rounds: int
    sums: list[int]
    squares: list[int]
    events: list[int]
    total_square: int = 0

    @classmethod
    def empty(cls) -> "Tally":
        """Return the tally of no rounds."""
        return cls(0, [0] * (2 * KINDS), [0] * (2 * KINDS), [0] * (2 * KINDS))

    def add(self, other: "Tally") -> None:
        """Add `other`'s rounds to these."""
        self.rounds += other.rounds
        self.sums = [a + b for a, b in zip(self.sums, other.sums, strict=True)]
        self.squares = [a + b for a, b in zip(self.squares, other.squares, strict=True)]
        self.events = [a + b for a, b in zip(self.events, other.events, strict=True)]
        self.total_square += other.total_square


def seeded_draw(source: random.Random) -> Draw:
    """Return an unbiased draw from `source`, by rejection."""
    bits = source.getrandbits

    def draw(bound: int, /) -> int:
        width = bound.bit_length()
        value = bits(width)
        while value >= bound:
            value = bits(width)
        return value

    return draw


def play_rounds(game: Game, stake: Stake, draw: Draw, rounds: int) -> Tally:
    """Play `rounds` rounds at `stake`; offers are answered by a fair draw."""
    tally = Tally.empty()
    memory: Memory = None
    for _ in range(rounds):
        won: dict[int, int] = {}
        memory = _play_out(game.play(stake, draw, memory), draw, won, tally.events)
        if won:
            _book(tally, won)
    tally.rounds = rounds
    return tally


def _play_out(
    play: Generator[Step, Answer | None, Memory], draw: Draw, won: dict[int, int], events: list[int]
) -> Memory:
    """Play one round to its end, add what it paid to `won` and its picks and free spins to `events`."""
    answer = None
    offset = 0
    try:
        while True:
            step = play.send(answer)
            answer = None
            if isinstance(step, Offer):
                choices = step.choices
                answer = Answer(choices[draw(len(choices))] if step.pick else choices[0])
            elif step.coins:
                part = PART_OF[type(step)] + offset
                won[part] = won.get(part, 0) + step.coins
            elif isinstance(step, PicksWon):
                events[PICKS + offset] += 1
            elif isinstance(step, FreeSpinBegins) and not offset:
                offset = KINDS
                for part in range(PICKS):
                    events[offset + part] += 1
    except StopIteration as ended:
        memory: Memory = ended.value
        return memory


def _book(tally: Tally, won: dict[int, int]) -> None:
    for part, coins in won.items():
        tally.sums[part] += coins
        tally.squares[part] += coins * coins
        if part < PICKS:
            tally.events[part] += 1
    tally.total_square += sum(won.values()) ** 2


def play_chunk(name: str, stake: Stake, rounds: int, seed: int, chunk: int) -> Tally:
    """Play chunk number `chunk` of a simulation of the game called `name`."""
    # Reproducible on purpose: a simulation must be repeatable, and no money hangs on it.
    source = random.Random(f"{seed}:{chunk}")  # noqa: S311
    return play_rounds(catalogue.load(name), stake, seeded_draw(source), rounds)


def simulate(
    name: str,
    stake: Stake,
    rounds: int,
    *,
    seed: int,
    jobs: int,
    progress: Callable[[int], None] = lambda _: None,
) -> Tally:
    """Play `rounds` rounds of the game called `name` over `jobs` processes; `progress` is told of rounds played."""
    chunks = list(_chunks(rounds))
    total = Tally.empty()
    if jobs == 1:
        for chunk, size in chunks:
            total.add(play_chunk(name, stake, size, seed, chunk))
            progress(size)
        return total
    # Spawned, not forked: the caller may run threads, as a progress bar does.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(play_chunk, name, stake, size, seed, chunk) for chunk, size in chunks]):
            part = future.result()
            total.add(part)
            progress(part.rounds)
    return total


def _chunks(rounds: int) -> Iterator[tuple[int, int]]:
    for chunk, start in enumerate(range(0, rounds, CHUNK_ROUNDS)):
        yield chunk, min(CHUNK_ROUNDS, rounds - start)
