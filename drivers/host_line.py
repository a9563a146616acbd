"""The host's end of a line with one device that answers one request at a time: gaps, stale bytes, timeouts, log."""

import logging
from collections.abc import Callable, Iterable
from typing import Final, Protocol, TypeVar

from drivers.clock import Clock
from drivers.exchange_log import LONGEST, ExchangeLog
from drivers.port import Port

_MAX_STALE_READS: Final = 64  # on a line that never falls silent

F = TypeVar("F")
F_co = TypeVar("F_co", covariant=True)


class Parser(Protocol[F_co]):
    """Parses received bytes into frames."""

    def feed(self, data: bytes) -> Iterable[F_co]:
        """Add received bytes and return the frames they complete, in order."""


class HostLine:
    """One device's line; `gap_s` is the pause between two exchanges. Failed exchanges are logged under `logger`."""

    def __init__(self, port: Port, clock: Clock, gap_s: float, logger: logging.Logger) -> None:
        self._port = port
        self._clock = clock
        self._gap_s = gap_s
        self._free_at = 0.0
        self._log = ExchangeLog(logger)

    def __repr__(self) -> str:
        return f"<HostLine {self.path}>"

    @property
    def path(self) -> str:
        """The port's path, for messages."""
        return self._port.path

    async def open(self) -> None:
        """Open the port; raise `PortError`."""
        await self._port.open()

    def close(self) -> None:
        """Release the port; may be called twice."""
        self._port.close()

    async def ask(
        self,
        request: bytes,
        parser: Parser[F],
        is_answer: Callable[[F], bool],
        *,
        named: str,
        reply_s: float,
        salvage: Callable[[], Iterable[F]] = tuple,
    ) -> F | None:
        """Send `request` once, after the gap, and return its answer, or None after a timeout.

        The answer is the first frame that `is_answer` accepts; others are ignored. After `reply_s` seconds without one,
        `salvage` returns the frames that may be left in the parser. The log calls the request `named`. The gap to the
        next exchange starts with `rest`.
        """
        await self._keep_gap()
        await self._discard_stale()
        await self._port.write(request)
        answer = await self._listen(parser, is_answer, reply_s, salvage)
        if answer is None:
            self._log.failed(self.path, f"no answer to {named}")
        else:
            self._log.answered(self.path)
        return answer

    async def send(self, data: bytes) -> None:
        """Send data that gets no answer, after the gap, and start the next gap."""
        await self._keep_gap()
        await self._port.write(data)
        self.rest()

    def rest(self) -> None:
        """Start the gap: the next exchange waits for `gap_s` from now."""
        self._free_at = self._clock.now() + self._gap_s

    async def _listen(
        self, parser: Parser[F], is_answer: Callable[[F], bool], reply_s: float, salvage: Callable[[], Iterable[F]]
    ) -> F | None:
        deadline = self._clock.now() + reply_s
        heard = b""
        while (left := deadline - self._clock.now()) > 0:
            data = await self._port.read(left)
            heard = (heard + data)[:LONGEST]
            for frame in parser.feed(data):
                if is_answer(frame):
                    return frame
        answer = next(filter(is_answer, salvage()), None)
        if answer is None and heard:
            self._log.wrong(self.path, heard)
        return answer

    async def _keep_gap(self) -> None:
        wait = self._free_at - self._clock.now()
        if wait > 0:
            await self._clock.sleep(wait)

    async def _discard_stale(self) -> None:
        for _ in range(_MAX_STALE_READS):
            if not await self._port.read(0):
                return
