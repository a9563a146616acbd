"""The play of declared games of ways (`gamekit.declared.play`), compiled: cascades, wilds, hold and win, free spins."""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from gamekit.declared.declaration import Declaration, LineWins
from gamekit.declared.maths import LawMaths
from gamekit.declared.play import DeclaredPlay
from gamekit.kernels.books import Books, book
from gamekit.kernels.compiled import compiled, inlined
from gamekit.kernels.generator import Source, draw_below
from gamekit.kernels.kernel import Kernel
from gamekit.kernels.tables import Ints, Weighted, by_count, draw_weighted, weighted
from gamekit.kernels.ways import Ways, cell, count_cells, fall, land, numbered, pay_ways, put, ways_tables
from gamekit.maths import Maths, cost
from gamekit.play import Stake
from gamekit.ways import WaysRules
from gamekit.weights import WeightedTable

_WINS, _CASCADES, _SCATTER, _HOLD = range(4)
_NOWHERE = -1
_NEW = 2
"""A cell of hold and win that was filled in this respin."""


class _Hold(NamedTuple):
    """Hold and win; `filled` are the cells held. In a game without it, `least` is above the number of cells."""

    symbol: int
    least: int
    respins: int
    full: int
    strip: Ints
    bits: int
    values: Weighted
    filled: Ints


class _Spin(NamedTuple):
    """A kind of spin: its `multipliers` by falls, the places of its parts in the books, whether its wilds stay."""

    ways: Ways
    bits: Ints
    stops: Ints
    multipliers: Ints
    parts: Ints
    spins: Ints
    sticky: bool
    paid: bool


class _Tables(NamedTuple):
    """The tables of a round; by reel, `held` has the bits of rows with held wilds, `landed` the window at the stops."""

    bet: int
    coins_per_line: int
    most: int
    scatter: int
    pays: Ints
    expanding: bool
    held: Ints
    landed: Ints
    hold: _Hold
    base: _Spin
    free: _Spin
    begins: Ints
    triggers: Ints


def declared_kernel(maths: Maths) -> "Kernel[_Tables]":
    """Return the kernel of a declared game of ways; raise TypeError for other games and for one that wraps its play."""
    if not isinstance(maths, LawMaths) or isinstance(maths.declared.wins, LineWins):
        raise TypeError(f"{maths.game.title} is no declared game of ways: its kernel is its own")
    if type(maths) is not LawMaths or not isinstance(maths.game.play, DeclaredPlay):
        raise TypeError(f"{maths.game.title} plays more than its declaration says: its kernel is its own, or none")
    return Kernel(maths, partial(_tables, maths, maths.declared.wins), _play_rounds)


def _tables(maths: LawMaths, rules: WaysRules, stake: Stake) -> _Tables:
    declared = maths.declared
    symbols = dict(numbered(rules, (declared.reels, declared.free_reels)))
    if declared.hold is not None:
        symbols.setdefault(declared.hold.rules.symbol, len(symbols))
    cells = declared.reels.rows * len(declared.reels.strips)
    scatter = declared.scatter
    parts = [part.name for part in maths.parts]
    triggers = [trigger.name for trigger in maths.triggers]
    bonus = "" if declared.hold is None else declared.hold.name
    return _Tables(
        bet=cost(stake),
        coins_per_line=stake.coins_per_line,
        most=0 if declared.cascades is None else declared.cascades.most,
        scatter=symbols.get(scatter.symbol, -2),
        pays=by_count(scatter.pays, cells),
        expanding=declared.expanding,
        held=np.zeros(len(declared.reels.strips), dtype=np.int64),
        landed=np.zeros(len(declared.reels.strips), dtype=np.int64),
        hold=_hold(declared, symbols),
        base=_spin_of(maths, rules, symbols, free=False),
        free=_spin_of(maths, rules, symbols, free=True),
        begins=np.array(
            [place for place, name in enumerate(parts) if name in ("free_ways", "free_cascades", "free_scatter")],
            dtype=np.int64,
        ),
        triggers=np.array(
            [triggers.index(name) if name in triggers else _NOWHERE for name in ("free_spins", bonus, "cascade")],
            dtype=np.int64,
        ),
    )


