"""Autospin on the machine: chosen with buttons or fingers, it plays on until there is a reason to stop."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from controller.play.answering import ABSENT_MINUTES
from controller.rounds.draws import DrawSource, seeded_source
from controller.rounds.engine import Round
from controller.session.autospin_panel import MOST_CENTS
from gamekit.catalogue import load
from gamekit.double_up import RED
from tests.games.bewitched_table import MOONS
from tests.rigs.bewitched import BLACK_CARD, MERLINS_JACKPOT, bewitched
from tests.rigs.machine import Rig
from tests.rigs.seeds import CHESTS, LOSING, STAKE_CENTS, WINNING

pytestmark = pytest.mark.requirement("G3")

THREE_MOONS_CENTS = 100
"""What three moons on a line pay at a coin of 0.10."""
DEFAULT_SPINS = 10


def always(seed: int) -> DrawSource:
    """Draws by which every round is that seed's first."""
    source = seeded_source(seed)
    return lambda _round, segment: source(0, segment)


async def press(rig: Rig, *controls: str) -> None:
    """Press these controls one after the other."""
    for control in controls:
        assert control in rig.machine.states.controls, f"{control} is dead in {rig.shown}"
        await rig.press(control)


async def typed(rig: Rig, field: str, digits: str) -> None:
    """Type an amount on the number pad."""
    await press(rig, f"auto:{field}:pad", *(f"auto:pad:{digit}" for digit in digits), "auto:pad:ok")


async def ended(rig: Rig, reason: str, rounds: int) -> None:
    """Autospin must end in the idle game for that reason after so many rounds."""
    await rig.until("idle", 120.0)
    view = rig.screen.view
    assert (view.message, view.round.autospin_of, view.round.autospin_left) == (f"autospin_{reason}", 0, 0)
    assert await rig.meter("games") == rounds
    await rig.machine.clock.sleep(10.0)
    assert await rig.meter("games") == rounds


async def press_through(rig: Rig, over: Callable[[], bool]) -> None:
    """Press SPIN at offers, and COLLECT where a win may be gambled, until `over()`."""
    for _ in range(200):
        if over():
            return
        await rig.press({"offer": "spin", "gamble_offer": "collect"}.get(rig.shown, ""), 0.5)
    raise AssertionError(f"still {rig.shown}")


async def test_it_plays_the_chosen_spins_without_a_press(tmp_path: Path) -> None:
    """Five spins follow each other, the remaining count is shown with each, and then it says why it ended."""
    async with Rig(tmp_path, draws=always(LOSING)) as rig:
        await rig.game(2000)
        await press(rig, "auto", "info", "spin")
        await ended(rig, "played_out", 5)
        assert rig.credit == 2000 - 5 * STAKE_CENTS
        shown = [view.round.autospin_left for view in rig.screen.views if view.round.autospin_of == 5]
        assert sorted(set(shown), reverse=True) == [4, 3, 2, 1, 0]
        assert shown == sorted(shown, reverse=True)


@pytest.mark.parametrize(
    ("seed", "field", "digits", "stop"),
    [
        (LOSING, "loss_limit", "300", ("loss_limit", 2)),
        (LOSING, "loss_limit", "299", ("loss_limit", 1)),
        (WINNING, "loss_limit", "150", ("played_out", DEFAULT_SPINS)),
        (WINNING, "single_win", "300", ("single_win", 1)),
        (WINNING, "single_win", "301", ("played_out", DEFAULT_SPINS)),
    ],
)
async def test_its_limits_stop_it(tmp_path: Path, seed: int, field: str, digits: str, stop: tuple[str, int]) -> None:
    """No spin starts that could pass the loss limit; a win as high as the limit is the last, a cent less is not."""
    async with Rig(tmp_path, draws=always(seed)) as rig:
        await rig.game(2000)
        await press(rig, "auto")
        await typed(rig, field, digits)
        await press(rig, "auto:start")
        await ended(rig, *stop)
        assert await rig.meter("stakes") == stop[1] * STAKE_CENTS


async def test_nothing_is_staked_that_is_not_there(tmp_path: Path) -> None:
    """It stops where the credit no longer suffices for the bet."""
    async with Rig(tmp_path, draws=always(LOSING)) as rig:
        await rig.game(500)
        await press(rig, "auto", "spin")
        await ended(rig, "credit", 3)
        assert rig.credit == 500 - 3 * STAKE_CENTS


