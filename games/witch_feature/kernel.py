"""Witch Feature's play (`games.witch_feature.play`), compiled."""

from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np

from gamekit.kernels.books import Books, book
from gamekit.kernels.compiled import compiled, inlined
from gamekit.kernels.generator import Source, draw, draw_bits
from gamekit.kernels.kernel import Kernel
from gamekit.kernels.tables import (
    PAY,
    Cells,
    Ints,
    Weighted,
    Window,
    cell_lines,
    cell_tables,
    columns,
    count_shown,
    draw_place,
    draw_weighted,
    shown_counts,
    spin,
    spin_lines,
    weighted,
    window_of,
)
from gamekit.maths import cost
from gamekit.play import Stake
from games.witch_feature.features import CELLS, MEGA_WILDS, evaluator
from games.witch_feature.maths import MATHS
from games.witch_feature.pays import (
    EXPLOSION_MARKS,
    EXPLOSION_SYMBOLS,
    EXPLOSION_TABLE,
    FREE_FEATURE_TABLE,
    FREE_FEATURES,
    FREE_SPINS,
    FREE_SPINS_ADDED,
    FREE_SPINS_WON,
    LINE_RULES,
    LINES,
    MULTIPLIER_TABLE,
    POTIONS,
    RANDOM_WILDS_TABLE,
    ROWS,
    SYMBOLS,
    WILD,
)
from games.witch_feature.play import PAID_REELS
from games.witch_feature.potions import EXPLOSION, FEATURES, collect, unlocked_by, won_by
from games.witch_feature.states import CARRIED
from games.witch_feature.strips import FREE_REELS, HIGH_REELS, RESPIN_REELS

_PARTS = [part.name for part in MATHS.parts]
_LINES = _PARTS.index("lines")
_FREE_LINES = _PARTS.index("free_lines")
_TRIGGERS = [trigger.name for trigger in MATHS.triggers]
_FREE_SPINS_WON = _TRIGGERS.index("free_spins")
_POTION_FEATURES = (*FEATURES, EXPLOSION)
_FEATURES = (*((feature,) for feature in _POTION_FEATURES), *FREE_FEATURES)
"""Every set of features that can be played: those won by potions, then those of free spins."""

_FIRST_FREE = len(_POTION_FEATURES)
_MARKS = ("random_wilds", "mega_wild", EXPLOSION)
_NO_MARKS, _RANDOM_WILDS, _MEGA_WILD, _EXPLOSION = range(len(_MARKS) + 1)
_NONE = -1
_CELL_COUNT = len(CELLS)
_WILD = SYMBOLS.index(WILD)
_REELS = len(PAID_REELS.strips)
_CARRIED_COUNT = len(CARRIED)
_DIGIT_BITS = 32
_DIGITS = 6
"""How many digits of a chance are looked at; all of them are alike in one draw of 2**192."""


class _Features(NamedTuple):
    """What each set of features does: its part, its trigger, its reels, its marks, and whether it multiplies."""

    part: Ints
    trigger: Ints
    high: Ints
    marks: Ints
    multiplies: Ints


class _Brews(NamedTuple):
    """What potions become: `collected[carried, landed]` and `carried` after it, a feature by combination and unlocks.

    `landed` has two bits a reel. A chance is there as digits to the base 2**32, none where it is certain.
    """

    potions: Ints
    combination: Ints
    carried: Ints
    feature: Ints
    unlocked: Ints
    certain: Ints
    digits: Ints


class _Tables(NamedTuple):
    lines_played: int
    coins_per_line: int
    bet: int
    paid: Window
    free: Window
    respin: Window
    high: Window
    cells: Cells
    respin_columns: Ints
    high_columns: Ints
    paid_shown: Ints
    free_shown: Ints
    brews: _Brews
    features: _Features
    free_features: Weighted
    multipliers: Weighted
    wilds: Weighted
    explosion_symbols: Ints
    explosion_bounds: Ints
    mega_sizes: Ints
    mega_places: Ints
    mega_cells: Ints
    pool: Ints
    marks: Ints
    window: Ints


def _digits_of(chance: Fraction) -> list[int]:
    """Return the digits of `chance` that `gamekit.chance.happens` compares, -1 behind the last."""
    digits: list[int] = []
    rest = chance.numerator
    while rest and len(digits) < _DIGITS:
        digit, rest = divmod(rest << _DIGIT_BITS, chance.denominator)
        digits.append(digit)
    return digits + [_NONE] * (_DIGITS - len(digits))


