"""Steps of a search for strips of ways, with cascades or without, each with one set of exact figures.

The search first wanders by estimates, a few moves from one set of exact figures to the next, until hit frequency and
free spins are nearly right and the return is within a few per cent. Estimates cannot predict how cascades feed
themselves: one swap may change the return by a tenth. So the search then measures reels: it changes one reel of the
current layout, alternately as little as possible and towards the targets, and records the ratio of the exact figures.
Changing two or three reels at once has nearly the product of their single effects. Of the thousands of combinations,
the search computes the one most likely to meet all targets, and takes it if it is nearer than the current layout.
"""

from dataclasses import replace
from functools import cache
from itertools import combinations
from math import exp, log

import msgspec
import numpy as np
import numpy.typing as npt

from gamekit.tuning.fixed import Reel
from gamekit.tuning.measure import Layout
from gamekit.tuning.moves import neighbour
from gamekit.tuning.search import Chain, Known, drawn
from gamekit.tuning.targets import RTP_WITHIN, SHARE_WITHIN, Figures, Targets
from gamekit.tuning.ways_measure import WaysMeasure

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_BATCH = 12
_WANDERING = 6
"""Steps from hot to cold."""
_MOST_WANDERING = 60
"""The most steps by estimates."""
_MOVES = 10
_FEWEST_MOVES = 2
"""The most estimated moves of the hottest step, and of a cold one: estimates get worse with each move."""
_TRIES = 10
"""The most candidates that a step estimates before it computes the exact figures of one."""
_NEAR = 30.0
"""Tolerances of the return within which an estimate is worth the exact figures."""
_CLOSE = 300.0
"""Tolerances of the return within which reels are measured, all other targets met."""
_PROBES = 4
"""Reels measured before combinations are tried (per reel of the layout), and after one that came no nearer."""
_MOST = 60
"""Measured reels that are combined, those that change the return least."""
_TOGETHER = 3
_LOOKED_AT = 24
"""Combinations whose hit frequency is computed before one is chosen."""
_APART = 0.1
"""How far a combination's figures differ from the product, as a share of what its reels change."""
_PATIENCE = 100
"""Steps without a layout that meets all targets, before the search wanders again."""
_TINY = 1e-12
_NAMES = tuple(field.name for field in msgspec.structs.fields(Figures))


def begin(measure: WaysMeasure, known: Known) -> Known:
    """Return `known` with its exact figures and with the cycle results from which its neighbours are estimated."""
    figures, played = measure.played(known.layout)
    return replace(known, figures=figures, exact=True, played=played)


def step(chain: Chain, measure: WaysMeasure, targets: Targets) -> None:
    """Take a step."""
    since = chain.step - chain.heated
    chain.step += 1
    if not chain.probing:
        leave = since == 0 or _is_put_by(chain)
        _wander(chain, measure, targets, max(0.0, 1 - since / _WANDERING), leave=leave)
        chain.probing = since >= _MOST_WANDERING or (_is_close(chain.at.figures, targets) and not _is_put_by(chain))
        chain.probes = _PROBES * len(chain.at.layout)
    elif chain.probes:
        chain.probes -= 1
        _probe(chain, measure, targets)
    else:
        _combine(chain, measure, targets)
    if targets.worst(chain.at.figures) < targets.worst(chain.nearest.figures):
        chain.nearest = chain.at
    if targets.worst(chain.at.figures) <= 1 and not _is_put_by(chain):
        chain.found.append(chain.at)
        chain.heated, chain.probing = chain.step, False
    elif since >= _PATIENCE:
        chain.heated, chain.probing = chain.step, False


def _is_put_by(chain: Chain) -> bool:
    """Whether the current layout is among those already found to meet all targets."""
    return any(one.layout == chain.at.layout for one in chain.found)


def _wander(chain: Chain, measure: WaysMeasure, targets: Targets, heat: float, *, leave: bool) -> None:
    """Move until the estimates meet all targets, then decide by the exact figures; with `leave`, move in any case.

    Moves come in pairs: the first is drawn by all targets except the return, the second by all targets.
    """
    for _ in range(_TRIES):
        found = _moved(chain, measure, targets, heat)
        if found is chain.at:
            continue
        # Exact figures cost as much as a hundred estimates: a layout that its estimates refuse is not computed.
        if leave or _is_taken(chain, found, targets, heat):
            found = begin(measure, found)
            if leave or _is_taken(chain, found, targets, heat):
                chain.at = found
            return


def _moved(chain: Chain, measure: WaysMeasure, targets: Targets, heat: float) -> Known:
    """Return a layout some moves away from the current one, with its estimated figures."""
    found = chain.at
    for _ in range(max(_FEWEST_MOVES, round(_MOVES * heat))):
        first = drawn(_around(found, measure, chain), targets, heat, chain.whim, but="rtp")
        found = drawn(_around(first, measure, chain), targets, heat, chain.whim)
        if found is not chain.at and _misses(targets, found.figures) <= 1 and targets.worst(found.figures) <= _NEAR:
            break
    return found


def _is_taken(chain: Chain, found: Known, targets: Targets, heat: float) -> bool:
    """Whether `found` replaces the current layout, by the Metropolis rule on the known figures of both."""
    worse = _far(targets, found.figures, heat) - _far(targets, chain.at.figures, heat)
    return worse <= 0 or chain.whim.random() < exp(-worse)


def _far(targets: Targets, figures: Figures, heat: float) -> float:
    """Return the cost of `figures` at `heat`; the return counts little at any heat, as measured reels correct it."""
    others = targets.cost(figures, heat, but="rtp")
    return others + targets.errors(figures).get("rtp", 0.0) / _NEAR


