"""Reading rows by SQL: what every query of the page uses."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import psycopg
from django.db import connection

Parameters = Sequence[Any] | Mapping[str, Any]
Row = dict[str, Any]
_JSONB = psycopg.adapters.types["jsonb"].oid
"""Django leaves jsonb as text for its own fields."""
_DEEPEST = 30
_MOST = 2**63
_SHOWN = 500
"""Letters of a JSON that is shown as it came."""


def rows(sql: str, parameters: Parameters = ()) -> list[Row]:
    """Return the rows of `sql` as dictionaries by column."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters or None)
        columns = cursor.description
        names = [one.name for one in columns]
        found = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    for name in (one.name for one in columns if one.type_code == _JSONB):
        for each in found:
            each[name] = None if each[name] is None else decoded(each[name])
    return found


def decoded(text: str) -> Any:
    """Return what a JSON means; its own beginning where no page could show it: cabinets may send anything.

    PostgreSQL takes numbers of a hundred thousand digits, and arrays in arrays without end.
    """
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text[:_SHOWN]
    return found if _is_plain(found, _DEEPEST) else text[:_SHOWN]


def _is_plain(value: object, levels: int) -> bool:
    if isinstance(value, int):
        return abs(value) < _MOST
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels > 0 and all(_is_plain(one, levels - 1) for one in inner)


def row(sql: str, parameters: Parameters = ()) -> Row | None:
    """Return the first row of `sql`, None where there is none."""
    found = rows(sql, parameters)
    return found[0] if found else None


def value(sql: str, parameters: Parameters = ()) -> Any:
    """Return the one value that `sql` yields; None where it yields no row."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters or None)
        found = cursor.fetchone()
    return None if found is None else found[0]
