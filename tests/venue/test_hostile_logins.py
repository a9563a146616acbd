"""What somebody does who has a cabinet's password, or a code, and a client of PostgreSQL: nothing that others feel."""

from collections.abc import Iterator
from contextlib import closing, nullcontext, suppress

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.rigs.beside import Beside
from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_cabinet import LedgerRows, VenueCabinet, event_rows
from venue.schema import make_roles

ENROLLED = ("cab_1", "enrol_000")
"""The logins that somebody outside of the venue's machine has."""
EVERY_KIND = """
    SELECT min(rolname) FROM pg_roles
    WHERE rolcanlogin AND NOT rolsuper AND has_database_privilege(oid, current_database(), 'CONNECT')
    GROUP BY regexp_replace(rolname, '[0-9]+$', '') ORDER BY 1
"""
"""One login of each kind that may connect to this database, as the server has them."""
MAY = {("venue_page", "LOCK TABLE venue.pool IN ACCESS SHARE MODE")}
"""What a login may all the same: the page reads every table, which takes this lock."""
ALTERED = (
    "default_transaction_read_only = on",
    "local_preload_libraries = 'nothing'",
    "statement_timeout = 1",
)
SPOILED = ("role = 'cabinets'", "session_authorization = 'cab_1'", "pg_trgm.similarity_threshold = 0.5")
"""Settings that cannot be put back from within a function, and could keep the others from being so."""
KEPT = """
    SELECT d.setdatabase, x.item
    FROM pg_db_role_setting d JOIN pg_roles r ON r.oid = d.setrole, unnest(d.setconfig) x(item)
    WHERE r.rolname = %s ORDER BY 2
"""
OWN = [
    "idle_in_transaction_session_timeout=5s",
    "log_min_messages=fatal",
    "statement_timeout=10s",
    "temp_file_limit=64MB",
]


@pytest.fixture
def venue(venue_database: VenueDatabase) -> Iterator[VenueDatabase]:
    """A venue with two cabinets, a pool and a code; roles belong to the server, which other tests use afterwards."""
    venue_database.add_pool()
    venue_database.add_cabinet(1)
    venue_database.add_cabinet(2)
    assert venue_database.add_code() == "enrol_000"
    yield venue_database
    with venue_database.connect() as admin:
        for login in ENROLLED:
            admin.execute(f"ALTER ROLE {login} RESET ALL".encode())
        make_roles(admin)


@pytest.fixture
def page(venue: VenueDatabase) -> Iterator[psycopg.Connection]:
    """The page's connection."""
    with venue.connect("venue_page") as connection:
        yield connection


def alter(venue: VenueDatabase, login: str, place: str, *settings: str) -> None:
    """Have the holder of a login change its settings, in one database where `place` says so."""
    with venue.connect(login) as hostile:
        hostile.execute("SET ROLE NONE")
        hostile.execute("SELECT public.similarity('a', 'b')")  # loads the library, whose settings may be set then
        for setting in settings:
            hostile.execute(f"ALTER ROLE {login} {place.format(venue.name)} SET {setting}".encode())


def _alarms(page: psycopg.Connection) -> list[tuple[str, int]]:
    return page.execute("SELECT code, cabinet FROM venue.alarm WHERE over_at IS NULL ORDER BY 1, 2").fetchall()


@pytest.mark.parametrize("setting", ALTERED)
@pytest.mark.parametrize("place", ["", "IN DATABASE {}"])
def test_a_changed_login_is_put_right_and_alarms(
    venue: VenueDatabase, page: psycopg.Connection, setting: str, place: str
) -> None:
    """Within a round of the watch a cabinet's settings are the venue's again, whatever it has made of them."""
    alter(venue, "cab_1", place, setting)
    page.execute("SELECT venue.watch()")
    with venue.connect() as admin:
        assert admin.execute(KEPT, ("cab_1",)).fetchall() == [(0, item) for item in OWN]
    with VenueCabinet(venue.dsn("cab_1")) as cabinet:
        cabinet.hello()
        cabinet.put()
    assert _alarms(page) == [("login_changed", 1)]
    page.execute("SELECT venue.acknowledge(alarm, '', 'olga') FROM venue.alarm")
    page.execute("SELECT venue.watch()")
    assert _alarms(page) == []


