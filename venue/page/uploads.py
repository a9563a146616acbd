"""Uploaded files: bounded while they arrive, kept in a temporary file, never in memory."""

from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import StopUpload, TemporaryFileUploadHandler

LARGEST = 512 * 1024 * 1024
"""The largest upload in bytes: a signed update with its art."""


class BoundedUploadHandler(TemporaryFileUploadHandler):
    """Writes an upload to a temporary file, and cuts the connection of one that is larger than `LARGEST`."""

    def handle_raw_input(self, *given: Any, **named: Any) -> None:
        """Refuse a request whose announced length is too large, before any of it is read."""
        length = named.get("content_length", given[2] if len(given) > 2 else 0)  # noqa: PLR2004 - Django's third
        if length > LARGEST:
            raise RequestDataTooBig(f"an upload has at most {LARGEST} bytes")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Write a chunk; stop at the first beyond the limit."""
        if start + len(raw_data) > LARGEST:
            raise StopUpload(connection_reset=True)
        super().receive_data_chunk(raw_data, start)
