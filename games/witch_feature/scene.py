"""What Witch Feature's screen shows between two steps."""

import msgspec

from gamekit import beats
from gamekit.beats import Cell
from gamekit.play import Memory, Scene, Stake, Step
from gamekit.reels import Strip
from gamekit.spin_scene import SpinScene, fold_spin
from games.witch_feature.features import feature_reels, marked
from games.witch_feature.play import PAID_REELS
from games.witch_feature.potions import WitchMemory
from games.witch_feature.steps import (
    CombinationMade,
    FeatureBegins,
    FeatureEnded,
    FeatureUnlocked,
    PotionCollected,
    PotionsKept,
    Respun,
)
from games.witch_feature.strips import FREE_REELS, PAID_WINDOWS


class WitchScene(SpinScene, frozen=True, kw_only=True):
    """The reels, their wins, the potions and cards of this bet, and how far a feature has come.

    `window` is what the player sees, columns from left to right: potions are in it until they are collected, and the
    `marks` of a respin already are their `mark_symbol` (the Explosion's land as question marks before). `carried` and
    `unlocked` are the bet's potions and the number of cards unlocked after the first; `landed` are the places of the
    potions that this paid spin has collected, `combination` the three that it completed. `features` run now, or are
    empty; they pay `multiplier` times, `feature_win` so far, which stays after they have ended.
    """

    window: tuple[Strip, ...]
    carried: tuple[str, ...] = ()
    unlocked: int = 0
    landed: tuple[Cell, ...] = ()
    combination: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    multiplier: int = 1
    marks: tuple[Cell, ...] = ()
    mark_symbol: str = ""
    feature_win: int = 0


def at_rest(stops: tuple[int, ...]) -> WitchScene:
    """Return the scene of paid reels at rest at `stops` with nothing won."""
    return WitchScene(stops=stops, window=PAID_WINDOWS.window(stops))


def seated(scene: Scene, memory: Memory) -> WitchScene:
    """Return `scene` with the potions and cards of a bet's memory, which the player sees before staking.

    Potions that the last spin collected and completed disappear if that spin was at another bet. Raises TypeError for
    another game's scene or memory.
    """
    kept = WitchMemory() if memory is None else memory
    if not (isinstance(scene, WitchScene) and isinstance(kept, WitchMemory)):
        raise TypeError(f"Witch Feature seats a WitchMemory in a WitchScene, not {type(kept)} in {type(scene)}")
    if (scene.carried, scene.unlocked) == (kept.carried, kept.unlocked):
        return scene
    return msgspec.structs.replace(scene, carried=kept.carried, unlocked=kept.unlocked, landed=(), combination=())


def _landed(scene: WitchScene, stops: tuple[int, ...]) -> WitchScene:
    if scene.mode == "base":
        return msgspec.structs.replace(at_rest(stops), carried=scene.carried, unlocked=scene.unlocked)
    return msgspec.structs.replace(
        scene, stops=stops, window=FREE_REELS.window(stops), marks=(), mark_symbol="", feature_win=0
    )


def _collected(scene: WitchScene, step: PotionCollected) -> WitchScene:
    window = list(scene.window)
    reel = step.cell[0]
    window[reel] = PAID_REELS.column(reel, scene.stops[reel])
    # A potion beyond the third already starts the next combination; `PotionsKept` then says what is carried.
    return msgspec.structs.replace(
        scene,
        window=tuple(window),
        landed=(*scene.landed, step.cell),
        carried=(*scene.carried, step.potion),
    )


def _respun(scene: WitchScene, step: Respun) -> WitchScene:
    return msgspec.structs.replace(
        scene,
        stops=step.stops,
        window=marked(feature_reels(scene.features), step),
        marks=step.marks,
        mark_symbol=step.symbol,
        line_wins=(),
    )


def _feature_step(scene: WitchScene, step: Step) -> WitchScene:
    """Fold a feature's step, or one that all spinning games share."""
    replace = msgspec.structs.replace
    match step:
        case FeatureBegins():
            return replace(scene, features=step.features, multiplier=step.multiplier, feature_win=0)
        case Respun():
            return _respun(scene, step)
        case FeatureEnded():
            return replace(scene, features=(), multiplier=1)
        case beats.LineWin() if scene.features:
            return fold_spin(replace(scene, feature_win=scene.feature_win + step.coins), step)
    return fold_spin(scene, step)


def advance(scene: Scene, _stake: Stake, step: Step) -> WitchScene:
    """Fold one step into `scene`; an offer changes nothing. Raises TypeError for another game's scene or step."""
    if not isinstance(scene, WitchScene):
        raise TypeError(f"Witch Feature is drawn from a WitchScene, not from a {type(scene).__name__}")
    replace = msgspec.structs.replace
    match step:
        case PotionsKept():
            return replace(scene, carried=step.carried, unlocked=step.unlocked)
        case beats.ReelsLanded():
            return _landed(scene, step.stops)
        case PotionCollected():
            return _collected(scene, step)
        case CombinationMade():
            return replace(scene, combination=step.potions)
        case FeatureUnlocked():
            return replace(scene, unlocked=scene.unlocked + 1)
    return _feature_step(scene, step)
