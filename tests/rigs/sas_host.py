"""A SAS host: it polls one machine, confirms, repeats, orders, breaks the line on purpose, and logs all of it.

Frames and rules are from docs/sas.md (section 7) and docs/protocols.md (section 3) alone. Its answers are read
by their layouts and by silence, so that it also works on a line without a wake-up bit.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from tests.rigs import sas_frames
from tests.rigs.sas_fields import FrameError, Values
from tests.rigs.sas_frames import POLLS, RTE, Event, read_answer, read_event, sealed, unsealed, whole_size
from tests.rigs.sas_links import HostLink, Pairs
from tests.rigs.sas_tally import Tally

GENERAL = 0x80
LINE_BYTES_S = 19_200 / 11
"""Bytes a second at 19,200 baud: start, 8 data, wake-up and stop bit."""

TRIES = 3
"""How often a host asks before it gives up (sas.md section 7)."""

RETRIES = 20
"""How often a long poll is sent again to a busy machine or after a broken answer."""

MOST_EVENTS = 200
"""How many events in real time are taken before the answer to a long poll: a queue holds 50 and those with priority."""

LOOP_BREAK_S = 5.0
"""Silence of the host after which a machine chirps (protocols.md section 3)."""

MOST_METERS = 10
"""Codes in one 2F or 6F (sas.md section 5.2)."""

SIGNATURE = 0x21


class Kind(Enum):
    """What an answer is."""

    SILENCE = "silence"
    EXCEPTION = "exception"
    EVENT = "event"
    ACK = "ack"
    NACK = "nack"
    BUSY = "busy"
    FRAME = "frame"
    BROKEN = "broken"


class Timing(NamedTuple):
    """How long the host waits, in seconds.

    `answer` for the first byte; `gap` of silence ends what may be whole; `cut` ends what is not; `between` two polls.
    """

    answer: float = 0.2
    gap: float = 0.01
    cut: float = 0.1
    between: float = 0.01


@dataclass(frozen=True)
class Exchange:
    """One poll and what came back; times by the host's clock, in seconds."""

    sent: bytes
    sent_at: float
    heard: bytes
    kind: Kind
    first_at: float | None
    longest_gap: float

    @property
    def latency(self) -> float | None:
        """Seconds from the poll's last byte to the answer's first."""
        return None if self.first_at is None else self.first_at - self.sent_at

    @property
    def exception(self) -> int | None:
        """The exception that it reports, in real time or not."""
        if self.kind is Kind.EVENT:
            return self.heard[2]
        return self.heard[0] if self.kind is Kind.EXCEPTION else None


class LogLine(NamedTuple):
    """What was on the line: `way` is "host", "machine", "unasked" or what the host did to the line."""

    at: float
    way: str
    data: bytes


@dataclass
class _Hearing:
    """What is being heard of an answer."""

    data: bytearray = field(default_factory=bytearray)
    first_at: float | None = None
    last_at: float = 0.0
    longest_gap: float = 0.0
    more: asyncio.Event = field(default_factory=asyncio.Event)

    def take(self, byte: int, now: float) -> None:
        if self.first_at is None:
            self.first_at = now
        else:
            self.longest_gap = max(self.longest_gap, now - self.last_at)
        self.last_at = now
        self.data.append(byte)
        self.more.set()


