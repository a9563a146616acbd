"""Within the emulated machine, as root: keeps contacts closed, whatever pull-up their lines are claimed with.

`python3 shut.py CHIP SIM LINE...`: gpio-sim takes the bias that a line is claimed with for the level outside, where a
closed contact to ground outweighs it. So each claim of the lines is watched, and their levels are pulled down again
before whoever has claimed them gets another turn. Source: the kernel's `linux/gpio.h`, second version of the watch
(since Linux 5.10). It needs nothing but the standard library.
"""

import fcntl
import os
import struct
import sys
from pathlib import Path

LINE = struct.Struct("=32s32sIIQ160s16s")
CHANGED_BYTES = LINE.size + 32
WATCH = 0xC100B406


def main(chip: str, sim: Path, *lines: int) -> None:
    """Keep them closed, until SIGTERM."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    pulls = {line: os.open(sim / f"sim_gpio{line}" / "pull", os.O_WRONLY) for line in lines}
    watched = os.open(chip, os.O_RDONLY)
    for line, pull in pulls.items():
        fcntl.ioctl(watched, WATCH, LINE.pack(b"", b"", line, 0, 0, b"", b""))
        os.pwrite(pull, b"pull-down", 0)
    while changes := os.read(watched, 16 * CHANGED_BYTES):
        for at in range(0, len(changes), CHANGED_BYTES):
            line = LINE.unpack_from(changes, at)[2]
            os.pwrite(pulls[line], b"pull-down", 0)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *(int(line) for line in sys.argv[3:]))
