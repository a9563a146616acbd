"""The acts that only Witch Feature has. Nothing here draws: `part` is how far an act has come.

Hurried or in turbo mode an act runs through all of its parts, only faster, and ends on the same picture.
"""

from collections.abc import Sequence

from gamekit.beats import Cell
from gamekit.reels import Strip
from games.witch_feature.potions import EXPLOSION
from ui.acts import HURRIED_S, TURBO, PacedAct, SpinAct
from ui.picture import Picture

COLLECT_S = 0.95
BREW_S = 3.0
UNLOCK_S = 2.2
FEATURE_S = 2.5
TURN_S = 1.5
FIRST_MARK_S = 0.3
MARKS_S = 0.85
"""In this time all marks of a respin land, one after another."""

MARK_BEFORE_STOP_S = 0.14


class WitchAct(PacedAct):
    """An act that pays nothing, timed in parts of its length."""

    def __init__(self, picture: Picture, lasts: float) -> None:
        super().__init__(picture, 0, lasts)

    def part(self, now: float) -> float:
        """Return how much of the act is over at `now`, from 0 to 1."""
        return self.elapsed(now) / self._whole


class CollectAct(WitchAct):
    """A potion flies from `cell` to place `slot` (from 0) of the shelf; its reel then shows `column`."""

    sound = "vial"

    def __init__(self, picture: Picture, cell: Cell, potion: str, slot: int, column: Strip) -> None:
        super().__init__(picture, COLLECT_S)
        self.cell = cell
        self.potion = potion
        self.slot = slot
        self.column = column


class BrewAct(WitchAct):
    """Three `potions` go into the cauldron; out comes `feature`, or a puff of smoke where that is empty."""

    sound = "potion"

    def __init__(self, picture: Picture, potions: Sequence[str], feature: str) -> None:
        super().__init__(picture, BREW_S)
        self.potions = tuple(potions)
        self.feature = feature


class UnlockAct(WitchAct):
    """The card of `feature` loses its lock."""

    sound = "chest_open"

    def __init__(self, picture: Picture, feature: str) -> None:
        super().__init__(picture, UNLOCK_S)
        self.feature = feature


class FeatureAct(WitchAct):
    """`features` begin; `multiplier` is revealed where Multiplier is among them."""

    sound = "feature_start"

    def __init__(self, picture: Picture, features: Sequence[str], multiplier: int) -> None:
        super().__init__(picture, FEATURE_S)
        self.features = tuple(features)
        self.multiplier = multiplier
        if EXPLOSION in self.features:
            self.sound = "explosion"


class MarkedSpinAct(SpinAct):
    """A respin on which `marks` land while the reels spin; in the Explosion they then turn into `symbol`.

    `kind` is the feature that has brought the marks.
    """

    def __init__(self, spin: SpinAct, marks: Sequence[Cell], symbol: str, kind: str) -> None:
        super().__init__(spin.picture, spin.spin.end, spin.anticipation, spin.lands)
        self.marks = tuple(marks)
        self.symbol = symbol
        self.kind = kind
        self._turn_s = TURN_S if kind == EXPLOSION else 0.0

    def begin(self, now: float, *, turbo: bool) -> None:
        """Start the reels."""
        super().begin(now, turbo=turbo)
        if turbo:
            self._turn_s *= TURBO

    def hurry(self, now: float) -> None:
        """STOP: every reel stops at once, and the marks turn quickly."""
        super().hurry(now)
        self._turn_s = min(self._turn_s, HURRIED_S)

    def lands_at(self, place: int) -> float:
        """Return when mark number `place` lands: always before its reel stops."""
        due = self.began + FIRST_MARK_S + MARKS_S * place / len(self.marks)
        return min(due, self.spin.stop_at[self.marks[place][0]] - MARK_BEFORE_STOP_S)

    def turned(self, now: float) -> float:
        """Return how far the marks have turned, from 0 (not yet) to 1."""
        over = now - self.spin.ends_at
        if over < 0:
            return 0.0
        return 1.0 if over >= self._turn_s else over / self._turn_s

    def ended(self, now: float) -> bool:
        """Whether every reel is at rest and every mark has turned."""
        return now >= self.ends_at()

    def ends_at(self) -> float:
        """When the last mark will have turned."""
        return self.spin.ends_at + self._turn_s
