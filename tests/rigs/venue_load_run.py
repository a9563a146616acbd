"""Plays a load on a venue from several processes, compares the venue's books with theirs, and measures its floor."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import psycopg
from psycopg import sql

from tests.bench.figures import quantile
from tests.rigs.postgres import PostgresServer, VenueDatabase
from tests.rigs.venue_load import Load, Played

PROCESSES = 2
POOLS = 16
SEED = 50_000_000
ABOVE = 10**12
"""Above whatever a cabinet has played before: a meter never falls."""


class Rates(NamedTuple):
    """What pgbench did: transactions a second, and its mean and 99 % of latencies in milliseconds."""

    per_second: float
    mean_ms: float
    p99_ms: float

    def __str__(self) -> str:
        return f"{self.per_second:,.0f}/s, mean {self.mean_ms:.1f} ms, p99 {self.p99_ms:.1f} ms"


def prepare(server: PostgresServer, cabinets: int) -> VenueDatabase:
    """Return a venue with `POOLS` pools and so many enrolled cabinets, all made in one transaction."""
    database = server.new_database()
    for pool in range(1, POOLS + 1):
        database.add_pool(pool, f"game{pool}", 25, seed=SEED)
    with psycopg.connect(database.dsn()) as admin:
        known = {role for (role,) in admin.execute("SELECT rolname FROM pg_roles")}
        for cabinet in range(1, cabinets + 1):
            role = f"cab_{cabinet}"
            if role not in known:
                admin.execute(sql.SQL("CREATE ROLE {} LOGIN IN ROLE cabinets").format(sql.Identifier(role)))
            admin.execute("INSERT INTO venue.cabinet (cabinet, role) VALUES (%s, %s)", (cabinet, role))
        admin.execute("CREATE TABLE bare (cabinet int PRIMARY KEY, seq bigint, cum bigint) WITH (fillfactor = 50)")
    with database.connect() as admin:
        admin.execute("VACUUM ANALYZE")
    return database


def played(
    database: VenueDatabase,
    cabinets: int,
    rate: float,
    seconds: float,
    *,
    claims_one_in: int,
    shared: int = 0,
    warm_s: float = 0.0,
) -> list[Played]:
    """Play `rate` contributions a second by so many cabinets, and return what each process played.

    What falls due in the first `warm_s` is played and compared, and kept apart in the figures.
    """
    server, share = database.server, cabinets // PROCESSES
    loads = [
        Load(
            host=str(server.folder),
            port=server.port,
            database=database.name,
            first=number * share + 1,
            last=(number + 1) * share,
            pools=POOLS,
            rate=rate / PROCESSES,
            seconds=seconds,
            claims_one_in=claims_one_in,
            warm_s=warm_s,
            shared=shared // PROCESSES,
            seed=number,
        )
        for number in range(PROCESSES)
    ]
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.rigs.venue_load"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )
        for _ in loads
    ]
    try:
        for process, load in zip(processes, loads, strict=True):
            _write(process, msgspec.json.encode(load))
        for process in processes:
            assert process.stderr is not None
            line = process.stderr.readline()
            assert line == b"ready\n", line + process.stderr.read()
        for process in processes:
            _write(process, b"go")
        return [_result(process, warm_s + seconds) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()


def _write(process: subprocess.Popen[bytes], line: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(line + b"\n")
    process.stdin.flush()


def _result(process: subprocess.Popen[bytes], seconds: float) -> Played:
    out, words = process.communicate(timeout=seconds + 600)
    assert process.returncode == 0, words.decode(errors="replace")
    return msgspec.json.decode(out, type=Played)


def calls(results: Sequence[Played], name: str) -> list[float]:
    """Return the milliseconds of all calls of a kind: `put_ms`, `claim_ms`, `beat_ms`."""
    return [ms for one in results for ms in getattr(one, name)]


def contributions_per_second(results: Sequence[Played]) -> float:
    """Return the rate that was reached; stale and repeated ones do not count."""
    return (len(calls(results, "put_ms")) + len(calls(results, "claim_ms"))) / max(one.took_s for one in results)


def in_words(results: Sequence[Played]) -> str:
    """Return the rate reached, and median and 99 % of each call.

    `late` is how late the calls were sent; `cold` are all calls of the first seconds, where those are kept apart.
    """
    each = (
        f"{name} {quantile(ms, 0.5):.1f} / {quantile(ms, 0.99):.1f} ms"
        for name in ("put", "claim", "beat", "late", "cold")
        if (ms := calls(results, f"{name}_ms"))
    )
    return f"{contributions_per_second(results):,.0f} contributions/s, {', '.join(each)} (p50 / p99)"


def in_ratios(results: Sequence[Played], rate: float, floor: Rates) -> str:
    """Return the rate reached in percent of `rate`, and the 99 % of put and claim as multiples of the floor's."""
    each = (
        f"{name} p99 {quantile(ms, 0.99) / floor.p99_ms:.1f}x the bare upsert's"
        for name in ("put", "claim")
        if (ms := calls(results, f"{name}_ms"))
    )
    return f"{contributions_per_second(results) / rate:.0%} of the rate, {', '.join(each)}"


