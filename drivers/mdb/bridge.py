"""The bridge to an MDB bus: Qibixx MDB Pi HAT and MDB-USB as the bus's master, which several drivers share.

Source: docs.qibixx.com, "General" (115200 8N1; a line for a command and a line for its answer) and "Generic Master"
(`M,1`, `R,xx,yyyy`); maehw/mdb-coin-controller, which ran on an MDB-USB, for the line's end and for `V`.

Known: `V` is answered `v,` and the version. `M,1` makes the bridge the bus's master: `m,ACK`, else `m,NACK`. `R,` with
an address byte and its data in hexadecimal sends one block and is answered `p,ACK`, `p,NACK` (no device answered), or
`p,` and the data that the device answered, without its checksum.

Assumed, since no public page says it: The bridge acknowledges data on the bus by itself (the bus leaves 5 ms for that),
so a device forgets an event before the line with it has reached us. Commands are carried out in their order. Data whose
checksum is wrong is not acknowledged, and is answered `p,NACK`. A bridge that was started anew is no master, and is
harmlessly made one again. The line bears no checksum: what is spoilt and still looks like an answer is taken for one;
USB has its own checksums.

So one command is under way at a time, and is sent once. After data, and after whatever is not as it should be, `V` is
asked: what came before its answer is no later answer to anything. A line that was lost is nobody's guess: `ask` raises
`AnswerLostError`, and each driver knows what that may have cost.
"""

import logging
import re
from typing import Final

from drivers.clock import Clock
from drivers.device_words import readable
from drivers.errors import IdentityError, NoReplyError
from drivers.exchange_log import LONGEST, ExchangeLog
from drivers.port import Port
from drivers.shared_line import LineTap, SharedLine

_log = logging.getLogger(__name__)

BAUD: Final = 115_200

VERSION: Final = b"V\n"
MASTER: Final = b"M,1\n"
AFRESH: Final = b"\n" + VERSION
"""Ends a command that reached the bridge in part, and asks for the version."""

REPLY_S: Final = 1.0
"""How long one answer may take: the longest block needs 40 ms on the bus, and repeats."""
ATTEMPTS: Final = 3

_MOST_STALE: Final = 64
"""Lines that are passed over on a line that never falls silent."""

_MASTERED: Final = b"m,ACK"
_REFUSED: Final = b"m,NACK"
_SILENT: Final = b"p,NACK"
_ACKNOWLEDGED: Final = b"p,ACK"
_DATA: Final = re.compile(rb"p,((?:[0-9A-Fa-f]{2}){1,36})")
"""A block has up to 36 bytes (section 2.2)."""


class AnswerLostError(NoReplyError):
    """The bridge's answer to a request did not come, or is none: nobody knows what the device did and said."""


class BridgeLostError(AnswerLostError):
    """The same, and the bridge is given up."""


