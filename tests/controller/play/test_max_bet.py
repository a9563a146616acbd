"""MAX BET, the same in every game: it chooses the highest bet that the credit covers, says its cost, stakes nothing."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.session import betting
from controller.session.credit_words import MAX_BET, MAX_BET_BEYOND, MAX_BET_COVERED, about_max_bet, holds
from gamekit import catalogue
from tests.rigs.machine import Rig
from tests.rigs.rounds import open_game, other_than
from tests.rigs.virtual_cabinet import configuration, only
from ui.protocol.values import Bet


@pytest.mark.requirement("G5")
@pytest.mark.parametrize("name", catalogue.names())
async def test_max_bet_selects_and_spin_plays(tmp_path: Path, name: str) -> None:
    """One press stakes nothing and says what a spin will cost; the next press of SPIN stakes exactly that."""
    async with Rig(tmp_path, config=only(tmp_path, name, other_than(name))) as rig:
        await open_game(rig, name)
        credit = rig.credit
        await rig.press("max_bet", 2.0)
        view = rig.screen.view
        assert (rig.shown, rig.credit, await rig.meter("games")) == ("idle", credit, 0)
        assert view.message == MAX_BET
        highest = betting.highest(catalogue.load(name), rig.config.games, rig.machine.play.bet)
        assert view.bet == highest
        await rig.press("spin")
        assert await rig.rows("SELECT stake_cents FROM rounds") == [(highest.cents,)]
        assert rig.screen.view.message == ""


@pytest.mark.parametrize("name", catalogue.names())
async def test_max_bet_never_costs_more_than_there_is(tmp_path: Path, name: str) -> None:
    """With 5.00 it is a bet that SPIN plays; money that comes in makes other words true, and the old ones go."""
    async with Rig(tmp_path, config=only(tmp_path, name, other_than(name))) as rig:
        await rig.note(500)
        await rig.until("lobby")
        await rig.press(f"game:{name}")
        await rig.press("spin" if rig.shown == "witch" else "")
        await rig.press("max_bet")
        bet = rig.machine.play.bet
        assert (rig.screen.view.message, bet.cents) == (MAX_BET_COVERED, 500)
        await rig.note(500)
        assert (rig.screen.view.message, rig.machine.play.bet) == ("", bet)
        await rig.press("spin")
        assert await rig.rows("SELECT stake_cents FROM rounds") == [(500,)]


@given(
    name=st.sampled_from(catalogue.names()), credit=st.integers(0, 40_000), value=st.sampled_from((1, 5, 10, 50, 100))
)
def test_what_max_bet_says_is_true(name: str, credit: int, value: int) -> None:
    """No dearer bet at this coin value is covered; where none is, it is the highest, and the words say so."""
    game, games = catalogue.load(name), configuration(Path()).games
    bet = betting.first_bet(game, games)
    if game.total_bets is None:
        bet = msgspec.structs.replace(bet, coin_value_cents=value)
        costs = {lines * coins * value for lines in game.line_counts for coins in game.coins_per_line}
    else:
        costs = set(betting.total_bets(game, games))
    chosen = betting.most(game, games, bet, credit)
    covered = [cents for cents in costs if cents <= credit]
    assert chosen.cents == max(covered, default=max(costs))
    assert game.total_bets is not None or chosen.coin_value_cents == value
    said = about_max_bet(game, games, chosen, credit)
    assert said == (MAX_BET if max(costs) <= credit else MAX_BET_COVERED if covered else MAX_BET_BEYOND)
    assert holds(said, game, games, chosen, credit)
    assert not holds(said, game, games, chosen, credit + max(costs)) or said == MAX_BET


def test_the_highest_bet_is_all_lines_at_the_most_coins() -> None:
    """Where the credit covers it MAX BET is what the rule pages call BET MAX, at the chosen coin value."""
    game, games = catalogue.load("bewitched"), configuration(Path()).games
    bet = Bet(lines=3, coins_per_line=2, coin_value_cents=20)
    assert betting.most(game, games, bet, 3000) == Bet(lines=15, coins_per_line=10, coin_value_cents=20)
    assert betting.most(game, games, bet, 2999) == Bet(lines=14, coins_per_line=10, coin_value_cents=20)