def _brews() -> _Brews:
    potions = np.zeros((_REELS, max(PAID_REELS.lengths)), dtype=np.int64)
    for reel, stops in enumerate(PAID_REELS.potions):
        for stop, found in enumerate(stops):
            potions[reel, stop] = 0 if found is None else 1 + POTIONS.index(found[1])
    combinations: list[tuple[str, ...]] = []
    combination = np.full((_CARRIED_COUNT, 4**_REELS), _NONE, dtype=np.int64)
    carried = np.full(combination.shape, _NONE, dtype=np.int64)
    shown = [sorted({int(potion) for potion in potions[reel]}) for reel in range(_REELS)]
    for before, kept in enumerate(CARRIED):
        for landed in product(*shown):
            code = sum(potion << (2 * reel) for reel, potion in enumerate(landed))
            made = collect(kept, [POTIONS[potion - 1] for potion in landed if potion])
            if made.combination is not None:
                if made.combination not in combinations:
                    combinations.append(made.combination)
                combination[before, code] = combinations.index(made.combination)
            carried[before, code] = CARRIED.index(made.carried)
    shape = (len(combinations), len(FEATURES))
    feature, unlocked, certain = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    digits = np.zeros((*shape, _DIGITS), dtype=np.int64)
    for number, known in enumerate(combinations):
        for unlocks in range(len(FEATURES)):
            name, chance = won_by(known, unlocks)
            feature[number, unlocks] = _POTION_FEATURES.index(name)
            unlocked[number, unlocks] = unlocks if name == EXPLOSION else unlocked_by(name, unlocks)
            certain[number, unlocks] = chance == 1
            digits[number, unlocks] = _digits_of(chance)
    return _Brews(potions, combination, carried, feature, unlocked, certain, digits)


def _features() -> _Features:
    rows = []
    for number, features in enumerate(_FEATURES):
        name = "_".join(features)
        free = number >= _FIRST_FREE
        rows.append(
            (
                _PARTS.index(f"free_{name}" if free else name) if features else _NONE,
                _NONE if free else _TRIGGERS.index(name),
                "high_symbols" in features,
                next((1 + place for place, mark in enumerate(_MARKS) if mark in features), _NO_MARKS),
                "multiplier" in features,
            )
        )
    return _Features(*np.array(rows, dtype=np.int64).T.copy())


def _tables(stake: Stake) -> _Tables:
    places = max(len(kind) for kind in MEGA_WILDS)
    mega_cells = np.full((len(MEGA_WILDS), places, _CELL_COUNT), _NONE, dtype=np.int64)
    for kind, squares in enumerate(MEGA_WILDS):
        for place, cells in enumerate(squares):
            mega_cells[kind, place, : len(cells)] = [CELLS.index(cell) for cell in cells]
    explosions = weighted(EXPLOSION_TABLE)
    return _Tables(
        lines_played=stake.lines,
        coins_per_line=stake.coins_per_line,
        bet=cost(stake),
        paid=window_of(PAID_REELS, evaluator(PAID_REELS)),
        free=window_of(FREE_REELS, evaluator(FREE_REELS)),
        respin=window_of(RESPIN_REELS, evaluator(RESPIN_REELS)),
        high=window_of(HIGH_REELS, evaluator(HIGH_REELS)),
        cells=cell_tables(evaluator(RESPIN_REELS), LINES, LINE_RULES, SYMBOLS),
        respin_columns=columns(RESPIN_REELS, SYMBOLS),
        high_columns=columns(HIGH_REELS, SYMBOLS),
        paid_shown=shown_counts(PAID_REELS, FREE_SPINS),
        free_shown=shown_counts(FREE_REELS, FREE_SPINS),
        brews=_brews(),
        features=_features(),
        free_features=weighted(FREE_FEATURE_TABLE),
        multipliers=weighted(MULTIPLIER_TABLE),
        wilds=weighted(RANDOM_WILDS_TABLE),
        explosion_symbols=np.array(
            [SYMBOLS.index(EXPLOSION_SYMBOLS[place]) for place in explosions.amounts], dtype=np.int64
        ),
        explosion_bounds=explosions.bounds,
        mega_sizes=np.array([len(kind[0]) for kind in MEGA_WILDS], dtype=np.int64),
        mega_places=np.array([len(kind) for kind in MEGA_WILDS], dtype=np.int64),
        mega_cells=mega_cells,
        pool=np.zeros(_CELL_COUNT, dtype=np.int64),
        marks=np.zeros(_CELL_COUNT, dtype=np.int64),
        window=np.zeros((_REELS, ROWS), dtype=np.int64),
    )


@compiled
def _draw_cells(tables: _Tables, source: Source, count: int) -> None:
    """Draw distinct cells into the marks."""
    for cell in range(_CELL_COUNT):
        tables.pool[cell] = cell
    for taken in range(count):
        place = draw(source, _CELL_COUNT - taken)
        tables.marks[taken] = tables.pool[place]
        for cell in range(place, _CELL_COUNT - taken - 1):
            tables.pool[cell] = tables.pool[cell + 1]


@compiled
def _draw_marks(tables: _Tables, source: Source, kind: int) -> tuple[int, int]:
    """Draw what lands on top of the respin's reels; return the number of cells and the symbol."""
    if kind == _RANDOM_WILDS:
        count = draw_weighted(source, tables.wilds)
        _draw_cells(tables, source, count)
        return count, _WILD
    if kind == _MEGA_WILD:
        squares = draw(source, tables.mega_sizes.size)
        place = draw(source, tables.mega_places[squares])
        count = tables.mega_sizes[squares]
        for mark in range(count):
            tables.marks[mark] = tables.mega_cells[squares, place, mark]
        return count, _WILD
    if kind == _EXPLOSION:
        _draw_cells(tables, source, EXPLOSION_MARKS)
        return EXPLOSION_MARKS, tables.explosion_symbols[draw_place(source, tables.explosion_bounds)]
    return 0, _NONE