@pytest.mark.parametrize("place", ["", "IN DATABASE {}"])
def test_no_setting_keeps_the_others_from_being_put_right(
    venue: VenueDatabase, page: psycopg.Connection, place: str
) -> None:
    """What cannot be put back from within a function stays, changes nothing, and is no alarm by itself."""
    alter(venue, "cab_1", place, *SPOILED, "default_transaction_read_only = on")
    page.execute("SELECT venue.watch()")
    assert _alarms(page) == [("login_changed", 1)]
    page.execute("SELECT venue.acknowledge(alarm, '', 'olga') FROM venue.alarm")
    page.execute("SELECT venue.watch()")
    assert _alarms(page) == []
    with VenueCabinet(venue.dsn("cab_1")) as cabinet:
        assert cabinet.connection.execute("SHOW default_transaction_read_only").fetchone() == ("off",)
        cabinet.hello()
        cabinet.put()


@pytest.mark.parametrize("place", ["", "IN DATABASE {}"])
def test_nothing_survives_a_new_password(venue: VenueDatabase, place: str) -> None:
    """A card that replaces a hostile one, and the next code with the same login, have the venue's settings alone."""
    for login in ENROLLED:
        alter(venue, login, place, *(SPOILED if login == "cab_1" else ()), "default_transaction_read_only = on")
    with venue.connect() as admin:
        admin.execute("UPDATE venue.enrolment_code SET expires_at = expires_at - interval '15 min'")
        admin.execute("ALTER ROLE enrol_000 VALID UNTIL '-infinity'")
    assert venue.add_code(replaces=1) == "enrol_000"
    with venue.connect("enrol_000") as guest:
        guest.execute("SELECT venue.enrol(%s, '', '')", ("cd" * 32,))
    with VenueCabinet(venue.dsn("cab_1"), "cd" * 32) as cabinet:
        cabinet.hello()


def every_login(venue: VenueDatabase) -> list[str]:
    """Return a login of each kind: a new kind is swept without being named here."""
    return [str(login) for (login,) in venue.ask(EVERY_KIND)]


def test_every_kind_of_login_is_swept(venue: VenueDatabase) -> None:
    """Those that the schema makes today, and one that is added."""
    assert every_login(venue) == ["cab_1", "enrol_000", "venue_page"]
    with venue.connect() as admin:
        admin.execute("CREATE ROLE kiosk LOGIN IN ROLE cabinets")
        try:
            assert "kiosk" in every_login(venue)
        finally:
            admin.execute("DROP ROLE kiosk")


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER ROLE {} SET temp_file_limit = -1",
        "ALTER ROLE {} SET log_min_messages = debug5",
        "SET temp_file_limit = -1",
        "SET log_min_messages = debug5",
        "ALTER ROLE {} CONNECTION LIMIT -1",
        "ALTER ROLE {} VALID UNTIL 'infinity'",
        "ALTER ROLE cab_2 SET default_transaction_read_only = on",
        "ALTER ROLE cabinets SET default_transaction_read_only = on",
        "ALTER ROLE enrolment SET default_transaction_read_only = on",
        "ALTER DATABASE {database} SET default_transaction_read_only = on",
        "GRANT {} TO postgres",
        "GRANT {} TO venue_page",
        "CREATE TEMPORARY TABLE mine (a int)",
        "CREATE TABLE public.mine (a int)",
        "SELECT lo_creat(-1)",
        "SELECT lo_from_bytea(0, 'x')",
        "SELECT pg_advisory_lock(1)",
        "SELECT pg_advisory_xact_lock_shared(1, 2)",
        "SELECT pg_try_advisory_lock(1)",
        "SELECT pg_logical_emit_message(false, 'a', 'b')",
        "SELECT pg_export_snapshot()",
        "SELECT pg_switch_wal()",
        "LOCK TABLE venue.pool IN ACCESS SHARE MODE",
        "LOCK TABLE pg_class IN ACCESS EXCLUSIVE MODE",
        "SET SESSION AUTHORIZATION postgres",
        "CREATE SCHEMA mine",
        "CHECKPOINT",
        "COPY (SELECT 1) TO '/tmp/mine'",
        "SELECT pg_reload_conf()",
        "SELECT pg_create_restore_point('mine')",
        "SELECT pg_create_physical_replication_slot('mine', true)",
        "SELECT pg_stat_reset()",
    ],
)
def test_what_would_harm_others_is_refused(venue: VenueDatabase, statement: str) -> None:
    """No login lifts its limits, changes another's, fills the disk, or takes locks that others wait for."""
    for login in every_login(venue):
        text = statement.replace("{database}", venue.name).format(login)
        refused = nullcontext() if (login, text) in MAY else pytest.raises(psycopg.errors.InsufficientPrivilege)
        with venue.connect(login) as hostile, refused, hostile.transaction():
            hostile.execute(text.encode())