@pytest.mark.parametrize("moment", [0.2, 0.9, 1.3])
async def test_stop_ends_it_at_once(tmp_path: Path, moment: float) -> None:
    """AUTO, which blinks while it runs, leaves no spin to come: while the reels turn and between two rounds."""
    async with Rig(tmp_path, draws=always(LOSING)) as rig:
        await rig.game(2000)
        await press(rig, "auto", "spin")
        await rig.machine.clock.sleep(moment - 0.1)
        assert rig.front.lit["auto"] == "blink"
        assert (rig.screen.view.round.autospin_left, rig.screen.view.round.autospin_of) == (9, 10)
        await press(rig, "auto")
        assert rig.screen.view.round.autospin_of == 0
        assert rig.shown == "idle" or "auto" not in rig.front.lit
        await ended(rig, "by_player", 1)


async def test_a_feature_waits_for_its_player(tmp_path: Path) -> None:
    """Chests are not opened by autospin, which can be stopped there; opened, they end the last round."""
    async with Rig(tmp_path, draws=always(CHESTS)) as rig:
        await rig.game(2000)
        await press(rig, "auto", "spin")
        await rig.until("offer")
        await rig.machine.clock.sleep(300.0)
        assert (rig.shown, rig.front.lit["auto"]) == ("offer", "blink")
        await press(rig, "auto")
        assert (rig.shown, rig.screen.view.round.autospin_of) == ("offer", 0)
        assert "auto" not in rig.front.lit
        await press_through(rig, lambda: rig.shown == "idle")
        await ended(rig, "by_player", 1)


@pytest.mark.parametrize("stops", [True, False])
async def test_a_feature_stops_it_where_chosen(tmp_path: Path, *, stops: bool) -> None:
    """With the switch on, the round that opened chests is the last; with it off the next spin follows."""
    async with Rig(tmp_path, draws=always(CHESTS)) as rig:
        await rig.game(2000)
        await press(rig, "auto")
        assert "auto:stop_on_jackpot:toggle" not in rig.machine.states.controls
        await press(rig, *["auto:stop_on_feature:toggle"] * stops, "auto:start")
        if stops:
            await press_through(rig, lambda: rig.shown == "idle")
            await ended(rig, "feature", 1)
        else:
            await press_through(rig, lambda: rig.screen.view.round.autospin_left == DEFAULT_SPINS - 2)
            assert await rig.meter("games") == 2


def test_respins_of_the_witch_are_a_feature() -> None:
    """Her features play on without a press, and are features won nevertheless; a round without one is none."""
    game, memory, seen = load("witch_feature"), "null", set()
    draws = seeded_source(1)
    for number in range(400):
        played = Round(game, game.stakes()[0], memory)
        segment = played.advance(None, draws(number, 0))
        waits = played.offer is not None
        begins = any(b"FeatureBegins" in bytes(step) for step in segment.steps)
        assert played.feature == (waits or begins)
        seen.add((waits, begins))
        while played.offer is not None:
            segment = played.advance(played.offer.choices[0], draws(number, played.segments))
        memory = segment.memory or "null"
    assert {(False, False), (False, True)} <= seen


async def test_a_gamble_is_collected(tmp_path: Path) -> None:
    """A line win that another spin follows by itself is never offered, is the player's and no feature; the last is."""
    async with bewitched(tmp_path, *MOONS, every_round=True) as rig:
        await rig.game(2000)
        await press(rig, "auto", "info", "auto:stop_on_feature:toggle", "spin")
        await rig.until("gamble_offer")
        offered = [view for view in rig.screen.views if view.state == "gamble_offer"]
        assert {(view.round.autospin_left, view.round.autospin_of, view.message) for view in offered} == {
            (0, 0, "autospin_played_out")
        }
        assert await rig.rows("SELECT count(*) FROM rounds WHERE state = 'settled'") == [(4,)]
        await rig.press("collect")
        await ended(rig, "played_out", 5)
        wins = await rig.rows("SELECT win_cents > 0, count(*) FROM rounds GROUP BY 1")
        assert wins == [(1, 5)]


async def test_vials_wait_for_their_player_with_a_win_at_risk(tmp_path: Path) -> None:
    """A line win that may be doubled later makes no gamble of Merlin's vials: they wait, and stop it where chosen."""
    async with bewitched(tmp_path, *MERLINS_JACKPOT, every_round=True) as rig:
        await rig.game(2000)
        await press(rig, "auto", "auto:stop_on_jackpot:toggle", "auto:stop_on_feature:toggle", "auto:start")
        await rig.until("offer")
        await rig.machine.clock.sleep(30.0)
        assert rig.machine.play.offer is not None
        assert rig.machine.play.offer.at_risk_cents > 0
        assert (rig.shown, rig.screen.view.focus) == ("offer", "choice:0")
        await press_through(rig, lambda: rig.shown == "idle")
        await ended(rig, "feature", 1)