def _spin_of(maths: LawMaths, rules: WaysRules, symbols: Mapping[str, int], *, free: bool) -> _Spin:
    declared = maths.declared
    reels = declared.free_reels if free else declared.reels
    cascades = declared.free_cascades if free else declared.cascades
    multipliers = (declared.free_spins.multiplier if free else 1,) if cascades is None else cascades.multipliers
    names = [part.name for part in maths.parts]
    bonus = "" if declared.hold is None else declared.hold.name
    wanted = [f"{'free_' * free}{name}" for name in ("ways", "cascades", "scatter", bonus)]
    spins = declared.scatter.free_spins if declared.free_spins.retrigger or not free else {}
    return _Spin(
        ways=ways_tables(reels, rules, symbols),
        bits=np.array([length.bit_length() for length in reels.lengths], dtype=np.int64),
        stops=np.zeros(len(reels.strips), dtype=np.int64),
        multipliers=np.array(multipliers, dtype=np.int64),
        parts=np.array([names.index(name) if name in names else _NOWHERE for name in wanted], dtype=np.int64),
        spins=by_count(spins, reels.rows * len(reels.strips)),
        sticky=free and declared.free_spins.sticky,
        paid=not free,
    )


def _hold(declared: Declaration, symbols: Mapping[str, int]) -> _Hold:
    hold = declared.hold
    cells = (len(declared.reels.strips), declared.reels.rows)
    filled = np.zeros(cells, dtype=np.int64)
    if hold is None:
        nothing = np.zeros(1, dtype=np.int64)
        return _Hold(-2, filled.size + 1, 0, 0, nothing, 1, weighted(WeightedTable({1: 1})), filled)
    strip = [int(symbol == hold.rules.symbol) for symbol in hold.rules.strip]
    return _Hold(
        symbol=symbols[hold.rules.symbol],
        least=hold.least,
        respins=hold.rules.respins,
        full=hold.full,
        strip=np.array(strip, dtype=np.int64),
        bits=len(strip).bit_length(),
        values=weighted(hold.values),
        filled=filled,
    )


@compiled
def _value_new(hold: _Hold, source: Source) -> tuple[int, int]:
    """Draw the values of the new symbols; return their sum in bets, and the number of symbols."""
    bets = 0
    new = 0
    for reel in range(hold.filled.shape[0]):
        for row in range(hold.filled.shape[1]):
            if hold.filled[reel, row] == _NEW:
                hold.filled[reel, row] = 1
                bets += draw_weighted(source, hold.values)
                new += 1
    return bets, new


@compiled
def _respin(tables: _Tables, ways: Ways, source: Source) -> int:
    """Play hold and win from the current window; return the bets that it pays."""
    hold = tables.hold
    reels, rows = hold.filled.shape
    for reel in range(reels):
        for row in range(rows):
            hold.filled[reel, row] = _NEW if cell(ways, reel, row) == hold.symbol else 0
    bets, filled = _value_new(hold, source)
    left = hold.respins
    while left and filled < reels * rows:
        for reel in range(reels):
            for row in range(rows):
                if not hold.filled[reel, row] and hold.strip[draw_below(source, hold.strip.size, hold.bits)]:
                    hold.filled[reel, row] = _NEW
        # Values are drawn after all stops of the respin.
        more, new = _value_new(hold, source)
        bets += more
        filled += new
        left = hold.respins if new else left - 1
    if filled == reels * rows:
        bets += hold.full
    return bets


