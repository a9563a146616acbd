"""A venue restored from an older backup: nothing is paid twice, nothing that a cabinet knows is lost."""

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.rigs.postgres import VenueDatabase
from tests.rigs.restored_venue import Party, backup_of
from tests.rigs.venue_cabinet import NOON_MS, Award, event_rows
from tests.venue.conftest import Enrol

SEED = 50_000_000


def test_trap_4_a_restored_venue_pays_nothing_twice(party: Party) -> None:
    """What was won and contributed since the backup is given back; then the pool is worth what it was."""
    party.play(1, 336_000)
    backup = backup_of(party.database)
    party.reconnect(party.database.name)
    for cabinet in party.cabinets:
        cabinet.hello()
    assert party.claim(1, 9).award == SEED + 325_000
    party.play(2, 60_000)
    party.play(3, 40_000)
    assert party.claim(3, 4).award == SEED + 100_000
    party.play(2, 5_000)
    true = party.page("SELECT amount FROM venue.jackpot")

    party.reconnect(backup)
    party.page("SELECT venue.begin_recovery('restored', 'anna')")
    cabinet = party.cabinets[0]
    cabinet.hello()
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="recovering"):
        cabinet.claim(1, 10)
    assert cabinet.beat()[1].amount >= SEED
    assert [party.give_back(number) for number in (1, 2, 3)] == [1, 0, 1]
    assert party.give_back(1) == 0
    party.page("SELECT venue.open_pools(true, 'anna')")
    assert party.page("SELECT amount FROM venue.jackpot") == true
    assert party.page("SELECT bool_and(base_ok AND hits_ok AND awards_ok AND value_ok) FROM venue.pool_audit") is True
    assert party.claim(1, 9) == Award(SEED + 325_000, hit=1, seed=SEED, dup=True)


def test_pools_open_when_all_have_reported_or_are_written_off(party: Party) -> None:
    """Each cabinet in service is waited for; a written-off one is not, and is audited by name."""
    party.page("SELECT venue.begin_recovery('restored', 'anna')")
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="cabinets 1, 2, 3 have not reported"):
        party.page("SELECT venue.open_pools(true, 'anna')")
    party.give_back(1)
    party.page("SELECT venue.retire(2, 'burnt', 'anna')")
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="cabinets 3 have not reported"):
        party.page("SELECT venue.open_pools(true, 'anna')")
    party.page("SELECT venue.write_off(3, 'stolen', 'bert')")
    party.page("SELECT venue.open_pools(true, 'anna')")
    assert party.page("SELECT state FROM venue.pool") == "open"
    assert party.page("SELECT by FROM venue.audit WHERE act = 'written off'") == "bert"


def test_a_hit_that_nobody_has_is_asked_for_again(party: Party) -> None:
    """An answer that was lost with the venue was paid to nobody: its hit is voided and its claim answered anew."""
    backup = backup_of(party.database)
    party.reconnect(party.database.name)
    for cabinet in party.cabinets:
        cabinet.hello()
    party.play(1, 75_000)
    lost = party.cabinets[0].claim(1, 5)
    assert party.claim(2, 6).hit == 2
    party.reconnect(backup)
    party.page("SELECT venue.begin_recovery('restored', 'anna')")
    for number in (1, 2, 3):
        party.give_back(number)
    party.page("SELECT venue.open_pools(true, 'anna')")
    again = party.claim(1, 5)
    assert (again.award, again.hit) == (lost.award, 3)


def test_a_hit_of_a_written_off_cabinet_is_entered_by_hand(party: Party) -> None:
    """With a cabinet written off a missing hit may have been paid, so a person enters what was."""
    backup = backup_of(party.database)
    party.reconnect(party.database.name)
    for cabinet in party.cabinets:
        cabinet.hello()
    party.play(3, 75_000)
    paid = party.claim(3, 5)
    party.claim(1, 6)
    party.play(2, 100_000)
    party.reconnect(backup)
    party.page("SELECT venue.begin_recovery('restored', 'anna')")
    party.give_back(1)
    party.give_back(2)
    party.page("SELECT venue.write_off(3, 'burnt', 'anna')")
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="hits 1 of pool 1 are missing"):
        party.page("SELECT venue.open_pools(true, 'anna')")
    party.page(f"SELECT venue.write_off_hit(1, 1, {paid.award}, NULL, 'paid by hand', 'anna')")
    # The burnt cabinet's contributions are lost too, which leaves the pool below what was paid from it.
    party.page("SELECT venue.open_pools(true, 'anna')")
    assert party.page("SELECT amount FROM venue.jackpot") == SEED + 100_000 - 75_000


