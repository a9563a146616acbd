"""A game that the display cannot show is not offered, and a round of it in play ends without loss."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.books.audit import audit
from controller.rounds.draws import seeded_source
from gamekit import catalogue
from tests.rigs.machine import Rig
from tests.rigs.seeds import CHESTS
from tests.rigs.virtual_cabinet import only

BOTH = (("bewitched mona_lisa_jewels", "largest_prize_cents"),)
REASON = "theme.py: there is no sprite 'reel'"


@pytest.fixture
def withdrawn() -> Iterator[None]:
    """Neptune, while it is withdrawn by a start, comes back afterwards."""
    yield
    catalogue.look_again()


async def held(rig: Rig) -> int:
    """Begin a round, and start again with a program whose Neptune does not pass its check; return the credit."""
    await rig.note(2000)
    await rig.until("lobby")
    await rig.press("game:neptune")
    await rig.until("idle")
    await rig.press("spin")
    await rig.until("offer")
    credit = rig.credit
    await rig.kill()
    catalogue.withdraw("neptune", REASON)
    await rig.start(until="tilted")
    return credit


async def test_it_is_gone_from_the_lobby_and_an_event_says_why(tmp_path: Path) -> None:
    """Once, however often the display says so; a game that is not on offer is nobody's business."""
    async with Rig(tmp_path, config=only(tmp_path, "neptune", "bewitched", "witch_feature")) as rig:
        for _ in range(3):
            rig.machine.withdraw("bewitched", REASON)
            rig.machine.withdraw("mystery_elves", REASON)
        await rig.note(2000)
        await rig.until("lobby")
        assert rig.screen.view.lobby.games == ("neptune", "witch_feature")
        assert "game:bewitched" not in rig.screen.view.controls
        await asyncio.sleep(10.0)  # of virtual time: an event that anybody at a socket can cause waits its turn
        (event,) = await rig.events("game_unfit")
        assert REASON in event


async def test_a_game_that_waits_for_a_spin_is_left(tmp_path: Path) -> None:
    """The player is back among the other games, with the same credit."""
    async with Rig(tmp_path, config=only(tmp_path, "neptune", "bewitched")) as rig:
        await rig.note(2000)
        await rig.until("lobby")
        await rig.press("game:neptune")
        await rig.until("idle")
        rig.machine.withdraw("neptune", REASON)
        await rig.until_true(lambda: rig.screen.view.game != "neptune")
        assert rig.screen.view.lobby.games == ("bewitched",)
        assert rig.credit == 2000


async def test_a_round_in_play_is_finished_by_fair_draws_and_paid(tmp_path: Path) -> None:
    """Chests that nobody sees are picked for the player within a minute; their win is credited, and books balance."""
    config = only(tmp_path, "neptune", "bewitched")
    async with Rig(tmp_path, draws=seeded_source(CHESTS), config=config) as rig:
        await rig.note(2000)
        await rig.until("lobby")
        await rig.press("game:neptune")
        await rig.until("idle")
        await rig.press("spin")
        await rig.until("offer")
        before = rig.credit
        rig.machine.withdraw("neptune", REASON)
        await rig.until_true(lambda: rig.screen.view.game != "neptune", 300.0)
        assert rig.credit > before
        assert await rig.rows("SELECT state FROM rounds") == [("settled",)]
        await rig.journal.do(lambda tx: tx.audit())


async def test_an_interrupted_round_of_it_resumes_and_is_finished(tmp_path: Path) -> None:
    """The power fails in it, and the display comes back before the round is over: nothing is voided, all is paid."""
    config = only(tmp_path, "neptune", "bewitched")
    async with Rig(tmp_path, draws=seeded_source(CHESTS), config=config) as rig:
        await rig.note(2000)
        await rig.until("lobby")
        await rig.press("game:neptune")
        await rig.until("idle")
        await rig.press("spin")
        await rig.until("offer")
        await rig.restart(until="recovering")
        rig.machine.withdraw("neptune", REASON)
        await rig.until_true(lambda: rig.screen.view.game != "neptune", 300.0)
        ((state,),) = await rig.rows("SELECT state FROM rounds")
        assert state == "settled"
        await rig.journal.do(lambda tx: tx.audit())


async def test_with_no_game_left_nothing_is_staked(tmp_path: Path) -> None:
    """The screen says so, money already in can be taken out, and no stake is placed that nobody would see."""
    async with Rig(tmp_path) as rig:
        await rig.note(2000)
        await rig.until("idle")
        rig.machine.withdraw("neptune", REASON)
        await rig.until_true(lambda: "games_unfit" in rig.notices())
        await rig.press("spin", 5.0)
        assert rig.credit == 2000
        assert await rig.rows("SELECT count(*) FROM rounds") == [(0,)]


