import json
import random
from pathlib import Path

import msgspec
import pytest

from gamekit.beats import Continue, LineWin
from gamekit.double_up import DoubleUp
from gamekit.hold_and_win import CellsLanded
from gamekit.play import Answer, Beat, Offer, Stake, Step
from games.mystery_elves import MysteryElvesScene
from games.mystery_elves.bonuses import HoldAndWinPaid, MultiplyingOpened
from games.mystery_elves.display import rules
from games.mystery_elves.display.acts import CellsAct, MultiplyAct, MysteryAct, PaidAct
from games.mystery_elves.display.overlay import BUY_BOX
from games.mystery_elves.display.state import Orb, orbs, scene_of, total_bets
from games.mystery_elves.display.theme import BUY, HOLD_AND_WIN, THEME
from games.mystery_elves.pays import BUY_PRICE, FULL_MULTIPLIER
from games.mystery_elves.strips import HOLD_RULES
from tests.rigs.views import changed
from tests.ui.programme_mystery_elves import (
    ALL_HELD,
    BET,
    BETS_PAID,
    FEATURE,
    FIRST,
    GAME,
    HELD,
    PAID,
    PRICE_CENTS,
    SCREENS,
    SETTLED,
    STAKE,
    WON,
    elves_view,
    folded,
)
from tests.ui.rehearsal import Rehearsal
from ui.acts import WinsAct
from ui.layout import WIDE, centre
from ui.protocol.messages import Hurry, raw

PAR = Path(__file__).parents[2] / "games" / "mystery_elves" / "par.json"
BOUGHT = msgspec.structs.replace(STAKE, price=BUY_PRICE)
SPIN = centre(WIDE.hud.buttons["spin"])


def round_of(seed: int, stake: Stake) -> list[list[Step]]:
    """Play one round with the draws of `seed`, collecting at the double-up; return its steps by segment."""
    chance = random.Random(seed)
    play = GAME.play(stake, chance.randrange, None)
    segments: list[list[Step]] = [[]]
    answer: Answer | None = None
    while True:
        try:
            step = play.send(answer)
        except StopIteration:
            return segments
        answer = None
        segments[-1].append(step)
        if isinstance(step, Offer):
            answer = Answer(0)
            segments.append([])


def coins(steps: list[Step]) -> int:
    """Return what `steps` pay."""
    return sum(step.coins for step in steps if isinstance(step, Beat))


def act_seconds(rehearsal: Rehearsal) -> float:
    """Return how long the act on the stage still lasts."""
    performance = rehearsal.director.performance
    assert performance is not None
    assert performance.act is not None
    return performance.act.ends_at() - rehearsal.now


def until(rehearsal: Rehearsal, kind: type) -> None:
    """Let time pass until an act of `kind` is on the stage."""
    for _ in range(3_000):
        performance = rehearsal.director.performance
        if performance is not None and isinstance(performance.act, kind):
            return
        rehearsal.wait(1 / 60)
    raise AssertionError(f"no {kind.__name__} has come")


@pytest.mark.parametrize(("seed", "stake"), [(1, STAKE), (2, STAKE), (4, BOUGHT), (11, BOUGHT)])
def test_a_round_is_played_to_its_end_on_the_screen(seed: int, stake: Stake) -> None:
    """Every segment ends on its true figures, and every offer finds its live control under the finger."""
    rehearsal = Rehearsal()
    scene, won, credit = GAME.idle, 0, 50_000
    for segment in round_of(seed, stake):
        plain = elves_view(state="round", scene=raw(scene), controls=("spin",))
        rehearsal.view(changed(plain, credit_cents=credit, win_cents=won))
        won += coins(segment) * BET.coin_value_cents
        number = rehearsal.show(segment, credit_cents=credit, win_cents=won, turbo=True)
        for _ in range(120):
            rehearsal.wait(0.5)
            rehearsal.picture()
            if rehearsal.director.performance is None or rehearsal.director.performance.ended:
                break
        assert [said.number for said in rehearsal.said if hasattr(said, "number")][-1] == number
        assert rehearsal.director.win(rehearsal.now) == won
        for step in segment:
            scene = GAME.advance(scene, stake, step)
        offer = segment[-1] if segment else None
        if isinstance(offer, Continue):
            controls = ("spin", "service")
            rehearsal.view(elves_view(state="offer", scene=raw(scene), offer=raw(offer), controls=controls))
            assert THEME.scene_of(THEME.picture(scene), None, offer) == HOLD_AND_WIN
            rehearsal.picture()
            assert rehearsal.scene_manager.touch(*SPIN, rehearsal.now) == "spin"
        assert not isinstance(offer, Offer) or isinstance(offer, Continue | DoubleUp)


