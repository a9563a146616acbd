"""Closing a month, counting its cash and taking its readings at once: one of them waits for the other."""

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.rigs.beside import Beside
from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_cabinet import reading
from tests.venue.conftest import Enrol

CLOSE = "SELECT venue.close_month('2026-09-01', 'anna')"
COUNT = "SELECT venue.count_cash(1, 800, 1200, '', 'bert')"
COUNTED_CENTS = 2_000


@pytest.fixture
def collected(venue_database: VenueDatabase, enrol: Enrol) -> VenueDatabase:
    """A venue with one collection of September, and a month that is over."""
    (cabinet,) = enrol(1)
    rows = [reading(1, drop=1_000, notes_in=800), reading(2, "collection", drop=3_000, notes_in=2_000)]
    cabinet.call("meters", cabinet.session, Jsonb(rows))
    return venue_database


def counted_in_the_month(database: VenueDatabase) -> list[tuple[object, ...]]:
    """What the closed month says was counted."""
    return database.ask("SELECT counted_cents FROM venue.month_figure WHERE game = ''")


def test_a_month_waits_for_a_count_that_has_begun(collected: VenueDatabase) -> None:
    """The cash that is being counted is in the month that is closed meanwhile."""
    with collected.connect("venue_page") as counting:
        with counting.transaction():
            counting.execute(COUNT)
            closing = Beside(collected, lambda page: page.execute(CLOSE))
            assert closing.waits()
        closing.end()
    assert counted_in_the_month(collected) == [(COUNTED_CENTS,)]


def test_a_count_waits_for_a_month_that_is_being_closed(collected: VenueDatabase) -> None:
    """Once the month is closed, nothing more is counted in it."""
    with collected.connect("venue_page") as closing:
        with closing.transaction():
            closing.execute(CLOSE)
            counting = Beside(collected, lambda page: page.execute(COUNT))
            assert counting.waits()
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="closed"):
            counting.end()
    assert collected.ask("SELECT count(*) FROM venue.counted") == [(0,)]
    assert counted_in_the_month(collected) == [(None,)]


def test_a_month_that_is_not_closed_after_all_is_counted(collected: VenueDatabase) -> None:
    """A closing that breaks off leaves the count that waited for it as it is."""
    with collected.connect("venue_page") as closing:
        with closing.transaction(force_rollback=True):
            closing.execute(CLOSE)
            counting = Beside(collected, lambda page: page.execute(COUNT))
            assert counting.waits()
        counting.end()
        closing.execute(CLOSE)
    assert counted_in_the_month(collected) == [(COUNTED_CENTS,)]


def test_two_counts_of_a_collection_take_turns(collected: VenueDatabase) -> None:
    """Each is a revision of its own; none is refused because of the other."""
    with collected.connect("venue_page") as first:
        with first.transaction():
            first.execute(COUNT)
            second = Beside(collected, lambda page: page.execute(COUNT))
            assert second.waits()
        second.end()
    assert collected.ask("SELECT revision FROM venue.counted ORDER BY 1") == [(1,), (2,)]


def test_a_reading_that_waits_for_a_closing_counts_for_the_open_month(collected: VenueDatabase) -> None:
    """Reading, day and collection are of the same day: the first that is open."""
    with collected.connect("venue_page") as closing:
        late = [reading(3, "collection", stakes=1_000, drop=4_000, notes_in=2_500)]
        with closing.transaction():
            closing.execute(CLOSE)
            taking = Beside(
                collected,
                lambda line: line.execute("SELECT venue.meters(1, %s)", (Jsonb(late),)),
                role="cab_1",
            )
            assert taking.waits()
        taking.end()
    days = collected.ask(
        "SELECT day::text FROM venue.reading WHERE seq = 3 UNION ALL SELECT day::text FROM venue.day_meter"
        " WHERE stakes > 0 UNION ALL SELECT day::text FROM venue.collection WHERE seq = 3"
    )
    assert days == [("2026-10-01",)] * 3


def test_a_collection_without_a_day_is_in_its_month(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """The first reading of a cabinet's books counts no day: the cash of a collection is in the month all the same."""
    (cabinet,) = enrol(1)
    cabinet.call("meters", cabinet.session, Jsonb([reading(1, "collection", drop=400)]))
    with venue_database.connect("venue_page") as page:
        page.execute("SELECT venue.count_cash(1, 100, 200, '', 'bert')")
        page.execute(CLOSE)
        figures = page.execute(
            "SELECT collected_cents, counted_cents, stakes, meters FROM venue.month_figure"
        ).fetchall()
    assert figures == [(0, 300, 0, {})]
