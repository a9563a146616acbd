"""Simulated annealing over reel strips.

A step draws a batch of neighbours. Their return and chance of free spins are exact, from the sums of one line; their
hit frequency and sigma are estimated from the layout before and the change of one line's sums. The step draws one
neighbour by the Boltzmann weights of the costs at the current temperature, computes its exact hit frequency (and, once
the other targets are met, its exact sigma), and accepts or rejects it by the Metropolis rule. A layout that meets all
targets is recorded, and the temperature rises again for the next one.
"""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from math import exp, inf, sqrt

import msgspec

from gamekit.tuning.fixed import Reel
from gamekit.tuning.line_sums import Sums, mean_of
from gamekit.tuning.measure import Layout, Measure, Scatters
from gamekit.tuning.moves import neighbour
from gamekit.tuning.targets import Figures, Targets
from gamekit.tuning.ways_measure import Played

EPOCH = 50
"""Steps between two looks at all chains."""
_BATCH = 30
_COOLING = 300
"""Steps from hot to cold."""
_PATIENCE = 150
"""Steps in the cold without a layout that meets all targets, before it is heated again."""
_APART = 100
"""Steps between two recorded layouts, which would otherwise differ by a swap alone."""
_RENEWED = 50
"""Steps after which an estimated sigma is computed exactly."""
_NEAR = 2.0
"""The most tolerances that an estimated sigma may be off for the exact one to be computed, all other targets met."""


@dataclass(frozen=True)
class Known:
    """A layout with its figures. `exact` says whether sigma is exact; `factor` is its variance divided by its `spread`.

    In games of ways `played` is the full-cycle result of the layout, or of the neighbour it is estimated from.
    """

    layout: Layout
    figures: Figures
    factor: float = 1.0
    exact: bool = False
    played: Played | None = None


@dataclass
class Chain:
    """The state of one chain of a search: everything its next epoch depends on, so any process can continue it.

    The last four are for games of ways: the measured variants of each reel, the combinations of them already tried,
    how many reels to measure before the next combination, and whether the chain is in its measuring phase.
    """

    whim: random.Random
    at: Known
    nearest: Known
    found: list[Known] = field(default_factory=list)
    step: int = 0
    heated: int = 0
    seconds: float = 0.0
    measured: dict[int, dict[Reel, tuple[float, ...]]] = field(default_factory=dict)
    tried: set[Layout] = field(default_factory=set)
    probes: int = 0
    probing: bool = False


def begun(known: Known, seed: int, number: int) -> Chain:
    """Return a chain that starts at `known`."""
    # Seeded on purpose: a search must be repeatable, and no money depends on it.
    return Chain(random.Random(f"{seed}:{number}"), known, known)  # noqa: S311


def go_on(chain: Chain, step: Callable[[Chain], None], steps: int = EPOCH) -> Chain:
    """Return `chain` after `steps` more steps; its `seconds` count processor time."""
    started = time.process_time()
    for _ in range(steps):
        step(chain)
    chain.seconds += time.process_time() - started
    return chain


def worked_out(measure: Measure, layout: Layout) -> Known:
    """Return `layout` with its exact figures."""
    sums, scatters = _alone(measure, layout)
    figures = Figures(measure.rtp(sums, scatters), measure.hit(layout), measure.sigma(layout), scatters[0].starts)
    return Known(layout, figures, figures.sigma**2 / measure.spread(sums, scatters), exact=True)


def _alone(measure: Measure, layout: Layout) -> tuple[Sums, tuple[Scatters, Scatters]]:
    sums = mean_of(measure.worths(layout)[0], measure.shares(0, layout[0]))
    return sums, measure.scatters(list(map(measure.scatters_on, count(), layout)))


def step(chain: Chain, measure: Measure, targets: Targets) -> None:
    """Take a step of a search for strips of lines."""
    cooled = chain.step - chain.heated
    heat = max(0.0, 1 - cooled / _COOLING)
    chain.step += 1
    # The unchanged layout is among the choices, so a good layout is left only for one about as good.
    first = drawn(_around(chain.at, measure, chain.whim), targets, heat, chain.whim, but="rtp")
    taken = drawn(_around(first, measure, chain.whim), targets, heat, chain.whim)
    if taken is not chain.at:
        taken = _looked_at(taken, measure, targets)
        worse = targets.cost(taken.figures, heat) - targets.cost(chain.at.figures, heat)
        if worse <= 0 or chain.whim.random() < exp(-worse):
            chain.at = taken
            if targets.worst(taken.figures) < targets.worst(chain.nearest.figures):
                chain.nearest = taken
    if targets.sigma is not None and not chain.at.exact and chain.step % _RENEWED == 0:
        chain.at = _exactly(chain.at, measure)
    if targets.worst(chain.at.figures) <= 1 and (cooled >= _APART or not chain.found):
        chain.found.append(chain.at)
        chain.heated = chain.step
    elif cooled >= _COOLING + _PATIENCE:
        chain.heated = chain.step


def _around(at: Known, measure: Measure, whim: random.Random) -> list[Known]:
    """Return `at` and a batch of its neighbours, with their exact or estimated figures."""
    worths = measure.worths(at.layout)
    shown = list(map(measure.scatters_on, count(), at.layout))
    before = mean_of(worths[0], measure.shares(0, at.layout[0]))
    known = [at]
    for _ in range(_BATCH):
        found = neighbour(at.layout, measure.fixed, whim)
        if found is None:
            continue
        number, reel = found
        layout = (*at.layout[:number], reel, *at.layout[number + 1 :])
        sums = mean_of(worths[number], measure.shares(number, reel))
        scatters = measure.scatters([*shown[:number], measure.scatters_on(number, reel), *shown[number + 1 :]])
        figures = Figures(
            rtp=measure.rtp(sums, scatters),
            hit=at.figures.hit * (sums[2] / before[2] if before[2] else 1.0),
            sigma=sqrt(at.factor * measure.spread(sums, scatters)),
            free_spins=scatters[0].starts,
        )
        known.append(Known(layout, figures, at.factor))
    return known


def drawn(choices: Sequence[Known], targets: Targets, heat: float, whim: random.Random, *, but: str = "") -> Known:
    """Draw one of `choices` by its Boltzmann weight at `heat`; the cost leaves out the target named `but`."""
    costs = [targets.cost(one.figures, heat, but=but) for one in choices]
    least = min(costs)
    if least == inf:
        return choices[0]
    return whim.choices(choices, [exp(least - cost) for cost in costs])[0]


def _looked_at(known: Known, measure: Measure, targets: Targets) -> Known:
    """Return `known` with its exact hit frequency if that is a target, and its exact sigma if that may decide."""
    figures = known.figures
    if targets.hit is not None:
        figures = msgspec.structs.replace(figures, hit=measure.hit(known.layout))
    errors = targets.errors(figures)
    if errors.pop("sigma", inf) > _NEAR or max(errors.values(), default=0.0) > 1:
        return replace(known, figures=figures)
    return _exactly(replace(known, figures=figures), measure)


def _exactly(known: Known, measure: Measure) -> Known:
    """Return `known` with its exact sigma."""
    sigma = measure.sigma(known.layout)
    factor = known.factor * (sigma / known.figures.sigma) ** 2
    return Known(known.layout, msgspec.structs.replace(known.figures, sigma=sigma), factor, exact=True)
