"""The exact worth of Hold and Win by the number of bonus symbols at its end.

Bonus symbols draw their values independently, except that at most one of them is Multiplying. So, for a given number of
symbols, the first case is whether one is Multiplying; the others are then independent draws from the table without it.
Worth is in whole bets.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from games.mystery_elves.pays import (
    AWARDS,
    CARRIED,
    CARRIED_BESIDE_MULTIPLYING,
    FULL_MULTIPLIER,
    GRAND,
    GRAND_MULTIPLIER,
    MAJOR,
    MULTIPLIERS,
    MULTIPLYING,
    MYSTERY,
    VALUES,
)
from games.mystery_elves.strips import HOLD_RULES

CELLS = len(HOLD_RULES.cells)


@dataclass(frozen=True)
class Power:
    """A measure on worths: its mass, and the weighted sums of the worths and of their squares."""

    mass: Fraction
    first: Fraction
    second: Fraction

    @classmethod
    def of(cls, weighted: Iterable[tuple[Fraction, int]]) -> "Power":
        """Return the measure that gives each worth its weight."""
        known = tuple(weighted)
        return cls(*(sum((weight * worth**power for weight, worth in known), Fraction(0)) for power in range(3)))

    def __add__(self, other: "Power") -> "Power":
        """Return the sum of two measures."""
        return Power(self.mass + other.mass, self.first + other.first, self.second + other.second)

    def __mul__(self, by: Fraction) -> "Power":
        """Return the measure with every weight times `by`."""
        return Power(self.mass * by, self.first * by, self.second * by)

    def and_then(self, other: "Power") -> "Power":
        """Return the measure of the sum of two independent worths."""
        return Power(
            self.mass * other.mass,
            self.first * other.mass + self.mass * other.first,
            self.second * other.mass + 2 * self.first * other.first + self.mass * other.second,
        )

    def repeated(self, times: int) -> "Power":
        """Return the measure of the sum of `times` independent worths."""
        result = NOTHING
        for _ in range(times):
            result = result.and_then(self)
        return result


NOTHING = Power(Fraction(1), Fraction(0), Fraction(0))
"""No worth, for sure."""

_TURNED = Power.of((Fraction(weight, VALUES.total), value) for value, weight in VALUES.weights.items())
_HAS_NO_MULTIPLYING = 1 - Fraction(CARRIED.weights[MULTIPLYING], CARRIED.total)


def _award(award: int, multiplier: int) -> Power:
    """Return the measure of a bonus symbol that is Mystery and draws `award`."""
    chance = Fraction(CARRIED_BESIDE_MULTIPLYING.weights[MYSTERY], CARRIED_BESIDE_MULTIPLYING.total)
    drawn = chance * Fraction(AWARDS.weights[award], AWARDS.total)
    return Power.of([(drawn, multiplier * award)]).and_then(_TURNED)


def _without_grand(multiplier: int) -> Power:
    """Return the measure of a bonus symbol that is neither Multiplying nor draws GRAND."""
    table = CARRIED_BESIDE_MULTIPLYING
    values = Power.of(
        (Fraction(weight, table.total), multiplier * value)
        for value, weight in table.weights.items()
        if value != MYSTERY
    )
    return sum((_award(award, multiplier) for award in AWARDS.weights if award != GRAND), values)


def _others(count: int, multiplier: int, *, grand: bool) -> Power:
    """Return the measure of `count` bonus symbols besides Multiplying, with (`grand`) or without GRAND among them.

    Every GRAND after the first counts as MAJOR: so n GRANDs are worth GRAND - MAJOR more than n MAJORs.
    """
    plain = _without_grand(multiplier)
    if not grand:
        return plain.repeated(count)
    as_major = _award(MAJOR, multiplier) * Fraction(AWARDS.weights[GRAND], AWARDS.weights[MAJOR])
    some = (plain + as_major).repeated(count) + plain.repeated(count) * Fraction(-1)
    return some.and_then(Power.of([(Fraction(1), multiplier * (GRAND - MAJOR))]))


def worth(filled: int) -> Power:
    """Return the worth of a feature that ends with `filled` bonus symbols; its mass is 1."""
    none = _HAS_NO_MULTIPLYING**filled
    total = (_others(filled, 1, grand=False) + _others(filled, 1, grand=True)) * none
    with_one = _others(filled - 1, GRAND_MULTIPLIER, grand=True)
    for multiplier, weight in MULTIPLIERS.weights.items():
        with_one += _others(filled - 1, multiplier, grand=False) * Fraction(weight, MULTIPLIERS.total)
    total += with_one.and_then(_TURNED) * (1 - none)
    times = FULL_MULTIPLIER if filled == CELLS else 1
    return Power(total.mass, times * total.first, times**2 * total.second)


def largest_worth() -> tuple[int, Fraction]:
    """Return the highest worth of fifteen bonus symbols and its chance, given that every cell is filled.

    All symbols except Multiplying are then Mystery, every Mystery draws the highest possible award, and each turns into
    the highest value. The cases are no Multiplying, Multiplying with GRAND, and Multiplying without GRAND.
    """
    mystery = Fraction(CARRIED_BESIDE_MULTIPLYING.weights[MYSTERY], CARRIED_BESIDE_MULTIPLYING.total)
    top = VALUES.largest
    turned = Fraction(VALUES.weights[top], VALUES.total) ** CELLS
    none = _HAS_NO_MULTIPLYING**CELLS
    major, either = (
        Fraction(sum(AWARDS.weights[award] for award in awards), AWARDS.total) for awards in ([MAJOR], [MAJOR, GRAND])
    )
    multiplier = MULTIPLIERS.largest
    others = CELLS - 1
    ways = [
        (GRAND + others * MAJOR, none * mystery**CELLS * (either**CELLS - major**CELLS)),
        (
            GRAND_MULTIPLIER * (GRAND + (others - 1) * MAJOR),
            (1 - none) * mystery**others * (either**others - major**others),
        ),
        (
            multiplier * others * MAJOR,
            (1 - none) * (mystery * major) ** others * Fraction(MULTIPLIERS.weights[multiplier], MULTIPLIERS.total),
        ),
    ]
    most = max(worth for worth, _ in ways)
    chance = sum((chance for worth, chance in ways if worth == most), Fraction(0))
    return FULL_MULTIPLIER * (most + CELLS * top), chance * turned
