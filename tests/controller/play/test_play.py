"""The player's way from the first note to the end of a round, and what the screen and the lamps say meanwhile."""

from pathlib import Path

import msgspec
import pytest

from controller.machine.states import TABLE, State
from controller.rounds.draws import seeded_source
from tests.rigs.configurations import narrower
from tests.rigs.machine import Rig
from tests.rigs.seeds import CHESTS, FREE_SPINS, LOSING, STAKE_CENTS, WIN_CENTS, WINNING
from tests.rigs.virtual_cabinet import configuration


async def test_a_note_opens_the_only_game_with_a_bet(tmp_path: Path) -> None:
    """Money in attract leads straight to the game, whose every line is bet with one coin."""
    async with Rig(tmp_path) as rig:
        assert await rig.note(1000)
        await rig.until("idle")
        assert (rig.screen.view.game, rig.screen.view.balance.credit_cents) == ("neptune", 1000)
        assert rig.screen.view.bet == rig.machine.play.bet
        assert (rig.machine.play.bet.lines, rig.machine.play.bet.coins_per_line, rig.machine.play.bet.cents) == (
            15,
            1,
            STAKE_CENTS,
        )


async def test_bets_go_round(tmp_path: Path) -> None:
    """BET, LINES and the coin value step to the next choice, and from the last one to the first."""
    async with Rig(tmp_path) as rig:
        await rig.game(500)
        seen = []
        for _ in range(5):
            await rig.press("bet")
            seen.append(rig.machine.play.bet.coins_per_line)
        assert seen == [2, 3, 4, 5, 1]
        await rig.press("lines")
        assert rig.machine.play.bet.lines == 1
        await rig.press("lines")
        assert rig.machine.play.bet.lines == 2
        values = rig.config.games.coin_values_cents
        seen = []
        for _ in values:
            await rig.press("coin_value")
            seen.append(rig.machine.play.bet.coin_value_cents)
        assert sorted(seen) == sorted(values)
        assert seen[-1] == rig.config.games.default_coin_value_cents


async def beyond(rig: Rig) -> None:
    """Choose five coins on each of 15 lines, which are 7.50."""
    for _ in range(4):
        await rig.press("bet")


@pytest.mark.parametrize("yes", ["spin", "lowest_bet:yes"])
async def test_too_little_credit_is_asked_about_and_nothing_staked_silently(tmp_path: Path, yes: str) -> None:
    """A bet beyond the credit asks; YES takes the lowest bet without staking it, the next SPIN plays it."""
    async with Rig(tmp_path) as rig:
        await rig.game(500)
        await beyond(rig)
        await rig.press("spin")
        view = rig.screen.view
        assert (view.state, view.message, view.terms.lowest_bet_cents) == ("lowest_bet", "not_enough_credit", 1)
        assert rig.front.lit == {"spin": "blink", "collect": "on", "service": "on"}
        assert (rig.credit, await rig.meter("games")) == (500, 0)
        await rig.press(yes)
        assert (rig.shown, rig.screen.view.message, rig.machine.play.bet.cents) == ("idle", "", 1)
        assert (rig.credit, await rig.meter("games")) == (500, 0)
        await rig.press("spin")
        assert await rig.rows("SELECT stake_cents FROM rounds") == [(1,)]


@pytest.mark.parametrize("no", ["collect", "lowest_bet:no"])
async def test_the_lowest_bet_can_be_declined(tmp_path: Path, no: str) -> None:
    """NO leaves the chosen bet as it was; nothing is staked and nothing paid out."""
    async with Rig(tmp_path) as rig:
        await rig.game(500)
        await beyond(rig)
        await rig.press("spin")
        await rig.press(no)
        assert (rig.shown, rig.machine.play.bet.lines, rig.machine.play.bet.coins_per_line) == ("idle", 15, 5)
        assert (rig.credit, await rig.meter("games")) == (500, 0)


