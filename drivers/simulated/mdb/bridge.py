"""The serial bridge between a host and an MDB bus: lines of text on one side, blocks of nine-bit bytes on the other.

The public protocol of the Qibixx MDB-USB and MDB Pi HAT (docs.qibixx.com, "General" and "Generic Master"). The bridge
adds and checks the blocks' checksums and keeps the bus timing: it acknowledges an answer at once and only then sends
the line to the host, so an event is lost with a lost line. Undocumented behaviour is set in `BridgeHabits`.
"""

import asyncio
import random
from collections import deque
from collections.abc import Callable, Sequence
from typing import ClassVar, Final

import msgspec

from drivers.simulated.line import Line
from drivers.simulated.mdb.codes import ACK, ADDRESS_BITS, LONGEST_BLOCK, opened, sealed
from drivers.simulated.mdb.peripheral import MdbPeripheral

BYTE_S: Final = 11 / 9600
"""Start, eight bits, the mode bit and stop at 9600 baud (2.1)."""
BREAK_S: Final = 0.1
LONGEST_LINE: Final = 128
MOST_LINES: Final = 16
"""The number of lines queued while the bus is busy; more are lost."""
RESPONSE_MS: Final = range(10, 1001)
VERSION: Final = "v,4.0.2.0,53494d303031"
HARDWARE: Final = "h,4.0,0000"


class BridgeHabits(msgspec.Struct, frozen=True, kw_only=True):
    """Undocumented behaviour, and times in seconds.

    `refusal` answers a request before the bridge is a master, empty for silence; `unknown` an unknown line, `bus_reset`
    an R,RESET. `half_bytes`: a single last digit counts as a byte, else such a request is refused; two public hosts
    write the escrow command that way (`hosts_mdb.tsv`). `asks_again`: after a corrupt answer it asks the peripheral to
    repeat it once (RET). `lower`: hexadecimal digits in lower case. `response_s` is how long it waits for a peripheral
    until the host sets another time, `late_s` how much later than that a late line comes, `restart_s` how long a
    restart takes.
    """

    refusal: str = "p,NACK"
    unknown: str = ""
    bus_reset: str = ""
    half_bytes: bool = True
    asks_again: bool = False
    lower: bool = False
    response_s: float = 0.005
    late_s: float = 2.0
    restart_s: float = 1.0


