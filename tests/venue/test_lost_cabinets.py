"""A recovery in which the books of a cabinet are lost, late or other ones: what it was paid is not paid again."""

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.rigs.restored_venue import Party
from tests.rigs.venue_cabinet import Award, VenueCabinet, event_rows

SEED = 50_000_000
BLANK = "cd" * 32
OPEN = "SELECT venue.open_pools(true, 'anna')"


def _enter(party: Party, hit: int, award: int | None, seed: int | None = None, *, pool: int = 1, of: str = "") -> None:
    with party.database.connect("venue_page") as page:
        query = f"SELECT venue.write_off_hit(%s, %s, %s, %s, 'slip 7', 'anna'{of})"
        page.execute(query.encode(), (pool, hit, award, seed))


def _blank(party: Party, number: int) -> VenueCabinet:
    """Put a blank card into a cabinet."""
    cabinet = party.cabinets[number - 1]
    cabinet.identity, cabinet.epoch, cabinet.seqs, cabinet.cums = BLANK, 0, {}, {}
    party.answered[number] = []
    return cabinet


def _proved(party: Party) -> object:
    return party.page("SELECT bool_and(base_ok AND hits_ok AND awards_ok AND value_ok) FROM venue.pool_audit")


def _opened_without_3(party: Party, *, enter: bool, of: str = "") -> Award:
    """Restore a venue that lacks the newest hit, of cabinet 3, and open it without that cabinet."""
    party.play(1, 200_000)
    copy = party.back_up()
    party.play(3, 300_000)
    paid = party.claim(3, 5)
    party.restore(copy)
    party.give_back(1)
    party.give_back(2)
    party.page("SELECT venue.write_off(3, 'burnt', 'anna')")
    if enter:
        _enter(party, 1, paid.award, of=of)
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="adjust them"):
            party.page(OPEN)
        made = party.page("SELECT venue.propose_adjustment(1, 300000, 'contributed by cabinet 3', 'anna')")
        party.page(f"SELECT venue.decide_adjustment({made}, true, 'bert')")
    party.page(OPEN)
    return paid


def test_the_newest_hit_of_a_cabinet_without_its_books_is_not_paid_again(party: Party) -> None:
    """A person enters it from the slip, above the hits that the venue knows; the next claim is the hit after it."""
    paid = _opened_without_3(party, enter=True)
    assert paid == Award(SEED + 500_000, hit=1, seed=SEED, dup=False)
    assert party.page("SELECT amount FROM venue.jackpot") == SEED
    party.play(1, 100_000)
    assert party.claim(1, 9) == Award(SEED + 100_000, hit=2, seed=SEED, dup=False)
    assert _proved(party) is True


def test_it_gives_back_what_was_entered_for_it_when_it_returns(party: Party) -> None:
    """Long after the pools were opened: its claim takes the entry's place and nothing is left to settle."""
    paid = _opened_without_3(party, enter=True)
    cabinet = party.cabinets[2]
    assert cabinet.hello().report_due is True
    assert party.give_back(3) == 1
    assert cabinet.hello().report_due is False
    assert party.page("SELECT origin FROM venue.hit") == "given back"
    assert party.page("SELECT count(*) FROM venue.late_claim") == 0
    assert party.page("SELECT amount FROM venue.jackpot") == SEED + 300_000  # its contributions were adjusted before
    assert _proved(party) is True
    assert party.claim(3, 5) == paid._replace(dup=True)


def test_an_older_copy_of_the_books_is_answered_what_its_slip_says(party: Party) -> None:
    """A claim that is open in the copy was paid by the books that are lost: the entry names its cabinet and round."""
    paid = _opened_without_3(party, enter=True, of=", 3, 5")
    cabinet = party.cabinets[2]
    with party.database.connect() as admin:  # as a code for a replacement does
        admin.execute("UPDATE venue.cabinet SET fresh_next = true WHERE cabinet = 3")
    cabinet.hello()
    assert cabinet.epoch == 2
    assert cabinet.claim(1, 6, epoch=1) == Award(SEED, hit=2, seed=SEED, dup=False), "another round"
    assert cabinet.claim(1, 5) == Award(SEED, hit=3, seed=SEED, dup=False), "the same number in books that go on"
    for _ in range(2):
        assert cabinet.claim(1, 5, epoch=1) == paid._replace(dup=True)
    assert cabinet.claim(1, 5, epoch=1, number=1).hit == 4, "a slip is of one claim"
    assert party.page("SELECT origin FROM venue.hit WHERE hit = 1") == "given back"
    assert _proved(party) is True


