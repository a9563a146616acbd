"""The common scene of games with ways and cascades; a game adds its own fields and steps."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar, get_args

import msgspec

from gamekit import beats
from gamekit.play import Game, Offer, Scene, Stake, Step
from gamekit.reels import Reels
from gamekit.spin_scene import SpinScene, fold_spin, paid


class WaysScene(SpinScene, frozen=True, kw_only=True):
    """The reels, what they show, and their wins.

    `window` is what the player sees, columns from left to right, and `ways_wins` belong to it; `cascade` counts the
    falls of this spin, and `multiplier` is what the wins of the present window pay. `spin_win` counts the spin's coins.
    """

    window: tuple[tuple[str, ...], ...] = ()
    ways_wins: tuple[beats.WaysWin, ...] = ()
    cascade: int = 0
    multiplier: int = 1
    spin_win: int = 0


Known = TypeVar("Known", bound=WaysScene)


def fold_ways(scene: Known, step: Step, reels: Reels, multiplier: int = 1) -> Known:
    """Fold one of the steps that games of ways share into `scene`; an offer changes nothing.

    `reels` are those that spin, and the first window's wins pay `multiplier` times. Raises TypeError for a step that
    is not among them.
    """
    replace = msgspec.structs.replace
    match step:
        case beats.ReelsLanded():
            landed = fold_spin(scene, step)
            window = reels.window(step.stops)
            return replace(landed, window=window, ways_wins=(), cascade=0, multiplier=multiplier, spin_win=0)
        case beats.WaysWin():
            return replace(_won(scene, step.coins), ways_wins=(*scene.ways_wins, step))
        case beats.CascadeFell():
            return replace(scene, window=step.window, ways_wins=(), cascade=step.number, multiplier=step.multiplier)
        case beats.ScatterWin():
            return fold_spin(replace(scene, spin_win=scene.spin_win + step.coins), step)
        case beats.FreeSpinBegins():
            return replace(fold_spin(scene, step), ways_wins=())
    return fold_spin(scene, step)


def _won(scene: Known, coins: int) -> Known:
    return msgspec.structs.replace(paid(scene, coins), spin_win=scene.spin_win + coins)


def ways_of(game: Game) -> int:
    """Return how many ways a game of ways has; 0 for a game of lines."""
    return int(game.rows**game.reels) if beats.WaysWin in get_args(game.step_type) else 0


class Seen(NamedTuple):
    """The part of a segment shown until symbols fall again: its steps, the scene after them, the cents they pay."""

    steps: tuple[Step, ...]
    scene: Scene
    cents: int


def windows_of(game: Game, scene: Scene, stake: Stake, steps: Sequence[Step]) -> Iterator[Seen]:
    """Split the steps of a segment where symbols fall, so that each window of a cascade is shown with its wins.

    A segment without falls is shown as a whole.
    """
    seen: list[Step] = []
    cents = 0
    for step in steps:
        if isinstance(step, beats.CascadeFell) and seen:
            yield Seen(tuple(seen), scene, cents)
            seen, cents = [], 0
        seen.append(step)
        scene = game.advance(scene, stake, step)
        cents += 0 if isinstance(step, Offer) else step.coins * stake.coin_value_cents + step.cents
    yield Seen(tuple(seen), scene, cents)
