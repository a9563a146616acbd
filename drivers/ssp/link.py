"""Commands of an SSP host and their answers, with the sequence flag, retries, and eSSP's key and counters.

A command with the same sequence flag as the last one is not carried out again: the device repeats its last reply. So
after a lost reply the command is repeated with the same sequence flag. An encrypted command (eSSP) is repeated byte for
byte, including its counter. Each side increments its counter with each packet that it sends or accepts: a command
carries the counter, its reply the next value, and the next command the same value as that reply.
"""

import asyncio
import logging
import os
from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

from drivers.clock import Clock
from drivers.errors import IdentityError, KeyLostError, NoReplyError
from drivers.host_line import HostLine
from drivers.port import Port
from drivers.ssp.cipher import COUNT_SPAN, STEX, Cipher
from drivers.ssp.exchange import KEY_BYTES, SIZES, KeyExchange, Randomness
from drivers.ssp.key import FixedKey
from drivers.ssp.protocol import FLAG, Command, Frame, FrameParser, Reply, encode

_log = logging.getLogger(__name__)

REPLY_S: Final = 1.0
ATTEMPTS: Final = 20
SEALED_ATTEMPTS: Final = 6
"""A device that lost its counter or key ignores encrypted commands: then only a new key exchange helps."""

SYNC_ATTEMPTS: Final = 3
SYNC_REPLY_S: Final = 0.5
"""Reply timeout of SYNC: a repeated SYNC does no harm."""

_PLAIN: Final = frozenset({Command.SYNC, Command.SET_GENERATOR, Command.SET_MODULUS, Command.KEY_EXCHANGE})
"""Commands that are never encrypted."""


class Answer(msgspec.Struct, frozen=True):
    """A device's answer: its reply code and the data after it."""

    reply: int
    data: bytes = b""

    @property
    def ok(self) -> bool:
        """Whether the command was carried out."""
        return self.reply == Reply.OK


