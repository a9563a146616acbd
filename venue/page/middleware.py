"""Middleware: security headers, the limit on request bodies, and the account's language."""

from collections.abc import Callable

from django.conf import settings
from django.core.files.uploadhandler import MemoryFileUploadHandler
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import translation

from venue.page.access import may
from venue.page.limits import LARGEST_FORM
from venue.page.views import errors

Handler = Callable[[HttpRequest], HttpResponse]

POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
"""Content-Security-Policy: only the page's own resources, no inline scripts or styles."""


def content_security(get_response: Handler) -> Handler:
    """Add `POLICY` to every response, and forbid caching of everything but static files."""

    def handle(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response["Content-Security-Policy"] = POLICY
        response["Permissions-Policy"] = "camera=(), geolocation=(), microphone=(), payment=()"
        if not request.path.startswith("/static/"):
            response.setdefault("Cache-Control", "no-store")
        return response

    return handle


def bounded(get_response: Handler) -> Handler:
    """Refuse a body above `LARGEST_FORM` before reading it, unless the account may upload software and does so.

    Files in any other form are kept in memory and never written to the disk.
    """

    def handle(request: HttpRequest) -> HttpResponse:
        announced = request.META.get("CONTENT_LENGTH") or "0"
        length = int(announced) if announced.isascii() and announced.isdigit() else 0
        uploads = request.path == reverse("upload") and may(request, "upload")
        if length > LARGEST_FORM and not uploads:
            return errors.too_large(request)
        if not uploads:
            request.upload_handlers = [MemoryFileUploadHandler(request)]
        return get_response(request)

    return handle


def own_language(get_response: Handler) -> Handler:
    """Answer in the language that the account has chosen, else in the browser's language."""

    def handle(request: HttpRequest) -> HttpResponse:
        chosen = getattr(request.user, "language", "")
        if chosen in dict(settings.LANGUAGES):
            translation.activate(chosen)
            request.LANGUAGE_CODE = chosen
        return get_response(request)

    return handle