async def test_without_credit_for_any_bet_nothing_is_offered(tmp_path: Path) -> None:
    """Where even the lowest bet is too high there is nothing to ask: the game says so and goes on."""
    async with Rig(tmp_path) as rig:
        await rig.press("screen")
        await rig.press("spin")
        assert (rig.shown, rig.screen.view.message) == ("idle", "credit_below_lowest_bet")
        await rig.press("bet")
        assert rig.screen.view.message == ""


async def test_words_about_too_little_credit_end_when_there_is_enough(tmp_path: Path) -> None:
    """A note that pays for the bet takes the words and the question back; one that does not leaves them."""
    async with Rig(tmp_path) as rig:
        await rig.press("screen")
        await rig.press("spin")
        assert rig.screen.view.message == "credit_below_lowest_bet"
        assert await rig.note(500)
        assert (rig.shown, rig.screen.view.message) == ("idle", "")
        for _ in range(3):
            await rig.press("coin_value")
        await rig.press("spin")
        assert (rig.shown, rig.screen.view.message) == ("lowest_bet", "not_enough_credit")
        assert await rig.note(500)
        assert (rig.shown, rig.machine.play.bet.cents > rig.credit) == ("lowest_bet", True)
        bet = rig.machine.play.bet
        while rig.credit < bet.cents:
            assert await rig.note(2000)
        assert (rig.shown, rig.screen.view.message, rig.machine.play.bet) == ("idle", "", bet)
        assert await rig.meter("games") == 0


@pytest.mark.requirement("P9")
async def test_two_presses_at_once_never_do_two_things(tmp_path: Path) -> None:
    """Of two presses on the same picture only the first counts: one round is staked, and nothing is paid out."""
    async with Rig(tmp_path, draws=seeded_source(LOSING)) as rig:
        await rig.game(2000)
        for control in ("spin", "collect", "spin", "max_bet"):
            rig.machine.states.press(control)
        await rig.until("round")
        await rig.until("idle")
        assert (rig.credit, await rig.meter("games"), await rig.meter("stakes")) == (
            2000 - STAKE_CENTS,
            1,
            STAKE_CENTS,
        )
        assert await rig.rows("SELECT count(*) FROM payouts") == [(0,)]


@pytest.mark.requirement("B9")
async def test_a_control_that_does_not_live_does_nothing(tmp_path: Path) -> None:
    """COLLECT is barred during a round, and so is every bet."""
    async with Rig(tmp_path, draws=seeded_source(LOSING)) as rig:
        await rig.game(2000)
        rig.screen.show_s = 3.0
        await rig.press("spin", 0.3)
        assert rig.shown == "round"
        for control in ("collect", "bet", "lines", "max_bet", "info", "home", "coin_value"):
            await rig.press(control)
        assert (rig.shown, rig.machine.play.bet.cents) == ("round", STAKE_CENTS)
        await rig.until("idle")
        assert await rig.rows("SELECT count(*) FROM payouts") == [(0,)]


@pytest.mark.requirement("M9")
async def test_a_win_is_shown_after_the_reels_and_booked_before(tmp_path: Path) -> None:
    """The credit is true from the commit on; no view shows it before the show is over, in any state over it."""
    async with Rig(tmp_path, draws=seeded_source(WINNING)) as rig:
        await rig.game(2000)
        first = len(rig.screen.views)
        rig.machine.states.press("spin")
        await rig.until_true(lambda: rig.credit == 2000 - STAKE_CENTS + WIN_CENTS)
        await rig.door(is_open=True)
        assert rig.shown == "tilted"
        shown = {view.balance.credit_cents for view in rig.screen.views[first:]}
        assert shown <= {2000, 2000 - STAKE_CENTS}
        await rig.door(is_open=False)
        await rig.until("idle")
        assert (rig.screen.view.balance.credit_cents, rig.screen.view.round.win_cents) == (
            2000 - STAKE_CENTS + WIN_CENTS,
            WIN_CENTS,
        )


