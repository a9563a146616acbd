"""The messages of an EBDS host and their answers: the ACK bit, and what a repeat means.

A message that is sent again under the ACK bit of the last one is not carried out again: the device repeats its last
answer, events and all. So a lost answer can be had again as long as the bit is known.
"""

import logging
from typing import Final

from drivers.clock import Clock
from drivers.ebds.protocol import ACK_BIT, Auxiliary, Extended, Frame, FrameParser, Type, encode
from drivers.ebds.seven_bits import SevenBitPort
from drivers.errors import NoReplyError
from drivers.host_line import HostLine
from drivers.port import Port

_log = logging.getLogger(__name__)

REPLY_S: Final = 1.0
ATTEMPTS: Final = 10
FIRST_ATTEMPTS: Final = 3
"""How often a device that is looked for is asked, and one that need not know the question."""
LATE_S: Final = 0.3
"""How long answers to earlier attempts are waited for, and thrown away, once one has come."""

_ANSWERS: Final = frozenset({Type.OMNIBUS_REPLY, Type.AUXILIARY, Type.EXTENDED})


class EbdsLink:
    """The host's end of one validator's line; `flag` is the ACK bit that the next message will bear.

    `gap_s` separates every two exchanges; `even_parity` is computed here, on a port without.
    """

    def __init__(self, port: Port, clock: Clock, gap_s: float, *, even_parity: bool) -> None:
        self._line = HostLine(SevenBitPort(port) if even_parity else port, clock, gap_s, _log)
        self._clock = clock
        self.gap_s = gap_s
        self.flag = False
        self.heard: list[Frame] = []
        """The answers to extended questions: each bears the device's state too, and so its events."""

    def __repr__(self) -> str:
        return f"<EbdsLink {self.path} flag={int(self.flag)}>"

    @property
    def path(self) -> str:
        """The port's path, for messages."""
        return self._line.path

    async def open(self) -> None:
        """Open the port; raise `PortError`."""
        await self._line.open()

    async def poll(self, data: bytes, *, attempts: int = ATTEMPTS) -> Frame:
        """Send an omnibus command until it is answered; raise `NoReplyError` where it is not, in time."""
        answer = await self.ask(Type.OMNIBUS_COMMAND, data, attempts=attempts)
        if answer is None:
            raise NoReplyError(f"{self.path}: the bill validator does not answer: check its power and its cable")
        return answer

    async def auxiliary(self, question: Auxiliary) -> Frame | None:
        """Ask an auxiliary question; None where nothing answers."""
        return await self.ask(Type.AUXILIARY, bytes((0, 0, question)), attempts=FIRST_ATTEMPTS)

    async def extended(self, subtype: Extended, data: bytes) -> Frame | None:
        """Send an extended message, whose `data` begins with an omnibus command's; None where nothing answers."""
        answer = await self.ask(Type.EXTENDED, bytes((subtype,)) + data, attempts=FIRST_ATTEMPTS)
        if answer is not None:
            self.heard.append(answer)
        return answer

    async def ask(self, kind: Type, data: bytes, *, attempts: int) -> Frame | None:
        """Send a message until it is answered, at most `attempts` times under one ACK bit; None where it is not.

        The bit turns with the answer. An answer may be one to the message before, if that had none.
        """
        request = encode(kind | (ACK_BIT if self.flag else 0), data)
        for attempt in range(attempts):
            parser = FrameParser()
            answer = await self._line.ask(
                request,
                parser,
                self._is_answer,
                named=f"message {request[2]:02X} {data[:1].hex()}",
                reply_s=REPLY_S,
                salvage=parser.flush,
            )
            if answer is None:
                continue
            if attempt:
                await self._clock.sleep(LATE_S)
            self._line.rest()
            self.flag = not self.flag
            return answer
        return None

    def _is_answer(self, frame: Frame) -> bool:
        return frame.type in _ANSWERS and frame.ack == self.flag
