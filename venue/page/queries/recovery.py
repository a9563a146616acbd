"""A recovery after the venue was restored: for whom it waits, hits that nobody gave back, late claims."""

from typing import NamedTuple

from venue.page.queries.rows import Row, row, rows, value


class LostHit(NamedTuple):
    """A hit as a person enters it, in 1/1000 cent: award, None for nothing, and seed, None for the one known.

    `cabinet` and `round` are those of its slip, both None where it names none.
    """

    pool: int
    hit: int
    award: int | None
    seed: int | None
    cabinet: int | None = None
    round: int | None = None


def running() -> Row | None:
    """Return the open recovery; None while there is none."""
    return row("SELECT recovery, reason, began_by, began_at FROM venue.recovery WHERE opened_at IS NULL")


def waits_for() -> list[Row]:
    """Return the cabinets that have not given back what they have."""
    return rows("SELECT cabinet, label FROM venue.not_reported ORDER BY cabinet")


def cabinets() -> list[Row]:
    """Return every cabinet of the open recovery; `why` its hits are unknown, None for one that has given all back."""
    return rows(
        "SELECT c.cabinet, c.label, w.why FROM venue.cabinet c LEFT JOIN venue.not_whole w USING (cabinet)"
        " WHERE NOT c.retired OR w.why IS NOT NULL ORDER BY c.cabinet"
    )


def strangers() -> list[str]:
    """Return the logins of cabinets on this server that the venue does not have."""
    return [str(found["role"]) for found in rows("SELECT role FROM venue.stranger ORDER BY role")]


def missing_hits() -> list[Row]:
    """Return the hits that no cabinet gave back, with the seed they were paid at; amounts in 1/1000 cent."""
    return rows(
        "SELECT p.pool, p.game, p.coin, coalesce(venue.seed_at(p.pool, n), p.seed) AS seed, n AS hit"
        " FROM venue.pool p, generate_series(1, p.hits) n"
        " WHERE NOT EXISTS (SELECT FROM venue.hit h WHERE h.pool = p.pool AND h.hit = n) ORDER BY p.pool, n LIMIT 200"
    )


def next_hits() -> list[Row]:
    """Return the hit above those known of each pool, which a cabinet without its books may have paid."""
    return rows(
        "SELECT p.pool, p.game, p.coin, coalesce(venue.seed_at(p.pool, p.hits + 1), p.seed) AS seed, p.hits + 1 AS hit"
        " FROM venue.pool p ORDER BY p.pool"
    )


def late_claims() -> list[Row]:
    """Return paid claims that came back too late and are not settled; amounts in 1/1000 cent.

    Left out is what nobody can settle and only a cabinet that is not trusted says: of pools that do not exist.
    """
    return rows(
        "SELECT l.cabinet, c.label, l.epoch, l.round, l.number, l.pool, q.game, q.coin, l.hit, l.award, l.seed,"
        " l.reason, l.at FROM venue.late_claim l JOIN venue.cabinet c USING (cabinet)"
        " LEFT JOIN venue.pool q USING (pool) WHERE l.adjustment IS NULL"
        " AND NOT (c.distrusted AND q.pool IS NULL) ORDER BY l.at"
    )


def write_off(cabinet: int, why: str, by: str) -> None:
    """Wait no longer for a cabinet that will not come back."""
    value("SELECT venue.write_off(%s, %s, %s)", [cabinet, why, by])


def write_off_hit(lost: LostHit, why: str, by: str) -> None:
    """Record what a hit that nobody gave back has paid."""
    value("SELECT venue.write_off_hit(%s, %s, %s, %s, %s, %s, %s, %s)", [*lost[:4], why, by, lost.cabinet, lost.round])


def open_pools(by: str, *, complete: bool) -> None:
    """Open the pools, once all have reported or were written off, the books balance and the list is confirmed."""
    value("SELECT venue.open_pools(%s, %s)", [complete, by])


def settle(claim: tuple[int, int, int, int], adjustment: int, by: str) -> None:
    """Record which approved adjustment settles a late claim: cabinet, epoch, round, number."""
    value("SELECT venue.settle_late_claim(%s, %s, %s, %s, %s, %s)", [*claim, adjustment, by])
