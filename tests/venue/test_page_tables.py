"""What the page shows and decides: alarms, the month's close, partitions."""

from datetime import UTC, date, datetime

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_cabinet import LedgerRows
from tests.venue.conftest import Enrol
from venue import auditing

STATUS: dict[str, object] = {
    "doors": [],
    "faults": [],
    "books": {"whole": True},
    "software": {"state": "running"},
    "health": {"temperature_c": 50, "disk_free_mb": 9_000, "card_wear_percent": 3},
}


def _open_alarms(page: psycopg.Connection) -> list[str]:
    page.execute("SELECT venue.watch()")
    return [code for (code,) in page.execute("SELECT code FROM venue.alarm WHERE over_at IS NULL ORDER BY code")]


@pytest.mark.parametrize(
    ("status", "codes"),
    [
        ({}, []),
        ({"faults": [{"code": "bell", "place": "top", "since_ms": 1, "stops_play": False}]}, ["fault"]),
        ({"faults": [{"code": "hopper_low", "place": "hopper 1", "stops_play": False}]}, ["hopper_low"]),
        ({"faults": [{"code": "stacker_open", "place": "bill validator"}]}, ["cash_box"]),
        ({"doors": ["cash_box"]}, ["cash_box", "door_out_of_hours"]),
        ({"books": {"whole": False}}, ["books_differ"]),
        ({"software": {"state": "differs"}}, ["software_differs"]),
        ({"doors": ["main"]}, ["door_out_of_hours"]),
        (
            {"doors": ["main"], "faults": [{"code": "door_open", "place": "main", "stops_play": True}]},
            ["door_out_of_hours"],
        ),
        ({"faults": [{"code": "door_closed", "place": "main", "stops_play": False}]}, []),
        ({"faults": [{"code": "logic_opened", "place": "logic", "stops_play": True}]}, ["fault"]),
        (
            {"health": {"temperature_c": 85, "disk_free_mb": 400, "card_wear_percent": 81}},
            ["card_wear", "disk_free", "temperature"],
        ),
        ({"clock_ms": 5}, ["clock_off"]),
        ({"faults": "none", "doors": 3, "health": [], "clock_ms": "late"}, []),
    ],
)
def test_a_status_alarms_while_it_lasts(
    venue_database: VenueDatabase, enrol: Enrol, status: dict[str, object], codes: list[str]
) -> None:
    """Each trouble opens one alarm of its rule, which ends when the cabinet says otherwise."""
    (cabinet,) = enrol(1)
    with venue_database.connect() as admin:
        admin.execute(
            "UPDATE venue.alarm_rule SET hours_from = '00:00', hours_to = '24:00' WHERE hours_from IS NOT NULL"
        )
    with venue_database.connect("venue_page") as page:
        cabinet.beat(**STATUS | status)
        assert _open_alarms(page) == codes
        assert _open_alarms(page) == codes
        cabinet.beat(**STATUS)
        assert _open_alarms(page) == []
        assert page.execute("SELECT count(*) FROM venue.alarm").fetchone() == (len(codes),)


