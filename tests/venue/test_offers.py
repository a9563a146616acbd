"""Bundles and settings are offered to one cabinet first, then to the rest, and to no further one after a failure."""

import hashlib

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_cabinet import VenueCabinet
from tests.venue.conftest import Enrol

PART = 262_144


def _offer(
    page: psycopg.Connection, content: bytes, cabinets: list[int], *, kind: str = "bundle", at_once: int = 2
) -> int:
    row = page.execute("SELECT venue.new_offer(%s, 'cabinet-0.3.0', 'anna')", (kind,)).fetchone()
    assert row is not None
    for start in range(0, len(content), 300_000):
        page.execute("SELECT venue.add_part(%s, %s)", (row[0], content[start : start + 300_000]))
    digest = hashlib.sha256(content).digest()
    page.execute("SELECT venue.start_offer(%s, %s, %s, %s, 'anna')", (row[0], digest, cabinets, at_once))
    return int(row[0])


def _offered(cabinets: list[VenueCabinet]) -> list[int]:
    return [number for number, cabinet in enumerate(cabinets, 1) if cabinet.call("offers", cabinet.session)]


def _result(cabinet: VenueCabinet, offer: int, state: str) -> None:
    cabinet.call("offer_result", cabinet.session, offer, state, "")


def test_an_offer_is_fetched_whole(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Parts of at most 256 KiB, from any offset, are the bytes that were uploaded; after the end there are none."""
    (cabinet,) = enrol(1)
    content = bytes(range(256)) * 4_000
    with venue_database.connect("venue_page") as page:
        offer = _offer(page, content, [1])
    (row,) = cabinet.call("offers", cabinet.session)
    assert tuple(row) == (offer, "bundle", "cabinet-0.3.0", len(content), hashlib.sha256(content).digest())
    fetched = b""
    while part := cabinet.call("fetch", cabinet.session, offer, len(fetched))[0][0]:
        assert len(part) <= PART
        fetched += part
    assert fetched == content
    assert cabinet.call("fetch", cabinet.session, offer, 299_999)[0][0] == content[299_999:300_000]


def test_one_first_then_some_at_once(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Only after the first has installed it is it offered to others, so many at once, until all have it."""
    cabinets = enrol(5)
    with venue_database.connect("venue_page") as page:
        offer = _offer(page, b"x", [3, 1, 2, 5])
        assert _offered(cabinets) == [3]
        _result(cabinets[2], offer, "taken")
        assert _offered(cabinets) == [3]
        _result(cabinets[2], offer, "installed")
        assert _offered(cabinets) == [1, 2]
        _result(cabinets[0], offer, "installed")
        assert _offered(cabinets) == [2, 5]
        _result(cabinets[1], offer, "installed")
        _result(cabinets[4], offer, "installed")
        assert page.execute("SELECT state FROM venue.offer").fetchone() == ("done",)
    assert _offered(cabinets) == []


@pytest.mark.parametrize("state", ["failed", "refused"])
def test_the_first_failure_stops_a_bundle(venue_database: VenueDatabase, enrol: Enrol, state: str) -> None:
    """After a failed trial it is withdrawn from all who have not taken it, and a person hears of it."""
    cabinets = enrol(4)
    with venue_database.connect("venue_page") as page:
        offer = _offer(page, b"x", [1, 2, 3, 4])
        _result(cabinets[0], offer, "installed")
        _result(cabinets[1], offer, state)
        assert _offered(cabinets) == []
        assert page.execute("SELECT state FROM venue.offer").fetchone() == ("stopped",)
        states = page.execute("SELECT state FROM venue.offer_to ORDER BY cabinet").fetchall()
        assert page.execute("SELECT code, cabinet FROM venue.alarm").fetchall() == [("offer_failed", 2)]
    assert states == [("installed",), (state,), ("withdrawn",), ("withdrawn",)]


def test_refused_settings_do_not_stop_the_others(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """A technician may refuse a template at one cabinet; it goes on to the next."""
    cabinets = enrol(2)
    with venue_database.connect("venue_page") as page:
        offer = _offer(page, b"{}", [1, 2], kind="settings")
        _result(cabinets[0], offer, "refused")
        assert _offered(cabinets) == [2]


def test_only_who_it_is_offered_to_may_fetch(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Others, and those whose turn has not come, are refused; so is a result of theirs."""
    cabinets = enrol(3)
    with venue_database.connect("venue_page") as page:
        offer = _offer(page, b"x", [1, 2])
    for cabinet in cabinets[1:]:
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="not offered"):
            cabinet.call("fetch", cabinet.session, offer, 0)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="not made"):
        _result(cabinets[2], offer, "failed")
    _result(cabinets[1], offer, "failed")
    assert _offered(cabinets) == [1]


def test_an_operator_stops_an_offer(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """A stopped offer is withdrawn, and what has no content is not offered."""
    cabinets = enrol(1)
    with venue_database.connect("venue_page") as page:
        offer = _offer(page, b"x", [1])
        page.execute("SELECT venue.stop_offer(%s, 'anna')", (offer,))
        assert _offered(cabinets) == []
        with pytest.raises(psycopg.errors.InvalidParameterValue):
            _offer(page, b"", [1])


def test_a_round_is_asked_for_and_answered(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """The cabinet sees what is wanted until it answers, also that it has no such round; nobody else's is stored."""
    first, second = enrol(2)
    with venue_database.connect("venue_page") as page:
        page.execute("SELECT venue.want_round(1, 12, 'anna'), venue.want_round(1, 13, 'anna')")
        assert first.call("wanted", first.session) == [(12,), (13,)]
        assert second.call("wanted", second.session) == []
        second.call("round", second.session, 12, Jsonb({"game": "forged"}))
        first.call("round", first.session, 12, Jsonb({"game": "neptune"}))
        first.call("round", first.session, 13, None)
        assert first.call("wanted", first.session) == []
        rows = page.execute(
            "SELECT round, record, answered_at IS NOT NULL FROM venue.wanted_round ORDER BY 1"
        ).fetchall()
    assert rows == [(12, {"game": "neptune"}, True), (13, None, True)]


def test_a_retired_cabinet_does_not_hold_up_an_offer(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Whether it waits, is asked or has taken it: the others go on, and the offer ends."""
    cabinets = enrol(4)
    with venue_database.connect("venue_page") as page:
        offer = _offer(page, b"x", [1, 2, 3, 4], at_once=1)
        page.execute("SELECT venue.retire(1, 'burnt', 'anna')")
        assert _offered(cabinets[1:]) == [1]  # cabinet 2
        _result(cabinets[1], offer, "taken")
        page.execute("SELECT venue.retire(2, 'burnt', 'anna'), venue.retire(4, 'burnt', 'anna')")
        _result(cabinets[2], offer, "installed")
        assert page.execute("SELECT state FROM venue.offer").fetchone() == ("done",)
        found = page.execute("SELECT state, detail FROM venue.offer_to ORDER BY cabinet").fetchall()
    gone = ("withdrawn", "the cabinet was retired")
    assert found == [gone, gone, ("installed", ""), gone]


@pytest.mark.parametrize("state", ["taken", "installed", "failed"])
def test_the_late_result_of_a_withdrawn_offer_is_kept(venue_database: VenueDatabase, enrol: Enrol, state: str) -> None:
    """The cabinet had it before it was withdrawn: what became of it is known, and a failure alarms."""
    (cabinet,) = enrol(1)
    with venue_database.connect("venue_page") as page:
        offer = _offer(page, b"x", [1])
        page.execute("SELECT venue.stop_offer(%s, 'anna')", (offer,))
        _result(cabinet, offer, state)
        assert page.execute(
            "SELECT o.state, t.state FROM venue.offer o JOIN venue.offer_to t USING (offer)"
        ).fetchone() == (
            "stopped",
            state,
        )
        alarms = page.execute("SELECT code FROM venue.alarm").fetchall()
    assert alarms == ([("offer_failed",)] if state == "failed" else [])


@pytest.mark.parametrize(("kind", "most"), [("settings", 262_144), ("bundle", 4_194_304)])
def test_a_template_is_as_large_as_a_cabinet_takes_it(venue_database: VenueDatabase, kind: str, most: int) -> None:
    """At most 256 KiB in all; a bundle's part is larger."""
    with venue_database.connect("venue_page") as page:
        row = page.execute("SELECT venue.new_offer(%s, 'x', 'anna')", (kind,)).fetchone()
        assert row is not None
        page.execute("SELECT venue.add_part(%s, %s)", (row[0], bytes(most)))
        if kind == "settings":
            with pytest.raises(psycopg.errors.InvalidParameterValue, match="too large"):
                page.execute("SELECT venue.add_part(%s, 'x')", (row[0],))
