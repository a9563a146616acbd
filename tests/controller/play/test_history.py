"""Past rounds on the machine: listed, shown again on the reels from the journal, and never a cent moved by it."""

from pathlib import Path

import msgspec
import pytest

from controller.play.history import ROUNDS
from controller.rounds.draws import seeded_source
from gamekit.catalogue import load
from tests.rigs.machine import Rig
from tests.rigs.rounds import BOOKS, spin
from tests.rigs.seeds import CHESTS, WINNING
from tests.rigs.virtual_cabinet import only


async def test_past_rounds_are_listed(tmp_path: Path) -> None:
    """The newest first, each with its number, time, bet and win; the last payout is in every view."""
    async with Rig(tmp_path) as rig:
        await rig.game(5000)
        assert rig.screen.view.past.last_round is None
        for _ in range(ROUNDS + 2):
            await spin(rig)
        await rig.press("history")
        view = rig.screen.view
        assert (view.state, len(view.past.history), view.focus) == ("history", ROUNDS, f"history:{ROUNDS + 2}")
        rows = await rig.rows("SELECT id, game, stake_cents, win_cents, state FROM rounds ORDER BY id DESC")
        listed = [(past.number, past.game, past.bet_cents, past.win_cents, past.state) for past in view.past.history]
        assert listed == rows[:ROUNDS]
        assert view.past.last_round == view.past.history[0]
        assert view.past.last_round.when
        await rig.restart(until="idle")
        assert rig.screen.view.past.last_round == view.past.history[0]


@pytest.mark.parametrize("by", ["buttons", "fingers"])
async def test_a_past_round_is_shown_again(tmp_path: Path, by: str) -> None:
    """Chests and all, the same steps in the same order, with that round's bet and win; nothing in the books moves."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await rig.game(5000)
        await spin(rig)
        shown = list(rig.screen.shows)
        won = rig.screen.view.round.win_cents
        await rig.press("bet")
        await spin(rig)
        scene, credit, bet = rig.screen.view.round.scene, rig.credit, rig.machine.play.bet
        books = await rig.rows(BOOKS)
        again = len(rig.screen.shows)
        await rig.press("history")
        if by == "buttons":
            await rig.press("bet")
            await rig.press("spin")
        else:
            await rig.press("history:1")
        await rig.until("replay")
        view = rig.screen.view
        assert view.past.replay is not None
        assert (view.past.replay.number, view.balance.credit_cents, view.round.win_cents) == (1, credit, 0)
        assert view.bet != bet
        await rig.until("history", 60.0)
        assert rig.screen.shows[again:] == shown
        assert [view.round.win_cents for view in rig.screen.views if view.state == "replay"][-1] <= won
        assert (rig.screen.view.focus, rig.screen.view.past.replay) == ("history:1", None)
        await rig.press("history:close")
        view = rig.screen.view
        assert (rig.shown, view.round.scene, view.bet, rig.credit) == ("idle", scene, bet, credit)
        assert await rig.rows(BOOKS) == books


@pytest.mark.parametrize("leave", ["info", "collect", "history:close"])
async def test_a_replay_is_left_at_any_time(tmp_path: Path, leave: str) -> None:
    """COLLECT leaves the replay and then the list, and pays nothing out; SPIN hurries the show."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await rig.game(5000)
        await spin(rig)
        await rig.press("history")
        await rig.press("spin")
        await rig.until("replay")
        hurried = len(rig.screen.hurried)
        await rig.press("spin", 0.01)
        assert len(rig.screen.hurried) == hurried + 1
        await rig.until("replay")
        await rig.press(leave, 0.3)
        assert rig.shown == "history"
        credit = rig.credit
        await rig.press(leave)
        assert (rig.shown, rig.credit) == ("idle", credit)
        await spin(rig)


async def test_a_door_ends_a_replay(tmp_path: Path) -> None:
    """The list is there again once the door is shut; money that came meanwhile is credited."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await rig.game(2000)
        await spin(rig)
        credit = rig.credit
        await rig.press("history")
        await rig.press("spin")
        await rig.until("replay")
        assert await rig.note(500)
        await rig.door(is_open=True)
        assert rig.shown == "tilted"
        await rig.door(is_open=False)
        await rig.until("history")
        assert rig.screen.view.balance.credit_cents == rig.credit == credit + 500


async def test_a_power_cut_in_a_replay_returns_to_the_game(tmp_path: Path) -> None:
    """What was shown again is not resumed: it had ended long ago."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await rig.game(2000)
        await spin(rig)
        scene, credit = rig.screen.view.round.scene, rig.credit
        await rig.press("history")
        await rig.press("spin")
        await rig.until("replay")
        await rig.restart(until="idle")
        assert (rig.screen.view.round.scene, rig.credit, rig.screen.shows) == (scene, credit, [])


