"""The cabinet's link against the venue's own database: both were written from docs/venue-protocol.md alone."""

import asyncio
import hashlib
import random
import shutil
from pathlib import Path

import pytest

from controller.features.venue.calls import CHUNK_BYTES, ContradictionError, Greeting
from controller.features.venue.membership import Trouble
from controller.features.venue.postgres import PostgresVenue
from controller.features.venue.relayed import Address
from controller.journal.open_items import Resolution, open_items
from tests.rigs.linked_cabinet import LinkedCabinet, Steps
from tests.rigs.linked_cabinets import keep_card, put_in
from tests.rigs.pool_contract import KEY
from tests.rigs.postgres import VenueDatabase
from tests.rigs.threaded_venue import ThreadedVenue, line_to
from tests.rigs.venue_store import ME
from venue.backups import back_up, restore
from venue.server import Place


def place(folder: Path) -> Path:
    """A folder for the cabinet's card."""
    card = folder / "place"
    card.mkdir()
    return card


def agree(cabinet: LinkedCabinet, database: VenueDatabase) -> None:
    """Both sides have the same: meters, claims, money paid, events and ledger; the venue's own audit is true."""
    ours = "SELECT pool, epoch, seq, cum FROM venue_meters ORDER BY 1, 2"
    theirs = "SELECT pool, epoch, seq, cum FROM venue.meter ORDER BY 1, 2"
    assert [tuple(row) for row in cabinet.rows(ours)] == database.ask(theirs)
    claims = database.ask("SELECT epoch, round, number, pool, award, hit, seed FROM venue.claim")
    assert {tuple(row[:3]): tuple(row[3:]) for row in claims} == cabinet.claims
    paid = sum(int(str(row[4])) for row in claims)
    assert paid == cabinet.paid_cents * 1000
    head, digest = cabinet.do(lambda tx: tx.head)
    newest = database.ask(
        "SELECT row, encode(hash, 'hex') FROM venue.ledger_row ORDER BY branch DESC, row DESC LIMIT 1"
    )
    assert newest == [(head, digest.hex())]


def contributed(database: VenueDatabase) -> int:
    """What all meters of the venue have contributed, in 1/1000 cent."""
    return int(str(database.ask("SELECT sum(cum) FROM venue.meter")[0][0]))


async def connected(cabinet: LinkedCabinet) -> None:
    """Wait until rounds may be played."""
    await cabinet.until(lambda: cabinet.may_play)


async def test_play_on_a_bad_line_ends_with_the_same_on_both_sides(
    database: VenueDatabase, line: ThreadedVenue, tmp_path: Path
) -> None:
    """Bets, jackpots, voids and kills while every twelfth call is cut, lost or doubled."""
    chance = random.Random(5)
    async with LinkedCabinet(place(tmp_path), line) as cabinet:
        await connected(cabinet)
        line.fate = lambda _name: chance.choice(["cut", "lost", "twice"]) if chance.randrange(12) == 0 else "ok"
        for _ in range(200):
            act = chance.choice(["bet", "bet", "jackpot", "go_on", "void", "wait", "kill"])
            if act in ("bet", "jackpot") and not cabinet.open_round and cabinet.may_play:
                cabinet.bet(chance.randrange(1, 5_000), jackpot=act == "jackpot")
            elif act == "go_on":
                cabinet.go_on()
            elif act == "void":
                cabinet.void()
            elif act == "wait":
                await asyncio.sleep(chance.randrange(20))
            elif act == "kill" and chance.randrange(4) == 0:
                await cabinet.restart()
        line.fate = lambda _name: "ok"
        await cabinet.restart()
        await cabinet.finish()
        await cabinet.until(cabinet.is_drained)
        cabinet.resolve(Resolution.PAID)
        await cabinet.until(cabinet.is_drained)
        agree(cabinet, database)
        assert len(cabinet.claims) > 3


@pytest.mark.parametrize("kill_at", range(1, 30, 2))
async def test_a_claim_survives_a_kill_at_each_step(
    database: VenueDatabase, line: ThreadedVenue, tmp_path: Path, kill_at: int
) -> None:
    """Before and after every transaction of hello, claim and answer: paid once, and as the venue has it."""
    async with LinkedCabinet(place(tmp_path), line) as cabinet:
        await connected(cabinet)
        cabinet.bet(500, jackpot=True)
        await cabinet.kill()
        cabinet.steps = Steps(kill_at)
        await cabinet.start()
        for _ in range(40):
            if cabinet.is_killed:
                await cabinet.restart()
            cabinet.go_on()
            await asyncio.sleep(0.25)
        await cabinet.finish()
        await cabinet.until(cabinet.is_drained)
        agree(cabinet, database)
        assert len(cabinet.claims) == 1


