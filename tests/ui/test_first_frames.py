"""The first spin and the first win of a game decode and wait for nothing: what they need is made before."""

import threading
from itertools import count

import pytest

from gamekit.beats import LineWin, ReelsLanded, WaysWin
from gamekit.play import Step
from tests.ui.rehearsal import BAKED, GAMES, Rehearsal, game_view
from ui.draw_context import DrawContext
from ui.frame_budget import FrameBudget
from ui.theme import load


class _Counting(FrameBudget):
    """A budget that counts what frames have waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.waited = 0

    def wait(self, thread: threading.Thread) -> None:
        self.waited += thread.is_alive()
        super().wait(thread)


def opened(game: str) -> tuple[Rehearsal, _Counting]:
    """Return a display that has just opened `game`: its picture is whole, and it has had a moment to get ready."""
    budget = _Counting()
    rehearsal = Rehearsal(context=DrawContext(BAKED, 1, budget=budget))
    rehearsal.view(game_view(game))
    manager = rehearsal.scene_manager
    for _ in count():
        manager.draw(rehearsal.now)
        if manager.frame_complete:
            break
    for world in (rehearsal.context.shared, rehearsal.context.world(load(game))):
        world.preload()
    while manager.prepare():
        pass
    return rehearsal, budget


def made(rehearsal: Rehearsal, game: str) -> dict[str, set[str]]:
    """Return the atlases that have been decoded, of all worlds, and the cells of `game` that have been painted."""
    context = rehearsal.context
    cells = context.cells(load(game))._sets.values()
    return {
        "atlases": {f"{world.name}/{atlas}" for world in context.worlds() for atlas in world._atlases},
        "cells": {name for each in cells for name in each._made},
        "dimmed cells": {name for each in cells for name in each._dimmed},
    }


@pytest.mark.parametrize("game", GAMES)
def test_the_first_spin_and_win_decode_and_wait_for_nothing(game: str) -> None:
    """From the press to the second win of the loop."""
    rehearsal, budget = opened(game)
    before, waited = made(rehearsal, game), budget.waited
    theme = load(game)
    symbol = list(theme.symbols)[-1]
    steps: list[Step] = [ReelsLanded((2, 2, 2, 2, 2))]
    if theme.lines:
        steps += [LineWin(line, symbol, 3, coins=40) for line in (1, 2, 3)]
    else:
        steps += [WaysWin(symbol, 3, 1, tuple((reel, row) for reel in range(3)), coins=40) for row in range(3)]
    rehearsal.view(game_view(game, state="round", controls=("spin",)))
    rehearsal.show(steps, credit_cents=12_350, win_cents=600)
    for _ in range(300):
        rehearsal.scene_manager.draw(rehearsal.now)
        rehearsal.wait(1 / 60)
    assert made(rehearsal, game) == before
    assert budget.waited == waited


def test_what_was_prepared_is_not_made_again() -> None:
    """It comes to an end, and the cells that spin are those that were made."""
    rehearsal, _ = opened("neptune")
    picture = rehearsal.director.picture
    assert picture is not None
    cells = rehearsal.context.cells(load("neptune")).of(picture)
    made_before = {name: cells.cell(name) for name in ("ace_blur", "neptune", "mermaid_blur")}
    assert not rehearsal.scene_manager.prepare()
    assert all(cells.cell(name) is surface for name, surface in made_before.items())
