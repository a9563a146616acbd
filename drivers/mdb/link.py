"""Requests to one device on an MDB bus, with retries and the non-response timeout."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from drivers.clock import Clock
from drivers.errors import DriverError, NoReplyError, WireError
from drivers.mdb.bridge import AnswerLostError, BridgeLostError, tapped
from drivers.port import Port

T = TypeVar("T")

NON_RESPONSE_S: Final = 5.0
"""Silence after which a device counts as lost: 5 s for a validator, 2 s for a changer (sections 5.4 and 6.4).
"""
RENEW_AFTER: Final = 5
"""The bridge is made bus master again after this many requests in a row without an answer."""
LOST_ANSWERS: Final = 5
"""The bridge is given up after this many lost answers in a row."""
RETRY_S: Final = 0.2


class MdbLink:
    """Connection to one device on a shared bridge; `device` is its name in messages."""

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
        """Send one block and return the device's answer: empty for ACK, None if it did not answer.

        Raise `AnswerLostError` if the answer is lost, `NoReplyError` if the device was silent for `NON_RESPONSE_S`, and
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
        """Send a request that is safe to repeat until it is answered, and return what `read` makes of the answer.

        Raise `WireError` if the answer stays invalid, and what `ask` raises.
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

    async def agreed(self, request: bytes, read: Callable[[bytes], T]) -> T:
        """Send a question until two answers in a row agree: the bridge's line bears no checksum.

        Raise `WireError` if no two of them do, and what `question` raises.
        """
        before = await self.question(request, read)
        for _ in range(LOST_ANSWERS):
            now = await self.question(request, read)
            if now == before:
                return now
            before = now
        raise WireError(f"{self.path}: {self._device}: no two answers to {request.hex(' ')} agree; check the bridge")

    async def order(self, request: bytes) -> None:
        """Send a repeatable command until the device acknowledges it; raise what `question` raises."""
        await self.question(request, _acknowledged)

    async def _patiently(self, request: bytes) -> bytes:
        while (said := await self.ask(request)) is None:
            await self._clock.sleep(RETRY_S)
        return said


def _acknowledged(said: bytes) -> None:
    if said:
        raise ValueError(f"it answers an order with {said.hex(' ')}")


async def unless_done(waiting: asyncio.Future[T], seconds: float) -> bool:
    """Wait for `waiting` for at most `seconds`; return whether it is still pending."""
    await asyncio.wait({waiting}, timeout=seconds)
    return not waiting.done()
