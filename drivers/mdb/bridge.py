"""Bridge to an MDB bus, shared by several drivers: Qibixx MDB Pi HAT or MDB-USB as bus master.

Sources: docs.qibixx.com, "General" (115200 8N1; one line per command and one per answer) and "Generic Master" (`M,1`,
`R,xx,yyyy`); maehw/mdb-coin-controller, which ran on an MDB-USB, for the line ending and for `V`.

Known: the answer to `V` is `v,` and the version. `M,1` makes the bridge bus master; the answer is `m,ACK` or `m,NACK`.
`R,` with an address byte and data in hexadecimal sends one block; the answer is `p,ACK`, `p,NACK` (no device answered),
or `p,` and the device's data without its checksum.

Assumed, since no public page says it: the bridge acknowledges data on the bus by itself (the bus allows 5 ms for that),
so a device forgets an event before the driver has received it. Commands are carried out in order. Data with a wrong
checksum is not acknowledged and is answered with `p,NACK`. After a restart the bridge is not the master; `M,1` may be
sent again without harm. The serial line has no checksum: a damaged answer that still looks valid is accepted. USB has
its own checksums.

So one command is pending at a time, and it is sent once. After data, and after anything unexpected, `V` is sent:
everything received before its answer belongs to earlier commands. If an answer is lost, `ask` raises `AnswerLostError`
and the driver decides what may have been missed.
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
"""Ends an incomplete command in the bridge's buffer and asks for the version."""

REPLY_S: Final = 1.0
"""Timeout of one answer: the longest block takes 40 ms on the bus and may be repeated."""
ATTEMPTS: Final = 3

_MOST_STALE: Final = 64
"""Maximum number of lines to discard on a line that never falls silent."""

_MASTERED: Final = b"m,ACK"
_REFUSED: Final = b"m,NACK"
_SILENT: Final = b"p,NACK"
_ACKNOWLEDGED: Final = b"p,ACK"
_DATA: Final = re.compile(rb"p,((?:[0-9A-Fa-f]{2}){1,36})")
"""A block has up to 36 bytes (section 2.2)."""


class AnswerLostError(NoReplyError):
    """The bridge's answer is missing or invalid: what the device did and reported is unknown."""


class BridgeLostError(AnswerLostError):
    """An answer is lost and the bridge is given up."""


class Bridge(SharedLine):
    """The line to one bridge; `version` is its firmware version, empty until it was read."""

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
        """Reset the state before the port is opened: the bridge may be another one, and old answers may arrive."""
        self._master = self._in_order = False
        self._lines.clear()

    async def ask(self, tap: "BridgeTap", request: bytes) -> bytes | None:
        """Send one block and return the device's answer: empty for ACK, None if it did not answer.

        Raise `AnswerLostError` if the bridge's answer is lost, `NoReplyError` if the bridge is silent and nothing was
        sent, `IdentityError` if it does not become bus master.
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
                    # No other command was pending, so this is the late answer.
                    line, said = late[0], self._read(late[0])
        if line is None or (said is None and line != _SILENT):
            self._master = False  # the bridge may have restarted
            what = "no answer" if line is None else f"no answer in '{readable(line[:LONGEST])}'"
            self._log.failed(self.path, f"{what} to {request.hex(' ').upper()}")
            raise AnswerLostError(f"{self.path}: the MDB bridge gave {what} to {request.hex(' ').upper()}")
        self._log.answered(self.path)
        return said

    async def is_there(self, tap: "BridgeTap") -> bool:
        """Return whether a bridge answers a version request, which no other device acts on."""
        async with self.turn:
            await self._pass_over(tap)
            await tap.write(AFRESH)
            deadline = self._clock.now() + REPLY_S
            while (line := await self._line(tap, deadline)) is not None:
                if line.startswith(b"v,"):
                    return True
        return False

    def renew(self) -> None:
        """Make the bridge bus master again before the next request: it may have restarted if a device is silent."""
        self._master = False

    @staticmethod
    def _read(line: bytes) -> bytes | None:
        """Return the data in an answer line, empty for ACK; None if no device answered or the line is no answer."""
        if line == _ACKNOWLEDGED:
            return b""
        data = _DATA.fullmatch(line)
        return None if data is None else bytes.fromhex(data[1].decode())

    async def _answer(self, tap: "BridgeTap") -> bytes | None:
        """Return the first line that may answer a block; skip late answers to `V` and `M`."""
        deadline = self._clock.now() + REPLY_S
        while (line := await self._line(tap, deadline)) is not None:
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
            deadline = self._clock.now() + REPLY_S
            while (line := await self._line(tap, deadline)) is not None:
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
        """Ask for the version until the answer comes; return the answers to blocks received before it.

        After that no answer is pending. `clean` says that only the last answer was received so far.
        """
        passed: list[bytes] = []
        for attempt in range(ATTEMPTS):
            await tap.write(VERSION if clean and not attempt else AFRESH)
            deadline = self._clock.now() + REPLY_S
            while (line := await self._line(tap, deadline)) is not None:
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
                    # A bridge sends its name when it starts, so it may not be the master any more.
                    self._master = False
        self._master = False
        raise NoReplyError(f"{self.path}: the MDB bridge does not answer: check its plug, and that it is one")

    async def _recover(self, tap: "BridgeTap", request: bytes, *, clean: bool) -> list[bytes]:
        """Catch up after a request; if the bridge falls silent after valid data, keep that data."""
        try:
            return await self._catch_up(tap, clean=clean)
        except NoReplyError as error:
            if clean:
                return []
            raise BridgeLostError(f"{error}: the answer to {request.hex(' ').upper()} is lost") from error

    async def _pass_over(self, tap: "BridgeTap") -> None:
        """Discard lines that are already received."""
        for _ in range(_MOST_STALE):
            if await self._line(tap, self._clock.now()) is None:
                break
        self._lines.clear()

    async def _line(self, tap: "BridgeTap", deadline: float) -> bytes | None:
        """Return the next non-empty line without its ending, None if none is complete by `deadline`.

        After it only a line that was received before is returned.
        """
        late = self._clock.now() > deadline
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
    """Return `port` if it is a share of a bridge, else a new share of the bridge on that port."""
    return port if isinstance(port, BridgeTap) else Bridge(port, clock).tap()