@pytest.mark.usefixtures("withdrawn")
async def test_a_round_whose_game_is_not_here_waits_until_it_is_back(tmp_path: Path) -> None:
    """Play and money stop with a fault; the start that finds the game again continues the round where it was."""
    config = only(tmp_path, "neptune", "bewitched")
    async with Rig(tmp_path, draws=seeded_source(CHESTS), config=config) as rig:
        credit = await held(rig)
        assert (rig.credit, rig.notices(), rig.front.coins) == (credit, {"round_held"}, False)
        assert rig.screen.view.lobby.games == ("bewitched",)
        await rig.restart(until="tilted")
        assert await rig.rows("SELECT state FROM rounds") == [("open",)]
        await rig.kill()
        catalogue.look_again()
        await rig.start(until="offer")
        assert (rig.credit, rig.notices()) == (credit, set())
        while rig.shown == "offer":
            await rig.press(next(each for each in rig.screen.view.controls if each.startswith("choice:")), 2.0)
        await rig.until("idle")
        assert await rig.rows("SELECT state FROM rounds") == [("settled",)]
    assert audit(rig.path, lambda _what, _done, _total: None).failures == []


@pytest.mark.usefixtures("withdrawn")
async def test_the_attendant_gives_the_stake_of_a_held_round_back(tmp_path: Path) -> None:
    """The key voids it: stake back, wins taken back, everything kept, and the other games are played on."""
    config = only(tmp_path, "neptune", "bewitched")
    async with Rig(tmp_path, draws=seeded_source(CHESTS), config=config) as rig:
        await held(rig)
        await rig.turn_key("attendant")
        await rig.until_true(lambda: "round_held" not in rig.notices())
        await rig.until_true(lambda: rig.credit == 2000)
        assert await rig.rows("SELECT state FROM rounds") == [("void",)]
        assert rig.notices() == {"replay_mismatch"}
        await rig.turn_key("attendant")
        for shown in ("witch", "idle", "round"):
            await rig.until(shown)
            await rig.press("spin")
        assert rig.screen.view.game == "bewitched"
    catalogue.look_again()
    assert audit(rig.path, lambda _what, _done, _total: None).failures == []


@pytest.mark.usefixtures("withdrawn")
async def test_with_every_game_withdrawn_the_cabinet_starts(tmp_path: Path) -> None:
    """The cabinet starts, says so and stakes nothing; the credit is in the books and on the screen."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await rig.kill()
        for name in catalogue.names():
            catalogue.withdraw(name, REASON)
        await rig.start(until="lobby")
        assert (rig.credit, rig.notices(), rig.screen.view.lobby.games) == (2000, {"games_unfit"}, ())
        assert (rig.front.coins, rig.screen.view.controls) == (False, ("collect", "service", "sound"))
        await paid_by_hand(rig)


async def paid_by_hand(rig: Rig) -> None:
    """COLLECT and the attendant's key pay the credit out, to the last cent."""
    await rig.press("collect")
    await rig.until("handpay")
    await rig.turn_key("attendant")
    await rig.until_true(lambda: rig.credit == 0)
    await rig.journal.do(lambda tx: tx.audit())


@pytest.mark.parametrize(
    ("game", "limit"), [("neptune", "largest_prize_cents"), ("mystery_elves", "largest_stake_cents"), *BOTH]
)
async def test_limits_that_no_game_fits_stop_play_and_still_pay_out(tmp_path: Path, game: str, limit: str) -> None:
    """A fault says which limit it is; nothing is taken or staked, COLLECT lives, and raised limits let play go on."""
    config = only(tmp_path, *game.split())
    async with Rig(tmp_path, config=config) as rig:
        await rig.note(2000)
        await rig.until_true(lambda: rig.shown in ("idle", "lobby", "witch"))
        await rig.kill()
        rig.config = replace(config, games=replace(config.games, **{limit: 5}))
        await rig.start(until="lobby")
        assert rig.notices() == {"no_bet"}
        assert (rig.front.coins, rig.screen.view.controls) == (False, ("collect", "service", "sound"))
        await paid_by_hand(rig)
        await rig.kill()
        rig.config = config
        await rig.start(until="lobby")
        assert rig.notices() == set()
        assert await rig.note(2000)
        await rig.press("spin")
        await rig.until_true(lambda: rig.shown in ("idle", "witch"))
