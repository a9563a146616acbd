"""A printer at the far end of a line in memory, from the command reference alone, for tests of its driver.

It prints what comes in turn, and answers in turn, at `BYTE_S` a byte; real-time commands it obeys at once.
"""

import asyncio
import re
from typing import Final

from drivers.simulated.line import Line

BYTE_S: Final = 0.001
CUT: Final = b"\x1dV"

_REALTIME = re.compile(rb"\x10\x04[\x01-\x04]|\x10\x05[\x01\x02]|\x10\x14\x08\x01\x03\x14\x01\x06\x02\x08", re.DOTALL)
_IN_TURN = re.compile(
    rb"\x1b@|\x1b[t!Ead].|\x1d[!hwfHrIa].|\x1dk[\x00-\x06][^\x00]*\x00|\x1dV.|\x1d\(H\x06\x00......|[^\x1b\x1d]",
    re.DOTALL,
)
CLEAN: Final = {1: 0x12, 2: 0x12, 3: 0x12, 4: 0x12}


class Peer:
    """One printer with its four real-time statuses in `status`.

    `printed` are the slips that were cut and are not blank, `slip` is what is begun. It knows GS ( H where it is
    `numbered`, and GS r where it `transmits`. It stands still while its status has it offline. `stop_at` is how many
    more bytes it prints before its paper ends, `late_s` how late its next answer to who it is comes.
    """

    def __init__(self, *, numbered: bool = True, transmits: bool = True, words: bool = True) -> None:
        self.status = dict(CLEAN)
        self.printed: list[bytes] = []
        self.slip = b""
        self.numbered = numbered
        self.transmits = transmits
        self.words = words
        self.deaf = False
        self.clears = 0
        self.recovers = 0
        self.asked: list[bytes] = []
        self.stop_at: int | None = None
        self.late_s = 0.0
        self.line: Line | None = None
        self._inbox = b""
        self._buffer = b""
        self._busy = False

    def connect(self, line: Line) -> None:
        """Remember the line."""
        self.line = line

    def power(self, *, on: bool) -> None:
        """Forget what was not printed."""
        self.deaf = not on
        self._inbox = self._buffer = self.slip = b""

    def set(self, kind: int, value: int) -> None:
        """Have a real-time status from now on; offline with status 2."""
        self.status[kind] = value
        stands = self.status[2] & 0x64 or self.status[3] & 0x6C or self.status[4] & 0x60
        self.status[1] = 0x1A if stands else 0x12
        self._go_on()

    def receive(self, data: bytes) -> None:
        """Obey real-time commands at once, and keep the rest."""
        if self.deaf:
            return
        self._inbox += data
        rest, at = b"", 0
        for found in _REALTIME.finditer(self._inbox):
            rest += self._inbox[at : found.start()]
            at = found.end()
            self._buffer += rest
            rest = b""
            self._at_once(found[0])
        rest = self._inbox[at:]
        begun = re.search(rb"\x10[\x04\x05\x14]?$", rest)
        held = begun.start() if begun else len(rest)
        self._buffer += rest[:held]
        self._inbox = rest[held:]
        self._go_on()

    def say(self, data: bytes) -> None:
        """Send something."""
        if self.line is not None and not self.deaf:
            self.line.send(data)

    def _at_once(self, command: bytes) -> None:
        if command[1] == 0x04:
            self.say(bytes((self.status[command[2]],)))
            return
        self._buffer = self.slip = b""
        self.clears += command[1] == 0x14
        self.recovers += command[1] == 0x05

    def _go_on(self) -> None:
        if not self._busy:
            self._step()

    def _step(self) -> None:
        self._busy = False
        token = _IN_TURN.match(self._buffer)
        if token is None or self.status[1] & 0x08 or self.deaf:
            return
        self._busy = True
        asyncio.get_running_loop().call_later(len(token[0]) * BYTE_S, self._print, token[0])

    def _print(self, token: bytes) -> None:
        if not self._buffer.startswith(token) or self.deaf:  # cleared meanwhile
            self._step()
            return
        if self.stop_at is not None:
            self.stop_at -= len(token)
            if self.stop_at <= 0:
                self.stop_at = None
                self._busy = False
                self.set(4, 0x72)
                return
        if self.status[1] & 0x08:
            self._busy = False
            return
        self._buffer = self._buffer[len(token) :]
        self._do(token)
        self._step()

    def _do(self, token: bytes) -> None:
        if token == b"\x1b@":
            self.slip = b""
        elif token.startswith(CUT):
            if self.slip.strip(b"\n"):
                self.printed.append(self.slip)
            self.slip = b""
        elif token.startswith(b"\x1d(H") and self.numbered:
            self.asked.append(token)
            self.say(b"\x37\x22" + token[7:] + b"\x00")
        elif token.startswith(b"\x1dr") and self.transmits:
            self.asked.append(token)
            self.say(b"\x00")
        elif token.startswith(b"\x1dI") and self.words:
            words = b"_" + {0x42: b"EPSON", 0x43: b"TM-T88V"}[token[2]] + b"\x00"
            asyncio.get_running_loop().call_later(self.late_s, self.say, words)
            self.late_s = 0.0
        elif not token.startswith((b"\x1b", b"\x1d")):
            self.slip += token
