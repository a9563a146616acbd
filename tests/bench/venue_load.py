"""Contributions and claims of many cabinets at a venue whose every sync takes 10 ms longer.

`python -m tests.bench.venue_load` alone prints the figures.
"""

import sys
from collections.abc import Iterator
from contextlib import closing

from tests.bench.figures import Figure, Progress, quantile, silent
from tests.rigs.postgres import PostgresServer
from tests.rigs.slow_disk import slowed
from tests.rigs.venue_load_run import (
    bare_upserts,
    calls,
    contributions_per_second,
    differences,
    in_words,
    played,
    prepare,
    venue_puts,
)

SYNC_MS = 10.0
RATE = 1000.0
MOST_CLAIM_MS = 50.0
SECONDS, FLOOR_SECONDS = 30.0, 25.0
WARM_S = 5.0
"""The venue has just been restarted: in the first seconds all connections plan their queries at once."""
CLIENTS = 200
PLAYED = ((200, 0), (3000, 100))
"""How many cabinets play, and how many connections they share, 0 for one each."""


def measure(progress: Progress) -> Iterator[Figure]:
    """Yield each of `PLAYED`'s claims at `RATE` contributions a second, and the most that the venue takes."""
    steps = len(PLAYED) + 1
    progress(0, steps)
    with closing(PostgresServer()) as server:
        server.start()
        databases = [prepare(server, cabinets) for cabinets, _ in PLAYED]
        slowed(server, SYNC_MS)
        for number, (database, (cabinets, shared)) in enumerate(zip(databases, PLAYED, strict=True), 1):
            floor = bare_upserts(database, CLIENTS, FLOOR_SECONDS, rate=RATE)
            results = played(
                database, cabinets, rate=RATE, seconds=SECONDS, claims_one_in=50, shared=shared, warm_s=WARM_S
            )
            if amiss := differences(database, results):
                raise RuntimeError(f"the venue's books are not the cabinets': {'; '.join(amiss)}")
            claim_ms, rate = quantile(calls(results, "claim_ms"), 0.99), contributions_per_second(results)
            yield Figure(
                what=f"claim of {cabinets:,} cabinets at {RATE:,.0f} contributions/s, p99",
                measured=claim_ms,
                floor=floor.p99_ms,
                unit="ms",
                aim=f"{RATE:,.0f}/s and {MOST_CLAIM_MS:.0f} ms",
                met=claim_ms < MOST_CLAIM_MS and rate > 0.97 * RATE,
                notes=f"{in_words(results)}; bare upserts {floor}",
            )
            progress(number, steps)
        bare = bare_upserts(databases[0], CLIENTS, FLOOR_SECONDS)
        puts = venue_puts(databases[0], CLIENTS, FLOOR_SECONDS)
        yield Figure(
            what=f"contributions/s that the venue takes at most, {CLIENTS} clients",
            measured=puts.per_second,
            floor=bare.per_second,
            unit="/s",
            aim="a third of the bare upserts",
            met=puts.per_second > bare.per_second / 3,
            notes=f"venue.put {puts}; bare upserts {bare}",
        )
        progress(steps, steps)


if __name__ == "__main__":
    for figure in measure(silent):
        sys.stdout.write(f"{figure}\n")
