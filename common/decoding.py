"""Decodes JSON from an untrusted sender: for any bytes, a decoder returns a value or raises `UnreadableError`."""

from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec

from common.error_words import error_words


class UnreadableError(ValueError):
    """A packet is not a valid message. The error text is short and printable, whatever the packet contains."""


def decoder(kind: Any) -> Callable[[bytes | msgspec.Raw], Any]:
    """Return a function that decodes JSON to `kind` and raises only `UnreadableError` for invalid input."""
    return _decoder(kind)


@cache
def _decoder(kind: Any) -> Callable[[bytes | msgspec.Raw], Any]:
    decode = msgspec.json.Decoder(kind).decode

    def read(packet: bytes | msgspec.Raw) -> Any:
        try:
            return decode(packet)
        # Besides msgspec's own errors, invalid UTF-8, deep nesting and numbers too long to convert raise errors without
        # a common base class. The decoder's only input is the packet, so the packet causes every error.
        except Exception as error:
            reason = ascii(error_words(error))[1:-1]
            raise UnreadableError(f"{type(error).__name__}: {reason[:_LONGEST_REASON]}") from error

    return read


_LONGEST_REASON = 120
