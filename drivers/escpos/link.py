"""A printer's line: sends commands and sorts the answers by kind."""

import logging
from typing import Final

from drivers.clock import Clock
from drivers.errors import NoReplyError
from drivers.escpos.protocol import Answer, AnswerParser, Kind, Status, realtime_status
from drivers.exchange_log import LONGEST, ExchangeLog
from drivers.port import Port

_log = logging.getLogger(__name__)

REPLY_S: Final = 0.5
"""Timeout of a real-time status, which is answered at once even by a busy or offline printer."""
QUIET_S: Final = 0.2
"""Silence to wait for late answers before a request is repeated."""
ATTEMPTS: Final = 3
BITS_PER_BYTE: Final = 11
_MAX_READS: Final = 64  # on a line that never falls silent
_STATUSES: Final = (1, 2, 3, 4)


class EscposLink:
    """The host's end of one printer's line at `baud` (0 for a line without a baud rate).

    Process IDs and transmitted statuses arrive after earlier print data, also during other exchanges: `processed` holds
    the received IDs, `transmitted` the number of statuses, `noise` the number of invalid answers.
    """

    def __init__(self, port: Port, clock: Clock, baud: int) -> None:
        self._port = port
        self._clock = clock
        self._baud = baud
        self._parser = AnswerParser()
        self._log = ExchangeLog(_log)
        self.sent_at = 0.0
        self.processed: set[bytes] = set()
        self.transmitted = 0
        self.noise = 0

    def __repr__(self) -> str:
        return f"<EscposLink {self.path}>"

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

    async def send(self, data: bytes) -> None:
        """Send `data`; raise `PortError` when the line is lost."""
        sending_s = len(data) * BITS_PER_BYTE / self._baud if self._baud else 0.0
        self.sent_at = max(self.sent_at, self._clock.now()) + sending_s
        await self._port.write(data)

    async def hear(self, seconds: float) -> list[Answer]:
        """Wait up to `seconds` for the first bytes and return the answers in them."""
        answers = self._parser.feed(await self._port.read(seconds))
        for answer in answers:
            if answer.kind is Kind.PROCESS_ID:
                self.processed.add(answer.data)
            elif answer.kind is Kind.TRANSMITTED:
                self.transmitted += 1
            elif answer.kind is Kind.NOISE:
                self.noise += 1
        noise = b"".join(answer.data for answer in answers if answer.kind is Kind.NOISE)
        if noise:
            self._log.wrong(self.path, noise[:LONGEST])
        return answers

    async def fall_silent(self, seconds: float) -> bool:
        """Read until the line is silent for `seconds`; return False if it never is."""
        for _ in range(_MAX_READS):
            quiet_at = self._clock.now() + seconds
            if not await self._heard_until(quiet_at):
                return True
        return False

    async def _heard_until(self, due: float) -> bool:
        """Return whether anything, even a partial answer, arrives until `due`."""
        while (left := due - self._clock.now()) > 0:
            if await self.hear(left) or self._parser.inside:
                return True
        return False

    async def text(self, command: bytes, reply_s: float) -> bytes | None:
        """Send `command` and return the text in its answer, None after a timeout of `reply_s`."""
        await self.send(command)
        deadline = max(self._clock.now(), self.sent_at) + reply_s
        while (left := deadline - self._clock.now()) > 0:
            for answer in await self.hear(left):
                if answer.kind is Kind.INFORMATION:
                    return answer.data
        return None

    async def is_there(self) -> bool:
        """Return whether one real-time status request, sent once, is answered; for a line with an unknown device."""
        return await self._ask_status(_STATUSES[0]) is not None

    async def status(self) -> Status:
        """Request the four real-time statuses; raise `NoReplyError` if one is not answered.

        A status that comes with noise, or twice, is requested again, because it may answer another request.
        """
        first, second, third, fourth = [await self._status(kind) for kind in _STATUSES]
        return Status(first, second, third, fourth)

    async def _status(self, kind: int) -> int:
        for attempt in range(ATTEMPTS):
            if attempt:
                await self.fall_silent(QUIET_S)
            value = await self._ask_status(kind)
            if value is not None:
                self._log.answered(self.path)
                return value
            self._log.failed(self.path, f"no answer to status {kind}")
        raise NoReplyError(f"{self.path}: the ticket printer does not answer: check its power and its cable")

    async def _ask_status(self, kind: int) -> int | None:
        await self._drain()
        noise = self.noise
        await self.send(realtime_status(kind))
        deadline = max(self._clock.now(), self.sent_at) + REPLY_S
        while (left := deadline - self._clock.now()) > 0:
            statuses = [answer.data[0] for answer in await self.hear(left) if answer.kind is Kind.REALTIME]
            if self.noise != noise or len(statuses) > 1:
                return None
            if statuses:
                return statuses[0]
        return None

    async def _drain(self) -> None:
        """Read earlier bytes: a status among them does not answer the next request."""
        for _ in range(_MAX_READS):
            if not await self.hear(0):
                return