async def test_a_door_open_at_the_press_does_not_reveal_the_win(tmp_path: Path) -> None:
    """A door opened while the stake is committed shows neither the win nor the reels' end before they turned."""
    async with Rig(tmp_path, draws=seeded_source(WINNING)) as rig:
        await rig.game(2000)
        first = len(rig.screen.views)
        rig.machine.states.press("spin")
        while not await rig.meter("games"):
            rig.machine.states.door("main", is_open=True)
        await rig.door(is_open=True)
        assert rig.shown == "tilted"
        assert {view.balance.credit_cents for view in rig.screen.views[first:]} <= {2000, 2000 - STAKE_CENTS}
        assert rig.screen.shows == []
        await rig.door(is_open=False)
        await rig.until("idle")
        assert len(rig.screen.shows) == 1


@pytest.mark.requirement("B3")
async def test_a_coin_during_a_round_is_credited_at_once_and_shown_after(tmp_path: Path) -> None:
    """Money that comes while the reels turn is never lost: booked at once, on the screen with the show's end."""
    async with Rig(tmp_path, draws=seeded_source(LOSING)) as rig:
        await rig.game(2000)
        await rig.press("spin", 0.3)
        views = len(rig.screen.views)
        assert rig.front.coins
        assert await rig.note(500)
        assert rig.credit == 2500 - STAKE_CENTS
        assert (rig.shown, len(rig.screen.views)) == ("round", views)
        await rig.until("idle")
        assert rig.screen.view.balance.credit_cents == 2500 - STAKE_CENTS


async def test_spin_hurries_the_show(tmp_path: Path) -> None:
    """STOP ends the show and changes no result."""
    async with Rig(tmp_path, draws=seeded_source(WINNING)) as rig:
        await rig.game(2000)
        rig.screen.show_s = None
        await rig.press("spin", 0.3)
        await rig.press("spin")
        assert rig.screen.hurried == [1]
        await rig.until("idle", 1.0)
        assert rig.credit == 2000 - STAKE_CENTS + WIN_CENTS


async def test_a_display_that_never_answers_holds_no_round_up(tmp_path: Path) -> None:
    """The round ends by a timer where the show is not acknowledged, and sooner where nobody draws."""
    async with Rig(tmp_path, draws=seeded_source(LOSING)) as rig:
        await rig.game(2000)
        rig.screen.show_s = None
        await rig.press("spin")
        await rig.until("idle", rig.config.timing.show_limit_ms / 1000 + 1)
        rig.screen.connected = False
        await rig.press("spin")
        await rig.until("idle", rig.config.timing.undisplayed_show_ms / 1000 + 1)
        assert await rig.meter("games") == 2


async def test_chests_are_opened_one_by_one(tmp_path: Path) -> None:
    """The cursor moves with LINES and BET, SPIN opens the chest under it, a touch any other; none is opened twice."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await rig.game(2000)
        await rig.press("spin")
        await rig.until("offer")
        assert rig.screen.view.focus == "choice:0"
        await rig.press("bet")
        assert rig.screen.view.focus == "choice:1"
        await rig.press("spin")
        await rig.until("offer")
        assert "choice:1" not in rig.screen.view.controls
        await rig.press("choice:1")
        assert rig.shown == "offer"
        await rig.press("choice:4")
        await rig.until("offer")
        await rig.press("lines")
        await rig.press("spin")
        await rig.until("idle")
        answers = await rig.rows("SELECT answer FROM segments ORDER BY number")
        assert answers[:3] == [(None,), (1,), (4,)]
        assert len(set(answers)) == 4


async def test_only_the_first_free_spin_waits_for_the_player(tmp_path: Path) -> None:
    """Free spins begin with a press and go on by themselves to the end of the round."""
    async with Rig(tmp_path, draws=seeded_source(FREE_SPINS)) as rig:
        await rig.game(2000)
        await rig.press("spin")
        await rig.until("offer")
        assert rig.front.lit["spin"] == "blink"
        assert "lines" not in rig.screen.view.controls
        await rig.press("spin")
        await rig.until("idle", 120.0)
        assert (await rig.meter("games"), await rig.meter("wins")) == (1, 3600)


async def test_the_attendant_can_be_called_from_every_state(tmp_path: Path) -> None:
    """SERVICE lights the tower's top and is shown at once, in mid-show too, without a press or show being lost."""
    async with Rig(tmp_path, draws=seeded_source(LOSING)) as rig:
        await rig.press("service")
        assert (rig.front.light["top"], "service_call" in rig.notices()) == ("on", True)
        await rig.press("service")
        assert (rig.front.light, "service_call" in rig.notices()) == ({"bottom": "on"}, False)
        await rig.game(2000)
        await rig.press("spin", 0.3)
        await rig.press("service")
        assert (rig.shown, "service_call" in rig.notices()) == ("round", True)
        await rig.until("idle", 2.0)
        assert len(rig.screen.shows) == 1
        assert await rig.events("service_call") == [
            "The player has called the attendant",
            "The call for the attendant has ended",
            "The player has called the attendant",
        ]