def test_what_is_a_superuser_s_to_set_stays_so(venue: VenueDatabase) -> None:
    """No login hides its work (`track_activities`), or delays or logs what others do, by a setting of a superuser's."""
    settable = "SELECT name FROM pg_settings WHERE context = 'superuser' AND has_parameter_privilege('{}', name, 'SET')"
    altered = "SELECT name FROM pg_settings WHERE has_parameter_privilege('{}', name, 'ALTER SYSTEM')"
    of_all = venue.ask("SELECT name FROM pg_settings WHERE context = 'superuser'")
    assert {("track_activities",), ("deadlock_timeout",), ("commit_delay",), ("log_statement",)} <= set(of_all)
    for login in every_login(venue):
        assert venue.ask(settable.format(login)) == []
        assert venue.ask(altered.format(login)) == []


def test_no_login_ends_another_s_session(venue: VenueDatabase) -> None:
    """Nor its statement."""
    for login in every_login(venue):
        victim = "cab_2" if login != "cab_2" else "cab_1"
        with venue.connect(victim) as other, venue.connect(login) as hostile:
            for act in ("pg_terminate_backend", "pg_cancel_backend"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    hostile.execute(f"SELECT {act}({other.info.backend_pid})".encode())
            other.execute("SELECT 1")


def test_no_lock_outlives_its_session(venue: VenueDatabase) -> None:
    """A transaction cannot be left prepared, whose locks nobody's end would let go."""
    for login in every_login(venue):
        with venue.connect(login) as hostile:
            hostile.execute("BEGIN")
            hostile.execute("SELECT 1")
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="prepared transactions are disabled"):
                hostile.execute("PREPARE TRANSACTION 'x'")


def test_every_login_has_its_bounds(venue: VenueDatabase) -> None:
    """Connections, temporary files, an open transaction's time and lines of the log: none is without a limit."""
    for login in every_login(venue):
        ((connections,),) = venue.ask(f"SELECT rolconnlimit FROM pg_roles WHERE rolname = '{login}'")  # noqa: S608
        assert 1 <= connections <= 40
        with venue.connect(login) as own:
            found: dict[str, str] = dict(own.execute("SELECT name, setting FROM pg_settings").fetchall())
        assert 0 < int(found["temp_file_limit"]) <= 1024 * 1024
        assert 0 < int(found["idle_in_transaction_session_timeout"]) <= 60_000
        assert found["log_min_messages"] == "fatal"


