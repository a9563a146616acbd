"""The host's end of a SAS line: a pty, a line in memory, and a link that carries the wake-up bit.

What arrives is handed to `listener` as pairs of byte and wake-up bit, None where the link has no such bit.
"""

import asyncio
import os
import tty
from collections.abc import Callable, Sequence
from pathlib import Path
from termios import TCIOFLUSH, tcflush
from typing import Protocol

from drivers.simulated.line import Line

Pairs = Sequence[tuple[int, bool | None]]
Listener = Callable[[Pairs], None]

CHUNK = 4096


def _nobody(_pairs: Pairs) -> None:
    """Nobody listens yet."""


class HostLink(Protocol):
    """A line on which the host writes and listens."""

    listener: Listener

    def send(self, data: bytes, *, wake: bool = True) -> None:
        """Write; the first byte has the wake-up bit where `wake`, the others never."""


class PtyHostLink:
    """A pty that a machine opens at `path`, a symbolic link; it has no wake-up bit. Made inside a running loop."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.listener: Listener = _nobody
        self.lost = 0
        """Bytes that found the machine's buffer full: nobody was reading."""
        # The slave stays open here: without any holder the master reads EIO and its reader spins.
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        path.symlink_to(os.ttyname(self._slave))
        asyncio.get_running_loop().add_reader(self._master, self._readable)

    def __repr__(self) -> str:
        return f"<PtyHostLink {self.path}>"

    def send(self, data: bytes, *, wake: bool = True) -> None:  # noqa: ARG002 - a pty carries no wake-up bit
        """Write; what no buffer takes is lost, as on a wire."""
        try:
            written = os.write(self._master, data)
        except BlockingIOError:
            written = 0
        self.lost += len(data) - written

    def forget(self) -> None:
        """Throw away what nobody has read: a wire keeps nothing for a machine without power."""
        tcflush(self._slave, TCIOFLUSH)

    def close(self) -> None:
        """Take the line away."""
        asyncio.get_running_loop().remove_reader(self._master)
        self.path.unlink(missing_ok=True)
        os.close(self._master)
        os.close(self._slave)

    def _readable(self) -> None:
        self.listener([(byte, None) for byte in os.read(self._master, CHUNK)])


class MemoryHostLink:
    """The far end of a `drivers.simulated.memory_line.MemoryLine`: no kernel, no wake-up bit, virtual time."""

    def __init__(self) -> None:
        self.listener: Listener = _nobody
        self._line: Line | None = None

    def connect(self, line: Line) -> None:
        """Remember the line."""
        self._line = line

    def receive(self, data: bytes) -> None:
        """Bytes from the machine have arrived."""
        self.listener([(byte, None) for byte in data])

    def power(self, *, on: bool) -> None:
        """A host has its own mains."""

    def send(self, data: bytes, *, wake: bool = True) -> None:  # noqa: ARG002 - this line has no wake-up bit
        """Write to the machine."""
        assert self._line is not None
        self._line.send(data)


class BitLink:
    """A link that carries the wake-up bit: `carry` takes the host's pairs, `arrive` brings the machine's."""

    def __init__(self, carry: Callable[[Sequence[tuple[int, bool]]], None]) -> None:
        self.listener: Listener = _nobody
        self._carry = carry

    def send(self, data: bytes, *, wake: bool = True) -> None:
        """Write; the first byte has the wake-up bit where `wake`."""
        self._carry([(byte, wake and place == 0) for place, byte in enumerate(data)])

    def arrive(self, pairs: Sequence[tuple[int, bool]]) -> None:
        """Bring what the machine has written."""
        self.listener(list(pairs))
