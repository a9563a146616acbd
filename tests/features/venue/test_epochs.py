"""Epochs and venues that a cabinet leaves behind: nothing is lost, counted twice or asked of another venue."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Any, cast

import pytest

from controller.features.archive.archiving import decide, finish
from controller.features.archive.carry_over import Retention
from controller.features.venue.calls import Venue
from controller.features.venue.membership import Trouble, membership
from controller.features.venue.outbox import add_reading, count_unsent
from controller.journal.errors import JournalStorageError, RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.store import Store
from tests.rigs.linked_cabinet import LinkedCabinet
from tests.rigs.linked_cabinets import keep_card
from tests.rigs.pool_contract import KEY, OTHER, RULE
from tests.rigs.postgres import PostgresServer, VenueDatabase
from tests.rigs.threaded_venue import ThreadedVenue, line_to
from tests.rigs.venue_store import ME

RATE = RULE.growth_per_mille
REFUSED = "SELECT data ->> '$.reason' FROM ledger WHERE data ->> '$.text' = 'venue_refused' ORDER BY seq"


@asynccontextmanager
async def linked(folder: Path, line: ThreadedVenue) -> AsyncIterator[LinkedCabinet]:
    """A cabinet on its card in `folder`/place, whose rounds may be played."""
    card = folder / "place"
    card.mkdir()
    async with LinkedCabinet(card, cast("Venue", line)) as cabinet:
        await cabinet.until(lambda: cabinet.may_play)
        yield cabinet


@pytest.fixture
def other(server: PostgresServer) -> Iterator[VenueDatabase]:
    """Another venue with the same games under other numbers, and the cabinet of the same number."""
    database = server.new_database()
    database.add_pool(1, OTHER.game, OTHER.coin_value_cents)
    database.add_pool(2, KEY.game, KEY.coin_value_cents)
    database.add_cabinet(ME)
    yield database
    database.drop()


@pytest.fixture
def other_line(other: VenueDatabase, tmp_path: Path) -> Iterator[ThreadedVenue]:
    """The cabinet's connection to the other venue."""
    line = line_to(other, ME, tmp_path)
    yield line
    line.stop()


def begin_another_epoch(database: VenueDatabase) -> None:
    """Let the next hello begin an epoch, as after a code of the page for the same number."""
    with database.connect() as admin:
        admin.execute("UPDATE venue.cabinet SET fresh_next = true")


def meters_agree(cabinet: LinkedCabinet, database: VenueDatabase) -> None:
    """Each meter is the same on both sides, and their sum what valid rounds contributed, less what is still owed."""
    ours = cabinet.rows("SELECT epoch, pool, seq, cum FROM venue_meters WHERE seq > 0 ORDER BY 1, 2")
    assert [tuple(row) for row in ours] == database.ask("SELECT epoch, pool, seq, cum FROM venue.meter ORDER BY 1, 2")
    ((valid, owed),) = cabinet.rows(
        "SELECT (SELECT coalesce(sum(millicents), 0) FROM venue_shares WHERE reversed = 0),"
        " (SELECT coalesce(sum(debt), 0) FROM venue_meters)"
    )
    assert database.ask("SELECT sum(cum)::bigint FROM venue.meter") == [(valid + owed,)]


async def in_epoch(cabinet: LinkedCabinet, epoch: int) -> None:
    """Wait until rounds may be played in that epoch, and the venue has everything."""
    await cabinet.until(lambda: cabinet.may_play and cabinet.link.state.epoch == epoch)
    await cabinet.until(cabinet.is_drained)


async def test_the_end_of_an_epoch_arrives_in_the_next_one(
    database: VenueDatabase, line: ThreadedVenue, tmp_path: Path
) -> None:
    """What was played and not sent before the epoch ended counts once, also where the answer to it is lost."""
    async with linked(tmp_path, line) as cabinet:
        cabinet.bet(1_000)
        await cabinet.until(cabinet.is_drained)
        line.fate = lambda _name: "cut"
        cabinet.bet(3_000)
        begin_another_epoch(database)
        await asyncio.sleep(20)
        lost: list[str] = []
        line.fate = lambda name: "lost" if name == "put" and not lost.append(name) and len(lost) < 3 else "ok"
        await in_epoch(cabinet, 2)
        cabinet.bet(500)
        await cabinet.restart()
        await in_epoch(cabinet, 2)
        meters_agree(cabinet, database)
        assert database.ask("SELECT epoch, cum FROM venue.meter ORDER BY 1") == [(1, 4_000 * RATE), (2, 500 * RATE)]


