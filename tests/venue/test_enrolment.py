"""A cabinet enrols by a one-time code, and a replaced one is refused from then on."""

import secrets
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from psycopg.rows import namedtuple_row
from psycopg.types.json import Jsonb

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_cabinet import VenueCabinet, reading
from venue.authority import AuthorityFiles, make_authority
from venue.codes import NoAuthorityError, make_code

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def page(venue_database: VenueDatabase, tmp_path: Path) -> Iterator[psycopg.Connection]:
    """Yield the page's connection to a venue that has an authority."""
    with venue_database.connect() as admin:
        admin.execute("UPDATE venue.site SET authority = %s", (make_authority(AuthorityFiles(tmp_path), "Test", NOW),))
    with venue_database.connect("venue_page") as connection:
        yield connection


def _guest(database: VenueDatabase, code: str) -> str:
    """Return how a cabinet logs in with a code: the first three digits are its login, the others the password."""
    digits = code.replace(" ", "")
    return database.server.tcp_dsn(database.name, f"enrol_{digits[:3]}", digits[3:])


def _enrol(database: VenueDatabase, code: str, identity: str = "cd" * 32) -> tuple[int, str, str]:
    with psycopg.connect(_guest(database, code), autocommit=True, row_factory=namedtuple_row) as caller:
        row = caller.execute("SELECT * FROM venue.enrol(%s, 'By the bar', '0.2.0')", (identity,)).fetchone()
    assert row is not None
    return row.cabinet, row.role, row.password


def _refused(database: VenueDatabase, code: str) -> None:
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(_guest(database, code))


def test_a_code_enrols_one_cabinet(venue_database: VenueDatabase, page: psycopg.Connection) -> None:
    """The answer is number, role and a password with which the role logs in over the network; the code is used up."""
    code = make_code(page, "anna")
    cabinet, role, password = _enrol(venue_database, code)
    assert (cabinet, role) == (1, "cab_1")
    with VenueCabinet(venue_database.server.tcp_dsn(venue_database.name, role, password), "cd" * 32) as enrolled:
        assert enrolled.hello().cabinet == 1
    _refused(venue_database, code)
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(venue_database.server.tcp_dsn(venue_database.name, role, "another"))


def test_a_wrong_code_does_not_use_up_another(venue_database: VenueDatabase, page: psycopg.Connection) -> None:
    """However often somebody guesses, the right digits are good for a cabinet, and those of another code are not."""
    code, other = make_code(page, "anna"), make_code(page, "anna")
    for _ in range(10):
        _refused(venue_database, f"{code[:3]}{'0' * 17}")
    _refused(venue_database, f"{other[:3]}{code[3:]}")
    assert _enrol(venue_database, code)[0] == 1
    assert _enrol(venue_database, other, "ef" * 32)[0] == 2


def test_many_codes_wait_at_once(venue_database: VenueDatabase, page: psycopg.Connection) -> None:
    """Ten codes made at once have a login each and are good for ten cabinets."""
    codes = [make_code(page, "anna") for _ in range(10)]
    assert len({code[:3] for code in codes}) == len(codes)
    numbers = [_enrol(venue_database, code, secrets.token_hex(32))[0] for code in codes]
    assert numbers == list(range(1, 11))


def test_nobody_logs_in_after_a_quarter_of_an_hour(venue_database: VenueDatabase, page: psycopg.Connection) -> None:
    """A code's login ends with it; who had logged in before is refused."""
    code = make_code(page, "anna")
    with psycopg.connect(_guest(venue_database, code)) as waiting:
        with venue_database.connect() as admin:
            admin.execute(f"ALTER ROLE enrol_{code[:3]} VALID UNTIL '-infinity'")
            admin.execute("UPDATE venue.enrolment_code SET expires_at = expires_at - interval '15 min'")
        _refused(venue_database, code)
        with pytest.raises(psycopg.errors.InvalidAuthorizationSpecification, match="make a new one"):
            waiting.execute("SELECT venue.enrol(%s, '', '')", ("cd" * 32,))


def test_the_secret_is_not_stored(venue_database: VenueDatabase, page: psycopg.Connection) -> None:
    """The server has a verifier of it while it is good; nothing that could be read names the secret."""
    code = make_code(page, "anna").replace(" ", "")
    with venue_database.connect() as admin:
        kept = admin.execute("SELECT rolpassword FROM pg_authid WHERE rolname = %s", (f"enrol_{code[:3]}",)).fetchall()
        kept += admin.execute("SELECT e::text FROM venue.enrolment_code e UNION SELECT a::text FROM venue.audit a")
    assert str(kept[0][0]).startswith("SCRAM-SHA-256$")
    assert code[3:] not in str(kept)


