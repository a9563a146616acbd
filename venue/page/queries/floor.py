"""Queries for the newest status of the cabinets."""

from venue.page.queries.rows import Parameters, Row, rows
from venue.page.statuses import read

_TILES = """
    SELECT c.cabinet, c.label, c.program, c.enrolled_at, c.hello_at, c.identity, s.at, s.status, s.clock_off_ms,
           extract(epoch FROM clock_timestamp() - s.at) AS age_s, a.alarms
    FROM venue.cabinet c
    LEFT JOIN venue.status s USING (cabinet)
    LEFT JOIN (
        SELECT cabinet, jsonb_agg(jsonb_build_object('code', code, 'severity', severity,
                                                     'seen', acknowledged_at IS NOT NULL) ORDER BY since) AS alarms
        FROM venue.alarm WHERE over_at IS NULL AND cabinet IS NOT NULL GROUP BY cabinet
    ) a USING (cabinet)
"""


def statuses() -> list[Row]:
    """Return all cabinets in service with their status (`venue.page.statuses`) and open alarms."""
    return _tiles("WHERE NOT c.retired ORDER BY c.cabinet")


def status(cabinet: int) -> Row | None:
    """Return one cabinet, retired or not; None if the number was never enrolled."""
    found = _tiles("WHERE c.cabinet = %s", [cabinet])
    return found[0] if found else None


def _tiles(which: str, parameters: Parameters = ()) -> list[Row]:
    return [{**row, "status": read(row["status"])} for row in rows(f"{_TILES} {which}", parameters)]
