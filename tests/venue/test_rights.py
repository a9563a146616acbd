"""Who may do what: a cabinet its calls, a code's login one function, the page its functions, nobody the tables."""

import psycopg
import pytest

from tests.rigs.postgres import VenueDatabase
from tests.venue.conftest import Enrol

OF_CABINETS = {
    "enrol": False,
    **dict.fromkeys(
        (
            *(
                "hello",
                "beat",
                "locked",
                "put",
                "claim",
                "events",
                "meters",
                "ledger",
                "witness",
                "rebase",
                "give_back",
            ),
            *("reported", "offers", "fetch", "offer_result", "wanted", "round", "tickets", "ticket_claim"),
        ),
        True,
    ),
}
"""The functions of docs/venue-protocol.md, and whether an enrolled cabinet may execute them."""

TABLES = "SELECT relname FROM pg_class WHERE relnamespace = 'venue'::regnamespace AND relkind IN ('r', 'p', 'v', 'S')"


def _executable(database: VenueDatabase, role: str) -> set[str]:
    with database.connect() as admin:
        return {
            name
            for (name,) in admin.execute(
                "SELECT proname FROM pg_proc WHERE pronamespace = 'venue'::regnamespace"
                " AND has_function_privilege(%s, oid, 'EXECUTE')",
                (role,),
            )
        }


def test_a_cabinet_executes_its_calls_and_nothing_else(venue_database: VenueDatabase) -> None:
    """Of the schema's functions a cabinet may execute those of the protocol page alone."""
    role = venue_database.add_cabinet()
    assert _executable(venue_database, role) == {name for name, allowed in OF_CABINETS.items() if allowed}


def test_a_codes_login_executes_one_function(venue_database: VenueDatabase) -> None:
    """Who has a code may redeem it."""
    assert _executable(venue_database, venue_database.add_code()) == {"enrol"}


@pytest.mark.parametrize("role", ["cab_1", "enrol_000"])
def test_no_table_is_open(venue_database: VenueDatabase, role: str) -> None:
    """Reading, writing and emptying each table, view and counter is refused with 42501."""
    venue_database.add_cabinet()
    venue_database.add_code()
    with venue_database.connect() as admin:
        names = [name for (name,) in admin.execute(TABLES)]
    assert len(names) > 40
    with venue_database.connect(role) as caller:
        for name in names:
            for statement in ("SELECT * FROM venue.{}", "DELETE FROM venue.{}", "TRUNCATE venue.{}"):
                with pytest.raises(psycopg.Error) as refused:
                    caller.execute(statement.format(name))
                # A counter or a view is no table; what it is read for is refused by right.
                assert refused.value.sqlstate == "42501" or not statement.startswith("SELECT"), (name, statement)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT venue.open_pools(true, 'me')",
        "SELECT venue.begin_recovery('why', 'me')",
        "SELECT venue.put_meters(1, 1, 1, ARRAY[1], ARRAY[1::bigint], ARRAY[1::bigint])",
        "SELECT venue.set_login('cab_2', 'x')",
        "SELECT venue.note('me', 'act', NULL, '{}')",
        "CREATE TABLE venue.mine (a int)",
        "CREATE TABLE public.mine (a int)",
        "CREATE TEMPORARY TABLE mine (a int)",
        "SELECT lo_create(0)",
        "SET ROLE venue_owner",
        "SELECT pg_read_file('/etc/passwd')",
        "COPY (SELECT 1) TO PROGRAM 'true'",
        "ALTER ROLE cab_2 PASSWORD 'x'",
    ],
)
def test_a_cabinet_can_do_nothing_else(venue_database: VenueDatabase, statement: str) -> None:
    """Other functions, tables of its own, files and other roles are refused with 42501."""
    venue_database.add_cabinet(1)
    venue_database.add_cabinet(2)
    with venue_database.connect("cab_1") as caller, pytest.raises(psycopg.errors.InsufficientPrivilege):
        caller.execute(statement)


def test_no_function_is_public(venue_database: VenueDatabase) -> None:
    """Nothing in the schema may be executed by whoever connects."""
    with venue_database.connect() as admin:
        admin.execute("DROP ROLE IF EXISTS nobody_venue")
        admin.execute("CREATE ROLE nobody_venue")
        try:
            assert _executable(venue_database, "nobody_venue") == set()
        finally:
            admin.execute("DROP ROLE nobody_venue")


def test_definer_functions_have_a_fixed_search_path(venue_database: VenueDatabase) -> None:
    """A SECURITY DEFINER function never looks a name up in a schema of its caller's."""
    with venue_database.connect() as admin:
        loose = admin.execute(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'venue'::regnamespace AND prosecdef"
            " AND NOT coalesce(proconfig::text, '') LIKE '%%search_path=pg_catalog%%pg_temp%%'"
        ).fetchall()
        wide = admin.execute(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'venue'::regnamespace AND NOT prosecdef"
            " AND (has_function_privilege('cabinets', oid, 'EXECUTE')"
            " OR has_function_privilege('enrolment', oid, 'EXECUTE'))"
        ).fetchall()
    assert (loose, wide) == ([], [])


def test_the_page_reads_all_and_writes_no_books(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """The page's role selects from every table and view, makes tables in its own schema, and changes no figure."""
    enrol(1)
    with venue_database.connect() as admin:
        names = [name for (name,) in admin.execute(TABLES)]
    with venue_database.connect("venue_page") as page:
        for name in names:
            page.execute(f"SELECT * FROM venue.{name} LIMIT 1")  # noqa: S608 - names of the schema
        page.execute("CREATE TABLE page.mine (a int)")
        for name in ("pool", "meter", "claim", "audit", "month_close", "counted", "cabinet", "adjustment", "day_meter"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                page.execute(f"DELETE FROM venue.{name}")  # noqa: S608 - names of the schema
        page.execute("SELECT venue.watch(), venue.tidy(), venue.escalate()")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            page.execute("CREATE TABLE venue.mine (a int)")


def test_the_page_is_no_cabinet(venue_database: VenueDatabase) -> None:
    """The page's role may not contribute or claim."""
    assert _executable(venue_database, "venue_page").isdisjoint(
        {name for name, allowed in OF_CABINETS.items() if allowed}
    )
