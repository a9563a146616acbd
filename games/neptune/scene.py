"""What stands on Neptune's screen between two steps."""

from functools import singledispatch

import msgspec

from games import beats
from games.play import Scene, Stake, Step


class Chest(msgspec.Struct, frozen=True):
    """A chest that has been opened: its place among those shown (from 0) and what it paid in coins."""

    choice: int
    coins: int


class NeptuneScene(Scene, frozen=True, kw_only=True):
    """The reels, their wins, and how far the features have come.

    `stops` is what stands on the reels. `line_wins` and `scatter_win` belong to those stops. `round_win` counts the
    coins of the whole round so far.

    `mode` is `base` or `free`: `free` from the moment free spins are won until they end. `free_spin_win` counts the
    coins won in them, treasure included; after they end the figures stay until the next round's reels land.

    The treasure stands on the screen while `chests_shown` is not 0: so many chests, of which those in `chests` are
    open and `picks_left` may still be opened. `treasure_line` (from 1) started it; `treasure_win` is what the chests
    paid together, and stays after it has ended.
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
    treasure_line: int = 0
    chests_shown: int = 0
    chests: tuple[Chest, ...] = ()
    picks_left: int = 0
    treasure_win: int = 0


@singledispatch
def _fold(step: Step, _scene: NeptuneScene) -> NeptuneScene:
    raise TypeError(f"{type(step).__name__} is no step of Neptune")


@_fold.register
def _offered(_step: beats.Continue | beats.Pick, scene: NeptuneScene) -> NeptuneScene:
    return scene


@_fold.register
def _landed(step: beats.ReelsLanded, scene: NeptuneScene) -> NeptuneScene:
    if scene.mode == "base":
        return NeptuneScene(stops=step.stops)
    return msgspec.structs.replace(scene, stops=step.stops)


@_fold.register
def _line(step: beats.LineWin, scene: NeptuneScene) -> NeptuneScene:
    return msgspec.structs.replace(_paid(scene, step.coins), line_wins=(*scene.line_wins, step))


@_fold.register
def _scatter(step: beats.ScatterWin, scene: NeptuneScene) -> NeptuneScene:
    return msgspec.structs.replace(_paid(scene, step.coins), scatter_win=step)


@_fold.register
def _treasure(step: beats.PicksWon, scene: NeptuneScene) -> NeptuneScene:
    return msgspec.structs.replace(
        scene,
        treasure_line=step.line,
        chests_shown=step.shown,
        chests=(),
        picks_left=step.count,
        treasure_win=0,
    )


@_fold.register
def _opened(step: beats.PickOpened, scene: NeptuneScene) -> NeptuneScene:
    return msgspec.structs.replace(
        _paid(scene, step.coins),
        chests=(*scene.chests, Chest(step.choice, step.coins)),
        picks_left=scene.picks_left - 1,
        treasure_win=scene.treasure_win + step.coins,
    )


@_fold.register
def _picked(_step: beats.PicksEnded, scene: NeptuneScene) -> NeptuneScene:
    return msgspec.structs.replace(scene, treasure_line=0, chests_shown=0, chests=(), picks_left=0)


@_fold.register
def _won(step: beats.FreeSpinsWon, scene: NeptuneScene) -> NeptuneScene:
    return msgspec.structs.replace(
        scene,
        mode="free",
        free_spins_left=scene.free_spins_left + step.spins,
        free_spins_total=scene.free_spins_total + step.spins,
    )


@_fold.register
def _begins(step: beats.FreeSpinBegins, scene: NeptuneScene) -> NeptuneScene:
    return msgspec.structs.replace(
        scene,
        line_wins=(),
        scatter_win=None,
        treasure_win=0,
        free_spins_left=step.total - step.number,
        free_spins_played=step.number,
    )


@_fold.register
def _ended(_step: beats.FreeSpinsEnded, scene: NeptuneScene) -> NeptuneScene:
    return msgspec.structs.replace(scene, mode="base")


def _paid(scene: NeptuneScene, coins: int) -> NeptuneScene:
    free = coins if scene.mode == "free" else 0
    return msgspec.structs.replace(scene, round_win=scene.round_win + coins, free_spin_win=scene.free_spin_win + free)


def advance(scene: Scene, _stake: Stake, step: Step) -> NeptuneScene:
    """Fold one step into `scene`; an offer changes nothing. Raises TypeError for a scene or step not Neptune's."""
    if not isinstance(scene, NeptuneScene):
        raise TypeError(f"Neptune is drawn from a NeptuneScene, not from a {type(scene).__name__}")
    return _fold(step, scene)
