"""Frames between the supervisor and the link's process: a four-byte length, then MessagePack."""

import asyncio
from typing import Any

import msgspec

MOST_BYTES = 16 << 20
"""The longest frame; 500 ledger rows with their figures are far smaller."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode


async def read_frame(reader: asyncio.StreamReader) -> Any:
    """Return the next frame's content; raise `OSError` at the end of the connection or for a frame that is too long."""
    try:
        length = int.from_bytes(await reader.readexactly(4), "big")
        if length > MOST_BYTES:
            raise OSError(f"a frame of {length} bytes")
        return _decode(await reader.readexactly(length))
    except (asyncio.IncompleteReadError, msgspec.DecodeError) as error:
        raise OSError(str(error)) from error


def framed(content: object) -> bytes:
    """Return `content` as a frame."""
    body = _encode(content)
    return len(body).to_bytes(4, "big") + body
