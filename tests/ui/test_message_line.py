"""The line under the reels: no notice is hidden by the loop of wins, and each sentence is true where it is said."""

import msgspec
import pytest

from controller.faults import Clears, Stops, known_faults
from controller.machine.view import fault_notice
from controller.session.credit_words import MAX_BET, MAX_BET_BEYOND, MAX_BET_COVERED
from gamekit import catalogue
from games.bewitched.display import words as bewitched
from games.mona_lisa_jewels.display import words as mona_lisa
from games.mystery_elves.display import words as elves
from tests.rigs.views import changed
from tests.ui.hearing import Hearing
from tests.ui.past_wins import AT_REST, won_scenes
from tests.ui.programme import PROGRAMME
from tests.ui.rehearsal import BAKED, Rehearsal, game_view
from ui import text
from ui.draw_context import DrawContext
from ui.layout import SHAPES
from ui.protocol.messages import Notice, View, raw
from ui.protocol.values import Paid, Payout
from ui.protocol.view_parts import Balance
from ui.scenes.message_line import EACH_WIN_S, beside_wins, current, lasting, news

pytestmark = pytest.mark.sampled(4)

PASSING = sorted(code for code, kind in known_faults().items() if kind.clears is Clears.NEXT_PLAY)
STAYING = sorted(
    code
    for code, kind in known_faults().items()
    if kind.clears is not Clears.NEXT_PLAY and Stops.PLAY not in kind.stops
)
PAID = Paid(coins_cents=4_200)
WAITING = {
    "free_spins_offer": text.FREE_SPINS_START,
    "bewitched_free_spins_offer": text.FREE_SPINS_START,
    "witch_feature_free_spins_offer": text.FREE_SPINS_START,
    "mona_lisa_jewels_free_offer": text.FREE_SPINS_START,
    "mona_lisa_jewels_jewels_offer": mona_lisa.PRESS_JEWELS,
    "mystery_elves_offer": elves.PRESS_FIRST,
    "chests": text.PICK_BUTTONS,
    "witch": bewitched.CHOOSE_HINT,
    "bewitched_vials": bewitched.VIAL_BUTTONS,
    "double_up_guess": text.CARD_BUTTONS,
}
"""What each screen that waits for the player asks for on the line under the reels."""
BESIDE: dict[str, dict[str, object]] = {
    known_faults()["door_closed"].text: {"notices": (fault_notice("door_closed", "main"),)},
    known_faults()["coin_jam"].text: {"notices": (fault_notice("coin_jam", "coin_acceptor"),)},
    text.PAID_OUT: {"paid": PAID},
    text.HELD: {"held_cents": 1_800},
    text.MESSAGES["autospin_feature"]: {"message": "autospin_feature"},
}
"""Words that a player has to read, with the view that holds them."""


def waiting(screen: str, context: DrawContext) -> Rehearsal:
    """Rehearse a screen of `WAITING`; on entering Bewitched the choice of a witch has no round."""
    rehearsal = Rehearsal(1, context.layout.shape, context)
    if screen == "witch":
        rehearsal.view(game_view("bewitched", state="witch"))
    else:
        PROGRAMME[screen](rehearsal)
    return rehearsal


def pixels(view: View, context: DrawContext, seconds: float) -> bytes:
    """Return the line's pixels so long after the wins have begun to loop."""
    rehearsal = Rehearsal(1, context.layout.shape, context)
    rehearsal.view(view)
    rehearsal.wait(seconds)
    return line(rehearsal)


def line(rehearsal: Rehearsal) -> bytes:
    """Return the line's pixels as they are drawn now."""
    left, top, width, height = rehearsal.context.layout.hud.message
    rim = height / 3  # a symbol that wins swells over the line's upper rim
    box = rehearsal.scene_manager.stage.pixels((left, top + rim, width, height - rim))
    return bytes(rehearsal.picture().subsurface(box).copy().get_buffer().raw)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", AT_REST)
def test_a_payment_or_notice_is_read_after_a_win(name: str, shape: str) -> None:
    """Beside wins that loop the line says what it says beside none, at every moment of the loop."""
    context, game = DrawContext(BAKED, 1, SHAPES[shape]), catalogue.load(name)
    plain = game_view(name, scene=raw(game.idle))
    won = game_view(name, scene=raw(next(won_scenes(name))))
    for said in ({"paid": PAID}, {"notices": (fault_notice(PASSING[0], "main"),)}, {"message": "history_unavailable"}):
        wanted = pixels(changed(plain, **said), context, 0.1)
        for seconds in (0.1, 1.7, 5.0, 9.7):
            assert pixels(changed(won, **said), context, seconds) == wanted, (said, seconds)


