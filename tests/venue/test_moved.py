"""Books that are on another server than they were written on: nothing is booked before their recovery has begun."""

import re
import threading
from typing import LiteralString

import psycopg
import pytest

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_cabinet import VenueCabinet
from tests.venue.conftest import Enrol
from venue import server

WITHOUT_A_SESSION = {"enrol", "hello", "locked"}
"""Calls that begin no session's call: two notice a move themselves, `locked` says something of the cabinet alone."""
MOVES = {
    "another timeline": "UPDATE venue.cluster SET timeline = timeline + 1",
    "an earlier timeline": "UPDATE venue.cluster SET timeline = timeline - 1",
    "another system identifier": "UPDATE venue.cluster SET system_identifier = system_identifier + 1",
    "none": "DELETE FROM venue.cluster",
}


@pytest.fixture
def cabinet(venue_database: VenueDatabase, enrol: Enrol) -> VenueCabinet:
    """A cabinet that has contributed to a pool."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    cabinet.play(1, 1_000)
    cabinet.put()
    return cabinet


def moved(database: VenueDatabase, move: LiteralString = MOVES["another timeline"]) -> VenueDatabase:
    """Have the books be those of another server."""
    with database.connect() as admin:
        admin.execute(move)
    return database


def recoveries(database: VenueDatabase) -> int:
    """Return how many recoveries were begun."""
    ((count,),) = database.ask("SELECT count(*) FROM venue.audit WHERE act = 'recovery begun'")
    return int(count)


@pytest.mark.parametrize("move", MOVES.values(), ids=MOVES)
def test_the_next_call_begins_the_recovery_once(
    venue_database: VenueDatabase, cabinet: VenueCabinet, move: LiteralString
) -> None:
    """Whatever differs; from then on the books are those of this server."""
    moved(venue_database, move)
    assert cabinet.beat()[1].state == "recovering"
    cabinet.put()
    cabinet.hello()
    assert recoveries(venue_database) == 1
    assert venue_database.ask("SELECT venue.has_moved(), state FROM venue.pool") == [(False, "recovering")]


def test_every_call_in_a_session_looks_first(venue_database: VenueDatabase) -> None:
    """What a cabinet may execute declares nothing before `venue.caller`, which looks before it locks anything."""
    venue_database.add_cabinet()
    found = dict(
        venue_database.ask(
            "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'venue'::regnamespace"
            " AND (has_function_privilege('cabinets', oid, 'EXECUTE') OR proname IN ('caller', 'enrol'))"
        )
    )
    caller = found.pop("caller").split("BEGIN", 1)[1]
    assert re.match(r"\s*(--[^\n]*\n\s*)*IF venue\.has_moved\(\) THEN\s+PERFORM venue\.notice_move\(\)", caller)
    for name, body in found.items():
        if name in WITHOUT_A_SESSION - {"locked"}:
            assert re.match(r"\s*PERFORM venue\.notice_move\(\);", body.split("BEGIN", 1)[1]), name
        elif name not in WITHOUT_A_SESSION:
            assert "venue.caller(p_session)" in body, name
            assert not re.search(r"\b(INSERT|UPDATE|DELETE|FOR SHARE)\b", body.split("venue.caller(p_session)")[0]), (
                name
            )


@pytest.mark.parametrize(
    "write",
    [
        "INSERT INTO venue.claim VALUES (1, 1, 1, 0, 1, 1, 50000000, 5, 50000000)",
        "UPDATE venue.pool SET hits = 1",
        "INSERT INTO venue.ticket (number, cents, issued_day) VALUES ('001234567890123456', 1, '2026-09-15')",
        "UPDATE venue.ticket SET state = 'void'",
        "SELECT venue.note('anna', 'set up', NULL, '{}')",
        "SELECT venue.propose_adjustment(1, 5000, 'why', 'anna')",
        "SELECT venue.close_pool(1, true, 'why', 'anna')",
        "SELECT venue.open_pools(true, 'anna')",
    ],
)
def test_no_act_is_booked_before(venue_database: VenueDatabase, cabinet: VenueCabinet, write: LiteralString) -> None:
    """Not even by the superuser, and not the end of a recovery to which all had reported before."""
    with venue_database.connect() as admin:
        admin.execute("SELECT venue.begin_recovery('restored', 'anna')")
    cabinet.call("reported", cabinet.session, "{}")
    moved(venue_database)
    with (
        venue_database.connect() as admin,
        pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="promoted"),
    ):
        admin.execute(write)
    assert recoveries(venue_database) == 1


def test_no_ticket_is_paid_before(venue_database: VenueDatabase, cabinet: VenueCabinet) -> None:
    """The desk answers as in a recovery, and a cabinet's claim begins one."""
    assert cabinet.session
    with venue_database.connect() as admin:
        admin.execute(
            "INSERT INTO venue.ticket (number, cents, issued_day) VALUES ('001234567890123456', 500, '2026-09-15')"
        )
    moved(venue_database)
    with venue_database.connect("venue_page") as page:
        paid = page.execute("SELECT * FROM venue.pay_ticket('001234567890123456', 500, 'key', 'anna')").fetchone()
    assert paid == ("recovering", None)
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="recovers"):
        cabinet.call("ticket_claim", cabinet.session, 1, 1, "001234567890123456")


@pytest.mark.parametrize("who", ["venue_page", "postgres"])
def test_the_watch_and_the_commands_notice_it(venue_database: VenueDatabase, cabinet: VenueCabinet, who: str) -> None:
    """With no cabinet there, the page's alarms and each command of `cabinet venue` begin the recovery."""
    assert cabinet.session
    moved(venue_database)
    if who == "postgres":
        with server.opened(venue_database.server.dsn(), venue_database.name):
            pass
    else:
        with venue_database.connect(who) as page:
            page.execute("SELECT venue.watch()")
    assert recoveries(venue_database) == 1
    with venue_database.connect("venue_page") as page:
        page.execute("SELECT venue.watch()")
    assert venue_database.ask("SELECT detail ->> 'reason' FROM venue.alarm WHERE code = 'recovering'") == [
        ("the database server was promoted or set back",)
    ]


def test_those_that_notice_it_together_begin_one_recovery(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """All reconnect at once after a promotion: the others wait for the first, and report to the same recovery."""
    venue_database.add_pool()
    cabinets = enrol(8)
    moved(venue_database)
    start = threading.Barrier(len(cabinets))

    def greet(cabinet: VenueCabinet) -> None:
        start.wait()
        cabinet.hello()

    threads = [threading.Thread(target=greet, args=(cabinet,)) for cabinet in cabinets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert recoveries(venue_database) == 1
    assert venue_database.ask("SELECT count(*), max(recovery) FROM venue.recovery_cabinet") == [(8, 1)]


def test_a_begun_recovery_that_is_rolled_back_is_begun_again(
    venue_database: VenueDatabase, cabinet: VenueCabinet
) -> None:
    """A refused claim leaves nothing, so that the next call notices it."""
    moved(venue_database)
    for _ in range(2):
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="pool 1 is recovering"):
            cabinet.claim(1, 7)
    assert recoveries(venue_database) == 0
    cabinet.hello()
    assert recoveries(venue_database) == 1
