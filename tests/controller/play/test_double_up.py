"""Doubling a win on the machine (games/bewitched/RULES.md, 4): offered beside the reels, forced on nobody.

By buttons alone and by touch alone; what is at risk is shown and never credited.
"""

from pathlib import Path

import msgspec
import pytest

from controller.play.answering import ABSENT_MINUTES
from gamekit.double_up import BLACK, COLLECT, RED
from tests.games.bewitched_table import MOONS
from tests.rigs.bewitched import MERLINS_JACKPOT, RED_CARD, bewitched, to_the_table, to_the_win
from tests.rigs.machine import Rig
from tests.rigs.virtual_cabinet import only


async def guess(rig: Rig, *controls: str) -> None:
    """Press these controls one after the other."""
    for control in controls:
        assert control in rig.machine.states.controls
        await rig.press(control)


async def test_what_is_at_risk_is_shown_and_not_credited(tmp_path: Path) -> None:
    """The line win is in WIN and at risk from the reels on, the credit has none of it before COLLECT."""
    async with bewitched(tmp_path, *MOONS) as rig:
        credit = await to_the_win(rig)
        view = rig.screen.view
        assert credit == 2000 - rig.machine.play.bet.cents == view.balance.credit_cents
        assert view.round.at_risk_cents == view.round.win_cents > 0
        at_risk = view.round.at_risk_cents
        await rig.press("collect")
        await rig.until("idle")
        assert rig.credit == rig.screen.view.balance.credit_cents == credit + at_risk
        assert (rig.screen.view.round.win_cents, rig.screen.view.round.at_risk_cents) == (at_risk, 0)


async def test_gamble_is_lit_and_nothing_else_of_the_game_is_dead(tmp_path: Path) -> None:
    """GAMBLE, which is MAX BET, and SPIN blink; all that the idle game has beside its pages lives, no choice yet."""
    async with bewitched(tmp_path, *MOONS) as rig:
        await to_the_win(rig)
        assert {name for name, pattern in rig.front.lit.items() if pattern == "blink"} == {"max_bet", "spin"}
        assert set(rig.screen.view.controls) == {
            *("spin", "max_bet", "bet", "lines", "auto", "info", "collect", "service"),
            *("coin_value", "sound", "home"),
        }
        assert rig.machine.states.takes_coins


async def test_the_next_spin_collects_and_plays(tmp_path: Path) -> None:
    """One press of SPIN credits the win and stakes the next bet, with no show and no other press in between."""
    async with bewitched(tmp_path, *MOONS) as rig:
        credit = await to_the_win(rig)
        at_risk, bet = rig.screen.view.round.at_risk_cents, rig.machine.play.bet.cents
        shows = len(rig.screen.shows)
        await rig.press("spin", 0.0)
        await rig.until_true(lambda: len(rig.screen.shows) > shows, 0.3)
        assert await rig.rows("SELECT state, win_cents FROM rounds ORDER BY id") == [
            ("settled", at_risk),
            ("settled", 0),
        ]
        assert (rig.credit, len(rig.screen.shows)) == (credit + at_risk - bet, shows + 1)
        states = [view.state for view in rig.screen.views]
        assert "gamble" not in states


async def test_a_bet_that_only_the_win_affords_is_played(tmp_path: Path) -> None:
    """SPIN collects before it asks for the credit: 2.00 and a win of 2.00 are enough for a bet of 3.00."""
    async with bewitched(tmp_path, *MOONS) as rig:
        await rig.game(500)
        await rig.press("bet")
        await rig.press("spin")
        await rig.until("gamble_offer")
        assert (rig.credit, rig.screen.view.round.at_risk_cents, rig.machine.play.bet.cents) == (200, 200, 300)
        await rig.press("spin")
        assert await rig.meter("games") == 2
        assert rig.credit == 100


