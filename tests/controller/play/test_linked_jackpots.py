"""Jackpots of a venue on the machine: what is played, waited for, paid and said to the player."""

from pathlib import Path

import pytest

from controller.journal.open_items import Resolution, open_items
from controller.journal.pools import MILLI
from controller.journal.resolutions import resolve_item
from games.bewitched.pays import POOL
from tests.rigs.bewitched import MERLINS_JACKPOT, bewitched
from tests.rigs.linked_rig import COIN, ME, linked, seated, venue_of, win_unanswered
from tests.rigs.machine import Rig
from tests.rigs.rounds import to_the_end
from tests.rigs.virtual_cabinet import only


async def test_a_linked_jackpot_is_paid_as_the_venue_has_answered(tmp_path: Path) -> None:
    """The counters show the venue's values; bet, claim and credit agree with its answer, once."""
    venue = venue_of()
    rig = bewitched(tmp_path, *MERLINS_JACKPOT)
    linked(rig, venue)
    async with rig:
        await rig.game(2000)
        await rig.until_true(lambda: rig.screen.view.terms.jackpot_cents == POOL.seed_coins * COIN + 123)
        stake = rig.machine.play.bet.cents
        await rig.press("spin")
        await to_the_end(rig)
        ((_, award, hit, _),) = venue.claims.values()
        assert hit == 1
        assert award == (POOL.seed_coins * COIN * MILLI + 123 * MILLI + stake * 5) // 10_000 * 10_000
        assert await rig.rows("SELECT coins * 10, state FROM venue_claims") == [(award // MILLI, "done")]
        assert rig.credit - 2000 + stake >= award // MILLI
        assert await rig.rows("SELECT * FROM claims") == []
        assert rig.screen.view.message == ""


async def test_without_the_venue_the_linked_game_says_so_and_the_others_go_on(tmp_path: Path) -> None:
    """Six seconds after the last good beat SPIN stakes nothing there, and another game is played."""
    venue = venue_of(1, 2, 5, 10, 20, 50, 100)
    rig = Rig(tmp_path, config=only(tmp_path, "bewitched", "neptune"))
    wire = linked(rig, venue)
    async with rig:
        assert await rig.note(5000)
        await rig.until("lobby")
        await rig.until_true(lambda: not rig.screen.view.lobby.jackpots["bewitched"].closed)
        wire.fate = lambda _name: "cut"
        await rig.until_true(lambda: rig.screen.view.lobby.jackpots["bewitched"].closed == "venue_unreached", 12)
        await rig.press("game:bewitched")
        await rig.press("witch:0")
        await rig.until("idle")
        assert rig.screen.view.message == "venue_unreached"
        await rig.press("spin", 2.0)
        assert (rig.shown, rig.screen.view.message, rig.credit) == ("idle", "venue_unreached", 5000)
        await rig.press("home")
        await rig.press("game:neptune")
        await rig.press("spin", 0.2)
        assert rig.credit < 5000
        await to_the_end(rig)
        wire.fate = lambda _name: "ok"
        await rig.press("home")
        await rig.until_true(lambda: not rig.screen.view.lobby.jackpots["bewitched"].closed, 40)


@pytest.mark.requirement("J4")
async def test_a_claim_without_an_answer_waits_with_a_word_and_over_power_cuts(tmp_path: Path) -> None:
    """After five seconds the player reads that the amount follows; nothing else is played; then it is paid."""
    venue = venue_of()
    rig = bewitched(tmp_path, *MERLINS_JACKPOT)
    async with seated(rig, venue) as wire:
        await win_unanswered(rig, wire)
        (notice,) = [each for each in rig.screen.view.notices if each.code == "jackpot_waits"]
        assert (notice.text, notice.stops_play) == ("Jackpot won! The amount follows: please call the attendant", True)
        assert rig.shown == "tilted"
        credit = rig.credit
        await rig.machine.clock.sleep(7_200)
        assert (rig.shown, rig.credit) == ("tilted", credit)
        await rig.turn_key("attendant")
        assert rig.credit == credit
        await rig.restart()
        await rig.until_true(lambda: "jackpot_waits" in rig.notices())
        venue.meters[COIN, 8, 1] = (2, 999 * MILLI)
        wire.fate = lambda name: "lost" if name == "claim" and wire.called.count("claim") < 3 else "ok"
        await to_the_end_of(rig)
        ((_, award, _, _),) = venue.claims.values()
        assert await rig.rows("SELECT coins * 10000 FROM venue_claims") == [(award,)]
        assert await rig.rows("SELECT count(*) FROM ledger WHERE kind = 'win'") != [(0,)]
        await rig.journal.do(lambda tx: tx.audit())


async def to_the_end_of(rig: Rig) -> None:
    """Wait until the tilt is over, and play the round to its end."""
    await rig.until_true(lambda: rig.shown != "tilted")
    await to_the_end(rig)


async def test_a_claim_that_a_person_refuses_pays_nothing_and_its_round_ends(tmp_path: Path) -> None:
    """The venue has begun another epoch meanwhile: the claim is an open item, and the play goes on with no coins."""
    venue = venue_of()
    rig = bewitched(tmp_path, *MERLINS_JACKPOT)
    async with seated(rig, venue) as wire:
        await win_unanswered(rig, wire)
        venue.cabinets[ME].identity = "another key"
        wire.fate = lambda _name: "ok"
        await rig.until_true(lambda: "open_item" in rig.notices(), 60)
        assert rig.shown == "tilted"
        (item,) = await rig.journal.do(open_items)
        await rig.journal.do(lambda tx: resolve_item(tx, item.id, Resolution.VOID, "technician", reason="a test"))
        await to_the_end_of(rig)
        assert await rig.rows("SELECT state, coins FROM venue_claims") == [("done", 0)]
        await rig.journal.do(lambda tx: tx.audit())


async def test_books_that_the_venue_contradicts_lock_the_machine(tmp_path: Path) -> None:
    """Everything stops, also after a restart without the venue, until a technician has accepted the books."""
    venue = venue_of()
    venue.cabinets[ME].chain = {1: bytes(32)}
    rig = bewitched(tmp_path)
    wire = linked(rig, venue)
    await rig.start(until="tilted")
    try:
        assert "venue_books" in rig.notices()
        assert not await rig.note(500)
        wire.fate = lambda _name: "cut"
        await rig.restart(until="tilted")
        assert "venue_books" in rig.notices()
    finally:
        await rig.kill()


async def test_a_cabinet_taken_out_of_the_venue_plays_for_its_own_pools_again(tmp_path: Path) -> None:
    """Without [venue] its next start leaves the venue: the pools begin at their seeds."""
    venue = venue_of()
    rig = bewitched(tmp_path)
    async with seated(rig, venue):
        await rig.press("spin")
        await to_the_end(rig)
        rig.keeper_of = None
        await rig.restart(until="idle")
        await rig.until_true(lambda: rig.screen.view.terms.jackpot_cents == POOL.seed_coins * COIN)
        await rig.press("spin")
        await to_the_end(rig)
        assert await rig.rows("SELECT count(*) FROM contributions") == [(1,)]
        assert await rig.rows("SELECT count(*) FROM venue_shares") == [(1,)]
