"""Reading rows by SQL: what every query of the page uses."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
from django.db import connection

Parameters = Sequence[Any] | Mapping[str, Any]
Row = dict[str, Any]
_JSONB = psycopg.adapters.types["jsonb"].oid
"""Django leaves jsonb as text for its own fields."""


def rows(sql: str, parameters: Parameters = ()) -> list[Row]:
    """Return the rows of `sql` as dictionaries by column."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters or None)
        columns = cursor.description
        names = [one.name for one in columns]
        found = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    for name in (one.name for one in columns if one.type_code == _JSONB):
        for each in found:
            each[name] = None if each[name] is None else json.loads(each[name])
    return found


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
