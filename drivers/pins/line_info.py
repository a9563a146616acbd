"""Read the users of a GPIO chip's lines from the kernel's character device, without requesting a line.

Source: the kernel's `linux/gpio.h`, second version of the line's description (since Linux 5.10).
"""

import fcntl
import os
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

_CHIP: Final = struct.Struct("=32s32sI")
_LINE: Final = struct.Struct("=32s32sIIQ160s16s")
_GET_CHIP: Final = 0x8044B401
_GET_LINE: Final = 0xC100B405
_USED: Final = 1 << 0
_OUTPUT: Final = 1 << 3


class LineInfo(NamedTuple):
    """A line: its number, its name on the board, and its user, empty if unused."""

    number: int
    name: str
    consumer: str
    output: bool


class ChipInfo(NamedTuple):
    """A GPIO chip: the kernel's name and label, and its lines."""

    name: str
    label: str
    lines: tuple[LineInfo, ...]

    @property
    def is_header(self) -> bool:
        """Whether it drives a Raspberry Pi's header: the chip of the BCM processor, or the Pi 5's RP1."""
        return self.label.startswith("pinctrl-")


def read_chip(path: Path, ioctl: Callable[[int, int, bytes], bytes] = fcntl.ioctl) -> ChipInfo:
    """Return the chip at `/dev/gpiochip<n>` with all its lines; raise `OSError` if it cannot be read."""
    with _opened(path) as fd:
        name, label, count = _CHIP.unpack(ioctl(fd, _GET_CHIP, bytes(_CHIP.size)))

        def line(number: int) -> LineInfo:
            question = _LINE.pack(b"", b"", number, 0, 0, b"", b"")
            name, consumer, _, _, flags, _, _ = _LINE.unpack(ioctl(fd, _GET_LINE, question))
            used = (_text(consumer) or "somebody") if flags & _USED else ""
            return LineInfo(number, _text(name), used, bool(flags & _OUTPUT))

        return ChipInfo(_text(name), _text(label), tuple(line(number) for number in range(count)))


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield fd
    finally:
        os.close(fd)


def _text(field: bytes) -> str:
    return field.split(b"\0", 1)[0].decode("utf-8", "replace")
