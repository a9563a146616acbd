"""Error pages: they say what was refused and what to do, and reveal no internals."""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext

_WITHOUT_DATABASE = ("08", "53", "57P")
"""SQLSTATE prefixes for a server that is unreachable, out of resources, or shutting down or starting."""


def _error(request: HttpRequest, status: int, title: str, text: str) -> HttpResponse:
    return render(request, "page/error.html", {"title": title, "text": text}, status=status)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001 - Django's own signature
    """Return status 400 for a request that cannot be read."""
    return _error(request, 400, gettext("Not understood"), gettext("The request could not be read, or was too large."))


def too_large(request: HttpRequest) -> HttpResponse:
    """Return status 413 for a request that is larger than a form, without reading it."""
    text = gettext("A form is never so large. Only an operator who is logged in uploads software.")
    return _error(request, 413, gettext("Too large"), text)


def denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001 - Django's own signature
    """Return status 403 for an account whose role is too low."""
    text = gettext("Your role does not open this. Ask an administrator for a higher one.")
    return _error(request, 403, gettext("Not allowed"), text)


def csrf(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 - Django's own signature
    """Return status 403 for a form that is not from a page of this session."""
    text = gettext("The form came from another page or an older session. Load the page again and repeat it.")
    return _error(request, 403, gettext("Not accepted"), text)


def missing(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001 - Django's own signature
    """Return status 404 for an unknown URL."""
    return _error(request, 404, gettext("Not found"), gettext("There is nothing under this address."))


def failed(request: HttpRequest) -> HttpResponse:
    """Return status 500 after an error in the page, whose cause is in the log, or 503 without the database."""
    if _is_without_database(sys.exception()):
        answer = render(request, "page/unreachable.html", status=503)
        answer["Retry-After"] = "10"
        return answer
    return _error(request, 500, gettext("The page has failed"), gettext("The log of the venue's machine says why."))


def _is_without_database(error: BaseException | None) -> bool:
    """Whether a request failed because PostgreSQL is unavailable; a refused connection has no SQLSTATE."""
    if not isinstance(error, InterfaceError | OperationalError):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith(_WITHOUT_DATABASE)