async def test_muting_in_mid_show_keeps_the_show(tmp_path: Path) -> None:
    """The sound goes off at once and for good; the reels turn on, and are not waited for longer than before."""
    async with Rig(tmp_path, draws=seeded_source(LOSING)) as rig:
        await rig.game(2000)
        await rig.press("spin", 0.3)
        await rig.press("sound")
        assert (rig.shown, rig.screen.view.output.muted) == ("round", True)
        await rig.until("idle", 2.0)
        assert len(rig.screen.shows) == 1
        await rig.restart(until="idle")
        assert rig.screen.view.output.muted


@pytest.mark.parametrize("heard", [True, False])
async def test_attract_is_heard_where_the_house_wants_it(tmp_path: Path, heard: bool) -> None:  # noqa: FBT001
    """A player's game is heard in either case."""
    config = configuration(tmp_path)
    config = msgspec.structs.replace(config, sound=msgspec.structs.replace(config.sound, attract=heard))
    async with Rig(tmp_path, config=config) as rig:
        assert (rig.shown, rig.screen.view.output.muted) == ("attract", not heard)
        await rig.game(2000)
        assert not rig.screen.view.output.muted


async def test_muting_and_betting_at_once_undo_nothing(tmp_path: Path) -> None:
    """Two changes of the session that are made durable at the same time are both kept."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        rig.machine.states.press("bet")
        rig.machine.states.press("sound")
        await rig.until_true(lambda: rig.machine.play.session.muted)
        assert (rig.machine.play.bet.coins_per_line, rig.machine.play.session.muted) == (2, True)
        await rig.restart(until="idle")
        assert (rig.machine.play.bet.coins_per_line, rig.machine.play.session.muted) == (2, True)


@pytest.mark.requirement("P1", "L8")
async def test_a_restart_is_a_return(tmp_path: Path) -> None:
    """Game, bet and place are there again, and the idle game shows how the last round ended."""
    async with Rig(tmp_path, draws=seeded_source(WINNING)) as rig:
        await rig.game(2000)
        await rig.press("spin")
        await rig.until("idle")
        before = rig.screen.view
        assert before.round.scene != msgspec.Raw(b"null")
        await rig.restart(until="idle")
        after = rig.screen.view
        assert (after.round.scene, after.round.win_cents, after.bet, after.balance.credit_cents) == (
            before.round.scene,
            WIN_CENTS,
            before.bet,
            before.balance.credit_cents,
        )
        await rig.press("bet")
        await rig.press("home")
        await rig.restart(until="lobby")
        await rig.press("spin")
        assert (rig.shown, rig.machine.play.bet.coins_per_line) == ("idle", 2)


async def test_a_bet_that_is_no_longer_offered_is_forgotten(tmp_path: Path) -> None:
    """After a change of the configuration nobody plays a coin value that it does not name; the credit stays."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        assert rig.machine.play.bet.coin_value_cents == 10
        rig.config = narrower(rig.config)
        await rig.restart(until="idle")
        assert (rig.machine.play.bet.coin_value_cents, rig.credit) == (20, 2000)