@pytest.mark.requirement("B11", "D3")
@pytest.mark.parametrize("code", PASSING)
def test_a_payment_hides_no_notice_that_the_next_play_clears(code: str) -> None:
    """Both stay until the next play: in a game, in the lobby and in attract the line says both."""
    notice = fault_notice(code, "main")
    view = game_view("neptune", paid=PAID, notices=(notice,))
    both = f"{text.paid(PAID)}  ·  {text.notice(notice)}"
    assert (current(view), news(view)) == ((both, True), both)


@pytest.mark.parametrize("name", ["bewitched", "mystery_elves"])
@pytest.mark.parametrize("on_reels", [True, False])
def test_what_gamble_does_takes_turns_with_a_message(name: str, *, on_reels: bool) -> None:
    """Where autospin ended with the win the line says both, also after a feature whose wins are on no line."""
    context, game = DrawContext(BAKED, 1), catalogue.load(name)
    scene = next(won_scenes(name)) if on_reels else game.idle
    offered = game_view(name, state="gamble_offer", scene=raw(scene), at_risk_cents=200, win_cents=200)
    ended = msgspec.structs.replace(offered, message="autospin_single_win")
    plain = changed(ended, scene=raw(game.idle), state="idle")
    choice, message = pixels(offered, context, 0.1), pixels(plain, context, 0.1)
    assert choice != message
    assert [pixels(ended, context, turn * EACH_WIN_S + 0.1) for turn in range(2)] == [choice, message]


@pytest.mark.parametrize("screen", WAITING)
def test_a_notice_takes_turns_with_the_press_that_is_asked_for(screen: str) -> None:
    """At each moment the line is that of the prompt alone, or another one for each of the words to be read."""
    hearing = Hearing()
    rehearsal = waiting(screen, hearing.context)
    plain, since = rehearsal.director.view, rehearsal.director.picture_since
    assert WAITING[screen] in hearing.by(rehearsal)
    for _ in range(4):
        rehearsal.wait(EACH_WIN_S)
        prompt = line(rehearsal)
        others = []
        for words, said in BESIDE.items():
            rehearsal.view(changed(plain, **said))
            others.append(line(rehearsal))
            assert words in hearing.by(rehearsal)
        rehearsal.view(plain)
        if int((rehearsal.now - since) / EACH_WIN_S) % 2 == 0:
            assert set(others) == {prompt}
        else:
            assert len({prompt, *others}) == 1 + len(BESIDE)


@pytest.mark.parametrize("screen", WAITING)
def test_a_prompt_beside_a_notice_is_drawn_again_in_time(screen: str) -> None:
    """The next frame is due by the end of each turn, though nothing else of the screen moves."""
    rehearsal = waiting(screen, DrawContext(BAKED, 1))
    notices = (fault_notice("door_closed", "main"),)
    rehearsal.view(msgspec.structs.replace(rehearsal.director.view, notices=notices))
    rehearsal.wait(0.1)
    for _ in range(5):
        rehearsal.picture()
        assert rehearsal.now < rehearsal.scene_manager.due(rehearsal.now) <= rehearsal.now + EACH_WIN_S
        rehearsal.wait(EACH_WIN_S)


@pytest.mark.parametrize("code", PASSING)
def test_what_the_next_play_clears_stays_on_the_line(code: str) -> None:
    """Each such notice, beside one that stays longer too; beside a payment both are shown; a message goes before."""
    notice, fault = fault_notice(code, "main"), fault_notice(STAYING[0], "main")
    view = View(state="idle", notices=(fault, notice))
    assert not notice.lasting
    assert [beside_wins(view, "a win", seconds / 10, 2) for seconds in range(200)] == [
        (text.notice(notice), False)
    ] * 200
    assert current(changed(view, paid=PAID)) == (f"{text.paid(PAID)}  ·  {text.notice(notice)}", True)
    assert current(changed(view, paid=PAID, message="by hand")) == ("by hand", False)


