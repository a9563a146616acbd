"""A door that is opened out of hours alarms once, however short it was open and whenever the venue hears of it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_cabinet import VenueCabinet
from tests.venue.conftest import Enrol

NEWEST = "SELECT code, detail -> 'doors', lasting, over_at IS NULL FROM venue.alarm ORDER BY alarm"
ONE = [("door_out_of_hours", ["main"], False, True)]


@pytest.fixture
def cabinet(enrol: Enrol) -> VenueCabinet:
    """A cabinet with a session."""
    return enrol(1)[0]


@pytest.fixture
def ask(venue_database: VenueDatabase) -> Callable[..., list[Any]]:
    """Ask the database as its administrator, whose rules alarm from an hour ago until in an hour."""
    hours(venue_database.connect(), datetime.now(UTC), timedelta(hours=1))
    return venue_database.ask


def hours(admin: psycopg.Connection, middle: datetime, margin: timedelta) -> None:
    """Have openings alarm around that moment of the day only."""
    admin.execute("UPDATE venue.site SET timezone = 'UTC'")
    times = [(middle + side * margin).strftime("%H:%M:%S") for side in (-1, 1)]
    admin.execute("UPDATE venue.alarm_rule SET hours_from = %s, hours_to = %s WHERE code = 'door_out_of_hours'", times)
    admin.close()


def opened(cabinet: VenueCabinet, seq: int, at: datetime | None = None, door: str = "main") -> None:
    """Hand over the event of an opening, at that time of the cabinet's clock."""
    moment = round(1000 * (at or datetime.now(UTC)).timestamp())
    row = {"seq": seq, "code": "door_open", "cab_at_ms": moment, "body": {"place": door, "text": "opened"}}
    cabinet.call("events", cabinet.session, Jsonb([row]))


def beat(cabinet: VenueCabinet, *doors: str, clock_off: timedelta = timedelta()) -> None:
    """Beat with these doors open."""
    cabinet.beat(doors=list(doors), clock_ms=round(1000 * (datetime.now(UTC) + clock_off).timestamp()))


def test_a_door_that_no_status_showed_open_alarms(cabinet: VenueCabinet, ask: Callable[..., list[Any]]) -> None:
    """Open for a second between two beats: the event alarms, until somebody has seen it; each opening once."""
    beat(cabinet)
    opened(cabinet, 1)
    beat(cabinet)
    ask("SELECT venue.watch()")
    assert ask(NEWEST) == ONE
    opened(cabinet, 1)
    assert ask(NEWEST) == ONE
    opened(cabinet, 2)
    ask("SELECT venue.watch()")
    assert ask(NEWEST) == ONE * 2


@pytest.mark.parametrize("first", ["status", "event"])
def test_an_opening_alarms_once_whatever_is_heard_first(
    cabinet: VenueCabinet, ask: Callable[..., list[Any]], first: str
) -> None:
    """The status that shows the door open and its event are one alarm, also once it is acknowledged."""
    if first == "event":
        beat(cabinet)
        opened(cabinet, 1)
    beat(cabinet, "main")
    ask("SELECT venue.watch()")
    if first == "status":
        opened(cabinet, 1)
    ask("SELECT venue.watch()")
    assert ask(NEWEST) == ONE
    ask("SELECT venue.acknowledge(alarm, '', 'anna') FROM venue.alarm")
    ask("SELECT venue.watch()")
    assert ask(NEWEST) == [(*ONE[0][:3], False)]
    beat(cabinet)
    ask("SELECT venue.watch()")
    beat(cabinet, "main")
    ask("SELECT venue.watch()")
    opened(cabinet, 2)
    assert len(ask(NEWEST)) == 2


def test_an_event_that_comes_late_reopens_the_alarm_of_its_status(
    cabinet: VenueCabinet, ask: Callable[..., list[Any]]
) -> None:
    """The status alarmed and the door was shut before the event arrived: still one alarm, and it waits for a person."""
    at = datetime.now(UTC)
    beat(cabinet, "main")
    ask("SELECT venue.watch()")
    beat(cabinet)
    ask("SELECT venue.watch()")
    assert ask(NEWEST) == [("door_out_of_hours", ["main"], True, False)]
    opened(cabinet, 1, at)
    assert ask(NEWEST) == ONE


@pytest.mark.parametrize(
    ("opened_ago", "clock_off", "alarms"),
    [
        (timedelta(hours=6), timedelta(), True),  # the link was down: the event comes six hours later
        (timedelta(), timedelta(), False),
        (timedelta(hours=6), timedelta(seconds=-40), True),
        (timedelta(), timedelta(hours=-6), False),  # a clock that is six hours slow
        (timedelta(hours=6), timedelta(hours=5), True),
    ],
)
def test_the_moment_of_the_opening_counts(
    venue_database: VenueDatabase, cabinet: VenueCabinet, opened_ago: timedelta, clock_off: timedelta, *, alarms: bool
) -> None:
    """By the cabinet's clock, less what that is off; openings alarm in the hour around six hours ago."""
    now = datetime.now(UTC)
    hours(venue_database.connect(), now - timedelta(hours=6), timedelta(minutes=30))
    beat(cabinet, clock_off=clock_off)
    opened(cabinet, 1, now - opened_ago + clock_off)
    assert bool(venue_database.ask(NEWEST)) is alarms


def test_an_opening_by_a_clock_that_nobody_knows_alarms_when_it_arrives(
    cabinet: VenueCabinet, ask: Callable[..., list[Any]]
) -> None:
    """Its time may be anything; so may that of a clock which is off by more than the rule's limit."""
    opened(cabinet, 1, datetime(1970, 1, 2, 12, tzinfo=UTC))
    assert ask(NEWEST) == ONE


def test_a_strange_opening_is_stored_all_the_same(cabinet: VenueCabinet, ask: Callable[..., list[Any]]) -> None:
    """A place of any length, none, or a body that is no object; a clock that is thousands of years off."""
    cabinet.beat(clock_ms=9_000_000_000_000_000_000)
    rows = [
        {"seq": seq, "code": "door_open", "cab_at_ms": 1, "body": body}
        for seq, body in enumerate([{"place": "x" * 9_000}, {}, 5, {"place": [1]}], 1)
    ]
    assert cabinet.call("events", cabinet.session, Jsonb(rows))[0][0] == 4
    ask("SELECT venue.watch()")


def test_a_door_open_from_the_day_on_alarms_when_the_hours_begin(
    cabinet: VenueCabinet, venue_database: VenueDatabase, ask: Callable[..., list[Any]]
) -> None:
    """Its opening was in hours; the status alarms while it stays open."""
    now = datetime.now(UTC)
    hours(venue_database.connect(), now + timedelta(hours=6), timedelta(hours=1))
    opened(cabinet, 1)
    beat(cabinet, "main")
    ask("SELECT venue.watch()")
    assert ask(NEWEST) == []
    hours(venue_database.connect(), now, timedelta(hours=1))
    ask("SELECT venue.watch()")
    assert ask(NEWEST) == [("door_out_of_hours", ["main"], True, True)]
    beat(cabinet)
    ask("SELECT venue.watch()")
    assert ask(NEWEST) == [("door_out_of_hours", ["main"], True, False)]
