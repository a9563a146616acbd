"""The full cycle of a game of ways with cascades, compiled: the sums from which its figures follow, for `cabinet tune`.

A reel stops only once a run comes to it. Until then it is the set of stops at which it would have ended every run that
has come so far, and all of these are played at once. The same sums come from `gamekit.exact.cascades` without numba,
combination by combination.
"""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from gamekit.cascades import CascadeRules
from gamekit.declared.declaration import Declaration, LineWins
from gamekit.exact.spin_law import SpinSums
from gamekit.kernels.compiled import compiled, inlined
from gamekit.kernels.tables import Ints
from gamekit.kernels.ways import Ways, count_cells, fall, numbered, pay_ways, ways_tables
from gamekit.reels import Strip
from gamekit.ways import WaysRules

_PARTS = 2
_BLOCK = 62
"""Stops of a set: bits of a number that is no negative one."""
_FALLS, _AT_ONCE, _BASE, _FREE = range(4)
_WON = 4


class ReelWindows(NamedTuple):
    """One reel by its stops: `bits` of the symbols that it shows, and how many `scatters`.

    `counts` are, by stop and symbol of the pays, how many ways it adds to those of the symbol, wilds in them.
    """

    bits: Ints
    scatters: Ints
    counts: Ints


class FirstWindows(NamedTuple):
    """What the windows that the stops show win, over all combinations, exactly.

    `win` and `square` are the mean of the coins and of the squares of each symbol's alone; `wins` is the chance that
    any symbol wins, `losing` by scatters the chance that none does, and `scatters` the chance of each number of them.
    """

    win: float
    square: float
    wins: float
    losing: Sequence[float]
    scatters: Sequence[float]


class _Search(NamedTuple):
    """The windows of all reels, and where a walk through them is; `losing` are by the last reel seen and scatters."""

    bits: Ints
    scatters: Ints
    lengths: Ints
    paying: Ints
    stops: Ints
    alive: Ints
    tags: Ints
    losing: Ints


class _Sets(NamedTuple):
    """Reels that have not stopped yet, by sets of stops: a bit for each of a block of them.

    `showing` are by reel, block and symbol the stops that show it, wilds in it; `holding` by the number of scatters
    those that show so many. `sets` are the present ones, 0 for a reel that has stopped, and `blocks` where they lie.
    """

    showing: Ints
    holding: Ints
    whole: Ints
    sets: Ints
    blocks: Ints


class _Waiting(NamedTuple):
    """Games that wait for their turn, the last first: what `Ways`, `_Sets` and `won` hold of each."""

    shown: Ints
    symbols: Ints
    tops: Ints
    sets: Ints
    won: Ints


class _Cycle(NamedTuple):
    """The tables, what is being played, and the sums by tag: combinations, then for each kind of spin a, b, aa, ab, bb.

    `won` are falls, coins at once, and coins of the cascades in the paid and the free spin; `by_tag` is room to count.
    """

    ways: Ways
    sets: _Sets
    waiting: _Waiting
    won: Ints
    by_tag: Ints
    scatter: int
    multipliers: Ints
    most: int
    counts: Ints
    hits: Ints
    sums: Ints


def reel_windows(strip: Strip, rows: int, rules: WaysRules, scatter: str) -> ReelWindows:
    """Return the windows of a reel."""
    loop = (*strip, *strip[: rows - 1])
    columns = [loop[stop : stop + rows] for stop in range(len(strip))]
    counts = np.array([[rules.counted(column, symbol) for symbol in rules.pays] for column in columns], dtype=np.int64)
    return ReelWindows(
        bits=(counts > 0) @ (1 << np.arange(len(rules.pays), dtype=np.int64)),
        scatters=np.array([column.count(scatter) for column in columns], dtype=np.int64),
        counts=counts,
    )


