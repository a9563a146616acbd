"""Symbols that move by themselves on the reels: wilds as they land, and one after another while a game waits."""

import pytest

from gamekit.beats import ReelsLanded
from games.neptune.scene import NeptuneScene
from tests.ui.programme import stops
from tests.ui.rehearsal import Rehearsal, neptune_view
from ui.acts import SpinAct
from ui.protocol.messages import raw
from ui.scenes.symbols import LANDING_S, RESTS_S

WILD_FIRST = stops(("neptune", 1), ("ace", 1), ("ten", 1), ("jack", 1), ("queen", 1))
LETTERS = stops(("king", 1), ("ace", 1), ("ten", 1), ("jack", 1), ("queen", 1))
WILD_CELL = (0, 1)


def looks(rehearsal: Rehearsal, seconds: int, cell: tuple[int, int] | None = None) -> list[bytes]:
    """Return what the reels, or one cell of them, look like, ten times a second."""
    layout, found = rehearsal.context.layout, []
    box = layout.reels if cell is None else layout.cell_box(*cell, 3)
    for _ in range(10 * seconds):
        found.append(rehearsal.picture().subsurface(tuple(map(round, box))).copy().get_buffer().raw)
        rehearsal.wait(0.1)
    return found


def resting(where: tuple[int, ...], **changes: object) -> Rehearsal:
    rehearsal = Rehearsal()
    rehearsal.view(neptune_view(scene=raw(NeptuneScene(stops=where)), **changes))
    rehearsal.picture()
    rehearsal.director.picture_since = rehearsal.now
    return rehearsal


def test_symbols_of_a_waiting_game_move_one_at_a_time_for_a_second() -> None:
    """Still, then the wild moves for a second, and all is as it was."""
    frames = looks(resting(WILD_FIRST), 5)
    still = round(10 * RESTS_S)
    assert set(frames[:still]) == {frames[0]}
    assert len(set(frames[still:])) > 6
    assert frames[-1] == frames[0]


@pytest.mark.parametrize("why", ["letters", "hot", "round"])
def test_nothing_moves_on_the_reels_otherwise(why: str) -> None:
    """Letters stand still, and all do on a hot computer, and in a round that somebody else must end."""
    rehearsal = resting(LETTERS if why == "letters" else WILD_FIRST, state="round" if why == "round" else "idle")
    rehearsal.context.calm = why == "hot"
    rehearsal.wait(RESTS_S - 0.2)
    assert len(set(looks(rehearsal, 1))) == 1


def test_a_wild_that_lands_moves_once() -> None:
    """As its reel stops, while the others still turn; then it stands still."""
    rehearsal = Rehearsal()
    rehearsal.view(neptune_view(state="round", controls=("spin",)))
    rehearsal.show([ReelsLanded(WILD_FIRST)], credit_cents=10_000, win_cents=0)
    rehearsal.picture()
    performance = rehearsal.director.performance
    assert performance is not None
    assert isinstance(performance.act, SpinAct)
    rehearsal.wait(performance.act.spin.stop_at[0] - rehearsal.now + 0.01)
    frames = looks(rehearsal, 1, WILD_CELL)
    landed = round(10 * LANDING_S) + 1
    assert len(set(frames[:landed])) >= 4
    assert len(set(frames[landed:])) == 1
