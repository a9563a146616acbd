"""What Mona Lisa Jewels' screen shows between two steps."""

import msgspec

from gamekit import beats
from gamekit.play import Claim, Scene, Stake, Step
from gamekit.spin_scene import SpinScene, fold_spin, paid
from games.mona_lisa_jewels.steps import (
    FiveJackpots,
    Held,
    JewelsHeld,
    JewelSpinBegins,
    JewelSpinsEnded,
    JewelSpinsWon,
)


class MonaLisaScene(SpinScene, frozen=True, kw_only=True):
    """The reels, their wins, and how far the features have come.

    `held` symbols cover what `stops` show. `jewels_left` of `jewels_total` jewel spins are still to be played
    while `jewels_total` is not 0: reel 1 is then locked. `jewel_win` is what they paid; it and what is held stay until
    the next spin begins.

    `jackpot_line` (from 1, 0 for none) shows five jackpot symbols, `jackpot_win` is what they brought in; `claiming`
    while the pool has not answered.
    """

    held: tuple[Held, ...] = ()
    jewels_left: int = 0
    jewels_total: int = 0
    jewel_win: int = 0
    jackpot_line: int = 0
    jackpot_win: int = 0
    claiming: bool = False


def advance(scene: Scene, _stake: Stake, step: Step) -> MonaLisaScene:
    """Fold one step into `scene`. Raises TypeError for a scene or step that is not this game's."""
    if not isinstance(scene, MonaLisaScene):
        raise TypeError(f"Mona Lisa Jewels is drawn from a MonaLisaScene, not from a {type(scene).__name__}")
    replace = msgspec.structs.replace
    match step:
        case FiveJackpots():
            return replace(paid(scene, step.coins), jackpot_line=step.line, jackpot_win=step.coins)
        case Claim():
            return replace(scene, claiming=True)
        case beats.JackpotWon():
            return replace(paid(scene, step.coins), jackpot_win=step.coins, claiming=False)
        case beats.FreeSpinBegins():
            cleared = replace(scene, held=(), jewel_win=0, jackpot_line=0, jackpot_win=0)
            return fold_spin(cleared, step)
    if isinstance(step, JewelSpinsWon | JewelSpinBegins | JewelsHeld | JewelSpinsEnded) or scene.jewels_total:
        return _fold_jewels(scene, step)
    return fold_spin(scene, step)


def _fold_jewels(scene: MonaLisaScene, step: Step) -> MonaLisaScene:
    """Fold a step of the jewel spins."""
    replace = msgspec.structs.replace
    match step:
        case JewelSpinsWon():
            return replace(scene, held=step.held, jewels_left=step.spins, jewels_total=step.spins, jewel_win=0)
        case JewelSpinBegins():
            left = step.total - step.number
            return replace(scene, line_wins=(), scatter_win=None, jackpot_line=0, jackpot_win=0, jewels_left=left)
        case beats.ReelsLanded():
            # A paid spin's reels would clear the scene, but these belong to the spin that was paid for.
            return replace(scene, stops=step.stops)
        case beats.LineWin() | beats.ScatterWin():
            return replace(fold_spin(scene, step), jewel_win=scene.jewel_win + step.coins)
        case JewelsHeld():
            return replace(scene, held=(*scene.held, *step.held))
        case JewelSpinsEnded():
            scene = replace(scene, jewels_left=0, jewels_total=0)
        case _:
            scene = fold_spin(scene, step)
    return scene
