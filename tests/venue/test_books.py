"""Events, readings and the ledger of a cabinet in the venue: no gap, nothing twice, each row chained."""

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_cabinet import LedgerRows, VenueCabinet, event_rows, reading
from tests.venue.conftest import Enrol


def test_events_are_stored_once_and_in_order(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """A batch that overlaps the one before adds what is new; an empty list asks for the newest."""
    (cabinet,) = enrol(1)
    assert cabinet.call("events", cabinet.session, event_rows(1, 3))[0][0] == 3
    assert cabinet.call("events", cabinet.session, event_rows(2, 5))[0][0] == 5
    assert cabinet.call("events", cabinet.session, event_rows(1, 2))[0][0] == 5
    assert cabinet.call("events", cabinet.session, Jsonb([]))[0][0] == 5
    with venue_database.connect() as admin:
        assert admin.execute("SELECT array_agg(seq ORDER BY seq) FROM venue.event").fetchone() == ([1, 2, 3, 4, 5],)


@pytest.mark.parametrize("rows", [event_rows(2, 3), Jsonb([*event_rows(1, 1).obj, *event_rows(3, 3).obj])])
def test_trap_2_a_gap_in_events_is_refused(venue_database: VenueDatabase, enrol: Enrol, rows: Jsonb) -> None:
    """Numbers that were left out or used anew would lose events without an error, so the batch is refused whole."""
    (cabinet,) = enrol(1)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="gap"):
        cabinet.call("events", cabinet.session, rows)
    with venue_database.connect() as admin:
        assert admin.execute("SELECT count(*) FROM venue.event").fetchone() == (0,)


def test_events_begin_anew_in_a_new_epoch(enrol: Enrol) -> None:
    """Numbers are those of the epoch: a blank card's first event is number 1 again."""
    (cabinet,) = enrol(1)
    cabinet.call("events", cabinet.session, event_rows(1, 3))
    assert cabinet.hello(evseq=0).fresh
    assert cabinet.call("events", cabinet.session, event_rows(1, 1))[0][0] == 1