class MdbBridge:
    """A `LineDevice` with `peripherals` on its bus; it switches their power only if it `feeds` them."""

    kind: ClassVar = "MDB bridge"

    def __init__(
        self, peripherals: Sequence[MdbPeripheral], *, habits: BridgeHabits | None = None, feeds: bool = True
    ) -> None:
        self.peripherals = tuple(peripherals)
        self.habits = habits if habits is not None else BridgeHabits()
        self.powered = False
        self.master = False
        self._feeds = feeds
        self._line: Line | None = None
        self._input = bytearray()
        self._overlong = self._restarting = False
        self._waiting: deque[str] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._later: set[asyncio.TimerHandle] = set()
        self._response_s = self.habits.response_s
        self._spoilt = {"request_spoilt": 0, "answer_spoilt": 0, "ack_lost": 0, "late": 0, "garbage": 0, "silent": 0}
        # A fixed seed makes a failing test fail again. No game outcome is drawn here.
        self._chance = random.Random(0)  # noqa: S311  (line noise, not an outcome)

    def __repr__(self) -> str:
        return f"<MdbBridge {'master' if self.master else 'idle'} with {list(self.peripherals)}>"

    def troubles(self) -> dict[str, Callable[[int], None]]:
        """Return the faults of the bus, each for a number of requests, and of the bridge; `restart` happens at once.

        `request_spoilt`: the peripheral receives a wrong checksum. `answer_spoilt`: the bridge does. `ack_lost`: the
        bridge's ACK does not reach the peripheral. `late`, `garbage` and `silent`: the line to the host.
        """

        def arm(name: str) -> Callable[[int], None]:
            return lambda much: self._spoilt.__setitem__(name, much)

        return {**{name: arm(name) for name in self._spoilt}, "restart": lambda _much: self._restart()}

    # The line.

    def connect(self, line: Line) -> None:
        """Keep the line on which to answer."""
        self._line = line

    def power(self, *, on: bool) -> None:
        """Switch the mains: a bridge starts without the master role, with the response time it was made with."""
        if on != self.powered:
            self.powered = on
            self._forget()
        if self._feeds:
            for peripheral in self.peripherals:
                peripheral.power(on=on)

    def receive(self, data: bytes) -> None:
        """Handle bytes from the host; complete lines are carried out one after the other."""
        if not self.powered or self._restarting:
            return
        for byte in data:
            if byte in b"\r\n":
                self._line_ends()
            elif len(self._input) < LONGEST_LINE:
                self._input.append(byte)
            else:
                self._overlong = True
        self._next()

    def _line_ends(self) -> None:
        text = self._input.decode("latin-1")
        overlong, self._overlong = self._overlong, False
        self._input.clear()
        if (text or overlong) and len(self._waiting) < MOST_LINES:
            self._waiting.append("" if overlong else text)

    def _forget(self) -> None:
        self._input.clear()
        self._overlong = self._restarting = False
        self._waiting.clear()
        for timer in (self._timer, *self._later):
            if timer is not None:
                timer.cancel()
        self._timer = None
        self._later.clear()
        self.master = False
        self._response_s = self.habits.response_s

    def _restart(self) -> None:
        """Reboot: give up the master role and ignore the line until the restart is over."""
        if not self.powered:
            return
        self._forget()
        self._restarting = True
        self._after(self.habits.restart_s, self._restarted)

    def _restarted(self) -> None:
        self._restarting = False

    def _say(self, text: str) -> None:
        if not text or self._line is None:
            return
        line = text.encode() + b"\r\n"
        if self._takes("silent"):
            return
        if self._takes("garbage"):
            line = self._chance.randbytes(len(line) - 2) + b"\r\n"
        if self._takes("late"):
            self._after(self.habits.late_s, lambda: self._send(line))
        else:
            self._send(line)

    def _send(self, line: bytes) -> None:
        if self._line is not None:
            self._line.send(line)

    def _takes(self, trouble: str) -> bool:
        """Return whether `trouble` happens on this occasion."""
        if not self._spoilt[trouble]:
            return False
        self._spoilt[trouble] -= 1
        return True

    def _after(self, seconds: float, then: Callable[[], None]) -> None:
        """Call `then` later, unless power fails first."""

        def fire() -> None:
            self._later.discard(timer)
            then()

        timer = asyncio.get_running_loop().call_later(seconds, fire)
        self._later.add(timer)

    # The host's requests.

    def _next(self) -> None:
        while self._timer is None and self._waiting:
            self._obey(self._waiting.popleft())

    def _obey(self, text: str) -> None:
        word, _comma, rest = text.partition(",")
        match word:
            case "V" if not rest:
                self._say(VERSION)
            case "H" if not rest:
                self._say(HARDWARE)
            case "M":
                self._command_master(rest)
            case "R":
                self._request(rest)
            case "F":
                self._configure(rest)
            case _:
                self._say(self.habits.unknown)

    def _command_master(self, mode: str) -> None:
        if mode not in {"0", "1"}:
            self._say("m,NACK")
            return
        self.master = mode == "1"
        self._say("m,ACK")

    def _configure(self, rest: str) -> None:
        name, _comma, value = rest.partition(",")
        if name == "RESET" and not value:
            self._restart()
        elif name == "RESPTIMEOUT" and value.isascii() and value.isdigit() and int(value) in RESPONSE_MS:
            self._response_s = int(value) / 1000
            self._say("f,ACK")
        else:
            self._say("f,NACK" if name == "RESPTIMEOUT" else self.habits.unknown)

    def _request(self, rest: str) -> None:
        if not self.master:
            self._say(self.habits.refusal)
            return
        if rest == "RESET":
            self._busy(BREAK_S, self._end_break)
            return
        address, comma, data = rest.partition(",")
        if self.habits.half_bytes and len(data) % 2:
            data = f"{data[:-1]}0{data[-1]}"
        block = _hexadecimal(address, data) if len(address) == 2 and (data or not comma) else None  # noqa: PLR2004 - one byte
        if block is None or len(block) >= LONGEST_BLOCK:
            self._say("p,NACK")
            return
        self._busy((len(block) + 1) * BYTE_S, lambda: self._ask(sealed(block)))

    def _busy(self, seconds: float, then: Callable[[], None]) -> None:
        """Mark the bus as busy for that long."""

        def fire() -> None:
            self._timer = None
            then()
            self._next()

        self._timer = asyncio.get_running_loop().call_later(seconds, fire)

    def _end_break(self) -> None:
        for peripheral in self.peripherals:
            peripheral.bus_reset()
        self._say(self.habits.bus_reset)

    # The bus.

    def _ask(self, block: bytes) -> None:
        """Deliver the block to the peripherals after its last byte has gone over the bus."""
        if self._takes("request_spoilt"):
            block = block[:-1] + bytes((block[-1] ^ 1,))
        asked = next((one for one in self.peripherals if one.address == block[0] & ADDRESS_BITS), None)
        answer = asked.hear(block) if asked is not None else None
        if asked is None or answer is None or asked.answer_s > self._response_s:
            self._busy(self._response_s, lambda: self._say("p,NACK"))
        else:
            self._busy(asked.answer_s + len(answer) * BYTE_S, lambda: self._heard(asked, answer))

    def _heard(self, peripheral: MdbPeripheral, answer: bytes) -> None:
        if self._takes("answer_spoilt"):
            if self.habits.asks_again and len(answer) > 1:
                again = peripheral.again()
                self._busy((1 + len(again)) * BYTE_S, lambda: self._heard(peripheral, again))
            else:
                self._say("p,NACK")
            return
        data = b"" if answer == bytes((ACK,)) else opened(answer)
        if data is None:
            self._say("p,NACK")
            return
        if data and not self._takes("ack_lost"):
            peripheral.confirm()
        shown = data.hex() if self.habits.lower else data.hex().upper()
        self._say(f"p,{shown or 'ACK'}")


def _hexadecimal(*texts: str) -> bytes | None:
    """Return the bytes that `texts` give as two hexadecimal digits each, None if one does not."""
    joined = "".join(texts)
    plain = joined.isascii() and joined.isalnum() and len(joined) % 2 == 0
    try:
        return bytes.fromhex(joined) if plain else None
    except ValueError:
        return None