class SasHost:
    """A host with one machine at `address` on `link`; `now` is its clock, the event loop's time."""

    def __init__(
        self,
        link: HostLink,
        *,
        address: int = 1,
        now: Callable[[], float],
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        timing: Timing | None = None,
        kept: int = 20_000,
    ) -> None:
        self.link = link
        self.address = address
        self.timing = timing or Timing()
        self.tally = Tally()
        self.log: deque[LogLine] = deque(maxlen=kept)
        self.exchanges: deque[Exchange] = deque(maxlen=kept)
        self.chirps: deque[float] = deque(maxlen=kept)
        """When the machine said its own address unasked: it has not been polled for five seconds."""
        self.strays = bytearray()
        """Bytes that nobody asked for and that are no chirp."""
        self.wakes: list[float] = []
        """When the machine set the wake-up bit within an answer, which it must never do."""
        self.polls = 0
        self.silences = 0
        self._now = now
        self._pause = pause
        self._hearing: _Hearing | None = None
        self._last: tuple[bytes, int | None] = (b"", None)
        self._pending: int | None = None
        self._confirmed: int | None = None
        self._spoke_at: float | None = None
        link.listener = self._heard

    # The line.

    def _heard(self, pairs: Pairs) -> None:
        now = self._now()
        for byte, wake in pairs:
            if self._hearing is not None:
                self._hearing.take(byte, now)
                if wake:
                    self.wakes.append(now)
            elif byte == self.address and wake is not False:
                if wake or self._spoke_at is None or now - self._spoke_at >= LOOP_BREAK_S:
                    self._loop_broken()
                self.chirps.append(now)
                self.log.append(LogLine(now, "unasked", bytes([byte])))
            else:
                self.strays.append(byte)
                self.log.append(LogLine(now, "unasked", bytes([byte])))

    async def exchange(self, data: bytes, command: int | None = None, *, wake: bool = True) -> Exchange:
        """Send bytes as they are and hear what comes, the answer to poll `command` (None: to a general poll)."""
        self._spoke_at = now = self._now()
        self._hearing = hearing = _Hearing()
        self.log.append(LogLine(now, "host", data))
        self.link.send(data, wake=wake)
        self.polls += 1
        await self._listen(hearing, command)
        self._hearing = None
        heard = bytes(hearing.data)
        if heard:
            assert hearing.first_at is not None
            self.log.append(LogLine(hearing.first_at, "machine", heard))
        done = Exchange(data, now, heard, self._kind(heard, command), hearing.first_at, hearing.longest_gap)
        self.silences += done.kind is Kind.SILENCE
        self.exchanges.append(done)
        return done

    async def _listen(self, hearing: _Hearing, command: int | None) -> None:
        wait = self.timing.answer
        while await self._more(hearing, wait):
            size = whole_size(bytes(hearing.data), command)
            if size is not None and len(hearing.data) >= size:
                return
            may_be_whole = size is None and len(hearing.data) <= 2
            wait = self.timing.gap if may_be_whole else self.timing.cut

    @staticmethod
    async def _more(hearing: _Hearing, seconds: float) -> bool:
        try:
            await asyncio.wait_for(hearing.more.wait(), seconds)
        except TimeoutError:
            return False
        hearing.more.clear()
        return True

    def _kind(self, heard: bytes, command: int | None) -> Kind:
        if not heard:
            return Kind.SILENCE
        if len(heard) > 2:
            return self._frame_kind(heard, command)
        if command is None:
            return Kind.EXCEPTION if len(heard) == 1 else Kind.BROKEN
        short = {
            bytes([self.address]): Kind.ACK,
            bytes([self.address | GENERAL]): Kind.NACK,
            bytes([self.address, 0]): Kind.BUSY,
        }
        return short.get(heard, Kind.BROKEN)

    def _frame_kind(self, heard: bytes, command: int | None) -> Kind:
        try:
            body = unsealed(heard)
        except FrameError:
            return Kind.BROKEN
        if body[0] != self.address:
            return Kind.BROKEN
        if body[1] == RTE:
            return Kind.EVENT
        return Kind.FRAME if body[1] == (SIGNATURE if command is None else command) else Kind.BROKEN

    # Polls.

    async def _poll(self, data: bytes, command: int | None) -> Exchange:
        """Send a poll; one that differs from the last confirms what the last one brought."""
        if self._is_other(data):
            self._confirm()
        self._last = (data, command)
        done = await self.exchange(data, command)
        if done.heard:
            self._confirmed = None
        if done.exception is not None:
            self._bring(done)
        return done

    def _is_other(self, data: bytes) -> bool:
        return data[:2] != self._last[0][:2]

    def _confirm(self) -> None:
        self._confirmed = None
        if self._pending is not None:
            self.tally.confirm(self._pending)
            self._confirmed, self._pending = self._pending, None

    def _bring(self, done: Exchange) -> None:
        """Keep the exception of an answer until the next other poll confirms it; a repeated one is the same."""
        if done.kind is Kind.EVENT and self._pending is None:
            self.tally.events.append(read_event(done.heard))
        self._pending = done.exception

    async def general_poll(self) -> Exchange:
        """Ask for an exception. A second one in a row asks for the same again."""
        return await self._poll(bytes([GENERAL | self.address]), None)

    async def confirm(self) -> None:
        """Poll address 0, which confirms what came and which nobody answers."""
        if not self._is_other(bytes([GENERAL])):
            return
        self._confirm()
        self._last = (bytes([GENERAL]), None)
        self._spoke_at = self._now()
        self.log.append(LogLine(self._spoke_at, "host", bytes([GENERAL])))
        self.link.send(bytes([GENERAL]))
        await self._pause(self.timing.between)

    async def repeat(self) -> Exchange:
        """Send the last poll again: a host that did not understand its answer."""
        return await self._poll(*self._last)

    async def next_exception(self) -> int | None:
        """Confirm what came before and ask for the next exception; None where the machine is silent."""
        await self.confirm()
        done = await self.general_poll()
        for _ in range(TRIES - 1):
            if done.kind is not Kind.BROKEN:
                break
            done = await self.repeat()
        return done.exception

    async def collect(self, most: int = 200) -> list[int]:
        """Fetch and confirm exceptions until there is none."""
        codes = []
        for _ in range(most):
            code = await self.next_exception()
            if not code:
                break
            codes.append(code)
        await self.confirm()
        return codes

    async def send(self, command: int, **values: object) -> Exchange:
        """Send a long poll, again after an event in real time, a busy machine or a broken answer."""
        data = sas_frames.request(self.address, command, **values)
        await self.confirm()
        done = await self._poll(data, command)
        retries, events = RETRIES, MOST_EVENTS
        while retries and events:
            if done.kind is Kind.BROKEN:
                retries -= 1
                done = await self.repeat()
            elif done.kind in (Kind.EVENT, Kind.BUSY):
                retries -= done.kind is Kind.BUSY
                events -= done.kind is Kind.EVENT
                await self.confirm()
                await self._pause(self.timing.between)
                done = await self._poll(data, command)
            else:
                break
        return done

    async def ask(self, command: int, **values: object) -> Values | None:
        """Ask a long poll; None where the machine is silent, `FrameError` where its answer is not the poll's."""
        done = await self.send(command, **values)
        if done.kind is Kind.SILENCE:
            return None
        return read_answer(done.heard).values

    async def order(self, command: int, **values: object) -> bool | None:
        """Order something; whether it was acknowledged, None where the machine is silent."""
        done = await self.send(command, **values)
        if done.kind in (Kind.ACK, Kind.NACK):
            return done.kind is Kind.ACK
        if done.kind is Kind.SILENCE:
            return None
        raise FrameError(f"{done.heard.hex(' ')} answers {done.sent.hex(' ')}, which is only acknowledged")

    async def read_meters(self, codes: Sequence[int], *, game: int = 0) -> dict[int, int | None]:
        """Read meters with 6F and AF in turn, since two polls of one code in a row are one poll."""
        read: dict[int, int | None] = {}
        for place in range(0, len(codes), MOST_METERS):
            command = 0xAF if place // MOST_METERS % 2 else 0x6F
            answer = await self.ask(command, game=game, codes=list(codes[place : place + MOST_METERS]))
            if answer is None:
                raise FrameError(f"no answer to poll {command:02X}")
            read |= answer["meters"]
        if not game:
            self.tally.read(read)
        return read

    async def read_single(self, command: int) -> Values:
        """Ask a poll that must be answered."""
        answer = await self.ask(command)
        if answer is None:
            raise FrameError(f"no answer to poll {command:02X}")
        return answer

    async def run(self, every_s: float, then: Callable[[int], Awaitable[None]] | None = None) -> None:
        """Poll for exceptions for ever, two polls `every_s`; `then` gets each one."""
        while True:
            code = await self.next_exception()
            if code and then is not None:
                await then(code)
            await self._pause(every_s)

    # The line's troubles.

    def _loop_broken(self) -> None:
        """Note that the machine has had no poll for five seconds: what was not confirmed before must come again.

        Its next poll, to another address or to all, only begins anew (protocols.md section 3): it confirms nothing.
        """
        self._pending = None
        self._last = (b"", None)

    def cut(self) -> None:
        """Note that the machine lost its power: what was confirmed and not followed by an answer is in doubt.

        What was not confirmed must come again.
        """
        if self._confirmed is not None:
            self.tally.doubt(self._confirmed)
        self._pending = self._confirmed = None
        self._last = (b"", None)
        self.log.append(LogLine(self._now(), "power cut", b""))

    async def spoilt(self, command: int, **values: object) -> Exchange:
        """Send a long poll with a wrong CRC."""
        good = sas_frames.request(self.address, command, **values)
        assert POLLS[command].type != "R", "a poll of type R has no CRC"
        return await self._strange(good[:-1] + bytes([good[-1] ^ 0xFF]), command)

    async def cut_short(self, size: int, command: int, **values: object) -> Exchange:
        """Send the first bytes of a long poll."""
        return await self._strange(sas_frames.request(self.address, command, **values)[:size], command)

    async def to_another(self, address: int, command: int | None, **values: object) -> Exchange:
        """Poll another machine: this one must be silent."""
        if command is None:
            return await self._strange(bytes([GENERAL | address]), None)
        return await self._strange(sas_frames.request(address, command, **values), command)

    async def unknown(self, command: int, data: bytes = b"", *, with_crc: bool = True) -> Exchange:
        """Send a poll that no page describes."""
        frame = bytes([self.address, command]) + data
        return await self._strange(sealed(frame) if with_crc else frame, command)

    async def hesitant(self, pause_s: float, command: int, **values: object) -> Exchange:
        """Send a long poll with a pause behind its address."""
        data = sas_frames.request(self.address, command, **values)
        await self.confirm()
        self.link.send(data[:1])
        await self._pause(pause_s)
        return await self.exchange(data[1:], command, wake=False)

    async def _strange(self, data: bytes, command: int | None) -> Exchange:
        """Send what is no poll of this machine; afterwards the next poll to it is another one in any case."""
        await self.confirm()
        done = await self.exchange(data, command)
        self._last = (b"", None)
        return done

    async def silence(self, seconds: float) -> list[float]:
        """Say nothing; return when the machine chirped meanwhile, in seconds since the silence began."""
        began = self._now()
        self.log.append(LogLine(began, "silence", b""))
        await self._pause(seconds)
        return [at - began for at in self.chirps if at >= began]

    async def garbage(self, data: bytes, *, burst: int = 17) -> bytes:
        """Send bytes that mean nothing, as fast as the line carries them; return what the machine said to it."""
        await self.confirm()
        self._hearing = hearing = _Hearing()
        for place in range(0, len(data), burst):
            piece = data[place : place + burst]
            self.link.send(piece, wake=False)
            await self._pause(len(piece) / LINE_BYTES_S)
        await self._pause(self.timing.cut)
        self._hearing = None
        self._last = (b"", None)
        self.log.append(LogLine(self._now(), "garbage", bytes(hearing.data)))
        return bytes(hearing.data)

    # What was measured.

    def latencies(self) -> list[float]:
        """Seconds from each poll that was answered to its answer, in rising order."""
        return sorted(done.latency for done in self.exchanges if done.latency is not None)

    def events(self, code: int) -> list[Event]:
        """The events of a code that came in real time."""
        return [event for event in self.tally.events if event.code == code]


def differences(read: Mapping[str, int], other: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Where two readings of the same figures differ, by name."""
    return {name: (read[name], other[name]) for name in read.keys() & other.keys() if read[name] != other[name]}
