"""What is done for every request: the headers that keep a page to itself, and the account's own language."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation

Handler = Callable[[HttpRequest], HttpResponse]

POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
"""Content-Security-Policy: nothing from outside, no script or style written into a page."""


def content_security(get_response: Handler) -> Handler:
    """Send `POLICY` with every answer, and no page of an account into a cache."""

    def handle(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response["Content-Security-Policy"] = POLICY
        response["Permissions-Policy"] = "camera=(), geolocation=(), microphone=(), payment=()"
        if not request.path.startswith("/static/"):
            response.setdefault("Cache-Control", "no-store")
        return response

    return handle


def own_language(get_response: Handler) -> Handler:
    """Answer in the language that the account has chosen; without an account in the browser's."""

    def handle(request: HttpRequest) -> HttpResponse:
        chosen = getattr(request.user, "language", "")
        if chosen in dict(settings.LANGUAGES):
            translation.activate(chosen)
            request.LANGUAGE_CODE = chosen
        return get_response(request)

    return handle
