"""Within the emulated machine, as root: a touch screen and a keyboard of the kernel's uinput, until SIGTERM.

`python3 finger.py FIFO`: each line of FIFO, `tap X Y` in parts of 65,536 of the screen or `key CODE`, is done. The
codes are those of linux/input-event-codes.h, the requests those of linux/uinput.h.
"""

import fcntl
import os
import struct
import sys
import time
from collections.abc import Iterable
from pathlib import Path

SYN, KEY, ABS = 0, 1, 3
BTN_TOUCH = 0x14A
SLOT, X, Y, MT_X, MT_Y, TRACKING = 0x2F, 0, 1, 0x35, 0x36, 0x39
DIRECT = 1
SET_EVBIT, SET_KEYBIT, SET_ABSBIT, SET_PROPBIT = 0x40045564, 0x40045565, 0x40045567, 0x4004556E
DEV_CREATE, DEV_SETUP, ABS_SETUP = 0x5501, 0x405C5503, 0x401C5504
USB = 3
HELD_S = 0.3
_EVENT = struct.Struct("llHHi")


def device(name: str, product: int, keys: Iterable[int], axes: Iterable[tuple[int, int]]) -> int:
    """Make an input device; return its descriptor."""
    file = os.open("/dev/uinput", os.O_WRONLY | os.O_NONBLOCK)
    fcntl.ioctl(file, SET_EVBIT, KEY)
    for key in keys:
        fcntl.ioctl(file, SET_KEYBIT, key)
    ranges = list(axes)
    if ranges:
        fcntl.ioctl(file, SET_EVBIT, ABS)
        fcntl.ioctl(file, SET_PROPBIT, DIRECT)
    for axis, most in ranges:
        fcntl.ioctl(file, SET_ABSBIT, axis)
        fcntl.ioctl(file, ABS_SETUP, struct.pack("H2x6i", axis, 0, 0, most, 0, 0, 0))
    fcntl.ioctl(file, DEV_SETUP, struct.pack("4H80sI", USB, 0x16C0, product, 1, name.encode(), 0))
    fcntl.ioctl(file, DEV_CREATE)
    return file


def put(file: int, *events: tuple[int, int, int]) -> None:
    """Report events and their end."""
    os.write(file, b"".join(_EVENT.pack(0, 0, *event) for event in (*events, (SYN, 0, 0))))


def main(fifo: Path) -> None:
    """Make both, and do what is asked."""
    axes = ((SLOT, 9), (X, 65535), (Y, 65535), (MT_X, 65535), (MT_Y, 65535), (TRACKING, 65535))
    screen = device("pi-touch", 1, (BTN_TOUCH,), axes)
    keyboard = device("pi-keyboard", 2, range(1, 120), ())
    number = 0
    while True:
        for line in fifo.read_text(encoding="ascii").splitlines():
            word, *rest = line.split()
            if word == "key":
                put(keyboard, (KEY, int(rest[0]), 1))
                put(keyboard, (KEY, int(rest[0]), 0))
                continue
            number += 1
            x, y = map(int, rest)
            place = ((ABS, MT_X, x), (ABS, MT_Y, y))
            put(screen, (ABS, TRACKING, number), *place, (KEY, BTN_TOUCH, 1), (ABS, X, x), (ABS, Y, y))
            time.sleep(HELD_S)
            put(screen, (ABS, TRACKING, -1), (KEY, BTN_TOUCH, 0))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