async def test_an_old_card_is_locked_and_pays_nothing_by_itself(
    database: VenueDatabase, line: ThreadedVenue, tmp_path: Path
) -> None:
    """The card of a moment before the jackpot was paid: the books lock, then the claim is a person's to decide."""
    async with LinkedCabinet(place(tmp_path), line) as cabinet:
        await connected(cabinet)
        cabinet.bet(700, jackpot=True)
        card = keep_card(cabinet, tmp_path)
        await cabinet.finish()
        cabinet.bet(900)
        await cabinet.until(cabinet.is_drained)
        before = contributed(database)
        await put_in(cabinet, card)
        await cabinet.until(lambda: cabinet.link.state.trouble is Trouble.BEHIND)
        cabinet.accept()
        await connected(cabinet)
        assert not cabinet.go_on()
        await cabinet.until(lambda: bool(cabinet.do(open_items)))
        assert not cabinet.go_on()
        cabinet.resolve(Resolution.VOID)
        await cabinet.finish()
        assert cabinet.paid_cents == 0
        cabinet.bet(200)
        await cabinet.until(cabinet.is_drained)
        assert database.ask("SELECT count(*) FROM venue.claim") == [(1,)]
        assert contributed(database) == before + 1_000


async def test_of_two_cabinets_with_one_card_the_first_is_fenced(
    database: VenueDatabase, line: ThreadedVenue, tmp_path: Path
) -> None:
    """The second hello wins."""
    cabinet = LinkedCabinet(place(tmp_path), line)
    await cabinet.start()
    other = line_to(database, ME, tmp_path)
    try:
        await connected(cabinet)
        shutil.copytree(keep_card(cabinet, tmp_path), tmp_path / "two")
        clone = LinkedCabinet(tmp_path / "two", other)
        await clone.start()
        try:
            await connected(clone)
            await cabinet.until(lambda: cabinet.link.state.trouble is Trouble.FENCED)
            assert cabinet.link.closed(KEY) == "venue_trouble"
        finally:
            await clone.kill()
    finally:
        await cabinet.kill()
        other.stop()


async def test_a_server_that_is_killed_and_comes_back_loses_nothing(
    database: VenueDatabase, line: ThreadedVenue, tmp_path: Path
) -> None:
    """It falls within a round: the round ends once the server is back, and both sides agree."""
    async with LinkedCabinet(place(tmp_path), line) as cabinet:
        await connected(cabinet)
        cabinet.bet(700, jackpot=True)
        database.server.stop("immediate")
        await asyncio.sleep(30)
        assert cabinet.link.closed(KEY) == "venue_unreached"
        assert not cabinet.go_on()
        database.server.start()
        await cabinet.finish()
        await connected(cabinet)
        await cabinet.until(cabinet.is_drained)
        agree(cabinet, database)


@pytest.mark.proof
async def test_a_venue_restored_from_an_older_backup_gets_all_back_and_pays_nothing_twice(
    database: VenueDatabase, line: ThreadedVenue, tmp_path: Path
) -> None:
    """Its pools recover until the cabinet has reported; a claim that is open meanwhile is answered afterwards, once."""
    venue = Place(database.server.dsn(), database.name, tmp_path / "keys")
    async with LinkedCabinet(place(tmp_path), line) as cabinet:
        await connected(cabinet)
        cabinet.bet(1_000, jackpot=True)
        await cabinet.finish()
        await cabinet.until(cabinet.is_drained)
        saved = back_up(venue, tmp_path / "backups").folder
        for cents in (700, 900):
            cabinet.bet(cents, jackpot=True)
            await cabinet.finish()
        await cabinet.until(cabinet.is_drained)
        before = contributed(database)
        cabinet.bet(1_200, jackpot=True)
        line.fate = lambda _name: "cut"
        assert not cabinet.go_on()
        restore(venue, saved, "anna", put_aside=True)
        assert database.ask("SELECT count(*) FROM venue.claim") == [(1,)]
        assert contributed(database) == 5_000
        line.fate = lambda _name: "ok"
        await cabinet.until(lambda: database.ask("SELECT count(*) FROM venue.recovery_report") == [(1,)])
        assert cabinet.link.closed(KEY) == "venue_pool_closed"
        assert not cabinet.go_on()
        assert contributed(database) == before + 6_000
        assert database.ask("SELECT count(*) FROM venue.claim WHERE given_back") == [(2,)]
        database.ask("SELECT venue.open_pools(true, 'anna')")
        await cabinet.finish()
        await connected(cabinet)
        await cabinet.until(cabinet.is_drained)
        agree(cabinet, database)
        assert database.ask("SELECT pool, hit FROM venue.hit ORDER BY hit") == [(1, 1), (1, 2), (1, 3), (1, 4)]
        assert database.ask("SELECT bool_and(base_ok AND hits_ok AND value_ok) FROM venue.pool_audit") == [(True,)]
        assert database.ask("SELECT epoch FROM venue.cabinet") == [(1,)]


