"""Steps of a search for strips of ways and cascades: neighbours are estimated by a sample, what is taken exactly.

The sample is the same for all strips, so that what two neighbours differ by is known far better than what either
returns; where the exact figures of one are known, they correct the estimates of those around it.
"""

from dataclasses import replace
from math import exp

import msgspec

from games.tuning.moves import neighbour
from games.tuning.search import Chain, Known, drawn
from games.tuning.targets import Figures, Targets
from games.tuning.ways_measure import WaysMeasure

_BATCH = 12
_COOLING = 60
"""Steps from hot to cold."""
_APART = 20
_RENEWED = 20
"""Steps after which the exact figures are worked out at the latest."""
_NEAR = 12.0
"""Tolerances within which an estimate is worth the exact figures."""


def begin(measure: WaysMeasure, known: Known) -> Known:
    """Return `known` with its exact figures and what they are by the sample."""
    exact = measure.exact(known.layout)
    return replace(known, figures=exact, exact=True, sample=measure.estimate(known.layout), anchor=exact)


def step(chain: Chain, measure: WaysMeasure, targets: Targets) -> None:
    """Take a step."""
    cooled = chain.step - chain.heated
    heat = max(0.0, 1 - cooled / _COOLING)
    chain.step += 1
    found = drawn(_around(chain.at, measure, chain), targets, heat, chain.whim)
    if found is not chain.at:
        worse = targets.cost(found.figures, heat) - targets.cost(chain.at.figures, heat)
        if worse <= 0 or chain.whim.random() < exp(-worse):
            chain.at = found
    if not chain.at.exact and (targets.worst(chain.at.figures) <= _NEAR or chain.step % _RENEWED == 0):
        chain.at = begin(measure, chain.at)
    if not chain.at.exact:
        return
    if targets.worst(chain.at.figures) < targets.worst(chain.nearest.figures):
        chain.nearest = chain.at
    if targets.worst(chain.at.figures) <= 1 and (cooled >= _APART or not chain.found):
        chain.found.append(chain.at)
        chain.heated = chain.step


def _around(at: Known, measure: WaysMeasure, chain: Chain) -> list[Known]:
    """Return `at` and a batch of its neighbours, with their corrected estimates."""
    known = [at]
    for _ in range(_BATCH):
        found = neighbour(at.layout, measure.fixed, chain.whim)
        if found is None:
            continue
        number, reel = found
        layout = (*at.layout[:number], reel, *at.layout[number + 1 :])
        known.append(replace(at, layout=layout, figures=_corrected(at, measure.estimate(layout)), exact=False))
    return known


def _corrected(at: Known, estimate: Figures) -> Figures:
    """Return `estimate` as it would be if the sample erred as it does at the last layout known exactly."""
    if at.anchor is None or at.sample is None:
        return estimate
    return Figures(
        *(
            value * (exact / by_sample if by_sample else 1.0)
            for value, exact, by_sample in zip(
                msgspec.structs.astuple(estimate),
                msgspec.structs.astuple(at.anchor),
                msgspec.structs.astuple(at.sample),
                strict=True,
            )
        )
    )
