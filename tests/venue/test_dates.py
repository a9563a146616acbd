"""What a cabinet's clock says is believed within limits: beyond them readings count for the day of arrival."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_cabinet import VenueCabinet, reading
from tests.venue.conftest import Enrol

YEAR_2999_MS = 32_472_144_000_000
HOUR = timedelta(hours=1)


@pytest.fixture
def page(venue_database: VenueDatabase) -> Iterator[psycopg.Connection]:
    """The page's connection."""
    with venue_database.connect("venue_page") as connection:
        yield connection


@pytest.fixture
def cabinet(enrol: Enrol) -> VenueCabinet:
    """A cabinet with a first reading, which counts nothing."""
    (found,) = enrol(1)
    found.call("meters", found.session, Jsonb([reading(1, stakes=0)]))
    return found


def read_at(cabinet: VenueCabinet, seq: int, at: datetime, kind: str = "hour", stakes: int = 500) -> None:
    """Hand over a reading that is dated so."""
    row = reading(seq, kind, stakes=stakes * seq) | {"cab_at_ms": int(at.timestamp() * 1000)}
    cabinet.call("meters", cabinet.session, Jsonb([row]))


def today() -> object:
    """Return the venue's day."""
    return datetime.now(ZoneInfo("Europe/Berlin")).date()


@pytest.mark.parametrize(
    "at",
    [
        datetime(2999, 1, 1, tzinfo=UTC),
        datetime(1970, 1, 1, tzinfo=UTC),
        datetime(2025, 12, 30, tzinfo=UTC),
        datetime.now(UTC) + timedelta(days=400),
        datetime.now(UTC) + 2 * HOUR,
    ],
    ids=["year 2999", "1970", "before the enrolment", "a year ahead", "two hours ahead"],
)
def test_an_impossible_date_counts_for_the_day_of_arrival(
    cabinet: VenueCabinet, page: psycopg.Connection, at: datetime
) -> None:
    """Money, rounds and a collection are of the day on which they arrived, marked, and the cabinet is named."""
    read_at(cabinet, 2, at)
    read_at(cabinet, 3, at, "collection")
    assert page.execute("SELECT day, stakes FROM venue.day_meter").fetchall() == [(today(), 1500)]
    assert page.execute("SELECT day, stakes FROM venue.day_game").fetchall() == [(today(), 1500)]
    assert page.execute("SELECT day FROM venue.collection").fetchall() == [(today(),)]
    marks = page.execute("SELECT seq, redated, cab_at FROM venue.reading ORDER BY seq").fetchall()
    assert [(seq, redated) for seq, redated, _ in marks] == [(1, False), (2, True), (3, True)]
    assert abs(marks[1][2] - at) < timedelta(seconds=1), "what the clock said is kept"
    assert page.execute("SELECT code, cabinet, times FROM venue.alarm").fetchall() == [("reading_dated", 1, 2)]


@pytest.mark.parametrize("ago", [timedelta(days=40), timedelta(days=2), timedelta(), -HOUR / 2])
def test_a_reading_that_waited_for_the_link_counts_for_its_own_day(
    cabinet: VenueCabinet, page: psycopg.Connection, ago: timedelta
) -> None:
    """After weeks without the venue each reading is of the day on which it was made; a slow clock changes nothing."""
    at = datetime.now(UTC) - ago
    read_at(cabinet, 2, at)
    own = at.astimezone(ZoneInfo("Europe/Berlin")).date()
    assert page.execute("SELECT day, stakes FROM venue.day_meter").fetchall() == [(own, 1000)]
    assert page.execute("SELECT count(*) FROM venue.reading WHERE redated").fetchone() == (0,)
    assert page.execute("SELECT count(*) FROM venue.alarm").fetchone() == (0,)


def test_no_day_lies_before_the_enrolment(cabinet: VenueCabinet, venue_database: VenueDatabase) -> None:
    """A month that nobody was there to play in is never one that must be closed first."""
    with venue_database.connect() as admin:
        admin.execute("UPDATE venue.cabinet SET enrolled_at = clock_timestamp()")
        read_at(cabinet, 2, datetime.now(UTC) - timedelta(days=3))
        assert admin.execute("SELECT day FROM venue.day_meter").fetchall() == [(today(),)]


def test_a_ticket_of_the_year_2999_was_printed_today(cabinet: VenueCabinet, page: psycopg.Connection) -> None:
    """What is owed on a day does not hang on a cabinet's clock; the printed date stays as it is."""
    row = {"kind": "issue", "number": "00" + "7" * 16, "cents": 700, "epoch": 1, "ticket": 1, "issued_ms": YEAR_2999_MS}
    cabinet.call("tickets", cabinet.session, Jsonb([row]))
    found = page.execute("SELECT issued_day, extract(year FROM issued_at)::int FROM venue.ticket").fetchone()
    assert found == (today(), 2999)


def test_the_month_s_close_knows_who_has_not_read(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Named is who has handed over no day's end of its last day and nothing later; the record keeps the names."""
    at_end, later, silent, early, never, new, retired = enrol(7)
    for cabinet in (at_end, later, silent, early, retired):
        cabinet.call("meters", cabinet.session, Jsonb([reading(1, stakes=0)]))
    end = datetime(2026, 9, 30, 21, 59, 59, tzinfo=UTC)  # 23:59:59 in Berlin
    read_at(at_end, 2, end, "day")
    read_at(later, 2, end + HOUR)
    read_at(early, 2, end - 2 * HOUR, "hour")
    assert never.session
    with venue_database.connect() as admin:
        admin.execute("UPDATE venue.cabinet SET enrolled_at = '2026-10-01 12:00+02' WHERE cabinet = 6")
        admin.execute("SELECT venue.retire(7, 'sold', 'anna')")
        found = admin.execute("SELECT cabinet, newest::text FROM venue.unread('2026-09-01') ORDER BY 1").fetchall()
        assert found == [(3, "2026-09-15"), (4, "2026-09-30"), (5, None)]
        admin.execute("SELECT venue.close_month('2026-09-01', 'anna')")
        detail = admin.execute("SELECT detail -> 'unread' FROM venue.audit WHERE act = 'month closed'").fetchone()
        assert detail == ([3, 4, 5],)
    assert new.session
