"""Helpers to run SQL, used by all queries of the page."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import psycopg
from django.db import connection

Parameters = Sequence[Any] | Mapping[str, Any]
Row = dict[str, Any]
_JSONB = psycopg.adapters.types["jsonb"].oid
"""Type OID of jsonb, which Django's connection returns as text."""
_DEEPEST = 30
_MOST = 2**63
_SHOWN = 500
"""Maximum characters of JSON text that is shown undecoded."""


def rows(sql: str, parameters: Parameters = ()) -> list[Row]:
    """Run `sql`; return its rows as dictionaries by column name."""
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
    """Decode JSON text; return the first characters of the text if a page could not show the value.

    Cabinets may send anything, and PostgreSQL accepts numbers of a hundred thousand digits and deeply nested arrays.
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
    """Run `sql`; return its first row, or None if there is none."""
    found = rows(sql, parameters)
    return found[0] if found else None


def value(sql: str, parameters: Parameters = ()) -> Any:
    """Run `sql`; return the first value of its first row, or None if there is no row."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters or None)
        found = cursor.fetchone()
    return None if found is None else found[0]