def test_a_hit_that_nobody_entered_comes_back_late_and_alarms(party: Party) -> None:
    """Its claim is kept apart, and is answered as before when an older card asks for it once more."""
    paid = _opened_without_3(party, enter=False)
    assert party.claim(1, 9).hit == 1
    assert party.give_back(3) == 0
    assert party.page("SELECT reason FROM venue.late_claim") == "another claim has this hit"
    assert party.page("SELECT code FROM venue.trouble WHERE code = 'late_claim'") == "late_claim"
    assert party.claim(3, 5) == paid._replace(dup=True)
    party.page("SELECT venue.begin_recovery('once more', 'anna')")
    assert [party.give_back(number) for number in (1, 2, 3)] == [0, 0, 0]
    party.page(OPEN)
    assert party.page("SELECT count(*) FROM venue.claim") == 1


def test_a_report_that_was_lost_is_given_again(party: Party) -> None:
    """Until the cabinet has reported, each hello says that it is to, also after the pools were opened."""
    _opened_without_3(party, enter=True)
    cabinet = party.cabinets[2]
    cabinet.hello()
    cabinet.call("give_back", cabinet.session, Jsonb(party.answered[3]))
    assert cabinet.hello().report_due is True
    assert party.give_back(3) == 0
    assert cabinet.hello().report_due is False


def test_a_late_cabinet_may_leave_out_events_that_it_no_longer_keeps(party: Party) -> None:
    """A gap in them is on record, as during the recovery, so that the cabinet comes to its report."""
    _opened_without_3(party, enter=True)
    cabinet = party.cabinets[2]
    cabinet.hello(evseq=20)
    assert cabinet.call("events", cabinet.session, event_rows(15, 20))[0][0] == 20


def test_a_cabinet_that_is_retired_in_the_recovery_counts_as_written_off(party: Party) -> None:
    """A hit that only it can have is not void: a person enters what it paid."""
    copy = party.back_up()
    party.play(3, 75_000)
    paid = party.claim(3, 5)
    party.claim(1, 6)
    party.play(2, 100_000)
    party.restore(copy)
    party.give_back(1)
    party.give_back(2)
    party.page("SELECT venue.retire(3, 'burnt', 'anna')")
    assert party.page("SELECT why FROM venue.not_whole") == "retired"
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="hits 1 of pool 1 are missing"):
        party.page(OPEN)
    _enter(party, 1, paid.award)
    party.page(OPEN)
    assert party.page("SELECT amount FROM venue.jackpot") == SEED + 100_000 - 75_000


def test_a_cabinet_that_was_retired_before_is_nobodys_doubt(party: Party) -> None:
    """It is not waited for, and what nobody has was paid to nobody."""
    party.page("SELECT venue.retire(3, 'sold', 'anna')")
    party.page("SELECT venue.begin_recovery('restored', 'anna')")
    party.give_back(1)
    party.give_back(2)
    assert party.page("SELECT count(*) FROM venue.not_whole") == 0
    party.page(OPEN)


@pytest.mark.parametrize("card", ["blank", "older", "replaced"])
def test_the_report_of_another_card_leaves_its_hits_unknown(party: Party, card: str) -> None:
    """An epoch begun since the backup says nothing of those before it: hits that nobody has are entered by hand."""
    party.play(3, 1_000)
    copy = party.back_up()
    party.play(3, 75_000)
    paid = party.claim(3, 5)
    party.claim(1, 6)
    party.play(2, 100_000)
    party.restore(copy)
    party.give_back(1)
    party.give_back(2)
    cabinet = party.cabinets[2]
    if card == "older":
        cabinet.seqs, cabinet.cums, party.answered[3] = {1: 0}, {1: 0}, []
    else:
        _blank(party, 3)
    if card == "replaced":
        with party.database.connect(party.database.add_code(replaces=3)) as caller:
            caller.execute("SELECT venue.enrol(%s, '', '')", (BLANK,))
        party.reconnect(party.database.name)
        cabinet = party.cabinets[2]
        cabinet.identity = BLANK
    assert cabinet.hello().fresh is True
    cabinet.call("reported", cabinet.session, Jsonb({}))
    assert party.page("SELECT cabinet FROM venue.not_reported") is None
    assert party.page("SELECT why FROM venue.not_whole") == "other books"
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="hits 1 of pool 1 are missing"):
        party.page(OPEN)
    _enter(party, 1, paid.award)
    party.page(OPEN)
    assert _proved(party) is True


