"""The commands of an SSP host and their answers: the sequence flag, and what a repeat means.

A command that is sent again under the flag of the last one is not carried out again: the device repeats its last
reply. So a lost reply can be had again as long as the flag is known.
"""

import logging
from typing import Final

import msgspec

from drivers.clock import Clock
from drivers.errors import NoReplyError
from drivers.host_line import HostLine
from drivers.port import Port
from drivers.ssp.protocol import FLAG, Command, Frame, FrameParser, Reply, encode

_log = logging.getLogger(__name__)

REPLY_S: Final = 1.0
ATTEMPTS: Final = 20
SYNC_ATTEMPTS: Final = 3
SYNC_REPLY_S: Final = 0.5
"""How long a device that is looked for may take to answer: asked again it does no harm."""


class Answer(msgspec.Struct, frozen=True):
    """What the device answered: its reply code, and the data behind it."""

    reply: int
    data: bytes = b""

    @property
    def ok(self) -> bool:
        """Whether the command was carried out."""
        return self.reply == Reply.OK


class SspLink:
    """The host's end of one device's line; `flag` is the one that the next command will bear.

    `gap_s` separates every two exchanges.
    """

    def __init__(self, port: Port, clock: Clock, gap_s: float, *, address: int = 0) -> None:
        self._line = HostLine(port, clock, gap_s, _log)
        self._address = address
        self.flag = False

    def __repr__(self) -> str:
        return f"<SspLink {self.path} flag={int(self.flag)}>"

    @property
    def path(self) -> str:
        """The port's path, for messages."""
        return self._line.path

    async def sync(self) -> None:
        """Begin anew: the next command's flag is 0, and what the device had last replied is forgotten.

        Raise `NoReplyError` where nothing answers.
        """
        self.flag = True  # what SYNC itself bears does not matter; after it flag 0 is a new command
        answer = await self.ask(Command.SYNC, attempts=SYNC_ATTEMPTS, reply_s=SYNC_REPLY_S)
        if answer is None or not answer.ok:
            raise NoReplyError(f"{self.path}: the bill validator does not answer: check its power and its cable")
        self.flag = False

    async def command(self, command: int, data: bytes = b"") -> Answer:
        """Have `command` carried out once; raise `NoReplyError` where no reply comes after `ATTEMPTS`."""
        answer = await self.ask(command, data, attempts=ATTEMPTS)
        if answer is None:
            raise NoReplyError(f"{self.path}: the bill validator has fallen silent: check its power and its cable")
        return answer

    async def ask(self, command: int, data: bytes = b"", *, attempts: int, reply_s: float = REPLY_S) -> Answer | None:
        """Send `command` until it is answered, at most `attempts` times under one flag; None where it is not.

        The flag turns with the answer: until then this very command is asked again.
        """
        frame = encode(self._address | (FLAG if self.flag else 0), bytes((command,)) + data)
        for _ in range(attempts):
            answer = await self._line.ask(
                frame, FrameParser(), self._is_answer, named=f"command {command:02X}", reply_s=reply_s
            )
            if answer is not None:
                self._line.rest()
                self.flag = not self.flag
                return Answer(answer.data[0], answer.data[1:])
        return None

    def _is_answer(self, frame: Frame) -> bool:
        return bool(frame.data) and frame.address == self._address and frame.flag == self.flag
