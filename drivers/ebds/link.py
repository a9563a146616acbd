"""Messages of an EBDS host and their answers, with the ACK bit and retries.

A message with the same ACK bit as the last one is not carried out again: the device repeats its last answer including
its events. So after a lost answer the message is repeated with the same ACK bit.
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
"""Attempts for the first message to a device, and for messages that it may not support."""
LATE_S: Final = 0.3
"""How long answers to earlier attempts are awaited and discarded after the first answer."""

_ANSWERS: Final = frozenset({Type.OMNIBUS_REPLY, Type.AUXILIARY, Type.EXTENDED})


class EbdsLink:
    """The host's end of one validator's line; `flag` is the ACK bit of the next message.

    `gap_s` is the pause between two exchanges. With `even_parity` the parity bit is computed in software on a port
    without parity.
    """

    def __init__(self, port: Port, clock: Clock, gap_s: float, *, even_parity: bool) -> None:
        self._line = HostLine(SevenBitPort(port) if even_parity else port, clock, gap_s, _log)
        self._clock = clock
        self.gap_s = gap_s
        self.flag = False
        self.heard: list[Frame] = []
        """Answers to extended requests: each also carries the device's state and its events."""

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
        """Send an omnibus command until it is answered; raise `NoReplyError` after `attempts` attempts."""
        answer = await self.ask(Type.OMNIBUS_COMMAND, data, attempts=attempts)
        if answer is None:
            raise NoReplyError(f"{self.path}: the bill validator does not answer: check its power and its cable")
        return answer

    async def auxiliary(self, question: Auxiliary) -> Frame | None:
        """Send an auxiliary request; return its answer, or None after `FIRST_ATTEMPTS` timeouts."""
        return await self.ask(Type.AUXILIARY, bytes((0, 0, question)), attempts=FIRST_ATTEMPTS)

    async def extended(self, subtype: Extended, data: bytes) -> Frame | None:
        """Send an extended message, whose `data` begins with an omnibus command's data; return its answer or None."""
        answer = await self.ask(Type.EXTENDED, bytes((subtype,)) + data, attempts=FIRST_ATTEMPTS)
        if answer is not None:
            self.heard.append(answer)
        return answer

    async def ask(self, kind: Type, data: bytes, *, attempts: int) -> Frame | None:
        """Send a message up to `attempts` times with the same ACK bit; return the answer, or None after timeouts.

        The bit toggles after an answer. The answer may belong to the previous message, if that one was not answered.
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
