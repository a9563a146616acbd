"""Events of all cabinets, searched by cabinet, code, day and text."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from venue.page.queries.rows import Row, rows

_EVENTS = """
    SELECT e.cabinet, c.label, e.epoch, e.seq, e.code, e.body, e.cab_at, e.at
    FROM venue.event e JOIN venue.cabinet c USING (cabinet)
    WHERE e.at >= %(since)s AND e.at < %(until)s
      AND (%(cabinet)s::int IS NULL OR e.cabinet = %(cabinet)s)
      AND (%(code)s = '' OR e.code = %(code)s)
      AND (%(text)s = '' OR lower(e.body::text) LIKE ANY (%(patterns)s))
    ORDER BY e.at DESC, e.cabinet, e.epoch DESC, e.seq DESC LIMIT %(limit)s OFFSET %(offset)s
"""


_NEAREST = (timedelta(days=7), timedelta(days=60))
"""What is searched first for a text: most of what is looked for is new, and its index is slow for common words."""


def found(wanted: Mapping[str, object], since: datetime, until: datetime, limit: int, offset: int) -> list[Row]:
    """Return events received from `since` up to `until`, newest first; `wanted` names cabinet, code and text.

    `also` of `wanted` are English texts that are looked for beside `text`.
    """
    text, also = str(wanted["text"]), wanted.get("also", ())
    patterns = [_pattern(one) for one in (text, *(also if isinstance(also, Sequence) else ()))]
    asked = {**wanted, "also": None, "patterns": patterns, "until": until, "limit": limit, "offset": offset}
    for near in _NEAREST if text else ():
        if until - near > since and len(rows_found := rows(_EVENTS, {**asked, "since": until - near})) == limit:
            return rows_found
    return rows(_EVENTS, {**asked, "since": since})


def _pattern(text: str) -> str:
    for letter in ("\\", "%", "_"):
        text = text.replace(letter, f"\\{letter}")
    return f"%{text.lower()}%"


def codes() -> list[str]:
    """Return the codes of events that there are, by the recursive walk of an index instead of a scan of all."""
    return [
        row["code"]
        for row in rows(
            "WITH RECURSIVE walk AS ("
            " (SELECT code FROM venue.event ORDER BY code LIMIT 1)"
            " UNION ALL SELECT (SELECT e.code FROM venue.event e WHERE e.code > w.code ORDER BY e.code LIMIT 1)"
            " FROM walk w WHERE w.code IS NOT NULL)"
            " SELECT code FROM walk WHERE code IS NOT NULL"
        )
    ]
