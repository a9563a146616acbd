"""Queries for enrolled cabinets, their health, logins, ledgers and pools, and for open enrolment codes."""

from venue.page.queries.rows import Row, row, rows
from venue.page.statuses import read


def enrolled() -> list[Row]:
    """Return every cabinet, retired ones last, with its newest health."""
    found = rows(
        "SELECT c.cabinet, c.label, c.program, c.enrolled_at, c.retired, c.epoch, s.at, s.status, s.clock_off_ms,"
        " o.cabinet IS NOT NULL AS is_closed FROM venue.cabinet c LEFT JOIN venue.status s USING (cabinet)"
        " LEFT JOIN venue.closed_login o USING (cabinet) ORDER BY c.retired, c.cabinet"
    )
    return [{**one, "health": read(one["status"]).health} for one in found]


def health(cabinet: int, days: int) -> list[Row]:
    """Return a cabinet's highest temperature and commit time for each hour of the last days."""
    return rows(
        "SELECT date_trunc('hour', at) AS at,"
        " max(venue.figure(status #> '{health,temperature_c}')) AS temperature,"
        " max(venue.figure(status #> '{health,commit_ms}')) AS commit_ms"
        " FROM venue.status_history WHERE cabinet = %s AND at > now() - make_interval(days => %s)"
        " GROUP BY 1 ORDER BY 1",
        [cabinet, days],
    )


def codes() -> list[Row]:
    """Return the enrolment codes that are unused and valid."""
    return rows(
        "SELECT code, replaces, made_by, made_at, expires_at FROM venue.enrolment_code"
        " WHERE used_at IS NULL AND expires_at > clock_timestamp() ORDER BY code DESC"
    )


def closed_login(cabinet: int) -> Row | None:
    """Return who closed a cabinet's login, when and why; None if the login is open."""
    return row("SELECT by, at, reason FROM venue.closed_login WHERE cabinet = %s", [cabinet])


def distrust(cabinet: int) -> Row | None:
    """Return the proposed retirement of a distrusted cabinet; None unless one waits for a second person."""
    return row("SELECT * FROM venue.distrust WHERE cabinet = %s AND state = 'proposed'", [cabinet])


def ledger(cabinet: int) -> list[Row]:
    """Return the branches of a cabinet's ledger, newest first."""
    return rows(
        "SELECT branch, base_row, newest_row, seen_row, encode(seen_hash, 'hex') AS seen_hash, seen_at,"
        " begun_at, begun_by"
        " FROM venue.chain WHERE cabinet = %s ORDER BY branch DESC",
        [cabinet],
    )


def pools(cabinet: int) -> list[Row]:
    """Return a cabinet's contributions to and wins from each pool, in 1/1000 cent."""
    return rows(
        "SELECT q.pool, q.game, q.coin, coalesce(m.total, 0) AS total, coalesce(k.hits, 0) AS hits,"
        " coalesce(k.won, 0) AS won FROM venue.pool q"
        " LEFT JOIN (SELECT pool, sum(cum)::bigint AS total FROM venue.meter WHERE cabinet = %(c)s GROUP BY pool) m"
        " USING (pool)"
        " LEFT JOIN (SELECT pool, count(*) AS hits, sum(award)::bigint AS won FROM venue.claim WHERE cabinet = %(c)s"
        "            GROUP BY pool) k USING (pool)"
        " WHERE m.total IS NOT NULL OR k.hits IS NOT NULL ORDER BY q.game, q.coin",
        {"c": cabinet},
    )
