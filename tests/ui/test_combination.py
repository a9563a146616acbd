"""A chosen combination on the screen: the game's own window, marked as a test in every frame, with keys of its own."""

import msgspec
import pytest

from controller.play.combination import combination, reel_lengths, widest_stake
from gamekit.catalogue import load, names
from tests.rigs.views import changed
from tests.ui.rehearsal import Rehearsal, game_view, shape_of
from ui.layout import SHAPES
from ui.protocol.messages import ServicePage, ServiceRow, View, raw
from ui.protocol.values import Bet, PastRound
from ui.scenes.combination import MARK, Combination
from ui.scenes.recall import EDGE, SIGNS, Recall
from ui.scenes.service import Service

KEYS = ("first", "up", "down", "last", "enter", "back")


def chosen(name: str, *, last: bool = False) -> View:
    """Return the view of a game's first or last stops."""
    game = load(name)
    stake = widest_stake(game, 5)
    lengths = reel_lengths(game)
    judged = combination(game, [length - 1 for length in lengths] if last else [0] * len(lengths), stake)
    rows = (
        ServiceRow(label="Stops", value=" · ".join(f"{stop + 1}" for stop in judged.stops), tone="heading"),
        ServiceRow(label="Reel", value="1 / 5"),
        ServiceRow(label="Lines", count=stake.lines),
        ServiceRow(label="Coins per line", count=stake.coins_per_line, cents=stake.coin_value_cents),
        ServiceRow(label="Lines that win", count=len(judged.lines)),
        ServiceRow(label="Scatters", count=0),
        ServiceRow(label="Win in coins", count=judged.coins),
        ServiceRow(label="Would begin", value="nothing"),
    )
    view = game_view(
        name,
        state="service_menu",
        service=ServicePage(code="T.17", title="Combination test", who="technician", rows=rows, testing=True),
        replay=PastRound(number=0, game=name, when="", bet_cents=0, win_cents=0, state="test"),
        bet=Bet(lines=stake.lines, coins_per_line=stake.coins_per_line, coin_value_cents=5),
    )
    return changed(view, scene=raw(judged.scene), controls=tuple(f"service:{key}" for key in KEYS), win_cents=0)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", names())
def test_every_game_shows_chosen_stops_marked_as_a_test(name: str, shape: str) -> None:
    """Frame and sign are of the test's colour, not of recall's, and the six keys are all that lives."""
    rehearsal = Rehearsal(shape=shape)
    rehearsal.view(chosen(name))
    first = rehearsal.picture().copy()
    width, height = first.get_size()
    left, top, _, _ = SIGNS[shape_of(rehearsal)]
    for place in ((1, height // 2), (width // 2, height - 2), (int(left) + EDGE + 2, int(top) + 4)):
        assert tuple(first.get_at(place))[:3] == MARK
    scene = rehearsal.scene_manager._beneath()
    assert isinstance(scene, Combination)
    assert [control for control, _ in scene.controls(rehearsal.director)] == [f"service:{key}" for key in KEYS]
    rehearsal.view(chosen(name, last=True))
    assert rehearsal.picture().get_buffer().raw != first.get_buffer().raw


def test_after_it_the_page_stands_there_again() -> None:
    """A recalled round is still recalled, and without a window the page is drawn."""
    rehearsal = Rehearsal()
    view = chosen("neptune")
    rehearsal.view(view)
    rehearsal.picture()
    assert view.past.replay is not None
    rehearsal.view(changed(view, replay=msgspec.structs.replace(view.past.replay, state="settled")))
    scene = rehearsal.scene_manager._beneath()
    assert isinstance(scene, Recall)
    assert not isinstance(scene, Combination)
    rehearsal.view(changed(view, replay=None))
    assert isinstance(rehearsal.scene_manager._beneath(), Service)
