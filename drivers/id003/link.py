"""Asking and being answered on an ID-003 line: gaps, time-outs, replies that come late or twice.

ID-003 numbers nothing, so a late status looks like the answer to the next poll. Nothing here tries to tell
them apart: whoever polls believes a status only when two polls in a row agree, and finds out what became
of a command by polling, not by its ACK.
"""

import logging
from collections.abc import Callable
from typing import Final

from drivers.clock import Clock
from drivers.errors import NoReplyError
from drivers.exchange_log import LONGEST, ExchangeLog
from drivers.id003.protocol import ACK, STATUS_CODES, WITH_CODE, Command, Frame, FrameParser, Status, encode
from drivers.port import Port

_log = logging.getLogger(__name__)

REPLY_S: Final = 0.3
ATTEMPTS: Final = 3
_MAX_STALE_READS: Final = 64  # on a line that never falls silent


class Id003Link:
    """The host's end of one validator's line. `gap_s` separates every two exchanges (protocols.md §5)."""

    def __init__(self, port: Port, clock: Clock, gap_s: float) -> None:
        self._port = port
        self._clock = clock
        self._gap_s = gap_s
        self._free_at = 0.0
        self._log = ExchangeLog(_log)

    def __repr__(self) -> str:
        return f"<Id003Link {self._port.path}>"

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

    async def poll(self) -> Frame | None:
        """Ask for the status, once; None where no status came in time."""

        def is_status(frame: Frame) -> bool:
            return frame.code in STATUS_CODES and (bool(frame.data) or frame.code not in WITH_CODE)

        return await self._exchange(Command.POLL, b"", is_status)

    async def command(self, command: Command) -> bool:
        """Send reset, stack, return or hold, once; whether its ACK came. Only the status tells what it did."""
        answer = await self._exchange(command, b"", lambda frame: frame.code in (ACK, Status.INVALID_COMMAND))
        return answer is not None and answer.code == ACK

    async def set(self, command: Command, data: bytes) -> bool:
        """Set `data` until it is echoed, at most `ATTEMPTS` times; whether it was."""
        wanted = Frame(command, data)
        for _ in range(ATTEMPTS):
            answer = await self._exchange(command, data, lambda frame: frame.code in (command, Status.INVALID_COMMAND))
            if answer == wanted:
                return True
        return False

    async def get(self, command: Command) -> bytes | None:
        """Ask for what `command` gets, at most `ATTEMPTS` times.

        None where the device knows no such command; raise `NoReplyError` where it does not answer.
        """
        for _ in range(ATTEMPTS):
            answer = await self._exchange(command, b"", lambda frame: frame.code in (command, Status.INVALID_COMMAND))
            if answer is not None:
                return answer.data if answer.code == command else None
        raise NoReplyError(
            f"{self.path}: the validator answers polls, but not command {command:02X}: check the line for noise"
        )

    async def acknowledge(self) -> None:
        """Acknowledge a vend valid; there is no reply to this."""
        await self._keep_gap()
        await self._port.write(encode(Command.ACK))
        self._free_at = self._clock.now() + self._gap_s

    async def _exchange(self, command: Command, data: bytes, is_answer: Callable[[Frame], bool]) -> Frame | None:
        """Send once and return the first answer; other frames, an ENQ sent unasked among them, are passed over."""
        await self._keep_gap()
        await self._discard_stale()
        await self._port.write(encode(command, data))
        answer = await self._listen(is_answer)
        if answer is None:
            self._log.failed(self.path, f"no answer to command {command:02X}")
        else:
            self._log.answered(self.path)
        self._free_at = self._clock.now() + self._gap_s
        return answer

    async def _listen(self, is_answer: Callable[[Frame], bool]) -> Frame | None:
        deadline = self._clock.now() + REPLY_S
        parser = FrameParser()
        heard = b""
        while (left := deadline - self._clock.now()) > 0:
            data = await self._port.read(left)
            heard = (heard + data)[:LONGEST]
            for frame in parser.feed(data):
                if is_answer(frame):
                    return frame
        # Noise that looked like the start of a long frame may hide the answer.
        answer = next(filter(is_answer, parser.flush()), None)
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
