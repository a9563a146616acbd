"""Double-up by itself: its odds, its limits, its halves, and that nothing is credited twice or lost on the way."""

import dataclasses
import random
from collections.abc import Generator, Sequence

import msgspec
import pytest

from gamekit.beats import AnswerError, Continue, LineWin
from gamekit.double_up import (
    BLACK,
    COLLECT,
    HALVE,
    RED,
    CardTable,
    CardTurned,
    DoubleUp,
    DoubleUpEnded,
    DoubleUpRules,
    Halved,
    double_up,
    table_after,
    with_cents_at_risk,
)
from gamekit.play import Answer, Beat, Offer, Step
from gamekit.simulate import seeded_draw
from tests.games.table import Script

PLAIN = DoubleUpRules(rounds=5, red=("heart",), black=("spade",))
RICH = DoubleUpRules(
    rounds=10, red=("heart", "diamond"), black=("club", "spade"), most_cents=12_500_000, halve=True, joker_one_in=10
)
RED_CARD, BLACK_CARD = 0, 1


def gamble(wager: int, rules: DoubleUpRules, values: Sequence[int], choices: Sequence[int]) -> tuple[list[Step], int]:
    """Play a double-up with `values` drawn and `choices` made, all of them, and return its steps and its result."""
    draw, left = Script(values), list(choices)
    play = double_up(wager, draw, rules)
    steps: list[Step] = []
    answer = None
    while True:
        try:
            step = play.send(answer)
        except StopIteration as ended:
            assert draw.spent
            assert not left
            return steps, ended.value
        steps.append(step)
        answer = Answer(left.pop(0)) if isinstance(step, Offer) else None


def paid(steps: Sequence[Step]) -> int:
    return sum(step.cents for step in steps if isinstance(step, Beat))


def test_a_right_guess_doubles_and_a_wrong_one_loses() -> None:
    """Red on a heart makes two of one; black on a heart leaves nothing and ends the game."""
    assert [
        DoubleUp(choices=(COLLECT, RED, BLACK), at_risk_cents=70, round=1, rounds=5, cards=()),
        CardTurned(choice=RED, card="heart", won=True, cents=70),
        DoubleUp(choices=(COLLECT, RED, BLACK), at_risk_cents=140, round=2, rounds=5, cards=("heart",)),
        CardTurned(choice=BLACK, card="heart", won=False, cents=-140),
        DoubleUpEnded(total_cents=0),
    ] == gamble(70, PLAIN, [RED_CARD, RED_CARD], [RED, BLACK])[0]


def test_the_card_is_drawn_after_the_guess() -> None:
    """Before the guess nothing is drawn: one draw of two equal chances follows it."""
    draw = Script([BLACK_CARD])
    play = double_up(70, draw, PLAIN)
    assert isinstance(next(play), DoubleUp)
    assert draw.bounds == []
    play.send(Answer(BLACK))
    assert draw.bounds == [2]


@pytest.mark.parametrize(("colour", "right"), [(RED, RED_CARD), (BLACK, BLACK_CARD)])
def test_the_odds_are_even_for_either_colour(colour: int, right: int) -> None:
    """Of the two outcomes of the one draw that decides, each colour wins with one: the mean is exactly the wager."""
    assert gamble(35, PLAIN, [right], [colour, COLLECT])[1] == 70
    assert gamble(35, PLAIN, [1 - right], [colour])[1] == 0


def test_the_win_can_be_collected_before_any_card() -> None:
    """Collecting at once draws nothing and leaves the wager as it was."""
    steps, result = gamble(70, PLAIN, [], [COLLECT])
    assert result == 70
    assert [DoubleUpEnded(total_cents=70)] == steps[1:]


@pytest.mark.parametrize("rules", [PLAIN, DoubleUpRules(rounds=10, red=("heart",), black=("spade",))])
def test_after_the_last_round_the_win_is_paid(rules: DoubleUpRules) -> None:
    """As many right guesses as the rules allow end the double-up without a further question."""
    steps, result = gamble(3, rules, [RED_CARD] * rules.rounds, [RED] * rules.rounds)
    assert result == 3 * 2**rules.rounds
    offers = [step for step in steps if isinstance(step, DoubleUp)]
    assert [(number, rules.rounds) for number in range(1, rules.rounds + 1)] == [
        (offer.round, offer.rounds) for offer in offers
    ]
    assert [("heart",) * number for number in range(rules.rounds)] == [offer.cards for offer in offers]