def test_what_would_leave_a_pool_below_its_seed_needs_an_adjustment(party: Party) -> None:
    """Claims whose contributions are lost leave too little: pools open only after two people adjusted that."""
    party.page("SELECT venue.begin_recovery('restored', 'anna')")
    cabinet = party.cabinets[0]
    cabinet.hello()
    claims = [{"pool": 1, "epoch": 1, "round": 1, "number": 0, "hit": 1, "seed": SEED, "award": SEED + 500_000}]
    cabinet.call("give_back", cabinet.session, Jsonb(claims))
    for number in (1, 2, 3):
        party.give_back(number)
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="adjust them"):
        party.page("SELECT venue.open_pools(true, 'anna')")
    made = party.page("SELECT venue.propose_adjustment(1, 500000, 'lost with cabinet 9', 'anna')")
    party.page(f"SELECT venue.decide_adjustment({made}, true, 'bert')")
    party.page("SELECT venue.open_pools(true, 'anna')")
    assert party.page("SELECT amount FROM venue.jackpot") == SEED


def test_a_claim_that_comes_too_late_is_kept_apart_and_alarms(party: Party) -> None:
    """A paid claim of a written-off cabinet that comes back is not booked; an adjustment settles it, once."""
    cabinet = party.cabinets[2]
    party.play(1, 600_000)
    late = [{"pool": 1, "epoch": 1, "round": 8, "number": 0, "hit": 1, "seed": SEED, "award": SEED + 500_000}]
    assert cabinet.call("give_back", cabinet.session, Jsonb(late))[0][0] == 0
    assert cabinet.call("give_back", cabinet.session, Jsonb(late))[0][0] == 0
    party.page("SELECT venue.watch()")
    assert party.page("SELECT code FROM venue.alarm WHERE over_at IS NULL") == "late_claim"
    made = party.page("SELECT venue.propose_adjustment(1, -500000, 'late claim', 'anna')")
    party.page(f"SELECT venue.decide_adjustment({made}, true, 'bert')")
    party.page(f"SELECT venue.settle_late_claim(3, 1, 8, 0, {made}, 'bert')")
    with pytest.raises(psycopg.errors.InvalidParameterValue):
        party.page(f"SELECT venue.settle_late_claim(3, 1, 8, 0, {made}, 'bert')")
    party.page("SELECT venue.watch()")
    assert party.page("SELECT count(*) FROM venue.alarm WHERE over_at IS NULL") == 0
    assert party.page("SELECT amount FROM venue.jackpot") == SEED + 100_000


def test_two_claims_under_one_hit_are_not_both_booked(party: Party) -> None:
    """After a mended recovery two cabinets may hold one hit number: the second is kept apart."""
    party.page("SELECT venue.begin_recovery('restored', 'anna')")
    for number, expected in ((1, 1), (2, 0)):
        cabinet = party.cabinets[number - 1]
        claim = {"pool": 1, "epoch": 1, "round": number, "number": 0, "hit": 1, "seed": SEED, "award": SEED}
        assert cabinet.call("give_back", cabinet.session, Jsonb([claim]))[0][0] == expected
    assert party.page("SELECT reason FROM venue.late_claim") == "another claim has this hit"


def test_a_cabinet_ahead_shows_that_the_venue_is_older(party: Party) -> None:
    """Restored by hand without a word, the venue notices an epoch that it never gave, and its pools recover."""
    cabinet = party.cabinets[1]
    cabinet.epoch = 4
    cabinet.seqs = {1: 30}
    row = cabinet.hello()
    assert (row.epoch, row.fresh) == (4, False)
    assert party.page("SELECT state FROM venue.pool") == "recovering"
    assert party.page("SELECT code FROM venue.trouble WHERE code = 'recovering'") == "recovering"