@pytest.mark.parametrize("place", ["", "IN DATABASE {}"])
def test_setting_the_venue_up_again_puts_the_page_s_login_right(venue: VenueDatabase, place: str) -> None:
    """Nobody else than its own user has it, and nothing watches over it: `cabinet venue init` makes it as it was."""
    before = venue.ask(KEPT % "'venue_page'")
    alter(venue, "venue_page", place, "default_transaction_read_only = on", "statement_timeout = 1")
    with venue.connect() as admin:
        make_roles(admin)
    assert venue.ask(KEPT % "'venue_page'") == before
    assert [item for _, item in before] == [
        *("idle_in_transaction_session_timeout=60s", "jit=off", "log_min_messages=fatal", "temp_file_limit=1GB")
    ]


@pytest.mark.parametrize("login", ENROLLED)
def test_its_own_rights_are_not_its_own_to_take_away(venue: VenueDatabase, login: str) -> None:
    """DROP OWNED leaves every grant to cabinets and codes as it was."""
    with venue.connect(login) as hostile:
        hostile.execute("DROP OWNED BY CURRENT_USER")
        if login == "cab_1":
            hostile.execute("DROP OWNED BY cabinets")
            hostile.execute("ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC")
    with VenueCabinet(venue.dsn("cab_2")) as cabinet:
        cabinet.hello()
        cabinet.beat()
    with venue.connect("enrol_000") as guest:
        guest.execute("SELECT venue.enrol(%s, '', '')", ("cd" * 32,))


@pytest.mark.parametrize("login", ENROLLED)
def test_temporary_files_are_bounded(venue: VenueDatabase, login: str) -> None:
    """With its timeout lifted a login still cannot sort more than 64 MB onto the disk."""
    with venue.connect(login) as hostile:
        hostile.execute("SET statement_timeout = 0")
        with pytest.raises(psycopg.errors.ConfigurationLimitExceeded):
            hostile.execute("SELECT repeat('x', 100) || n FROM generate_series(1, 2000000) n ORDER BY 1")


def test_the_servers_log_is_not_filled(venue: VenueDatabase) -> None:
    """Errors and notes that a login makes, with whatever length, are not written to the server's log."""
    before = venue.server.log.stat().st_size
    for login in every_login(venue):
        with venue.connect(login) as hostile:
            for statement in (
                b"SELECT repeat('x', 1000000)::int",
                b"DO $$ BEGIN RAISE LOG '%', repeat('x', 1000000); END $$",
                b"SELECT '" + b"x" * 1_000_000 + b"' FROM nowhere",
            ):
                with suppress(psycopg.Error):  # refused or not, the log is what counts
                    hostile.execute(statement)
    assert venue.server.log.stat().st_size - before < 100_000


def test_a_pool_that_is_held_is_let_go(venue: VenueDatabase, page: psycopg.Connection) -> None:
    """A cabinet that claims and does not end its transaction is cut off by the watch, and named."""
    with VenueCabinet(venue.dsn("cab_1")) as hostile, VenueCabinet(venue.dsn("cab_2")) as other:
        hostile.hello()
        other.hello()
        hostile.connection.execute("SET idle_in_transaction_session_timeout = 0")
        hostile.connection.execute("BEGIN")
        hostile.claim(1, 1)
        other.connection.execute("SET statement_timeout = '200ms'")
        with pytest.raises(psycopg.errors.QueryCanceled):
            other.claim(1, 1)
        page.execute("SELECT venue.watch('0 s')")
        other.connection.execute("SET statement_timeout = '10s'")
        assert other.claim(1, 1).hit == 1
        with pytest.raises(psycopg.OperationalError):
            hostile.claim(1, 1)
    assert _alarms(page) == [("jackpot", 2), ("session_held", 1)]


def held_pool(venue: VenueDatabase) -> VenueCabinet:
    """Return a cabinet that has claimed a pool and does not end its transaction."""
    hostile = VenueCabinet(venue.dsn("cab_1"))
    ((hostile.epoch,),) = venue.ask("SELECT epoch FROM venue.cabinet WHERE cabinet = 1")
    hostile.hello()
    hostile.connection.execute("SET idle_in_transaction_session_timeout = 0")
    hostile.connection.execute("BEGIN")
    hostile.claim(1, 1)
    return hostile


