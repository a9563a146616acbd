"""The steps that only Witch Feature yields: potions, unlocks and respins."""

from typing import ClassVar

from gamekit.beats import Cell
from gamekit.play import Beat


class PotionsKept(Beat, frozen=True, kw_only=True, gc=False):
    """What the bet remembers, at the start and at the end of a paid round: potions carried, features unlocked."""

    carried: tuple[str, ...]
    unlocked: int


class PotionCollected(Beat, frozen=True, kw_only=True, gc=False):
    """A potion leaves `cell`; the symbols above it fall and a new one enters on top of its reel."""

    cell: Cell
    potion: str


class CombinationMade(Beat, frozen=True, kw_only=True, gc=False):
    """Three potions are complete: they trigger `feature`, or nothing where that is empty. They are used up."""

    potions: tuple[str, ...]
    feature: str = ""


class FeatureUnlocked(Beat, frozen=True, kw_only=True, gc=False):
    """Winning the feature before it has unlocked `feature`."""

    feature: str


class FeatureBegins(Beat, frozen=True, kw_only=True, gc=False):
    """`features` start (two where Multiplier joins another in a free spin); their wins are paid `multiplier` times."""

    wins_feature: ClassVar[bool] = True
    features: tuple[str, ...]
    multiplier: int = 1


class Respun(Beat, frozen=True, kw_only=True, gc=False):
    """A respin has stopped at `stops` of the feature's strips, with `symbol` in the `marks` whatever the reels show.

    In the Explosion the marks land as question marks and then turn into `symbol`.
    """

    stops: tuple[int, ...]
    marks: tuple[Cell, ...] = ()
    symbol: str = ""


class FeatureEnded(Beat, frozen=True, kw_only=True, gc=False):
    """The feature is over; its line wins paid `total` coins together."""

    features: tuple[str, ...]
    total: int
