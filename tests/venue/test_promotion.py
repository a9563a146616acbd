"""A standby that takes over and a server that is set back: the venue notices it, and nothing is paid twice."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from psycopg.types.json import Jsonb

from controller.features.venue.postgres import PostgresVenue
from controller.features.venue.relayed import Address
from tests.rigs.linked_cabinet import LinkedCabinet
from tests.rigs.pool_contract import KEY
from tests.rigs.postgres import PostgresServer, VenueDatabase
from tests.rigs.restored_venue import Party
from tests.rigs.second_server import SecondServer, Standby, archiving
from tests.rigs.threaded_venue import ThreadedVenue
from tests.rigs.venue_cabinet import Award
from tests.rigs.venue_tally import differences
from venue import server as venue_server
from venue.schema import migrate

SEED = 50_000_000
CLAIM = "SELECT * FROM venue.claim(1, 1, 1, 9, 0, NULL, NULL)"
"""A claim in a cabinet's first session and epoch, for round 9."""
MOVED = "the database server was promoted or set back"


@pytest.fixture
def primary() -> Iterator[PostgresServer]:
    """A server of the test's own."""
    with closing(PostgresServer()) as server:
        server.start()
        yield server


@pytest.fixture
def played(primary: PostgresServer) -> Iterator[Party]:
    """Three cabinets with one pool on `primary`, one of which has contributed."""
    database = primary.new_database()
    database.add_pool()
    party = Party(database, 3)
    party.play(1, 336_000)
    with closing(party):
        yield party


@pytest.fixture
def standby(played: Party) -> Iterator[Standby]:
    """A standby of their server that has what was played."""
    with closing(Standby(played.server)) as server:
        server.start()
        server.catch_up()
        yield server


def take_over(party: Party, server: PostgresServer) -> None:
    """Let the cabinets go on with another server."""
    party.server = server
    party.reconnect(party.database.name)


def states(database: VenueDatabase) -> list[tuple[object, ...]]:
    """Return the states of the pools, and of the open recovery reason and beginner."""
    return database.ask(
        "SELECT state, reason, began_by FROM venue.pool LEFT JOIN venue.recovery r ON r.opened_at IS NULL"
    )


RECOVERING = [("recovering", MOVED, "venue")]
OPEN = [("open", None, None)]


def test_a_hit_that_a_lagging_standby_lacks_is_paid_once(played: Party, standby: Standby) -> None:
    """Claimed on the primary, it is refused by the promoted standby until its cabinet has given it back."""
    standby.cut_off()
    paid = played.claim(1, 9)
    played.play(2, 60_000)
    played.server.kill()
    standby.promote()
    take_over(played, standby)
    first, second = played.cabinets[:2]
    assert first.hello().report_due
    assert states(played.database) == RECOVERING
    second.hello()
    for cabinet, round_id in ((first, 9), (second, 4)):
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="pool 1 is recovering"):
            cabinet.claim(1, round_id)
    assert [played.give_back(number) for number in (1, 2, 3)] == [1, 0, 0]
    played.page("SELECT venue.open_pools(true, 'anna')")
    assert played.cabinets[0].claim(1, 9) == paid._replace(dup=True)
    assert played.claim(2, 4) == Award(SEED + 50_000, hit=2, seed=SEED, dup=False)
    assert played.page("SELECT bool_and(base_ok AND hits_ok AND awards_ok AND value_ok) FROM venue.pool_audit") is True
    assert states(played.database) == OPEN


def test_a_standby_that_lacks_a_cabinet_s_first_session(played: Party, standby: Standby) -> None:
    """It begins a new epoch there and reports; its hit is booked under the old key, and answered as it was."""
    role = played.database.add_cabinet(4)
    standby.catch_up()
    standby.cut_off()
    with played.database.connect(role) as connection:
        connection.execute("SELECT venue.hello(0, NULL, 0, repeat('cd', 32), NULL)")
        paid = connection.execute("SELECT * FROM venue.claim(1, 1, 1, 7, 0, 1, 60000)").fetchone()
    assert paid == (SEED + 375_000, 1, SEED, False)
    played.server.kill()
    standby.promote()
    take_over(played, standby)
    with played.database.connect(role) as connection:
        greeting = connection.execute(
            "SELECT epoch, session, fresh, report_due FROM venue.hello(1, NULL, 0, repeat('cd', 32), NULL)"
        )
        assert greeting.fetchone() == (2, 1, True, True)
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="pool 1 is recovering"):
            connection.execute("SELECT * FROM venue.claim(1, 1, 1, 7, 0, 1, 60000)")
        claim = {"pool": 1, "epoch": 1, "round": 7, "number": 0, "hit": 1, "seed": SEED, "award": paid[0]}
        connection.execute("SELECT venue.put(1, ARRAY[1], ARRAY[1], ARRAY[60000], 1)")
        connection.execute("SELECT venue.give_back(1, %s), venue.reported(1, '{}')", (Jsonb([claim]),))
        for number in (1, 2, 3):
            played.give_back(number)
        played.page("SELECT venue.open_pools(true, 'anna')")
        again = connection.execute("SELECT * FROM venue.claim(1, 1, 1, 7, 0, 1, 60000)").fetchone()
    assert again == (*paid[:3], True)


