"""Request and reply on a ccTalk line: local echo, timeouts, retries and late replies.

ccTalk has no sequence numbers, so a late reply looks like the reply to the next request to the same device. After a
failed exchange the line must therefore be silent for `SETTLE_S` before that device is asked again, and if nothing came
late, once more before it is asked something else: a device that stood still answers all that it was asked. The other
devices of a shared line are served meanwhile: a reply names its sender, and a silent device costs the others only its
reply timeout, once per round. In CRC mode a reply does not name its sender: such a device is
asked only when no late reply of another such device can arrive.

The framing of a device (`drivers.cctalk.framing`) is detected at the start; the simple checksum is tried first.
"""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

from drivers.cctalk import protocol as cctalk
from drivers.cctalk.framing import OPEN_FRAMINGS, SIMPLE, Encrypted, Framing, named
from drivers.cctalk.protocol import Frame, Header
from drivers.cctalk.wire import Tap, Wire
from drivers.clock import Clock
from drivers.errors import IdentityError, NoReplyError, WireError
from drivers.exchange_log import LONGEST, ExchangeLog
from drivers.masked_hex import masked_hex
from drivers.port import Port

_log = logging.getLogger(__name__)

ATTEMPTS = 3  # the specification's recommendation
REPLY_S = 0.1  # most replies start within 10 ms, the slowest in the manuals in 90; the rest is for adapter and kernel
SETTLE_S = 0.3
MAX_SETTLE_S = 2.0  # on a line that never falls silent
SLICE_S = 0.05  # of silence on a shared line, before the next driver gets its turn
AGREEING_READS = 5
_ENCRYPTION_WORD = bytes.fromhex("aa 55 00 00 55 aa")  # data of request 111 (part 2, header 111)
_SUPPORT_SIZE = 6  # bytes of its reply before any key
SEEK_AFTER_S = 30.0
OTHER_ATTEMPTS = 2
ROLL_CALL_S = 1.5  # a device replies after 4 ms times its address; all of them ignore requests for 1.2 s
SLIVER_S = 0.001  # remaining time that is too short to wait for


