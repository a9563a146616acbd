"""Acts that the schema may refuse: done in a transaction of their own, and said to the person either way."""

from collections.abc import Callable

import psycopg
from django.contrib import messages
from django.db import DatabaseError, transaction
from django.http import HttpRequest
from django.utils.translation import gettext

from venue.page.queries.acting import reason


def attempt(request: HttpRequest, done: str, call: Callable[[], object]) -> bool:
    """Do `call`; show `done`, or why it was refused. Return whether it was done."""
    try:
        with transaction.atomic():
            call()
    except (DatabaseError, psycopg.Error) as error:
        messages.error(request, gettext("Refused: %(why)s") % {"why": reason(error)})
        return False
    if done:
        messages.success(request, done)
    return True
