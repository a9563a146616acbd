"""A shared file that mirrors each presented frame; the bench and tests read it instead of a monitor.

The file has a header of 4096 bytes, little-endian `<4sIIIQQ`: magic `GLAS`, width, height, front buffer (0 or 1), frame
number, CLOCK_MONOTONIC nanoseconds of presentation; then two buffers of width x height x 4 bytes (BGRX). The writer
fills the back buffer, then updates the header. It holds an exclusive `flock` while it runs, so a reader who gets the
lock knows that the monitor is dark.
"""

import fcntl
import mmap
import os
import struct
from pathlib import Path

import pygame

from ui.own_files import refuse_foreign

MAGIC = b"GLAS"
HEADER = struct.Struct("<4sIIIQQ")
HEADER_BYTES = 4096


class FrameMirrorBusyError(RuntimeError):
    """Another display already writes this frame mirror."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is held by another display: end that one first, or name another --frame-mirror")


class FrameMirror:
    """Writes frames of `size` pixels into the file at `path`; raises `FrameMirrorBusyError`, `OSError`."""

    def __init__(self, path: Path, size: tuple[int, int]) -> None:
        self._size = size
        self._bytes = size[0] * size[1] * 4
        refuse_foreign(path, (MAGIC,), unfinished=True)
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._descriptor)
            raise FrameMirrorBusyError(path) from None
        os.ftruncate(self._descriptor, HEADER_BYTES + 2 * self._bytes)
        self._map = mmap.mmap(self._descriptor, HEADER_BYTES + 2 * self._bytes)
        magic, width, height, front, number, _when = HEADER.unpack_from(self._map)
        # A restarted display continues the frame numbers, so that no reader takes an old frame for a new one.
        known = magic == MAGIC and (width, height) == size
        self._front = front & 1 if known else 0
        self.number = number if known else 0

    def __repr__(self) -> str:
        return f"<FrameMirror {self._size[0]}x{self._size[1]} frame {self.number}>"

    def write(self, canvas: pygame.Surface, when_ns: int) -> None:
        """Make `canvas` (32 bits a pixel, of the mirror's size) the front frame, presented at `when_ns`."""
        back = 1 - self._front
        start = HEADER_BYTES + back * self._bytes
        with memoryview(self._map) as whole:
            whole[start : start + self._bytes] = canvas.get_buffer().raw
        self._front = back
        self.number += 1
        # pack_into would clear the header first, and a reader at that moment would find the monitor dark.
        self._map[: HEADER.size] = HEADER.pack(MAGIC, *self._size, self._front, self.number, when_ns)

    def close(self) -> None:
        """Release the lock, which tells readers that the monitor is dark."""
        self._map.close()
        os.close(self._descriptor)