async def test_a_venue_that_was_set_back_gets_the_ends_of_earlier_epochs(
    database: VenueDatabase, line: ThreadedVenue, tmp_path: Path
) -> None:
    """It is older than the present epoch, and has nothing of the one before: both come with the next session."""
    async with linked(tmp_path, line) as cabinet:
        cabinet.bet(1_000)
        begin_another_epoch(database)
        await cabinet.restart()
        await in_epoch(cabinet, 2)
        cabinet.bet(500)
        await cabinet.until(cabinet.is_drained)
        with database.connect() as admin:
            admin.execute("ALTER TABLE venue.meter DISABLE TRIGGER never_falls")
            admin.execute("DELETE FROM venue.meter")
            admin.execute("ALTER TABLE venue.meter ENABLE TRIGGER never_falls")
            admin.execute("UPDATE venue.cabinet SET epoch = 1, session = session + 100")
        await cabinet.restart()
        await cabinet.until(lambda: database.ask("SELECT count(*) FROM venue.recovery_report") == [(1,)])
        meters_agree(cabinet, database)


@pytest.mark.parametrize("void_before", [True, False])
async def test_a_voided_rounds_share_is_given_back_in_the_next_epoch(
    database: VenueDatabase, line: ThreadedVenue, tmp_path: Path, *, void_before: bool
) -> None:
    """Whether it was voided before the new epoch began or after it, the next bets pay what the pool got too much."""
    async with linked(tmp_path, line) as cabinet:
        cabinet.bet(1_000, jackpot=True)
        await cabinet.until(cabinet.is_drained)
        if void_before:
            cabinet.void()
        begin_another_epoch(database)
        await cabinet.restart()
        await in_epoch(cabinet, 2)
        if not void_before:
            cabinet.void()
        meters_agree(cabinet, database)
        cabinet.bet(300)
        cabinet.bet(1_700)
        await cabinet.until(cabinet.is_drained)
        meters_agree(cabinet, database)
        assert cabinet.rows("SELECT sum(debt) FROM venue_meters") == [(0,)]
        assert database.ask("SELECT sum(cum)::bigint FROM venue.meter") == [(2_000 * RATE,)]


async def test_a_claim_of_an_earlier_epoch_brings_that_epochs_meter(
    database: VenueDatabase, line: ThreadedVenue, tmp_path: Path
) -> None:
    """What was played in the present epoch is not stored a second time under the earlier one."""
    async with linked(tmp_path, line) as cabinet:
        line.fate = lambda _name: "cut"
        cabinet.bet(700, jackpot=True)
        cabinet.go_on()
        cabinet.void()
        begin_another_epoch(database)
        line.fate = lambda name: "cut" if name == "claim" else "ok"
        await cabinet.until(lambda: cabinet.link.state.epoch == 2)
        for cents in (900, 800, 600):
            cabinet.bet(cents)
        line.fate = lambda _name: "ok"
        await in_epoch(cabinet, 2)
        meters_agree(cabinet, database)
        assert [key[0] for key in cabinet.claims] == [1]


async def test_another_venue_is_joined_with_its_own_pools(
    line: ThreadedVenue, other: VenueDatabase, other_line: ThreadedVenue, tmp_path: Path
) -> None:
    """Pool 1 is another game there: bets go to the game's own pool, and meters and claims stay with their venue."""
    async with linked(tmp_path, line) as cabinet:
        cabinet.bet(1_000, jackpot=True)
        await cabinet.finish()
        line.fate = lambda name: "cut" if name == "claim" else "ok"
        cabinet.bet(2_000, jackpot=True)
        cabinet.go_on()
        cabinet.venue = cast("Venue", other_line)
        await cabinet.restart()
        await cabinet.until(lambda: bool(cabinet.link.state.error))
        assert not other.ask("SELECT FROM venue.status"), "the round in play is the first venue's"
        cabinet.void()
        await cabinet.until(lambda: cabinet.may_play)
        assert cabinet.link.state.epoch == 2
        cabinet.bet(400)
        with other.connect() as admin:
            admin.execute("SELECT venue.begin_recovery('a test', 'anna')")
        await cabinet.until(lambda: other.ask("SELECT count(*) FROM venue.recovery_report") == [(1,)])
        assert other.ask("SELECT pool, epoch, cum FROM venue.meter") == [(2, 2, 400 * RATE)]
        assert other.ask("SELECT FROM venue.claim UNION ALL SELECT FROM venue.late_claim") == []
        ((unanswered, meters),) = cabinet.rows(
            "SELECT data ->> '$.unanswered[0].pool', data ->> '$.ends[0].cum' FROM ledger"
            " WHERE data ->> '$.text' = 'venue_left'"
        )
        assert (unanswered, meters) == (1, 3_000 * RATE)
        assert len(cabinet.rows("SELECT 1 FROM venue_claims WHERE state = 'asked'")) == 1


