"""Mystery Elves' rule page, sentence by sentence, played through the production generator: lines, gamble and buy."""

import msgspec
import pytest

from gamekit.beats import AnswerError, Begin, Continue, LineWin, ReelsLanded
from gamekit.double_up import BLACK, HALVE, RED, CardTurned, DoubleUp, DoubleUpEnded, Halved
from gamekit.hold_and_win import RespinsWon
from gamekit.play import Answer, Beat, Offer, Stake, Step
from games.mystery_elves import GAME
from games.mystery_elves.bonuses import Bonus, BonusesLanded, HoldAndWinPaid
from games.mystery_elves.pays import (
    BONUS,
    GAMBLE,
    LINE_PAYS,
    LINES,
    MULTIPLYING,
    MYSTERY,
    SYMBOLS,
    VALUES,
    WILD,
)
from games.mystery_elves.play import TRIGGERS
from games.mystery_elves.strips import HOLD_RULES, REELS
from tests.games.elves_table import (
    BOUGHT,
    EVALUATOR,
    LANDS,
    SIX,
    STAKE,
    bonuses,
    carry,
    cells_of,
    collect,
    middle_row,
    misses,
    play_round,
)
from tests.games.table import Luck, Script, beats, play_out, won
from tests.games.views import most_in_view

THREE_ACES = middle_row("ace", "ace", "ace", "mushroom", "lantern")
ALL_WILDS = tuple(strip.index(WILD) for strip in REELS.strips)
SHORT = [*misses(9, 9, 9)]
"""Three respins after six bonus symbols in which nothing lands."""


def of(steps: list[Step], *kinds: type[Step]) -> list[Step]:
    return [step for step in steps if isinstance(step, kinds)]


def first_line(steps: list[Step]) -> list[Step]:
    return [step for step in steps if isinstance(step, LineWin) and step.line == 1]


def test_ten_fixed_lines_of_a_tenth_of_the_bet() -> None:
    """Five reels of three rows, ten lines, one coin on each: one choice of them, and a bet of ten coins."""
    assert (GAME.reels, GAME.rows) == (5, 3)
    assert [Stake(lines=10, coins_per_line=1)] == GAME.stakes()
    assert STAKE.coins == 10
    assert len(set(LINES)) == 10


@pytest.mark.parametrize("symbol", [symbol for symbol in LINE_PAYS if symbol != WILD])
def test_the_wild_stands_for_every_line_symbol(symbol: str) -> None:
    """A wild between two of a symbol completes three of it."""
    other = "ten" if symbol != "ten" else "king"
    steps = play_round(middle_row(symbol, WILD, symbol, other, symbol))
    assert [LineWin(1, symbol, 3, coins=LINE_PAYS[symbol][3])] == first_line(steps)


def test_the_wild_stands_for_no_bonus() -> None:
    """Five bonus symbols and a wild in view are five bonus symbols: no Hold and Win."""
    stops = list(bonuses(2, 2, 1, 0, 0))
    stops[4] = middle_row("ten", "ten", "ten", "ten", WILD)[4]
    steps = play_round(stops, carry(1, 1, 1, 1, 1))
    assert WILD in REELS.column(4, stops[4])
    assert of(steps, RespinsWon) == []


def test_lines_pay_from_reel_one_alone() -> None:
    """Three aces from reel 1 pay; four from reel 2 don't."""
    assert [LineWin(1, "ace", 3, coins=LINE_PAYS["ace"][3])] == first_line(play_round(THREE_ACES))
    assert first_line(play_round(middle_row("mushroom", "ace", "ace", "ace", "ace"))) == []


def test_a_line_pays_its_highest_win_alone() -> None:
    """Three wilds before two tens pay as five tens, before one ten as three wilds: the higher, and it alone."""
    tens = play_round(middle_row(WILD, WILD, WILD, "ten", "ten"))
    assert LINE_PAYS["ten"][5] > LINE_PAYS[WILD][3]
    assert [LineWin(1, "ten", 5, coins=LINE_PAYS["ten"][5])] == first_line(tens)
    wilds = play_round(middle_row(WILD, WILD, WILD, "ten", "jack"))
    assert LINE_PAYS["ten"][4] < LINE_PAYS[WILD][3]
    assert [LineWin(1, WILD, 3, coins=LINE_PAYS[WILD][3])] == first_line(wilds)


def test_line_wins_are_added() -> None:
    """A full screen of wilds pays each of the ten lines: 10,000 coins, a thousand bets."""
    assert {(WILD,) * 3} == set(REELS.window(ALL_WILDS))
    steps = play_round(ALL_WILDS)
    assert [*range(1, 11)] == [step.line for step in steps if isinstance(step, LineWin)]
    assert won(steps) == 10_000


