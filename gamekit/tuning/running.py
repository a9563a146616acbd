"""A whole search: runs chains in lockstep over several processes until enough layouts are found.

All chains finish an epoch before any starts the next, so the result depends only on the game, the targets, the seed and
the number of chains, and not on cores or load.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import count
from math import isclose
from multiprocessing import get_context
from random import Random
from types import ModuleType

import msgspec

from gamekit import catalogue
from gamekit.declared.line_game import LineGameMaths
from gamekit.declared.maths import LawMaths
from gamekit.maths import Maths, load_maths
from gamekit.play import Stake
from gamekit.read_back import DisagreementError, apart, returns_of
from gamekit.reels import Reels
from gamekit.tuning import fixed
from gamekit.tuning.fixed import Fixed
from gamekit.tuning.measure import Layout, Measure, exact_figures
from gamekit.tuning.moves import settled
from gamekit.tuning.search import EPOCH, Chain, Known, begun, go_on, step, worked_out
from gamekit.tuning.targets import Figures, Targets
from gamekit.tuning.ways_measure import WaysMeasure, is_measured

Tunable = LineGameMaths | LawMaths
"""The mathematics of a game that can be tuned."""

_ROUNDED = 1e-12
"""Figures are exact until each is rounded once to a floating-point number."""
SLOWEST_S = 5.0
"""Processor seconds that the exact figures of one layout may take: a search needs some hundreds of them."""


class UntunableError(ValueError):
    """A game cannot be tuned; the message says why, and what can."""


@dataclass(frozen=True)
class Job:
    """What is searched: strips of `game` that keep to `held`, at its first `lines` lines, from `seed`."""

    game: str
    held: Fixed
    targets: Targets
    lines: int
    seed: int
    chains: int


@dataclass(frozen=True)
class Choice:
    """A layout with its exact figures."""

    layout: Layout
    figures: Figures
    maths: Tunable


def tunable_maths(name: str) -> Tunable:
    """Return the maths of a game that can be tuned; raise `UntunableError` for any other."""
    maths: Maths = load_maths(name)
    # The search knows only these two classes: it would miss whatever a subclass adds to the figures.
    if isinstance(maths, LawMaths | LineGameMaths) and type(maths) not in (LawMaths, LineGameMaths):
        raise UntunableError(
            f"{maths.game.title} cannot be tuned: its mathematics ({type(maths).__name__}) adds something to that of a"
            " declared game, and the search would leave it out. Tune the game without the addition, for a return that"
            " is lower by what the addition returns, and put it back"
        )
    if isinstance(maths, LawMaths) and is_measured(maths):
        return maths
    if not isinstance(maths, LineGameMaths):
        raise UntunableError(
            f"{maths.game.title} cannot be tuned: its mathematics is its own ({type(maths).__name__}), and how its"
            " figures follow from reel strips, if there are any, is for its maths.py alone. Games of lines, a scatter,"
            " picks and free spins can, whose maths is a LineGameMaths, as `cabinet new-game` writes it; so can"
            " declared ones of ways, with cascades or without, whose wilds stay as they are and whose free spins have"
            " the same reels, where numba is installed (pip install 'cabinet[kernels]')."
        )
    if maths.base.reels is None:
        raise UntunableError(f"{maths.game.title} cannot be tuned: its maths has counts of symbols and no reel strips")
    return maths


def line_maths(name: str) -> LineGameMaths:
    """Return the maths of a game of lines that can be tuned; raise `UntunableError` for any other."""
    maths = tunable_maths(name)
    if not isinstance(maths, LineGameMaths):
        raise UntunableError(f"{maths.game.title} is no game of lines")
    return maths


def reels_of(maths: Tunable) -> Reels:
    """Return the reels that are tuned, those of the paid spin."""
    return maths.declared.reels if isinstance(maths, LawMaths) else maths.base.strips()


def what_is_fixed(maths: Tunable) -> Fixed:
    """Return what a search may not change; raise `FixedError` where that contradicts itself."""
    reels = reels_of(maths)
    told = fixed.read(catalogue.folder_of(maths.game.name))
    return fixed.fixed(reels.strips, reels.rows, told, getattr(maths.game.idle, "stops", ()))


@cache
def _measure(name: str, _maths_hash: str, held: Fixed, lines: int) -> Measure | WaysMeasure:
    maths = tunable_maths(name)
    return WaysMeasure(maths, held, lines) if isinstance(maths, LawMaths) else Measure(maths, held, lines)


def _measure_of(job: Job) -> Measure | WaysMeasure:
    """Return the measure for the layouts of `job`; its tables are built once in each process."""
    return _measure(job.game, load_maths(job.game).game.maths_hash, job.held, job.lines)


def _ways_search() -> ModuleType:
    return import_module("gamekit.tuning.ways_search")  # with numpy, which a search for lines does without


def _begin(job: Job, number: int) -> Chain:
    measure = _measure_of(job)
    strips = reels_of(measure.maths).strips
    start = settled(tuple(map(measure.fixed.reel, count(), strips)), measure.fixed, Random(job.seed))  # noqa: S311 - repeatable
    if isinstance(measure, WaysMeasure):
        with import_module("gamekit.kernels.compiled").compiling():
            return begun(_ways_search().begin(measure, Known(start, Figures(0.0, 0.0, 0.0, 0.0))), job.seed, number)
    return begun(worked_out(measure, start), job.seed, number)


def _epoch(job: Job, chain: Chain) -> Chain:
    measure = _measure_of(job)
    if isinstance(measure, WaysMeasure):
        known, ways_step = measure, _ways_search().step
        return go_on(chain, lambda chain: ways_step(chain, known, job.targets), EPOCH // 10)
    lines = measure
    return go_on(chain, lambda chain: step(chain, lines, job.targets))


def search(
    job: Job,
    *,
    jobs: int,
    steps: int,
    wanted: int,
    show: Callable[[Sequence[Chain]], None] = lambda _: None,
    slowest: float = SLOWEST_S,
) -> list[Chain]:
    """Return the chains of `job` once they have found `wanted` layouts, or each has done `steps` steps.

    `show` is called after each epoch. Raises `FixedError`, and `UntunableError` where one layout's exact figures take
    more processor seconds than `slowest`.
    """
    chains = [_begin(job, number) for number in range(job.chains)]
    took = _seconds_of(job, chains[0].at.layout)
    if took > slowest:
        raise UntunableError(
            f"{job.game} cannot be tuned: the exact figures of one set of strips take {took:.1f} processor seconds, and"
            " a search needs hundreds of them"
        )
    with _worker(min(jobs, job.chains)) as work:
        while chains[0].step < steps and sum(len(chain.found) for chain in chains) < wanted:
            chains = work(job, chains)
            show(chains)
    return chains


def _seconds_of(job: Job, layout: Layout) -> float:
    """Return the processor seconds that the exact figures of `layout` take, compilation excluded."""
    measure = _measure_of(job)
    started = time.process_time()
    if isinstance(measure, WaysMeasure):
        measure.exact(layout)
    else:
        worked_out(measure, layout)
    return time.process_time() - started


@contextmanager
def _worker(jobs: int) -> Iterator[Callable[[Job, list[Chain]], list[Chain]]]:
    """Yield a function that runs one epoch of every chain, in this process or in worker processes."""
    if jobs == 1:
        yield lambda job, chains: [_epoch(job, chain) for chain in chains]
        return
    # Spawned, not forked: the caller may have threads, for example for a live table.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield lambda job, chains: list(pool.map(_epoch, [job] * len(chains), chains))


def choices(job: Job, chains: Sequence[Chain]) -> list[Choice]:
    """Return the layouts found that no other one surpasses, the smallest error first."""
    every = {one.layout: one for chain in chains for one in chain.found}
    exact = [choice(job, one) for one in every.values()]
    made = [one for one in exact if job.targets.worst(one.figures) <= 1]
    errors = [tuple(job.targets.errors(one.figures).values()) for one in made]
    kept = [one for one, own in zip(made, errors, strict=True) if not any(_surpasses(other, own) for other in errors)]
    return sorted(kept, key=lambda one: job.targets.worst(one.figures))


def nearest(job: Job, chains: Sequence[Chain]) -> Choice:
    """Return the layout that came nearest to all targets."""
    near = [choice(job, chain.nearest) for chain in chains]
    return min(near, key=lambda one: job.targets.worst(one.figures))


def choice(job: Job, known: Known) -> Choice:
    """Return a layout with the figures that `cabinet par` will show."""
    measure = _measure_of(job)
    if isinstance(measure, WaysMeasure):
        return Choice(known.layout, measure.exact(known.layout), measure.on(known.layout))
    maths = measure.on(known.layout)
    return Choice(known.layout, exact_figures(maths, stake_of(maths, job.lines)), maths)


def stake_of(maths: Maths, lines: int) -> Stake:
    """Return the lowest stake with so many lines."""
    return next(stake for stake in maths.stakes if stake.lines == lines)


def hold_written(name: str, lines: int, said: Figures, version: int) -> None:
    """Raise `DisagreementError` unless the files of the game called `name` have these figures at so many `lines`."""
    found, its_version = apart(_read_figures, name, lines)
    pairs = zip(msgspec.structs.astuple(found), msgspec.structs.astuple(said), strict=True)
    if its_version != version or not all(isclose(one, other, rel_tol=_ROUNDED) for one, other in pairs):
        raise DisagreementError(
            f"the strips were to return {said.rtp:.6%} (hit {said.hit:.6f}, sigma {said.sigma:.6f}) in maths version"
            f" {version}, and the game's own figures with them are {found.rtp:.6%} (hit {found.hit:.6f}, sigma"
            f" {found.sigma:.6f}) in version {its_version}"
        )


def _read_figures(name: str, lines: int) -> tuple[Figures, int]:
    maths = load_maths(name)
    returns_of(maths)
    return exact_figures(maths, stake_of(maths, lines)), maths.game.maths_version


def _surpasses(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether `one` is nowhere worse than `other`, and somewhere better."""
    return all(a <= b for a, b in zip(one, other, strict=True)) and any(a < b for a, b in zip(one, other, strict=True))
