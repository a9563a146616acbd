"""Mystery Elves' bonus symbols: what each carries is drawn as it lands, and what its function does at the end."""

from collections.abc import Iterator, Sequence

import msgspec

from gamekit.beats import Cell
from gamekit.play import Beat, Draw
from games.mystery_elves.pays import (
    AWARD_NAMES,
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


class Bonus(msgspec.Struct, frozen=True, gc=False):
    """A bonus symbol in `cell`; it carries a value in whole bets, or the function MYSTERY or MULTIPLYING."""

    cell: Cell
    carries: int


class BonusesLanded(Beat, frozen=True, gc=False):
    """Bonus symbols have landed; they pay nothing before Hold and Win ends."""

    bonuses: tuple[Bonus, ...]


class MysteryOpened(Beat, frozen=True, gc=False):
    """The Mystery in `cell` awards `award` (mini, minor, major or grand), which is worth `bets` whole bets."""

    cell: Cell
    award: str
    bets: int


class MultiplyingOpened(Beat, frozen=True, gc=False):
    """The Multiplying in `cell` multiplies every value and every Mystery award by `multiplier`."""

    cell: Cell
    multiplier: int


class BonusTurned(Beat, frozen=True, gc=False):
    """The function in `cell` is done: its symbol turns into a value of `bets` whole bets, which nothing multiplies."""

    cell: Cell
    bets: int


class HoldAndWinPaid(Beat, frozen=True, gc=False):
    """Hold and Win is over and pays `coins`: so many whole `bets`, `full` (fifteen symbols) already in them."""

    bets: int
    full: bool


class Bonuses:
    """The bonus symbols of one round, in the order in which they landed."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._landed: list[Bonus] = []
        self._multiplying = False

    def land(self, cells: Sequence[Cell]) -> BonusesLanded:
        """Draw what the symbols in `cells` carry, in this order, and keep them."""
        new = []
        for cell in cells:
            table = CARRIED_BESIDE_MULTIPLYING if self._multiplying else CARRIED
            carries = table.draw(self._draw)
            self._multiplying = self._multiplying or carries == MULTIPLYING
            new.append(Bonus(cell, carries))
        self._landed += new
        return BonusesLanded(tuple(new))

    def settle(self, bet_coins: int) -> Iterator[Beat]:
        """Open the functions, add everything up and pay it at `bet_coins` to the bet."""
        places = {place: number for number, place in enumerate(HOLD_RULES.cells)}
        resting = sorted(self._landed, key=lambda bonus: places[bonus.cell])
        bets = sum(bonus.carries for bonus in resting if bonus.carries > 0)
        functions = [bonus for bonus in resting if bonus.carries <= 0]
        grand = False
        for bonus in functions:
            if bonus.carries == MYSTERY:
                award = AWARDS.draw(self._draw)
                if award == GRAND and grand:
                    award = MAJOR
                grand = grand or award == GRAND
                bets += award
                yield MysteryOpened(bonus.cell, AWARD_NAMES[award], award)
        for bonus in functions:
            if bonus.carries == MULTIPLYING:
                multiplier = GRAND_MULTIPLIER if grand else MULTIPLIERS.draw(self._draw)
                bets *= multiplier
                yield MultiplyingOpened(bonus.cell, multiplier)
        for bonus in functions:
            value = VALUES.draw(self._draw)
            bets += value
            yield BonusTurned(bonus.cell, value)
        full = len(resting) == len(HOLD_RULES.cells)
        if full:
            bets *= FULL_MULTIPLIER
        yield HoldAndWinPaid(bets, full, coins=bets * bet_coins)
