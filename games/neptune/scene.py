"""What Neptune's screen shows between two steps."""

import msgspec

from gamekit import beats
from gamekit.play import Scene, Stake, Step
from gamekit.spin_scene import SpinScene, fold_spin, paid


class Chest(msgspec.Struct, frozen=True):
    """A chest that has been opened: its place among those shown (from 0) and what it paid in coins."""

    choice: int
    coins: int


class NeptuneScene(SpinScene, frozen=True, kw_only=True):
    """The reels, their wins, and how far the features have come.

    The treasure is on the screen while `chests_shown` is not 0: so many chests, of which those in `chests` are
    open and `picks_left` may still be opened. `treasure_win` is what the chests paid together, and stays after it has
    ended.
    """

    chests_shown: int = 0
    chests: tuple[Chest, ...] = ()
    picks_left: int = 0
    treasure_win: int = 0


def advance(scene: Scene, _stake: Stake, step: Step) -> NeptuneScene:
    """Fold one step into `scene`; an offer changes nothing. Raises TypeError for a scene or step not Neptune's."""
    if not isinstance(scene, NeptuneScene):
        raise TypeError(f"Neptune is drawn from a NeptuneScene, not from a {type(scene).__name__}")
    replace = msgspec.structs.replace
    match step:
        case beats.PicksWon():
            return replace(
                scene,
                chests_shown=step.shown,
                chests=(),
                picks_left=step.count,
                treasure_win=0,
            )
        case beats.PickOpened():
            return replace(
                paid(scene, step.coins),
                chests=(*scene.chests, Chest(step.choice, step.coins)),
                picks_left=scene.picks_left - 1,
                treasure_win=scene.treasure_win + step.coins,
            )
        case beats.PicksEnded():
            return replace(scene, chests_shown=0, chests=(), picks_left=0)
        case beats.FreeSpinBegins():
            return replace(fold_spin(scene, step), treasure_win=0)
    return fold_spin(scene, step)
