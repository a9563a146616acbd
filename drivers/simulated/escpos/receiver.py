"""The receiving end of the line: baud rate, receive buffer and flow control."""

import asyncio
from collections.abc import Callable
from typing import Final

from drivers.simulated.escpos.build import Build
from drivers.simulated.escpos.real_time import RealTimeScanner
from drivers.simulated.escpos.status import XOFF, XON

BITS_PER_BYTE: Final = 10
_PIECE: Final = 16
"""The number of bytes that arrive together, as from a UART's own buffer."""


class Receiver:
    """Fills `buffer`.

    `obey` is called with each real-time command on arrival, `work` when the buffer has more data, `hold` to stop or
    resume the host by a handshake line, `say` with XON and XOFF. Bytes for which the buffer has no room are lost and
    counted.
    """

    def __init__(
        self,
        build: Build,
        *,
        obey: Callable[[bytes], None],
        work: Callable[[], None],
        hold: Callable[[bool], None],
        say: Callable[[bytes], None],
    ) -> None:
        self._build = build
        self._obey = obey
        self._work = work
        self._hold = hold
        self._say = say
        self.buffer = bytearray()
        self.lost = 0
        self._wire = bytearray()
        self._scanner = RealTimeScanner()
        self._full = False
        self._offline = False
        self._stopped = False
        self._held = False
        self._timer: asyncio.TimerHandle | None = None

    @property
    def empty(self) -> bool:
        """Whether buffer and line are empty."""
        return not self.buffer and not self._wire

    @property
    def room(self) -> int:
        """Bytes that still fit into the buffer."""
        return max(0, self._build.buffer_bytes - len(self.buffer))

    def arrive(self, data: bytes) -> None:
        """Put bytes on the line."""
        self._wire += data
        self._pump()

    def clear(self) -> None:
        """Clear the buffer."""
        self.buffer.clear()

    def lose_power(self) -> None:
        """Clear everything, including the bytes on the line."""
        self.buffer.clear()
        self._wire.clear()
        self._scanner.clear()
        self._full = self._offline = self._stopped = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._let()

    def start(self) -> None:
        """Tell a host that waits for it that the printer is ready."""
        if self._build.handshake == "xon_xoff":
            self._say(XON)

    def taken(self) -> None:
        """Update flow control after bytes were taken out of the buffer."""
        self._tell()
        self._pump()

    def offline(self, *, on: bool) -> None:
        """Update flow control after the printer went offline or online."""
        self._offline = on
        self._tell()
        self._pump()

    def _tell(self) -> None:
        """Stop the host, or let it continue."""
        if self.room <= self._build.stop_below:
            self._full = True
        elif self.room >= self._build.go_above:
            self._full = False
        stopped = self._full or (self._offline and self._build.busy_offline)
        if stopped != self._stopped:
            self._stopped = stopped
            if self._build.handshake == "xon_xoff":
                self._say(XOFF if stopped else XON)

    def _pump(self) -> None:
        """Take bytes off the line at the baud rate."""
        while self._wire and self._timer is None and not (self._stopped and self._build.handshake == "hardware"):
            piece = bytes(self._wire[:_PIECE])
            if self._build.baud:
                delay_s = len(piece) * BITS_PER_BYTE / self._build.baud
                self._timer = asyncio.get_running_loop().call_later(delay_s, self._land, piece)
            else:
                self._receive(piece)
        self._let()

    def _land(self, piece: bytes) -> None:
        self._timer = None
        self._receive(piece)
        self._pump()

    def _receive(self, data: bytes) -> None:
        del self._wire[: len(data)]
        for piece, command in self._scanner.scan(data):
            room = self.room
            self.buffer += piece[:room]
            self.lost += max(0, len(piece) - room)
            if command:
                self._obey(command)
        self._tell()
        self._work()

    def _let(self) -> None:
        """Hold the line while bytes are on it, so that a host's writes wait as on a real line."""
        held = bool(self._wire)
        if held != self._held:
            self._held = held
            self._hold(held)
