"""Sessions and epochs: old, copied and blank cards count nothing twice."""

import psycopg
import pytest

from tests.rigs.beside import Beside
from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_cabinet import VenueCabinet, event_rows
from tests.venue.conftest import Enrol

SEED = 50_000_000


def _total(database: VenueDatabase) -> int:
    with database.connect() as admin:
        row = admin.execute("SELECT coalesce(sum(cum), 0)::bigint FROM venue.meter").fetchone()
    assert row is not None
    return int(row[0])


def test_the_first_hello_begins_epoch_one(venue_database: VenueDatabase) -> None:
    """A cabinet that never called gets an epoch, a session, its number, and no witness."""
    with VenueCabinet(venue_database.dsn(venue_database.add_cabinet(7))) as cabinet:
        row = cabinet.hello()
    assert (row.epoch, row.session, row.fresh, row.cabinet, row.witness_row, row.witness_hash) == (
        *(1, 1, True, 7),
        *(None, None),
    )


def test_a_reconnect_keeps_the_epoch(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """A cabinet that remembers all it sent, or more, goes on in its epoch with a new session."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    cabinet.play(1, 5_000)
    cabinet.put()
    cabinet.play(1, 5_000)
    row = cabinet.hello()
    assert (row.epoch, row.session, row.fresh) == (1, 2, False)


def test_duplicates_and_older_contributions_change_nothing(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """The same meter twice, or an older one that arrives late, leaves the newest."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    for seq, cum in ((3, 300), (3, 300), (1, 100), (2, 250), (4, 400), (4, 999)):
        cabinet.call("put", cabinet.session, [1], [seq], [cum])
    assert _total(venue_database) == 400


def test_a_meter_never_falls(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """A newer contribution that is lower is refused, as is changing or deleting the row, even by the owner."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    cabinet.call("put", cabinet.session, [1], [3], [300])
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="never falls"):
        cabinet.call("put", cabinet.session, [1], [4], [299])
    with venue_database.connect() as admin:
        for statement in ("UPDATE venue.meter SET cum = 1", "DELETE FROM venue.meter", "TRUNCATE venue.meter"):
            with pytest.raises(psycopg.Error, match=r"never falls|never changed"):
                admin.execute(statement)
    assert _total(venue_database) == 300


@pytest.mark.parametrize(
    ("pools", "seqs", "cums"),
    [
        ([1], [1, 2], [1]),
        ([1], [-1], [1]),
        ([1], [1], [-1]),
        ([1, 1], [1, 2], [1, 2]),
        ([9], [1], [1]),
        ([None], [1], [1]),
    ],
)
def test_senseless_contributions_are_refused(
    venue_database: VenueDatabase, enrol: Enrol, pools: list[int], seqs: list[int], cums: list[int]
) -> None:
    """Lists of different lengths, figures below 0, a pool twice and unknown pools are `22023`."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    with pytest.raises(psycopg.errors.InvalidParameterValue):
        cabinet.call("put", cabinet.session, pools, seqs, cums)


def test_trap_3_an_old_card_begins_a_new_epoch(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """A card restored from an old copy starts a new meter, so that what it plays counts from its first bet on."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    for _ in range(10):
        cabinet.play(1, 1_000)
    cabinet.put()
    cabinet.seqs, cabinet.cums = {1: 4}, {1: 4_000}
    assert cabinet.hello().fresh
    assert cabinet.epoch == 2
    for _ in range(6):
        cabinet.play(1, 1_000)
        cabinet.put()
    assert _total(venue_database) == 16_000


def test_a_card_with_older_events_begins_a_new_epoch(enrol: Enrol) -> None:
    """Events that the venue has and the cabinet does not remember show an old copy too."""
    (cabinet,) = enrol(1)
    cabinet.call("events", cabinet.session, event_rows(1, 5))
    assert cabinet.hello(evseq=5).fresh is False
    assert cabinet.hello(evseq=4).fresh


def test_a_blank_card_begins_a_new_epoch(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Who says epoch 0 has forgotten all; its old meter stays in the pool."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    cabinet.play(1, 7_000)
    cabinet.put()
    cabinet.epoch, cabinet.seqs, cabinet.cums = 0, {}, {}
    assert cabinet.hello().fresh
    assert (cabinet.epoch, _total(venue_database)) == (2, 7_000)


def _alarms(database: VenueDatabase) -> list[tuple[object, ...]]:
    with database.connect() as admin:
        return admin.execute("SELECT code FROM venue.alarm ORDER BY alarm").fetchall()


def test_a_hello_whose_answer_was_lost_is_no_second_card(venue_database: VenueDatabase) -> None:
    """The first one, asked again, begins the same epoch with another session, and nobody is alarmed."""
    with VenueCabinet(venue_database.dsn(venue_database.add_cabinet(1))) as cabinet:
        answers = []
        for _ in range(3):
            cabinet.epoch = 0
            answers.append(cabinet.hello())
    assert [(row.epoch, row.session, row.fresh) for row in answers] == [(1, 1, True), (1, 2, True), (1, 3, True)]
    assert _alarms(venue_database) == []


def test_a_lost_answer_to_an_old_card_alarms_once(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """So does the hello of a later epoch; once the cabinet has called in it, the same hello is another card's."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    cabinet.play(1, 5_000)
    cabinet.put()
    for _ in range(2):
        cabinet.epoch, cabinet.seqs, cabinet.cums = 1, {}, {}
        assert (cabinet.hello().fresh, cabinet.epoch) == (True, 2)
    assert _alarms(venue_database) == [("fresh_epoch",)]
    cabinet.beat()
    cabinet.epoch, cabinet.seqs, cabinet.cums = 1, {}, {}
    assert (cabinet.hello().fresh, cabinet.epoch) == (True, 3)
    assert _alarms(venue_database) == [("fresh_epoch",)] * 2


def test_a_card_that_shows_its_epoch_has_got_the_answer(enrol: Enrol) -> None:
    """A hello that names the new epoch is proof as much as a call: the one before it is another card's."""
    (cabinet,) = enrol(1)
    assert cabinet.hello().fresh is False
    cabinet.epoch = 0
    assert (cabinet.hello().fresh, cabinet.epoch) == (True, 2)


def test_the_first_calls_of_a_session_may_come_together(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Two calls that both find the cabinet's row locked never wait for each other."""
    (cabinet,) = enrol(1)
    beat = "SELECT count(*) FROM venue.beat(%s, '{}')"
    with venue_database.connect() as admin, admin.transaction():
        admin.execute("SELECT FROM venue.cabinet FOR SHARE")
        together = [
            Beside(venue_database, lambda connection: connection.execute(beat, (cabinet.session,)), "cab_1")
            for _ in range(2)
        ]
        assert [one.waits() for one in together] == [True, True]
    for one in together:
        one.end()
    assert venue_database.ask("SELECT begun_from FROM venue.cabinet") == [(None,)]


def test_two_cards_that_ask_before_either_has_called_are_fenced(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Both get one epoch, one of them the session; what the other played shows with its next hello."""
    venue_database.add_pool()
    (first,) = enrol(1)
    first.play(1, 5_000)
    first.put()
    with VenueCabinet(venue_database.dsn("cab_1")) as second:
        for card in (first, second):
            card.epoch, card.seqs, card.cums = 1, {}, {}
            assert (card.hello().fresh, card.epoch) == (True, 2)
        with pytest.raises(psycopg.errors.InvalidAuthorizationSpecification, match="fenced"):
            first.beat()
        second.play(1, 7_000)
        second.put()
        assert (first.hello().fresh, first.epoch) == (True, 3)
    assert _total(venue_database) == 12_000


def test_a_venue_that_recovers_repeats_no_answer(venue_database: VenueDatabase) -> None:
    """It may have lost the calls that showed the answer had arrived."""
    with VenueCabinet(venue_database.dsn(venue_database.add_cabinet(1))) as cabinet:
        cabinet.hello()
        with venue_database.connect("venue_page") as page:
            page.execute("SELECT venue.begin_recovery('a test', 'anna')")
        cabinet.epoch = 0
        assert (cabinet.hello().fresh, cabinet.epoch) == (True, 2)


def test_another_identity_begins_a_new_epoch_and_alarms(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Another key on the same login is let in with a new epoch, and a person hears of it."""
    (cabinet,) = enrol(1)
    cabinet.identity = "99" * 32
    assert cabinet.hello().fresh
    with venue_database.connect() as admin:
        assert admin.execute("SELECT code, cabinet FROM venue.alarm").fetchall() == [("other_identity", 1)]


def test_a_cloned_card_is_fenced(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """The second hello wins; every call of the first session is `28000`, changes nothing and is counted."""
    venue_database.add_pool()
    (first,) = enrol(1)
    with VenueCabinet(venue_database.dsn("cab_1")) as second:
        second.epoch = first.epoch
        second.hello()
        first.play(1, 5_000)
        for call in (first.put, first.beat, lambda: first.claim(1, 1)):
            with pytest.raises(psycopg.errors.InvalidAuthorizationSpecification, match="fenced"):
                call()
        second.put()
    assert _total(venue_database) == 0
    with venue_database.connect() as admin:
        assert admin.execute("SELECT calls FROM venue.refusals").fetchone() == (3,)
        admin.execute("SELECT venue.watch()")
        assert admin.execute("SELECT code FROM venue.alarm WHERE code = 'calls_refused'").fetchall() != []


def test_trap_5_a_claim_keeps_the_epoch_of_its_round(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """A restored card with a pending claim asks with the round's own epoch, and gets what was paid before, once."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    cabinet.play(1, 75_000)
    paid = cabinet.claim(1, 12)
    cabinet.seqs, cabinet.cums = {}, {}
    assert cabinet.hello().fresh
    assert cabinet.claim(1, 12, epoch=1) == paid._replace(dup=True)
    assert cabinet.beat()[1].hits == 1


def test_a_round_of_the_epoch_before_brings_its_unsent_bets(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """A cabinet fenced in the middle of a round loses none of the contributions that its claim names."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    cabinet.beat()
    cabinet.play(1, 75_000)
    epoch, seq, cum = cabinet.epoch, cabinet.seqs[1], cabinet.cums[1]
    with VenueCabinet(venue_database.dsn("cab_1")) as other:
        other.hello()
    assert cabinet.hello().fresh
    (row,) = cabinet.call("claim", cabinet.session, 1, epoch, 5, 0, seq, cum)
    assert row.award == SEED + 75_000


def test_an_epoch_ahead_of_the_session_is_refused(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """A claim cannot name an epoch that the cabinet was never given."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="ahead of venue"):
        cabinet.claim(1, 1, epoch=2)


def test_a_round_claims_one_pool(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """The same key for another pool contradicts the first claim and is refused."""
    venue_database.add_pool(1)
    venue_database.add_pool(2, coin=10)
    (cabinet,) = enrol(1)
    cabinet.claim(1, 1)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="claimed pool 1 before"):
        cabinet.claim(2, 1)


def test_who_is_not_enrolled_is_refused(venue_database: VenueDatabase) -> None:
    """A login that this venue's database does not have is `28000`."""
    venue_database.add_cabinet(1)
    with venue_database.connect() as admin:
        admin.execute("ALTER TABLE venue.chain DISABLE TRIGGER ALL")
        admin.execute("DELETE FROM venue.chain")
        admin.execute("DELETE FROM venue.cabinet")
    with VenueCabinet(venue_database.dsn("cab_1")) as cabinet:
        with pytest.raises(psycopg.errors.InvalidAuthorizationSpecification, match="not enrolled"):
            cabinet.hello()
        with pytest.raises(psycopg.errors.InvalidAuthorizationSpecification, match="not enrolled"):
            cabinet.beat()


def test_terms_change_with_the_next_hit(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Two people change them; they stay until the running jackpot is won, whose award is by the old ones."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    with venue_database.connect("venue_page") as page:
        for seed, rate in ((75_000_001, 10), (0, 10), (-25_000, 10), (75_000_000, 0), (75_000_000, 999_999)):
            with pytest.raises((psycopg.errors.CheckViolation, psycopg.errors.InvalidParameterValue)):
                page.execute("SELECT venue.propose_terms(1, %s, %s, 'anna')", (seed, rate))
        propose = "SELECT venue.propose_terms(1, %s, %s, 'anna')"
        (first,) = page.execute(propose, (50_000_000, 7)).fetchone() or (0,)
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="second person already"):
            page.execute("SELECT venue.propose_terms(1, 75000000, 10, 'bert')")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="another person than anna"):
            page.execute("SELECT venue.decide_terms(%s, true, 'anna')", (first,))
        page.execute("SELECT venue.decide_terms(%s, false, 'anna')", (first,))
        (second,) = page.execute(propose, (75_000_000, 10)).fetchone() or (0,)
        page.execute("SELECT venue.decide_terms(%s, true, 'bert')", (second,))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            page.execute("UPDATE venue.pool SET next_seed = 25000")
    cabinet.play(1, 30_000)
    before = cabinet.beat()[1]
    assert (before.seed, before.rate_per_mille) == (SEED, 5)
    assert cabinet.claim(1, 1).award == SEED + 25_000
    after = cabinet.beat()[1]
    assert (after.seed, after.rate_per_mille, after.amount) == (75_000_000, 10, 75_005_000)
    assert cabinet.claim(1, 2).award == 75_000_000
    with venue_database.connect() as admin:
        assert admin.execute("SELECT base_ok, hits_ok, awards_ok FROM venue.pool_audit").fetchone() == (True,) * 3


def test_beat_values_are_at_most_a_second_old(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Values are summed anew when they are a second old, whoever asks; a claim changes them at once."""
    venue_database.add_pool()
    first, second = enrol(2)
    first.beat()
    first.play(1, 60_000)
    first.put()
    with venue_database.connect() as admin:
        admin.execute("UPDATE venue.pool_value SET at = at - interval '1 s'")
    assert second.beat()[1].amount == SEED + 60_000
    first.claim(1, 1)
    assert second.beat()[1].amount == SEED + 10_000


def test_a_status_is_kept_where_it_changed(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """The newest status is always there; its history has a row for each change and not for each beat."""
    (cabinet,) = enrol(1)
    for state, credit in (("attract", 0), ("attract", 100), ("game", 80), ("game", 60)):
        cabinet.beat(state=state, credit_cents=credit, clock_ms=0)
    with venue_database.connect() as admin:
        kept = admin.execute("SELECT status ->> 'state' FROM venue.status_history ORDER BY at").fetchall()
        newest = admin.execute("SELECT state, credit_cents, stale FROM venue.floor").fetchone()
        off = admin.execute("SELECT clock_off_ms < -1000000 FROM venue.status").fetchone()
    assert (kept, newest, off) == ([("attract",), ("game",)], ("game", 60, False), (True,))


def test_the_end_of_an_earlier_epoch_is_counted_once(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """What was not sent before the epoch ended comes under its own number, however often; the new meter begins at 0."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    cabinet.play(1, 1_000)
    cabinet.put()
    cabinet.play(1, 2_000)
    ends = [1], [cabinet.seqs[1]], [cabinet.cums[1]]
    cabinet.epoch = 0
    assert cabinet.hello().epoch == 2
    cabinet.play(1, 500)
    cabinet.put()
    for _ in range(2):
        cabinet.call("put", cabinet.session, *ends, 1)
    cabinet.call("put", cabinet.session, [1], [1], [1_000], 1)
    assert venue_database.ask("SELECT epoch, seq, cum FROM venue.meter ORDER BY 1") == [(1, 2, 3_000), (2, 1, 500)]


def test_the_end_of_a_copied_cards_epoch_never_lowers_it(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Two cards that went on in one epoch: the larger sum stays, and neither is refused for ever."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    cabinet.call("put", cabinet.session, [1], [5], [5_000])
    cabinet.epoch = 0
    cabinet.hello()
    cabinet.call("put", cabinet.session, [1], [7], [4_000], 1)
    assert venue_database.ask("SELECT seq, cum FROM venue.meter") == [(5, 5_000)]
    cabinet.call("put", cabinet.session, [1], [8], [6_000], 1)
    assert venue_database.ask("SELECT seq, cum FROM venue.meter") == [(8, 6_000)]


def test_the_end_of_an_earlier_epoch_needs_the_newest_session(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """A fenced card adds nothing to any epoch, and nobody to an epoch that was never given."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    fenced = cabinet.session
    cabinet.epoch = 0
    cabinet.hello()
    with pytest.raises(psycopg.errors.InvalidAuthorizationSpecification, match="fenced"):
        cabinet.call("put", fenced, [1], [9], [9_000], 1)
    for epoch in (0, 3):
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="ahead of venue"):
            cabinet.call("put", cabinet.session, [1], [9], [9_000], epoch)
    assert venue_database.ask("SELECT count(*) FROM venue.meter") == [(0,)]


@pytest.mark.parametrize("cum", [2**63 - 1, 2**62, 10**13 + 1])
@pytest.mark.parametrize("by", ["put", "claim"])
def test_a_senseless_contribution_stops_nobody_else(
    venue_database: VenueDatabase, enrol: Enrol, cum: int, by: str
) -> None:
    """It is refused with the cabinet's name, a person hears of it, and the others' beats and claims go on."""
    venue_database.add_pool()
    one, other = enrol(2)
    arguments = ([1], [1], [cum]) if by == "put" else (1, 1, 1, 0, 1, cum)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="cabinet 1 says that it has contributed"):
        one.call(by, one.session, *arguments)
    other.play(1, 25_000)
    other.put()
    with venue_database.connect() as admin:
        admin.execute("SELECT venue.refresh_values('0 s')")
        admin.execute("SELECT venue.watch()")
        assert admin.execute("SELECT code, cabinet FROM venue.alarm").fetchall() == [("calls_refused", 1)]
        with pytest.raises(psycopg.errors.CheckViolation):
            admin.execute("INSERT INTO venue.meter (pool, cabinet, epoch, seq, cum) VALUES (1, 1, 1, 1, %s)", (cum,))
    assert other.beat()[1].amount == SEED + 25_000
    assert other.claim(1, 1).award == SEED + 25_000
    assert one.beat()[1].amount == SEED


@pytest.mark.parametrize("epoch", [2**31 - 1, 1_000_001, 51, 12])
def test_an_epoch_far_ahead_closes_no_pool(venue_database: VenueDatabase, enrol: Enrol, epoch: int) -> None:
    """No backup is so old: the cabinet is refused by its number and alarms, and the others play on."""
    venue_database.add_pool()
    one, other = enrol(2)
    one.epoch = epoch
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=f"cabinet 1 says epoch {epoch}"):
        one.hello()
    with venue_database.connect() as admin:
        admin.execute("SELECT venue.watch()")
        assert admin.execute("SELECT code, cabinet FROM venue.alarm").fetchall() == [("calls_refused", 1)]
    assert other.beat()[1].state == "open"
    one.epoch = 11
    assert one.hello().epoch == 11
    assert other.beat()[1].state == "recovering"