@pytest.mark.parametrize("wins", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("code", STAYING)
def test_a_fault_that_stays_takes_turns_with_the_wins(code: str, wins: int) -> None:
    """It comes first and stays for three wins or more; then every win has its words, and it comes again."""
    notice = fault_notice(code, "main")
    view = View(state="idle", notices=(notice,))
    turns = [
        beside_wins(view, f"win {turn % wins}", (turn + 0.5) * EACH_WIN_S, wins)[0] for turn in range(8 * wins * 3)
    ]
    assert notice.lasting
    assert lasting(view) == text.notice(notice)
    assert turns[:3] == [text.notice(notice)] * 3
    assert set(turns) == {text.notice(notice), *(f"win {place}" for place in range(wins))}
    assert turns.count(text.notice(notice)) * 2 == len(turns)


def test_what_is_held_takes_turns_with_the_wins() -> None:
    """Money in doubt outlives the next play; beside what was paid since the last one it stays on the line."""
    view = View(state="idle", balance=Balance(held_cents=1_800), notices=(fault_notice("open_item", ""),))
    words = text.held(view.balance)
    turns = [beside_wins(view, "a win", turn * EACH_WIN_S, 1)[0] for turn in range(6)]
    assert [said == words for said in turns] == [True, True, True, False, False, False]
    paid, gold = beside_wins(changed(view, paid=PAID), "a win", 3 * EACH_WIN_S, 1)
    assert (text.paid(PAID) in paid, words in paid, gold) == (True, True, True)


@pytest.mark.parametrize(("paid_cents", "call"), [(0, text.HANDPAY_CALL), (50, text.HANDPAY_DONE)])
def test_the_hand_pay_screen_shows_the_whole_cash_out(paid_cents: int, call: str) -> None:
    """Before the key and after it: what came in coins, what comes by hand, and both together."""
    payout = Payout("attendant", 50, paid_cents, coins_cents=5_800)
    heard = Hearing().said(game_view("neptune", state="handpay", payout=payout))  # it also sets how money is written
    assert {text.HANDPAY_WHOLE, call} <= heard
    assert [cents in text.cash_out(payout) for cents in ("58.00 €", " 0.50 €", "58.50 €")] == [True] * 3
    assert (text.HANDPAY_KEY in heard) == (not paid_cents)


def test_the_attendant_s_call_and_locks_outlive_a_play() -> None:
    """What no play clears takes turns with the wins; without a notice the wins have the line for themselves."""
    view = View(state="idle", notices=(Notice("service_call", "Called", lasting=True),))
    assert beside_wins(view, "a win", 0.0, 1) == ("Called", False)
    assert beside_wins(View(state="idle"), "a win", 0.0, 1) == ("a win", True)


@pytest.mark.parametrize("code", [MAX_BET, MAX_BET_COVERED, MAX_BET_BEYOND])
def test_max_bet_says_what_a_spin_costs(code: str) -> None:
    """The amount is that of the bet in the view, written as the cabinet writes money."""
    assert "0.75 €" in text.message(game_view("bewitched", message=code))


@pytest.mark.parametrize("name", ["bewitched", "mystery_elves"])
@pytest.mark.parametrize("short_cents", [0, 1])
def test_spin_plays_after_collecting_only_what_the_credit_then_covers(name: str, short_cents: int) -> None:
    """Credit and win together: one cent less than the bet, and SPIN is said to collect and no more."""
    view = game_view(name, state="gamble_offer", at_risk_cents=200)
    assert view.bet is not None
    credit_cents = view.bet.cents - 200 - short_cents
    heard = Hearing().said(changed(view, credit_cents=credit_cents))
    words = {text.GAMBLE_OR_SPIN, text.GAMBLE_OR_COLLECT}
    assert heard & words == {text.GAMBLE_OR_COLLECT if short_cents else text.GAMBLE_OR_SPIN}


@pytest.mark.parametrize("name", catalogue.names())
def test_spin_is_promised_only_where_it_plays(name: str) -> None:
    """Not in a round, not between free spins, not for credit that does not cover the bet, not without SPIN alive."""
    hearing, idle = Hearing(), game_view(name)
    assert text.PRESS_SPIN in hearing.said(idle)
    no = (
        {"state": "round", "controls": ("spin", "service")},
        {"credit_cents": 0},
        {"credit_cents": 4},
        {"controls": ("service",)},
    )
    for changes in no:
        assert text.PRESS_SPIN not in hearing.said(changed(idle, **changes)), changes


@pytest.mark.parametrize(
    ("coins", "notes", "words"),
    [
        (True, True, text.INSERT_MONEY),
        (True, False, text.INSERT_COINS),
        (False, True, text.INSERT_NOTES),
        (False, False, text.NO_MONEY_NOW),
    ],
)
def test_a_player_without_credit_is_asked_for_what_is_taken(coins: bool, notes: bool, words: str) -> None:  # noqa: FBT001
    """Only for coins where no notes are taken, and the other way round; for nothing where nothing is."""
    view = game_view("neptune", credit_cents=0, accepts_coins=coins, accepts_notes=notes)
    heard = Hearing().said(view)
    assert heard & {text.INSERT_MONEY, text.INSERT_COINS, text.INSERT_NOTES, text.NO_MONEY_NOW} == {words}


def test_a_credit_below_the_bet_is_not_called_to_play() -> None:
    """What SPIN does then is offer the lowest bet, where the credit covers that."""
    idle = game_view("neptune", credit_cents=50)
    assert text.MESSAGES["not_enough_credit"] in Hearing().said(idle)
