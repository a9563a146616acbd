"""A cabinet that is not trusted is retired, whatever it says of itself and whatever it holds; the others play on."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_cabinet import VenueCabinet
from tests.venue.conftest import Enrol
from venue import overview
from venue.auditing import audit

SEED = 50_000_000


@pytest.fixture
def cabinets(venue_database: VenueDatabase, enrol: Enrol) -> list[VenueCabinet]:
    """Two cabinets, the first of which is hostile, and a pool of which the second has contributed 25,000."""
    venue_database.add_pool()
    found = enrol(2)
    found[1].play(1, 25_000)
    found[1].put()
    return found


@pytest.fixture
def page(venue_database: VenueDatabase) -> Iterator[psycopg.Connection]:
    """The page's connection, with the page's own patience."""
    with venue_database.connect("venue_page") as connection:
        connection.execute("SET statement_timeout = '15s'")
        yield connection


def number_of(ticket: int) -> str:
    return f"00{ticket:016d}"


def issue(cabinet: VenueCabinet, *tickets: int) -> None:
    """Have a cabinet say that it has printed these tickets, 5.00 each."""
    fact = {"kind": "issue", "cents": 500, "epoch": cabinet.epoch, "issued_ms": 1_790_000_000_000}
    cabinet.call("tickets", cabinet.session, Jsonb([fact | {"number": number_of(n), "ticket": n} for n in tickets]))


def hold(cabinet: VenueCabinet, *tickets: int) -> None:
    """Have a cabinet say that it holds these tickets, 5.00 each, whether they exist or not."""
    fact = {"kind": "claim", "cents": 500, "epoch": cabinet.epoch, "state": "held"}
    cabinet.call("tickets", cabinet.session, Jsonb([fact | {"number": number_of(n), "claim": n} for n in tickets]))


def states(page: psycopg.Connection) -> dict[int, tuple[str, int | None]]:
    """Return the state of each ticket, and who holds it."""
    found = page.execute("SELECT number, state, holder FROM venue.ticket ORDER BY number").fetchall()
    return {int(number): (state, holder) for number, state, holder in found}


def one(page: psycopg.Connection, query: str) -> Any:
    row = page.execute(query.encode()).fetchone()
    return None if row is None else row[0]


def distrust(page: psycopg.Connection) -> None:
    """Have two people retire cabinet 1."""
    made = one(page, "SELECT venue.propose_distrust(1, 'broken open', 'anna')")
    page.execute("SELECT venue.decide_distrust(%s, true, 'bert')", (made,))


def test_nothing_that_it_says_of_itself_keeps_it(cabinets: list[VenueCabinet], page: psycopg.Connection) -> None:
    """With `unsent` in its beats and 2,000 tickets held the ordinary way is refused, and two people retire it."""
    hostile, _ = cabinets
    hostile.beat(state="idle", unsent=7)
    for first in range(1, 2000, 100):
        hold(hostile, *range(first, first + 100))
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="holds tickets: 2000"):
        page.execute("SELECT venue.retire(1, 'broken open', 'anna')")
    made = one(page, "SELECT venue.propose_distrust(1, 'broken open', 'anna')")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="another person"):
        page.execute("SELECT venue.decide_distrust(%s, true, 'anna')", (made,))
    page.execute("SELECT venue.decide_distrust(%s, true, 'bert')", (made,))
    assert one(page, "SELECT retired AND distrusted FROM venue.cabinet WHERE cabinet = 1") is True
    assert set(states(page).values()) == {("held", 1)}
    page.execute("SELECT venue.watch_tickets() FROM generate_series(1, 3)")
    assert sorted(state for state, _ in states(page).values()) == ["held"] * 500 + ["void"] * 1500
    page.execute("SELECT venue.watch_tickets()")
    assert set(states(page).values()) == {("void", None)}
    assert one(page, "SELECT DISTINCT settled_by FROM venue.ticket") == "bert"
    assert one(page, "SELECT detail FROM venue.alarm WHERE code = 'distrusted'") == {
        "held": 0,
        "void": 2000,
        "amount_cents": 0,
        "unsent": 7,
    }
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="not waiting"):
        page.execute("SELECT venue.decide_distrust(%s, true, 'bert')", (made,))


def test_its_login_is_closed_when_it_is_proposed(
    venue_database: VenueDatabase, cabinets: list[VenueCabinet], page: psycopg.Connection
) -> None:
    """Its session ends, it cannot log in any more, and whoever rejects the proposal opens the login again."""
    hostile, other = cabinets
    made = one(page, "SELECT venue.propose_distrust(1, 'broken open', 'anna')")
    with pytest.raises(psycopg.OperationalError):
        hostile.beat()
    with pytest.raises(psycopg.OperationalError, match="not permitted to log in"):
        venue_database.connect("cab_1")
    other.beat()
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="waits for a second person"):
        page.execute("SELECT venue.open_login(1, 'anna')")
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="waits for a second person"):
        page.execute("SELECT venue.propose_distrust(1, 'again', 'anna')")
    page.execute("SELECT venue.decide_distrust(%s, false, 'anna')", (made,))
    with VenueCabinet(venue_database.dsn("cab_1")) as again:
        again.epoch = 1
        assert again.hello().cabinet == 1
    assert one(page, "SELECT retired FROM venue.cabinet WHERE cabinet = 1") is False


def test_one_person_closes_a_login_and_opens_it(
    venue_database: VenueDatabase, cabinets: list[VenueCabinet], page: psycopg.Connection
) -> None:
    """The password stays as it was; both acts are recorded, and neither is done twice."""
    password = "SELECT rolpassword FROM pg_authid WHERE rolname = 'cab_1'"  # noqa: S105 - a query
    before = venue_database.ask(password)
    page.execute("SELECT venue.close_login(1, 'odd', 'anna')")
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="closed already"):
        page.execute("SELECT venue.close_login(1, 'odd', 'anna')")
    with pytest.raises(psycopg.OperationalError):
        cabinets[0].beat()
    with venue_database.connect() as admin:
        shown = [line.split() for line in overview.lines(admin, venue_database.server.folder) if "Cabinet 1" in line]
    assert shown[0][4:6] == ["LOGIN", "CLOSED"]
    page.execute("SELECT venue.open_login(1, 'anna')")
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="not closed"):
        page.execute("SELECT venue.open_login(1, 'anna')")
    assert venue_database.ask(password) == before
    venue_database.connect("cab_1").close()
    assert venue_database.ask("SELECT by, act FROM venue.audit WHERE act LIKE 'login%' ORDER BY entry") == [
        ("anna", "login closed"),
        ("anna", "login opened"),
    ]


def test_its_tickets_wait_for_a_person(cabinets: list[VenueCabinet], page: psycopg.Connection) -> None:
    """What others printed is an open item, what it printed itself is paid to nobody, what nobody printed is void."""
    hostile, other = cabinets
    issue(other, 1, 2)
    issue(hostile, 3, 4)
    hold(hostile, 1, 4, 5)
    distrust(page)
    page.execute("SELECT venue.watch_tickets()")
    assert states(page) == {1: ("held", 1), 2: ("open", None), 3: ("open", None), 4: ("held", 1), 5: ("void", None)}
    assert one(page, f"SELECT venue.worth_of(t) FROM venue.ticket t WHERE number = '{number_of(3)}'") == "held"  # noqa: S608
    paid = "SELECT answer FROM venue.pay_ticket(%s, 500, 'a key of 16 bytes', 'carl')"
    assert page.execute(paid, (number_of(3),)).fetchone() == ("held",)
    assert page.execute("SELECT kind, number, cabinet, cents FROM venue.ticket_trouble").fetchall() == [
        ("distrusted", number_of(1), 1, 500)
    ]
    for n, answer in ((1, "held"), (2, "held"), (3, "held"), (4, "held"), (5, "void")):
        assert (n, other.call("ticket_claim", other.session, other.epoch, n, number_of(n))[0].answer) == (n, answer)
    assert states(page)[2] == ("held", 2)
    for ticket in (1, 3, 4):
        made = one(page, f"SELECT venue.propose_ticket_act('reopen', '{number_of(ticket)}', NULL, 'seen', 'anna')")
        page.execute("SELECT venue.decide_ticket_act(%s, true, 'bert')", (made,))
        assert states(page)[ticket] == ("open", None)
    assert page.execute(paid, (number_of(3),)).fetchone() == ("paid",)
    fifth = other.call("ticket_claim", other.session, other.epoch, 9, number_of(4))[0]
    assert (fifth.answer, fifth.cents) == ("held", 500)


def test_a_ticket_that_is_let_go_does_not_become_its_own(
    cabinets: list[VenueCabinet], page: psycopg.Connection
) -> None:
    """A claim that it has of a ticket which another cabinet holds ends with it."""
    hostile, other = cabinets
    issue(other, 1)
    hold(other, 1)
    hold(hostile, 1)
    distrust(page)
    fact = {
        "kind": "claim",
        "cents": 500,
        "epoch": other.epoch,
        "state": "released",
        "number": number_of(1),
        "claim": 1,
    }
    other.call("tickets", other.session, Jsonb([fact]))
    assert states(page) == {1: ("open", None)}


def test_a_real_ticket_that_was_voided_with_it_is_an_open_item(
    cabinets: list[VenueCabinet], page: psycopg.Connection
) -> None:
    """The cabinet that has printed it may say so later; one that a person has entered is not voided."""
    hostile, other = cabinets
    made = one(page, f"SELECT venue.propose_ticket_act('enter', '{number_of(2)}', 500, 'seen', 'anna')")
    page.execute("SELECT venue.decide_ticket_act(%s, true, 'bert')", (made,))
    hold(hostile, 1, 2)
    distrust(page)
    page.execute("SELECT venue.watch_tickets()")
    assert states(page) == {1: ("void", None), 2: ("held", 1)}
    issue(other, 1)
    found = page.execute("SELECT kind, number, cabinet FROM venue.ticket_trouble ORDER BY number").fetchall()
    assert found == [("distrusted", number_of(1), 2), ("distrusted", number_of(2), 1)]


def test_a_real_ticket_that_is_not_voided_yet_is_an_open_item(
    cabinets: list[VenueCabinet], page: psycopg.Connection
) -> None:
    """It is not voided any more once the cabinet that has printed it has said so."""
    hostile, other = cabinets
    hold(hostile, 1)
    distrust(page)
    issue(other, 1)
    page.execute("SELECT venue.watch_tickets()")
    assert states(page) == {1: ("held", 1)}
    assert page.execute("SELECT kind, cabinet FROM venue.ticket_trouble").fetchall() == [("distrusted", 2)]


def test_its_tickets_do_not_fill_the_alarms(cabinets: list[VenueCabinet], page: psycopg.Connection) -> None:
    """What it held too long has alarmed; once it is retired one alarm says how many there are, however many it made."""
    hostile, other = cabinets
    issue(other, *range(1, 6))
    hold(hostile, *range(1, 6))
    with psycopg.connect(page.info.dsn.replace("venue_page", "postgres"), autocommit=True) as admin:
        admin.execute("UPDATE venue.ticket_claim SET at = at - interval '1 hour'")
        page.execute("SELECT venue.watch_tickets()")
        assert one(page, "SELECT count(*) FROM venue.alarm WHERE code = 'ticket_held' AND over_at IS NULL") == 5
        admin.execute(
            "INSERT INTO venue.alarm (key, code, cabinet, severity, lasting)"
            " SELECT 'x' || n, 'fresh_epoch', 1, 'info', false FROM generate_series(1, 1000) n"
        )
    distrust(page)
    page.execute("SELECT venue.watch_tickets()")
    open_ones = "SELECT array_agg(DISTINCT code) FROM venue.alarm WHERE over_at IS NULL AND code <> 'fresh_epoch'"
    assert one(page, open_ones) == ["distrusted"]


def test_a_flood_of_held_tickets_does_not_stop_the_alarms(
    venue_database: VenueDatabase, page: psycopg.Connection
) -> None:
    """Forty thousand that are held too long take a round less than the page waits for a statement."""
    venue_database.add_cabinet(1)
    with venue_database.connect() as admin:
        admin.execute(
            "INSERT INTO venue.ticket (number, cents, issued_day, state, holder, holder_epoch, holder_claim)"
            " SELECT lpad(n::text, 18, '0'), 500, current_date, 'held', 1, 1, n FROM generate_series(1, 40000) n"
        )
        admin.execute(
            "INSERT INTO venue.ticket_claim (cabinet, epoch, claim, number, cents, state, at)"
            " SELECT 1, 1, n, lpad(n::text, 18, '0'), 500, 'held', now() - interval '1 hour'"
            " FROM generate_series(1, 40000) n"
        )
    page.execute("SELECT venue.watch_tickets() FROM generate_series(1, 2)")
    page.execute("SELECT venue.watch()")
    found = page.execute("SELECT code, count(*) FROM venue.alarm GROUP BY 1 ORDER BY 1").fetchall()
    assert found == [("alarm_flood", 1), ("ticket_held", 1000)]


def ahead(hostile: VenueCabinet) -> None:
    """Have the hostile cabinet claim that the venue was set back: all pools recover."""
    hostile.epoch += 5
    hostile.hello()


def test_pools_that_recover_on_its_word_open(
    venue_database: VenueDatabase, cabinets: list[VenueCabinet], page: psycopg.Connection
) -> None:
    """Once the others have reported, the approval opens them: what it reported and gave back keeps nothing closed."""
    hostile, other = cabinets
    ahead(hostile)
    back = {"pool": 1, "epoch": 1, "round": 1, "number": 0, "hit": 500, "seed": SEED, "award": SEED}
    hostile.call("give_back", hostile.session, Jsonb([back]))
    other.hello()
    other.call("reported", other.session, Jsonb({}))
    ahead(hostile)
    other.call("reported", other.session, Jsonb({}))
    assert other.beat()[1].state == "recovering"
    distrust(page)
    assert other.beat()[1].state == "open"
    assert other.claim(1, 1).award == SEED + 25_000
    with venue_database.connect() as admin:
        assert audit(admin).failures == []


def test_claims_that_nobody_can_settle_alarm_no_more(cabinets: list[VenueCabinet], page: psycopg.Connection) -> None:
    """It gave back what a pool paid that does not exist: no adjustment settles that."""
    hostile, _ = cabinets
    back = {"pool": 99, "epoch": 1, "round": 1, "number": 0, "hit": 1, "seed": SEED, "award": SEED}
    hostile.call("give_back", hostile.session, Jsonb([back]))
    late = "SELECT count(*) FROM venue.alarm WHERE code = 'late_claim' AND over_at IS NULL"
    page.execute("SELECT venue.watch()")
    assert one(page, late) == 1
    distrust(page)
    page.execute("SELECT venue.watch()")
    assert one(page, late) == 0


def test_pools_wait_for_the_others_still(cabinets: list[VenueCabinet], page: psycopg.Connection) -> None:
    """Without their reports the approval retires it all the same, and an operator opens the pools afterwards."""
    hostile, other = cabinets
    ahead(hostile)
    distrust(page)
    assert one(page, "SELECT state FROM venue.pool") == "recovering"
    assert one(page, "SELECT array_agg(cabinet) FROM venue.not_reported") == [2]
    other.hello()
    other.call("reported", other.session, Jsonb({}))
    page.execute("SELECT venue.open_pools(true, 'anna')")
    assert other.beat()[1].state == "open"


def test_a_recovery_that_a_person_began_is_not_ended_by_it(
    cabinets: list[VenueCabinet], page: psycopg.Connection
) -> None:
    """Where anybody else says that the venue was set back, retiring one cabinet opens nothing."""
    hostile, other = cabinets
    ahead(hostile)
    page.execute("SELECT venue.begin_recovery('restored', 'anna')")
    other.hello()
    other.call("reported", other.session, Jsonb({}))
    distrust(page)
    assert one(page, "SELECT state FROM venue.pool") == "recovering"


@pytest.mark.parametrize("call", ["hello", "beat", "password"])
@pytest.mark.parametrize("act", ["close", "distrust"])
def test_no_lock_that_it_holds_keeps_it(
    venue_database: VenueDatabase, cabinets: list[VenueCabinet], page: psycopg.Connection, call: str, act: str
) -> None:
    """A transaction that it leaves open, with its own row or its login locked, is ended rather than waited for."""
    hostile, _ = cabinets
    hostile.connection.execute("SET idle_in_transaction_session_timeout = 0")
    hostile.connection.execute("BEGIN")
    if call == "password":
        hostile.connection.execute("ALTER ROLE cab_1 PASSWORD 'mine'")
    else:
        getattr(hostile, call)()
    if act == "close":
        page.execute("SELECT venue.close_login(1, 'odd', 'anna')")
    else:
        distrust(page)
    with pytest.raises(psycopg.OperationalError):
        hostile.beat()
    assert venue_database.ask("SELECT rolcanlogin FROM pg_roles WHERE rolname = 'cab_1'") == [(False,)]


@pytest.mark.usefixtures("cabinets")
def test_a_replacement_ends_the_proposal(venue_database: VenueDatabase, page: psycopg.Connection) -> None:
    """What was proposed about one card is not done to another that has taken its number."""
    made = one(page, "SELECT venue.propose_distrust(1, 'broken open', 'anna')")
    with venue_database.connect(venue_database.add_code(replaces=1)) as guest:
        guest.execute("SELECT venue.enrol(%s, '', '')", ("cd" * 32,))
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="replaced since"):
        page.execute("SELECT venue.decide_distrust(%s, true, 'bert')", (made,))
    page.execute("SELECT venue.decide_distrust(%s, false, 'bert')", (made,))
    with VenueCabinet(venue_database.dsn("cab_1"), "cd" * 32) as cabinet:
        cabinet.hello()