@pytest.mark.parametrize(
    ("control", "state"),
    [("collect", "idle"), ("home", "lobby"), ("auto", "autospin"), ("bet", "idle"), ("lines", "idle")],
)
async def test_any_other_control_collects_and_does_its_own(tmp_path: Path, control: str, state: str) -> None:
    """The win is credited, and the press does once what it does in the idle game."""
    async with bewitched(tmp_path, *MOONS) as rig:
        credit = await to_the_win(rig)
        at_risk, bet = rig.screen.view.round.at_risk_cents, rig.machine.play.bet
        await rig.press(control)
        await rig.until(state)
        assert rig.credit == credit + at_risk
        assert await rig.rows("SELECT state FROM rounds") == [("settled",)]
        assert (rig.machine.play.bet != bet) is (control in ("bet", "lines"))


@pytest.mark.requirement("G4", "G7")
async def test_the_rules_can_be_read_before_the_choice(tmp_path: Path) -> None:
    """INFO shows the paytable without collecting, turns its pages and leads back to the win."""
    async with bewitched(tmp_path, *MOONS) as rig:
        credit = await to_the_win(rig)
        for leave in ("info", "collect", "paytable_close"):
            await rig.press("info")
            await rig.until("paytable")
            assert "menu" not in rig.machine.states.controls
            await rig.press("bet")
            assert rig.screen.view.focus == "page:1"
            await rig.press(leave)
            await rig.until("gamble_offer")
        assert (rig.credit, await rig.rows("SELECT state FROM rounds")) == (credit, [("open",)])
        await rig.press("max_bet")
        await rig.until("gamble")


@pytest.mark.requirement("M2")
@pytest.mark.parametrize("by", ["buttons", "fingers"])
async def test_a_right_guess_doubles_and_a_wrong_one_loses(tmp_path: Path, by: str) -> None:
    """RED by cursor or by touch: the amount at risk doubles; BLACK on a red card then loses all of it."""
    async with bewitched(tmp_path, *MOONS, RED_CARD, RED_CARD) as rig:
        credit = await to_the_table(rig)
        at_risk = rig.screen.view.round.at_risk_cents
        assert {"choice:0", "choice:1", "choice:2", "collect", "spin", "lines", "bet"} <= rig.machine.states.controls
        assert rig.screen.view.focus == f"choice:{COLLECT}"
        await (guess(rig, "bet", "spin") if by == "buttons" else guess(rig, f"choice:{RED}"))
        await rig.until("gamble")
        assert (rig.screen.view.round.at_risk_cents, rig.screen.view.round.win_cents) == (2 * at_risk, 2 * at_risk)
        assert rig.credit == credit
        assert await rig.rows("SELECT stake_cents FROM rounds") == [(await rig.meter("stakes"),)]
        await (guess(rig, "lines", "spin") if by == "buttons" else guess(rig, f"choice:{BLACK}"))
        await rig.until("idle")
        assert (rig.credit, rig.screen.view.round.win_cents, rig.screen.view.round.at_risk_cents) == (credit, 0, 0)
        assert await rig.rows("SELECT answer FROM segments ORDER BY number") == [(None,), (RED,), (BLACK,)]
        assert await rig.rows("SELECT stake_cents FROM rounds") == [(await rig.meter("stakes"),)]


async def test_the_win_can_still_be_collected_at_the_table(tmp_path: Path) -> None:
    """COLLECT before the first card takes the win, as it was."""
    async with bewitched(tmp_path, *MOONS) as rig:
        credit = await to_the_table(rig)
        at_risk = rig.screen.view.round.at_risk_cents
        await rig.press("spin")  # the cursor is on COLLECT
        await rig.until("idle")
        assert rig.credit == credit + at_risk


@pytest.mark.requirement("B9")
async def test_vials_have_no_collect(tmp_path: Path) -> None:
    """While vials are to be taken COLLECT is dead, though a win is at risk; attendant and sound live."""
    async with bewitched(tmp_path, *MERLINS_JACKPOT) as rig:
        await rig.game(2000)
        await rig.press("spin")
        await rig.until("offer")
        assert rig.screen.view.round.at_risk_cents > 0
        assert {"service", "sound", "choice:3"} <= rig.machine.states.controls
        assert "collect" not in rig.machine.states.controls


