"""A hostile cabinet puts in figures that no cabinet has: the others play on, and two people take it out."""

from collections.abc import Iterator

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_cabinet import VenueCabinet, reading
from tests.venue.conftest import Enrol
from venue.auditing import audit

SEED = 50_000_000
MOST = 10**13


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
    """The page's connection."""
    with venue_database.connect("venue_page") as connection:
        yield connection


def _proved(database: VenueDatabase) -> list[str]:
    with database.connect() as admin:
        return audit(admin).failures


def _put(cabinet: VenueCabinet, epoch: int, cum: int) -> None:
    cabinet.call("put", cabinet.session, [1], [1], [cum], epoch)


def test_a_first_hello_begins_at_no_high_epoch(venue_database: VenueDatabase) -> None:
    """A card may have had some hundred epochs elsewhere; a million is refused, and the number is good afterwards."""
    venue_database.add_pool()
    with VenueCabinet(venue_database.dsn(venue_database.add_cabinet(1))) as cabinet:
        for epoch in (2**31 - 1, 1_000_000, 1001):
            cabinet.epoch = epoch
            with pytest.raises(psycopg.errors.InvalidParameterValue, match=f"says epoch {epoch}"):
                cabinet.hello()
        cabinet.epoch = 1000
        assert cabinet.hello().epoch == 1001


def test_all_epochs_together_contribute_what_one_may(
    venue_database: VenueDatabase, cabinets: list[VenueCabinet], page: psycopg.Connection
) -> None:
    """However many epochs a hostile cabinet has had, its sum is bounded; the others' beats, claims and pages go on."""
    hostile, other = cabinets
    with venue_database.connect() as admin:
        admin.execute("UPDATE venue.cabinet SET epoch = 1000 WHERE cabinet = 1")
    _put(hostile, 1, MOST)
    for epoch in (2, 500, 1000):
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="in all its epochs"):
            _put(hostile, epoch, MOST)
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="in all its epochs"):
            _put(hostile, epoch, 1)
    page.execute("SELECT venue.watch()")
    assert page.execute("SELECT code, cabinet FROM venue.alarm").fetchall() == [("calls_refused", 1)]
    assert other.claim(1, 1).award == SEED + MOST + 25_000
    assert other.beat()[1].amount == SEED
    assert _proved(venue_database) == []


def test_two_people_take_a_cabinet_out(
    venue_database: VenueDatabase, cabinets: list[VenueCabinet], page: psycopg.Connection
) -> None:
    """What it contributed leaves the pool by an adjustment, nothing more of it comes in, and the books are proved."""
    hostile, other = cabinets
    hostile.play(1, MOST)
    hostile.put()
    (made,) = page.execute("SELECT venue.propose_removal(1, 1, 'broken open', 'anna')").fetchone() or (0,)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="another person"):
        page.execute("SELECT venue.decide_removal(%s, true, 'anna')", (made,))
    page.execute("SELECT venue.decide_removal(%s, true, 'bert')", (made,))
    assert page.execute("SELECT amount FROM venue.jackpot").fetchone() == (SEED + 25_000,)
    assert page.execute("SELECT amount, state, proposed_by, decided_by FROM venue.adjustment").fetchall() == [
        (-MOST, "approved", "anna", "bert")
    ]
    _put(hostile, hostile.epoch, MOST)
    hostile.call("put", hostile.session, [1], [9], [MOST], hostile.epoch)
    assert hostile.beat()[1].state == "closed"
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="taken out"):
        hostile.claim(1, 7)
    assert other.beat()[1].state == "open"
    assert other.claim(1, 1).award == SEED + 25_000
    assert _proved(venue_database) == []
    for again in (
        "SELECT venue.propose_removal(1, 1, 'again', 'anna')",
        f"SELECT venue.decide_removal({made}, true, 'bert')",
    ):
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
            page.execute(again.encode())
    assert hostile.hello().fresh is False


