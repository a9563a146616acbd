"""The commands of an SSP host and their answers: the sequence flag, what a repeat means, and eSSP's key and counters.

A command that is sent again under the flag of the last one is not carried out again: the device repeats its last
reply. So a lost reply can be had again as long as the flag is known. A sealed command (eSSP) is repeated byte by byte,
its count included. Either side's count steps with each packet that it sends or takes: a command bears the count, its
reply the next one, which is also the next command's.
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
"""A device that lost count, or its key, ignores what is sealed: then only a new key helps."""

SYNC_ATTEMPTS: Final = 3
SYNC_REPLY_S: Final = 0.5
"""How long a device that is looked for may take to answer: asked again it does no harm."""

_PLAIN: Final = frozenset({Command.SYNC, Command.SET_GENERATOR, Command.SET_MODULUS, Command.KEY_EXCHANGE})
"""Commands that are never sealed."""


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

    `gap_s` separates every two exchanges, which take turns. `device` is its name in messages. Secrets come from
    `random`.
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
        """Begin anew: the next command's flag is 0, and what the device had last replied is forgotten.

        Raise `NoReplyError` where nothing answers.
        """
        self.flag = True  # what SYNC itself bears does not matter; after it flag 0 is a new command
        answer = await self.ask(Command.SYNC, attempts=SYNC_ATTEMPTS, reply_s=SYNC_REPLY_S)
        if answer is None or not answer.ok:
            raise NoReplyError(f"{self.path}: the {self._device} does not answer: check its power and its cable")
        self.flag = False

    async def negotiate(self, fixed: FixedKey) -> bool:
        """Agree on a key, and prove it; False where the device knows no encryption.

        Raise `IdentityError` where the proof fails: the device has another fixed key. What the device had last replied
        is forgotten.
        """
        self._cipher = None
        for bits in SIZES:
            exchange = KeyExchange(self._random, bits)
            negotiated = await self._exchange(exchange)
            if negotiated is None:
                if bits != SIZES[-1]:
                    continue  # larger primes than it takes, perhaps
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
        """Return the negotiated number, None where the device refuses."""
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
        """Have `command` carried out once; raise `NoReplyError` where no reply comes after all attempts.

        Raise `KeyLostError` for a device that was started anew: what it was set to is gone with its key.
        """
        answer = await self.ask(command, data, attempts=SEALED_ATTEMPTS if self._seals(command) else ATTEMPTS)
        if answer is None:
            raise self._silent()
        if answer.reply == Reply.KEY_NOT_SET and self.sealed:
            raise KeyLostError(f"{self.path}: the {self._device} was started anew and has lost its key")
        return answer

    async def whole(self, command: int, data: bytes = b"") -> Answer:
        """Have `command` carried out, to its answer even where the caller is cancelled.

        An exchange that is broken off leaves flag and count unknown, and others wait for their turn on this link.
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
            raise self._silent() from None  # it was dropped

    def drop(self) -> None:
        """Break off what is under way: the conversation is over."""
        for task in self._whole:
            task.cancel()

    def _done(self, task: asyncio.Task[Answer]) -> None:
        self._whole.discard(task)
        if not task.cancelled():
            task.exception()  # nobody else may ask for it

    def _silent(self) -> NoReplyError:
        return NoReplyError(f"{self.path}: the {self._device} has fallen silent: check its power and its cable")

    async def ask(self, command: int, data: bytes = b"", *, attempts: int, reply_s: float = REPLY_S) -> Answer | None:
        """Send `command` until it is answered, at most `attempts` times under one flag; None where it is not.

        The flag turns with the answer: until then this very command is asked again.
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
        """Return the answer that `frame` holds, None where it is none of this command.

        To a sealed command only a refusal may come in plain: what the device reports or has done is sealed.
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
    """An answer, and whether it came sealed, which steps the count."""

    answer: Answer
    sealed: bool


class _Answers:
    """Cuts received bytes into frames, and passes on those that `read` takes for the answer."""

    def __init__(self, read: Callable[[Frame], _Heard | None]) -> None:
        self._frames = FrameParser()
        self._read = read

    def feed(self, data: bytes) -> list[_Heard]:
        """Add received bytes and return the answers among the frames that they complete."""
        return [heard for frame in self._frames.feed(data) if (heard := self._read(frame)) is not None]
