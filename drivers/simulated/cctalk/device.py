"""What every simulated ccTalk device does: hear frames for its address, answer after a moment, say who it is."""

import asyncio
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from drivers.cctalk import protocol as cctalk
from drivers.cctalk.protocol import Frame, Header
from drivers.simulated.line import Line

REPLY_DELAY_S = 0.005
SERIAL_BYTES = 3


class Refusal(Enum):
    """A reply that is not data."""

    NAK = Header.NAK
    SILENCE = None


class Identity(NamedTuple):
    """What a device says about itself; texts as on the wire, `serial` below 2**24."""

    category: bytes
    product: bytes
    build: bytes
    serial: int
    manufacturer: bytes = b"Open Cabinet"
    software: bytes = b"SIM-V1.00"
    comms: bytes = bytes((1, 4, 7))


class CctalkDevice:
    """A ccTalk device without a purpose; `answer`, `started` and `lost_power` are extended by what it is for.

    `echo` makes the line return what the host sends, as the open-collector wire does, with or without power.
    It starts switched off.
    """

    def __init__(self, address: int, identity: Identity, *, echo: bool = False) -> None:
        self.address = address
        self.identity = identity
        self.echo = echo
        self.powered = False
        self._line: Line | None = None
        self._parser = cctalk.Parser(address)
        self._heard_at = 0.0
        self._timers: set[asyncio.TimerHandle] = set()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.address} {'on' if self.powered else 'off'}>"

    def connect(self, line: Line) -> None:
        """Remember where to answer."""
        self._line = line

    def receive(self, data: bytes) -> None:
        """Bytes from the host have arrived; frames for this device are answered, spoilt ones are not."""
        if self.echo and self._line is not None:
            self._line.send(data)
        if not self.powered:
            return
        now = asyncio.get_running_loop().time()
        if now - self._heard_at > cctalk.BYTE_GAP_S:
            self._parser.drop()
        self._heard_at = now
        for frame in self._parser.feed(data):
            self._obey(frame)

    def power(self, *, on: bool) -> None:
        """The mains switch: off stops everything at once, on starts as after a power cut."""
        if on == self.powered:
            return
        self.powered = on
        self.cancel()
        self._parser.drop()
        if on:
            self.started()
        else:
            self.lost_power()

    def started(self) -> None:
        """Take the state that a start or a reset gives."""

    def lost_power(self) -> None:
        """Do what a device still does while its power fails."""

    def answer(self, header: int, data: bytes) -> bytes | Refusal:
        """Return the data of the reply, or how it is refused; an unknown header meets silence."""
        del data  # the requests answered here carry none
        identity = self.identity
        known: dict[int, bytes] = {
            Header.SIMPLE_POLL: b"",
            Header.CATEGORY: identity.category,
            Header.PRODUCT_CODE: identity.product,
            Header.BUILD_CODE: identity.build,
            Header.MANUFACTURER: identity.manufacturer,
            Header.SERIAL_NUMBER: identity.serial.to_bytes(SERIAL_BYTES, "little"),
            Header.SOFTWARE_REVISION: identity.software,
            Header.COMMS_REVISION: identity.comms,
            Header.DATA_STORAGE: bytes(5),
            Header.CHECKSUM: bytes(4),
        }
        if header == Header.RESET:
            self.cancel()
            self.lost_power()
            self.started()
            return b""
        return known.get(header, Refusal.SILENCE)

    def later(self, seconds: float, act: Callable[[], None]) -> None:
        """Call `act` after `seconds`, unless power fails or a reset comes before."""

        def run() -> None:
            self._timers.discard(timer)
            act()

        timer = asyncio.get_running_loop().call_later(seconds, run)
        self._timers.add(timer)

    def cancel(self) -> None:
        """Forget everything that was to happen `later`."""
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def _obey(self, frame: Frame) -> None:
        answer = self.answer(frame.header, frame.data)
        if answer is Refusal.SILENCE:
            return
        header, data = (Header.NAK, b"") if isinstance(answer, Refusal) else (Header.ACK, answer)
        reply = cctalk.encode(Frame(frame.source, self.address, header, data))
        self.later(REPLY_DELAY_S, lambda: self._say(reply))

    def _say(self, reply: bytes) -> None:
        if self._line is not None:
            self._line.send(reply)
