"""The full cycle of a game of ways with cascades, compiled: the sums from which its figures follow, for `cabinet tune`.

The same sums come from `games.exact.cascades` without numba, some ten times as slowly.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from games.cascades import CascadeRules
from games.declaration import Declaration, LineWins
from games.exact.spin_law import SpinSums
from games.kernels.compiled import compiled
from games.kernels.tables import Ints
from games.kernels.ways import Ways, count_cells, fall, land, numbered, pay_ways, ways_tables

Fractions = npt.NDArray[np.float64]
"""A row for each combination: how far along each reel it stops, from 0 to below 1."""

_MOST_TAGS = 64
_FIRST = 3
_PARTS = 2


class _Cycle(NamedTuple):
    """The tables, and the sums by tag: combinations, then for each kind of spin a, b, aa, ab, bb."""

    ways: Ways
    present: Ints
    paying: Ints
    scatters: Ints
    scatter: int
    multipliers: Ints
    most: int
    stops: Ints
    losing: Ints
    counts: Ints
    hits: Ints
    sums: Ints


def cycle_sums(declared: Declaration) -> tuple[SpinSums, SpinSums]:
    """Return the sums of the paid and the free spin of `declared`, over all combinations of stops.

    Raises ValueError unless it is a game of ways with cascades, on the same reels in free spins.
    """
    cycle = _cycle_of(declared)
    _go_round(cycle)
    losing = cycle.losing
    for reel in range(min(_FIRST, cycle.stops.size), cycle.stops.size):
        losing = np.convolve(losing, np.bincount(cycle.scatters[reel, : cycle.ways.lengths[reel]]))[:_MOST_TAGS]
    counts = cycle.counts + losing
    return _sums_of(cycle, counts, 0), _sums_of(cycle, counts, 1)


def points_of(rows: Sequence[Sequence[float]]) -> Fractions:
    """Return `rows`, a fraction of each reel in each, as `sampled_sums` reads them."""
    return np.array(rows, dtype=np.float64)


def sampled_sums(declared: Declaration, points: Fractions) -> tuple[SpinSums, SpinSums]:
    """Return the sums over a sample: each row of `points` is a fraction of each reel, at which it stops."""
    cycle = _cycle_of(declared)
    _go_to(cycle, points)
    return _sums_of(cycle, cycle.counts, 0), _sums_of(cycle, cycle.counts, 1)


def _cycle_of(declared: Declaration) -> _Cycle:
    rules, base, free = declared.wins, declared.cascades, declared.free_cascades
    if isinstance(rules, LineWins) or base is None or free is None or declared.hold or declared.free_spins.reels:
        raise ValueError("the compiled cycle is for ways with cascades, on the same reels in free spins")
    reels = declared.reels
    symbols = numbered(rules, (reels,))
    shown = [[reels.column(reel, stop) for stop in range(length)] for reel, length in enumerate(reels.lengths)]
    widest = max(reels.lengths)
    present = np.zeros((len(shown), widest), dtype=np.int64)
    scatters = np.zeros((len(shown), widest), dtype=np.int64)
    for reel, by_stop in enumerate(shown):
        for stop, column in enumerate(by_stop):
            present[reel, stop] = sum(1 << place for place, one in enumerate(rules.pays) if rules.counted(column, one))
            scatters[reel, stop] = column.count(declared.scatter.symbol)
    paying = [
        sum(1 << place for place, by_count in enumerate(rules.pays.values()) if run in by_count)
        for run in range(len(shown) + 1)
    ]
    return _Cycle(
        ways=ways_tables(reels, rules, symbols),
        present=present,
        paying=np.array(paying, dtype=np.int64),
        scatters=scatters,
        scatter=symbols.get(declared.scatter.symbol, -2),
        multipliers=_multipliers(base, free),
        most=base.most,
        stops=np.zeros(len(shown), dtype=np.int64),
        losing=np.zeros(_MOST_TAGS, dtype=np.int64),
        counts=np.zeros(_MOST_TAGS, dtype=np.int64),
        hits=np.zeros(_MOST_TAGS, dtype=np.int64),
        sums=np.zeros((2, _MOST_TAGS, 5), dtype=np.int64),
    )


def _multipliers(base: CascadeRules, free: CascadeRules) -> Ints:
    """Return the multipliers of the paid and the free spin by falls."""
    most = max(len(base.multipliers), len(free.multipliers))
    return np.array([[rules.multiplier(falls) for falls in range(most)] for rules in (base, free)], dtype=np.int64)


def _sums_of(cycle: _Cycle, counts: Ints, kind: int) -> SpinSums:
    by_tag = {}
    for tag, count in enumerate(counts.tolist()):
        if count:
            a, b, aa, ab, bb = cycle.sums[kind, tag].tolist()
            by_tag[tag] = (count, [a, b], [[aa, ab], [ab, bb]])
    hits = dict(enumerate(cycle.hits.tolist()))
    return SpinSums(sum(counts.tolist()), _PARTS, by_tag, {tag: hits[tag] for tag in by_tag})


@compiled
def _go_round(cycle: _Cycle) -> None:
    """Play every combination of stops that may win, and count the others by their tag on the first reels."""
    lengths, stops = cycle.ways.lengths, cycle.stops
    reels = lengths.size
    first = min(_FIRST, reels)
    later = 0
    for run in range(first, reels + 1):
        later |= cycle.paying[run]
    stops[:] = 0
    while True:
        alive = -1
        opened = False
        tag = 0
        for reel in range(first):
            alive &= cycle.present[reel, stops[reel]]
            opened = opened or (alive & cycle.paying[reel + 1]) != 0
            tag += cycle.scatters[reel, stops[reel]]
        if opened or (alive & later) != 0:
            _go_on(cycle, first)
        else:
            cycle.losing[tag] += 1
        reel = first - 1
        while reel >= 0:
            stops[reel] += 1
            if stops[reel] < lengths[reel]:
                break
            stops[reel] = 0
            reel -= 1
        if reel < 0:
            return


@compiled
def _go_to(cycle: _Cycle, points: Fractions) -> None:
    """Play the combinations of stops at `points`."""
    for place in range(points.shape[0]):
        for reel in range(cycle.stops.size):
            cycle.stops[reel] = int(points[place, reel] * cycle.ways.lengths[reel])
        _chain(cycle)


@compiled
def _go_on(cycle: _Cycle, first: int) -> None:
    """Play every combination of the other reels' stops."""
    lengths, stops = cycle.ways.lengths, cycle.stops
    for reel in range(first, stops.size):
        stops[reel] = 0
    while True:
        _chain(cycle)
        reel = stops.size - 1
        while reel >= first:
            stops[reel] += 1
            if stops[reel] < lengths[reel]:
                break
            stops[reel] = 0
            reel -= 1
        if reel < first:
            return


@compiled
def _chain(cycle: _Cycle) -> None:
    """Play one combination and add what it wins."""
    ways, multipliers = cycle.ways, cycle.multipliers
    land(ways, cycle.stops)
    at_once = 0
    base = 0
    free = 0
    falls = 0
    while True:
        won = pay_ways(ways)
        if won < 0:
            break
        if falls == 0:
            at_once = won
        else:
            place = min(falls, multipliers.shape[1] - 1)
            base += won * multipliers[0, place]
            free += won * multipliers[1, place]
        if falls == cycle.most:
            break
        fall(ways)
        falls += 1
    tag = count_cells(ways, cycle.scatter)
    cycle.counts[tag] += 1
    if not at_once:
        return
    cycle.hits[tag] += 1
    for kind in range(2):
        a = at_once * multipliers[kind, 0]
        b = free if kind else base
        cycle.sums[kind, tag, 0] += a
        cycle.sums[kind, tag, 1] += b
        cycle.sums[kind, tag, 2] += a * a
        cycle.sums[kind, tag, 3] += a * b
        cycle.sums[kind, tag, 4] += b * b