def test_what_is_counted_on_the_screen_is_what_is_paid() -> None:
    """The running total and the orbs at the settlement's end are the amount that the game pays, in a hundred rounds."""
    multiplied = full = 0
    for seed in range(100):
        scene: MysteryElvesScene = scene_of(GAME.idle)
        for step in (step for segment in round_of(seed, BOUGHT) for step in segment):
            if isinstance(step, HoldAndWinPaid):
                counted = total_bets(scene)
                assert counted * (FULL_MULTIPLIER if step.full else 1) == step.bets
                assert all(orb.bets for orb in orbs(scene))
                full += step.full
            multiplied += isinstance(step, MultiplyingOpened)
            scene = scene_of(GAME.advance(scene, BOUGHT, step))
    assert multiplied


def test_orbs_stand_as_they_carry_open_multiply_and_turn() -> None:
    """A value, a function, its award, what was multiplied, what it has turned into."""
    before, opened, after = (scene_of(folded(*steps)) for steps in (WON, FEATURE[:-4], FEATURE))
    assert Orb((0, 0), "value", 2) in orbs(before)
    assert Orb((0, 1), "mystery") in orbs(before)
    assert Orb((2, 1), "multiplying") in orbs(before)
    assert Orb((0, 0), "value", 6) in orbs(opened)
    assert Orb((0, 1), "mini", 60) in orbs(opened)
    assert Orb((2, 1), "times_3") in orbs(opened)
    assert Orb((0, 1), "turned", 5) in orbs(after)
    assert Orb((2, 1), "turned", 2) in orbs(after)
    assert total_bets(after) == BETS_PAID


def test_held_cells_stand_while_the_empty_ones_spin() -> None:
    """An orb that stays doesn't change by a pixel in a respin, an empty cell does."""
    rehearsal, spinning = Rehearsal(), Rehearsal()
    SCREENS["offer"](rehearsal)
    SCREENS["respin"](spinning)
    rehearsal.wait(spinning.now - rehearsal.now)
    stage = rehearsal.scene_manager.stage
    # Below the icicles, which are drawn over the uppermost row in either picture.
    inner = {cell: stage.pixels(WIDE.cell_box(*cell, HOLD_RULES.rows)).inflate(-20, -60) for cell in HOLD_RULES.cells}
    before, after = rehearsal.picture(), spinning.picture()
    changed = {
        cell
        for cell, box in inner.items()
        if before.subsurface(box).copy().get_buffer().raw != after.subsurface(box).copy().get_buffer().raw
    }
    assert changed == set(HOLD_RULES.cells) - set(HELD)


def test_a_big_win_s_lit_lines_leave_what_a_symbol_carries() -> None:
    """A bonus symbol that has landed still shows its value while the lines of a big win are lit beside it."""
    rehearsal = Rehearsal()
    rehearsal.view(elves_view(state="round"))
    steps = [*PAID[:2], LineWin(1, "wild", 5, coins=STAKE.coins * 60)]
    rehearsal.show(steps, credit_cents=0, win_cents=0)
    performance = rehearsal.director.performance
    assert performance is not None
    while not isinstance(performance.act, WinsAct):
        rehearsal.wait(0.05)
    box = rehearsal.scene_manager.stage.pixels(WIDE.cell_box(1, 2, HOLD_RULES.rows)).inflate(-20, -20)
    lit = rehearsal.picture().subsurface(box).copy()
    rehearsal.wait(30)
    assert performance.ended
    assert rehearsal.picture().subsurface(box).copy().get_buffer().raw == lit.get_buffer().raw


