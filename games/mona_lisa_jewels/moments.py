"""Sigma: products of what the paid spin and its jewel spins win, exactly.

The three windows that follow from a locked reel 1 depend on each other reel by reel: each reel turns three times and
keeps its held symbols. Reels are independent, so the product of two lines in any of the three spins, and of a line and
the palettes in view, factors over the reels. A locked line consists of jewels or queens, so it has few states.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from gamekit.exact.moments import SpinAnalysis, SpinMoments
from gamekit.exact.runs import value_of
from gamekit.lines import Payline
from games.mona_lisa_jewels.extremes import held_columns
from games.mona_lisa_jewels.jewels import TRIGGERS
from games.mona_lisa_jewels.pays import (
    FREE_SPINS,
    JEWEL_SPINS,
    LINE_PAYS,
    LINES,
    MONA_LISA,
    PALETTE,
    PALETTE_PAYS,
    WILD_MULTIPLIERS,
)
from games.mona_lisa_jewels.strips import REELS

_JEWELS = range(1, JEWEL_SPINS + 1)
_WINDOWS = [REELS.column(0, stop) for stop in sorted(TRIGGERS)]

_WAYS = REELS.lengths[0]
for _length in REELS.lengths[1:]:
    _WAYS *= _length ** (JEWEL_SPINS + 1)

_Run = tuple[int, bool, int]
"""Cells run through, whether the run goes on, and the wilds in it as far as they multiply."""

_Line = tuple[int, Payline, str, bool]
"""A line in one of the three spins: its rows behind reel 1, its symbol, and whether its wilds multiply."""

_START: _Run = (1, True, 0)


def _next(run: _Run, line: _Line, shown: str) -> _Run:
    length, alive, wilds = run
    _, _, symbol, multiplied = line
    if not alive or shown not in {symbol, MONA_LISA}:
        return (length, False, wilds)
    return (length + 1, True, wilds + (multiplied and shown == MONA_LISA))


def _worth(run: _Run, symbol: str) -> int:
    length, _, wilds = run
    multiplier = WILD_MULTIPLIERS[min(wilds, len(WILD_MULTIPLIERS)) - 1] if wilds else 1
    return value_of(LINE_PAYS, symbol, length) * multiplier


def _dead(run: _Run, symbol: str) -> bool:
    return not run[1] and not _worth(run, symbol)


@cache
def _cells(
    reel: int, spins: tuple[int, int], rows: tuple[int, int], symbols: tuple[str, str]
) -> Counter[tuple[str, str]]:
    """Return what two cells of `reel`, each in its own spin, show together of their symbols and of wilds."""
    tally: Counter[tuple[str, str]] = Counter()
    for columns, ways in held_columns(reel).items():
        shown = (columns[spin][row] for spin, row in zip(spins, rows, strict=True))
        first, second = (
            cell if cell in {symbol, MONA_LISA} else "" for cell, symbol in zip(shown, symbols, strict=True)
        )
        tally[first, second] += ways
    return tally


@cache
def _cell_with_palettes(reel: int, spins: tuple[int, int], row: int) -> Counter[tuple[str, int]]:
    """Return what a cell of `reel` shows in one spin, with the palettes that the reel shows in another."""
    tally: Counter[tuple[str, int]] = Counter()
    for columns, ways in held_columns(reel).items():
        tally[columns[spins[0]][row], columns[spins[1]].count(PALETTE)] += ways
    return tally


def _pair(left: _Line, right: _Line) -> int:
    """Return the product of two lines summed over all ways of reels 2 to 5, whichever of them comes first."""
    return _ordered_pair(*sorted((left, right)))


@cache
def _ordered_pair(left: _Line, right: _Line) -> int:
    states: dict[tuple[_Run, _Run], int] = {(_START, _START): 1}
    for reel, rows in enumerate(zip(left[1], right[1], strict=True), start=1):
        going: dict[tuple[_Run, _Run], int] = defaultdict(int)
        for (first, second), ways in states.items():
            for (a, b), stops in _cells(reel, (left[0], right[0]), rows, (left[2], right[2])).items():
                after = (_next(first, left, a), _next(second, right, b))
                if not _dead(after[0], left[2]) and not _dead(after[1], right[2]):
                    going[after] += ways * stops
        states = going
    return sum(ways * _worth(a, left[2]) * _worth(b, right[2]) for (a, b), ways in states.items())


@cache
def _with_palettes(line: _Line, spin: int) -> dict[int, int]:
    """Return a line's worth summed over the ways with 0, 1, 2 ... palettes in `spin`."""
    states: dict[tuple[_Run, int], int] = {(_START, 0): 1}
    for reel, row in enumerate(line[1], start=1):
        going: dict[tuple[_Run, int], int] = defaultdict(int)
        for (run, seen), ways in states.items():
            for (shown, palettes), stops in _cell_with_palettes(reel, (line[0], spin), row).items():
                after = _next(run, line, shown)
                if not _dead(after, line[2]):
                    going[after, seen + palettes] += ways * stops
        states = going
    sums: dict[int, int] = defaultdict(int)
    for (run, seen), ways in states.items():
        sums[seen] += ways * _worth(run, line[2])
    return sums