@pytest.mark.parametrize(("entered", "kept"), [(True, "given back"), (False, "late")])
async def test_a_cabinet_that_was_written_off_gives_back_when_it_returns(
    database: VenueDatabase, line: ThreadedVenue, tmp_path: Path, *, entered: bool, kept: str
) -> None:
    """Long after the pools were opened without it, once, also where answers are lost: what it was paid is known."""
    venue = Place(database.server.dsn(), database.name, tmp_path / "keys")
    async with LinkedCabinet(place(tmp_path), line) as cabinet:
        await connected(cabinet)
        cabinet.bet(1_000)
        await cabinet.until(cabinet.is_drained)
        saved = back_up(venue, tmp_path / "backups").folder
        cabinet.bet(900, jackpot=True)
        await cabinet.finish()
        await cabinet.until(cabinet.is_drained)
        paid = [(award, seed) for _, award, _, seed in filter(None, cabinet.claims.values())]
        line.fate = lambda _name: "cut"
        restore(venue, saved, "anna", put_aside=True)
        database.ask(f"SELECT venue.write_off({ME}, 'in the workshop', 'anna')")
        if entered:
            database.ask(f"SELECT venue.write_off_hit(1, 1, {paid[0][0]}, NULL, 'slip 7', 'anna')")
        database.ask("SELECT venue.open_pools(true, 'anna')")
        lost = iter(["give_back", "reported"])
        late = [next(lost)]

        def fate(name: str) -> str:
            if name != late[0]:
                return "ok"
            late[0] = next(lost, "")
            return "lost"

        line.fate = fate
        await cabinet.until(lambda: line.called.count("reported") == 1 and cabinet.may_play)
        await cabinet.until(cabinet.is_drained)
        back = database.ask(
            "SELECT 'given back', award, seed FROM venue.claim WHERE given_back"
            " UNION ALL SELECT 'late', award, seed FROM venue.late_claim"
        )
        assert back == [(kept, *paid[0])]
        assert database.ask("SELECT count(*) FROM venue.hit") == [(int(entered),)]
        cabinet.bet(2_000, jackpot=True)
        await cabinet.finish()
        won = database.ask("SELECT award FROM venue.claim WHERE NOT given_back")
        assert cabinet.paid_cents * 1000 == paid[0][0] + won[0][0]
        assert database.ask("SELECT bool_and(base_ok AND hits_ok AND value_ok) FROM venue.pool_audit") == [(True,)]
        reports = line.called.count("reported")
        await cabinet.restart()
        await connected(cabinet)
        await cabinet.until(cabinet.is_drained)
        assert line.called.count("reported") == reports


def test_an_offer_is_fetched_in_pieces_and_its_result_is_kept(database: VenueDatabase, line: ThreadedVenue) -> None:
    """More than one answer can hold, across two parts of an upload; a withdrawn one is refused as a contradiction."""
    content = random.Random(1).randbytes(700_000)
    with database.connect() as admin:
        for number in (1, 2):
            admin.execute("SELECT venue.new_offer('bundle', 'x.cabinet', 'anna')")
            for part in (content[:400_000], content[400_000:]):
                admin.execute("SELECT venue.add_part(%s, %s)", (number, part))
            digest = hashlib.sha256(content).digest()
            admin.execute("SELECT venue.start_offer(%s, %s, %s, 1, 'anna')", (number, digest, [ME]))

    async def calls() -> None:
        session = (await line.hello(0, {}, 0, "ab" * 32, {})).session
        offer, other = await line.offers(session)
        assert (offer.kind, offer.size, offer.sha256) == ("bundle", len(content), hashlib.sha256(content).digest())
        fetched = b""
        while piece := await line.fetch(session, offer.offer, len(fetched)):
            assert len(piece) <= CHUNK_BYTES
            fetched += piece
        assert fetched == content
        await line.offer_result(session, offer.offer, "taken", "")
        await line.offer_result(session, offer.offer, "installed", "")
        with database.connect() as admin:
            admin.execute("SELECT venue.stop_offer(%s, 'anna')", (other.offer,))
        with pytest.raises(ContradictionError):
            await line.fetch(session, other.offer, 0)
        assert await line.offers(session) == []

    asyncio.run(calls())
    assert database.ask("SELECT offer, state FROM venue.offer_to ORDER BY 1") == [(1, "installed"), (2, "withdrawn")]


async def test_two_calls_at_once_open_one_connection(database: VenueDatabase, tmp_path: Path) -> None:
    """A call that was given up may still connect while the next one does: neither connection is left open."""
    address = Address(str(database.server.folder), database.server.port, database.name)
    venue = PostgresVenue(address, tmp_path, {"user": f"cab_{ME}"})
    try:
        first = await asyncio.gather(*(venue.hello(0, {}, 0, "ab" * 32, {}) for _ in range(2)), return_exceptions=True)
        assert any(isinstance(greeting, Greeting) for greeting in first)
        sessions = database.ask("SELECT usename FROM pg_stat_activity WHERE datname = current_database()")
        assert sessions.count((f"cab_{ME}",)) == 1
    finally:
        await venue.close()
