"""Queries for pools: values, contributions, hits with their proof, adjustments. Amounts are 1/1000 cent."""

from venue.page.queries.rows import Row, row, rows

_VALUES = """
    SELECT q.pool, q.game, q.coin, q.seed, q.unit, q.rate_per_mille, q.next_seed, q.next_rate_per_mille, q.base,
           q.hits, q.state, coalesce(m.total, 0) AS contributed, q.seed + coalesce(m.total, 0) - q.base AS amount,
           m.cabinets, l.at AS last_at, l.award AS last_award
    FROM venue.pool q
    LEFT JOIN (
        SELECT pool, sum(cum)::bigint AS total, count(DISTINCT cabinet) AS cabinets FROM venue.meter GROUP BY pool
    ) m USING (pool)
    LEFT JOIN LATERAL (
        SELECT at, award FROM venue.claim c WHERE c.pool = q.pool ORDER BY c.hit DESC LIMIT 1
    ) l ON true
"""


def values() -> list[Row]:
    """Return every pool with its current value."""
    return rows(_VALUES + " ORDER BY q.game, q.coin")


def value(pool: int) -> Row | None:
    """Return one pool with its current value; None if the number is unknown."""
    return row(_VALUES + " WHERE q.pool = %s", [pool])


def contributions(pool: int) -> list[Row]:
    """Return each cabinet's contribution to a pool over all epochs, largest first.

    `removal` is the state of the cabinet's removal from the pool, `proposed` or `approved`, else None.
    """
    return rows(
        "SELECT m.cabinet, c.label, c.retired, sum(m.cum)::bigint AS total, count(*) AS epochs, max(m.at) AS at,"
        " r.state AS removal FROM venue.meter m JOIN venue.cabinet c USING (cabinet)"
        " LEFT JOIN venue.removal r ON (r.pool, r.cabinet) = (m.pool, m.cabinet) AND r.state <> 'rejected'"
        " WHERE m.pool = %s GROUP BY m.cabinet, c.label, c.retired, r.state ORDER BY total DESC, m.cabinet",
        [pool],
    )


def hits(pool: int | None, limit: int, offset: int) -> list[Row]:
    """Return the hits of one pool or of all pools, newest first."""
    return rows(
        "SELECT k.pool, q.game, q.coin, k.hit, k.cabinet, c.label, k.epoch, k.round, k.number, k.seed, k.award, k.at,"
        " k.rate_per_mille, k.given_back"
        " FROM venue.claim k JOIN venue.pool q USING (pool) JOIN venue.cabinet c USING (cabinet)"
        " WHERE %(pool)s::int IS NULL OR k.pool = %(pool)s"
        " ORDER BY k.at DESC, k.pool, k.hit DESC LIMIT %(limit)s OFFSET %(offset)s",
        {"pool": pool, "limit": limit, "offset": offset},
    )


def proof(pool: int) -> Row | None:
    """Return the sums that prove a pool's hits.

    They are the awards less seeds, the number and highest number of hits, the smallest award less its seed, the
    approved adjustments, and the lost hits.
    """
    return row(
        "SELECT coalesce(sum(award - seed), 0)::bigint AS taken, count(*) AS hits, coalesce(max(hit), 0) AS newest,"
        " min(award - seed) AS least_over_seed,"
        " (SELECT coalesce(sum(-a.amount), 0)::bigint FROM venue.adjustment a"
        "  WHERE a.pool = %(pool)s AND a.state = 'approved') AS adjusted,"
        " (SELECT coalesce(sum(l.award - l.seed), 0)::bigint FROM venue.hit l"
        "  WHERE l.pool = %(pool)s AND l.origin = 'lost') AS lost,"
        " (SELECT count(*) FROM venue.hit l WHERE l.pool = %(pool)s AND l.origin = 'lost') AS lost_hits"
        " FROM venue.claim WHERE pool = %(pool)s",
        {"pool": pool},
    )


def adjustments(pool: int | None = None) -> list[Row]:
    """Return the adjustments of one pool or of all pools, those that wait for a second person first."""
    return rows(
        "SELECT a.*, q.game, q.coin FROM venue.adjustment a JOIN venue.pool q USING (pool)"
        " WHERE %(pool)s::int IS NULL OR a.pool = %(pool)s"
        " ORDER BY a.state <> 'proposed', a.adjustment DESC LIMIT 200",
        {"pool": pool},
    )


def proposed_terms(pool: int) -> Row | None:
    """Return a pool's proposed terms that wait for a second person; None if there are none."""
    return row("SELECT * FROM venue.terms_proposal WHERE pool = %s AND state = 'proposed'", [pool])


def proposed_removals(pool: int) -> list[Row]:
    """Return the cabinets whose removal from a pool waits for a second person."""
    return rows(
        "SELECT r.*, c.label FROM venue.removal r JOIN venue.cabinet c USING (cabinet)"
        " WHERE r.pool = %s AND r.state = 'proposed' ORDER BY r.removal",
        [pool],
    )
