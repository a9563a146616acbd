"""What Mystery Elves' screen shows between two steps."""

import msgspec

from gamekit import hold_and_win
from gamekit.double_up import CardTable, CardTurned, DoubleUp, DoubleUpEnded, Halved, table_after
from gamekit.play import Scene, Stake, Step
from gamekit.spin_scene import SpinScene, fold_spin, paid
from games.mystery_elves.bonuses import (
    Bonus,
    BonusesLanded,
    BonusTurned,
    HoldAndWinPaid,
    MultiplyingOpened,
    MysteryOpened,
)

HOLD = "hold"
"""The mode from the start of Hold and Win until it has paid."""


class MysteryElvesScene(SpinScene, frozen=True, kw_only=True):
    """The reels and their wins; `mode` is `base`, or `hold` while Hold and Win is played.

    `bonuses` are in the window, with what they carry, in the order in which they landed. `respins_left` counts
    those still to come; `respin` is the newest, for what the empty cells show. At the end `mysteries` have opened,
    `multiplying` has, and `turned` are the values that both kinds became; `hold_and_win` is what all of it paid. All
    this stays until the next reels land. `double_up` is the card table, once there is one.
    """

    bonuses: tuple[Bonus, ...] = ()
    respins_left: int = 0
    respin: hold_and_win.CellsLanded | None = None
    mysteries: tuple[MysteryOpened, ...] = ()
    multiplying: MultiplyingOpened | None = None
    turned: tuple[BonusTurned, ...] = ()
    hold_and_win: HoldAndWinPaid | None = None
    double_up: CardTable | None = None


def advance(scene: Scene, _stake: Stake, step: Step) -> MysteryElvesScene:  # noqa: PLR0911  # one return for each step
    """Fold one step into `scene`. Raises TypeError for a scene or step not Mystery Elves'."""
    if not isinstance(scene, MysteryElvesScene):
        raise TypeError(f"Mystery Elves is drawn from a MysteryElvesScene, not from a {type(scene).__name__}")
    replace = msgspec.structs.replace
    match step:
        case DoubleUp() | CardTurned() | Halved() | DoubleUpEnded():
            return replace(scene, double_up=table_after(scene.double_up, step))
        case BonusesLanded():
            return replace(scene, bonuses=scene.bonuses + step.bonuses)
        case hold_and_win.RespinsWon():
            return replace(scene, mode=HOLD, respins_left=step.respins)
        case hold_and_win.CellsLanded():
            return replace(scene, respin=step, respins_left=step.left)
        case hold_and_win.RespinsEnded():
            return replace(scene, respins_left=0)
        case MysteryOpened() | MultiplyingOpened() | BonusTurned() | HoldAndWinPaid():
            return _settle(scene, step)
    return fold_spin(scene, step)


def _settle(
    scene: MysteryElvesScene, step: MysteryOpened | MultiplyingOpened | BonusTurned | HoldAndWinPaid
) -> MysteryElvesScene:
    replace = msgspec.structs.replace
    match step:
        case MysteryOpened():
            return replace(scene, mysteries=(*scene.mysteries, step))
        case MultiplyingOpened():
            return replace(scene, multiplying=step)
        case BonusTurned():
            return replace(scene, turned=(*scene.turned, step))
        case HoldAndWinPaid():
            return replace(paid(scene, step.coins), mode="base", hold_and_win=step)
