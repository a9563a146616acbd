"""A printer's line: what is sent to it, and its answers sorted by what they answer."""

import logging
from typing import Final

from drivers.clock import Clock
from drivers.errors import NoReplyError
from drivers.escpos.protocol import Answer, AnswerParser, Kind, Status, realtime_status
from drivers.exchange_log import LONGEST, ExchangeLog
from drivers.port import Port

_log = logging.getLogger(__name__)

REPLY_S: Final = 0.5
"""A real-time status is answered at once, also by a printer that prints or stands still."""
QUIET_S: Final = 0.2
"""Before a question is asked again what may be a late answer is waited for."""
ATTEMPTS: Final = 3
BITS_PER_BYTE: Final = 11
_MAX_READS: Final = 64  # on a line that never falls silent
_STATUSES: Final = (1, 2, 3, 4)


class EscposLink:
    """The host's end of one printer's line, which sends `baud` bits a second (0 for a line without a rate).

    A process ID and a transmitted status come when their turn comes, in the middle of other exchanges too:
    `processed` holds the IDs that have come, `transmitted` how many statuses, `noise` how many times there was
    something that is no answer.
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
        """Return the answers that come within `seconds`, at once those of the first bytes."""
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
        """Take in what comes until nothing has come for `seconds`; False on a line that never falls silent."""
        for _ in range(_MAX_READS):
            quiet_at = self._clock.now() + seconds
            if not await self._heard_until(quiet_at):
                return True
        return False

    async def _heard_until(self, due: float) -> bool:
        """Whether anything, a half answer too, comes until `due`."""
        while (left := due - self._clock.now()) > 0:
            if await self.hear(left) or self._parser.inside:
                return True
        return False

    async def text(self, command: bytes, reply_s: float) -> bytes | None:
        """Return the text that `command` is answered with, None where none comes within `reply_s`."""
        await self.send(command)
        deadline = max(self._clock.now(), self.sent_at) + reply_s
        while (left := deadline - self._clock.now()) > 0:
            for answer in await self.hear(left):
                if answer.kind is Kind.INFORMATION:
                    return answer.data
        return None

    async def is_there(self) -> bool:
        """Whether one real-time status is answered, asked for once: for a line on which anybody may be."""
        return await self._ask_status(_STATUSES[0]) is not None

    async def status(self) -> Status:
        """Ask for the four real-time statuses; raise `NoReplyError` where one is not answered.

        One that comes among noise, or twice, is asked for again: nobody knows which question it answers.
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
        """Take in what has come unasked: a status among it answers nothing that is asked now."""
        for _ in range(_MAX_READS):
            if not await self.hear(0):
                return
