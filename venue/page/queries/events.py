"""Queries for events of all cabinets, by cabinet, code, time and text."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from venue.page.cabinet_words import FEWEST_LETTERS, Sought
from venue.page.queries.rows import Row, rows

# Lists load whole events; a long event is reduced to the beginning of its text.
_COLUMNS = """
    SELECT e.cabinet, c.label, e.epoch, e.seq, e.code, e.cab_at, e.at,
           CASE WHEN octet_length(e.body::text) <= 65536 THEN e.body
                ELSE jsonb_build_object('text', left(coalesce(e.body ->> 'text', e.body::text), 1001)) END AS body
"""
_IN_SPAN = """
    e.at >= %(since)s AND e.at < %(until)s
    AND (%(cabinet)s::int IS NULL OR e.cabinet = %(cabinet)s)
    AND (%(code)s = '' OR e.code = %(code)s)
"""
_NEWEST = "ORDER BY e.at DESC, e.cabinet, e.epoch DESC, e.seq DESC"
_CUT = "LIMIT %(limit)s OFFSET %(offset)s"

_EVENTS = f"""
    {_COLUMNS} FROM venue.event e JOIN venue.cabinet c USING (cabinet) WHERE {_IN_SPAN} {_NEWEST} {_CUT}
"""
_WITH_TEXT = f"""
    WITH hit AS MATERIALIZED (SELECT e.cabinet, e.epoch, e.seq, e.at FROM venue.event e WHERE {_IN_SPAN} AND (%s)),
    h AS (SELECT * FROM hit e {_NEWEST} {_CUT})
    {_COLUMNS} FROM h JOIN venue.event e USING (cabinet, epoch, seq, at) JOIN venue.cabinet c USING (cabinet) {_NEWEST}
"""  # noqa: S608 - literals
_TEXT = "lower(coalesce(e.body ->> 'text', e.body::text))"
# The subselects hide the search text from the planner. It takes a text that no event contains for a frequent one, and
# would scan a whole year.
_LIKE = f"{_TEXT} LIKE (SELECT %%(%s)s)"
_SHORT_LIKE = f"{_TEXT} || '' LIKE %%(%s)s"
"""`|| ''` prevents the use of the trigram index, which would be scanned completely for a short word."""
_SAID = "e.said && (SELECT %%(%s)s::text[])"

_NEAREST = (timedelta(days=7), timedelta(days=60))
"""Time spans that a text search tries first: most searches are for recent events, and common words are slow to find."""
SHORT = _NEAREST[0]
"""Time span for a text that is too short for the trigram index."""


class Wanted(NamedTuple):
    """A search for events: cabinet (None for all), code and text ("" for any), and the words of the text."""

    cabinet: int | None
    code: str
    text: str
    words: tuple[Sought, ...] = ()

    @property
    def is_short(self) -> bool:
        """Whether the text is so short that only the newest days are searched."""
        return 0 < len(self.text) < FEWEST_LETTERS


def found(wanted: Wanted, since: datetime, until: datetime, limit: int, offset: int) -> list[Row]:
    """Return events received from `since` up to `until`, newest first."""
    asked: dict[str, object] = {"cabinet": wanted.cabinet, "code": wanted.code, "until": until, "limit": limit}
    asked["offset"] = offset
    if not wanted.text:
        return rows(_EVENTS, {**asked, "since": since})
    if wanted.is_short:
        since = max(since, until - SHORT)
    # The query collects the hits before it sorts them. The planner takes words to be independent of each other and of
    # the day, and would otherwise walk a year of events in order for a text that no event contains.
    patterns, condition = _condition(wanted)
    query = _WITH_TEXT.replace("%s)", f"{condition})")
    for near in _NEAREST:
        if until - near > since:
            rows_found = rows(query, {**asked, **patterns, "since": until - near})
            if len(rows_found) == limit:
                return rows_found
    return rows(query, {**asked, **patterns, "since": since})


def _condition(wanted: Wanted) -> tuple[dict[str, object], str]:
    """Return parameters and condition: match the text as typed, or each of its `words` in either language."""
    parameters: dict[str, object] = {"text": _pattern(wanted.text)}
    if any(len(word) >= FEWEST_LETTERS for word, _ in wanted.words):  # shorter words cannot use the index
        return parameters, " AND ".join(_words(wanted.words, parameters))
    return parameters, _LIKE % "text"


def _words(words: tuple[Sought, ...], parameters: dict[str, object]) -> Iterator[str]:
    for number, (word, english) in enumerate(words):
        parameters[f"word{number}"], parameters[f"said{number}"] = _pattern(word), list(english)
        as_it_is = (_SHORT_LIKE if len(word) < FEWEST_LETTERS else _LIKE) % f"word{number}"
        said = _SAID % f"said{number}"
        yield f"({as_it_is} OR {said})" if english else as_it_is


def _pattern(text: str) -> str:
    for letter in ("\\", "%", "_"):
        text = text.replace(letter, f"\\{letter}")
    return f"%{text.lower()}%"


def codes() -> list[str]:
    """Return the event codes in use; a recursive index walk avoids a scan of all events."""
    return [
        row["code"]
        for row in rows(
            "WITH RECURSIVE walk AS ("
            " (SELECT code FROM venue.event ORDER BY code LIMIT 1)"
            " UNION ALL SELECT (SELECT e.code FROM venue.event e WHERE e.code > w.code ORDER BY e.code LIMIT 1)"
            " FROM walk w WHERE w.code IS NOT NULL)"
            " SELECT code FROM walk WHERE code IS NOT NULL LIMIT 500"
        )
    ]
