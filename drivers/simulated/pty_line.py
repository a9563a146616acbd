"""A serial line on a pseudo-terminal: a simulated device that any program can open like a serial port."""

import asyncio
import os
import tty
from pathlib import Path

from drivers.simulated.line import LineDevice
from drivers.simulated.misbehaviour import Misbehaviour, Way

CHUNK = 4096


class PtyLine:
    """A pty with `device` on its master side and a symbolic link at `link_path` to its slave.

    It is plugged in when constructed, inside a running event loop. Each `plug` makes a new pty and points the link at
    it, as a re-enumerated adapter does; `unplug` closes it.
    """

    def __init__(self, device: LineDevice, link_path: Path, misbehaviour: Misbehaviour | None = None) -> None:
        self.device = device
        self.link_path = link_path
        self.misbehaviour = misbehaviour or Misbehaviour()
        self._master: int | None = None
        self._slave: int | None = None
        self._dead = False
        self._held = False
        device.connect(self)
        self.plug()

    def __repr__(self) -> str:
        return f"<PtyLine {self.link_path} {'plugged' if self._master is not None else 'unplugged'}>"

    def plug(self) -> None:
        """Make the pty and its link; do nothing if it is already plugged in."""
        if self._master is not None:
            return
        # The slave stays open here: with no open slave the master reads EIO and its reader spins.
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        fresh = self.link_path.with_name(f"{self.link_path.name}.new")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(os.ttyname(self._slave))
        # A rename replaces the link atomically, so that no program opens a half-made line.
        fresh.replace(self.link_path)
        self._listen()

    @property
    def half_open(self) -> bool:
        """Whether the port can be opened but carries nothing, as with a hung adapter."""
        return self._dead

    @half_open.setter
    def half_open(self, dead: bool) -> None:
        self._dead = dead
        self._listen()

    def hold(self, *, held: bool) -> None:
        """Stop reading, so that the host's writes block when the kernel's buffer is full, or resume."""
        self._held = held
        self._listen()

    def _listen(self) -> None:
        if self._master is None:
            return
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._master)
        if not self._dead and not self._held:
            loop.add_reader(self._master, self._readable)

    def unplug(self) -> None:
        """Remove the link and hang the pty up; may be called twice."""
        if self._master is None or self._slave is None:
            return
        asyncio.get_running_loop().remove_reader(self._master)
        self.link_path.unlink(missing_ok=True)
        os.close(self._master)
        os.close(self._slave)
        self._master = self._slave = None

    def send(self, data: bytes) -> None:
        """Carry the device's bytes to the host; an unplugged line carries nothing."""
        loop = asyncio.get_running_loop()
        for delay_s, piece in self.misbehaviour.mangle(Way.TO_HOST, data):
            loop.call_later(delay_s, self._write, piece)

    def _write(self, data: bytes) -> None:
        if self._master is None or self._dead or not data:
            return
        try:
            os.write(self._master, data)
        except BlockingIOError:
            # The other side does not read and the kernel's buffer is full: a UART would overrun, too.
            return

    def _readable(self) -> None:
        if self._master is None:
            return
        data = os.read(self._master, CHUNK)
        loop = asyncio.get_running_loop()
        for delay_s, piece in self.misbehaviour.mangle(Way.TO_DEVICE, data):
            if piece:
                loop.call_later(delay_s, self.device.receive, piece)
