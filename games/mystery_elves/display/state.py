"""The state of each bonus symbol, and what all of them are worth so far, read from the scene alone."""

from typing import NamedTuple

from gamekit.beats import Cell
from gamekit.play import Scene
from games.mystery_elves import MysteryElvesScene
from games.mystery_elves.pays import MULTIPLYING, MYSTERY
from games.mystery_elves.scene import HOLD


class Orb(NamedTuple):
    """A bonus symbol in `cell`: `kind` is its picture (`orb_<kind>`), `bets` its worth in whole bets so far."""

    cell: Cell
    kind: str
    bets: int = 0


def scene_of(scene: Scene | None) -> MysteryElvesScene:
    """Return `scene` as Mystery Elves' own; raises TypeError for another game's."""
    if not isinstance(scene, MysteryElvesScene):
        raise TypeError(f"Mystery Elves is drawn from a MysteryElvesScene, not from a {type(scene).__name__}")
    return scene


def holding(scene: Scene | None) -> bool:
    """Whether Hold and Win is being played."""
    return isinstance(scene, MysteryElvesScene) and scene.mode == HOLD


def orbs(scene: MysteryElvesScene) -> tuple[Orb, ...]:
    """Return the bonus symbols in the window with their values now, in the order in which they landed."""
    opened = {mystery.cell: mystery for mystery in scene.mysteries}
    turned = {turn.cell: turn.bets for turn in scene.turned}
    times = scene.multiplying.multiplier if scene.multiplying else 1
    placed = []
    for bonus in scene.bonuses:
        cell, mystery = bonus.cell, opened.get(bonus.cell)
        if cell in turned:
            orb = Orb(cell, "turned", turned[cell])
        elif mystery is not None:
            orb = Orb(cell, mystery.award, mystery.bets * times)
        elif bonus.carries == MYSTERY:
            orb = Orb(cell, "mystery")
        elif bonus.carries == MULTIPLYING:
            orb = Orb(cell, f"times_{times}" if scene.multiplying else "multiplying")
        else:
            orb = Orb(cell, "value", bonus.carries * times)
        placed.append(orb)
    return tuple(placed)


def total_bets(scene: MysteryElvesScene) -> int:
    """Return what the settlement has counted so far, in whole bets; once it is paid, all of it."""
    if scene.hold_and_win is not None:
        return scene.hold_and_win.bets
    times = scene.multiplying.multiplier if scene.multiplying else 1
    values = sum(bonus.carries for bonus in scene.bonuses if bonus.carries > 0)
    awards = sum(mystery.bets for mystery in scene.mysteries)
    return (values + awards) * times + sum(turn.bets for turn in scene.turned)
