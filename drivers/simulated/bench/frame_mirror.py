"""A reader of the shared memory into which the display copies its canvas: the monitor's picture.

RUN/glass: a header of 4096 bytes, `<4sIIIQQ` (b"GLAS", width, height, front buffer 0 or 1, frame number,
CLOCK_MONOTONIC ns of its presentation), then two buffers of width x height x 4 bytes, BGRX. The display
writes the back buffer, then turns the header to it, and holds an exclusive flock on the file while it lives.
"""

import fcntl
import os
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

MAGIC = b"GLAS"
HEADER = struct.Struct("<4sIIIQQ")
HEADER_BYTES = 4096
PIXEL_BYTES = 4
LARGEST_SIDE = 8192
_TRIES = 8


class NoFrameError(RuntimeError):
    """There is no picture on the glass."""


class Frame(NamedTuple):
    """One whole picture: its number, when it was presented (CLOCK_MONOTONIC ns), its BGRX pixels by rows."""

    number: int
    ns: int
    pixels: bytes
    width: int
    height: int


class FrameMirror:
    """The reader of one glass file, which may appear, vanish and be replaced at any time.

    It reads instead of mapping: a new display that truncates a mapped file would kill its readers (SIGBUS).
    """

    def __init__(self, path: Path | str, *, read: Callable[[int, int, int], bytes] = os.pread) -> None:
        self.path = Path(path)
        self._read = read
        self._file: int | None = None
        self._last: Frame | None = None
        self._dark: bytes | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<FrameMirror {self.path} frame {self._last.number if self._last else None}>"

    def close(self) -> None:
        """Close the file; may be called twice."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        self._last = None
        self._dark = None

    def alive(self) -> bool:
        """Whether a display holds the glass; one that has come back counts from its first frame on.

        Nobody but the display may hold this lock for longer than the instant of the test, and a dark glass is
        not tested again before its header changes: a display that starts finds the lock free.
        """
        file = self._current()
        if file is None:
            return False
        header = self._read(file, HEADER.size, 0)
        if header == self._dark:
            return False
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            self._dark = None
            return True
        fcntl.flock(file, fcntl.LOCK_UN)
        self._dark = header
        return False

    def frame(self) -> Frame | None:
        """Return the newest whole frame, the same object until a new one comes; None before the first one.

        A display's last frame remains after its death: ask `alive` whether the glass is lit.
        """
        file = self._current()
        if file is None:
            return None
        for _ in range(_TRIES):
            header = self._read(file, HEADER.size, 0)
            if len(header) < HEADER.size:
                return None
            magic, width, height, front, number, ns = HEADER.unpack(header)
            if magic != MAGIC or not number or not 0 < width <= LARGEST_SIDE or not 0 < height <= LARGEST_SIDE:
                return None
            if self._last is not None and (number, ns) == (self._last.number, self._last.ns):
                return self._last
            size = width * height * PIXEL_BYTES
            pixels = self._read(file, size, HEADER_BYTES + (front & 1) * size)
            # Only an unmoved header proves that the display did not begin to overwrite this buffer meanwhile.
            if len(pixels) == size and self._read(file, HEADER.size, 0) == header:
                self._last = Frame(number, ns, pixels, width, height)
                break
        return self._last

    def save_png(self, path: Path | str) -> Frame:
        """Write the newest frame as PNG (RGB, 8 bits) and return it.

        Raises `NoFrameError` if there is none.
        """
        frame = self.frame()
        if frame is None:
            raise NoFrameError(f"{self.path}: no frame on the glass; is a display running on this directory?")
        Path(path).write_bytes(png(frame))
        return frame

    def _current(self) -> int | None:
        try:
            seen = self.path.stat()
        except FileNotFoundError:
            self.close()
            return None
        if self._file is not None and not os.path.samestat(seen, os.fstat(self._file)):
            self.close()
        if self._file is None:
            try:
                self._file = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                return None
        return self._file


def png(frame: Frame) -> bytes:
    """Return `frame` as a PNG file (PNG 1.2: RGB, 8 bits, no filter), with the standard library alone."""
    rgb = bytearray(frame.width * frame.height * 3)
    rgb[0::3], rgb[1::3], rgb[2::3] = frame.pixels[2::4], frame.pixels[1::4], frame.pixels[0::4]
    stride = frame.width * 3
    rows = b"".join(b"\0" + rgb[start : start + stride] for start in range(0, len(rgb), stride))
    head = struct.pack(">IIBBBBB", frame.width, frame.height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(rows, 6)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
