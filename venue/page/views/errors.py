"""Pages of refusals: what was refused and what to do, without a word about the inside."""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext

_WITHOUT_DATABASE = ("08", "53", "57P")
"""The beginnings of SQLSTATE that say that the server is out of reach, has no room, or ends and begins."""


def _error(request: HttpRequest, status: int, title: str, text: str) -> HttpResponse:
    return render(request, "page/error.html", {"title": title, "text": text}, status=status)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001 - Django's own signature
    """Answer a request that cannot be read."""
    return _error(request, 400, gettext("Not understood"), gettext("The request could not be read, or was too large."))


def too_large(request: HttpRequest) -> HttpResponse:
    """Answer a request that is larger than a form, without having read it."""
    text = gettext("A form is never so large. Only an operator who is logged in uploads software.")
    return _error(request, 413, gettext("Too large"), text)


def denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001 - Django's own signature
    """Answer an account whose role does not suffice."""
    text = gettext("Your role does not open this. Ask an administrator for a higher one.")
    return _error(request, 403, gettext("Not allowed"), text)


def csrf(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 - Django's own signature
    """Answer a form that did not come from a page of this session."""
    text = gettext("The form came from another page or an older session. Load the page again and repeat it.")
    return _error(request, 403, gettext("Not accepted"), text)


def missing(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001 - Django's own signature
    """Answer an address that there is not."""
    return _error(request, 404, gettext("Not found"), gettext("There is nothing under this address."))


def failed(request: HttpRequest) -> HttpResponse:
    """Answer a request at which the page itself failed; the log has the cause. Without the database with 503."""
    if _is_without_database(sys.exception()):
        answer = render(request, "page/unreachable.html", status=503)
        answer["Retry-After"] = "10"
        return answer
    return _error(request, 500, gettext("The page has failed"), gettext("The log of the venue's machine says why."))


def _is_without_database(error: BaseException | None) -> bool:
    """Whether a request failed as PostgreSQL does not answer: a refused connection has no SQLSTATE at all."""
    if not isinstance(error, InterfaceError | OperationalError):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith(_WITHOUT_DATABASE)