@pytest.mark.parametrize("counts", [(1, 0, 0, 0, 0), (1, 1, 1, 1, 1), (2, 1, 2, 0, 0)])
def test_five_bonus_symbols_pay_nothing(counts: tuple[int, ...]) -> None:
    """Up to five bonus symbols show what they carry, and pay nothing."""
    stops = bonuses(*counts)
    shown = tuple(Bonus(cell, 18) for cell in cells_of(stops))
    assert [ReelsLanded(stops), BonusesLanded(shown)] == play_round(stops, carry(*[18] * sum(counts)))


@pytest.mark.parametrize("counts", [(2, 2, 2, 0, 0), (0, 0, 2, 2, 2), (1, 1, 1, 1, 2), (2, 2, 2, 2, 2)])
def test_six_or_more_bonus_symbols_anywhere_start_three_respins(counts: tuple[int, ...]) -> None:
    """Wherever six or more are, they are held and three respins begin, behind a press."""
    stops = bonuses(*counts)
    held = sum(counts)
    steps = play_round(stops, carry(*[1] * held), misses(15 - held, 15 - held, 15 - held))
    assert [RespinsWon(3, cells_of(stops)), Begin(3)] == steps[2:4]
    assert [HoldAndWinPaid(held, full=False, coins=10 * held)] == of(steps, HoldAndWinPaid)


def test_lines_are_paid_before_hold_and_win_and_added_to_it() -> None:
    """A spin whose lines win pays them first; the round's win is both."""
    stops = next(stops for stops in TRIGGERS if EVALUATOR.hits(stops, 10) and len(cells_of(stops)) == 6)
    lines = sum(hit.pay for hit in EVALUATOR.hits(stops, 10))
    steps = play_round(stops, carry(*[2] * 6), SHORT)
    kinds = [type(step) for step in steps]
    assert kinds.index(LineWin) < kinds.index(RespinsWon)
    assert lines + 120 == won(steps)


def test_a_win_may_be_gambled_at_the_end_of_the_round() -> None:
    """After a win the gamble is offered with all of it at risk; nothing is offered without a win."""
    steps = play_round(THREE_ACES)
    cents = won(steps)
    offer = steps[-2]
    assert isinstance(offer, DoubleUp)
    assert (cents, 1, 10) == (offer.at_risk_cents, offer.round, offer.rounds)
    assert DoubleUpEnded(total_cents=cents) == steps[-1]
    nothing = bonuses(0, 0, 0, 0, 0)
    assert [ReelsLanded(nothing)] == play_round(nothing)


def test_a_right_colour_doubles_and_a_wrong_one_loses() -> None:
    """Red on a red card wins as much again; then black on a red card loses all of it."""
    guesses = iter([RED, BLACK])
    steps = play_round(THREE_ACES, [0, 1, 0], [0, 0], choose=lambda _offer: next(guesses))
    cents = won(steps)
    assert [cents, -2 * cents] == [step.cents for step in steps if isinstance(step, CardTurned)]
    assert DoubleUpEnded(total_cents=0) == steps[-1]


def test_ten_gambles_are_the_limit() -> None:
    """After ten right guesses the win is 1,024-fold and nothing more is offered."""
    steps = play_round(THREE_ACES, [0, 1, 0] * 10, choose=lambda _offer: RED)
    assert len(of(steps, CardTurned)) == 10
    assert DoubleUpEnded(total_cents=1024 * won(steps)) == steps[-1]


def test_a_win_above_125000_euros_is_not_gambled() -> None:
    """A thousand bets of 80.00 may be gambled once: 80,000.00 doubled are over the limit. 125,000.00 itself is not."""
    rich = msgspec.structs.replace(STAKE, coin_value_cents=800)
    steps = play_round(ALL_WILDS, [0, 1, 0], stake=rich, choose=lambda _offer: RED)
    assert DoubleUpEnded(total_cents=16_000_000) == steps[-1]
    richer = msgspec.structs.replace(STAKE, coin_value_cents=1251)
    assert of(play_round(ALL_WILDS, stake=richer), DoubleUp) == []
    assert (GAMBLE.allows(12_500_000), GAMBLE.allows(12_500_001)) == (True, False)


def test_half_can_be_credited_and_the_rest_gambled() -> None:
    """HALVE credits the larger half and leaves the other at risk."""
    guesses = iter([HALVE, BLACK])
    steps = play_round(THREE_ACES, [0, 0], choose=lambda _offer: next(guesses))
    cents = won(steps)
    left = cents // 2
    assert Halved(credited_cents=cents - left, left_cents=left) in steps
    assert DoubleUpEnded(total_cents=cents - left) == steps[-1]