def test_a_disabled_rule_does_not_alarm(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """The page switches rules off; their troubles and calls open no alarm."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    with venue_database.connect("venue_page") as page:
        page.execute("UPDATE venue.alarm_rule SET enabled = false WHERE code IN ('books_differ', 'jackpot')")
        cabinet.beat(books={"whole": False})
        cabinet.claim(1, 1)
        assert _open_alarms(page) == []


def test_a_lost_link_alarms(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """A cabinet that has not called for the rule's time is reported, and no longer when it calls."""
    (cabinet,) = enrol(1)
    cabinet.beat()
    with venue_database.connect() as admin:
        admin.execute("UPDATE venue.status SET at = at - interval '31 s'")
        assert _open_alarms(admin) == ["link_lost"]
        cabinet.beat()
        assert _open_alarms(admin) == []


def test_an_alarm_is_acknowledged_once_and_escalates_until_then(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """A jackpot's alarm lasts until somebody acknowledges it, and moves up when nobody does within the rule's time."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    cabinet.claim(1, 1)
    with venue_database.connect() as admin:
        assert admin.execute("SELECT * FROM venue.escalate()").fetchall() == []
        admin.execute("UPDATE venue.alarm SET since = since - interval '6 min'")
        assert admin.execute("SELECT code, escalation FROM venue.escalate()").fetchall() == [("jackpot", 1)]
        assert admin.execute("SELECT * FROM venue.escalate()").fetchall() == []
        admin.execute("SELECT venue.acknowledge(alarm, 'congratulated', 'anna') FROM venue.alarm")
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="already"):
            admin.execute("SELECT venue.acknowledge(alarm, '', 'bert') FROM venue.alarm")
        assert _open_alarms(admin) == []


def test_acknowledged_refusals_are_not_raised_again(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Refused calls alarm once; after the acknowledgement only further ones do."""
    (cabinet,) = enrol(1)
    cabinet.session = 99
    with venue_database.connect("venue_page") as page:
        for _ in range(2):
            with pytest.raises(psycopg.errors.InvalidAuthorizationSpecification):
                cabinet.beat()
            assert _open_alarms(page) == ["calls_refused"]
            page.execute("SELECT venue.acknowledge(alarm, '', 'anna') FROM venue.alarm WHERE over_at IS NULL")
            assert _open_alarms(page) == []


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ("UPDATE venue.pool SET base = base - 25000", "pool_base"),
        ("UPDATE venue.pool SET hits = hits + 1", "pool_hits"),
        ("UPDATE venue.pool SET base = base + 900000", "pool_below_seed"),
        ("UPDATE venue.meter SET cum = 1", "meter_fell"),
        ("DELETE FROM venue.claim", "pool_hits"),
    ],
)
def test_books_changed_behind_the_functions_alarm(
    venue_database: VenueDatabase, enrol: Enrol, change: str, code: str
) -> None:
    """Whoever changes pools, meters or claims with the triggers off breaks an invariant that the watch sees."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    cabinet.play(1, 60_000)
    cabinet.claim(1, 1)
    with venue_database.connect() as admin:
        admin.execute("SELECT venue.acknowledge(alarm, '', 'anna') FROM venue.alarm")
        admin.execute("SELECT venue.tidy()")
        assert _open_alarms(admin) == []
        admin.execute("SET session_replication_role = replica")
        admin.execute(change)
        admin.execute("SET session_replication_role = origin")
        assert code in _open_alarms(admin)


def _reading(seq: int, day: date, stakes: int) -> dict[str, object]:
    at = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    games = {"neptune": {"rounds": stakes // 100, "stakes": stakes, "wins": 0}}
    return {
        "seq": seq,
        "kind": "hour",
        "cab_at_ms": int(at.timestamp() * 1000),
        "meters": {"stakes": stakes},
        "games": games,
    }


def test_a_closed_month_is_never_changed(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Its figures refuse every change; what arrives late counts for the first open day."""
    (cabinet,) = enrol(1)
    july, august = date(2026, 7, 10), date(2026, 8, 10)
    rows = [_reading(1, july, 100), _reading(2, july, 500), _reading(3, august, 700)]
    cabinet.call("meters", cabinet.session, Jsonb(rows))
    with venue_database.connect("venue_page") as page:
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="close 2026-07 first"):
            page.execute("SELECT venue.close_month('2026-08-01', 'anna')")
        page.execute("SELECT venue.close_month('2026-07-31', 'anna')")
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="closed already"):
            page.execute("SELECT venue.close_month('2026-07-01', 'anna')")
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="not over"):
            page.execute("SELECT venue.close_month(current_date, 'anna')")
    cabinet.call("meters", cabinet.session, Jsonb([_reading(4, july, 800)]))
    with venue_database.connect() as admin:
        for statement in (
            "UPDATE venue.day_meter SET meters = '{}'",
            "DELETE FROM venue.day_game",
            "INSERT INTO venue.day_game VALUES ('2026-07-01', 1, 'neptune', 1, 1, 1)",
            "UPDATE venue.day_game SET day = '2026-07-05' WHERE day >= '2026-08-01'",
            "UPDATE venue.month_figure SET stakes = 1",
            "DELETE FROM venue.month_close",
        ):
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match=r"closed|never changed"):
                admin.execute(statement)
        figures = admin.execute("SELECT game, rounds, stakes FROM venue.month_figure ORDER BY game").fetchall()
        days = admin.execute("SELECT day::text, stakes FROM venue.day_meter ORDER BY day").fetchall()
    assert figures == [("", None, 400), ("neptune", 4, 400)]
    assert days == [("2026-07-10", 400), ("2026-08-01", 100), ("2026-08-10", 200)]