def test_each_respin_costs_one_and_a_new_symbol_gives_three_back() -> None:
    """The lamps: one less from the press on, all three once new symbols stay."""
    rehearsal = Rehearsal()
    SCREENS["reset"](rehearsal)
    scene = rehearsal.director.picture.scene if rehearsal.director.picture else None
    assert scene_of(scene).respins_left == 3
    SCREENS["last"](rehearsal)
    last = folded(*WON, *FIRST, CellsLanded((), (), 1))
    act = CellsAct(THEME.picture(last), CellsLanded(((3, 1),), (7,), 0))
    assert act.left == 0
    assert scene_of(last).respins_left == 1


def test_stop_stops_all_cells_and_skip_shortens_the_settlement() -> None:
    """The first hurry lands every cell within half a second; one in the settlement changes its orb at once."""
    rehearsal = Rehearsal()
    SCREENS["offer"](rehearsal)
    number = rehearsal.show(list(FIRST), credit_cents=12_250, win_cents=0)
    rehearsal.wait(0.1)
    rehearsal.director.handle(Hurry(number), rehearsal.now)
    assert act_seconds(rehearsal) < 1.2
    SCREENS["last"](rehearsal)
    steps: list[Step] = [*SETTLED, FEATURE[-1]]
    number = rehearsal.show(steps, credit_cents=60_000, win_cents=BETS_PAID * BET.cents)
    until(rehearsal, MysteryAct)
    rehearsal.director.handle(Hurry(number), rehearsal.now)
    assert act_seconds(rehearsal) <= 0.3
    performance = rehearsal.director.performance
    assert performance is not None
    act = performance.act
    assert isinstance(act, MysteryAct)
    assert Orb((0, 1), "mini", 20) in act.orbs(rehearsal.now)
    until(rehearsal, MultiplyAct)
    assert act_seconds(rehearsal) < 3


@pytest.mark.parametrize("after", [0.0, 0.4, 0.75, 0.9])
def test_a_skipped_amount_arrives_at_the_total(after: float) -> None:
    """Whenever an award is skipped, its amount flies all the way before the act ends; a second press stops nothing."""
    rehearsal = Rehearsal()
    SCREENS["last"](rehearsal)
    number = rehearsal.show([*SETTLED, FEATURE[-1]], credit_cents=60_000, win_cents=BETS_PAID * BET.cents)
    until(rehearsal, MysteryAct)
    performance = rehearsal.director.performance
    assert performance is not None
    act = performance.act
    assert isinstance(act, MysteryAct)
    rehearsal.wait(after)
    rehearsal.director.handle(Hurry(number), rehearsal.now)
    changed = act.changed_at(0)
    assert act.counted_at() <= act.ends_at()
    assert act.flown(act.ends_at()) >= 1
    rehearsal.wait(0.1)
    rehearsal.director.handle(Hurry(number), rehearsal.now)
    assert act.changed_at(0) == changed
    assert act.flown(act.ends_at()) >= 1


