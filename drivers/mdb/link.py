"""One device on an MDB bus: its questions, and how long its silence is borne."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from drivers.clock import Clock
from drivers.errors import DriverError, NoReplyError, WireError
from drivers.mdb.bridge import AnswerLostError, BridgeLostError, tapped
from drivers.port import Port

T = TypeVar("T")

NON_RESPONSE_S: Final = 5.0
"""How long a device may be silent before it is lost: 5 s for a validator, 2 s for a changer (sections 5.4 and 6.4)."""
RENEW_AFTER: Final = 5
"""After so many silent answers in a row the bridge is made the master again."""
LOST_ANSWERS: Final = 5
"""After so many lost answers in a row the bridge is given up."""
RETRY_S: Final = 0.2


class MdbLink:
    """The way to the device that messages call `device`, on a bridge that others share."""

    def __init__(self, port: Port, clock: Clock, device: str) -> None:
        self._tap = tapped(port, clock)
        self._clock = clock
        self._device = device
        self._heard_at: float | None = None
        self._silent = self._lost = 0

    def __repr__(self) -> str:
        return f"<MdbLink {self._device} at {self.path}>"

    @property
    def path(self) -> str:
        """The port's path, for messages."""
        return self._tap.path

    async def open(self) -> None:
        """Join the bridge; raise `PortError`."""
        await self._tap.open()
        self._heard_at, self._silent, self._lost = self._clock.now(), 0, 0

    def close(self) -> None:
        """Leave the bridge to the others; may be called twice."""
        self._tap.close()

    async def ask(self, request: bytes) -> bytes | None:
        """Send one block and return the device's answer: empty for ACK, None for silence that is borne.

        Raise `AnswerLostError` where nobody knows what it did, `NoReplyError` where it was silent for too long, and
        what the bridge raises.
        """
        bridge = self._tap.bridge
        try:
            said = await bridge.ask(self._tap, request)
        except AnswerLostError as error:
            self._lost += 1
            if self._lost >= LOST_ANSWERS:
                raise BridgeLostError(f"{error}, again and again: check the bridge and its cable") from error
            raise
        self._lost = 0
        now = self._clock.now()
        if said is not None:
            self._heard_at, self._silent = now, 0
            return said
        self._silent += 1
        if self._silent % RENEW_AFTER == 0:
            bridge.renew()
        if self._heard_at is not None and now - self._heard_at >= NON_RESPONSE_S:
            raise NoReplyError(
                f"{self.path}: the {self._device} does not answer on the MDB bus: check its supply and its plug"
            )
        return None

    async def question(self, request: bytes, read: Callable[[bytes], T]) -> T:
        """Ask what no device acts on until it is answered, and return what `read` makes of it.

        Raise `WireError` where the answer makes no sense again and again, and what `ask` raises.
        """
        last: DriverError = WireError()
        for _ in range(LOST_ANSWERS - 1):
            try:
                said = await self._patiently(request)
            except BridgeLostError:
                raise
            except AnswerLostError as error:
                last = error
            else:
                try:
                    return read(said)
                except ValueError as error:
                    last = WireError(f"{self.path}: {self._device}: {error}; check the device")
            await self._clock.sleep(RETRY_S)
        raise last

    async def order(self, request: bytes) -> None:
        """Send what may be repeated until the device acknowledges it; raise what `question` raises."""
        await self.question(request, _acknowledged)

    async def _patiently(self, request: bytes) -> bytes:
        while (said := await self.ask(request)) is None:
            await self._clock.sleep(RETRY_S)
        return said


def _acknowledged(said: bytes) -> None:
    if said:
        raise ValueError(f"it answers an order with {said.hex(' ')}")


async def unless_done(waiting: asyncio.Future[T], seconds: float) -> bool:
    """Wait for `waiting` for so long at most; return whether it is still to come."""
    await asyncio.wait({waiting}, timeout=seconds)
    return not waiting.done()
