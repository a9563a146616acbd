"""A cabinet that cannot use its books says so without a session, and nothing else can be done by that call."""

from typing import Any

import psycopg
import pytest

from tests.rigs.postgres import VenueDatabase
from tests.venue.conftest import Enrol

STATUS = "SELECT status - 'software', session FROM venue.status"
ALARMS = "SELECT code, detail ->> 'reason' FROM venue.alarm WHERE over_at IS NULL"
AMISS = False
"""What a cabinet with damaged books says of whether they are whole."""
LOCKED = {"state": "locked", "lock": "row 5 was changed", "books": {"whole": False}}


def _watched(database: VenueDatabase) -> list[tuple[Any, ...]]:
    database.ask("SELECT venue.watch()")
    return database.ask(ALARMS)


def _old(database: VenueDatabase) -> None:
    """Let the newest status be older than any session's beat."""
    with database.connect() as admin:
        admin.execute("UPDATE venue.status SET at = at - interval '11 s'")


def test_a_cabinet_without_a_session_reports_its_lock(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """The books are noted as not whole, the alarm is critical and says why, and the next good beat ends it."""
    (cabinet,) = enrol(1)
    cabinet.beat(state="idle", books={"whole": True}, software={"version": "1.2", "state": "running"})
    _old(venue_database)
    assert cabinet.call("locked", 0, AMISS, "row 5 was changed")[0][0] is True
    assert venue_database.ask(STATUS) == [(LOCKED, cabinet.session)]
    assert venue_database.ask("SELECT status -> 'software' FROM venue.status") == [
        ({"version": "1.2", "state": "locked"},)
    ]
    assert _watched(venue_database) == [("books_differ", "row 5 was changed")]
    assert venue_database.ask("SELECT severity FROM venue.alarm") == [("critical",)]
    cabinet.hello()
    cabinet.beat(state="idle", books={"whole": True})
    assert _watched(venue_database) == []


def test_a_lock_that_says_nothing_of_the_books_alarms_as_a_lock(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """A full disk is no difference of the books."""
    (cabinet,) = enrol(1)
    assert cabinet.call("locked", cabinet.session, None, "the disk is full")[0][0] is True
    assert _watched(venue_database) == [("locked", "the disk is full")]


def test_it_changes_nothing_but_the_status(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Pools, session, epoch and contributions are as they were."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    cabinet.play(1, 40_000)
    cabinet.put()
    before = venue_database.ask("SELECT * FROM venue.cabinet"), venue_database.ask("SELECT * FROM venue.jackpot")
    cabinet.call("locked", 0, AMISS, "why")
    cabinet.call("locked", cabinet.session, AMISS, "why")
    after = venue_database.ask("SELECT * FROM venue.cabinet"), venue_database.ask("SELECT * FROM venue.jackpot")
    assert before == after
    cabinet.put()


def test_another_card_does_not_lock_a_cabinet_that_beats(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """While the cabinet beats, a copy of its card without a session is not believed; one that was fenced is refused."""
    (cabinet,) = enrol(1)
    fenced = cabinet.session
    cabinet.hello()
    cabinet.beat(state="idle", books={"whole": True})
    assert cabinet.call("locked", 0, AMISS, "a copy")[0][0] is False
    with pytest.raises(psycopg.errors.InvalidAuthorizationSpecification, match="fenced"):
        cabinet.call("locked", fenced, AMISS, "a copy")
    assert venue_database.ask(STATUS) == [({"state": "idle", "books": {"whole": True}}, cabinet.session)]


def test_a_retired_cabinet_is_refused(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """It is out of the venue, locked or not."""
    (cabinet,) = enrol(1)
    with venue_database.connect() as admin:
        admin.execute("UPDATE venue.cabinet SET retired = true")
    with pytest.raises(psycopg.errors.InvalidAuthorizationSpecification, match="retired"):
        cabinet.call("locked", 0, AMISS, "why")


@pytest.mark.parametrize("words", ["x" * 501, None])
def test_the_reason_is_bounded(enrol: Enrol, words: str | None) -> None:
    """At most 500 letters."""
    (cabinet,) = enrol(1)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="500 letters"):
        cabinet.call("locked", 0, AMISS, words)
