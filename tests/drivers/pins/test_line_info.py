"""The kernel's description of GPIO lines, on answers laid out as `linux/gpio.h` has them."""

import errno
import struct
from pathlib import Path

import pytest

from drivers.pins.line_info import ChipInfo, LineInfo, read_chip

GET_CHIP, GET_LINE = 0x8044B401, 0xC100B405
"""GPIO_GET_CHIPINFO_IOCTL and GPIO_V2_GET_LINEINFO_IOCTL, as a C program prints them."""
USED, ACTIVE_LOW, INPUT, OUTPUT = 1, 2, 4, 8


def _kernel(fd: int, request: int, question: bytes) -> bytes:
    """A chip of three lines: an output of lgpio's, a free input, one that is used without a name."""
    del fd
    if request == GET_CHIP:
        return b"gpiochip0".ljust(32, b"\0") + b"pinctrl-bcm2711".ljust(32, b"\0") + struct.pack("=I", 3)
    assert (request, len(question)) == (GET_LINE, 256)
    number = struct.unpack_from("=I", question, 64)[0]
    name, consumer, flags = [
        (b"ID_SDA", b"lg", USED | OUTPUT),
        (b"ID_SCL", b"", INPUT),
        (b"", b"", USED | ACTIVE_LOW | INPUT),
    ][number]
    answer = bytearray(256)
    struct.pack_into("=32s32sIIQ", answer, 0, name, consumer, number, 0, flags)
    return bytes(answer)


def test_each_line_has_its_user(tmp_path: Path) -> None:
    """A used line names its consumer, a nameless one is somebody's, a free one nobody's."""
    device = tmp_path / "gpiochip0"
    device.touch()
    lines = (
        LineInfo(0, "ID_SDA", "lg", output=True),
        LineInfo(1, "ID_SCL", "", output=False),
        LineInfo(2, "", "somebody", output=False),
    )
    found = read_chip(device, _kernel)
    assert found == ChipInfo("gpiochip0", "pinctrl-bcm2711", lines)
    assert found.is_header


def test_what_is_no_chip_is_an_error(tmp_path: Path) -> None:
    """The kernel refuses a file that is no GPIO chip, and a missing one is no chip either."""
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(OSError) as caught:  # noqa: PT011 - the error's number is looked at below
        read_chip(file)
    assert caught.value.errno in {errno.ENOTTY, errno.EINVAL}
    with pytest.raises(FileNotFoundError):
        read_chip(tmp_path / "missing")
