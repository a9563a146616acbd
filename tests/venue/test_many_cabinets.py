"""Many cabinets at once, the proofs on a PostgreSQL whose every sync takes 10 ms longer: no bet lost, none paid twice.

What is asserted is that both sides have the same books in the end. Nothing here asserts a speed: the proofs print the
rate that was reached, and each figure as a ratio to pgbench's bare upsert of the same run. The aims (1,000
contributions a second, a claim's p99) are those of the benchmark `venue_load` (tests/bench/venue_load.py).
"""

import sys
from contextlib import closing

import pytest

from tests.rigs.postgres import PostgresServer
from tests.rigs.slow_disk import slowed
from tests.rigs.venue_load_run import bare_upserts, differences, in_ratios, in_words, played, prepare, venue_puts

SYNC_MS, RATE = 10.0, 1000.0


@pytest.mark.processes
@pytest.mark.parametrize("shared", [0, 4])
def test_a_few_cabinets(postgres_server: PostgresServer, shared: int) -> None:
    """Twenty cabinets for two seconds, by connections of their own or by a few shared ones: the books are equal."""
    database = prepare(postgres_server, 20)
    results = played(database, 20, rate=60, seconds=2, claims_one_in=5, shared=shared)
    assert differences(database, results) == []
    assert sum(len(one.won) for one in results) > 0
    database.drop()


@pytest.mark.processes
def test_a_lost_contribution_would_be_found(postgres_server: PostgresServer) -> None:
    """The comparison is not blind: a meter that lacks a bet, and a claim that nobody got, are differences."""
    database = prepare(postgres_server, 4)
    results = played(database, 4, rate=20, seconds=1, claims_one_in=2)
    name = next(name for name, cum in results[0].meters.items() if cum)
    results[0].meters[name] += 750
    next(one for one in results if one.won).won.pop()
    assert [words.split(", ")[0].lstrip("0123456789 ") for words in differences(database, results)] == [
        "meters differ",
        "claims were answered",
    ]
    database.drop()


@pytest.mark.proof
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("cabinets", "shared"), [(200, 0), (3000, 100)])
def test_books_stay_equal_under_load(cabinets: int, shared: int) -> None:
    """200 cabinets asked for fifteen times their pace, and 3,000 for their own, for a minute: the books are equal.

    They are asked for 1,000 contributions a second; how many come is printed, and not asserted.
    """
    with closing(PostgresServer()) as server:
        server.start()
        database = prepare(server, cabinets)
        slowed(server, SYNC_MS)
        floor = bare_upserts(database, 200, 20, rate=RATE)
        results = played(database, cabinets, rate=RATE, seconds=60, claims_one_in=50, shared=shared)
        assert differences(database, results) == []
        assert sum(len(one.won) for one in results) > 0
        puts, bare = venue_puts(database, 200, 20), bare_upserts(database, 200, 20)
        sys.stdout.write(f"{in_words(results)}; {in_ratios(results, RATE, floor)}; bare upserts {floor}\n")
        sys.stdout.write(f"venue.put {puts}; bare {bare}: {puts.per_second / bare.per_second:.2f} of it\n")