class Bus:
    """One driver's end of a ccTalk line, one exchange at a time.

    Drivers that hold taps of one `Wire` share its line; any other port belongs to one driver alone. With a `key` of six
    digits the driver sends only encrypted frames.
    """

    def __init__(self, port: Port, clock: Clock, *, key: str = "") -> None:
        self._encrypted = Encrypted(key) if key else None
        self._tap = port if isinstance(port, Tap) else Wire(port).tap()
        self._wire = self._tap.wire
        self._clock = clock
        self._log = ExchangeLog(_log)

    def __repr__(self) -> str:
        return f"<Bus {self._wire.path} echo={self.echo}>"

    def __str__(self) -> str:
        return self._wire.path

    @property
    def echo(self) -> bool | None:
        """Whether the line echoes what is sent; None before the first request and after the port is opened again."""
        return self._wire.echo

    @property
    def lone(self) -> bool:
        """Whether this driver has the line to itself."""
        return self._wire.lone

    @property
    def found(self) -> dict[str, tuple[int, int]]:
        """Address and serial number of each device that a scan of this line found, by its table in cabinet.toml."""
        return self._wire.found

    @property
    def others_move(self) -> bool:
        """Whether another driver's device on this line may be moving money."""
        return bool(self._wire.moving - {self._tap})

    def moving(self, *, on: bool) -> None:
        """Set whether this driver's device may be moving money; no scan uses the line meanwhile."""
        if on and self._wire.has(self._tap):
            self._wire.moving.add(self._tap)
        else:
            self._wire.moving.discard(self._tap)

    async def open(self) -> None:
        """Open the port, or share it if another driver has it open; raise `PortError`."""
        await self._tap.open()

    def close(self) -> None:
        """Close the port unless other drivers use it; may be called twice."""
        self._tap.close()

    async def detect_framing(self, address: int) -> None:
        """Detect the framing of the device at `address` with a simple poll, and whether the line echoes.

        Raise `NoReplyError` if the device does not answer, `IdentityError` if it answers in a framing that the
        configuration rules out, `PortError` when the line is lost.
        """
        if not await self.answers_poll(address, self.framing(address), attempts=ATTEMPTS):
            await self.try_other_framings(address)

    async def try_other_framings(self, address: int) -> None:
        """Try the other framings after the device at `address` did not answer in the first one.

        A device hardly ever changes its framing, and its coins wait while other framings are tried. A device that
        answered before is therefore tried in others only after `SEEK_AFTER_S` of silence, and then once per
        `SEEK_AFTER_S`. Raise `NoReplyError` if it answers in none, `IdentityError` if it answers in a framing that the
        configuration rules out, `PortError` when the line is lost.
        """
        wire, now = self._wire, self._clock.now()
        if address in wire.framings and now - wire.heard_at.get(address, now) < SEEK_AFTER_S:
            raise NoReplyError(self._nobody(address, Header.SIMPLE_POLL))
        wire.heard_at[address] = now
        framings = self.framings_to_try(address)
        for framing in framings[1:]:
            if await self.answers_poll(address, framing, attempts=OTHER_ATTEMPTS):
                return
        await self.explain_silence(address)
        raise NoReplyError(self._nobody(address, Header.SIMPLE_POLL, framings))

    async def answers_poll(self, address: int, framing: Framing, *, attempts: int) -> bool:
        """Return whether `address` answers one of `attempts` simple polls in `framing`.

        Raise `PortError` for a lost line.
        """
        poll = Frame(address, cctalk.HOST, Header.SIMPLE_POLL, b"")
        for _ in range(attempts):
            async with self._exclusive_line(framing, poll):
                heard = await self._converse(framing, poll, REPLY_S)
                if heard.reply is not None and heard.reply.header == Header.ACK:
                    self._note_reply(address, framing)
                    return True
        return False

    def _note_reply(self, address: int, framing: Framing) -> None:
        """Record that the device answered in `framing`: no reply of it is late."""
        wire = self._wire
        wire.late.discard(address)
        wire.framings[address], wire.heard_at[address] = framing, self._clock.now()

    def framing(self, address: int) -> Framing:
        """Return the framing of the device at `address`: the detected one, else the first to try."""
        return self.framings_to_try(address)[0]

    def framings_to_try(self, address: int) -> tuple[Framing, ...]:
        """Return the framings to try, the detected one first."""
        if self._encrypted is not None:
            return (self._encrypted,)
        known = self._wire.framings.get(address, SIMPLE)
        return (known, *(framing for framing in OPEN_FRAMINGS if framing is not known))

    async def explain_silence(self, address: int) -> None:
        """Raise `IdentityError` if a silent device turns out to want encryption, no encryption or another key."""
        if self._encrypted is not None:
            for framing in OPEN_FRAMINGS:
                if await self.answers_poll(address, framing, attempts=OTHER_ATTEMPTS):
                    del self._wire.framings[address]
                    raise IdentityError(
                        f"{self._wire.path}: device {address} answers unencrypted ({framing.name}), and "
                        "`cctalk_key` is set: switch its encryption on, or take `cctalk_key` out"
                    )
        for framing in OPEN_FRAMINGS:
            support = await self._encryption_support(address, framing)
            if support and support[0] and self._encrypted is None:
                raise IdentityError(
                    f"{self._wire.path}: device {address} speaks encrypted frames only: give a bill validator its "
                    "`cctalk_key` of six digits, or switch its encryption off"
                )
            if support and support[0]:
                raise IdentityError(
                    f"{self._wire.path}: device {address} speaks encrypted frames, and not under this "
                    "`cctalk_key`: correct it"
                )

    async def _encryption_support(self, address: int, framing: Framing) -> bytes:
        """Return which encryption the device says twice that it uses (request 111, never encrypted), else empty bytes.

        A device in trusted key exchange mode adds its keys to the reply; they are dropped.
        """
        said = await self._says_encryption(address, framing)
        return said if said and said == await self._says_encryption(address, framing) else b""

    async def _says_encryption(self, address: int, framing: Framing) -> bytes:
        question = Frame(address, cctalk.HOST, Header.ENCRYPTION_SUPPORT, _ENCRYPTION_WORD)
        async with self._exclusive_line(framing, question):
            heard = await self._converse(framing, question, REPLY_S)
        if heard.reply is None or heard.reply.header != Header.ACK:
            return b""
        self._wire.late.discard(address)
        return heard.reply.data[:_SUPPORT_SIZE]

    async def roll_call(self, framing: Framing) -> frozenset[int]:
        """Ask every device on the line for its address (request 253) and return the bytes received.

        Each device sends its address byte in its own time slot and ignores requests until all slots are over. So
        nothing is sent while another driver has the line open. A received byte may be noise: ask the address before
        use.
        """
        poll = Frame(cctalk.BROADCAST, cctalk.HOST, Header.ADDRESS_POLL, b"")
        async with self._exclusive_line(framing, poll):
            if self._wire.shared:
                return frozenset()
            question = framing.encode(poll)
            await self._tap.write(question)
            heard, end = b"", self._clock.now() + ROLL_CALL_S
            while (left := end - self._clock.now()) > SLIVER_S:
                heard += await self._tap.read(left)
        return frozenset(heard.removeprefix(question)) - {cctalk.BROADCAST, cctalk.HOST}

    async def exchange(self, address: int, header: int, data: bytes = b"", *, reply_s: float = REPLY_S) -> Frame:
        """Ask once and return the reply frame, whatever its header.

        Raise `NoReplyError` after `reply_s` seconds without a complete reply, `WireError` if the echo differs from what
        was sent (a collision or a short circuit), `PortError` when the line is lost. In the first two cases the device
        may or may not have carried out the request.
        """
        framing, frame = self.framing(address), Frame(address, cctalk.HOST, header, data)
        async with self._exclusive_line(framing, frame):
            heard = await self._converse(framing, frame, reply_s)
            if self.echo and heard.start != heard.question:
                hidden = framing.hidden or cctalk.carries_secret(heard.question)
                echo = "another" if heard.start and hidden else masked_hex(heard.start).lower()
                sent = f"request {header} encrypted" if framing.hidden else cctalk.shown(heard.question)
                raise WireError(
                    f"{self._wire.path}: sent {sent}, the echo is {echo or 'missing'}: "
                    "check the line for a collision or a short"
                )
            if heard.reply is None:
                if heard.rest and not framing.hidden and not cctalk.carries_secret(heard.question):
                    self._log.wrong(self._named(address), heard.rest)
                raise NoReplyError(self._nobody(address, header))
            self._note_reply(address, framing)
            self._log.answered(self._named(address))
            return heard.reply

    async def request(
        self,
        address: int,
        header: int,
        data: bytes = b"",
        *,
        sizes: range | None = None,
        attempts: int = ATTEMPTS,
        reply_s: float = REPLY_S,
    ) -> bytes:
        """Ask up to `attempts` times and return the reply's data; only for requests that are safe to repeat.

        `sizes` are the lengths that the data may have, by default 0 (a bare ACK). Raise what the last attempt raised;
        `WireError` for a NAK, a BUSY or a reply of another length.
        """
        for left in reversed(range(attempts)):
            try:
                reply = await self.exchange(address, header, data, reply_s=reply_s)
                return self._sensible(address, header, reply, sizes or range(1))
            except (NoReplyError, WireError) as error:
                if not left:
                    raise
                self._log.failed(self._named(address), error)
        raise ValueError(f"{attempts} attempts: ask at least once")

    async def agreed(
        self,
        address: int,
        header: int,
        data: bytes = b"",
        *,
        sizes: range,
        follows: Callable[[bytes, bytes], bool] = bytes.__eq__,
    ) -> bytes:
        """Read until two reads in a row agree and return the data: an eight-bit checksum misses one error in 256.

        A counter may run faster than it is read. If the reads keep differing and the last one `follows` from the one
        before, the one before is returned: the last read confirms it. Raise what `request` raises, and `WireError` if
        the reads contradict each other.
        """
        older = before = await self.request(address, header, data, sizes=sizes)
        for _ in range(AGREEING_READS):
            now = await self.request(address, header, data, sizes=sizes)
            if now == before:
                return now
            older, before = before, now
        if follows(older, before):
            return older
        raise WireError(
            f"{self._wire.path}: device {address} answers request {header} differently each time: check the line"
        )

    async def quiet(self, seconds: float) -> bool:
        """Wait until no unexpected byte has arrived for `seconds`, so that no late reply can follow.

        Return whether any arrived meanwhile. Other drivers of a shared line take their turns; their requests and
        replies do not count.
        """
        began = self._clock.now()
        limit = began + MAX_SETTLE_S + seconds
        while self._clock.now() < limit:
            left = max(began, self._wire.stray_at) + seconds - self._clock.now()
            if left <= SLIVER_S:
                break
            async with self._wire.turn:
                if await self._tap.read(min(left, SLICE_S) if self._wire.shared else left):
                    self._wire.stray_at = self._clock.now()
        return self._wire.stray_at > began

    @asynccontextmanager
    async def _exclusive_line(self, framing: Framing, frame: Frame) -> AsyncIterator[None]:
        """Take exclusive use of the line, once no late reply that could be mistaken for this one can arrive.

        Such a late reply comes from the device that is asked or, if replies name no sender, from any other device asked
        in that framing. A late reply to the same request is no mistake.
        """
        wire = self._wire
        while True:
            mistakable = self._mistakable(framing, frame)
            if wire.fresh or mistakable:
                came = await self.quiet(SETTLE_S)
                for one in mistakable:
                    if came or one not in wire.late:
                        wire.unanswered.pop(one, None)
                wire.late -= mistakable
                wire.fresh = False
            async with wire.turn:
                if wire.fresh or self._mistakable(framing, frame):
                    continue  # meanwhile another driver asked such a device and got no reply
                if await self._tap.read(0):
                    # Unexpected bytes: a repeated reply, or noise. The rest of them must not be taken for a reply.
                    await self._drain()
                yield
                return

    def _mistakable(self, framing: Framing, frame: Frame) -> set[int]:
        """Return the devices whose late reply would be mistaken for the reply to `frame`."""
        wire, address = self._wire, frame.destination
        late = wire.late | {one for one, asked in wire.unanswered.items() if asked != frame}
        return late & (wire.unnamed | {address}) if framing.sourceless else late & {address}

    async def _drain(self) -> None:
        limit = self._clock.now() + MAX_SETTLE_S
        while await self._tap.read(cctalk.BYTE_GAP_S) and self._clock.now() < limit:
            pass
        self._wire.stray_at = self._clock.now()

    async def _converse(self, framing: Framing, frame: Frame, reply_s: float) -> "_Exchange":
        """Send a frame and listen; mark the reply as one that may arrive late until the caller clears the mark."""
        question = framing.encode(frame)
        self._wire.late.add(frame.destination)
        if framing.sourceless:
            self._wire.unnamed.add(frame.destination)
        await self._tap.write(question)
        heard = await self._listen(framing, question, frame.destination, reply_s)
        if heard.reply is None:
            self._wire.unanswered[frame.destination] = frame
        if heard.start == question or self._wire.echo is None:
            # An echo shows even if no device answers. If it was damaged, the next exchange decides.
            self._wire.echo = heard.start == question
        return heard

    async def _listen(self, framing: Framing, question: bytes, address: int, reply_s: float) -> "_Exchange":
        """Read until the reply of `address` is complete or its timeout expires.

        The echo need not be removed: it is a frame for another address.
        """
        deadline = self._clock.now() + cctalk.seconds(len(question)) + reply_s
        limit = deadline + cctalk.seconds(cctalk.OVERHEAD + cctalk.MAX_DATA)
        parser = cctalk.Parser(read=framing.decode)
        start, rest = b"", b""
        while (left := (limit if parser.partial else deadline) - self._clock.now()) > SLIVER_S:
            data = await self._tap.read(cctalk.BYTE_GAP_S if parser.partial else left)
            if not data:
                parser.drop()
            start, rest = (start + data)[: len(question)], (rest + data)[:LONGEST]
            for frame in parser.feed(data):
                if frame.destination == cctalk.HOST and (framing.sourceless or frame.source == address):
                    return _Exchange(question, start, frame, b"")
                if frame.destination == cctalk.HOST:
                    self._wire.stray_at = self._clock.now()
        return _Exchange(question, start, None, rest.removeprefix(question))

    def _sensible(self, address: int, header: int, reply: Frame, sizes: range) -> bytes:
        if reply.header == Header.ACK and len(reply.data) in sizes:
            return reply.data
        # It may be the late reply to another request: then more late replies may follow.
        self._wire.late.add(address)
        raise WireError(
            f"{self._wire.path}: device {address} answered {self._shown(address, reply)} to request {header}, "
            "which makes no sense: check which device is wired to this port"
        )

    def _shown(self, address: int, reply: Frame) -> str:
        framing = self.framing(address)
        return f"header {reply.header}, encrypted," if framing.hidden else masked_hex(framing.encode(reply)).lower()

    def _named(self, address: int) -> str:
        return f"{self._wire.path}: device {address}"

    def _nobody(self, address: int, header: int, tried: tuple[Framing, ...] = ()) -> str:
        framings = f" (tried: {named(tried)})" if tried else ""
        return (
            f"{self._wire.path}: device {address} does not answer request {header}{framings}: "
            "check its power, its cable and its address"
        )


class _Exchange(NamedTuple):
    """A request's bytes, the same number of bytes received first (where its echo would be), and the reply.

    `rest` is everything received except the echo, if no reply came.
    """

    question: bytes
    start: bytes
    reply: Frame | None
    rest: bytes
