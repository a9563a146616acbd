import msgspec
import pytest

from gamekit.double_up import BLACK, COLLECT, HALVE, RED, CardTurned
from tests.ui.programme_double_up import CONTROLS, RISK, SCREENS, offered, shown
from tests.ui.rehearsal import Rehearsal
from ui.layout import SHAPES, centre
from ui.scenes.double_up import WIDE_TABLE, DoubleUp
from ui.theme import load

FINGERTIP = 56


def table(rehearsal: Rehearsal) -> DoubleUp:
    return DoubleUp(rehearsal.context, load("mystery_elves"))


def pixels(rehearsal: Rehearsal, box: tuple[float, float, float, float]) -> bytes:
    region = rehearsal.scene_manager.stage.pixels(box)
    return bytes(rehearsal.picture().subsurface(region).copy().get_buffer().raw)


def around(rehearsal: Rehearsal, middle: tuple[float, float], width: float, height: float) -> bytes:
    left, top, _, _ = rehearsal.context.layout.scene
    return pixels(rehearsal, (left + middle[0] - width / 2, top + middle[1] - height / 2, width, height))


@pytest.mark.parametrize("shape", SHAPES)
def test_every_choice_can_be_touched_in_every_shape(shape: str) -> None:
    """RED, BLACK, HALVE and COLLECT answer with their numbers, apart from the HUD and as large as a fingertip."""
    rehearsal = Rehearsal(shape=shape)
    offered(rehearsal)
    scene, layout = table(rehearsal), rehearsal.context.layout
    for choice in (COLLECT, RED, BLACK, HALVE):
        left, top, width, height = scene.box(choice)
        assert min(width, height) >= FINGERTIP
        assert left >= 0
        assert left + width <= layout.canvas[0]
        assert rehearsal.scene_manager.touch(*centre((left, top, width, height)), rehearsal.now) == f"choice:{choice}"
        for other in layout.hud.buttons.values():
            apart = left + width <= other[0] or other[0] + other[2] <= left
            assert apart or top + height <= other[1] or other[1] + other[3] <= top


def test_what_may_not_be_chosen_looks_dead_and_feels_dead() -> None:
    """Each of the four, live and not."""
    rehearsal = Rehearsal()
    scene = table(rehearsal)
    for choice in (COLLECT, RED, BLACK, HALVE):
        offered(rehearsal, focus="choice:0" if choice else "choice:1")
        live = pixels(rehearsal, scene.box(choice))
        others = tuple(name for name in CONTROLS if name != f"choice:{choice}")
        rehearsal.view(msgspec.structs.replace(rehearsal.director.view, controls=others))
        assert pixels(rehearsal, scene.box(choice)) != live
        assert rehearsal.scene_manager.touch(*centre(scene.box(choice)), rehearsal.now) == ""


def test_the_panel_s_cursor_is_seen() -> None:
    """The choice that SPIN would take is lit, and only that."""
    rehearsal = Rehearsal()
    scene = table(rehearsal)
    for choice in (COLLECT, RED, BLACK, HALVE):
        offered(rehearsal, focus="")
        dark = {each: pixels(rehearsal, scene.box(each)) for each in (COLLECT, RED, BLACK, HALVE)}
        offered(rehearsal, focus=f"choice:{choice}")
        lit = [each for each in dark if pixels(rehearsal, scene.box(each)) != dark[each]]
        assert lit == [choice]


@pytest.mark.parametrize("card", ["heart", "spade", "joker"])
def test_nothing_reveals_the_card_before_it_lies_open(card: str) -> None:
    """Won or lost, red or black: until half of the turn, picture and figures are the same."""
    seen = []
    for won, shows in ((True, card), (False, "club")):
        rehearsal = Rehearsal()
        offered(rehearsal)
        cents = RISK if won else -RISK
        shown(rehearsal, CardTurned(choice=RED, card=shows, won=won, cents=cents), win_cents=RISK + cents)
        rehearsal.wait(0.29)
        seen.append(rehearsal.pixels())
    assert seen[0] == seen[1]


def test_the_amount_at_risk_ends_where_the_rules_say() -> None:
    """What the plaque shows after the card is what the next offer shows."""
    rehearsal = Rehearsal()
    offered(rehearsal)
    shown(rehearsal, CardTurned(choice=RED, card="heart", won=True, cents=RISK), win_cents=2 * RISK)
    rehearsal.wait(1.5)
    turned = around(rehearsal, WIDE_TABLE.plaques[0], 200, 60)
    offered(rehearsal, risk=2 * RISK, cards=("heart",))
    assert around(rehearsal, WIDE_TABLE.plaques[0], 200, 60) == turned


def test_the_newest_card_joins_the_strip_at_the_left() -> None:
    """The strip a player sees at the end of a turn is the one that the next offer shows."""
    rehearsal = Rehearsal()
    offered(rehearsal, cards=("club",))
    before = around(rehearsal, (WIDE_TABLE.card[0], WIDE_TABLE.strip_middle), 660, 84)
    shown(rehearsal, CardTurned(choice=RED, card="heart", won=True, cents=RISK), win_cents=2 * RISK)
    rehearsal.wait(1.0)
    offered(rehearsal, risk=2 * RISK, cards=("heart", "club"))
    after = around(rehearsal, (WIDE_TABLE.card[0], WIDE_TABLE.strip_middle), 660, 84)
    offered(rehearsal, risk=2 * RISK, cards=("club", "heart"))
    assert before != after != around(rehearsal, (WIDE_TABLE.card[0], WIDE_TABLE.strip_middle), 660, 84)


def test_a_cent_cannot_be_halved() -> None:
    """The button is not there, and its place answers nothing."""
    rehearsal = Rehearsal()
    offered(rehearsal, risk=1)
    assert "choice:3" not in dict(table(rehearsal).controls(rehearsal.director))
    assert rehearsal.scene_manager.touch(*centre(table(rehearsal).box(HALVE)), rehearsal.now) == ""


def test_hurried_the_card_lies_open_at_once() -> None:
    """SKIP shows the result; it does not hide it."""
    rehearsal = Rehearsal()
    offered(rehearsal)
    shown(rehearsal, CardTurned(choice=RED, card="heart", won=True, cents=RISK), win_cents=2 * RISK)
    rehearsal.wait(0.1)
    closed = around(rehearsal, WIDE_TABLE.card, 200, 280)
    assert rehearsal.director.performance is not None
    rehearsal.director.performance.hurry(rehearsal.now)
    assert around(rehearsal, WIDE_TABLE.card, 200, 280) != closed
    assert rehearsal.director.win(rehearsal.now) == 2 * RISK


def test_a_table_that_waits_asks_for_no_frame() -> None:
    """Drawn once, it stays until something happens."""
    rehearsal = Rehearsal()
    SCREENS["guess"](rehearsal)
    rehearsal.picture()
    assert rehearsal.scene_manager.due(rehearsal.now) == float("inf")