class SspLink:
    """The host's end of one device's line; `flag` is the sequence flag of the next command.

    `gap_s` is the pause between two exchanges, which are serialised by a lock. `device` is the name in messages.
    Secrets come from `random`.
    """

    def __init__(
        self,
        port: Port,
        clock: Clock,
        gap_s: float,
        *,
        address: int = 0,
        device: str = "bill validator",
        random: Randomness = os.urandom,
    ) -> None:
        self._line = HostLine(port, clock, gap_s, _log)
        self._address = address
        self._device = device
        self._random = random
        self._turn = asyncio.Lock()
        self._whole: set[asyncio.Task[Answer]] = set()
        self._cipher: Cipher | None = None
        self._count = 0
        self.flag = False

    def __repr__(self) -> str:
        return f"<SspLink {self.path} flag={int(self.flag)}{' sealed' if self.sealed else ''}>"

    @property
    def path(self) -> str:
        """The port's path, for messages."""
        return self._line.path

    @property
    def sealed(self) -> bool:
        """Whether commands are encrypted."""
        return self._cipher is not None

    async def sync(self) -> None:
        """Send SYNC: the next command has flag 0, and the device forgets its last reply.

        Raise `NoReplyError` if nothing answers.
        """
        self.flag = True  # the flag of SYNC itself does not matter; after it flag 0 marks a new command
        answer = await self.ask(Command.SYNC, attempts=SYNC_ATTEMPTS, reply_s=SYNC_REPLY_S)
        if answer is None or not answer.ok:
            raise NoReplyError(f"{self.path}: the {self._device} does not answer: check its power and its cable")
        self.flag = False

    async def negotiate(self, fixed: FixedKey) -> bool:
        """Negotiate a key and test it; return False if the device does not support encryption.

        Raise `IdentityError` if the test fails: the device has another fixed key. The device forgets its last reply.
        """
        self._cipher = None
        for bits in SIZES:
            exchange = KeyExchange(self._random, bits)
            negotiated = await self._exchange(exchange)
            if negotiated is None:
                if bits != SIZES[-1]:
                    continue  # the primes may be too large for the device
                return False
            self._cipher, self._count = Cipher(fixed.joined(negotiated), self._random), 0
            if await self.ask(Command.SERIAL_NUMBER, attempts=SYNC_ATTEMPTS) is not None:
                return True
            self._cipher = None
        whose = "its maker's" if fixed.is_makers else "the configured one"
        raise IdentityError(
            f"{self.path}: the {self._device} does not understand what is encrypted: its eSSP key is another one "
            f"than {whose}; set `ssp_key` to it"
        )

    async def _exchange(self, exchange: KeyExchange) -> int | None:
        """Return the negotiated number, None if the device refuses."""
        for command, number in (
            (Command.SET_GENERATOR, exchange.generator),
            (Command.SET_MODULUS, exchange.modulus),
        ):
            if not (await self.command(command, number.to_bytes(KEY_BYTES, "little"))).ok:
                return None
        answer = await self.command(Command.KEY_EXCHANGE, exchange.public.to_bytes(KEY_BYTES, "little"))
        if not answer.ok or len(answer.data) != KEY_BYTES:
            return None
        return exchange.negotiated(int.from_bytes(answer.data, "little"))

    async def command(self, command: int, data: bytes = b"") -> Answer:
        """Execute `command` once and return its answer; raise `NoReplyError` if all attempts time out.

        Raise `KeyLostError` if the device restarted: its settings are lost with its key.
        """
        answer = await self.ask(command, data, attempts=SEALED_ATTEMPTS if self._seals(command) else ATTEMPTS)
        if answer is None:
            raise self._silent()
        if answer.reply == Reply.KEY_NOT_SET and self.sealed:
            raise KeyLostError(f"{self.path}: the {self._device} was started anew and has lost its key")
        return answer

    async def whole(self, command: int, data: bytes = b"") -> Answer:
        """Execute `command` and finish the exchange even if the caller is cancelled.

        An interrupted exchange leaves flag and counter unknown, and other callers use this link too.
        """
        task = asyncio.ensure_future(self.command(command, data))
        self._whole.add(task)
        task.add_done_callback(self._done)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if caller is not None and caller.cancelling():
                raise
            raise self._silent() from None  # `drop` cancelled the exchange

    def drop(self) -> None:
        """Cancel pending exchanges at the end of the session."""
        for task in self._whole:
            task.cancel()

    def _done(self, task: asyncio.Task[Answer]) -> None:
        self._whole.discard(task)
        if not task.cancelled():
            task.exception()  # mark it as retrieved: the caller may be gone

    def _silent(self) -> NoReplyError:
        return NoReplyError(f"{self.path}: the {self._device} has fallen silent: check its power and its cable")

    async def ask(self, command: int, data: bytes = b"", *, attempts: int, reply_s: float = REPLY_S) -> Answer | None:
        """Send `command` up to `attempts` times with the same flag; return the answer, or None after timeouts.

        The flag toggles only after an answer, so repeats carry the same flag.
        """
        async with self._turn:
            said = bytes((command,)) + data
            seals = self._seals(command)
            if seals and self._cipher is not None:
                said = self._cipher.seal(said, self._count)
            frame = encode(self._address | (FLAG if self.flag else 0), said)
            for _ in range(attempts):
                heard = await self._line.ask(
                    frame,
                    _Answers(lambda frame: self._read(frame, sealed=seals)),
                    lambda _heard: True,
                    named=f"command {command:02X}",
                    reply_s=reply_s,
                )
                if heard is not None:
                    self._line.rest()
                    self.flag = not self.flag
                    self._count = (self._count + heard.sealed) % COUNT_SPAN
                    return heard.answer
            return None

    def _seals(self, command: int) -> bool:
        return self.sealed and command not in _PLAIN

    def _read(self, frame: Frame, *, sealed: bool) -> "_Heard | None":
        """Return the answer in `frame`, None if it does not answer this command.

        The answer to an encrypted command may be unencrypted only if it is a refusal.
        """
        data = frame.data
        if not data or frame.address != self._address or frame.flag != self.flag:
            return None
        if data[0] != STEX:
            return None if sealed and data[0] == Reply.OK else _Heard(Answer(data[0], data[1:]), sealed=False)
        opened = self._cipher.open(data) if sealed and self._cipher is not None else None
        if opened is None or not opened.data or opened.packet != (self._count + 1) % COUNT_SPAN:
            return None
        return _Heard(Answer(opened.data[0], opened.data[1:]), sealed=True)


class _Heard(NamedTuple):
    """An answer and whether it was encrypted, which increments the counter."""

    answer: Answer
    sealed: bool


class _Answers:
    """Parses received bytes into frames and passes on those that `read` accepts as the answer."""

    def __init__(self, read: Callable[[Frame], _Heard | None]) -> None:
        self._frames = FrameParser()
        self._read = read

    def feed(self, data: bytes) -> list[_Heard]:
        """Add received bytes and return the answers among the frames that they complete."""
        return [heard for frame in self._frames.feed(data) if (heard := self._read(frame)) is not None]
