#!/usr/bin/python3 -I
"""Locks the Linux console on tty1, with its keyboard off: `lock_console.py lock|unlock` (console_ioctl(4)).

Locked, no key and no program without CAP_SYS_TTY_CONFIG switches to another terminal; with the keyboard off no key
reaches a terminal, so none ends a program or writes into the picture. Run by cabinet-console.service as root; it
imports nothing of the cabinet's, so that it works where the program does not.
"""

import fcntl
import os
import sys

VT_ACTIVATE = 0x5606
VT_WAITACTIVE = 0x5607
VT_LOCKSWITCH = 0x560B
VT_UNLOCKSWITCH = 0x560C
KDSKBMODE = 0x4B45
K_UNICODE = 0x03
K_OFF = 0x04

CONSOLE = "/dev/tty0"
OURS = 1

ACTS = {
    "lock": ((VT_ACTIVATE, OURS), (VT_WAITACTIVE, OURS), (VT_LOCKSWITCH, 0), (KDSKBMODE, K_OFF)),
    "unlock": ((KDSKBMODE, K_UNICODE), (VT_UNLOCKSWITCH, 0)),
}
"""What is asked of the console; the foreground terminal is tty1 by the time that the keyboard's turn comes."""


def main(arguments: list[str]) -> int:
    """Lock or unlock; return the exit code."""
    if len(arguments) != 1 or arguments[0] not in ACTS:
        sys.stderr.write("usage: lock_console.py lock|unlock\n")
        return 2
    try:
        console = os.open(CONSOLE, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        sys.stderr.write(f"{CONSOLE}: {error.strerror}: the console stays as it is\n")
        return 1
    try:
        for request, value in ACTS[arguments[0]]:
            fcntl.ioctl(console, request, value)
    except OSError as error:
        sys.stderr.write(f"{CONSOLE}: {error.strerror}: run it as root, with CAP_SYS_TTY_CONFIG\n")
        return 1
    finally:
        os.close(console)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
