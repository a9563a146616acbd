"""Status report of a venue as lines of text, for `cabinet venue status`."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import psycopg
from cryptography import x509

from venue import server
from venue.authority import AuthorityFiles

MILLICENTS = 100_000
"""Thousandths of a cent in one unit of the currency."""


def lines(connection: psycopg.Connection, folder: Path) -> Iterator[str]:
    """Yield the status report: pools, cabinets, recovery, open alarms, backup, audit, certificate, server settings."""
    name, currency = connection.execute("SELECT name, currency FROM venue.site").fetchone() or ("", "")
    yield f"{name}: PostgreSQL {server.major(connection)}"
    yield from _pools(connection, currency)
    yield from _cabinets(connection)
    yield from _recovery(connection)
    yield from _alarms(connection)
    (newest,) = connection.execute("SELECT max(at) FROM venue.backup").fetchone() or (None,)
    yield f"last backup: {'none' if newest is None else f'{newest:%Y-%m-%d %H:%M}'}"
    audited = connection.execute(
        "SELECT at, cardinality(failures) FROM venue.audit_run ORDER BY run DESC LIMIT 1"
    ).fetchone()
    yield "last audit: none" if audited is None else _audited(*audited)
    certificate = AuthorityFiles(folder).server_certificate
    if certificate.exists():
        expires = x509.load_pem_x509_certificate(certificate.read_bytes()).not_valid_after_utc
        days = (expires - datetime.now(UTC)).days
        yield f"server certificate: {days} days left{'; run `cabinet venue init` again' if days < 60 else ''}"  # noqa: PLR2004 - two months to act
    else:
        yield f"server certificate: {certificate} is not there; say --folder, or run `cabinet venue init` again"
    for setting, value in connection.execute(
        "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit')"
        " AND setting = 'off' ORDER BY 1"
    ).fetchall():
        yield f"DANGER: {setting} is {value}: a power cut loses claims; set it to on"
    waiting = server.pending_restart(connection)
    if waiting:
        yield f"restart PostgreSQL for: {', '.join(waiting)}"


def _audited(at: datetime, failures: int) -> str:
    return f"last audit: {at:%Y-%m-%d %H:%M}, {f'{failures} proofs FAILED' if failures else 'all proved'}"


def _pools(connection: psycopg.Connection, currency: str) -> Iterator[str]:
    for pool, game, coin, state, amount, hits in connection.execute(
        "SELECT pool, game, coin, state, amount, hits FROM venue.jackpot ORDER BY pool"
    ).fetchall():
        worth = f"{amount // MILLICENTS}.{amount // 1000 % 100:02d}"
        yield f"  pool {pool:<3} {game:<20} {coin:>4} ct {worth:>14} {currency}  {hits} hits  {state}"


def _cabinets(connection: psycopg.Connection) -> Iterator[str]:
    for cabinet, label, state, seen, stale, closed in connection.execute(
        "SELECT f.cabinet, f.label, f.state, f.last_seen, f.stale, o.cabinet IS NOT NULL"
        " FROM venue.floor f LEFT JOIN venue.closed_login o USING (cabinet) ORDER BY f.cabinet"
    ).fetchall():
        when = "never seen" if seen is None else f"seen {seen:%Y-%m-%d %H:%M:%S}"
        shown = "LOGIN CLOSED" if closed else "OFF LINE" if stale else _printable(state or "")
        yield f"  cabinet {cabinet:<4} {_printable(label):<24} {shown:<16} {when}"


def _printable(text: str) -> str:
    """Return the first 40 characters of a cabinet's text, with control characters replaced by "?"."""
    return "".join(one if one.isprintable() else "?" for one in text[:40])


def _recovery(connection: psycopg.Connection) -> Iterator[str]:
    row = connection.execute("SELECT reason FROM venue.recovery WHERE opened_at IS NULL").fetchone()
    if row is not None:
        waits = [str(cabinet) for (cabinet,) in connection.execute("SELECT cabinet FROM venue.not_reported ORDER BY 1")]
        yield f"RECOVERING ({row[0]}): " + (
            f"waits for cabinets {', '.join(waits)}"
            if waits
            else "no cabinet is waited for; an operator may open the pools"
        )
        for cabinet, why in connection.execute(
            "SELECT cabinet, why FROM venue.not_whole WHERE why <> 'waited for' ORDER BY 1"
        ).fetchall():
            yield f"  cabinet {cabinet} ({why}): what it was paid since the backup is to be entered on the page"
        strangers = [str(role) for (role,) in connection.execute("SELECT role FROM venue.stranger ORDER BY 1")]
        if strangers:
            yield f"  logins of cabinets that this venue does not have: {', '.join(strangers)}"


def _alarms(connection: psycopg.Connection) -> Iterator[str]:
    for code, severity, cabinet, since in connection.execute(
        "SELECT code, severity, cabinet, since FROM venue.alarm WHERE over_at IS NULL ORDER BY since LIMIT 20"
    ).fetchall():
        where = "" if cabinet is None else f" cabinet {cabinet}"
        yield f"  {severity} {code}{where} since {since:%Y-%m-%d %H:%M}"
