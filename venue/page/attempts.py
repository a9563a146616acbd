"""Actions that the database schema may refuse: each runs in its own savepoint and reports its result to the user."""

from collections.abc import Callable

import psycopg
from django.contrib import messages
from django.db import DatabaseError, transaction
from django.http import HttpRequest
from django.utils.translation import gettext

from venue.page.queries.acting import reason


def attempt(request: HttpRequest, done: str, call: Callable[[], object]) -> bool:
    """Run `call` and show the message `done` or the reason of a refusal; return whether it succeeded."""
    try:
        with transaction.atomic():
            call()
    except (DatabaseError, psycopg.Error) as error:
        messages.error(request, gettext("Refused: %(why)s") % {"why": reason(error)})
        return False
    if done:
        messages.success(request, done)
    return True
