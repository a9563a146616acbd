"""The common scene of games with lines, scatter and free spins; a game adds its own fields and steps."""

from typing import TypeVar

import msgspec

from gamekit import beats
from gamekit.play import Offer, Scene, Step


class SpinScene(Scene, frozen=True, kw_only=True):
    """The reels, their wins, and how far the free spins have come.

    `stops` are the positions of the reels. `line_wins` and `scatter_win` belong to those stops. `round_win` counts the
    coins of the whole round so far.

    `mode` is `base` or `free`: `free` from the moment free spins are won until they end. `free_spin_win` counts the
    coins won in them, features included; after they end the figures stay until the next round's reels land.
    """

    stops: tuple[int, ...]
    mode: str = "base"
    line_wins: tuple[beats.LineWin, ...] = ()
    scatter_win: beats.ScatterWin | None = None
    round_win: int = 0
    free_spins_left: int = 0
    free_spins_played: int = 0
    free_spins_total: int = 0
    free_spin_win: int = 0


Known = TypeVar("Known", bound=SpinScene)


def paid(scene: Known, coins: int) -> Known:
    """Return `scene` with `coins` more won."""
    free = coins if scene.free_spins_played and scene.mode == "free" else 0
    return msgspec.structs.replace(scene, round_win=scene.round_win + coins, free_spin_win=scene.free_spin_win + free)


def fold_spin(scene: Known, step: Step) -> Known:  # noqa: PLR0911  # one return for each step
    """Fold one of the steps that spinning games share into `scene`; an offer changes nothing.

    The paid spin's reels clear the scene. Raises TypeError for a step that is not among them.
    """
    replace = msgspec.structs.replace
    match step:
        case Offer():
            return scene
        case beats.ReelsLanded():
            return type(scene)(stops=step.stops) if scene.mode == "base" else replace(scene, stops=step.stops)
        case beats.LineWin():
            return replace(paid(scene, step.coins), line_wins=(*scene.line_wins, step))
        case beats.ScatterWin():
            return replace(paid(scene, step.coins), scatter_win=step)
        case beats.FreeSpinsWon():
            return replace(
                scene,
                mode="free",
                free_spins_left=scene.free_spins_left + step.spins,
                free_spins_total=scene.free_spins_total + step.spins,
            )
        case beats.FreeSpinBegins():
            return replace(
                scene,
                line_wins=(),
                scatter_win=None,
                free_spins_left=step.total - step.number,
                free_spins_played=step.number,
            )
        case beats.FreeSpinsEnded():
            return replace(scene, mode="base")
    raise TypeError(f"{type(step).__name__} is no step of {type(scene).__name__}")