@pytest.mark.parametrize("moment", [0.1, 1.3])
async def test_a_win_may_be_doubled_once_autospin_has_been_stopped(tmp_path: Path, moment: float) -> None:
    """STOP while the winning reels turn, or between their stop and the next spin, brings the offer to double."""
    async with bewitched(tmp_path, *MOONS, every_round=True) as rig:
        await rig.game(2000)
        await press(rig, "auto", "spin")
        await rig.machine.clock.sleep(moment)
        await press(rig, "auto")
        await rig.until("gamble_offer")
        assert rig.machine.play.offer is not None
        assert rig.machine.play.offer.at_risk_cents > 0
        assert rig.screen.view.message == "autospin_by_player"
        await press(rig, "collect")
        await ended(rig, "by_player", 1)


@pytest.mark.parametrize(
    ("credit", "coins", "limit", "stop"),
    [
        (2000, 1, ("loss_limit", "150"), "loss_limit"),
        (2000, 1, ("single_win", "100"), "single_win"),
        (500, 3, (), "credit"),
    ],
)
async def test_the_win_that_ends_it_may_be_doubled(
    tmp_path: Path, credit: int, coins: int, limit: tuple[str, ...], stop: str
) -> None:
    """The win after which no spin would start is offered, whatever ended it, and a loss changes no reason."""
    async with bewitched(tmp_path, *MOONS, BLACK_CARD, every_round=True) as rig:
        await rig.game(credit)
        await press(rig, *["bet"] * (coins - 1))
        bet, win = STAKE_CENTS * coins, THREE_MOONS_CENTS * coins
        assert rig.machine.play.bet.cents == bet
        await press(rig, "auto")
        if limit:
            await typed(rig, *limit)
        await press(rig, "auto:start")
        await rig.until("gamble_offer")
        assert (rig.screen.view.message, rig.screen.view.round.at_risk_cents) == (f"autospin_{stop}", win)
        await press(rig, "max_bet")
        assert rig.shown == "gamble"
        await press(rig, f"choice:{RED}")
        await ended(rig, stop, 1)
        assert rig.credit == credit - bet


async def test_auto_begins_anew_after_the_win_that_ended_it(tmp_path: Path) -> None:
    """AUTO at a win that may be doubled collects it and opens autospin's settings again."""
    async with bewitched(tmp_path, *MOONS, every_round=True) as rig:
        await rig.game(2000)
        await press(rig, "auto", "info", "spin")
        await rig.until("gamble_offer")
        await press(rig, "auto")
        await rig.until("autospin")
        assert await rig.rows("SELECT count(*) FROM rounds WHERE state = 'settled'") == [(5,)]


@pytest.mark.parametrize("stops", [True, False])
async def test_the_jackpot_stops_it_where_chosen(tmp_path: Path, *, stops: bool) -> None:
    """Only a game with a pool has the switch; off, the next spin follows the jackpot."""
    async with bewitched(tmp_path, *MERLINS_JACKPOT, every_round=True) as rig:
        await rig.game(2000)
        await press(rig, "auto")
        await press(rig, *["auto:stop_on_jackpot:toggle"] * (not stops), "auto:start")
        if stops:
            await press_through(rig, lambda: rig.shown == "idle")
            await ended(rig, "jackpot", 1)
        else:
            await press_through(rig, lambda: rig.screen.view.round.autospin_left == DEFAULT_SPINS - 2)
            assert await rig.rows("SELECT count(*) FROM claims") == [(1,)]


async def test_an_open_door_interrupts_it(tmp_path: Path) -> None:
    """The door stops it for good: shut again, the round is shown to its end and no other follows."""
    async with Rig(tmp_path, draws=always(LOSING)) as rig:
        await rig.game(2000)
        await press(rig, "auto", "spin")
        await rig.door(is_open=True)
        assert (rig.shown, rig.screen.view.round.autospin_of) == ("tilted", 0)
        await rig.door(is_open=False)
        await ended(rig, "interrupted", 1)
        assert await rig.meter("stakes") == STAKE_CENTS


async def test_a_restart_ends_it(tmp_path: Path) -> None:
    """After a power cut the round that was interrupted is played to its end, and no other."""
    async with Rig(tmp_path, draws=always(LOSING)) as rig:
        await rig.game(2000)
        await press(rig, "auto", "spin")
        await rig.restart(until="idle")
        await rig.machine.clock.sleep(10.0)
        assert (rig.shown, rig.screen.view.round.autospin_of, await rig.meter("games")) == ("idle", 0, 1)