def differences(database: VenueDatabase, all_played: Sequence[Played]) -> list[str]:
    """Compare the venue's tables with what the cabinets played, and return every difference in words."""
    found = [words for one in all_played for words in one.contradictions]
    with database.connect() as admin:
        meters: dict[str, int] = dict(
            admin.execute(
                "SELECT cabinet || '/' || pool, sum(cum)::bigint FROM venue.meter GROUP BY cabinet, pool"
            ).fetchall()
        )
        expected = {name: cum for one in all_played for name, cum in one.meters.items() if cum}
        if meters != expected:
            wrong = [name for name in sorted(meters.keys() | expected.keys()) if meters.get(name) != expected.get(name)]
            found.append(f"{len(wrong)} meters differ, {wrong[0]} for one: {meters.get(wrong[0])} in the venue")
        claims = set(admin.execute("SELECT cabinet, round, pool, award, hit, seed FROM venue.claim").fetchall())
        won = [(w.cabinet, w.round, w.pool, w.award, w.hit, w.seed) for one in all_played for w in one.won]
        if claims != set(won) or len(won) != len(claims):
            found.append(
                f"{len(won)} claims were answered, the venue has {len(claims)}, {len(claims & set(won))} in common"
            )
        found += [f"award {award} is below its seed {seed}" for *_, award, _hit, seed in claims if award < seed]
        for pool, seed, base, hits in admin.execute("SELECT pool, seed, base, hits FROM venue.pool").fetchall():
            own = [(award, hit) for _, _, number, award, hit, _ in claims if number == pool]
            if sorted(hit for _, hit in own) != list(range(1, hits + 1)):
                found.append(f"pool {pool}: its hits have a gap")
            if base != sum(award - seed for award, _ in own):
                found.append(f"pool {pool}: its base {base} is not what its awards took")
            growth = sum(cum for name, cum in expected.items() if name.endswith(f"/{pool}"))
            if growth < base:
                found.append(f"pool {pool}: it paid more than it had")
        (amiss,) = admin.execute(
            "SELECT count(*) FROM venue.pool_audit WHERE NOT (base_ok AND hits_ok AND awards_ok AND value_ok)"
        ).fetchone() or (0,)
        if amiss:
            found.append(f"{amiss} pools fail the venue's own audit")
    return found


def bare_upserts(database: VenueDatabase, cabinets: int, seconds: float, rate: float = 0) -> Rates:
    """Measure the floor: pgbench's upserts of one meter row for each of so many clients, at a rate or flat out."""
    script = (
        r"\set cabinet :client_id + 1"
        "\n"
        r"\set seq :seq + 1"
        "\n"
        "INSERT INTO bare AS b (cabinet, seq, cum) VALUES (:cabinet, :seq, :seq * 750) ON CONFLICT (cabinet)"
        " DO UPDATE SET seq = EXCLUDED.seq, cum = EXCLUDED.cum WHERE b.seq < EXCLUDED.seq;\n"
    )
    with database.connect() as admin:
        admin.execute("TRUNCATE bare")  # the clients count from 1 again
    return _pgbench(database, script, cabinets, seconds, "prepared", *(["-R", str(rate)] if rate else []))


def venue_puts(database: VenueDatabase, cabinets: int, seconds: float) -> Rates:
    """Measure `venue.put` as pgbench's clients call it, each as a cabinet of its own, flat out."""
    with database.connect() as admin:
        (session,) = admin.execute("SELECT min(session) FROM venue.cabinet WHERE session > 0").fetchone() or (0,)
    script = (
        r"\set cabinet :client_id + 1"
        "\n"
        r"\set seq :seq + 1"
        "\n"
        r"SET SESSION AUTHORIZATION cab_:cabinet \;"
        f" SELECT venue.put({session}, ARRAY[16], ARRAY[{ABOVE} + :seq]::bigint[],"
        f" ARRAY[{ABOVE} + 750 * :seq]::bigint[]);\n"
    )
    return _pgbench(database, script, cabinets, seconds, "simple")


def _pgbench(database: VenueDatabase, script: str, clients: int, seconds: float, *how: str) -> Rates:
    server = database.server
    file = server.folder / "script.sql"
    file.write_text(script, encoding="ascii")
    for old in server.folder.glob("pgbench_log*"):
        old.unlink()
    server.run(
        "pgbench", "-n", "-M", *how, "-c", str(clients), "-j", "2", "-T", str(round(seconds)), "-D", "seq=0",
        "-l", "-f", file, database.name,
    )  # fmt: skip
    logs = [line.split() for log in server.folder.glob("pgbench_log*") for line in log.read_text().splitlines()]
    if len(logs) < clients:
        raise RuntimeError(
            f"pgbench's {clients} clients did {len(logs)} transactions in {seconds:.0f} s: measure longer"
        )
    # Its own clock: of the seconds that it was given, connecting takes some.
    ends = [int(fields[4]) + int(fields[5]) / 1_000_000 for fields in logs]
    latencies = [int(fields[2]) / 1000 for fields in logs]
    per_second = len(logs) / max(max(ends) - min(ends), 0.001)
    return Rates(per_second, sum(latencies) / len(latencies), quantile(latencies, 0.99))
