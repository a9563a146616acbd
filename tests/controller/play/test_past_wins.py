"""A past win belongs to the bet that it was won with, whatever bet is chosen now; replays show the round as it was."""

from pathlib import Path

import msgspec
import pytest

from controller.journal import rounds
from controller.rounds.draws import seeded_source
from gamekit import catalogue
from tests.rigs.machine import Rig
from tests.rigs.rounds import open_game, other_than, spin
from tests.rigs.virtual_cabinet import only
from ui.protocol.messages import View
from ui.protocol.values import Bet

STEPS = {"total": ("bet", "bet", "lines"), "lines": ("coin_value", "bet", "lines")}
"""Presses that change the bet of a game that is bet by its total, and of the others."""


async def played_until_won(rig: Rig) -> View:
    """Play rounds until one has won; return the view that it has left."""
    for _ in range(60):
        await spin(rig)
        if rig.screen.view.round.win_cents:
            return rig.screen.view
    raise AssertionError("sixty rounds without a win")


def _steps(name: str) -> tuple[str, ...]:
    return STEPS["lines" if catalogue.load(name).total_bets is None else "total"]


@pytest.mark.parametrize("name", catalogue.names())
async def test_another_bet_leaves_the_past_win_as_it_was(tmp_path: Path, name: str) -> None:
    """COIN VALUE, BET and LINES change what SPIN would stake, and nothing of what was won, also over a restart."""
    async with Rig(tmp_path, config=only(tmp_path, name, other_than(name)), draws=seeded_source(3)) as rig:
        await open_game(rig, name)
        won = await played_until_won(rig)
        assert won.round.played_bet == won.bet == won.reels_bet
        for control in _steps(name):
            await rig.press(control)
            view = rig.screen.view
            assert view.bet != won.bet
            assert (view.round.played_bet, view.round.win_cents, view.past.last_round) == (
                won.bet,
                won.round.win_cents,
                won.past.last_round,
            )
        await rig.restart(until="idle")
        view = rig.screen.view
        assert view.bet != won.bet
        assert (view.round.played_bet, view.round.win_cents) == (won.bet, won.round.win_cents)
        await rig.press("home")
        await rig.press(f"game:{other_than(name)}")
        view = rig.screen.view
        assert (view.game, view.round.played_bet, view.round.win_cents) == (other_than(name), None, 0)


async def test_the_next_round_is_in_the_money_of_its_own_bet(tmp_path: Path) -> None:
    """Until the reels move the old win stays in its own money; what comes then is in the new."""
    async with Rig(tmp_path, draws=seeded_source(2)) as rig:
        await rig.game(5000)
        won = await played_until_won(rig)
        await rig.press("coin_value")
        chosen = rig.machine.play.bet
        before = len(rig.screen.views)
        rig.screen.show_s = None
        await rig.press("spin")
        begins = [view for view in rig.screen.views[before:] if view.round.scene == won.round.scene]
        assert begins
        assert {view.round.played_bet for view in begins} == {won.bet}
        rig.screen.show_s = 1.0
        await rig.until("idle")
        assert rig.screen.view.round.played_bet == chosen


async def fought(rig: Rig, witch: int) -> None:
    """Take this witch in Bewitched and play one round."""
    await rig.press("info")
    await rig.press(f"witch:{witch}")
    await rig.press("paytable_close")
    await spin(rig)


async def test_a_replay_shows_the_witch_that_fought(tmp_path: Path) -> None:
    """Whichever is chosen now: in the player's replay and the attendant's recall; the choice stays as it is."""
    async with Rig(tmp_path, config=only(tmp_path, "bewitched", "neptune"), draws=seeded_source(5)) as rig:
        await open_game(rig, "bewitched")
        for witch in (1, 0, 1):
            await fought(rig, witch)
        await rig.press("info")
        await rig.press("witch:0")
        await rig.press("paytable_close")
        for number, witch in ((1, 1), (2, 0), (3, 1)):
            await rig.press("history")
            await rig.press(f"history:{number}")
            await rig.until("replay")
            view = rig.screen.view
            assert view.past.replay is not None
            assert view.terms.witch == witch
            await rig.press("history:close")
            await rig.press("history:close")
            assert (rig.shown, rig.screen.view.terms.witch) == ("idle", 0)
        recorded = [await rig.journal.do(lambda tx, n=n: rounds.recorded_round(tx, n)) for n in (1, 2, 3)]
        assert [each.companion for each in recorded] == [1, 0, 1]


async def test_a_round_without_companions_records_none(tmp_path: Path) -> None:
    """Neptune has no companions: its stake records none."""
    async with Rig(tmp_path) as rig:
        await rig.game(500)
        await spin(rig)
        assert await rig.rows("SELECT data FROM ledger WHERE kind = 'stake'") == [("{}",)]


@pytest.mark.parametrize("name", catalogue.names())
async def test_a_replay_has_the_round_s_own_bet(tmp_path: Path, name: str) -> None:
    """The bet, what a feature cost at it, and how it is chosen are the past round's, not the open game's."""
    total = catalogue.load(name).total_bets is not None

    other = other_than(name)
    async with Rig(tmp_path, config=only(tmp_path, name, other), draws=seeded_source(3)) as rig:
        await open_game(rig, name)
        bet: Bet = rig.machine.play.bet
        await spin(rig)
        await rig.press("home")
        await rig.press(f"game:{other}")
        await rig.press("history")
        await rig.press("history:1")
        await rig.until("replay")
        view = rig.screen.view
        assert (view.game, view.bet, view.round.played_bet) == (name, bet, bet)
        assert view.terms.bets_cents == ((bet.cents,) if total else ())
        assert view.terms.buy_cents == catalogue.load(name).buy_price * bet.cents
        assert view.terms.jackpot_cents == 0
        assert msgspec.json.decode(view.round.scene) is not None
