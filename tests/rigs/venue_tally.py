"""Compares the books of cabinets with the venue's, each read with SQL of its own: nothing of the link is trusted."""

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg

Rows = list[tuple[Any, ...]]

_CLAIMS = "SELECT epoch, round_id, number, pool, award, hit, seed FROM venue_claims ORDER BY 1, 2, 3"
_CREDITED = "SELECT round_id, credit_delta FROM ledger WHERE kind = 'win' AND credit_delta <> 0 ORDER BY round_id, seq"


def differences(folders: Sequence[Path], venue: psycopg.Connection, *, money_cents: int) -> list[str]:
    """Return every difference in words, none where both sides have the same. Cabinet 1 is in the first folder."""
    found: list[str] = []
    for number, folder in enumerate(folders, 1):
        with closing(sqlite3.connect(f"file:{folder / 'journal.sqlite'}?mode=ro", uri=True)) as books:
            found += [f"cabinet {number}: {words}" for words in _of_cabinet(number, books, venue, money_cents)]
    return found + _of_pools(venue)


def _of_cabinet(number: int, books: sqlite3.Connection, venue: psycopg.Connection, money_cents: int) -> list[str]:
    found: list[str] = []

    def same(what: str, ours: Rows, theirs: Rows) -> None:
        if ours != theirs:
            count = sum((Counter(ours) - Counter(theirs)).values()) + sum((Counter(theirs) - Counter(ours)).values())
            found.append(f"{what}: {len(ours)} in the books, {len(theirs)} at the venue, {count} differ")

    def ask(query: str) -> Rows:
        return books.execute(query).fetchall()

    def ask_venue(query: str) -> Rows:
        return venue.execute(query.encode(), (number,)).fetchall()

    meters = ask("SELECT epoch, pool, seq, cum FROM venue_meters ORDER BY 1, 2")
    same("meters", meters, ask_venue("SELECT epoch, pool, seq, cum FROM venue.meter WHERE cabinet = %s ORDER BY 1, 2"))
    same(
        "shares of the rounds and meters",
        ask("SELECT epoch, pool, count(*), sum(millicents) FROM venue_shares GROUP BY 1, 2 ORDER BY 1, 2"),
        meters,
    )
    same(
        "rounds and shares",
        ask("SELECT id, stake_cents * 5 FROM rounds ORDER BY id"),
        ask("SELECT round_id, millicents FROM venue_shares ORDER BY round_id"),
    )
    claims = ask(_CLAIMS)
    same(
        "claims",
        claims,
        ask_venue(
            "SELECT epoch, round, number, pool, award, hit, seed FROM venue.claim WHERE cabinet = %s ORDER BY 1, 2, 3"
        ),
    )
    same("awards and credits", [(row[1], row[4] // 1000) for row in claims], ask(_CREDITED))
    # Nobody has exchanged or copied a card: whatever was killed and lost, it is the first epoch.
    same("epochs", ask("SELECT epoch FROM venue"), [(1,)])
    same("the venue's epochs", ask_venue("SELECT epoch FROM venue.cabinet WHERE cabinet = %s"), [(1,)])
    same(
        "events",
        ask("SELECT max(seq) FROM venue_events"),
        ask_venue("SELECT max(seq) FROM venue.event_mark WHERE cabinet = %s"),
    )
    ((staked,), (credit,)) = (*ask("SELECT sum(stake_cents) FROM rounds"), *ask("SELECT credit_cents FROM cabinet"))
    if credit != money_cents - (staked or 0) + sum(row[4] for row in claims) // 1000:
        found.append(f"credit: {credit} is not money less stakes plus awards")
    rows = ask_venue("SELECT row, body, hash FROM venue.ledger_row WHERE cabinet = %s ORDER BY row")
    same("ledger rows", ask("SELECT seq, hash FROM ledger ORDER BY seq"), [(row, digest) for row, _, digest in rows])
    previous = bytes(32)
    for row, body, digest in rows:
        if hashlib.sha256(previous + body).digest() != digest:
            found.append(f"ledger row {row}: its hash does not follow from the row before")
            break
        previous = digest
    return found


def _of_pools(venue: psycopg.Connection) -> list[str]:
    found: list[str] = []
    for pool, seed, base, hits in venue.execute("SELECT pool, seed, base, hits FROM venue.pool").fetchall():
        claims = venue.execute(
            "SELECT hit, award, seed FROM venue.claim WHERE pool = %s ORDER BY hit", (pool,)
        ).fetchall()
        (total,) = venue.execute(
            "SELECT coalesce(sum(cum), 0) FROM venue.meter WHERE pool = %s", (pool,)
        ).fetchone() or (0,)
        if [hit for hit, _, _ in claims] != list(range(1, hits + 1)):
            found.append(f"pool {pool}: {hits} hits, and a gap among them")
        if base != sum(award - due for _, award, due in claims):
            found.append(f"pool {pool}: its base is not what its awards took")
        if any(award < due for _, award, due in claims):
            found.append(f"pool {pool}: an award is below its seed")
        if seed + total - base < seed:
            found.append(f"pool {pool}: it is worth less than its seed")
    return found