def test_the_newest_card_lies_first() -> None:
    """The strip shows the cards turned so far, the newest at the left."""
    steps, _ = gamble(1, PLAIN, [RED_CARD, BLACK_CARD], [RED, BLACK, COLLECT])
    assert [step.cards for step in steps if isinstance(step, DoubleUp)] == [(), ("heart",), ("spade", "heart")]


def test_no_more_is_gambled_than_the_rules_allow() -> None:
    """At the limit a guess is offered, a cent above it none; a win that passes it is paid."""
    assert gamble(12_500_001, RICH, [], []) == ([], 12_500_001)
    assert gamble(0, RICH, [], []) == ([], 0)
    steps, result = gamble(12_500_000, RICH, [RED_CARD, 1, 0], [RED])
    assert result == 25_000_000
    assert [DoubleUp, CardTurned, DoubleUpEnded] == [type(step) for step in steps]


@pytest.mark.parametrize(
    ("own", "cap", "allowed"),
    [(None, None, 10**12), (None, 700, 700), (500, None, 500), (500, 700, 500), (500, 300, 300), (500, 0, 0)],
)
def test_a_cabinet_s_cap_can_only_lower_the_rules_own(own: int | None, cap: int | None, allowed: int) -> None:
    """What is at most the cap may be gambled; a cap of 0 leaves nothing, none changes nothing."""
    rules = dataclasses.replace(PLAIN, most_cents=own).capped_at(cap)
    assert rules.allows(allowed) is (allowed > 0)
    assert rules.allows(allowed + 1) is (own is None and cap is None)
    assert (rules.amount_to_gamble(allowed), rules.rounds, rules.red) == (allowed, PLAIN.rounds, PLAIN.red)


def test_half_is_credited_with_the_odd_cent() -> None:
    """Half of 7 cents credits 4 and leaves 3 at risk; it takes no card and no round."""
    steps, result = gamble(7, RICH, [BLACK_CARD, 0], [HALVE, RED])
    assert [
        DoubleUp(choices=(COLLECT, RED, BLACK, HALVE), at_risk_cents=7, round=1, rounds=10, cards=()),
        Halved(credited_cents=4, left_cents=3),
        DoubleUp(choices=(COLLECT, RED, BLACK, HALVE), at_risk_cents=3, round=1, rounds=10, cards=()),
        CardTurned(choice=RED, card="club", won=False, cents=-3),
        DoubleUpEnded(total_cents=4),
    ] == steps
    assert result == 4


def test_a_single_cent_cannot_be_halved() -> None:
    """Two cents may be halved, and the one that is left may not."""
    steps, _ = gamble(2, RICH, [], [HALVE, COLLECT])
    assert [step.choices for step in steps if isinstance(step, DoubleUp)] == [
        (COLLECT, RED, BLACK, HALVE),
        (COLLECT, RED, BLACK),
    ]


@pytest.mark.parametrize(
    ("values", "card"), [([RED_CARD, 0], "joker"), ([RED_CARD, 9, 0], "heart"), ([0, 1, 1], "diamond")]
)
def test_the_joker_stands_in_on_a_win(values: list[int], card: str) -> None:
    """Which card is shown for a win is drawn after the win is decided, and changes nothing of it."""
    steps, result = gamble(10, RICH, values, [RED, COLLECT])
    assert CardTurned(choice=RED, card=card, won=True, cents=10) == steps[1]
    assert result == 20


