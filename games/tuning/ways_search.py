"""Steps of a search for strips of ways and cascades, each with one set of exact figures.

First it wanders by estimates, until the hit frequency is right and the return within some per cent. How cascades feed
themselves no estimate knows: a swap may change the return by a tenth. So reels are then measured: one reel of the
present layout is changed a little, and by how much the exact figures differ is kept. Two or three reels changed at once
come close to the product of what each does alone. Of the thousands of combinations, the one most likely to meet all
targets is worked out, and taken where it is nearer than the present layout.
"""

from collections.abc import Iterator
from dataclasses import replace
from heapq import nsmallest
from itertools import combinations
from math import exp, inf, log

import msgspec

from games.tuning.fixed import Reel
from games.tuning.measure import Layout
from games.tuning.moves import neighbour
from games.tuning.search import Chain, Known, drawn
from games.tuning.targets import RTP_WITHIN, SHARE_WITHIN, Figures, Targets
from games.tuning.ways_measure import WaysMeasure

_BATCH = 12
_WANDERING = 6
"""Steps by estimates."""
_MOVES = 20
"""Estimated moves of a step, at most."""
_NEAR = 30.0
"""Tolerances of the return within which an estimate is worth the exact figures."""
_PROBES = 4
"""Reels that are measured before combinations are tried, and after one that came no nearer."""
_MOST = 40
"""Measured reels that are combined, those that change the return least."""
_TOGETHER = 3
_LOOKED_AT = 24
"""Combinations whose hit frequency is worked out, before one is chosen."""
_APART = 0.1
"""What a combination's figures differ from the product by, of what its reels change."""
_PATIENCE = 200
"""Steps without a layout that meets all targets, before the search wanders again."""
_TINY = 1e-12


def begin(measure: WaysMeasure, known: Known) -> Known:
    """Return `known` with its exact figures, and what its neighbours are estimated by."""
    figures, played = measure.played(known.layout)
    return replace(known, figures=figures, exact=True, played=played)


def step(chain: Chain, measure: WaysMeasure, targets: Targets) -> None:
    """Take a step."""
    since = chain.step - chain.heated
    chain.step += 1
    if since < _WANDERING:
        _wander(chain, measure, targets, 1 - since / _WANDERING)
    elif chain.probes:
        chain.probes -= 1
        _probe(chain, measure, targets)
    else:
        _combine(chain, measure, targets)
    if targets.worst(chain.at.figures) < targets.worst(chain.nearest.figures):
        chain.nearest = chain.at
    if targets.worst(chain.at.figures) <= 1 and not _is_put_by(chain):
        chain.found.append(chain.at)
        chain.heated = chain.step
    elif since >= _PATIENCE:
        chain.heated = chain.step


def _is_put_by(chain: Chain) -> bool:
    """Whether the present layout is one of those that meet all targets, and has been counted."""
    return any(one.layout == chain.at.layout for one in chain.found)


def _wander(chain: Chain, measure: WaysMeasure, targets: Targets, heat: float) -> None:
    """Move until all targets are met by estimates; what has been found is left, and what misses more than the return.

    Of two moves the first is drawn by the targets but the return, the second by all.
    """
    found = chain.at
    for _ in range(_MOVES):
        first = drawn(_around(found, measure, chain), targets, heat, chain.whim, but="rtp")
        found = drawn(_around(first, measure, chain), targets, heat, chain.whim)
        if found is not chain.at and _misses(targets, found.figures) <= 1 and targets.worst(found.figures) <= _NEAR:
            break
    if found is chain.at:
        return
    found = begin(measure, found)
    worse = targets.cost(found.figures, heat) - targets.cost(chain.at.figures, heat)
    left = _is_put_by(chain) or _misses(targets, chain.at.figures) > 1
    if left or worse <= 0 or chain.whim.random() < exp(-worse):
        chain.at = found
    chain.probes = _PROBES * len(found.layout)


def _misses(targets: Targets, figures: Figures) -> float:
    """Return how far figures are from the target that they miss most, the return left out, in tolerances."""
    return max((error for name, error in targets.errors(figures).items() if name != "rtp"), default=0.0)


def _around(at: Known, measure: WaysMeasure, chain: Chain) -> list[Known]:
    """Return `at` and a batch of its neighbours, estimated."""
    known = [at]
    for _ in range(_BATCH):
        found = neighbour(at.layout, measure.fixed, chain.whim)
        if found is None or at.played is None:
            continue
        number, reel = found
        layout = (*at.layout[:number], reel, *at.layout[number + 1 :])
        known.append(replace(at, layout=layout, figures=measure.estimate(layout, at.played), exact=False))
    return known