def test_an_epoch_that_began_since_the_backup_is_no_proof_either(party: Party) -> None:
    """A cabinet ahead of the venue has left the epoch that the backup knows, which may have been on another card."""
    party.restore(party.back_up())
    party.cabinets[0].epoch = 2
    party.give_back(1)
    assert party.page("SELECT why FROM venue.not_whole WHERE cabinet = 1") == "other books"


def test_books_that_were_whole_once_in_the_recovery_stay_so(party: Party) -> None:
    """What a cabinet has given back is not lost with its card afterwards."""
    party.restore(party.back_up())
    party.give_back(1)
    cabinet = _blank(party, 1)
    assert cabinet.hello().fresh is True
    cabinet.call("reported", cabinet.session, Jsonb({}))
    assert party.page("SELECT count(*) FROM venue.not_whole WHERE cabinet = 1") == 0


def test_pools_open_once_a_person_has_confirmed_the_list(party: Party) -> None:
    """The venue cannot know a cabinet that was enrolled after its backup."""
    party.restore(party.back_up())
    for number in (1, 2, 3):
        party.give_back(number)
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="confirm first"):
        party.page("SELECT venue.open_pools(false, 'anna')")
    party.page(OPEN)


def test_a_cabinet_that_the_backup_lacks_is_refused_and_enrolled_again(party: Party) -> None:
    """Under its new number it is waited for, and gives back what it was paid under the lost one."""
    copy = party.back_up()
    party.database.add_cabinet(4)
    party.cabinets.append(VenueCabinet(party.database.dsn("cab_4")))
    party.answered[4] = []
    party.cabinets[3].hello()
    party.play(4, 400_000)
    paid = party.claim(4, 2)
    party.restore(copy)
    cabinet = party.cabinets[3]
    with pytest.raises(psycopg.errors.InvalidAuthorizationSpecification, match="not enrolled"):
        cabinet.hello()
    assert party.page("SELECT count(*) FROM venue.stranger WHERE role = 'cab_4'") == 1
    party.database.add_cabinet(4)
    party.reconnect(party.database.name)
    cabinet = party.cabinets[3]
    for number in (1, 2, 3):
        party.give_back(number)
    assert party.page("SELECT cabinet FROM venue.not_reported") == 4
    greeting = cabinet.hello()
    assert (greeting.fresh, greeting.epoch, greeting.report_due) == (True, 2, True)
    assert cabinet.call("give_back", cabinet.session, Jsonb(party.answered[4]))[0][0] == 1
    cabinet.call("reported", cabinet.session, Jsonb({}))
    made = party.page("SELECT venue.propose_adjustment(1, 400000, 'cabinet 4, epoch 1', 'anna')")
    party.page(f"SELECT venue.decide_adjustment({made}, true, 'bert')")
    party.page(OPEN)
    assert cabinet.claim(1, 2).hit == 2  # a round of another epoch: the same number, another key
    (again,) = cabinet.call("claim", cabinet.session, 1, 1, 2, 0, None, None)
    assert Award(*again) == paid._replace(dup=True)


def test_a_venue_that_is_set_back_within_its_recovery_waits_for_all_again(party: Party) -> None:
    """A backup of a recovering venue has reports of before it: they say nothing of what was paid after it."""
    party.restore(party.back_up())
    for number in (1, 2):
        party.give_back(number)
    copy = party.back_up()
    for number in (1, 2, 3):
        party.give_back(number)
    party.page(OPEN)
    party.play(1, 100_000)
    paid = party.claim(1, 4)
    party.restore(copy)
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="cabinets 1, 2, 3 have not reported"):
        party.page(OPEN)
    assert [party.give_back(number) for number in (1, 2, 3)] == [1, 0, 0]
    party.page(OPEN)
    assert party.claim(1, 4) == paid._replace(dup=True)


def test_books_that_were_in_doubt_stay_so_when_the_recovery_is_set_back(party: Party) -> None:
    """The epoch that another card has begun in the recovery is in its backup, but not what the lost card has paid."""
    copy = party.back_up()
    party.play(3, 75_000)
    party.claim(3, 5)
    party.restore(copy)
    cabinet = _blank(party, 3)
    cabinet.hello()
    cabinet.call("reported", cabinet.session, Jsonb({}))
    party.give_back(1)
    party.page("SELECT venue.begin_recovery('once more', 'anna')")
    for number in (1, 2, 3):
        party.give_back(number)
    assert party.page("SELECT string_agg(cabinet || ' ' || why, ', ') FROM venue.not_whole") == "3 other books"


