"""The win on the reels is shown in the money it was played in, whatever bet is chosen now."""

import msgspec
import pytest

from gamekit.play import Scene
from tests.rigs.views import changed
from tests.ui.past_wins import AT_REST, HIGH, LOW, bet_of, won_scenes
from tests.ui.rehearsal import BAKED, Rehearsal, game_view, neptune_view
from ui.draw_context import DrawContext
from ui.layout import SHAPES
from ui.protocol.messages import View, raw
from ui.protocol.values import Bet, PastRound


def at_idle(name: str, scene: Scene, bet: Bet, played: Bet | None) -> View:
    return game_view(name, scene=raw(scene), bet=bet, played_bet=played, win_cents=0)


def line(view: View, context: DrawContext) -> bytes:
    """Return the pixels of the line under the reels, as a view's wins have it in their loop."""
    rehearsal = Rehearsal(1, context.layout.shape, context)
    rehearsal.view(view)
    rehearsal.wait(0.5)
    box = rehearsal.scene_manager.stage.pixels(rehearsal.context.layout.hud.message)
    return bytes(rehearsal.picture().subsurface(box).copy().get_buffer().raw)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", AT_REST)
def test_the_line_under_the_reels_keeps_the_money_of_the_win(name: str, shape: str) -> None:
    """The same words at every bet that is chosen afterwards, and others where the win was made at another bet."""
    scene = next(won_scenes(name))
    low, high = bet_of(name, LOW), bet_of(name, HIGH)
    context = DrawContext(BAKED, 1, SHAPES[shape])
    as_won = line(at_idle(name, scene, low, low), context)
    assert line(at_idle(name, scene, high, low), context) == as_won
    assert line(at_idle(name, scene, high, high), context) != as_won


def test_the_win_s_label_names_the_bet_only_where_another_is_chosen() -> None:
    """WIN, and the last bet beside it once another one is chosen, on every page; never in a round or a replay."""
    low, high = bet_of("neptune", LOW), bet_of("neptune", HIGH)
    last = PastRound(number=1, game="neptune", when="2026-11-21 23:36", bet_cents=low.cents, win_cents=90)
    rehearsal = Rehearsal()

    def label(view: View) -> bytes:
        rehearsal.view(view)
        left, top, width, _ = rehearsal.context.layout.hud.win
        box = rehearsal.scene_manager.stage.pixels((left, rehearsal.context.layout.hud.label_y - 9, width, 18))
        assert top
        return bytes(rehearsal.picture().subsurface(box).copy().get_buffer().raw)

    view = neptune_view(bet=low, played_bet=low, win_cents=90, last_round=last)
    plain = label(view)
    other = msgspec.structs.replace(view, bet=high)
    assert label(other) != plain
    assert label(msgspec.structs.replace(other, state="round", bet=low)) == plain
    assert label(changed(other, bet=high, played_bet=high, replay=last, state="replay")) == plain
    bought = msgspec.structs.replace(last, bet_cents=70 * low.cents)
    assert label(changed(view, last_round=bought)) == plain
