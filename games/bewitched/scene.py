"""What Bewitched's screen shows between two steps."""

import msgspec

from gamekit import beats
from gamekit.double_up import CardTable, CardTurned, DoubleUp, DoubleUpEnded, Halved, table_after
from gamekit.play import Scene, Stake, Step
from gamekit.spin_scene import SpinScene, fold_spin, paid
from games.bewitched.steps import Battle, MerlinCame, PotionBrewed, VialTaken


class BewitchedScene(SpinScene, frozen=True, kw_only=True):
    """The reels, their wins, and how far the features have come.

    `battle` is the one that these stops started. Merlin's vials are on the screen while `vials_shown` is not 0: so
    many, of which those in `vials` have been taken and `vials_left` are still to be. `potion` is what they became, and
    `jackpot` what the pool paid, until the next reels land. `double_up` is the card table, once there is one.
    """

    battle: Battle | None = None
    vials_shown: int = 0
    vials: tuple[int, ...] = ()
    vials_left: int = 0
    potion: PotionBrewed | None = None
    jackpot: int = 0
    double_up: CardTable | None = None


def advance(scene: Scene, _stake: Stake, step: Step) -> BewitchedScene:
    """Fold one step into `scene`. Raises TypeError for a scene or step not Bewitched's."""
    if not isinstance(scene, BewitchedScene):
        raise TypeError(f"Bewitched is drawn from a BewitchedScene, not from a {type(scene).__name__}")
    match step:
        case DoubleUp() | CardTurned() | Halved() | DoubleUpEnded():
            return msgspec.structs.replace(scene, double_up=table_after(scene.double_up, step))
        case beats.FreeSpinBegins():
            cleared = msgspec.structs.replace(scene, battle=None, potion=None, jackpot=0)
            return fold_spin(cleared, step)
        case Battle():
            return msgspec.structs.replace(scene, battle=step)
        case MerlinCame() | VialTaken() | PotionBrewed() | beats.JackpotWon():
            return _fold_merlin(scene, step)
    return fold_spin(scene, step)


def _fold_merlin(
    scene: BewitchedScene, step: MerlinCame | VialTaken | PotionBrewed | beats.JackpotWon
) -> BewitchedScene:
    replace = msgspec.structs.replace
    match step:
        case MerlinCame():
            return replace(scene, vials_shown=step.shown, vials=(), vials_left=step.vials)
        case VialTaken():
            return replace(scene, vials=(*scene.vials, step.choice), vials_left=scene.vials_left - 1)
        case PotionBrewed():
            return replace(paid(scene, step.coins), vials_shown=0, vials=(), vials_left=0, potion=step)
        case beats.JackpotWon():
            return replace(paid(scene, step.coins), jackpot=step.coins)
