"""Claims are answered exactly once, the first in the order of the lock takes the whole pool."""

import threading

import psycopg
import pytest

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_cabinet import Award, VenueCabinet
from tests.venue.conftest import Enrol

SEED = 50_000_000


def test_a_claim_takes_whole_coins_and_leaves_the_rest(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """The award is seed and contributions in whole coins; what is less than a coin stays in the pool."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    cabinet.play(1, 60_300)
    assert cabinet.claim(1, 7) == Award(SEED + 50_000, hit=1, seed=SEED, dup=False)
    assert cabinet.beat()[1].amount == SEED + 10_300


def test_a_claim_asked_again_has_the_same_answer(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """The same key is answered with the same award however often, and takes nothing more."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    cabinet.play(1, 60_300)
    first = cabinet.claim(1, 7)
    cabinet.play(1, 100_000)
    assert cabinet.claim(1, 7) == first._replace(dup=True)
    assert cabinet.claim(1, 7, number=1).hit == 2


def test_a_claim_asked_again_waits_for_nobody(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """What was answered before is answered while another cabinet's claim holds the pool."""
    venue_database.add_pool()
    first, second = enrol(2)
    first.play(1, 25_000)
    answer = first.claim(1, 1)
    first.connection.execute("SET statement_timeout = 5000")
    with second.connection.transaction():
        second.play(1, 25_000)
        assert second.claim(1, 1).hit == 2
        assert first.claim(1, 1) == answer._replace(dup=True)


def test_only_an_answer_that_stores_nothing_is_committed_without_the_disk(
    venue_database: VenueDatabase, enrol: Enrol
) -> None:
    """A new claim, a contribution, and a claim asked again with a newer contribution wait for the disk."""
    venue_database.add_pool()
    (cabinet,) = enrol(1)
    cabinet.connection.execute("SET synchronous_commit = on")

    def durable(pool: int, round_id: int) -> bool:
        with cabinet.connection.transaction():
            cabinet.claim(pool, round_id)
            (setting,) = cabinet.connection.execute("SHOW synchronous_commit").fetchone() or ("",)
            return bool(setting == "on")

    cabinet.play(1, 25_000)
    assert durable(1, 1)
    assert not durable(1, 1)
    cabinet.play(1, 25_000)
    assert durable(1, 1)
    assert venue_database.ask("SELECT seq, cum FROM venue.meter") == [(2, 50_000)]
    assert not durable(1, 1)
    assert durable(1, 2)


def test_a_claim_asked_again_is_checked_like_any_other(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """Another pool and impossible contributions are refused, whether the round is known or not."""
    venue_database.add_pool(1)
    venue_database.add_pool(2, "mona_lisa")
    (cabinet,) = enrol(1)
    cabinet.play(1, 25_000)
    cabinet.claim(1, 1)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="claimed pool 1 before, not 2"):
        cabinet.claim(2, 1)
    for seq, cum, words in ((-1, 0, "of 0 or more"), (1, -1, "of 0 or more"), (1, 10**13 + 1, "no cabinet does")):
        with pytest.raises(psycopg.errors.InvalidParameterValue, match=words):
            cabinet.call("claim", cabinet.session, 1, cabinet.epoch, 1, 0, seq, cum)


def test_the_winning_bet_counts_without_a_put(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """A claim brings the cabinet's own meter along, so that the bet that won is in the award."""
    venue_database.add_pool()
    first, second = enrol(2)
    first.play(1, 25_000)
    first.put()
    second.play(1, 50_000)
    assert second.claim(1, 1).award == SEED + 75_000


def test_a_claim_does_not_wait_for_another_cabinets_first_contribution(
    venue_database: VenueDatabase, enrol: Enrol
) -> None:
    """A first contribution that is not committed yet holds the pool's key only: two first claims never deadlock."""
    venue_database.add_pool()
    first, second = enrol(2)
    first.play(1, 25_000)
    second.play(1, 25_000)
    second.connection.execute("SET statement_timeout = 5000")
    with first.connection.transaction():
        first.put()
        assert second.claim(1, 1).award == SEED + 25_000


def test_fifty_claimers_at_once(venue_database: VenueDatabase, enrol: Enrol) -> None:
    """No award is below the seed, hits have no gap, and the books balance, while others contribute and claim."""
    venue_database.add_pool()
    cabinets = enrol(50)
    barrier = threading.Barrier(len(cabinets))
    awards: list[Award] = []

    def play(cabinet: VenueCabinet) -> None:
        barrier.wait()
        for round_id in range(1, 7):
            for _ in range(3):
                cabinet.play(1, 30_000)
                cabinet.put()
            awards.append(cabinet.claim(1, round_id))

    threads = [threading.Thread(target=play, args=(cabinet,)) for cabinet in cabinets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(awards) == 300
    assert min(answer.award for answer in awards) >= SEED
    assert sorted(answer.hit for answer in awards) == list(range(1, 301))
    total = sum(cabinet.cums[1] for cabinet in cabinets)
    assert cabinets[0].beat()[1].amount == SEED + total - sum(answer.award - SEED for answer in awards)


def test_an_award_below_the_seed_is_refused_by_the_table(venue_database: VenueDatabase) -> None:
    """Whatever a function computes, no row with less than the seed can be stored."""
    venue_database.add_pool()
    venue_database.add_cabinet()
    with venue_database.connect() as admin, pytest.raises(psycopg.errors.CheckViolation, match="award_not_below_seed"):
        admin.execute(
            "INSERT INTO venue.claim (cabinet, epoch, round, number, pool, hit, seed, rate_per_mille, award)"
            " VALUES (1, 1, 1, 0, 1, 1, 50000000, 5, 49999999)"
        )
