"""What is done for every request: the headers that keep a page to itself, and the account's own language."""

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


def bounded(get_response: Handler) -> Handler:
    """Read a large body only for somebody who may upload software, to that address; others are refused before it.

    What comes with a form that is no upload is kept in memory, where there is room for it: nothing reaches the disk.
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
    """Answer in the language that the account has chosen; without an account in the browser's."""

    def handle(request: HttpRequest) -> HttpResponse:
        chosen = getattr(request.user, "language", "")
        if chosen in dict(settings.LANGUAGES):
            translation.activate(chosen)
            request.LANGUAGE_CODE = chosen
        return get_response(request)

    return handle