@cache
def _palettes(spins: tuple[int, int]) -> Counter[tuple[int, int]]:
    """Return the chances, in ways of reels 2 to 5, of the palettes shown in two spins."""
    tally: Counter[tuple[int, int]] = Counter({(0, 0): 1})
    for reel in range(1, len(REELS.strips)):
        going: Counter[tuple[int, int]] = Counter()
        for columns, ways in held_columns(reel).items():
            shown = (columns[spins[0]].count(PALETTE), columns[spins[1]].count(PALETTE))
            for seen, before in tally.items():
                going[seen[0] + shown[0], seen[1] + shown[1]] += before * ways
        tally = going
    return tally


class LockedMoments:
    """Products of parts over the spins that lock reel 1, with the first `lines` lines at one coin each.

    With `free`, the spin that locks is a normal free one, whose wilds multiply.
    """

    def __init__(self, lines: int, *, free: bool) -> None:
        self._lines = lines
        self._free = free

    def _line(self, number: int, spin: int, window: Sequence[str]) -> _Line:
        rows = LINES[number]
        return (spin, rows[1:], window[rows[0]], self._free and spin == 0)

    def lines(self, left: int, right: int) -> Fraction:
        """Return the mean product of all line wins in two spins (0 is the one that locks)."""
        total = sum(
            _pair(self._line(a, left, window), self._line(b, right, window))
            for window in _WINDOWS
            for a in range(self._lines)
            for b in range(self._lines)
        )
        return Fraction(total, _WAYS)

    def lines_with(self, left: int, right: int, values: dict[int, int]) -> Fraction:
        """Return the mean product of the line wins in one spin and of the palettes' value in another."""
        total = sum(
            values.get(count, 0) * ways
            for window in _WINDOWS
            for number in range(self._lines)
            for count, ways in _with_palettes(self._line(number, left, window), right).items()
        )
        return Fraction(total, _WAYS)

    def palettes(self, left: int, right: int, values: dict[int, int], others: dict[int, int]) -> Fraction:
        """Return the mean product of the palettes' values in two spins."""
        total = sum(values.get(a, 0) * others.get(b, 0) * ways for (a, b), ways in _palettes((left, right)).items())
        return Fraction(len(_WINDOWS) * total, _WAYS)


def with_jewel_spins(
    analysis: SpinAnalysis,
    lines: int,
    *,
    free: bool,
    jewel_means: tuple[Fraction, Fraction],
    jewel_free_spins: Fraction,
) -> SpinMoments:
    """Return the moments of a spin with its jewel spins: lines, scatter, jackpot, jewel lines, jewel scatter.

    `analysis` is the spin's own; `jewel_means` are what its jewel spins pay on average, by lines and palettes, and
    `jewel_free_spins` the free spins that they win. No jackpot falls where reel 1 locks.
    """
    own = analysis.at(lines)
    locked = LockedMoments(lines, free=free)
    pays = {count: pay * lines for count, pay in PALETTE_PAYS.items()}
    line_line = sum((locked.lines(0, spin) for spin in _JEWELS), Fraction(0))
    line_pay = sum((locked.lines_with(0, spin, pays) for spin in _JEWELS), Fraction(0))
    pay_line = sum((locked.lines_with(spin, 0, pays) for spin in _JEWELS), Fraction(0))
    pay_pay = sum((locked.palettes(0, spin, pays, pays) for spin in _JEWELS), Fraction(0))
    both = [(left, right) for left in _JEWELS for right in _JEWELS]
    jewel_line = sum((locked.lines(*pair) for pair in both), Fraction(0))
    jewel_mixed = sum((locked.lines_with(*pair, pays) for pair in both), Fraction(0))
    jewel_pay = sum((locked.palettes(*pair, pays, pays) for pair in both), Fraction(0))
    zero = Fraction(0)
    product = (
        (*own.product[0], line_line, line_pay),
        (*own.product[1], pay_line, pay_pay),
        (*own.product[2], zero, zero),
        (line_line, pay_line, zero, jewel_line, jewel_mixed),
        (line_pay, pay_pay, zero, jewel_mixed, jewel_pay),
    )
    spins = dict(FREE_SPINS)
    every = [(left, right) for left in _JEWELS for right in (0, *_JEWELS)]
    with_spins = (
        own.with_spins[0] + sum((locked.lines_with(0, spin, spins) for spin in _JEWELS), zero),
        own.with_spins[1] + sum((locked.palettes(0, spin, pays, spins) for spin in _JEWELS), zero),
        own.with_spins[2],
        sum((locked.lines_with(*pair, spins) for pair in every), zero),
        sum((locked.palettes(*pair, pays, spins) for pair in every), zero),
    )
    more = 2 * sum((locked.palettes(0, spin, spins, spins) for spin in _JEWELS), zero)
    more += sum((locked.palettes(*pair, spins, spins) for pair in both), zero)
    return SpinMoments(
        mean=(*own.mean, *jewel_means),
        product=product,
        with_spins=with_spins,
        spins=own.spins + jewel_free_spins,
        spins_square=own.spins_square + more,
    )