def test_only_a_verifier_makes_a_code(venue_database: VenueDatabase) -> None:
    """What could be the secret itself is refused, as it would stand in the server's log."""
    with venue_database.connect("venue_page") as page, pytest.raises(psycopg.errors.InvalidParameterValue):
        page.execute("SELECT venue.new_code('12345678901234567', NULL, 'anna')")


def test_an_identity_enrols_once(venue_database: VenueDatabase, page: psycopg.Connection) -> None:
    """A cabinet that is enrolled must be retired or replaced before it gets another number."""
    _enrol(venue_database, make_code(page, "anna"))
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="enrolled as cabinet 1"):
        _enrol(venue_database, make_code(page, "anna"))


def test_a_replaced_card_is_refused(venue_database: VenueDatabase, page: psycopg.Connection) -> None:
    """The new card has number and role of the old one and a new epoch; the old card can neither call nor log in."""
    venue_database.add_pool()
    cabinet, role, password = _enrol(venue_database, make_code(page, "anna"))
    dsn = venue_database.server.tcp_dsn(venue_database.name, role, password)
    with VenueCabinet(dsn, "cd" * 32) as old:
        old.hello()
        old.play(1, 40_000)
        old.put()
        again, same, fresh_password = _enrol(
            venue_database, make_code(page, "anna", replaces=cabinet), identity="ef" * 32
        )
        assert (again, same) == (cabinet, role)
        with pytest.raises(psycopg.OperationalError):
            old.put()
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(dsn)
    with VenueCabinet(venue_database.server.tcp_dsn(venue_database.name, role, fresh_password), "ef" * 32) as new:
        assert new.hello().epoch == 2
        new.play(1, 10_000)
        new.put()
        assert new.claim(1, 1).award == 50_000_000 + 50_000
        old_identity = VenueCabinet(venue_database.dsn(role), "cd" * 32)
        with old_identity, pytest.raises(psycopg.errors.InvalidAuthorizationSpecification, match="was replaced"):
            old_identity.hello()


def test_another_machines_meters_are_a_baseline(venue_database: VenueDatabase, page: psycopg.Connection) -> None:
    """A replacement that was played elsewhere for years has higher meters: only what it plays here is counted."""
    cabinet, role, _ = _enrol(venue_database, make_code(page, "anna"))
    with VenueCabinet(venue_database.dsn(role), "cd" * 32) as old:
        old.hello()
        old.call("meters", old.session, Jsonb([reading(1, stakes=1_000, drop=500), reading(2, stakes=3_000, drop=900)]))
    for identity, stakes in (("ef" * 32, 9_000_000), ("ef" * 32, 9_000_400)):
        _enrol(venue_database, make_code(page, "anna", replaces=cabinet), identity=identity)
        with VenueCabinet(venue_database.dsn(role), identity) as new:
            new.hello()
            new.call("meters", new.session, Jsonb([reading(1, stakes=stakes, drop=70_000)]))
    with venue_database.connect() as admin:
        assert admin.execute("SELECT sum(stakes), sum(dropped) FROM venue.day_meter").fetchone() == (2_000 + 400, 400)


def test_a_retired_cabinet_is_refused_and_its_money_stays(
    venue_database: VenueDatabase, page: psycopg.Connection
) -> None:
    """Its calls and its login are refused; what it contributed stays in the pool."""
    venue_database.add_pool()
    _, role, password = _enrol(venue_database, make_code(page, "anna"))
    with VenueCabinet(venue_database.dsn(role), "cd" * 32) as cabinet:
        cabinet.hello()
        cabinet.play(1, 40_000)
        cabinet.put()
    page.execute("SELECT venue.retire(1, 'sold', 'anna')")
    with pytest.raises(psycopg.OperationalError, match="authentication failed"):
        psycopg.connect(venue_database.server.tcp_dsn(venue_database.name, role, password))
    assert page.execute("SELECT amount FROM venue.jackpot").fetchone() == (50_040_000,)


def test_no_code_without_an_authority(venue_database: VenueDatabase) -> None:
    """A code that no cabinet could check is not made."""
    with venue_database.connect("venue_page") as page, pytest.raises(NoAuthorityError):
        make_code(page, "anna")


def test_enrolments_at_the_same_time_all_succeed(venue_database: VenueDatabase, page: psycopg.Connection) -> None:
    """Three technicians who type their codes at once get a number each; none waits for another that waits for it."""
    for _ in range(5):
        codes = [make_code(page, "anna") for _ in range(3)]
        together = threading.Barrier(len(codes))

        def one(code: str) -> int:
            with psycopg.connect(_guest(venue_database, code)) as caller:
                together.wait()  # noqa: B023 - called in this pass
                row = caller.execute("SELECT * FROM venue.enrol(%s, '', '')", (secrets.token_hex(32),)).fetchone()
            assert row is not None
            return int(row[0])

        with ThreadPoolExecutor(len(codes)) as pool:
            assert len(set(pool.map(one, codes))) == len(codes)
