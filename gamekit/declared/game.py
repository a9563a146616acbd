"""The `GAME` of a declaration: its play, its steps and its scene."""

from collections.abc import Callable
from functools import reduce
from operator import or_
from types import UnionType
from typing import NamedTuple, TypedDict, Unpack

import msgspec

from gamekit import beats, hold_and_win
from gamekit.beats import Cell
from gamekit.declared.declaration import Declaration, LineWins
from gamekit.declared.play import DeclaredPlay, covered, expanded
from gamekit.identity import maths_hash
from gamekit.play import Beat, Game, Offer, Scene, Stake, Step, TotalBets
from gamekit.spin_scene import paid
from gamekit.ways_scene import WaysScene, fold_ways


class OpenedObject(msgspec.Struct, frozen=True):
    """An object that has been opened: its place among those shown (from 0) and what it paid in coins."""

    choice: int
    coins: int


class DeclaredScene(WaysScene, frozen=True, kw_only=True):
    """The state of a declared game's screen; fields of parts that the game lacks keep their defaults.

    `held_wilds` stay until the free spins end. Picks are shown while `objects_shown` is not 0: `pick_line` (from 1)
    started them, `objects` are open and `picks_left` may still be opened. Hold and win is shown while `holding`:
    `values` are the held cells and their values in bets, `respin` is the latest respin. The pays of both features,
    `picks_win` and `hold_win`, stay until the next reels land.
    """

    held_wilds: tuple[Cell, ...] = ()
    pick_line: int = 0
    objects_shown: int = 0
    objects: tuple[OpenedObject, ...] = ()
    picks_left: int = 0
    picks_win: int = 0
    holding: bool = False
    values: tuple[tuple[Cell, int], ...] = ()
    respins_left: int = 0
    respin: hold_and_win.CellsLanded | None = None
    hold_win: int = 0


class Bets(TypedDict, total=False):
    """How the game is bet, as `gamekit.play.Game` has it."""

    line_counts: tuple[int, ...]
    coins_per_line: tuple[int, ...]
    total_bets: TotalBets | None


class OwnScene(NamedTuple):
    """A game's scene while it is idle, and how steps fold into it."""

    idle: Scene
    advance: Callable[[Scene, Stake, Step], Scene]


class DeclaredFold:
    """The `advance` of a declared game whose scene is a `DeclaredScene`."""

    def __init__(self, declared: Declaration) -> None:
        self._declared = declared
        base, free = declared.cascades, declared.free_cascades
        self._first = (
            1 if base is None else base.multiplier(0),
            declared.free_spins.multiplier if free is None else free.multiplier(0),
        )

    def __call__(self, scene: Scene, _stake: Stake, step: Step) -> DeclaredScene:
        """Fold one step into `scene`; raise TypeError for another game's scene or step."""
        if not isinstance(scene, DeclaredScene):
            raise TypeError(f"a declared game is drawn from a DeclaredScene, not from a {type(scene).__name__}")
        replace = msgspec.structs.replace
        match step:
            case beats.ReelsLanded():
                return self._landed(scene, step)
            case beats.WildsExpanded():
                return replace(scene, window=expanded(scene.window, self._declared.wild))
            case beats.WildsHeld():
                return replace(scene, held_wilds=step.cells)
            case beats.FreeSpinsEnded():
                return replace(self._shared(scene, step), held_wilds=())
            case beats.PicksWon() | beats.PickOpened() | beats.PicksEnded():
                return _picked(scene, step)
        return _held(scene, step) or self._shared(scene, step)

    def _shared(self, scene: DeclaredScene, step: Step) -> DeclaredScene:
        declared = self._declared
        free = scene.mode == "free"
        return fold_ways(scene, step, declared.free_reels if free else declared.reels, self._first[free])

    def _landed(self, scene: DeclaredScene, step: beats.ReelsLanded) -> DeclaredScene:
        landed = self._shared(scene, step)
        return msgspec.structs.replace(
            landed,
            window=covered(landed.window, set(landed.held_wilds), self._declared.wild),
            picks_win=0,
            hold_win=0,
            values=(),
            respin=None,
        )