async def test_another_venue_gets_no_events_and_readings_of_the_one_before(
    line: ThreadedVenue, other: VenueDatabase, other_line: ThreadedVenue, tmp_path: Path
) -> None:
    """What the first venue has not got would be counted by the other one, on days before the cabinet was there."""
    async with linked(tmp_path, line) as cabinet:
        await cabinet.until(cabinet.is_drained)
        line.fate = lambda _name: "cut"
        for _ in range(2):
            cabinet.bet(1_000)
            cabinet.do(lambda tx: add_reading(tx, "hour"))
            cabinet.do(lambda tx: tx.event(Event.PERIOD_CLEARED, who="technician"))
        assert cabinet.do(count_unsent) == 2
        cabinet.venue = cast("Venue", other_line)
        await cabinet.restart()
        await cabinet.until(lambda: cabinet.may_play)
        cabinet.do(lambda tx: add_reading(tx, "hour"))
        cabinet.do(lambda tx: tx.event(Event.STOPPED))
        await cabinet.until(cabinet.is_drained)
        await cabinet.until(lambda: other.ask("SELECT seq, baseline FROM venue.reading") == [(1, True)])
        assert other.ask("SELECT code FROM venue.event WHERE code = 'period_cleared'") == []
        assert other.ask("SELECT count(*) FROM venue.event WHERE code = 'stopped'") == [(1,)]
        assert cabinet.do(count_unsent) == 0


async def test_another_venue_that_goes_on_with_an_epoch_is_refused(
    database: VenueDatabase, line: ThreadedVenue, other: VenueDatabase, other_line: ThreadedVenue, tmp_path: Path
) -> None:
    """A venue that answers an epoch that the cabinet has had elsewhere would mix the meters of two venues."""
    async with linked(tmp_path, line) as cabinet:
        cabinet.bet(1_000)
        await cabinet.until(cabinet.is_drained)
        with other.connect() as admin:
            admin.execute("UPDATE venue.cabinet SET epoch = 1, identity = %s", (cabinet.identity,))
        cabinet.venue = cast("Venue", other_line)
        await cabinet.restart()
        await cabinet.until(lambda: "enrol it again" in cabinet.link.state.error)
        known = cabinet.do(membership)
        assert known is not None
        assert database.ask("SELECT identity::text FROM venue.site") == [(known.site,)]
        assert not cabinet.may_play


class Odd:
    """A line to a real venue, of which some calls end with an error that nobody expects."""

    def __init__(self, line: ThreadedVenue, error: Exception) -> None:
        self._line = line
        self.error: Exception | None = error

    def __getattr__(self, name: str) -> Callable[..., Any]:
        async def call(*arguments: Any, **named: Any) -> Any:
            if name == "beat" and self.error is not None:
                raise self.error
            return await getattr(self._line, name)(*arguments, **named)

        return call


@pytest.mark.parametrize("error", [RefusedError("a rule of the books"), ValueError("no number"), KeyError("pool")])
async def test_only_locked_books_end_the_link(line: ThreadedVenue, tmp_path: Path, error: Exception) -> None:
    """A refused transaction or an answer without sense is recorded once and tried again, with pauses."""
    odd = Odd(line, error)
    cabinet = LinkedCabinet(tmp_path, cast("Venue", odd))
    await cabinet.start()
    try:
        await cabinet.until(lambda: bool(cabinet.link.state.error))
        line.called.clear()
        await asyncio.sleep(300)
        assert not cabinet.is_killed
        assert 5 < line.called.count("hello") < 40, "tried again, and not all the time"
        assert len(cabinet.rows(REFUSED)) == 1
        odd.error = None
        await cabinet.until(lambda: cabinet.may_play)
        odd.error = JournalStorageError("the disk is full")
        with pytest.raises(ExceptionGroup) as ended:
            await cabinet.until(lambda: False)
        assert ended.group_contains(JournalStorageError)
    finally:
        with suppress(ExceptionGroup):
            await cabinet.kill()
        cabinet.store.close()


