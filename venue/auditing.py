"""Audit of a venue's accounts: recompute every invariant of pools, ledger chains, meters and closed months."""

from typing import NamedTuple

import psycopg


class Audit(NamedTuple):
    """Descriptions of the checks that ran, and of the failures they found."""

    checked: list[str]
    failures: list[str]


def audit(connection: psycopg.Connection) -> Audit:
    """Check pools, ledger chains, meters and closed months within one database snapshot."""
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        parts = [_pools(connection), _chains(connection), _meters(connection), _months(connection)]
    return Audit([part.checked[0] for part in parts], [failure for part in parts for failure in part.failures])


def record(connection: psycopg.Connection, found: Audit, by: str) -> None:
    """Store an audit's result; failures raise the alarm `audit_failed`, which lasts until an audit has none."""
    connection.execute(
        "INSERT INTO venue.audit_run (by, checked, failures) VALUES (%s, %s, %s)", (by, found.checked, found.failures)
    )


def _pools(connection: psycopg.Connection) -> Audit:
    rows = connection.execute(
        "SELECT pool, base, base_due, hits, hits_known, base_ok, hits_ok, awards_ok, value_ok FROM venue.pool_audit"
    ).fetchall()
    failures = []
    for pool, base, due, hits, known, base_ok, hits_ok, awards_ok, value_ok in rows:
        if not base_ok:
            failures.append(f"pool {pool}: base is {base}, its awards and adjustments make it {due}")
        if not hits_ok:
            failures.append(f"pool {pool}: {hits} hits are counted, {known} are known")
        if not awards_ok:
            failures.append(f"pool {pool}: an award is below its seed")
        if not value_ok:
            failures.append(f"pool {pool}: its value is below its seed")
    return Audit([f"{len(rows)} pools: base, hits, awards, value"], failures)


def _chains(connection: psycopg.Connection) -> Audit:
    (count,) = connection.execute("SELECT count(*) FROM venue.ledger_row").fetchone() or (0,)
    breaks = connection.execute(
        "SELECT cabinet, branch, row FROM venue.chain_break ORDER BY 1, 2, 3 LIMIT 20"
    ).fetchall()
    return Audit(
        [f"{count} ledger rows in their chains"],
        [f"cabinet {cabinet}: ledger row {row} of branch {branch} does not follow" for cabinet, branch, row in breaks],
    )


def _meters(connection: psycopg.Connection) -> Audit:
    rows = connection.execute(
        "SELECT x.pool, x.cabinet, x.cum, m.cum FROM venue.meter_mark x"
        " LEFT JOIN venue.meter m USING (pool, cabinet, epoch) WHERE m.cum IS NULL OR m.cum < x.cum OR m.seq < x.seq"
    ).fetchall()
    (count,) = connection.execute("SELECT count(*) FROM venue.meter").fetchone() or (0,)
    return Audit(
        [f"{count} contribution meters, none below its mark"],
        [f"cabinet {cabinet}: its meter of pool {pool} was {was}, it is {now}" for pool, cabinet, was, now in rows],
    )


def _months(connection: psycopg.Connection) -> Audit:
    rows = connection.execute(
        "SELECT m.month, m.sha256 = sha256(convert_to(coalesce(f.rows, '[]')::text, 'UTF8')) FROM venue.month_close m"
        " LEFT JOIN LATERAL (SELECT json_agg(x ORDER BY x.cabinet, x.game) AS rows FROM venue.month_sums(m.month) x) f"
        " ON true ORDER BY 1"
    ).fetchall()
    return Audit(
        [f"{len(rows)} closed months"],
        [f"{month:%Y-%m}: its days no longer add up to what was closed" for month, whole in rows if not whole],
    )