def test_a_card_has_the_colour_it_counts_as() -> None:
    """Over many guesses a win shows the colour named or the joker, a loss the other colour and never the joker."""
    source = random.Random(3)
    draw = seeded_draw(source)
    suits = {RED: {"heart", "diamond"}, BLACK: {"club", "spade"}}
    shown: set[tuple[bool, str]] = set()
    for _ in range(600):
        play = double_up(1, draw, RICH)
        next(play)
        turned = play.send(Answer(choice := source.choice((RED, BLACK))))
        assert isinstance(turned, CardTurned)
        shown.add((turned.won, turned.card))
        assert turned.card in suits[choice] | {"joker"} if turned.won else turned.card in suits[RED + BLACK - choice]
    assert len(shown) == 9


def test_every_cent_is_accounted_for() -> None:
    """The wager and what the beats pay and take make the result; no offer has more at risk than is there."""
    source = random.Random(5)
    draw = seeded_draw(source)
    ends: set[bool] = set()
    for wager in range(1, 400):
        play = double_up(wager, draw, RICH)
        there, credited = wager, 0
        answer = None
        while True:
            try:
                step = play.send(answer)
            except StopIteration as ended:
                result = ended.value
                break
            answer = None
            if isinstance(step, DoubleUp):
                assert there == credited + step.at_risk_cents
                answer = Answer(source.choice(step.choices))
            elif isinstance(step, Beat):
                there += step.cents
                credited += step.credited_cents if isinstance(step, Halved) else 0
        assert there == result
        ends.add(there == 0)
    assert ends == {True, False}


@pytest.mark.parametrize("answer", [None, Answer(HALVE), Answer(-1), Answer(4)])
def test_an_answer_that_was_not_offered_is_refused(answer: Answer | None) -> None:
    """Without the rule for it there is no half, and nothing is drawn for an answer that means nothing."""
    draw = Script([])
    play = double_up(5, draw, PLAIN)
    next(play)
    with pytest.raises(AnswerError, match="an offer of the choices"):
        play.send(answer)
    assert draw.spent


@pytest.mark.parametrize(
    "rules", [{"rounds": 0}, {"red": ()}, {"black": ()}], ids=["no rounds", "no red card", "no black card"]
)
def test_rules_that_cannot_be_played_are_refused(rules: dict[str, object]) -> None:
    """A double-up without rounds, or without a card of each colour, is an error of whoever wrote it."""
    with pytest.raises(ValueError, match="one round or more"):
        DoubleUpRules(**{"rounds": 5, "red": ("heart",), "black": ("spade",), **rules})  # type: ignore[arg-type]


def test_a_win_held_back_is_at_risk_in_every_offer() -> None:
    """Offers of a feature in between carry the win that double-up will wager; all else passes through."""

    def feature() -> Generator[Step, Answer | None, str]:
        yield LineWin(1, "moon", 3, coins=5)
        answer = yield Continue(2)
        return f"answered {answer}"

    play = with_cents_at_risk(feature(), 40)
    assert LineWin(1, "moon", 3, coins=5) == next(play)
    assert Continue(2, at_risk_cents=40) == play.send(None)
    with pytest.raises(StopIteration) as ended:
        play.send(Answer(0))
    assert ended.value.value == "answered Answer(choice=0)"


def test_the_table_shows_what_stands() -> None:
    """A display that starts in between sees the cards, what is at risk, the halves taken and what may be chosen."""
    steps, _ = gamble(9, RICH, [RED_CARD, 1, 0, RED_CARD, 1], [RED, HALVE, BLACK])
    tables: list[CardTable] = []
    for step in steps:
        assert isinstance(step, DoubleUp | CardTurned | Halved | DoubleUpEnded)
        tables.append(table_after(tables[-1] if tables else None, step))
    every = (COLLECT, RED, BLACK, HALVE)
    assert CardTable(choices=every, round=1, rounds=10, at_risk_cents=9) == tables[0]
    assert (
        CardTable(choices=every, round=2, rounds=10, at_risk_cents=9, credited_cents=9, cards=("heart",), won=True)
        == tables[4]
    )
    assert (
        CardTable(open=False, round=2, rounds=10, credited_cents=9, cards=("diamond", "heart"), won=False) == tables[-1]
    )
    assert tables == [msgspec.json.decode(msgspec.json.encode(table), type=CardTable) for table in tables]