def test_a_cabinet_that_is_ahead_once_more_makes_all_report_again(party: Party) -> None:
    """Set back by hand within a recovery, without a word: who had reported is ahead again, and shows it."""
    party.page("SELECT venue.begin_recovery('restored', 'anna')")
    party.cabinets[0].epoch = 3
    party.give_back(1)
    party.give_back(2)
    with party.database.connect() as admin:
        admin.execute("UPDATE venue.cabinet SET epoch = 1 WHERE cabinet = 1")
    assert party.cabinets[0].hello().report_due is True
    assert party.page("SELECT string_agg(cabinet::text, ' ' ORDER BY cabinet) FROM venue.not_reported") == "1 2 3"


def test_a_closed_pool_gets_its_hits_back_too(party: Party) -> None:
    """Closed in the backup, opened and won afterwards: what it paid is booked, and it stays closed."""
    party.page("SELECT venue.close_pool(1, true, 'rebuilt', 'anna')")
    copy = party.back_up()
    party.page("SELECT venue.close_pool(1, false, 'ready', 'anna')")
    party.play(1, 100_000)
    party.claim(1, 3)
    party.restore(copy)
    assert [party.give_back(number) for number in (1, 2, 3)] == [1, 0, 0]
    party.page(OPEN)
    assert party.page("SELECT state || ' ' || hits || ' ' || base FROM venue.pool") == "closed 1 100000"


def test_a_pool_that_is_added_while_others_recover_recovers_too(party: Party) -> None:
    """It may be one that the backup lacks; what cabinets give back for a pool that is not there is kept apart."""
    party.restore(party.back_up())
    claim = {"pool": 2, "epoch": 1, "round": 8, "number": 0, "hit": 1, "seed": SEED, "award": SEED + 25_000}
    party.answered[1].append(claim)
    assert party.give_back(1) == 0
    assert party.page("SELECT reason FROM venue.late_claim") == "this venue has no such pool"
    party.page("SELECT venue.add_pool('mona_lisa', 25, 50000000, 5, 'anna')")
    assert party.page("SELECT state FROM venue.pool WHERE pool = 2") == "recovering"


def test_a_hit_is_entered_with_the_seed_of_that_hit(party: Party) -> None:
    """Terms that wait in the backup are those of the hit after the first unknown one, which has the seed before."""
    party.page("SELECT venue.decide_terms(venue.propose_terms(1, 60000000, 7, 'anna'), true, 'bert')")
    copy = party.back_up()
    party.play(3, 50_000)
    first = party.claim(3, 5)
    party.play(3, 25_000)
    second = party.claim(3, 6)
    party.play(1, 100_000)
    third = party.claim(1, 7)
    assert [each.seed for each in (first, second, third)] == [SEED, 60_000_000, 60_000_000]
    party.restore(copy)
    party.give_back(1)
    party.give_back(2)
    assert party.page("SELECT seed FROM venue.pool") == 60_000_000
    party.page("SELECT venue.write_off(3, 'burnt', 'anna')")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=r"its seed of 500\.00 at least"):
        _enter(party, 1, 40_000_000)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="whole coins"):
        _enter(party, 1, first.award + 1)
    _enter(party, 1, first.award)
    _enter(party, 2, second.award)
    assert party.page("SELECT array_agg(seed ORDER BY hit) FROM venue.hit") == [SEED, 60_000_000, 60_000_000]
    _enter(party, 4, 65_000_000, seed=65_000_000)
    assert party.page("SELECT base FROM venue.pool") == 175_000
    assert party.page("SELECT base_ok AND hits_ok FROM venue.pool_audit") is True


@pytest.mark.parametrize(("pool", "hit"), [(1, 0), (1, 52), (1, 1), (2, 1)])
def test_what_cannot_be_missing_is_not_entered(party: Party, pool: int, hit: int) -> None:
    """A known hit, one far above those known, or one of a pool that there is not."""
    party.claim(1, 3)
    party.page("SELECT venue.begin_recovery('restored', 'anna')")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="is not missing"):
        _enter(party, hit, SEED, pool=pool)


def test_nothing_is_entered_while_no_pool_recovers(party: Party) -> None:
    """Afterwards a claim that comes late is settled by an adjustment."""
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="is not missing"):
        _enter(party, 1, SEED)


def test_what_was_paid_under_another_number_of_the_cabinet_is_known(party: Party) -> None:
    """A cabinet that was retired and enrolled anew gives back claims that the venue has under its number of before."""
    party.claim(3, 5)
    party.page("SELECT venue.begin_recovery('restored', 'anna')")
    party.answered[1] = party.answered[3]
    assert party.give_back(1) == 0
    assert party.page("SELECT count(*) FROM venue.late_claim") == 0