def _probe(chain: Chain, measure: WaysMeasure, targets: Targets) -> None:
    """Measure a reel that is estimated to change little; take it where it comes nearer."""
    at = chain.at
    near = sorted(_around(at, measure, chain)[1:], key=lambda one: _apart(one.figures, at.figures))
    if not near:
        return
    found = begin(measure, near[min(len(near) - 1, int(chain.whim.expovariate(1.0)))])
    for number, (reel, before) in enumerate(zip(found.layout, at.layout, strict=True)):
        if reel != before:
            levels = _levels(chain, number)
            levels[reel] = tuple(
                level + log(max(value, _TINY) / max(known, _TINY))
                for level, value, known in zip(
                    levels[before],
                    msgspec.structs.astuple(found.figures),
                    msgspec.structs.astuple(at.figures),
                    strict=True,
                )
            )
    _take(chain, found, targets)


def _apart(one: Figures, other: Figures) -> float:
    """Return how far two sets of figures are from each other, in tolerances."""
    return abs(one.rtp - other.rtp) / RTP_WITHIN + abs(one.hit / other.hit - 1) / SHARE_WITHIN


def _levels(chain: Chain, number: int) -> dict[Reel, tuple[float, ...]]:
    """Return the measured reels in place of one, the present among them: logarithms of figures by each other."""
    levels = chain.measured.setdefault(number, {})
    if chain.at.layout[number] not in levels:
        levels.clear()
        levels[chain.at.layout[number]] = (0.0,) * len(msgspec.structs.astuple(chain.at.figures))
    return levels


def _take(chain: Chain, found: Known, targets: Targets) -> bool:
    """Go to `found` where it is nearer to the targets."""
    nearer = targets.worst(found.figures) < targets.worst(chain.at.figures)
    if nearer:
        chain.at = found
    return nearer


def _combine(chain: Chain, measure: WaysMeasure, targets: Targets) -> None:
    """Work out the combination of measured reels that is most likely to meet all targets."""
    likely: list[tuple[float, Layout]] = []
    for _, layout, figures, change in nsmallest(
        _LOOKED_AT,
        ((_odds(targets, figures, change), layout, figures, change) for layout, figures, change in _combined(chain)),
    ):
        if chain.at.played is not None:
            hit = measure.estimate(layout, chain.at.played).hit
            likely.append((_odds(targets, msgspec.structs.replace(figures, hit=hit), change), layout))
    if likely:
        _, layout = min(likely)
        chain.tried.add(layout)
        found = begin(measure, replace(chain.at, layout=layout))
        if _take(chain, found, targets):
            return
    chain.probes = _PROBES


def _combined(chain: Chain) -> Iterator[tuple[Layout, Figures, float]]:
    """Yield layouts of measured reels with their figures as products, and how much of the return their reels change."""
    at = chain.at
    moves: list[tuple[float, int, Reel, tuple[float, ...]]] = []
    for number, reel in enumerate(at.layout):
        levels = _levels(chain, number)
        for other, level in levels.items():
            if other != reel:
                change = tuple(one - known for one, known in zip(level, levels[reel], strict=True))
                moves.append((abs(change[0]), number, other, change))
    moves.sort()
    present = msgspec.structs.astuple(at.figures)
    for together in range(1, _TOGETHER + 1):
        for those in combinations(moves[:_MOST], together):
            if len({number for _, number, _, _ in those}) < together:
                continue
            layout = list(at.layout)
            for _, number, reel, _ in those:
                layout[number] = reel
            if tuple(layout) in chain.tried:
                continue
            changes = [sum(parts) for parts in zip(*(change for _, _, _, change in those), strict=True)]
            figures = Figures(*(value * exp(change) for value, change in zip(present, changes, strict=True)))
            yield tuple(layout), figures, sum(size for size, _, _, _ in those)


def _odds(targets: Targets, figures: Figures, change: float) -> float:
    """Return how unlikely a layout is to meet the targets that is taken to have `figures`, from its `change`."""
    total = 0.0
    for name, error in targets.errors(figures).items():
        spread = 1 + _APART * change / (RTP_WITHIN if name == "rtp" else SHARE_WITHIN)
        total += inf if error == inf else (error / spread) ** 2 + 2 * log(spread)
    return total