@compiled
def _play_feature(tables: _Tables, source: Source, books: Books, feature: int) -> None:
    """Play a set of features."""
    known = tables.features
    multiplier = 1
    if known.multiplies[feature]:
        multiplier = draw_weighted(source, tables.multipliers)
    high = known.high[feature]
    reels = tables.high if high else tables.respin
    shown = tables.high_columns if high else tables.respin_columns
    kind = known.marks[feature]
    part = known.part[feature]
    while True:
        count, symbol = _draw_marks(tables, source, kind)
        spin(source, reels, 0)
        if count:
            for reel in range(_REELS):
                for row in range(ROWS):
                    tables.window[reel, row] = shown[reel, reels.stops[reel], row]
            for mark in range(count):
                tables.window[tables.marks[mark] // ROWS, tables.marks[mark] % ROWS] = symbol
            hits = cell_lines(reels.lines, tables.cells, tables.window, tables.lines_played, reels.hits)
        else:
            hits = spin_lines(reels, tables.lines_played)
        for hit in range(hits):
            books.won[part] += reels.hits[hit, PAY] * tables.coins_per_line * multiplier
        # Multiplier by itself respins until a win.
        if hits or high or kind != _NO_MARKS:
            break
    books.events[part] += 1
    if known.trigger[feature] != _NONE:
        books.seen[known.trigger[feature]] += 1


@compiled
def _happens(source: Source, brews: _Brews, combination: int, unlocked: int) -> bool:
    """Whether a combination triggers (`gamekit.chance.happens`)."""
    if brews.certain[combination, unlocked]:
        return True
    for place in range(_DIGITS):
        digit = brews.digits[combination, unlocked, place]
        if digit == _NONE:
            return False
        drawn = np.int64(draw_bits(source, _DIGIT_BITS + 1))
        while drawn >> _DIGIT_BITS:
            drawn = np.int64(draw_bits(source, _DIGIT_BITS + 1))
        if drawn != digit:
            return drawn < digit  # type: ignore[no-any-return]  # a bool in compiled code
    raise ArithmeticError("a chance was not decided by its first digits")


@inlined
def _brew(tables: _Tables, source: Source, books: Books, state: int) -> int:
    """Collect the potions of the last spin and play the feature they win; return the memory's state afterwards."""
    brews = tables.brews
    landed = 0
    for reel in range(_REELS):
        landed |= brews.potions[reel, tables.paid.stops[reel]] << (2 * reel)
    if not landed:
        return state
    unlocked, carried = state // _CARRIED_COUNT, state % _CARRIED_COUNT
    combination = brews.combination[carried, landed]
    after = brews.carried[carried, landed]
    if combination != _NONE and _happens(source, brews, combination, unlocked):
        feature = brews.feature[combination, unlocked]
        unlocked = brews.unlocked[combination, unlocked]
        _play_feature(tables, source, books, feature)
    return unlocked * _CARRIED_COUNT + after  # type: ignore[no-any-return]  # an integer in compiled code


@inlined
def _pay_lines(tables: _Tables, source: Source, books: Books, reels: Window, part: int) -> None:
    spin(source, reels, 0)
    for hit in range(spin_lines(reels, tables.lines_played)):
        books.won[part] += reels.hits[hit, PAY] * tables.coins_per_line


@compiled
def _free_spin(tables: _Tables, source: Source, books: Books) -> int:
    """Play a free spin; return the free spins that it adds."""
    _pay_lines(tables, source, books, tables.free, _FREE_LINES)
    feature = _FIRST_FREE + draw_weighted(source, tables.free_features)
    if tables.features.part[feature] != _NONE:
        _play_feature(tables, source, books, feature)
    shown = count_shown(tables.free_shown, tables.free.stops)
    if not shown:
        return 0
    return FREE_SPINS_WON if shown == 2 else FREE_SPINS_ADDED  # noqa: PLR2004 - both


@compiled
def _play_rounds(tables: _Tables, source: Source, books: Books, rounds: int, state: int) -> None:
    for _ in range(rounds):
        books.states[state] += 1
        _pay_lines(tables, source, books, tables.paid, _LINES)
        state = _brew(tables, source, books, state)
        if count_shown(tables.paid_shown, tables.paid.stops) == 2:  # noqa: PLR2004 - both
            books.seen[_FREE_SPINS_WON] += 1
            books.events[_FREE_LINES] += 1
            left = FREE_SPINS_WON
            while left:
                left += _free_spin(tables, source, books) - 1
        book(books, tables.bet)


KERNEL = Kernel(MATHS, _tables, _play_rounds)