async def test_a_round_of_another_game_is_shown_in_its_own(tmp_path: Path) -> None:
    """The view's game and bet are the round's while it is shown, and the player's again after it."""
    names = ("neptune", "mystery_elves")
    async with Rig(tmp_path, config=only(tmp_path, *names), draws=seeded_source(WINNING)) as rig:
        await rig.note(5000)
        await rig.until("lobby")
        await rig.press("game:neptune")
        await spin(rig)
        await rig.press("home")
        await rig.press("game:mystery_elves")
        await rig.press("history")
        await rig.press("spin")
        await rig.until("replay")
        view = rig.screen.view
        assert (view.game, view.bet is not None and view.bet.lines) == ("neptune", 15)
        scene = msgspec.json.decode(view.round.scene, type=load("neptune").scene_type)
        assert scene == load("neptune").idle
        await rig.until("history", 60.0)
        assert (rig.screen.view.game, rig.screen.view.bet) == ("mystery_elves", rig.machine.play.bet)


async def test_a_round_that_replays_otherwise_is_not_shown(tmp_path: Path) -> None:
    """What the mathematics of today would show is not what was played: the list says so, and nothing else happens."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await spin(rig)
        await rig.kill()
        await rig.start(until="idle")
        await rig.journal.do(lambda tx: tx.execute("DROP TRIGGER rounds_end_once").rowcount)
        await rig.journal.do(lambda tx: tx.execute("UPDATE rounds SET maths_version = 99").rowcount)
        shows = len(rig.screen.shows)
        await rig.press("history")
        await rig.press("spin", 1.0)
        assert (rig.shown, rig.screen.view.message) == ("history", "history_unavailable")
        assert len(rig.screen.shows) == shows
        await rig.press("collect")
        assert (rig.shown, rig.screen.view.message) == ("idle", "")


async def test_a_round_whose_record_differs_is_not_called_an_older_one(tmp_path: Path) -> None:
    """What its draws lead to is not what was recorded: the words name no version of the game."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await spin(rig)
        await rig.journal.do(lambda tx: tx.execute("DROP TRIGGER segments_no_update").rowcount)
        await rig.journal.do(lambda tx: tx.execute("UPDATE segments SET steps_sha256 = zeroblob(32)").rowcount)
        await rig.press("history")
        await rig.press("spin", 1.0)
        assert (rig.shown, rig.screen.view.message) == ("history", "history_differs")


async def test_an_empty_history_can_only_be_left(tmp_path: Path) -> None:
    """Before the first round there is nothing to choose."""
    async with Rig(tmp_path) as rig:
        await rig.game(500)
        await rig.press("history")
        assert (rig.shown, rig.screen.view.past.history) == ("history", ())
        assert not {"spin", "lines", "bet"} & rig.machine.states.controls
        await rig.press("collect")
        assert rig.shown == "idle"


@pytest.mark.requirement("L8", "G8")
async def test_idle_shows_the_last_round(tmp_path: Path) -> None:
    """Last stake, final stops and last win, after a restart, the paytable and a look at another game too."""
    names = ("neptune", "mystery_elves")
    async with Rig(tmp_path, config=only(tmp_path, *names), draws=seeded_source(WINNING)) as rig:
        await rig.note(5000)
        await rig.until("lobby")
        await rig.press("game:neptune")
        await spin(rig)
        await rig.press("bet")
        shown = rig.screen.view
        assert shown.past.last_round is not None
        assert shown.past.last_round.bet_cents != (shown.bet and shown.bet.cents)
        assert shown.round.win_cents == shown.past.last_round.win_cents > 0
        for look in ("restart", "paytable", "another game"):
            if look == "restart":
                await rig.restart(until="idle")
            elif look == "paytable":
                await rig.press("info")
                assert rig.shown == "paytable"
                await rig.press("paytable_close")
            else:
                await rig.press("home")
                await rig.press("game:mystery_elves")
                assert (rig.screen.view.game, rig.screen.view.round.win_cents) == ("mystery_elves", 0)
                await rig.press("home")
                await rig.press("game:neptune", 0.5)
            view = rig.screen.view
            assert (view.game, view.round.scene, view.round.win_cents) == (
                "neptune",
                shown.round.scene,
                shown.round.win_cents,
            ), look
            assert view.past.last_round == shown.past.last_round
