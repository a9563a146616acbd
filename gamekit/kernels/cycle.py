"""The full cycle of a game of ways with cascades, compiled: the sums from which its figures follow, for `cabinet tune`.

A reel is given a stop only once a run reaches it. Until then it stands for the set of stops that would have ended every
run so far, and all stops of the set are played at once. `gamekit.exact.cascades` computes the same sums without numba,
one combination at a time.
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
    """What one reel shows at each stop: `bits` of its symbols, and the number of `scatters`.

    `counts` are, by stop and paying symbol, the number of ways that the stop adds for the symbol, wilds included.
    """

    bits: Ints
    scatters: Ints
    counts: Ints


class FirstWindows(NamedTuple):
    """The exact wins of the first windows (those that the stops show), over all combinations.

    `win` is the mean of the coins, `square` the sum of the mean squares of each symbol's coins. `wins` is the chance
    that any symbol wins. `losing` is the chance that none wins, by number of scatters; `scatters` is the chance of each
    number of scatters.
    """

    win: float
    square: float
    wins: float
    losing: Sequence[float]
    scatters: Sequence[float]


class _Search(NamedTuple):
    """The windows of all reels and the position of a walk through them; `losing` is by last reel read and scatters."""

    bits: Ints
    scatters: Ints
    lengths: Ints
    paying: Ints
    stops: Ints
    alive: Ints
    tags: Ints
    losing: Ints


class _Sets(NamedTuple):
    """The reels that have not stopped yet, as sets of stops: one bit for each stop of a block.

    `showing` are the stops that show a symbol or its wild, by reel, block and symbol. `holding` are the stops that show
    a number of scatters, by reel, block and number. `sets` are the current sets, 0 for a reel that has stopped;
    `blocks` are the blocks that they belong to.
    """

    showing: Ints
    holding: Ints
    whole: Ints
    sets: Ints
    blocks: Ints


class _Waiting(NamedTuple):
    """A stack of games still to be played: the values of `Ways`, `_Sets` and `won` for each."""

    shown: Ints
    symbols: Ints
    tops: Ints
    sets: Ints
    won: Ints


class _Cycle(NamedTuple):
    """The tables, the game being played, and the sums by tag: combinations, then a, b, aa, ab, bb per kind of spin.

    `a` is what the first window wins and `b` what the cascades add. `won` holds the falls, the coins of the first
    window, and the coins of the cascades in the paid and in the free spin; `by_tag` is scratch space for counting.
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
    """Return the wins of the first windows; this takes a ten thousandth of the work of `cycle_sums`."""
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
    """Return the sum over symbols of the mean of the symbol's win raised to `power`."""
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
    """Return, by number of scatters, how many combinations win nothing in the first window."""
    most = search.losing.shape[1]
    losing = np.zeros(most, dtype=np.int64)
    for reel, decided in zip(reels, search.losing, strict=True):
        losing = np.convolve(losing, np.bincount(reel.scatters))[:most] + decided
    return losing


def cycle_sums(declared: Declaration) -> tuple[SpinSums, SpinSums]:
    """Return the sums of the paid and the free spin of `declared`, over all combinations of stops.

    Raises ValueError unless it is a game of ways with cascades whose free spins use the same reels and the same limit
    of falls.
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
    # A game pushes at most one game for each stop of a reel, and each of these has one moving reel fewer.
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
    """Return the multipliers of the paid and the free spin, by number of falls."""
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
    """Count the combinations that win nothing in the first window, by the reel on which the last run ends.

    A symbol that pays for a run of some length also pays for every longer run, so a walk stops at the first paying run.
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
    """Play every combination of stops of the current blocks."""
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
    """Play the current game to its end; `left` games are on the stack before, and the number after is returned."""
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
    """Stop the first moving reel that a run reaches: push one game for each stop at which a run goes on.

    The current game keeps the other stops of the reel, at which all runs end. Return the number of games on the stack,
    or `-1 - number` if the current game has no stop left.
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
    """Push a copy of the current game to `place` of the stack, with `reel` stopped at `stop`."""
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
    """Add the current game's win once for each combination of the stops left on the reels that have not stopped."""
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
