"""Queries of the audit log."""

from collections.abc import Mapping

from venue.page.queries.rows import Row, rows


def newest(wanted: Mapping[str, str], limit: int, offset: int) -> list[Row]:
    """Return audit log entries, newest first, filtered by the person and the words in `wanted`."""
    return rows(
        "SELECT entry, at, by, act, cabinet, detail::text AS detail FROM venue.audit"
        " WHERE (%(by)s = '' OR by = %(by)s) AND (%(act)s = '' OR strpos(lower(act), lower(%(act)s)) > 0)"
        " ORDER BY entry DESC LIMIT %(limit)s OFFSET %(offset)s",
        {**wanted, "limit": limit, "offset": offset},
    )
