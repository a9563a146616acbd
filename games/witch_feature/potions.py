"""The potions: how they are collected, what three of them make, and what a bet remembers of them.

A potion in the window is taken out, the symbols above it fall by one and the next stop above the
window enters on top. Potions are collected from left to right; the first three make a combination, in any order.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec

from gamekit.reels import Reels, Strip
from games.witch_feature.pays import BLUE, GREEN, LOCKED_CHANCES, OTHER_CHANCE, POTIONS, RED

COMBINATION = 3

FEATURES = ("high_symbols", "random_wilds", "multiplier", "mega_wild")
"""The four potion features, in the order in which each unlocks the next."""

EXPLOSION = "explosion"

FEATURE_OF: Mapping[tuple[str, ...], str] = {
    tuple(sorted(potions)): feature
    for potions, feature in (
        ((RED, BLUE, GREEN), "high_symbols"),
        ((RED, BLUE, BLUE), "random_wilds"),
        ((RED, GREEN, GREEN), "multiplier"),
        ((BLUE, BLUE, GREEN), "mega_wild"),
    )
}


class WitchMemory(msgspec.Struct, frozen=True):
    """What a bet remembers: up to two potions, sorted by name, and how many features after the first are unlocked."""

    carried: tuple[str, ...] = ()
    unlocked: int = 0

    def __post_init__(self) -> None:
        """Raise ValueError for what no play leaves behind."""
        if len(self.carried) >= COMBINATION or not set(self.carried) <= set(POTIONS):
            raise ValueError(f"{self.carried}: a bet carries at most two potions")
        if list(self.carried) != sorted(self.carried) or not 0 <= self.unlocked < len(FEATURES):
            raise ValueError("potions are kept sorted, and 0 to 3 features are unlocked")


class Collected(NamedTuple):
    """What the window's potions come to: a `combination` or None, and the potions `carried` afterwards."""

    combination: tuple[str, ...] | None
    carried: tuple[str, ...]


def collect(carried: Sequence[str], landed: Sequence[str]) -> Collected:
    """Add the potions that `landed`, from left to right, to those `carried`; at most one combination comes of it."""
    held = [*carried, *landed]
    if len(held) < COMBINATION:
        return Collected(None, tuple(sorted(held)))
    return Collected(tuple(sorted(held[:COMBINATION])), tuple(sorted(held[COMBINATION:])))


def won_by(combination: tuple[str, ...], unlocked: int) -> tuple[str, Fraction]:
    """Return what `combination` may trigger with `unlocked` features beyond the first, and how likely it does."""
    feature = FEATURE_OF.get(combination)
    if feature is None:
        return EXPLOSION, OTHER_CHANCE
    if FEATURES.index(feature) <= unlocked:
        return feature, Fraction(1)
    return EXPLOSION, LOCKED_CHANCES[feature]


def unlocked_by(feature: str, unlocked: int) -> int:
    """Return how many features are unlocked once potions have won `feature`, which is unlocked itself."""
    return max(unlocked, min(FEATURES.index(feature) + 1, len(FEATURES) - 1))


class PotionReels(Reels):
    """Paid reels once their potions have been collected; a stop is the one that was drawn.

    Raises ValueError for strips on which five consecutive stops hold two potions, for one would then fall into view.
    """

    def __init__(self, strips: Sequence[Sequence[str]], rows: int) -> None:
        super().__init__(strips, rows)
        self.potions = [[self._find(strip, stop) for stop in range(len(strip))] for strip in self.strips]
        self._columns = [
            [self._collected(strip, stop, found) for stop, found in enumerate(stops)]
            for strip, stops in zip(self.strips, self.potions, strict=True)
        ]

    def _find(self, strip: Strip, stop: int) -> tuple[int, str] | None:
        shown = [(row, strip[(stop + row) % len(strip)]) for row in range(-1, self.rows)]
        found = [(row, symbol) for row, symbol in shown if symbol in POTIONS]
        if len(found) > 1:
            raise ValueError(f"stop {stop}: five consecutive stops hold {len(found)} potions")
        return found[0] if found and found[0][0] >= 0 else None

    def _collected(self, strip: Strip, stop: int, found: tuple[int, str] | None) -> Strip:
        first = 0 if found is None else -1
        shown = [strip[(stop + row) % len(strip)] for row in range(first, self.rows)]
        if found is not None:
            shown.remove(found[1])
        return tuple(shown)

    def landed(self, stops: Sequence[int]) -> list[tuple[int, int, str]]:
        """Return reel, row and colour of each potion that `stops` show before it is collected, from left to right."""
        found = []
        for reel, stop in enumerate(stops):
            potion = self.potions[reel][stop]
            if potion is not None:
                found.append((reel, *potion))
        return found

    def column(self, reel: int, stop: int) -> Strip:
        """Return the symbols of `reel` at `stop`, from top to bottom, its potion collected."""
        return self._columns[reel][stop]
