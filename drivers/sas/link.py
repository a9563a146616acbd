"""The machine's end of a SAS line: answers polls and tracks which answers are acknowledged (protocols.md §3).

A host acknowledges an answer by sending a different poll or polling another address; the same poll again requests the
same bytes. An exception is reported until it is acknowledged.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple, Protocol

import msgspec

from drivers.clock import Clock
from drivers.errors import WireError
from drivers.sas.exceptions import NOTHING
from drivers.sas.frames import BROADCAST, Event, Poll
from drivers.sas.line import Line
from drivers.sas.reader import GAP_S, MARKED_GAP_S, FrameReader, Heard, Item

_log = logging.getLogger(__name__)

LOOP_BREAK_S: Final = 5.0
"""Silence after which the loop is broken: the machine chirps, and ignores polls until another address is polled."""
CHIRP_S: Final = 0.2
UNHEARD_S: Final = 30.0
"""The link is down after this time without an acknowledgement."""
PACE_S: Final = 0.004
"""Pause before the rest of a frame is read."""
NOISE_PACE_S: Final = 0.025
"""Pause after bytes outside of a frame, so that one read collects much noise."""
MOST_BUSY: Final = 8
"""Maximum number of reads in a row for other machines without a silence; more count as noise."""
SETTLE_S: Final = 0.015
"""How long a general poll waits for the previous acknowledgement to become durable before it is left unanswered."""
_SHORTEST_S: Final = 0.001
LATE_S: Final = 0.02
"""Time limit for an answer; a later answer is not sent if the host has sent more bytes."""


class Pending(msgspec.Struct, frozen=True):
    """An exception waiting for acknowledgement: its number in the queue, code, and real-time data."""

    number: int
    code: int
    data: bytes = b""


class Reply(NamedTuple):
    """The answer to a long poll, and a callback for when the host has received it, for data reported only once."""

    frame: bytes
    arrived: Callable[[], Awaitable[object]] | None = None


class Desk(Protocol):
    """Answers for the machine; all methods except `answer` and `acknowledged` return at once."""

    @property
    def real_time(self) -> bool:
        """Whether the host has enabled real-time events: exceptions in answer to any poll."""

    def pending(self) -> Pending | None:
        """Return the next exception, None for none."""

    async def acknowledged(self, exception: Pending) -> None:
        """Record that the host has received this exception; return when that is durable."""

    async def answer(self, poll: Poll) -> Reply | None:
        """Return the answer to a long poll, None to stay silent."""

    async def broadcast(self, poll: Poll) -> None:
        """Handle a long poll to all machines."""

    def failed(self, poll: Poll, error: Exception) -> None:
        """Handle an unexpected error that leaves a poll unanswered; raise it again if it is fatal."""

    def link(self, *, up: bool, why: str) -> None:
        """Handle the link going up or down; `why` is `unpolled`, `unheard` or `closed`."""


class _Sent(NamedTuple):
    """The last answer: its request (None for a general poll), the reply, and the exception in it."""

    poll: Poll | None
    reply: Reply
    exception: Pending | None

    @property
    def is_reported_once(self) -> bool:
        """Whether its arrival must be recorded."""
        return self.exception is not None or self.reply.arrived is not None


class Link:
    """The link to one host, a `drivers.capabilities.Driver`; `desk` produces the answers."""

    def __init__(self, name: str, address: int, line: Line, clock: Clock, desk: Desk) -> None:
        self.name = name
        self.address = address
        self.up = False
        """Whether a host polls this machine and acknowledges its answers."""
        self._line = line
        self._clock = clock
        self._desk = desk
        self._reader = FrameReader(address, by_time=line.by_time)
        self._gap_s = GAP_S if line.by_time else MARKED_GAP_S
        self._sent: _Sent | None = None
        self._synced = False
        self._heard_at = self._acknowledged_at = self._chirped_at = 0.0
        self._settling: asyncio.Task[None] | None = None
        """Task that records the acknowledgement of the newest exception."""
        self._arriving: set[asyncio.Task[None]] = set()
        """Tasks that record the arrival of answers with data reported only once."""
        self._early: Sequence[int] = ()
        self._busy = 0
        """Number of reads in a row without a poll for this machine and without a silence."""

    def __repr__(self) -> str:
        return f"<Link {self.name} address {self.address} {'up' if self.up else 'down'}>"

    async def run(self) -> None:
        """Serve the line until cancelled; raise `PortError` when it is lost."""
        await self._line.open()
        self._begin()
        try:
            while True:
                began = self._clock.now()
                symbols, self._early = self._early or await self._line.read(self._patience_s(began)), ()
                now = self._clock.now()
                if now - began >= self._gap_s:
                    self._reader.silence()
                if now - began >= GAP_S:
                    self._busy = 0
                if not symbols:
                    await self._watch(now)
                    continue
                dropped = self._reader.dropped
                items = self._reader.feed(symbols)
                for item in items[:-1]:
                    await self._handle_item(item, now, is_newest=False)
                if items and await self._handle_item(items[-1], now):
                    self._reader.silence()  # the next byte comes from the host
                    self._busy = 0
                else:
                    await self._pause(now, items, is_noise=self._reader.dropped > dropped)
                if now - self._acknowledged_at >= UNHEARD_S:
                    self._down("unheard")
        finally:
            self._line.close()
            self._down("closed")
            await self._settled()
            await asyncio.gather(*self._arriving)

    async def _pause(self, now: float, items: Sequence[Item], *, is_noise: bool) -> None:
        """Wait before the next read after unanswered bytes; longer for noise than for partial polls."""
        if self._reader.partial:
            self._heard_at = now
        elif not items:
            await self._watch(now)  # bytes without an address do not come from a host
        if items or is_noise:
            self._busy += 1
        if self._busy > MOST_BUSY or (is_noise and not self._reader.partial):
            await self._clock.sleep(NOISE_PACE_S)
        elif self._reader.partial:
            await self._clock.sleep(PACE_S)

    def stop(self) -> None:
        """Release the line."""
        self._line.close()

    def _begin(self) -> None:
        self._heard_at = self._acknowledged_at = self._chirped_at = self._clock.now()
        self._synced, self._sent = False, None
        self._reader.silence()

    def _patience_s(self, now: float) -> float:
        """Return the read timeout: until the loop counts as broken, or until the next chirp."""
        broken = now - self._heard_at >= LOOP_BREAK_S
        due = self._chirped_at + CHIRP_S if broken else self._heard_at + LOOP_BREAK_S
        return max(due - now, _SHORTEST_S)  # rounding may put the sum slightly before the time it is compared with

    async def _watch(self, now: float) -> None:
        """Mark the loop as broken and chirp while no address byte arrives."""
        if now - self._heard_at < LOOP_BREAK_S:
            return
        self._synced, self._sent = False, None
        self._down("unpolled")
        if now - self._chirped_at >= CHIRP_S:
            self._chirped_at = now
            await self._line.chirp(self.address)

    async def _handle_item(self, item: Item, now: float, *, is_newest: bool = True) -> bool:
        """Handle a received item; return whether it was answered. Only the newest poll is answered."""
        self._heard_at = now
        if item is Heard.BROKEN:
            return False  # a broken frame does not acknowledge the last answer
        if isinstance(item, Poll) and item.address == BROADCAST:
            await self._broadcast(item)
            return False
        if item is Heard.OTHER:
            self._synced = True
            self._confirm(now)
            return False
        poll = item if isinstance(item, Poll) else None
        if is_newest:
            return self._synced and await self._answered(poll, now)
        if self._is_repeated(poll):
            self._sent = None  # the last answer has not arrived
        else:
            self._confirm(now)
        return False

    async def _broadcast(self, poll: Poll) -> None:
        """Pass a broadcast to the desk; drop an invalid one."""
        try:
            await self._desk.broadcast(poll)
        except WireError as error:
            _log.debug("%s: %s", self.name, error)
        except Exception as error:  # noqa: BLE001 - any error must end only this broadcast
            self._desk.failed(poll, error)

    def _is_repeated(self, poll: Poll | None) -> bool:
        return self._sent is not None and self._sent.poll == poll

    async def _answered(self, poll: Poll | None, now: float) -> bool:
        """Answer a long poll, or a general one for None; return whether it was answered."""
        self._look_at_arrivals()
        if self._sent is not None and self._is_repeated(poll):
            await self._line.write(self._sent.reply.frame)
            return True
        self._confirm(now)
        self._rise()
        sent = await self._made(poll)
        if sent is None:
            return False
        late = self._clock.now() - now > LATE_S and await self._interrupted()
        if late and sent.is_reported_once:
            return False  # it was not sent, so nothing may acknowledge it
        if poll is not None or sent.exception is not None:
            self._sent = sent
        if not late:
            await self._line.write(sent.reply.frame)
        return not late

    async def _made(self, poll: Poll | None) -> _Sent | None:
        """Return the answer to a poll, None to stay silent.

        An exception waits until the previous acknowledgement is durable; a long poll is answered without waiting.
        """
        if poll is None and not await self._has_settled():
            return None
        is_settled = self._settling is None or self._settling.done()
        exception = self._desk.pending() if is_settled and (poll is None or self._desk.real_time) else None
        if exception is not None or poll is None:
            return _Sent(poll, Reply(self._report(exception)), exception)
        await asyncio.sleep(0)  # an arrival begins before the next answer is made
        try:
            reply = await self._desk.answer(poll)
        except WireError as error:
            _log.debug("%s: %s", self.name, error)
            return None
        except Exception as error:  # noqa: BLE001 - any error must end only this answer
            self._desk.failed(poll, error)
            return None
        return None if reply is None else _Sent(poll, reply, None)

    def _report(self, exception: Pending | None) -> bytes:
        """Return the frame that reports an exception, or none."""
        code = NOTHING if exception is None else exception.code
        if self._desk.real_time:
            return Event(self.address, code, b"" if exception is None else exception.data).encode()
        return bytes((code,))

    async def _interrupted(self) -> bool:
        """Return whether the host has sent more bytes, with which an answer would collide.

        Keep them for the next read.
        """
        self._early = await self._line.read(0.0)
        return bool(self._early)

    def _confirm(self, now: float) -> None:
        """Record that the last answer is acknowledged."""
        sent, self._sent = self._sent, None
        self._acknowledged_at = now
        if sent is None:
            return
        if sent.exception is not None:
            self._settling = asyncio.create_task(self._acknowledge(sent.exception, self._settling))
        elif sent.poll is not None and sent.reply.arrived is not None:
            self._arriving.add(asyncio.create_task(self._arrive(sent.poll, sent.reply.arrived)))

    async def _acknowledge(self, exception: Pending, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await before
        await self._desk.acknowledged(exception)

    async def _arrive(self, poll: Poll, arrived: Callable[[], Awaitable[object]]) -> None:
        try:
            await arrived()
        except Exception as error:  # noqa: BLE001 - as for its answer
            self._desk.failed(poll, error)

    def _look_at_arrivals(self) -> None:
        """Raise fatal errors from finished arrival tasks."""
        for task in [task for task in self._arriving if task.done()]:
            self._arriving.discard(task)
            task.result()

    async def _has_settled(self) -> bool:
        """Wait up to `SETTLE_S` for the acknowledgements to become durable; return whether they are."""
        if self._settling is None:
            return True
        await asyncio.wait({self._settling}, timeout=SETTLE_S)
        if not self._settling.done():
            return False
        await self._settled()
        return True

    async def _settled(self) -> None:
        settling, self._settling = self._settling, None
        if settling is not None:
            await settling

    def _rise(self) -> None:
        if not self.up:
            self.up = True
            self._desk.link(up=True, why="")

    def _down(self, why: str) -> None:
        if self.up:
            self.up = False
            self._desk.link(up=False, why=why)
