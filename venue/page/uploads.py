"""Upload handler that limits the size during the transfer and writes to a temporary file, not to memory."""

from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import StopUpload, TemporaryFileUploadHandler

LARGEST = 512 * 1024 * 1024
"""Maximum size of an upload in bytes; enough for a signed update with its art."""


class BoundedUploadHandler(TemporaryFileUploadHandler):
    """Writes an upload to a temporary file and resets the connection if it is larger than `LARGEST`."""

    def handle_raw_input(self, *given: Any, **named: Any) -> None:
        """Refuse a request before reading it if its Content-Length exceeds `LARGEST`."""
        length = named.get("content_length", given[2] if len(given) > 2 else 0)  # noqa: PLR2004 - third argument
        if length > LARGEST:
            raise RequestDataTooBig(f"an upload has at most {LARGEST} bytes")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Write a chunk; reset the connection if the chunk exceeds the limit."""
        if start + len(raw_data) > LARGEST:
            raise StopUpload(connection_reset=True)
        super().receive_data_chunk(raw_data, start)