def _is_close(figures: Figures, targets: Targets) -> bool:
    """Whether `figures` are near enough to all targets for measured reels to reach them."""
    return _misses(targets, figures) <= 1 and targets.worst(figures) <= _CLOSE


def _misses(targets: Targets, figures: Figures) -> float:
    """Return the largest error of `figures` in tolerances, the return left out."""
    return max((error for name, error in targets.errors(figures).items() if name != "rtp"), default=0.0)


def _around(at: Known, measure: WaysMeasure, chain: Chain) -> list[Known]:
    """Return `at` and a batch of its neighbours with estimated figures."""
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
    """Measure a neighbour that is estimated to change little or to cost little; take it if it is nearer."""
    at = chain.at
    around = _around(at, measure, chain)[1:]
    if chain.step % 2:
        near = sorted(around, key=lambda one: _apart(one.figures, at.figures))
    else:
        near = sorted(around, key=lambda one: targets.cost(one.figures, 0.0))
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
    """Return the distance between two sets of figures (return and hit frequency), in tolerances."""
    return abs(one.rtp - other.rtp) / RTP_WITHIN + abs(one.hit / other.hit - 1) / SHARE_WITHIN


def _levels(chain: Chain, number: int) -> dict[Reel, tuple[float, ...]]:
    """Return the measured variants of reel `number`, the current one included, with logarithms of relative figures."""
    levels = chain.measured.setdefault(number, {})
    if chain.at.layout[number] not in levels:
        levels.clear()
        levels[chain.at.layout[number]] = (0.0,) * len(msgspec.structs.astuple(chain.at.figures))
    return levels


def _take(chain: Chain, found: Known, targets: Targets) -> bool:
    """Move to `found` if it is nearer to the targets and still meets those besides the return; return whether."""
    nearer = targets.worst(found.figures) < targets.worst(chain.at.figures)
    kept = max(1.0, _misses(targets, chain.at.figures))
    if nearer and _misses(targets, found.figures) <= kept:
        chain.at = found
        return True
    return False


def _combine(chain: Chain, measure: WaysMeasure, targets: Targets) -> None:
    """Compute the combination of measured reels that is most likely to meet all targets."""
    likely: list[tuple[float, Layout]] = []
    for layout, figures, change in _combined(chain, targets):
        if chain.at.played is not None:
            hit = measure.estimate(layout, chain.at.played).hit
            odds = _odds(targets, np.array(msgspec.structs.astuple(msgspec.structs.replace(figures, hit=hit))), change)
            likely.append((float(odds), layout))
    if likely:
        _, layout = min(likely)
        chain.tried.add(layout)
        found = begin(measure, replace(chain.at, layout=layout))
        if _take(chain, found, targets):
            return
    chain.probes = _PROBES


def _combined(chain: Chain, targets: Targets) -> list[tuple[Layout, Figures, float]]:
    """Return the likeliest untried layouts of measured reels, with predicted figures and the size of their changes."""
    moves: list[tuple[float, int, Reel, tuple[float, ...]]] = []
    for number, reel in enumerate(chain.at.layout):
        levels = _levels(chain, number)
        for other, level in levels.items():
            if other != reel:
                change = tuple(one - known for one, known in zip(level, levels[reel], strict=True))
                moves.append((abs(change[0]), number, other, change))
    moves = sorted(moves)[:_MOST]
    numbers = np.array([number for _, number, _, _ in moves])
    changes = np.array([change for _, _, _, change in moves])
    present = np.array(msgspec.structs.astuple(chain.at.figures))
    likely: list[tuple[float, Layout, Figures, float]] = []
    for together in range(1, min(_TOGETHER, len(moves)) + 1):
        those = _those(len(moves), together)
        those = those[(np.diff(np.sort(numbers[those], axis=1), axis=1) > 0).all(axis=1)]
        figures = present * np.exp(changes[those].sum(axis=1))
        change = np.abs(changes[those, 0]).sum(axis=1)
        odds = _odds(targets, figures.T, change)
        untried = 0
        for place in np.argsort(odds, kind="stable").tolist():
            layout = list(chain.at.layout)
            for move in those[place].tolist():
                layout[moves[move][1]] = moves[move][2]
            if tuple(layout) not in chain.tried:
                likely.append((odds[place], tuple(layout), Figures(*figures[place].tolist()), float(change[place])))
                untried += 1
                if untried == _LOOKED_AT:
                    break
    return [one[1:] for one in sorted(likely)[:_LOOKED_AT]]


@cache
def _those(count: int, together: int) -> Ints:
    """Return every choice of `together` out of `count` indices, one per row."""
    return np.array(list(combinations(range(count), together)), dtype=np.int64).reshape(-1, together)


def _odds(targets: Targets, figures: Floats, change: Floats | float) -> Floats:
    """Return how unlikely layouts with the predicted `figures` are to meet the targets; lower is likelier.

    `figures` are in the order of `Figures`, each an array over the layouts. A larger `change` makes a prediction less
    certain.
    """
    total: Floats = np.zeros_like(figures[0])
    for name, value in targets.asked.items():
        within = RTP_WITHIN if name == "rtp" else SHARE_WITHIN
        error = (figures[_NAMES.index(name)] - value) / (within if name == "rtp" else within * value)
        spread = 1 + _APART * change / within
        total += (error / spread) ** 2 + 2 * np.log(spread)
    return total
