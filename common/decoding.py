"""JSON from a sender that is not trusted: whatever the bytes are, a decoder returns a value or raises one error."""

from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec

from common.error_words import error_words


class UnreadableError(ValueError):
    """A packet holds no message of its kind. The message is short and printable, whatever the packet held."""


def decoder(kind: Any) -> Callable[[bytes | msgspec.Raw], Any]:
    """Return what decodes JSON to `kind` and raises `UnreadableError`, and nothing else, for what is none."""
    return _decoder(kind)


@cache
def _decoder(kind: Any) -> Callable[[bytes | msgspec.Raw], Any]:
    decode = msgspec.json.Decoder(kind).decode

    def read(packet: bytes | msgspec.Raw) -> Any:
        try:
            return decode(packet)
        # Beside msgspec's own errors there are those of invalid UTF-8, of nesting, and of numbers too long to convert,
        # which have no base class in common. The decoder sees nothing but the packet: each is the packet's fault.
        except Exception as error:
            reason = ascii(error_words(error))[1:-1]
            raise UnreadableError(f"{type(error).__name__}: {reason[:_LONGEST_REASON]}") from error

    return read


_LONGEST_REASON = 120