class Bridge(SharedLine):
    """The line to one bridge. `version` is what it says of itself, empty before it has."""

    def __init__(self, port: Port, clock: Clock) -> None:
        super().__init__(port)
        self.version = ""
        self._clock = clock
        self._lines = bytearray()
        self._master = False
        self._in_order = False
        self._log = ExchangeLog(_log)

    def tap(self) -> "BridgeTap":
        """Return one driver's share of the bridge."""
        self._taps += 1
        return BridgeTap(self)

    def begin(self) -> None:
        """The port is about to be opened: the bridge may be another one, and answers may be under way."""
        self._master = self._in_order = False
        self._lines.clear()

    async def ask(self, tap: "BridgeTap", request: bytes) -> bytes | None:
        """Send one block and return what the device answered: empty for ACK, None where it did not answer.

        Raise `AnswerLostError` where the bridge's line is lost, `NoReplyError` where the bridge is silent and nothing
        was sent, `IdentityError` where it does not become the master.
        """
        async with self.turn:
            await self._make_master(tap)
            await self._pass_over(tap)
            self._in_order = False
            data = request[1:].hex().upper()
            await tap.write(b"R,%02X%s\n" % (request[0], f",{data}".encode() if data else b""))
            line = await self._answer(tap)
            said = None if line is None else self._read(line)
            if line in {_SILENT, _ACKNOWLEDGED}:
                self._in_order = True
            else:
                late = await self._recover(tap, request, clean=said is not None)
                if line is None and len(late) == 1:
                    # Nothing else was under way, so this is the answer, and came late.
                    line, said = late[0], self._read(late[0])
        if line is None or (said is None and line != _SILENT):
            self._master = False  # perhaps it was started anew
            what = "no answer" if line is None else f"no answer in '{readable(line[:LONGEST])}'"
            self._log.failed(self.path, f"{what} to {request.hex(' ').upper()}")
            raise AnswerLostError(f"{self.path}: the MDB bridge gave {what} to {request.hex(' ').upper()}")
        self._log.answered(self.path)
        return said

    async def is_there(self, tap: "BridgeTap") -> bool:
        """Whether a bridge answers, by one question that no other device acts on."""
        async with self.turn:
            await self._pass_over(tap)
            await tap.write(AFRESH)
            deadline = self._clock.now() + REPLY_S
            while (line := await self._line(tap, deadline - self._clock.now())) is not None:
                if line.startswith(b"v,"):
                    return True
        return False

    def renew(self) -> None:
        """Before the next request the bridge is made the master again: a device was silent, perhaps for want of one."""
        self._master = False

    @staticmethod
    def _read(line: bytes) -> bytes | None:
        """Return the data in an answer's line, empty for ACK; None for silence, and for what is no answer."""
        if line == _ACKNOWLEDGED:
            return b""
        data = _DATA.fullmatch(line)
        return None if data is None else bytes.fromhex(data[1].decode())

    async def _answer(self, tap: "BridgeTap") -> bytes | None:
        """Return the first line that may answer a block; late answers to other commands are none."""
        deadline = self._clock.now() + REPLY_S
        while (line := await self._line(tap, deadline - self._clock.now())) is not None:
            if not line.startswith((b"v,", b"m,")):
                return line
        return None

    async def _make_master(self, tap: "BridgeTap") -> None:
        if self._master and self._in_order:
            return
        if not self._in_order:
            await self._catch_up(tap, clean=False)
        if self._master:
            return
        for _ in range(ATTEMPTS):
            await tap.write(MASTER)
            while (line := await self._line(tap, REPLY_S)) is not None:
                if line == _MASTERED:
                    self._master = True
                    return
                if line == _REFUSED:
                    raise IdentityError(
                        f"{self.path}: the MDB bridge '{self.version}' does not become the bus's master (M,1): use an "
                        "MDB Pi HAT or MDB-USB whose firmware has the generic master, on a bus without another one"
                    )
        raise NoReplyError(f"{self.path}: the MDB bridge does not answer M,1: switch it off and on")

    async def _catch_up(self, tap: "BridgeTap", *, clean: bool) -> list[bytes]:
        """Ask for the version until it is answered; return the answers to blocks that came before it.

        After that nothing is under way. `clean` where nothing but the last answer was seen.
        """
        passed: list[bytes] = []
        for attempt in range(ATTEMPTS):
            await tap.write(VERSION if clean and not attempt else AFRESH)
            while (line := await self._line(tap, REPLY_S)) is not None:
                if line.startswith(b"v,") and line.isascii():
                    self.version = line[2:].decode()
                    self._in_order = True
                    if clean and passed:
                        self._log.wrong(self.path, b"\n".join(passed)[:LONGEST])
                    await self._pass_over(tap)
                    return passed
                if line.startswith(b"p,"):
                    passed.append(line)
                else:
                    # A bridge that starts says what it is; so the master may be gone.
                    self._master = False
        self._master = False
        raise NoReplyError(f"{self.path}: the MDB bridge does not answer: check its plug, and that it is one")

    async def _recover(self, tap: "BridgeTap", request: bytes, *, clean: bool) -> list[bytes]:
        """Catch up after a request; data that came is kept where the bridge falls silent only then."""
        try:
            return await self._catch_up(tap, clean=clean)
        except NoReplyError as error:
            if clean:
                return []
            raise BridgeLostError(f"{error}: the answer to {request.hex(' ').upper()} is lost") from error

    async def _pass_over(self, tap: "BridgeTap") -> None:
        """Throw away what came unasked."""
        for _ in range(_MOST_STALE):
            if await self._line(tap, 0) is None:
                break
        self._lines.clear()

    async def _line(self, tap: "BridgeTap", within_s: float) -> bytes | None:
        """Return the next line without its end, None where none is whole in time; empty ones are passed over."""
        deadline = self._clock.now() + within_s
        late = False
        while True:
            end = self._lines.find(b"\n")
            if end >= 0:
                line = bytes(self._lines[:end]).strip(b"\r\0 ")
                del self._lines[: end + 1]
                if line:
                    return line
                continue
            if late:
                return None
            left = deadline - self._clock.now()
            self._lines += await tap.read(max(0.0, left))
            late = self._clock.now() >= deadline
            if len(self._lines) > LONGEST and b"\n" not in self._lines:
                del self._lines[:-LONGEST]


class BridgeTap(LineTap):
    """One driver's share of a `Bridge`."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__(bridge)
        self.bridge = bridge


def tapped(port: Port, clock: Clock) -> BridgeTap:
    """Return the share of a bridge that `port` is, or the only one of the bridge behind it."""
    return port if isinstance(port, BridgeTap) else Bridge(port, clock).tap()