async def test_a_cabinet_goes_on_with_the_standby_by_itself(primary: PostgresServer, tmp_path: Path) -> None:
    """The standby gets the address: the cabinet gives back its jackpot, waits for the pools, and wins the next hit."""
    database = primary.new_database()
    database.add_pool(1, KEY.game, KEY.coin_value_cents)
    role = database.add_cabinet(1)
    address = primary.folder / "address"
    address.mkdir()
    socket = address / ".s.PGSQL.1"
    socket.symlink_to(primary.folder / f".s.PGSQL.{primary.port}")
    line = ThreadedVenue(PostgresVenue(Address(str(address), 1, database.name), tmp_path, {"user": role}))
    (tmp_path / "1").mkdir()
    with closing(Standby(primary)) as standby:
        standby.start()
        async with LinkedCabinet(tmp_path / "1", line) as cabinet:
            await cabinet.until(lambda: cabinet.may_play)
            standby.catch_up()
            standby.cut_off()
            cabinet.bet(1_200, jackpot=True)
            await cabinet.finish()
            paid = cabinet.paid_cents
            primary.kill()
            standby.promote()
            socket.unlink()
            socket.symlink_to(standby.folder / f".s.PGSQL.{standby.port}")
            moved = VenueDatabase(standby, database.name)
            await cabinet.until(lambda: cabinet.link.closed(KEY) == "venue_pool_closed")
            await cabinet.until(lambda: moved.ask("SELECT count(*) FROM venue.not_reported") == [(0,)])
            assert states(moved) == RECOVERING
            assert cabinet.paid_cents == paid
            with moved.connect("venue_page") as page:
                page.execute("SELECT venue.open_pools(true, 'anna')")
            await cabinet.until(lambda: cabinet.may_play)
            cabinet.bet(300, jackpot=True)
            await cabinet.finish()
            await cabinet.until(cabinet.is_drained)
        line.stop()
        assert moved.ask("SELECT hit, given_back FROM venue.claim ORDER BY hit") == [(1, True), (2, False)]
        with moved.connect() as venue:
            assert differences([tmp_path / "1"], venue, money_cents=10_000_000) == []


@pytest.mark.parametrize("call", ["put", "claim"])
def test_a_session_that_outlives_the_promotion_books_nothing_before_the_recovery(
    played: Party, standby: Standby, call: str
) -> None:
    """Open and idle since before, its statement prepared, its session number good: the recovery comes first."""
    database = VenueDatabase(standby, played.database.name)
    with database.connect("cab_1") as idle:
        statement = {
            "put": "SELECT venue.put(1, ARRAY[1], ARRAY[5]::bigint[], ARRAY[400000]::bigint[])",
            "claim": CLAIM,
        }[call]
        idle.execute(f"PREPARE call AS {statement}".encode())
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            idle.execute("EXECUTE call")
        played.server.kill()
        standby.promote()
        if call == "put":
            idle.execute("EXECUTE call")
            assert states(database) == RECOVERING
        else:
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="pool 1 is recovering"):
                idle.execute("EXECUTE call")
            assert database.ask("SELECT count(*) FROM venue.claim") == [(0,)]
            assert states(database) == OPEN, "refused, it has left nothing"
            idle.execute("SELECT venue.beat(1, '{}')")
            assert states(database) == RECOVERING


@pytest.mark.parametrize("isolation", ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"])
def test_a_transaction_that_was_begun_on_the_standby_books_nothing_before_the_recovery(
    played: Party, standby: Standby, isolation: str
) -> None:
    """Made to write after the promotion, it still finds the recovery first."""
    database = VenueDatabase(standby, played.database.name)
    with database.connect("cab_1") as idle:
        idle.execute("BEGIN")
        played.server.kill()
        standby.promote()
        idle.execute(f"SET TRANSACTION ISOLATION LEVEL {isolation}, READ WRITE".encode())
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="pool 1 is recovering"):
            idle.execute(CLAIM)
    assert database.ask("SELECT count(*) FROM venue.claim") == [(0,)]