def test_who_holds_others_up_again_and_again_is_shut_out(venue: VenueDatabase, page: psycopg.Connection) -> None:
    """The third time within a day its login is closed, which alarms; once somebody has opened it, it counts anew."""
    with VenueCabinet(venue.dsn("cab_2")) as other:
        other.hello()
        for count in (1, 2, 3, 4):
            with held_pool(venue):
                page.execute("SELECT venue.watch('0 s')")
            if count == 1:
                with venue.connect() as admin:  # a day ago
                    admin.execute("UPDATE venue.held_session SET at = at - interval '1 day'")
            assert (("login_closed", 1) in _alarms(page)) == (count == 4)
        with pytest.raises(psycopg.OperationalError, match="not permitted to log in"):
            venue.connect("cab_1")
        assert other.claim(1, 1).hit == 1
    assert venue.ask("SELECT by FROM venue.closed_login") == [("venue",)]
    page.execute("SELECT venue.open_login(1, 'anna')")
    with held_pool(venue):
        page.execute("SELECT venue.watch('0 s')")
    venue.connect("cab_1").close()


def test_for_whom_another_waits_has_less_time(venue: VenueDatabase, page: psycopg.Connection) -> None:
    """A session that works long is let be for a while; while somebody waits for it, it is ended and counted."""
    with held_pool(venue) as hostile:
        page.execute("SELECT venue.watch('1 h', '0 s')")
        hostile.connection.execute("SELECT 1")
        waiting = Beside(venue, lambda other: other.execute("SELECT venue.close_pool(1, true, 'x', 'anna')"))
        assert waiting.waits()
        page.execute("SELECT venue.watch('1 h', '1 h')")
        hostile.connection.execute("SELECT 1")
        page.execute("SELECT venue.watch('1 h', '0 s')")
        waiting.end()
        with pytest.raises(psycopg.OperationalError):
            hostile.connection.execute("SELECT 1")
    assert venue.ask("SELECT cabinet FROM venue.held_session") == [(1,)]


def test_long_work_is_ended_and_counted(venue: VenueDatabase, page: psycopg.Connection) -> None:
    """A statement whose timeout its holder has lifted, though nobody waits for it."""

    def work(connection: psycopg.Connection) -> None:
        connection.execute("SET statement_timeout = 0")
        connection.execute("SELECT pg_sleep(1000)")

    working = Beside(venue, work, "cab_1")
    while not venue.ask("SELECT FROM pg_stat_activity WHERE usename = 'cab_1' AND wait_event = 'PgSleep'"):
        pass
    page.execute("SELECT venue.watch('0 s')")
    with pytest.raises(psycopg.errors.AdminShutdown):
        working.end()
    assert venue.ask("SELECT cabinet FROM venue.held_session") == [(1,)]


def test_who_waits_itself_is_not_counted(venue: VenueDatabase, page: psycopg.Connection) -> None:
    """One that waits for a hostile one, and is waited for, goes on and is not counted."""
    with held_pool(venue), VenueCabinet(venue.dsn("cab_2")) as other:
        other.hello()

        def claim(connection: psycopg.Connection) -> None:
            connection.execute("SET statement_timeout = 0")
            connection.execute("SELECT venue.claim(%s, 1, %s, 1, 0, 0, 0)", (other.session, other.epoch))

        claiming = Beside(venue, claim, "cab_2")
        assert claiming.waits()
        behind = Beside(venue, lambda page: page.execute("SELECT venue.close_pool(1, true, 'x', 'anna')"))
        assert behind.waits()
        page.execute("SELECT venue.watch('1 h', '0 s')")
        with suppress(psycopg.errors.ObjectNotInPrerequisiteState):
            claiming.end()  # whichever comes first: after the other one the pool is closed
        behind.end()
    assert venue.ask("SELECT cabinet FROM venue.held_session") == [(1,)]


