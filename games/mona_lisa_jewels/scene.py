"""What stands on Mona Lisa Jewels' screen between two steps."""

from functools import singledispatch

import msgspec

from games import beats
from games.mona_lisa_jewels.steps import (
    FiveJackpots,
    Held,
    JewelsHeld,
    JewelSpinBegins,
    JewelSpinsEnded,
    JewelSpinsWon,
)
from games.play import Claim, Scene, Stake, Step


class MonaLisaScene(Scene, frozen=True, kw_only=True):
    """The reels, their wins, and how far the features have come.

    `stops` is what the reels show; `held` symbols stand over them. `line_wins`, `scatter_win` and `jackpot_line` (from
    1, 0 for none) belong to those stops. `round_win` counts the coins of the whole round so far, `jackpot_win` those that
    five jackpot symbols brought in this spin; `claiming` while the pool has not answered.

    `jewels_left` of `jewels_total` jewel spins are still to be played while `jewels_total` is not 0: reel 1 is then
    locked. `jewel_win` is what they paid and stays until the next spin begins.

    `mode` is `base` or `free`: `free` from the moment normal free spins are won until they end. `free_spin_win` counts
    the coins won in them; after they end the figures stay until the next round's reels land.
    """

    stops: tuple[int, ...]
    mode: str = "base"
    held: tuple[Held, ...] = ()
    line_wins: tuple[beats.LineWin, ...] = ()
    scatter_win: beats.ScatterWin | None = None
    jackpot_line: int = 0
    jackpot_win: int = 0
    claiming: bool = False
    round_win: int = 0
    jewels_left: int = 0
    jewels_total: int = 0
    jewel_win: int = 0
    free_spins_left: int = 0
    free_spins_played: int = 0
    free_spins_total: int = 0
    free_spin_win: int = 0


@singledispatch
def _fold(step: Step, _scene: MonaLisaScene) -> MonaLisaScene:
    raise TypeError(f"{type(step).__name__} is no step of Mona Lisa Jewels")


@_fold.register
def _offered(_step: beats.Continue, scene: MonaLisaScene) -> MonaLisaScene:
    return scene


@_fold.register
def _claimed(_step: Claim, scene: MonaLisaScene) -> MonaLisaScene:
    return msgspec.structs.replace(scene, claiming=True)


@_fold.register
def _landed(step: beats.ReelsLanded, scene: MonaLisaScene) -> MonaLisaScene:
    if scene.mode == "base" and not scene.jewels_total:
        return MonaLisaScene(stops=step.stops)
    return msgspec.structs.replace(scene, stops=step.stops)


@_fold.register
def _line(step: beats.LineWin, scene: MonaLisaScene) -> MonaLisaScene:
    return msgspec.structs.replace(_paid(scene, step.coins), line_wins=(*scene.line_wins, step))


@_fold.register
def _scatter(step: beats.ScatterWin, scene: MonaLisaScene) -> MonaLisaScene:
    return msgspec.structs.replace(_paid(scene, step.coins), scatter_win=step)


@_fold.register
def _jackpots(step: FiveJackpots, scene: MonaLisaScene) -> MonaLisaScene:
    return msgspec.structs.replace(_paid(scene, step.coins), jackpot_line=step.line, jackpot_win=step.coins)


@_fold.register
def _pool(step: beats.JackpotWon, scene: MonaLisaScene) -> MonaLisaScene:
    return msgspec.structs.replace(_paid(scene, step.coins), jackpot_win=step.coins, claiming=False)


@_fold.register
def _jewels_won(step: JewelSpinsWon, scene: MonaLisaScene) -> MonaLisaScene:
    return msgspec.structs.replace(scene, held=step.held, jewels_left=step.spins, jewels_total=step.spins, jewel_win=0)


@_fold.register
def _jewel_begins(step: JewelSpinBegins, scene: MonaLisaScene) -> MonaLisaScene:
    return msgspec.structs.replace(_cleared(scene), jewels_left=step.total - step.number)


@_fold.register
def _held(step: JewelsHeld, scene: MonaLisaScene) -> MonaLisaScene:
    return msgspec.structs.replace(scene, held=(*scene.held, *step.held))


@_fold.register
def _jewels_ended(_step: JewelSpinsEnded, scene: MonaLisaScene) -> MonaLisaScene:
    # What is held stays to be seen: the wins of the last jewel spin run over it.
    return msgspec.structs.replace(scene, jewels_left=0, jewels_total=0)


@_fold.register
def _won(step: beats.FreeSpinsWon, scene: MonaLisaScene) -> MonaLisaScene:
    return msgspec.structs.replace(
        scene,
        mode="free",
        free_spins_left=scene.free_spins_left + step.spins,
        free_spins_total=scene.free_spins_total + step.spins,
    )


@_fold.register
def _begins(step: beats.FreeSpinBegins, scene: MonaLisaScene) -> MonaLisaScene:
    return msgspec.structs.replace(
        _cleared(scene),
        held=(),
        jewel_win=0,
        free_spins_left=step.total - step.number,
        free_spins_played=step.number,
    )


@_fold.register
def _ended(_step: beats.FreeSpinsEnded, scene: MonaLisaScene) -> MonaLisaScene:
    return msgspec.structs.replace(scene, mode="base")


def _cleared(scene: MonaLisaScene) -> MonaLisaScene:
    return msgspec.structs.replace(scene, line_wins=(), scatter_win=None, jackpot_line=0, jackpot_win=0)


def _paid(scene: MonaLisaScene, coins: int) -> MonaLisaScene:
    return msgspec.structs.replace(
        scene,
        round_win=scene.round_win + coins,
        jewel_win=scene.jewel_win + (coins if scene.jewels_total else 0),
        free_spin_win=scene.free_spin_win + (coins if scene.free_spins_played and scene.mode == "free" else 0),
    )


def advance(scene: Scene, _stake: Stake, step: Step) -> MonaLisaScene:
    """Fold one step into `scene`. Raises TypeError for a scene or step that is not this game's."""
    if not isinstance(scene, MonaLisaScene):
        raise TypeError(f"Mona Lisa Jewels is drawn from a MonaLisaScene, not from a {type(scene).__name__}")
    return _fold(step, scene)