@pytest.mark.parametrize("where", ["reels", "paytable", "table"])
async def test_an_absent_player_collects_and_never_gambles(tmp_path: Path, where: str) -> None:
    """After 120 powered-on hours what is at risk is credited, wherever the player has left it; nothing is staked."""
    async with bewitched(tmp_path, *MOONS) as rig:
        credit = await to_the_win(rig)
        at_risk = rig.screen.view.round.at_risk_cents
        if where != "reels":
            await rig.press("max_bet" if where == "table" else "info")
        await rig.journal.do(
            lambda tx: tx.execute("UPDATE rounds SET waited_minutes = ?", (ABSENT_MINUTES - 1,)).rowcount
        )
        await rig.until("idle", 240.0)
        assert rig.credit == credit + at_risk
        assert await rig.rows("SELECT answer FROM segments ORDER BY number") == [(None,), (COLLECT,)]
        assert await rig.meter("games") == 1


async def test_a_cut_while_a_win_is_doubled_changes_nothing(tmp_path: Path) -> None:
    """Before the first guess the win is offered again beside the reels, after it the table waits again."""
    async with bewitched(tmp_path, *MOONS, RED_CARD) as rig:
        credit = await to_the_table(rig)
        at_risk = rig.screen.view.round.at_risk_cents
        await rig.restart(until="gamble_offer")
        assert (rig.screen.view.round.at_risk_cents, rig.credit) == (at_risk, credit)
        await rig.press("max_bet")
        await rig.press(f"choice:{RED}")
        await rig.until("gamble")
        await rig.restart(until="gamble")
        assert (rig.screen.view.round.at_risk_cents, rig.credit) == (2 * at_risk, credit)
        await rig.press("collect")
        await rig.until("idle")
        assert rig.credit == credit + 2 * at_risk


@pytest.mark.parametrize("control", ["spin", "bet"])
async def test_a_press_after_a_restart_collects_and_does_its_own(tmp_path: Path, control: str) -> None:
    """The win that waited over a power cut is collected by the next press, which still does what it says."""
    async with bewitched(tmp_path, *MOONS) as rig:
        credit = await to_the_win(rig)
        at_risk, bet = rig.screen.view.round.at_risk_cents, rig.machine.play.bet
        await rig.restart(until="gamble_offer")
        await rig.press(control)
        await rig.until("idle")
        spun = control == "spin"
        assert (await rig.meter("games"), rig.machine.play.bet != bet) == (1 + spun, not spun)
        assert rig.credit == credit + at_risk - spun * bet.cents


async def test_a_door_opened_over_the_win_leaves_it_there(tmp_path: Path) -> None:
    """A press meant for the win is dropped while the door is open; shut, the win is offered as before."""
    async with bewitched(tmp_path, *MOONS) as rig:
        credit = await to_the_win(rig)
        await rig.door(is_open=True)
        assert rig.shown == "tilted"
        for control in ("spin", "max_bet", "collect"):
            await rig.press(control)
        await rig.door(is_open=False)
        await rig.until("gamble_offer")
        assert (rig.credit, await rig.rows("SELECT count(*) FROM segments")) == (credit, [(1,)])


@pytest.mark.requirement("B10")
async def test_a_large_win_is_not_spun_past(tmp_path: Path) -> None:
    """SPIN on a win that locks up for the attendant collects it, and stakes nothing before he has seen it."""
    config = only(tmp_path, "bewitched")
    limits = msgspec.structs.replace(config.limits, large_win_cents=100)
    async with bewitched(tmp_path, *MOONS, config=msgspec.structs.replace(config, limits=limits)) as rig:
        await to_the_win(rig)
        await rig.press("spin")
        await rig.until("large_win")
        await rig.turn_key("attendant")
        await rig.until("idle")
        assert await rig.meter("games") == 1