def test_a_code_that_holds_others_up_is_closed_at_once(venue: VenueDatabase, page: psycopg.Connection) -> None:
    """Its one call takes no time: who leaves it open keeps every other enrolment waiting."""
    with closing(venue.connect("enrol_000")) as guest:
        guest.execute("SET idle_in_transaction_session_timeout = 0")
        guest.execute("BEGIN")
        guest.execute("SELECT venue.enrol(%s, '', '')", ("cd" * 32,))
        page.execute("SELECT venue.watch('0 s')")
    assert venue.ask("SELECT rolcanlogin FROM pg_roles WHERE rolname = 'enrol_000'") == [(False,)]
    with venue.connect(venue.add_code()) as next_one:
        next_one.execute("SELECT venue.enrol(%s, '', '')", ("cd" * 32,))


def test_the_watch_does_not_wait_for_a_changed_login(venue: VenueDatabase, page: psycopg.Connection) -> None:
    """A change of its settings that is left open would stop the watch, and with it every alarm of the venue."""
    alter(venue, "cab_1", "", "statement_timeout = 1")
    page.execute("SET statement_timeout = '15s'")
    with closing(venue.connect("cab_1")) as hostile:
        hostile.execute("SET statement_timeout = 0")
        hostile.execute("SET idle_in_transaction_session_timeout = 0")
        hostile.execute("BEGIN")
        hostile.execute("ALTER ROLE cab_1 SET statement_timeout = 2")
        page.execute("SELECT venue.watch()")
        with pytest.raises(psycopg.OperationalError):
            hostile.execute("SELECT 1")
    assert _alarms(page) == [("login_changed", 1), ("session_held", 1)]
    page.execute("SELECT venue.watch()")
    assert venue.ask(KEPT % "'cab_1'") == [(0, item) for item in OWN]


def test_the_watch_does_not_wait_for_a_locked_alarm(venue: VenueDatabase, page: psycopg.Connection) -> None:
    """A door's event that is left open holds the alarm of its status: other alarms go on, and move up."""
    with venue.connect() as admin:
        admin.execute("UPDATE venue.alarm_rule SET hours_from = NULL, hours_to = NULL WHERE code = 'door_out_of_hours'")
    page.execute("SET statement_timeout = '15s'")
    with VenueCabinet(venue.dsn("cab_1")) as hostile:
        hostile.hello()
        hostile.beat(doors=["main_door"])
        page.execute("SELECT venue.watch()")
        assert _alarms(page) == [("door_out_of_hours", 1)]
        with venue.connect() as admin:
            admin.execute("UPDATE venue.alarm SET since = since - interval '1 hour'")
            admin.execute(
                "INSERT INTO venue.alarm (key, code, cabinet, severity, lasting, since)"
                " VALUES ('other', 'logic_access', 2, 'critical', false, now() - interval '1 hour')"
            )
        hostile.connection.execute("SET idle_in_transaction_session_timeout = 0")
        hostile.connection.execute("BEGIN")
        ((now_ms,),) = venue.ask("SELECT (extract(epoch FROM clock_timestamp() - interval '2 h') * 1000)::bigint")
        opened = {"seq": 1, "code": "door_open", "cab_at_ms": int(now_ms), "body": {"place": "main_door"}}
        hostile.call("events", hostile.session, Jsonb([opened]))
        ((held,),) = venue.ask("SELECT count(*) FROM (SELECT FROM venue.alarm WHERE lasting FOR UPDATE SKIP LOCKED) x")
        assert held == 0, "the event holds the alarm"
        page.execute("SELECT venue.watch()")
        moved = page.execute("SELECT code FROM venue.escalate()").fetchall()
        assert moved == [("logic_access",)]
        page.execute("SELECT venue.watch('0 s')")
        page.execute("SELECT venue.watch()")
    assert ("session_held", 1) in _alarms(page)


def test_a_cabinet_at_rest_is_not_cut_off(venue: VenueDatabase, page: psycopg.Connection) -> None:
    """Between its calls a cabinet keeps its connection, however strict the watch is."""
    with VenueCabinet(venue.dsn("cab_1")) as cabinet:
        cabinet.hello()
        page.execute("SELECT venue.watch('0 s')")
        cabinet.beat()
    assert _alarms(page) == []