def test_partitions_come_and_go_by_month(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Months ahead are made, months past their retention dropped; rows that lay beside a missing one are moved in."""
    (cabinet,) = enrol(1)
    with venue_database.connect() as admin:
        for seq, at in ((1, "2031-03-03"), (2, "2020-03-03")):
            admin.execute(
                "INSERT INTO venue.event (cabinet, epoch, seq, code, body, cab_at, at)"
                " VALUES (1, 1, %s, 'x', '{}', now(), %s)",
                (seq, at),
            )
        assert "partition_rest" in _open_alarms(admin)
        admin.execute("SELECT venue.arrange_partitions('2031-03-15')")
        assert admin.execute("SELECT tableoid::regclass::text FROM venue.event WHERE seq = 1").fetchone() == (
            "venue.event_203103",
        )
        names = [name for (name,) in admin.execute("SELECT relname FROM pg_class WHERE relname ~ '^event_20[0-9]{4}$'")]
    assert sorted(names) == ["event_203103", "event_203104", "event_203105", "event_203106"]
    cabinet.call("ledger", cabinet.session, Jsonb(LedgerRows().append(2)))


def test_the_chain_goes_on_after_old_rows_were_dropped(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Retention drops rows, never the head that the next one must follow."""
    (cabinet,) = enrol(1)
    rows = LedgerRows()
    cabinet.call("ledger", cabinet.session, Jsonb(rows.append(3)))
    with venue_database.connect() as admin:
        admin.execute("SELECT venue.arrange_partitions('2035-01-01')")
        assert admin.execute("SELECT count(*) FROM venue.ledger_row").fetchone() == (0,)
        assert cabinet.call("ledger", cabinet.session, Jsonb(rows.append(2)))[0][0] == 5
        assert admin.execute("SELECT * FROM venue.chain_break").fetchall() == []


def test_audit_rows_are_never_changed(venue_database: VenueDatabase) -> None:
    """Neither update nor delete nor truncate, by whomever."""
    with venue_database.connect() as admin:
        admin.execute("SELECT venue.note('anna', 'looked', NULL, '{}')")
        for statement in ("UPDATE venue.audit SET by = 'x'", "DELETE FROM venue.audit", "TRUNCATE venue.audit"):
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="never changed"):
                admin.execute(statement)


def test_a_broken_chain_alarms_until_it_is_whole(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """What the nightly audit cannot prove is an alarm with its words, which ends when an audit has proved all."""
    (cabinet,) = enrol(1)
    cabinet.beat(**STATUS)
    cabinet.call("ledger", cabinet.session, Jsonb(LedgerRows().append(5)))
    seen = []
    with venue_database.connect() as admin:
        (whole,) = admin.execute("SELECT body FROM venue.ledger_row WHERE row = 3").fetchone() or (b"",)
        for body in (b"changed", whole):
            admin.execute("UPDATE venue.ledger_row SET body = %s WHERE row = 3", (body,))
            auditing.record(admin, auditing.audit(admin), "nightly")
            seen.append(_open_alarms(admin))
        (detail,) = admin.execute("SELECT detail FROM venue.alarm WHERE code = 'audit_failed'").fetchone() or ({},)
    assert seen == [["audit_failed"], []]
    assert detail["failures"] == ["cabinet 1: ledger row 3 of branch 1 does not follow"]


def test_an_audit_that_no_longer_runs_alarms(venue_database: VenueDatabase) -> None:
    """Two days without an audit are an alarm, as without a backup."""
    with venue_database.connect() as admin:
        admin.execute("UPDATE venue.site SET made_at = now() - interval '49 hours'")
        assert _open_alarms(admin) == ["audit_old", "backup_old"]
        auditing.record(admin, auditing.audit(admin), "nightly")
        assert _open_alarms(admin) == ["backup_old"]


def test_tidying_removes_what_nobody_asks_for(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """The bytes of an offer go three months after its end, alarms two years after theirs; what is open stays."""
    enrol(1)
    with venue_database.connect() as admin:
        for name, ended in (("old", "4 months"), ("new", "1 month")):
            admin.execute("SELECT venue.new_offer('bundle', %s, 'olga')", (name,))
            admin.execute("SELECT venue.add_part((SELECT max(offer) FROM venue.offer), 'bytes')")
            admin.execute(
                "UPDATE venue.offer SET state = 'done', ended_at = now() - %s::interval WHERE name = %s", (ended, name)
            )
        for key, over in (("old", "25 months"), ("new", "23 months"), ("open", None)):
            admin.execute(
                "INSERT INTO venue.alarm (key, code, severity, lasting, over_at)"
                " VALUES (%s, 'fault', 'warning', true, now() - %s::interval)",
                (key, over),
            )
        admin.execute("INSERT INTO venue.alarm_message (alarm, channel) SELECT alarm, 'Staff' FROM venue.alarm")
        admin.execute("SELECT venue.tidy()")
        left = admin.execute("SELECT key FROM venue.alarm JOIN venue.alarm_message USING (alarm) ORDER BY key")
        assert left.fetchall() == [("new",), ("open",)]
        parts = admin.execute("SELECT o.name FROM venue.offer_part JOIN venue.offer o USING (offer)")
        assert parts.fetchall() == [("new",)]