def test_an_event_alarms_by_its_rule(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """An event whose code has a rule opens one alarm, however often its batch is sent."""
    (cabinet,) = enrol(1)
    for _ in range(2):
        cabinet.call("events", cabinet.session, event_rows(1, 2, code="logic_access"))
    with venue_database.connect() as admin:
        assert admin.execute("SELECT code, times FROM venue.alarm").fetchall() == [("logic_access", 1)] * 2


@pytest.mark.parametrize(
    "rows",
    [
        [{"seq": 1}],
        [{"seq": 0, "code": "x", "cab_at_ms": 1}],
        [{"seq": "one", "code": "x", "cab_at_ms": 1}],
        [{"seq": 1, "code": "x", "cab_at_ms": -1}],
        [{"seq": 1, "code": "x"}],
        {"seq": 1},
        [{"seq": n, "code": "x", "cab_at_ms": 1} for n in range(1, 502)],
    ],
)
def test_senseless_events_are_refused(enrol: Enrol, rows: object) -> None:
    """Rows that are not what the protocol says, and more than 500, are `22023`."""
    (cabinet,) = enrol(1)
    with pytest.raises(psycopg.errors.InvalidParameterValue):
        cabinet.call("events", cabinet.session, Jsonb(rows))


def test_days_count_what_readings_add(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """The first reading counts nothing, later ones their differences, each on the day of its cabinet's clock."""
    (cabinet,) = enrol(1)
    first = [reading(1, stakes=100_000, wins=90_000), reading(2, stakes=101_000, wins=90_500, drop=700)]
    cabinet.call("meters", cabinet.session, Jsonb(first))
    cabinet.call(
        "meters", cabinet.session, Jsonb([*first, reading(3, "day", 1, stakes=103_000, wins=91_500, drop=900)])
    )
    with venue_database.connect() as admin:
        days = admin.execute("SELECT day::text, stakes, wins, dropped FROM venue.day_meter ORDER BY day").fetchall()
        games = admin.execute("SELECT day::text, game, rounds, stakes FROM venue.day_game ORDER BY day").fetchall()
    assert days == [("2026-09-15", 1_000, 500, 700), ("2026-09-16", 2_000, 1_000, 200)]
    assert games == [("2026-09-15", "neptune", 10, 1_000), ("2026-09-16", "neptune", 20, 2_000)]


def test_a_reading_never_falls_within_an_epoch(enrol: Enrol) -> None:
    """Lifetime meters only rise: a lower reading of the same books is refused."""
    (cabinet,) = enrol(1)
    cabinet.call("meters", cabinet.session, Jsonb([reading(1, stakes=500)]))
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="lower"):
        cabinet.call("meters", cabinet.session, Jsonb([reading(2, stakes=499)]))


def test_other_books_begin_with_a_baseline(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """A blank or older card's first reading counts nothing; the same books in a new epoch go on counting."""
    (cabinet,) = enrol(1)
    cabinet.call("meters", cabinet.session, Jsonb([reading(1, stakes=100), reading(2, stakes=300)]))
    cabinet.epoch = 0
    cabinet.hello()
    cabinet.call("meters", cabinet.session, Jsonb([reading(1, stakes=450)]))
    cabinet.epoch = 0
    cabinet.hello()
    cabinet.call("meters", cabinet.session, Jsonb([reading(1, stakes=40), reading(2, stakes=50)]))
    with venue_database.connect() as admin:
        assert admin.execute("SELECT sum(stakes) FROM venue.day_meter").fetchone() == (200 + 150 + 10,)
        baselines = admin.execute("SELECT epoch FROM venue.reading WHERE baseline ORDER BY epoch").fetchall()
    assert baselines == [(1,), (3,)]


def test_a_collection_expects_what_dropped_since_the_last(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Drop, notes and coins since the collection before; the count's difference is counted less dropped."""
    (cabinet,) = enrol(1)
    rows = [
        reading(1, drop=1_000, notes_in=800),
        reading(2, "collection", drop=3_000, notes_in=2_000),
        reading(3, drop=3_500, notes_in=2_000),
        reading(4, "collection", drop=4_000, notes_in=2_500),
    ]
    cabinet.call("meters", cabinet.session, Jsonb(rows))
    cabinet.call("meters", cabinet.session, Jsonb(rows))
    with venue_database.connect("venue_page") as page:
        found = page.execute(
            "SELECT collection, drop_cents, notes_cents, coins_cents FROM venue.collection ORDER BY 1"
        ).fetchall()
        assert [row[1:] for row in found] == [(2_000, 1_200, 800), (1_000, 500, 500)]
        page.execute("SELECT venue.count_cash(%s, 790, 1200, '', 'anna')", (found[0][0],))
        page.execute("SELECT venue.count_cash(%s, 800, 1200, 'a coin lay below', 'bert')", (found[0][0],))
        counted = page.execute(
            "SELECT revision, difference_cents, counted_by FROM venue.collection_count ORDER BY collection"
        ).fetchall()
    assert counted == [(2, 0, "bert"), (None, None, None)]


def test_stored_notes_are_not_expected_in_the_cash_box(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Of 50.00 in notes a recycler kept 30.00; 10.00 of these came into the cash box later, with coins of 7.00."""
    (cabinet,) = enrol(1)
    rows = [
        reading(1),
        reading(2, "collection", drop=2_700, notes_in=5_000, notes_stored=3_000),
        reading(3, "collection", drop=3_700, notes_in=5_000, notes_stored=3_000, notes_unstored=1_000),
    ]
    cabinet.call("meters", cabinet.session, Jsonb(rows))
    with venue_database.connect("venue_page") as page:
        found = page.execute("SELECT drop_cents, notes_cents, coins_cents FROM venue.collection ORDER BY collection")
        assert found.fetchall() == [(2_700, 2_000, 700), (1_000, 1_000, 0)]


def test_the_ledger_is_stored_in_its_chain(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Rows that follow are stored once; the newest row is returned and witnessed at the next hello."""
    (cabinet,) = enrol(1)
    rows = LedgerRows()
    first, second = rows.append(3), rows.append(2)
    assert cabinet.call("ledger", cabinet.session, Jsonb(first))[0][0] == 3
    assert cabinet.call("ledger", cabinet.session, Jsonb([*first, *second]))[0][0] == 5
    assert cabinet.call("ledger", cabinet.session, Jsonb([]))[0][0] == 5
    assert tuple(cabinet.hello())[4:6] == (5, rows.digest)
    with venue_database.connect() as admin:
        assert admin.execute("SELECT count(*) FROM venue.ledger_row").fetchone() == (5,)
        assert admin.execute("SELECT * FROM venue.chain_break").fetchall() == []


def _altered(rows: list[dict[str, object]], place: int, **values: object) -> list[dict[str, object]]:
    return [row | values if index == place else row for index, row in enumerate(rows)]


@pytest.mark.parametrize("what", ["gap", "body", "hash", "first"])
def test_a_broken_chain_is_refused_and_alarms(venue_database: VenueDatabase, enrol: Enrol, what: str) -> None:
    """A gap, a changed row or another beginning stores nothing, and a person hears of it."""
    (cabinet,) = enrol(1)
    rows = LedgerRows().append(4)
    spoiled = {
        "gap": [rows[0], rows[2]],
        "body": _altered(rows, 2, body=b'[3,"other"]'.hex()),
        "hash": _altered(rows, 3, hash="00" * 32),
        "first": LedgerRows(0, b"\x01" * 32).append(1),
    }[what]
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="ledger row"):
        cabinet.call("ledger", cabinet.session, Jsonb(spoiled))
    with venue_database.connect() as admin:
        admin.execute("SELECT venue.watch()")
        assert admin.execute("SELECT code, cabinet FROM venue.alarm").fetchall() == [("chain_refused", 1)]
        assert admin.execute("SELECT count(*) FROM venue.ledger_row").fetchone() == (0,)


def test_another_row_under_a_stored_number_is_refused(enrol: Enrol) -> None:
    """A second history of rows that the venue has is refused, also where it is whole in itself."""
    (cabinet,) = enrol(1)
    cabinet.call("ledger", cabinet.session, Jsonb(LedgerRows().append(3)))
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="another than the venue has"):
        cabinet.call("ledger", cabinet.session, Jsonb(LedgerRows().append(4, "other")))


def _witness(cabinet: VenueCabinet, rows: LedgerRows) -> str:
    return str(cabinet.call("witness", cabinet.session, rows.row, rows.digest)[0][0])


def test_the_witness_knows_an_older_and_another_copy(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """The head that the venue has seen is `ok`, a lower one `behind`, another hash at that row `beside`; both alarm."""
    (cabinet,) = enrol(1)
    rows, other = LedgerRows(), LedgerRows()
    cabinet.call("ledger", cabinet.session, Jsonb(rows.append(5)))
    assert _witness(cabinet, rows) == "ok"
    rows.append(2)
    assert _witness(cabinet, rows) == "ok"
    old = LedgerRows()
    old.append(6)
    assert _witness(cabinet, old) == "behind"
    other.append(7, "other")
    assert _witness(cabinet, other) == "beside"
    with venue_database.connect() as admin:
        alarms = admin.execute("SELECT code, detail ->> 'answer' FROM venue.alarm").fetchall()
    assert len(alarms) == 1


def test_rows_must_match_what_was_witnessed(enrol: Enrol) -> None:
    """A head that was witnessed before its rows arrived binds them."""
    (cabinet,) = enrol(1)
    rows = LedgerRows()
    rows.append(4)
    assert _witness(cabinet, rows) == "ok"
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="another than was witnessed"):
        cabinet.call("ledger", cabinet.session, Jsonb(LedgerRows().append(4, "other")))


def test_a_rebase_keeps_both_histories(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """After a technician accepted restored books the chain goes on from their head, in a new epoch."""
    (cabinet,) = enrol(1)
    rows = LedgerRows()
    cabinet.call("ledger", cabinet.session, Jsonb(rows.append(5)))
    restored = LedgerRows()
    restored.append(3)
    assert _witness(cabinet, restored) == "behind"
    cabinet.call("rebase", cabinet.session, restored.row, restored.digest, "Tina")
    assert cabinet.hello().fresh
    assert _witness(cabinet, restored) == "ok"
    assert cabinet.call("ledger", cabinet.session, Jsonb(restored.append(2, "anew")))[0][0] == 5
    with venue_database.connect() as admin:
        kept = admin.execute("SELECT branch, count(*) FROM venue.ledger_row GROUP BY 1 ORDER BY 1").fetchall()
        assert admin.execute("SELECT * FROM venue.chain_break").fetchall() == []
        codes = {code for (code,) in admin.execute("SELECT code FROM venue.alarm")}
    assert (kept, codes) == ([(1, 5), (2, 2)], {"witness_behind", "rebased"})


def test_a_chain_changed_in_the_database_is_found(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Whoever alters, removes or cuts off a stored row leaves a break that the audit shows."""
    (cabinet,) = enrol(1)
    cabinet.call("ledger", cabinet.session, Jsonb(LedgerRows().append(9)))
    for statement, rows in (
        ("UPDATE venue.ledger_row SET body = 'x' WHERE row = 4", {4}),
        ("DELETE FROM venue.ledger_row WHERE row = 6", {7}),
        ("DELETE FROM venue.ledger_row WHERE row = 9", {9}),
    ):
        with venue_database.connect() as admin, admin.transaction(force_rollback=True):
            admin.execute(statement)
            assert {row for (row,) in admin.execute("SELECT row FROM venue.chain_break")} == rows