def test_a_standby_that_had_everything_recovers_too(played: Party, standby: Standby) -> None:
    """Nobody can know that nothing is lacking; the cabinets say so, and an operator opens."""
    paid = played.claim(1, 9)
    standby.catch_up()
    played.server.stop()
    standby.promote()
    take_over(played, standby)
    assert played.cabinets[0].hello().report_due
    assert played.cabinets[0].claim(1, 9) == paid._replace(dup=True)
    assert states(played.database) == RECOVERING
    assert [played.give_back(number) for number in (1, 2, 3)] == [0, 0, 0]
    played.page("SELECT venue.open_pools(true, 'anna')")
    standby.stop()
    standby.start()
    take_over(played, standby)
    assert not played.cabinets[1].hello().report_due
    assert states(played.database) == OPEN


def test_a_second_promotion_is_noticed_during_a_recovery(played: Party, standby: Standby) -> None:
    """Whoever has reported reports again, since that may be lacking."""
    played.server.kill()
    standby.promote()
    take_over(played, standby)
    played.give_back(1)
    with closing(Standby(standby)) as third:
        third.start()
        third.catch_up()
        played.give_back(2)
        third.catch_up()
        standby.kill()
        third.promote()
        take_over(played, third)
        played.cabinets[0].hello()
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="cabinets 1, 2, 3 have not reported"):
            played.page("SELECT venue.open_pools(true, 'anna')")
        assert [played.give_back(number) for number in (1, 2, 3)] == [0, 0, 0]
        played.page("SELECT venue.open_pools(true, 'anna')")


def test_a_point_in_time_before_a_claim(played: Party) -> None:
    """Set back to before the claim, the venue recovers by itself and answers the claim as it did."""
    server = played.server
    server.stop()
    archiving(server)
    server.start()
    take_over(played, server)
    for cabinet in played.cabinets:
        cabinet.hello()
    target = {
        "restore_command": f"cp {server.folder}/archive/%f %p",
        "recovery_target_name": "before the claim",
        "recovery_target_action": "promote",
    }
    with closing(SecondServer(server, signal="recovery.signal", settings=target)) as restored:
        with psycopg.connect(server.dsn(), autocommit=True) as admin:
            admin.execute("SELECT pg_create_restore_point('before the claim')")
            paid = played.claim(1, 9)
            admin.execute("SELECT pg_switch_wal()")
        server.stop()
        restored.start()
        take_over(played, restored)
        assert played.database.ask("SELECT count(*) FROM venue.claim") == [(0,)]
        assert played.cabinets[0].hello().report_due
        assert states(played.database) == RECOVERING
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="recovering"):
            played.cabinets[0].claim(1, 9)
        assert [played.give_back(number) for number in (1, 2, 3)] == [1, 0, 0]
        played.page("SELECT venue.open_pools(true, 'anna')")
        assert played.cabinets[0].claim(1, 9) == paid._replace(dup=True)


@pytest.mark.parametrize("end", ["smart", "fast", "immediate", "kill"])
def test_a_server_that_starts_again_is_the_same(played: Party, end: str) -> None:
    """Stopped cleanly, as by a power cut or by a crash of its processes: nothing recovers."""
    paid = played.claim(1, 9)
    for cabinet in played.cabinets:
        cabinet.connection.close()
    before = played.database.ask("SELECT * FROM venue.cluster")
    played.server.kill() if end == "kill" else played.server.stop(end)
    played.server.start()
    take_over(played, played.server)
    assert not played.cabinets[0].hello().report_due
    assert played.cabinets[0].claim(1, 9) == paid._replace(dup=True)
    with venue_server.opened(played.server.dsn(), played.database.name) as admin:
        admin.execute("CHECKPOINT")
        admin.execute("SELECT pg_switch_wal()")
        assert migrate(admin) == []
    played.play(1, 60_000)
    assert states(played.database) == OPEN
    assert played.database.ask("SELECT * FROM venue.cluster") == before


def test_a_standby_is_read_as_it_is(played: Party, standby: Standby) -> None:
    """The venue's commands work on it; it writes nothing, and says nothing of a recovery."""
    with venue_server.opened(standby.dsn(), played.database.name) as admin:
        assert admin.execute("SELECT state, venue.tickets_recover() FROM venue.pool").fetchall() == [("open", False)]
