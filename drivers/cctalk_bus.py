"""Asking and being answered on a ccTalk line: local echo, time-outs, retries, and replies that come too late.

ccTalk numbers nothing, so a late reply looks like the reply to the next question. After every failed exchange
the line must therefore have been silent for `SETTLE_S` before anything else is sent.
"""

import asyncio
from typing import NamedTuple

from drivers import cctalk
from drivers.cctalk import Frame, Header
from drivers.clock import Clock
from drivers.errors import NoReplyError, WireError
from drivers.port import Port

ATTEMPTS = 3  # the specification's recommendation
REPLY_S = 0.1  # most replies start within 10 ms, the slowest named ones in 90; the rest is adapters and kernels
SETTLE_S = 0.3
MAX_SETTLE_S = 2.0  # on a line that never falls silent
AGREEING_READS = 5
SLIVER_S = 0.001  # a rest of time too short to wait for


class Bus:
    """The host's end of a ccTalk line; several drivers may share it, one exchange at a time.

    `echo` says whether the line returns what is sent: None until `find_echo`, or while open anew.
    """

    def __init__(self, port: Port, clock: Clock) -> None:
        self.echo: bool | None = None
        self._port = port
        self._clock = clock
        self._lock = asyncio.Lock()
        self._unsettled = False

    def __repr__(self) -> str:
        return f"<Bus {self._port.path} echo={self.echo}>"

    async def open(self) -> None:
        """Open the port; what is known of the line's echo is forgotten. Raise `PortError`."""
        self.echo = None
        # A reply to whoever used the port before may still be under way.
        self._unsettled = True
        await self._port.open()

    def close(self) -> None:
        """Release the port; may be called twice."""
        self._port.close()

    async def find_echo(self, address: int) -> None:
        """Learn from a simple poll of `address` whether the line echoes.

        Raise `NoReplyError` where the device does not answer, `PortError` when the line is lost.
        """
        async with self._lock:
            question = cctalk.encode(Frame(address, cctalk.HOST, Header.SIMPLE_POLL, b""))
            for _ in range(ATTEMPTS):
                await self._settle()
                await self._port.write(question)
                heard = await self._listen(question, address, REPLY_S)
                # An echo alone is telling, too: it needs no device.
                self.echo = question == heard.start
                if heard.reply is not None:
                    return
                self._unsettled = True
            raise NoReplyError(self._nobody(address, Header.SIMPLE_POLL))

    async def exchange(self, address: int, header: int, data: bytes = b"", *, reply_s: float = REPLY_S) -> Frame:
        """Ask once and return the reply frame, whatever its header.

        Raise `NoReplyError` after `reply_s` seconds without a whole reply, `WireError` where the echo differs
        from what was sent (a collision or a short), `PortError` when the line is lost. In the first two cases
        the device may or may not have obeyed.
        """
        async with self._lock:
            await self._settle()
            question = cctalk.encode(Frame(address, cctalk.HOST, header, data))
            self._unsettled = True
            await self._port.write(question)
            heard = await self._listen(question, address, reply_s)
            if self.echo and heard.start != question:
                raise WireError(
                    f"{self._port.path}: sent {question.hex(' ')}, the echo is {heard.start.hex(' ') or 'missing'}: "
                    "check the line for a collision or a short"
                )
            if heard.reply is None:
                raise NoReplyError(self._nobody(address, header))
            self._unsettled = False
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
        """Ask up to `attempts` times and return the reply's data; only for questions that may be repeated.

        `sizes` are the lengths the data may have, by default none at all (a bare ACK). Raise what the last
        attempt raised; `WireError` for a reply that refuses or has another length.
        """
        for left in reversed(range(attempts)):
            try:
                reply = await self.exchange(address, header, data, reply_s=reply_s)
                return self._sensible(header, reply, sizes or range(1))
            except (NoReplyError, WireError):
                if not left:
                    raise
        raise ValueError(f"{attempts} attempts: ask at least once")

    async def agreed(self, address: int, header: int, data: bytes = b"", *, sizes: range) -> bytes:
        """Return data that two reads in a row agree on: a checksum of eight bits lets one error in 256 pass.

        Raise what `request` raises, and `WireError` where the reads keep differing.
        """
        before = await self.request(address, header, data, sizes=sizes)
        for _ in range(AGREEING_READS):
            now = await self.request(address, header, data, sizes=sizes)
            if now == before:
                return now
            before = now
        raise WireError(
            f"{self._port.path}: device {address} answers request {header} differently each time: check the line"
        )

    async def quiet(self, seconds: float) -> None:
        """Wait until nothing has come for `seconds`: no late reply is under way after that."""
        async with self._lock:
            await self._silence(seconds)

    async def _settle(self) -> None:
        if self._unsettled:
            await self._silence(SETTLE_S)
            self._unsettled = False
        elif await self._port.read(0):
            # Something came unasked: a repeated reply, or noise. The rest of it must not be taken for a reply.
            await self._silence(cctalk.BYTE_GAP_S)

    async def _silence(self, seconds: float) -> None:
        limit = self._clock.now() + MAX_SETTLE_S + seconds
        while await self._port.read(seconds) and self._clock.now() < limit:
            pass

    async def _listen(self, question: bytes, address: int, reply_s: float) -> "_Heard":
        """Collect until the reply of `address` is whole, or its time is over.

        The echo needs no cutting off: it is a frame for somebody else.
        """
        deadline = self._clock.now() + cctalk.seconds(len(question)) + reply_s
        limit = deadline + cctalk.seconds(cctalk.OVERHEAD + cctalk.MAX_DATA)
        parser = cctalk.Parser()
        start = b""
        while (left := (limit if parser.partial else deadline) - self._clock.now()) > SLIVER_S:
            data = await self._port.read(cctalk.BYTE_GAP_S if parser.partial else left)
            if not data:
                parser.drop()
            start = (start + data)[: len(question)]
            for frame in parser.feed(data):
                if (frame.destination, frame.source) == (cctalk.HOST, address):
                    return _Heard(start, frame)
        return _Heard(start, None)

    def _sensible(self, header: int, reply: Frame, sizes: range) -> bytes:
        if reply.header == Header.ACK and len(reply.data) in sizes:
            return reply.data
        # It may be the late reply to another question: then more of the kind is under way.
        self._unsettled = True
        raise WireError(
            f"{self._port.path}: device {reply.source} answered {cctalk.encode(reply).hex(' ')} to request {header}, "
            "which makes no sense: check which device is wired to this port"
        )

    def _nobody(self, address: int, header: int) -> str:
        return (
            f"{self._port.path}: device {address} does not answer request {header}: "
            "check its power, its cable and its address"
        )


class _Heard(NamedTuple):
    """What came after a question: as many bytes as the question had, where its echo would be, and the reply."""

    start: bytes
    reply: Frame | None