def test_what_listens_and_waits_is_cut_off(venue: VenueDatabase, page: psycopg.Connection) -> None:
    """Messages (NOTIFY), which no right forbids, are not kept for a listener in a transaction beyond a watch."""
    with venue.connect("cab_1") as listening, venue.connect("cab_2") as notifying:
        listening.execute("LISTEN x")
        listening.execute("BEGIN")
        listening.execute("SELECT 1")
        for _ in range(20):
            notifying.execute("SELECT pg_notify('x', n || repeat('x', 7000)) FROM generate_series(1, 100) n")
        page.execute("SELECT venue.watch('0 s')")
        with pytest.raises(psycopg.OperationalError):
            listening.execute("SELECT 1")
        notifying.execute("NOTIFY x")
        with venue.connect() as admin:
            assert admin.execute("SELECT pg_notification_queue_usage()").fetchone() == (0,)


def test_what_listens_and_reads_nothing_is_cut_off(venue: VenueDatabase, page: psycopg.Connection) -> None:
    """It is idle for the server, and the messages that it does not take would fill the disk: it is held like any."""
    with venue.connect("cab_1") as listening, venue.connect("cab_2") as notifying:
        listening.execute("LISTEN x")
        while not venue.ask("SELECT FROM pg_stat_activity WHERE usename = 'cab_1' AND wait_event = 'ClientWrite'"):
            notifying.execute("SELECT pg_notify('x', n || repeat('x', 7000)) FROM generate_series(1, 1000) n")
        page.execute("SELECT venue.watch('0 s')")
        while venue.ask("SELECT FROM pg_stat_activity WHERE usename = 'cab_1'"):
            pass
        notifying.execute("NOTIFY x")
        assert venue.ask("SELECT pg_notification_queue_usage()") == [(0,)]
    assert _alarms(page) == [("session_held", 1)]


def test_a_used_code_s_session_ends(venue: VenueDatabase, page: psycopg.Connection) -> None:
    """Who stays connected after the enrolment is cut off by the watch."""
    with venue.connect("enrol_000") as guest:
        guest.execute("SELECT venue.enrol(%s, '', '')", ("cd" * 32,))
        page.execute("SELECT venue.watch()")
        with pytest.raises(psycopg.OperationalError):
            guest.execute("SELECT 1")


def test_a_cabinet_s_day_is_bounded(venue: VenueDatabase, page: psycopg.Connection) -> None:
    """What is stored for one cabinet in a day has a limit, which alarms; others go on, and so does it the day after."""
    with VenueCabinet(venue.dsn("cab_1")) as hostile, VenueCabinet(venue.dsn("cab_2")) as other:
        for cabinet in (hostile, other):
            cabinet.hello()
            cabinet.call("events", cabinet.session, event_rows(1, 10))
        with venue.connect() as admin:
            admin.execute("UPDATE venue.intake SET bytes = venue.most_a_day() - 10 WHERE cabinet = 1")
        for call, rows in (
            ("events", event_rows(11, 20)),
            ("ledger", Jsonb(LedgerRows().append(3))),
            ("tickets", Jsonb([{"kind": "claim", "epoch": 1, "claim": 1, "number": "1", "state": "released"}])),
        ):
            with pytest.raises(psycopg.errors.ConfigurationLimitExceeded, match="in a day"):
                hostile.call(call, hostile.session, rows)
        with pytest.raises(psycopg.errors.ConfigurationLimitExceeded):
            hostile.beat(state="idle")
        other.call("events", other.session, event_rows(11, 20))
        page.execute("SELECT venue.watch()")
        assert _alarms(page) == [("calls_refused", 1)]
        with venue.connect() as admin:
            admin.execute("UPDATE venue.intake SET day = day - 1")
        hostile.call("events", hostile.session, event_rows(11, 20))