def test_the_amount_rolls_up_in_the_dialog_and_under_win_together() -> None:
    """While it is paid, the dialog's figure and WIN are the same, and both end on the true amount."""
    rehearsal = Rehearsal()
    SCREENS["last"](rehearsal)
    rehearsal.show([*SETTLED, FEATURE[-1]], credit_cents=60_000, win_cents=BETS_PAID * BET.cents)
    until(rehearsal, PaidAct)
    shown = []
    performance = rehearsal.director.performance
    assert performance is not None
    while isinstance(act := performance.act, PaidAct):
        shown.append(act.shown_total(rehearsal.now) * BET.coin_value_cents)
        assert shown[-1] == rehearsal.director.win(rehearsal.now)
        rehearsal.wait(0.1)
    assert shown == sorted(shown)
    assert 0 < shown[len(shown) // 4] < BETS_PAID * BET.cents == shown[-1]
    assert rehearsal.director.win(rehearsal.now) == BETS_PAID * BET.cents


def test_the_reels_stand_once_all_is_paid_and_the_next_snapshot_is_awaited() -> None:
    """Between the show's end and what the machine says next nothing waits for a press any more."""
    rehearsal = Rehearsal()
    SCREENS["last"](rehearsal)
    rehearsal.show([*SETTLED, FEATURE[-1]], credit_cents=60_000, win_cents=BETS_PAID * BET.cents)
    rehearsal.wait(30)
    assert rehearsal.director.offer is None
    paid = rehearsal.pixels()
    SCREENS["offer"](rehearsal)
    assert rehearsal.pixels() != paid


def test_the_feature_is_bought_with_a_finger_or_the_panel() -> None:
    """The button answers where the feature is on sale and affordable, and both answers to the question do."""
    rehearsal = Rehearsal()
    SCREENS["idle"](rehearsal)
    button = rehearsal.scene_manager.stage.pixels(BUY_BOX)
    live = rehearsal.picture().subsurface(button).copy().get_buffer().raw
    assert rehearsal.scene_manager.touch(*centre(BUY_BOX), rehearsal.now) == "buy"
    rehearsal.wait(1)
    SCREENS["unaffordable"](rehearsal)
    assert rehearsal.picture().subsurface(button).copy().get_buffer().raw != live
    assert rehearsal.scene_manager.touch(*centre(BUY_BOX), rehearsal.now) == ""
    SCREENS["buy"](rehearsal)
    rehearsal.picture()
    assert THEME.scene_in("confirm") == BUY
    places = dict(THEME.build(BUY, rehearsal.context).controls(rehearsal.director))
    for name in ("buy:yes", "buy:no", "spin", "collect"):
        assert rehearsal.scene_manager.touch(*centre(places[name]), rehearsal.now) == name
        rehearsal.wait(1)


def test_nothing_is_sold_where_the_machine_sells_nothing() -> None:
    """Without a price there is no button and no control."""
    rehearsal = Rehearsal()
    rehearsal.view(elves_view(buy_cents=0))
    assert "buy" not in dict(THEME.overlay(rehearsal.context).controls(rehearsal.director))
    assert rehearsal.scene_manager.touch(*centre(BUY_BOX), rehearsal.now) == ""
    assert BUY_PRICE * BET.cents == PRICE_CENTS


def test_the_rules_name_the_figures_of_the_par_sheet() -> None:
    """Return, its parts and the feature's rate are those that the exact maths gives, and the price is given."""
    sheet = json.loads(PAR.read_text("utf-8"))
    plain, bought = (next(bet for bet in sheet["bets"] if bet["price"] == price) for price in (1, BUY_PRICE))
    parts = plain["parts"]
    said = "\n".join(words for _, words in THEME.rules(GAME.gamble_cap_cents))
    for figure in (plain["rtp_percent"], bought["rtp_percent"]):
        assert f"{float(figure):.2f}" == rules.RTP
    assert f"{float(parts['lines']):.2f}" == rules.LINES_RTP
    assert f"{float(parts['hold_and_win']):.2f}" == rules.FEATURE_RTP
    assert round(1 / sheet["triggers"]["hold_and_win"]) == rules.ONE_FEATURE_IN
    for words in (rules.RTP, f"one spin in {rules.ONE_FEATURE_IN}", f"{BUY_PRICE} times the bet", "125,000.00"):
        assert words in said
    assert ALL_HELD[: len(HELD)] == HELD