async def test_it_stakes_nothing_for_a_player_who_is_gone(tmp_path: Path) -> None:
    """A feature that nobody answers for 120 hours finishes by itself, and autospin is over with it."""
    async with Rig(tmp_path, draws=always(CHESTS)) as rig:
        await rig.game(2000)
        await press(rig, "auto", "spin")
        await rig.until("offer")
        await rig.journal.do(
            lambda tx: tx.execute("UPDATE rounds SET waited_minutes = ?", (ABSENT_MINUTES - 1,)).rowcount
        )
        await rig.until("idle", 240.0)
        await ended(rig, "interrupted", 1)


async def test_everything_is_chosen_with_buttons_alone(tmp_path: Path) -> None:
    """LINES and BET move, MAX BET and INFO choose more and less; nothing but the settings changes."""
    async with bewitched(tmp_path, *MOONS, every_round=True) as rig:
        await rig.game(2000)
        bet = rig.machine.play.bet
        await press(
            rig, "auto", "max_bet", "bet", "max_bet", "max_bet", "bet", "max_bet", "bet", "info", "bet", "max_bet"
        )
        panel = rig.screen.view.pages.autospin
        assert panel is not None
        assert rig.screen.view.focus == "auto:stop_on_feature"
        assert msgspec.structs.astuple(panel) == (20, 10 * bet.cents, 5 * bet.cents, False, True, "", 0)
        await press(rig, "lines", "lines", "info")
        assert rig.screen.view.pages.autospin is not None
        assert (rig.screen.view.focus, rig.screen.view.pages.autospin.single_win_cents) == ("auto:single_win", 0)
        assert (rig.machine.play.bet, rig.credit) == (bet, 2000)
        await press(rig, "spin")
        assert rig.screen.view.round.autospin_of == 20


async def test_everything_is_chosen_with_fingers_alone(tmp_path: Path) -> None:
    """More, less and the switches; a limit switched off comes back as it was."""
    async with bewitched(tmp_path, *MOONS, every_round=True) as rig:
        await rig.game(2000)
        await press(rig, "auto", "auto:spins:+", "auto:spins:+", "auto:spins:-", "auto:loss_limit:toggle")
        await press(rig, "auto:loss_limit:+", "auto:loss_limit:toggle", "auto:loss_limit:toggle")
        await press(rig, "auto:single_win:+", "auto:stop_on_jackpot:toggle", "auto:stop_on_feature:toggle")
        cents = rig.machine.play.bet.cents
        panel = rig.screen.view.pages.autospin
        assert panel is not None
        assert msgspec.structs.astuple(panel) == (20, 100 * cents, 5 * cents, False, True, "", 0)
        await press(rig, "auto:start")
        assert rig.screen.view.round.autospin_of == 20


@pytest.mark.parametrize("control", ["auto", "collect", "auto:cancel"])
async def test_cancel_starts_nothing(tmp_path: Path, control: str) -> None:
    """Each way out leads back to the game; what was chosen is there again the next time."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await press(rig, "auto", "max_bet", control)
        await rig.machine.clock.sleep(5.0)
        assert (rig.shown, rig.credit, await rig.meter("games")) == ("idle", 2000, 0)
        await press(rig, "auto")
        assert rig.screen.view.pages.autospin is not None
        assert rig.screen.view.pages.autospin.spins == 20


async def test_the_number_pad_keeps_its_limits(tmp_path: Path) -> None:
    """Digits beyond the highest amount are not taken, CLEAR begins anew, CANCEL changes nothing, 0 is no limit."""

    async def play() -> None:
        async with Rig(tmp_path) as rig:
            await rig.game(2000)
            await press(rig, "auto", "auto:loss_limit:pad", *["auto:pad:9"] * 9, "auto:pad:00")
            assert panel(rig) == (0, "loss_limit", MOST_CENTS)
            assert not {"lines", "bet", "max_bet", "info", "auto:start"} & rig.machine.states.controls
            await press(rig, "auto:pad:clear", "auto:pad:5", "auto:pad:00")
            assert panel(rig) == (0, "loss_limit", 500)
            await press(rig, "auto:pad:ok")
            assert panel(rig) == (500, "", 0)
            for cancel in ("auto:pad:cancel", "auto", "collect"):
                await press(rig, "auto:loss_limit:pad", "auto:pad:7", cancel)
                assert panel(rig) == (500, "", 0)
            await press(rig, "auto:loss_limit:pad", "auto:pad:0", "spin")
            assert panel(rig) == (0, "", 0)
            assert (rig.shown, await rig.meter("games")) == ("autospin", 0)

    def panel(rig: Rig) -> tuple[int, str, int]:
        shown = rig.screen.view.pages.autospin
        assert shown is not None
        return shown.loss_limit_cents, shown.typing, shown.typed_cents

    await play()