def test_the_jokers_and_cards_decide_nothing() -> None:
    """The first draw after a guess decides it; a joker comes on a win only, and a lost guess shows its card."""
    joker = play_round(THREE_ACES, [0, 0, 0, 1], choose=lambda offer: BLACK if getattr(offer, "cards", ()) else RED)
    turned = [step for step in joker if isinstance(step, CardTurned)]
    assert [(step.card, step.won) for step in turned] == [("joker", True), ("diamond", False)]


def test_a_triggering_spins_lines_stay_at_risk_through_hold_and_win() -> None:
    """So that any win of the round may be gambled, no respin's offer lets the line wins go before the gamble."""
    stops = next(stops for stops in TRIGGERS if EVALUATOR.hits(stops, 10) and len(cells_of(stops)) == 6)
    lines = sum(hit.pay for hit in EVALUATOR.hits(stops, 10))
    steps = play_round(stops, carry(*[2] * 6), SHORT)
    assert [lines] * 3 + [lines + 120] == [step.at_risk_cents for step in steps if isinstance(step, Offer)]


def test_an_answer_that_was_not_offered_is_refused() -> None:
    """A respin is started by its press alone; anything else raises before a draw is made."""
    draw = Script([*SIX, *carry(*[1] * 6)])
    play = GAME.play(STAKE, draw, None)
    while not isinstance(next(play), Continue):
        pass
    with pytest.raises(AnswerError, match="an offer of the choices"):
        play.send(Answer(1))
    assert draw.spent


def test_the_same_draws_and_answers_give_the_same_beats() -> None:
    """A round fed with its recorded draws and answers asks for the same bounds and yields the same encoded steps."""
    answered = 0
    for seed in range(300):
        stake = BOUGHT if seed % 2 else STAKE
        luck = Luck(seed)
        first = play_out(stake, luck.draw, luck.choose, GAME)
        script = Script([value for _, value in luck.draws])
        answers = list(luck.answers)
        again = play_out(stake, script, lambda _offer, answers=answers: answers.pop(0), GAME)  # type: ignore[misc]
        assert msgspec.json.encode(first) == msgspec.json.encode(again)
        assert [bound for bound, _ in luck.draws] == script.bounds
        assert not answers
        answered += len(luck.answers)
    assert answered > 0


def test_steps_survive_the_wire() -> None:
    """Every kind of step is decoded by the game's own type to what was sent."""
    decoder = msgspec.json.Decoder(GAME.step_type)
    kinds = set()
    for seed in range(200):
        luck = Luck(seed)
        steps = play_out(BOUGHT, luck.draw, luck.choose, GAME)
        wire = [msgspec.json.encode(step) for step in steps]
        assert wire == [msgspec.json.encode(decoder.decode(packet)) for packet in wire]
        kinds |= {type(step) for step in steps}
    assert len(kinds) == 16


def test_no_coin_is_paid_twice_or_forgotten() -> None:
    """Coins come from lines and from the end of Hold and Win alone, and that is as many bets as it says."""
    for seed in range(100):
        luck = Luck(seed)
        for beat in beats(play_out(BOUGHT, luck.draw, collect, GAME)):
            assert isinstance(beat, LineWin | HoldAndWinPaid) or not beat.coins
            if isinstance(beat, HoldAndWinPaid):
                assert 10 * beat.bets == beat.coins
            assert isinstance(beat, Beat)


def test_the_strips_are_as_the_maths_needs_them() -> None:
    """Known symbols alone, three wilds in a row on each reel, at most two bonus symbols of a reel in view."""
    for strip in REELS.strips:
        assert set(SYMBOLS) == set(strip)
        assert 3 == most_in_view(strip, WILD, 3) == strip.count(WILD)
        assert most_in_view(strip, BONUS, 3) == 2
        for symbol in set(SYMBOLS) - {WILD, BONUS}:
            assert most_in_view(strip, symbol, 3) == 1
    assert HOLD_RULES.strip.index(BONUS) == LANDS
    assert BONUS not in HOLD_RULES.strip[1:]


def test_bonus_symbols_carry_1_to_18_bets_or_a_function() -> None:
    """Every value from 1 to 18 occurs, and besides them Mystery and Multiplying alone."""
    assert [*range(1, 19)] == sorted(VALUES.weights)
    stops = bonuses(2, 1, 0, 0, 0)
    steps = play_round(stops, carry(18, MYSTERY, MULTIPLYING))
    landed = of(steps, BonusesLanded)[0]
    assert isinstance(landed, BonusesLanded)
    assert [bonus.carries for bonus in landed.bonuses] == [18, MYSTERY, MULTIPLYING]
