"""The audit log: every change that a person makes on the page adds one row in the same transaction."""

import json
from collections.abc import Mapping

from django.db import connection
from django.http import HttpRequest

from venue.page.access import account


def act(request: HttpRequest, what: str, *, cabinet: int | None = None, **detail: object) -> None:
    """Record that the account of `request` did `what`; `detail` must not contain a password or a code."""
    record(account(request).username, what, cabinet=cabinet, detail=detail)


def record(by: str, what: str, *, cabinet: int | None = None, detail: Mapping[str, object] | None = None) -> None:
    """Record that the person `by` did `what`."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT venue.note(%s, %s, %s, %s::jsonb)", [by, what, cabinet, json.dumps(detail or {}, default=str)]
        )
