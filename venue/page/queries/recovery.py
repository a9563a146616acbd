"""Recovery after a restore: cabinets that have not reported, missing hits and late claims."""

from typing import NamedTuple

from venue.page.queries.rows import Row, row, rows, value


class LostHit(NamedTuple):
    """A hit that a person enters; `award` and `seed` are in 1/1000 cent.

    `award` is None if nothing was paid, `seed` None for the seed that the venue knows. `cabinet` and `round` are those
    on the slip, both None if the slip names none.
    """

    pool: int
    hit: int
    award: int | None
    seed: int | None
    cabinet: int | None = None
    round: int | None = None


def running() -> Row | None:
    """Return the open recovery; None if there is none."""
    return row("SELECT recovery, reason, began_by, began_at FROM venue.recovery WHERE opened_at IS NULL")


def waits_for() -> list[Row]:
    """Return the cabinets that the open recovery waits for."""
    return rows("SELECT cabinet, label FROM venue.not_reported ORDER BY cabinet")


def cabinets() -> list[Row]:
    """Return every cabinet of the open recovery; `why` is the reason if its hits may be incomplete, else None."""
    return rows(
        "SELECT c.cabinet, c.label, w.why FROM venue.cabinet c LEFT JOIN venue.not_whole w USING (cabinet)"
        " WHERE NOT c.retired OR w.why IS NOT NULL ORDER BY c.cabinet"
    )


def strangers() -> list[str]:
    """Return the cabinet logins on this server that belong to no cabinet of the venue."""
    return [str(found["role"]) for found in rows("SELECT role FROM venue.stranger ORDER BY role")]


def missing_hits() -> list[Row]:
    """Return the hits that no cabinet has returned, with their seeds in 1/1000 cent."""
    return rows(
        "SELECT p.pool, p.game, p.coin, coalesce(venue.seed_at(p.pool, n), p.seed) AS seed, n AS hit"
        " FROM venue.pool p, generate_series(1, p.hits) n"
        " WHERE NOT EXISTS (SELECT FROM venue.hit h WHERE h.pool = p.pool AND h.hit = n) ORDER BY p.pool, n LIMIT 200"
    )


def next_hits() -> list[Row]:
    """Return the next hit number of each pool; a cabinet that has lost its books may have paid that hit."""
    return rows(
        "SELECT p.pool, p.game, p.coin, coalesce(venue.seed_at(p.pool, p.hits + 1), p.seed) AS seed, p.hits + 1 AS hit"
        " FROM venue.pool p ORDER BY p.pool"
    )


def late_claims() -> list[Row]:
    """Return paid claims that were returned too late and are not settled; amounts in 1/1000 cent.

    Claims of a distrusted cabinet for pools that do not exist are left out, because nobody can settle them.
    """
    return rows(
        "SELECT l.cabinet, c.label, l.epoch, l.round, l.number, l.pool, q.game, q.coin, l.hit, l.award, l.seed,"
        " l.reason, l.at FROM venue.late_claim l JOIN venue.cabinet c USING (cabinet)"
        " LEFT JOIN venue.pool q USING (pool) WHERE l.adjustment IS NULL"
        " AND NOT (c.distrusted AND q.pool IS NULL) ORDER BY l.at"
    )


def write_off(cabinet: int, why: str, by: str) -> None:
    """Write off a cabinet that will not return, so that the recovery stops waiting for it."""
    value("SELECT venue.write_off(%s, %s, %s)", [cabinet, why, by])


def write_off_hit(lost: LostHit, why: str, by: str) -> None:
    """Record the award of a hit that no cabinet has returned."""
    value("SELECT venue.write_off_hit(%s, %s, %s, %s, %s, %s, %s, %s)", [*lost[:4], why, by, lost.cabinet, lost.round])


def open_pools(by: str, *, complete: bool) -> None:
    """Open the pools; `complete` confirms that every linked cabinet is listed and every paid hit is entered.

    Raises `DatabaseError` while a cabinet has neither reported nor been written off, a hit is missing, a pool does not
    balance, or `complete` is false.
    """
    value("SELECT venue.open_pools(%s, %s)", [complete, by])


def settle(claim: tuple[int, int, int, int], adjustment: int, by: str) -> None:
    """Record which approved adjustment settles a late claim, given as cabinet, epoch, round and number."""
    value("SELECT venue.settle_late_claim(%s, %s, %s, %s, %s, %s)", [*claim, adjustment, by])
