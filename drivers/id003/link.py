"""Commands of an ID-003 host and their answers.

ID-003 has no sequence numbers, so a late status looks like the answer to the next poll. This module does not tell them
apart: the session accepts a status only when two polls in a row agree, and it checks the effect of a command by
polling, not by its ACK.
"""

import logging
from collections.abc import Callable
from typing import Final

from drivers.clock import Clock
from drivers.errors import NoReplyError
from drivers.host_line import HostLine
from drivers.id003.protocol import ACK, STATUS_CODES, WITH_CODE, Command, Frame, FrameParser, Status, encode
from drivers.port import Port

_log = logging.getLogger(__name__)

REPLY_S: Final = 0.3
ATTEMPTS: Final = 3


class Id003Link:
    """The host's end of one validator's line. `gap_s` is the pause between two exchanges (protocols.md §5)."""

    def __init__(self, port: Port, clock: Clock, gap_s: float) -> None:
        self._line = HostLine(port, clock, gap_s, _log)

    def __repr__(self) -> str:
        return f"<Id003Link {self.path}>"

    @property
    def path(self) -> str:
        """The port's path, for messages."""
        return self._line.path

    async def open(self) -> None:
        """Open the port; raise `PortError`."""
        await self._line.open()

    def close(self) -> None:
        """Release the port; may be called twice."""
        self._line.close()

    async def poll(self) -> Frame | None:
        """Poll once and return the status, or None after a timeout."""

        def is_status(frame: Frame) -> bool:
            return frame.code in STATUS_CODES and (bool(frame.data) or frame.code not in WITH_CODE)

        return await self._exchange(Command.POLL, b"", is_status)

    async def command(self, command: Command) -> bool:
        """Send reset, stack, return or hold once; return whether it was acknowledged.

        Only a later status shows the effect.
        """
        answer = await self._exchange(command, b"", lambda frame: frame.code in (ACK, Status.INVALID_COMMAND))
        return answer is not None and answer.code == ACK

    async def set(self, command: Command, data: bytes) -> bool:
        """Send a setting up to `ATTEMPTS` times until the device echoes it; return whether it did."""
        wanted = Frame(command, data)
        for _ in range(ATTEMPTS):
            answer = await self._exchange(command, data, lambda frame: frame.code in (command, Status.INVALID_COMMAND))
            if answer == wanted:
                return True
        return False

    async def get(self, command: Command) -> bytes | None:
        """Send a `GET_...` command up to `ATTEMPTS` times and return its data.

        Return None if the device does not support the command; raise `NoReplyError` if it does not answer.
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
        await self._line.send(encode(Command.ACK))

    async def _exchange(self, command: Command, data: bytes, is_answer: Callable[[Frame], bool]) -> Frame | None:
        parser = FrameParser()
        # Noise that looked like the start of a long frame may hide the answer: `flush` finds it.
        answer = await self._line.ask(
            encode(command, data),
            parser,
            is_answer,
            named=f"command {command:02X}",
            reply_s=REPLY_S,
            salvage=parser.flush,
        )
        self._line.rest()
        return answer