async def test_an_abandoned_game_returns_to_attract(tmp_path: Path) -> None:
    """Without credit and presses the attract show begins; with credit the game waits for ever."""
    async with Rig(tmp_path) as rig:
        await rig.press("spin")
        assert rig.shown == "idle"
        wait = rig.config.timing.attract_after_ms / 1000 + 1
        await rig.until("attract", wait)
        await rig.game(500)
        with pytest.raises(AssertionError, match="still idle"):
            await rig.until("attract", 2 * wait)


async def test_paytable_pages_turn_and_close(tmp_path: Path) -> None:
    """INFO opens the rules, BET and LINES turn their pages, INFO or a touch closes them; nothing is staked there."""
    async with Rig(tmp_path) as rig:
        await rig.game(500)
        await rig.press("info")
        assert (rig.shown, rig.screen.view.focus) == ("paytable", "page:0")
        await rig.press("bet")
        assert rig.screen.view.focus == "page:1"
        await rig.press("lines")
        await rig.press("lines")
        assert rig.screen.view.focus == "page:0"
        await rig.press("spin")
        assert (rig.shown, await rig.meter("games")) == ("paytable", 0)
        await rig.press("paytable_close")
        assert rig.shown == "idle"


@pytest.mark.requirement("B5")
async def test_money_stops_at_the_credit_limit(tmp_path: Path) -> None:
    """At the limit coins and notes are inhibited, and a note already in escrow goes back."""
    config = configuration(tmp_path)
    limits = msgspec.structs.replace(config.limits, credit_cents=3000)
    async with Rig(tmp_path, config=msgspec.structs.replace(config, limits=limits)) as rig:
        await rig.game(2500)
        assert (rig.front.coins, rig.front.notes) == (True, frozenset(limits.notes_cents))
        assert await rig.note(500)
        assert (rig.front.coins, rig.front.notes, rig.screen.view.balance.accepts_notes) == (False, frozenset(), False)
        assert not await rig.note(500)
        assert rig.credit == 3000
        await rig.press("spin")
        await rig.until("idle")
        assert rig.front.coins == (rig.credit < 3000)


@pytest.mark.requirement("B6")
async def test_a_note_that_is_not_taken_here_goes_back(tmp_path: Path) -> None:
    """Only the notes of the configuration are taken."""
    async with Rig(tmp_path) as rig:
        assert not await rig.note(10_000)
        assert rig.credit == 0


async def test_every_state_lights_what_the_table_says(tmp_path: Path) -> None:
    """In attract, idle, round and offer: lamps and money devices are exactly the table's line, the tower is at rest.

    But for AUTO, which in a round is autospin's STOP and dead without it, and for COLLECT, which only a gamble has.
    """

    async def play() -> None:
        async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
            check(rig, State.ATTRACT)
            await rig.game(2000)
            check(rig, State.IDLE)
            await rig.press("info")
            check(rig, State.PAYTABLE)
            await rig.press("collect")
            await rig.press("spin", 0.3)
            check(rig, State.ROUND)
            await rig.until("offer")
            check(rig, State.OFFER)

    def check(rig: Rig, state: State) -> None:
        row = TABLE[state]
        dead = {State.IDLE: set(), State.PAYTABLE: {"max_bet"}}.get(state, {"auto", "collect"})
        lamps = {name: pattern for name, pattern in row.lamps.items() if name not in dead}
        assert (rig.shown, dict(rig.front.lit), rig.front.light, rig.front.coins) == (
            state,
            lamps,
            {"bottom": "on"},
            row.money,
        )

    await play()