def first_windows(reels: Sequence[ReelWindows], rules: WaysRules) -> FirstWindows:
    """Return what the windows that stops show win: a ten thousandth of the work of `cycle_sums`."""
    search = _search_of(reels, rules)
    _decide(search)
    whole = float(np.prod([reel.scatters.size for reel in reels], dtype=np.float64))
    losing = _losing(search, reels) / whole
    scatters = np.ones(1)
    for reel in reels:
        scatters = np.convolve(scatters, np.bincount(reel.scatters) / reel.scatters.size)
    return FirstWindows(
        win=_mean(reels, rules, 1),
        square=_mean(reels, rules, 2),
        wins=1 - float(losing.sum()),
        losing=losing.tolist(),
        scatters=scatters.tolist(),
    )


def _mean(reels: Sequence[ReelWindows], rules: WaysRules, power: int) -> float:
    """Return the mean of what each symbol wins, to the power, added up."""
    total = 0.0
    on = np.ones(len(rules.pays))
    nowhere = [*((reel.counts == 0).mean(axis=0) for reel in reels[1:]), np.ones(len(rules.pays))]
    for run, reel in enumerate(reels, start=1):
        on = on * (reel.counts.astype(np.float64) ** power).mean(axis=0)
        pays = np.array([by_count.get(run, 0) for by_count in rules.pays.values()], dtype=np.float64)
        total += float((pays**power * on * nowhere[run - 1]).sum())
    return total


def _search_of(reels: Sequence[ReelWindows], rules: WaysRules) -> _Search:
    count = len(reels)
    bits = np.zeros((count, max(reel.bits.size for reel in reels)), dtype=np.int64)
    scatters = np.zeros_like(bits)
    for number, reel in enumerate(reels):
        bits[number, : reel.bits.size] = reel.bits
        scatters[number, : reel.bits.size] = reel.scatters
    paying = [
        sum(1 << place for place, by_count in enumerate(rules.pays.values()) if run in by_count)
        for run in range(count + 1)
    ]
    return _Search(
        bits=bits,
        scatters=scatters,
        lengths=np.array([reel.bits.size for reel in reels], dtype=np.int64),
        paying=np.array(paying, dtype=np.int64),
        stops=np.full(count, -1, dtype=np.int64),
        alive=np.full(count + 1, -1, dtype=np.int64),
        tags=np.zeros(count + 1, dtype=np.int64),
        losing=np.zeros((count, sum(int(reel.scatters.max()) for reel in reels) + 1), dtype=np.int64),
    )


def _losing(search: _Search, reels: Sequence[ReelWindows]) -> Ints:
    """Return by scatters the combinations that win nothing at once."""
    most = search.losing.shape[1]
    losing = np.zeros(most, dtype=np.int64)
    for reel, decided in zip(reels, search.losing, strict=True):
        losing = np.convolve(losing, np.bincount(reel.scatters))[:most] + decided
    return losing


