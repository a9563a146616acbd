"""Bewitched's double feature: what may be wagered, when, and what is credited before."""

import msgspec
import pytest

from controller.rounds.engine import Round
from gamekit.beats import Continue, LineWin, Pick
from gamekit.double_up import BLACK, COLLECT, RED, CardTurned, DoubleUp, DoubleUpEnded
from gamekit.play import Claim, Offer, Stake, Step
from games.bewitched import GAME
from games.bewitched.pays import BATTLE_SPINS, LINE_PAYS, WITCHES_PAYS
from tests.games.bewitched_table import (
    LOST,
    MOONS,
    MOONS_AND_MERLINS,
    MOONS_AND_WITCHES,
    NOTHING,
    WON,
    first_choice,
    jackpot,
    money,
    play_round,
    specials,
    spins,
)
from tests.games.table import Script, beats

THREE_MOONS = LINE_PAYS["moon"][3]
SHORTEST = BATTLE_SPINS[2]
RED_CARD, BLACK_CARD = 0, 1
FIVE_CENTS = Stake(lines=1, coins_per_line=2, coin_value_cents=5)


def double(values: list[int], *colours: int) -> list[Step]:
    """Play three moons at ten cents a coin on the line, then double with the `colours` guessed."""
    left = [*colours, COLLECT]
    return play_round([*MOONS, *values], FIVE_CENTS, lambda _offer: left.pop(0))


def test_a_win_is_offered_to_be_doubled_at_the_end() -> None:
    """After the last beat of a spin with a line win the player may collect, or guess red or black; nothing is drawn."""
    steps = play_round(MOONS, FIVE_CENTS, first_choice)
    wager = THREE_MOONS * 2 * 5
    assert steps[1:] == [
        LineWin(1, "moon", 3, coins=THREE_MOONS * 2),
        DoubleUp(choices=(COLLECT, RED, BLACK), at_risk_cents=wager, round=1, rounds=5, cards=()),
        DoubleUpEnded(total_cents=wager),
    ]
    assert isinstance(steps[2], DoubleUp)
    assert steps[2].pick


def test_a_lost_spin_offers_nothing() -> None:
    """Without a line win there is nothing to double."""
    assert len(play_round(NOTHING)) == 1


@pytest.mark.parametrize(
    "values",
    [
        [*specials(witches=5), LOST],
        [*specials(merlins=3), money(300)],
        [*specials(merlins=3), jackpot()],
        [*specials(witches=2), WON, *MOONS, *NOTHING * (SHORTEST - 1)],
        [*specials(merlins=3), spins(15), *MOONS * 15],
    ],
    ids=["scatter", "money", "jackpot", "battle's free spins", "Merlin's free spins"],
)
def test_scatter_bonus_and_free_spin_wins_cannot_be_doubled(values: list[int]) -> None:
    """What scatters, Merlin and free spins pay is never offered to be doubled."""
    steps = play_round(values)
    assert sum(beat.coins for beat in beats(steps)) > 0
    assert not any(isinstance(step, DoubleUp) for step in steps)


def test_hearts_are_red_and_spades_are_black() -> None:
    """The card is a red heart or a black spade; the colour named wins as much again, the other loses the wager."""
    wager = THREE_MOONS * 2 * 5
    assert double([RED_CARD], RED)[3] == CardTurned(choice=RED, card="heart", won=True, cents=wager)
    assert double([BLACK_CARD], BLACK)[3] == CardTurned(choice=BLACK, card="spade", won=True, cents=wager)
    left = [RED]
    assert play_round([*MOONS, BLACK_CARD], FIVE_CENTS, lambda _offer: left.pop(0))[3:] == [
        CardTurned(choice=RED, card="spade", won=False, cents=-wager),
        DoubleUpEnded(total_cents=0),
    ]


def test_a_win_is_doubled_five_times_at_most() -> None:
    """Five right guesses make 32 wagers and end the double; there is no sixth."""
    left = [RED] * 5
    steps = play_round([*MOONS, *[RED_CARD] * 5], FIVE_CENTS, lambda _offer: left.pop(0))
    assert steps[-1] == DoubleUpEnded(total_cents=THREE_MOONS * 2 * 5 * 32)
    assert left == []