def test_what_was_won_meanwhile_stays_won(
    venue_database: VenueDatabase, cabinets: list[VenueCabinet], page: psycopg.Connection
) -> None:
    """A pool is never taken below its seed: of what somebody has won nothing is left to take."""
    hostile, other = cabinets
    hostile.play(1, 4_000_000)
    hostile.put()
    assert other.claim(1, 1).award == SEED + 4_025_000
    hostile.play(1, 75_000)
    hostile.put()
    page.execute("SELECT venue.decide_removal(venue.propose_removal(1, 1, 'broken open', 'anna'), true, 'bert')")
    assert page.execute("SELECT amount FROM venue.jackpot").fetchone() == (SEED,)
    assert page.execute("SELECT amount FROM venue.adjustment").fetchall() == [(-75_000,)]
    assert _proved(venue_database) == []


def test_a_rejected_proposal_changes_nothing(cabinets: list[VenueCabinet], page: psycopg.Connection) -> None:
    """Who proposed it may take it back, and it may be proposed again; a cabinet that never contributed is not in it."""
    (made,) = page.execute("SELECT venue.propose_removal(1, 2, 'a mistake', 'anna')").fetchone() or (0,)
    page.execute("SELECT venue.decide_removal(%s, false, 'anna')", (made,))
    cabinets[1].play(1, 25_000)
    cabinets[1].put()
    assert page.execute("SELECT amount FROM venue.jackpot").fetchone() == (SEED + 50_000,)
    page.execute("SELECT venue.propose_removal(1, 2, 'again', 'anna')")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="contributed nothing"):
        page.execute("SELECT venue.propose_removal(1, 1, 'why not', 'anna')")


@pytest.mark.parametrize("figure", [10**13 + 1, -(10**13) - 1, 10**30, 1.5, True, "1", None, [1], 10**400])
@pytest.mark.parametrize("place", ["meters", "games"])
def test_a_reading_has_figures_that_a_meter_has(enrol: Enrol, figure: object, place: str) -> None:
    """A figure near the end of bigint, which would make the sums of days fail, and what is none, are refused."""
    (cabinet,) = enrol(1)
    row = reading(1, stakes=100)
    row[place] = {"stakes": figure} if place == "meters" else {"neptune": {"rounds": 1, "stakes": figure, "wins": 0}}
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="whole figures"):
        cabinet.call("meters", cabinet.session, Jsonb([row]))
    cabinet.call("meters", cabinet.session, Jsonb([reading(1, stakes=10**13)]))


def test_the_highest_figures_of_many_cabinets_have_a_sum(enrol: Enrol, page: psycopg.Connection) -> None:
    """Days on which every cabinet says the most that it may add up on the page and in a closed month."""
    for cabinet in enrol(5):
        cabinet.call("meters", cabinet.session, Jsonb([reading(1, stakes=-(10**13)), reading(2, stakes=10**13)]))
    total = page.execute("SELECT sum(stakes)::bigint FROM venue.day_meter").fetchone()
    assert total == (5 * 2 * 10**13,)
    page.execute("SELECT venue.close_month(date_trunc('month', day)::date, 'anna') FROM venue.day_meter LIMIT 1")


@pytest.mark.parametrize(
    "changed",
    [
        {"hit": 1001},
        {"hit": 2**62},
        {"award": 2**62},
        {"seed": -(2**62)},
        {"seed": -(2**62), "award": 2**62},
        {"seed": 2**62, "award": 2**62},
        {"award": SEED + MOST + 1},
        {"hit": 0},
        {"seed": 0},
    ],
)
def test_nothing_impossible_is_given_back(
    cabinets: list[VenueCabinet], page: psycopg.Connection, changed: dict[str, int]
) -> None:
    """A claim with a hit, a seed or an award that no pool had is refused, and the pools open without it."""
    page.execute("SELECT venue.begin_recovery('restored', 'anna')")
    hostile = cabinets[0]
    hostile.hello()
    claim = {"pool": 1, "epoch": 1, "round": 1, "number": 0, "hit": 1, "seed": SEED, "award": SEED} | changed
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="no answered claim"):
        hostile.call("give_back", hostile.session, Jsonb([claim]))
    for cabinet in cabinets:
        cabinet.hello()
        cabinet.call("reported", cabinet.session, Jsonb({}))
    page.execute("SELECT venue.open_pools(true, 'anna')")
    assert page.execute("SELECT amount, hits FROM venue.jackpot").fetchone() == (SEED + 25_000, 0)