def test_events_that_the_cabinet_no_longer_keeps_are_noted(party: Party) -> None:
    """While it has not reported, a cabinet may leave out events that the lost venue had; the gap is on record."""
    party.page("SELECT venue.begin_recovery('restored', 'anna')")
    cabinet = party.cabinets[0]
    cabinet.hello(evseq=20)
    assert cabinet.call("events", cabinet.session, event_rows(15, 20))[0][0] == 20
    assert party.page("SELECT detail ->> 'to' FROM venue.audit WHERE act = 'events lost'") == "14"
    cabinet.call("reported", cabinet.session, Jsonb({}))
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="gap"):
        cabinet.call("events", cabinet.session, event_rows(25, 26))


def test_reported_needs_the_meters(party: Party) -> None:
    """A cabinet has not reported before its own contributions have arrived."""
    party.page("SELECT venue.begin_recovery('restored', 'anna')")
    cabinet = party.cabinets[0]
    cabinet.play(1, 1_000)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="have not arrived"):
        cabinet.call("reported", cabinet.session, Jsonb({"1": 1}))


@pytest.mark.parametrize(
    "change", [{"award": SEED - 1}, {"hit": 0}, {"epoch": 9}, {"pool": None}, {"round": None}, {"seed": None}]
)
def test_senseless_claims_are_not_given_back(party: Party, change: dict[str, int]) -> None:
    """An award below its seed, no hit or an epoch never given is `22023`."""
    party.page("SELECT venue.begin_recovery('restored', 'anna')")
    cabinet = party.cabinets[0]
    claim = {"pool": 1, "epoch": 1, "round": 1, "number": 0, "hit": 1, "seed": SEED, "award": SEED} | change
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="no answered claim"):
        cabinet.call("give_back", cabinet.session, Jsonb([claim]))


def test_an_adjustment_needs_two_people(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Who proposed it cannot approve it; it applies once, and never leaves the pool below its seed."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    with venue_database.connect("venue_page") as page:

        def propose(amount: int) -> int:
            row = page.execute("SELECT venue.propose_adjustment(1, %s, 'why', 'anna')", (amount,)).fetchone()
            assert row is not None
            return int(row[0])

        made = propose(30_000)
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="another person"):
            page.execute("SELECT venue.decide_adjustment(%s, true, 'anna')", (made,))
        page.execute("SELECT venue.decide_adjustment(%s, true, 'bert')", (made,))
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="not waiting"):
            page.execute("SELECT venue.decide_adjustment(%s, true, 'bert')", (made,))
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="below its seed"):
            page.execute("SELECT venue.decide_adjustment(%s, true, 'bert')", (propose(-30_001),))
        page.execute("SELECT venue.decide_adjustment(%s, false, 'anna')", (propose(1),))
        assert page.execute("SELECT base_ok, amount FROM venue.pool_audit").fetchone() == (True, SEED + 30_000)
    assert cabinet.claim(1, 1).award == SEED + 25_000
    with venue_database.connect() as admin, pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="decided"):
        admin.execute("UPDATE venue.adjustment SET amount = 5 WHERE adjustment = %s", (made,))


def test_a_ticket_that_is_given_back_with_its_end_has_the_day_of_its_printing(
    venue_database: VenueDatabase, enrol: Enrol
) -> None:
    """Printed and taken by one cabinet, handed over in one call: it was printed on the day of the call."""
    (cabinet,) = enrol(1)
    ticket = {"number": "001234567890123456", "cents": 500, "epoch": cabinet.epoch}
    rows = [
        ticket | {"kind": "claim", "claim": 1, "state": "redeemed"},
        ticket | {"kind": "issue", "ticket": 1, "issued_ms": NOON_MS, "expires_ms": None},
    ]
    for _ in range(2):
        cabinet.call("tickets", cabinet.session, Jsonb(rows))
    assert venue_database.ask("SELECT issued_day::text, state, cabinet FROM venue.ticket") == [
        ("2026-09-15", "redeemed", 1)
    ]
    assert venue_database.ask("SELECT count(*) FROM venue.ticket_trouble") == [(0,)]