def cycle_sums(declared: Declaration) -> tuple[SpinSums, SpinSums]:
    """Return the sums of the paid and the free spin of `declared`, over all combinations of stops.

    Raises ValueError unless it is a game of ways with cascades, on the same reels and for as many falls in free spins.
    """
    rules, base, free = declared.wins, declared.cascades, declared.free_cascades
    if isinstance(rules, LineWins) or base is None or free is None or declared.hold or declared.free_spins.reels:
        raise ValueError("the compiled cycle is for ways with cascades, on the same reels in free spins")
    if base.most != free.most:
        raise ValueError(f"the paid spin falls {base.most} times at the most, a free one {free.most}")
    reels = declared.reels
    tags = reels.rows * len(reels.strips) + 1
    symbols = numbered(rules, (reels,))
    windows = [reel_windows(strip, reels.rows, rules, declared.scatter.symbol) for strip in reels.strips]
    count = len(windows)
    # A game makes others wait for each stop of a reel once, and each of them has one reel less that has not stopped.
    most = _BLOCK * count * (count + 1)
    cycle = _Cycle(
        ways=ways_tables(reels, rules, symbols),
        sets=_sets_of(windows, reels.rows),
        waiting=_Waiting(
            shown=_zeros(most, count),
            symbols=_zeros(most, count),
            tops=_zeros(most, count),
            sets=_zeros(most, count),
            won=_zeros(most, _WON),
        ),
        won=_zeros(_WON),
        by_tag=_zeros(2, tags),
        scatter=symbols.get(declared.scatter.symbol, -2),
        multipliers=_multipliers(base, free),
        most=base.most,
        counts=_zeros(tags),
        hits=_zeros(tags),
        sums=_zeros(2, tags, 5),
    )
    for blocks in product(*(range(-(-windows[reel].bits.size // _BLOCK)) for reel in range(count))):
        cycle.sets.blocks[:] = blocks
        _play_all(cycle)
    return _sums_of(cycle, 0), _sums_of(cycle, 1)


def _zeros(*shape: int) -> Ints:
    return np.zeros(shape, dtype=np.int64)


def _sets_of(windows: Sequence[ReelWindows], rows: int) -> _Sets:
    blocks = -(-max(reel.bits.size for reel in windows) // _BLOCK)
    count, symbols = len(windows), windows[0].counts.shape[1]
    showing, holding = _zeros(count, blocks, symbols), _zeros(count, blocks, rows + 1)
    for number, reel in enumerate(windows):
        for stop in range(reel.bits.size):
            block, bit = stop // _BLOCK, 1 << (stop % _BLOCK)
            showing[number, block, reel.counts[stop] > 0] |= bit
            holding[number, block, reel.scatters[stop]] |= bit
    return _Sets(showing, holding, holding.sum(axis=2), _zeros(count), _zeros(count))


def _multipliers(base: CascadeRules, free: CascadeRules) -> Ints:
    """Return the multipliers of the paid and the free spin by falls."""
    most = max(len(base.multipliers), len(free.multipliers))
    return np.array([[rules.multiplier(falls) for falls in range(most)] for rules in (base, free)], dtype=np.int64)


def _sums_of(cycle: _Cycle, kind: int) -> SpinSums:
    by_tag = {}
    counts = cycle.counts.tolist()
    for tag, count in enumerate(counts):
        if count:
            a, b, aa, ab, bb = cycle.sums[kind, tag].tolist()
            by_tag[tag] = (count, [a, b], [[aa, ab], [ab, bb]])
    hits = dict(enumerate(cycle.hits.tolist()))
    return SpinSums(sum(counts), _PARTS, by_tag, {tag: hits[tag] for tag in by_tag})


@compiled
def _decide(search: _Search) -> None:
    """Count the combinations that win nothing at once, by the reel that decides it.

    A symbol that pays for so many reels pays for more of them too: once one does, the other reels need not be seen.
    """
    stops, alive, tags = search.stops, search.alive, search.tags
    reel = 0
    while reel >= 0:
        stops[reel] += 1
        stop = stops[reel]
        if stop == search.lengths[reel]:
            reel -= 1
            continue
        going = alive[reel] & search.bits[reel, stop]
        if going & search.paying[reel + 1]:
            continue
        tag = tags[reel] + search.scatters[reel, stop]
        if not going:
            search.losing[reel, tag] += 1
            continue
        reel += 1
        alive[reel] = going
        tags[reel] = tag
        stops[reel] = -1


@compiled
def _play_all(cycle: _Cycle) -> None:
    """Play every combination of stops of the present blocks."""
    ways, sets, waiting = cycle.ways, cycle.sets, cycle.waiting
    reels = sets.sets.size
    for reel in range(reels):
        sets.sets[reel] = sets.whole[reel, sets.blocks[reel]]
        ways.symbols[reel] = 0
    cycle.won[:] = 0
    left = 0
    while True:
        left = _play(cycle, left)
        if not left:
            return
        left -= 1
        for reel in range(reels):
            ways.shown[reel] = waiting.shown[left, reel]
            ways.symbols[reel] = waiting.symbols[left, reel]
            ways.tops[reel] = waiting.tops[left, reel]
            sets.sets[reel] = waiting.sets[left, reel]
        for figure in range(_WON):
            cycle.won[figure] = waiting.won[left, figure]


@inlined
def _play(cycle: _Cycle, left: int) -> int:
    """Play the present game to its end; `left` are those that wait, and returned is how many wait then."""
    ways, won, multipliers = cycle.ways, cycle.won, cycle.multipliers
    while True:
        left = _stop(cycle, left)
        if left < 0:
            return -1 - left
        coins = pay_ways(ways)
        if coins < 0:
            break
        falls = won[_FALLS]
        if falls == 0:
            won[_AT_ONCE] = coins
        else:
            place = min(falls, multipliers.shape[1] - 1)
            won[_BASE] += coins * multipliers[0, place]
            won[_FREE] += coins * multipliers[1, place]
        if falls == cycle.most:
            break
        fall(ways)
        won[_FALLS] = falls + 1
    _add(cycle)
    return left


@inlined
def _stop(cycle: _Cycle, left: int) -> int:
    """Let the reel to which the runs of the window come stop where they go on, each in a game that waits.

    The present one goes on with all other stops, at which they end. Return how many games wait; -1 less than the
    negative of it where none of its stops are left.
    """
    ways, sets = cycle.ways, cycle.sets
    alive = (1 << ways.pays.shape[0]) - 1
    for reel in range(sets.sets.size):
        if sets.sets[reel]:
            block = sets.blocks[reel]
            going = 0
            for symbol in range(ways.pays.shape[0]):
                if (alive >> symbol) & 1:
                    going |= sets.showing[reel, block, symbol]
            going &= sets.sets[reel]
            sets.sets[reel] ^= going
            stop = block * _BLOCK
            while going:
                if going & 1:
                    _wait(cycle, left, reel, stop)
                    left += 1
                going >>= 1
                stop += 1
            return left if sets.sets[reel] else -1 - left
        alive &= ways.symbols[reel]
        if not alive:
            break
    return left


@inlined
def _wait(cycle: _Cycle, place: int, reel: int, stop: int) -> None:
    """Let the present game wait at `place`, with a reel that has come to its stop."""
    ways, waiting = cycle.ways, cycle.waiting
    for other in range(ways.shown.size):
        waiting.shown[place, other] = ways.shown[other]
        waiting.symbols[place, other] = ways.symbols[other]
        waiting.tops[place, other] = ways.tops[other]
        waiting.sets[place, other] = cycle.sets.sets[other]
    waiting.shown[place, reel] = ways.columns[reel, stop]
    waiting.symbols[place, reel] = ways.bits[reel, stop]
    waiting.tops[place, reel] = stop
    waiting.sets[place, reel] = 0
    for figure in range(_WON):
        waiting.won[place, figure] = cycle.won[figure]


@inlined
def _add(cycle: _Cycle) -> None:
    """Add what the present game has won, once for each combination of the stops at which reels have not stopped."""
    sets, by_tag, won = cycle.sets, cycle.by_tag, cycle.won
    least = count_cells(cycle.ways, cycle.scatter)
    most = least
    by_tag[0, least] = 1
    for reel in range(sets.sets.size):
        if not sets.sets[reel]:
            continue
        highest = most
        by_tag[1, :] = 0
        for scatters in range(sets.holding.shape[2]):
            stops = sets.holding[reel, sets.blocks[reel], scatters] & sets.sets[reel]
            if stops:
                count = _count(stops)
                for tag in range(least, most + 1):
                    by_tag[1, tag + scatters] += by_tag[0, tag] * count
                highest = most + scatters
        most = highest
        for tag in range(least, most + 1):
            by_tag[0, tag] = by_tag[1, tag]
    for tag in range(least, most + 1):
        count = by_tag[0, tag]
        by_tag[0, tag] = 0
        cycle.counts[tag] += count
        if not won[_AT_ONCE]:
            continue
        cycle.hits[tag] += count
        for kind in range(2):
            a = won[_AT_ONCE] * cycle.multipliers[kind, 0]
            b = won[_BASE + kind]
            cycle.sums[kind, tag, 0] += count * a
            cycle.sums[kind, tag, 1] += count * b
            cycle.sums[kind, tag, 2] += count * a * a
            cycle.sums[kind, tag, 3] += count * a * b
            cycle.sums[kind, tag, 4] += count * b * b


@inlined
def _count(bits: int) -> int:
    """Return how many bits are set."""
    found = 0
    while bits:
        bits &= bits - 1
        found += 1
    return found