def _picked(scene: DeclaredScene, step: beats.PicksWon | beats.PickOpened | beats.PicksEnded) -> DeclaredScene:
    replace = msgspec.structs.replace
    match step:
        case beats.PicksWon():
            return replace(
                scene, pick_line=step.line, objects_shown=step.shown, objects=(), picks_left=step.count, picks_win=0
            )
        case beats.PickOpened():
            return replace(
                paid(scene, step.coins),
                objects=(*scene.objects, OpenedObject(step.choice, step.coins)),
                picks_left=scene.picks_left - 1,
                picks_win=scene.picks_win + step.coins,
            )
    return replace(scene, pick_line=0, objects_shown=0, objects=(), picks_left=0)


def _held(scene: DeclaredScene, step: Step) -> DeclaredScene | None:
    """Fold a step of hold and win; None for any other."""
    replace = msgspec.structs.replace
    match step:
        case hold_and_win.ValuesLanded():
            return replace(scene, holding=True, values=(*scene.values, *zip(step.cells, step.bets, strict=True)))
        case hold_and_win.RespinsWon():
            return replace(scene, respins_left=step.respins)
        case hold_and_win.CellsLanded():
            return replace(scene, respin=step, respins_left=step.left)
        case hold_and_win.RespinsEnded():
            return replace(scene, respins_left=0)
        case hold_and_win.HoldPaid():
            return replace(paid(scene, step.coins), holding=False, hold_win=step.coins)
    return None


def steps_of(declared: Declaration) -> type | UnionType:
    """Return the union of all steps that the play of `declared` yields."""
    parts: tuple[tuple[bool, tuple[type[Beat | Offer], ...]], ...] = (
        (isinstance(declared.wins, LineWins), (beats.LineWin,)),
        (not isinstance(declared.wins, LineWins), (beats.WaysWin,)),
        (declared.cascades is not None, (beats.CascadeFell,)),
        (declared.expanding, (beats.WildsExpanded,)),
        (declared.free_spins.sticky, (beats.WildsHeld,)),
        (bool(declared.scatter.pays), (beats.ScatterWin,)),
        (declared.picks is not None, (beats.PicksWon, beats.PickOpened, beats.PicksEnded, beats.Pick)),
        (
            declared.has_free_spins,
            (beats.FreeSpinsWon, beats.FreeSpinBegins, beats.FreeSpinsEnded),
        ),
        (
            declared.hold is not None,
            (
                hold_and_win.ValuesLanded,
                hold_and_win.RespinsWon,
                hold_and_win.CellsLanded,
                hold_and_win.RespinsEnded,
                hold_and_win.HoldPaid,
            ),
        ),
        (declared.has_free_spins or declared.hold is not None, (beats.Continue,)),
    )
    every: list[type | UnionType] = [beats.ReelsLanded, *(step for there, steps in parts if there for step in steps)]
    return reduce(or_, every)


def declared_game(
    declared: Declaration,
    name: str,
    title: str,
    *,
    idle: tuple[int, ...],
    own: OwnScene | None = None,
    **bets: Unpack[Bets],
) -> Game:
    """Return the `GAME` of `declared`; its screen first shows the stops `idle`.

    It can be bet with each number of lines and one coin on each, unless `bets` says otherwise. A game with its own
    scene passes it as `own`.
    """
    reels = declared.reels
    if own is None:
        fold = DeclaredFold(declared)
        own = OwnScene(DeclaredScene(stops=idle, window=reels.window(idle)), fold)
    if "line_counts" not in bets and isinstance(declared.wins, LineWins):
        bets["line_counts"] = tuple(range(1, len(declared.wins.lines) + 1))
    return Game(
        name=name,
        title=title,
        maths_version=declared.maths_version,
        maths_hash=maths_hash(**declared.maths_parts),
        reels=len(reels.strips),
        rows=reels.rows,
        line_counts=bets["line_counts"],
        coins_per_line=bets.get("coins_per_line", (1,)),
        total_bets=bets.get("total_bets"),
        play=DeclaredPlay(declared),
        step_type=steps_of(declared),
        scene_type=type(own.idle),
        memory_type=None,
        idle=own.idle,
        advance=own.advance,
    )
