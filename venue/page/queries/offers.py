"""Queries for offers of software and settings, and for requested rounds."""

import hashlib

from venue.page.queries.rows import Row, row, rows, value

_OFFER = """
    SELECT o.offer, o.kind, o.name, o.size, encode(o.sha256, 'hex') AS sha256, o.at_once, o.state, o.made_by, o.made_at,
           o.started_at, o.ended_at, t.total, t.installed, t.failed, t.under_way
    FROM venue.offer o LEFT JOIN (
        SELECT offer, count(*) AS total, count(*) FILTER (WHERE state = 'installed') AS installed,
               count(*) FILTER (WHERE state IN ('failed', 'refused')) AS failed,
               count(*) FILTER (WHERE state IN ('offered', 'taken')) AS under_way
        FROM venue.offer_to GROUP BY offer
    ) t USING (offer)
"""


def newest(limit: int, offset: int) -> list[Row]:
    """Return offers, newest first."""
    return rows(_OFFER + " ORDER BY o.offer DESC LIMIT %s OFFSET %s", [limit, offset])


def one(offer: int) -> Row | None:
    """Return one offer; None if the number is unknown."""
    return row(_OFFER + " WHERE o.offer = %s", [offer])


def cabinets(offer: int) -> list[Row]:
    """Return the cabinets of an offer in the order of installation."""
    return rows(
        "SELECT t.cabinet, c.label, t.place, t.state, t.detail, t.at FROM venue.offer_to t"
        " JOIN venue.cabinet c USING (cabinet) WHERE t.offer = %s ORDER BY t.place",
        [offer],
    )


def versions() -> list[Row]:
    """Return the software versions that cabinets report, with the cabinets that run each."""
    return rows(
        "SELECT left(coalesce(s.status #>> '{software,version}', c.program), 60) AS version,"
        " left(s.status #>> '{software,state}', 60) AS state, count(*) AS cabinets,"
        " array_agg(c.cabinet ORDER BY c.cabinet) AS numbers"
        " FROM venue.cabinet c LEFT JOIN venue.status s USING (cabinet) WHERE NOT c.retired GROUP BY 1, 2 ORDER BY 1, 2"
    )


def wanted(limit: int, offset: int) -> list[Row]:
    """Return the requested rounds, newest first."""
    return rows(
        "SELECT w.cabinet, c.label, w.round, w.wanted_by, w.wanted_at, w.answered_at, w.record IS NOT NULL AS found,"
        " left(w.record ->> 'game', 60) AS game FROM venue.wanted_round w JOIN venue.cabinet c USING (cabinet)"
        " ORDER BY w.wanted_at DESC LIMIT %s OFFSET %s",
        [limit, offset],
    )


def record(cabinet: int, number: int) -> Row | None:
    """Return one requested round with its record."""
    return row(
        "SELECT w.cabinet, c.label, w.round, w.wanted_by, w.wanted_at, w.answered_at, w.record"
        " FROM venue.wanted_round w JOIN venue.cabinet c USING (cabinet) WHERE w.cabinet = %s AND w.round = %s",
        [cabinet, number],
    )


def digest(offer: int) -> bytes:
    """Compute the SHA-256 of a draft's content; reads one part at a time."""
    summed = hashlib.sha256()
    for part in rows("SELECT start_at FROM venue.offer_part WHERE offer = %s ORDER BY start_at", [offer]):
        found = value(
            "SELECT bytes FROM venue.offer_part WHERE offer = %s AND start_at = %s", [offer, part["start_at"]]
        )
        summed.update(found)
    return summed.digest()