@compiled
def _change(tables: _Tables, ways: Ways, sticky: bool) -> None:  # noqa: FBT001 - compiled code takes no keywords
    """Expand the wilds of the window, and hold them if wilds are sticky."""
    for reel in range(ways.shown.size):
        if not (ways.symbols[reel] >> ways.wild) & 1:
            continue
        wilds = 0
        column = 0
        for row in range(ways.rows):
            if tables.expanding or cell(ways, reel, row) == ways.wild:
                wilds |= 1 << row
            column |= ways.wild << (row * ways.width)
        if tables.expanding:
            put(ways, reel, column)
        if sticky:
            tables.held[reel] |= wilds


@compiled
def _cover(tables: _Tables, ways: Ways) -> None:
    """Cover the window with the wilds that are held."""
    field = (1 << ways.width) - 1
    for reel in range(ways.shown.size):
        column = ways.shown[reel]
        for row in range(ways.rows):
            if (tables.held[reel] >> row) & 1:
                at = row * ways.width
                column = column & ~(field << at) | (ways.wild << at)
        put(ways, reel, column)


@inlined
def _cascade(tables: _Tables, spin: _Spin, books: Books) -> int:
    """Pay the window and the windows after each fall; return the number of falls."""
    ways, multipliers = spin.ways, spin.multipliers
    falls = 0
    while True:
        won = pay_ways(ways)
        if won < 0:
            break
        part = spin.parts[_CASCADES if falls else _WINS]
        books.won[part] += won * multipliers[min(falls, multipliers.size - 1)] * tables.coins_per_line
        if falls == tables.most:
            break
        fall(ways)
        if spin.paid and falls == 0:
            books.seen[tables.triggers[2]] += 1
        falls += 1
    return falls


@inlined
def _show(tables: _Tables, spin: _Spin, source: Source) -> None:
    """Stop the reels, put their symbols into the window, and cover it with the held wilds."""
    ways, stops = spin.ways, spin.stops
    for reel in range(stops.size):
        stops[reel] = draw_below(source, ways.lengths[reel], spin.bits[reel])
    land(ways, stops)
    if spin.sticky:
        _cover(tables, ways)


@inlined
def _spin(tables: _Tables, spin: _Spin, source: Source, books: Books) -> int:
    """Play a spin; return the free spins that it wins."""
    ways = spin.ways
    _show(tables, spin, source)
    # Symbols that start a feature count before wilds expand, with cascades in the last window; ways pay first.
    scatters = count_cells(ways, tables.scatter)
    changes = tables.expanding or spin.sticky
    if changes:
        for reel in range(tables.landed.size):
            tables.landed[reel] = ways.shown[reel]
        _change(tables, ways, spin.sticky)
    if _cascade(tables, spin, books):
        scatters = count_cells(ways, tables.scatter)
    if changes:
        for reel in range(tables.landed.size):
            put(ways, reel, tables.landed[reel])
    if tables.pays[scatters]:
        books.won[spin.parts[_SCATTER]] += tables.pays[scatters] * tables.bet
    if count_cells(ways, tables.hold.symbol) >= tables.hold.least:
        books.won[spin.parts[_HOLD]] += _respin(tables, ways, source) * tables.bet
        books.events[spin.parts[_HOLD]] += 1
        if spin.paid:
            books.seen[tables.triggers[1]] += 1
    return spin.spins[scatters]  # type: ignore[no-any-return]  # an integer in compiled code


@compiled
def _play_free_spins(tables: _Tables, source: Source, books: Books, left: int) -> None:
    tables.held[:] = 0
    while left:
        left += _spin(tables, tables.free, source, books) - 1


@compiled
def _play_rounds(tables: _Tables, source: Source, books: Books, rounds: int, _state: int) -> None:
    for _ in range(rounds):
        left = _spin(tables, tables.base, source, books)
        if left:
            books.seen[tables.triggers[0]] += 1
            for place in range(tables.begins.size):
                books.events[tables.begins[place]] += 1
            _play_free_spins(tables, source, books, left)
        book(books, tables.bet)
    books.states[0] += rounds