def archived(card: Path) -> Path:
    """Archive the books on a card, of which the journal keeps next to nothing; return the archive's folder."""
    path, folder = card / "journal.sqlite", card / "archive"
    with closing(Store(path, lambda: 0, simulated=True)) as store:
        store.transact(lambda tx: decide(tx, folder, "a test"))
    assert finish(path, lambda: 0, retained=Retention(rounds=1, events=1, of_each=1, stretch=1))
    return folder


@pytest.mark.parametrize("archive_is_here", [True, False])
async def test_a_copy_whose_witnessed_row_is_archived_is_found(
    database: VenueDatabase, line: ThreadedVenue, tmp_path: Path, *, archive_is_here: bool
) -> None:
    """The archive has another hash under that number; without the archive the books lock all the same."""
    async with linked(tmp_path, line) as cabinet:
        await cabinet.until(cabinet.is_drained)
        copy = keep_card(cabinet, tmp_path)
        cabinet.bet(700)
        await cabinet.until(cabinet.is_drained)
        ((seen,),) = database.ask("SELECT seen_row FROM venue.chain")
        await cabinet.kill()
        cabinet.path = copy / "journal.sqlite"
        line.fate = lambda _name: "cut"
        await cabinet.start()
        for cents in range(800, 810):
            cabinet.bet(cents)
        assert cabinet.do(lambda tx: tx.head)[0] > seen
        await cabinet.kill()
        folder = archived(copy)
        if not archive_is_here:
            folder.rename(tmp_path / "away")
        line.fate = lambda _name: "ok"
        await cabinet.start()
        assert (seen,) not in cabinet.rows("SELECT seq FROM ledger")
        await cabinet.until(lambda: cabinet.link.state.trouble is Trouble.BESIDE)
        assert not cabinet.may_play
        reasons = [row[0] for row in cabinet.rows(REFUSED)]
        assert [f"row {seen}" in reason for reason in reasons] == [True] * (not archive_is_here)


async def test_books_whose_witnessed_row_is_archived_go_on(
    database: VenueDatabase, line: ThreadedVenue, tmp_path: Path
) -> None:
    """The same books, archived while the venue was away: the archive proves them, and its rows arrive."""
    async with linked(tmp_path, line) as cabinet:
        cabinet.bet(600)
        cabinet.bet(700)
        await cabinet.until(cabinet.is_drained)
        ((seen,),) = database.ask("SELECT seen_row FROM venue.chain")
        line.fate = lambda _name: "cut"
        for cents in range(800, 810):
            cabinet.bet(cents)
        await cabinet.kill()
        archived(cabinet.path.parent)
        line.fate = lambda _name: "ok"
        await cabinet.start()
        assert (seen,) not in cabinet.rows("SELECT seq FROM ledger")
        await cabinet.until(lambda: cabinet.may_play)
        await cabinet.until(cabinet.is_drained)
        assert database.ask("SELECT newest_row FROM venue.chain") == [(cabinet.do(lambda tx: tx.head)[0],)]


async def test_a_venue_without_room_for_the_ledger_is_as_one_that_is_away(
    database: VenueDatabase, line: ThreadedVenue, tmp_path: Path
) -> None:
    """Contributions may still fit while rows do not: money that cannot be witnessed is not played for."""
    async with linked(tmp_path, line) as cabinet:
        with database.connect() as admin:
            admin.execute(
                "CREATE FUNCTION venue.no_room() RETURNS trigger LANGUAGE plpgsql AS"
                " $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END $$"
            )
            admin.execute(
                "CREATE TRIGGER no_room BEFORE INSERT ON venue.ledger_row FOR EACH ROW EXECUTE FUNCTION venue.no_room()"
            )
        cabinet.bet(700)
        await cabinet.until(lambda: not cabinet.may_play)
        for _ in range(100):
            await asyncio.sleep(1)
            assert cabinet.link.closed(KEY) == "venue_unreached"
        assert database.ask("SELECT sum(cum)::bigint FROM venue.meter") == [(700 * RATE,)]
        with database.connect() as admin:
            admin.execute("DROP TRIGGER no_room ON venue.ledger_row")
        await cabinet.until(lambda: cabinet.may_play)
        await cabinet.until(cabinet.is_drained)
        meters_agree(cabinet, database)