def test_each_wager_is_the_amount_won_before() -> None:
    """The second guess wagers what the first one won, and the strip has the newest card at the left."""
    steps = double([RED_CARD, BLACK_CARD], RED, BLACK)
    offers = [step for step in steps if isinstance(step, DoubleUp)]
    wager = THREE_MOONS * 2 * 5
    assert [offer.at_risk_cents for offer in offers] == [wager, 2 * wager, 4 * wager]
    assert [offer.cards for offer in offers] == [(), ("heart",), ("spade", "heart")]


def test_the_win_can_be_collected_before_each_card() -> None:
    """Collecting after one right guess leaves two wagers."""
    assert double([RED_CARD], RED)[-1] == DoubleUpEnded(total_cents=2 * THREE_MOONS * 2 * 5)


@pytest.mark.parametrize(("cap", "offers"), [(99, 0), (100, 1), (400, 3), (1_600, 5), (10**9, 5), (None, 5)])
def test_nothing_above_the_stake_s_cap_is_offered(cap: int | None, offers: int) -> None:
    """The double ends where the cap is passed, and begins only with a wager that is not above it."""
    stake, left = msgspec.structs.replace(FIVE_CENTS, gamble_cap_cents=cap), [RED] * 5
    steps = play_round([*MOONS, *[RED_CARD] * 5][: 5 + offers], stake, lambda _offer: left.pop(0))
    assert sum(isinstance(step, DoubleUp) for step in steps) == offers
    assert all(cap is None or step.at_risk_cents <= cap for step in steps if isinstance(step, DoubleUp))
    assert sum(step.coins * 5 + step.cents for step in beats(steps)) == 100 * 2**offers


def test_a_win_above_the_cap_is_credited_at_once() -> None:
    """What can't be doubled later does not wait for the end of the features: it is the player's with the reels."""
    stake = msgspec.structs.replace(FIVE_CENTS, gamble_cap_cents=99)
    played = Round(GAME, stake, "null")
    played.advance(None, Script([*MOONS_AND_WITCHES, WON]))
    assert isinstance(played.offer, Continue)
    assert (played.offer.at_risk_cents, played.win_cents) == (0, 100 + WITCHES_PAYS[2] * 2 * 5)


def test_scatter_and_free_spins_are_credited_before_the_double() -> None:
    """While free spins run the line win of the paid spin is at risk; the rest is the player's as it is won."""
    values = [*MOONS_AND_WITCHES, WON, *MOONS, *NOTHING * (SHORTEST - 1), RED_CARD]
    played = Round(GAME, FIVE_CENTS, "null")
    draw = Script(values)
    line, scatter = THREE_MOONS * 2 * 5, WITCHES_PAYS[2] * 2 * 5
    played.advance(None, draw)
    credited = [played.win_cents]
    for _ in range(SHORTEST):
        assert isinstance(played.offer, Continue)
        assert played.offer.at_risk_cents == line
        played.advance(0, draw)
        credited.append(played.win_cents)
    assert credited == [scatter, *[scatter + 2 * line] * SHORTEST]
    assert isinstance(played.offer, DoubleUp)
    assert played.offer.at_risk_cents == line
    played.advance(RED, draw)
    assert played.win_cents == scatter + 2 * line
    played.advance(COLLECT, draw)
    assert played.ended
    assert played.win_cents == scatter + 2 * line + 2 * line


def test_a_lost_double_takes_nothing_that_was_credited() -> None:
    """Losing the wager leaves what scatter and free spins paid."""
    draw = Script([*MOONS_AND_WITCHES, LOST, BLACK_CARD])
    played = Round(GAME, FIVE_CENTS, "null")
    played.advance(None, draw)
    before = played.win_cents
    played.advance(RED, draw)
    assert played.ended
    assert before == played.win_cents == WITCHES_PAYS[2] * 2 * 5


def test_the_line_win_is_at_risk_in_vials_and_claim_too() -> None:
    """Every offer before the double carries the line win; the pool's coins are credited at once."""
    draw = Script([*MOONS_AND_MERLINS, jackpot(2)])
    played = Round(GAME, FIVE_CENTS, "null")
    line = THREE_MOONS * 2 * 5
    played.advance(None, draw)
    offers: list[Offer] = []
    while isinstance(played.offer, Pick | Claim):
        offers.append(played.offer)
        assert played.win_cents == 0
        played.advance(first_choice(played.offer), draw)
    assert [(type(offer), offer.at_risk_cents) for offer in offers] == [(Pick, line)] * 3 + [(Claim, line)]
    assert isinstance(played.offer, DoubleUp)
    assert played.offer.at_risk_cents == line
    assert played.win_cents == 2000 * 5
