"""An MDB bridge with a changer and a validator for the driver's tests, written from the specification for them alone.

It keeps the bus's one rule that matters to money: an event is forgotten once the bridge has acknowledged it.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from drivers.simulated.line import Line
from drivers.simulated.misbehaviour import Misbehaviour
from tests.rigs.bill_rig import NOTE, DeviceRig

BILLS: Final = (500, 1000, NOTE, 5000)
SERIAL: Final = b"000000012345"
SETUP: Final = bytes.fromhex("02 1978 01F4 02 0258 0000 FF 01 02 04 0A")
"""Level 2, the euro, 5.00 a unit, two decimals, room for 600, escrow."""
TRAVEL_S: Final = 0.4


class PeerValidator:
    """A bill validator: a bill travels to escrow, waits for its order, and travels on."""

    def __init__(self, returned: Callable[[int], None], stacked: Callable[[int], None]) -> None:
        self.setup = SETUP
        self.events: list[int] = []
        self.bills = 7
        self.counts = True
        self.full = False
        self.slot = ""
        self.orders: list[int] = []
        self.enabled = 0
        self.after_cut = "returned"
        self._done = {"returned": returned, "stacked": stacked}
        self._paper = 0
        self._timers: list[asyncio.TimerHandle] = []

    @property
    def kind(self) -> int:
        """The bill's kind."""
        return BILLS.index(self._paper)

    def insert(self, cents: int) -> None:
        """Push a bill in; one that is not taken comes back."""
        self._paper = cents
        if not self.enabled >> self.kind & 1 or self.slot:
            self._done["returned"](cents)
            return
        self.slot = "escrowing"
        self._later(self._escrowed)

    def power(self, *, on: bool) -> None:
        """Switch the mains: what was on its way is stacked or returned, and not reported."""
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        if self.slot and not on:
            end = "stacked" if self.slot == "stacking" else self.after_cut
            self._end(end)
        self.events = [0x06] if on else []
        self.enabled = 0

    def answer(self, block: bytes) -> bytes:
        """Answer one block: empty for ACK."""
        command, data = block[0], block[1:]
        if command == 0x31:
            return self.setup
        if command == 0x33:
            said, self.events = bytes(self.events[:16]), self.events[16:]
            return said
        if command == 0x34:
            self.enabled = int.from_bytes(data[:2], "big")
        elif command == 0x35:
            self._order(data[0])
        elif command == 0x36:
            return (self.bills | self.full << 15).to_bytes(2, "big")
        elif block == b"\x37\x00":
            return b"TST" + SERIAL + b"PEER".ljust(12) + b"\x01\x02"
        return b""

    def _order(self, what: int) -> None:
        self.orders.append(what)
        if self.slot != "escrow":
            self.events.append(0x0A)
            return
        self.slot = "stacking" if what else "returning"
        self._later(lambda: self._end("stacked" if what else "returned", says=True))

    def _escrowed(self) -> None:
        self.slot = "escrow"
        self.events.append(0x90 | self.kind)

    def _end(self, how: str, *, says: bool = False) -> None:
        self.slot = ""
        self._done[how](self._paper)
        if how == "stacked" and self.counts:
            self.bills += 1
        if says:
            self.events.append((0x80 if how == "stacked" else 0xA0) | self.kind)

    def _later(self, act: Callable[[], None]) -> None:
        self._timers.append(asyncio.get_running_loop().call_later(TRAVEL_S, act))


class MdbPeer:
    """The bridge's end of the line, with what is on its bus; what is none of the bridge is the validator's.

    `deaf` are the addresses that do not answer; `answers` replaces the answers to whole commands, and `flipped` damages
    the next answer to each: one bit of the byte at that place. `commands` are those that came.
    """

    faults = ()

    def __init__(self, returned: Callable[[int], None], stacked: Callable[[int], None]) -> None:
        self.validator = PeerValidator(returned, stacked)
        self.devices: dict[int, Callable[[bytes], bytes | None]] = {0x30: self.validator.answer}
        self.commands: list[str] = []
        self.answers: dict[str, bytes] = {}
        self.flipped: dict[str, int] = {}
        self.deaf: set[int] = set()
        self.master = False
        self.powered = False
        self._line: Line | None = None
        self._heard = b""

    @property
    def slot(self) -> str:
        """Where the bill is."""
        return self.validator.slot

    def insert(self, cents: int) -> None:
        """Push a bill in."""
        self.validator.insert(cents)

    def connect(self, line: Line) -> None:
        """Remember where to answer."""
        self._line = line

    def power(self, *, on: bool) -> None:
        """Switch the mains of all."""
        self.powered, self.master, self._heard = on, False, b""
        self.validator.power(on=on)

    def restart(self) -> None:
        """The bridge alone is started anew."""
        self.master, self._heard = False, b""

    def receive(self, data: bytes) -> None:
        """Answer whole lines, one by one."""
        if not self.powered or self._line is None:
            return
        *lines, self._heard = (self._heard + data).split(b"\n")
        for line in lines:
            command = line.decode("ascii", "replace").strip()
            if not command:
                continue
            self.commands.append(command)
            answer = self.answers.get(command) or self._answer(command)
            if command in self.flipped:
                said = bytearray.fromhex(answer.removeprefix(b"p,").decode())
                said[self.flipped.pop(command)] ^= 1
                answer = b"p," + said.hex().upper().encode()
            if answer:
                self._line.send(answer + b"\n")

    def _answer(self, command: str) -> bytes:
        if command == "V":
            return b"v,4.0.2.0,peer"
        if command in {"M,1", "M,0"}:
            self.master = command == "M,1"
            return b"m,ACK"
        if not command.startswith("R,"):
            return b""
        try:
            block = bytes.fromhex(command[2:].replace(",", ""))
        except ValueError:
            return b""
        device = self.devices.get(block[0] & 0xF8) if block else None
        if not self.master or device is None or block[0] & 0xF8 in self.deaf:
            return b"p,NACK"
        said = device(block)
        return b"p,NACK" if said is None else b"p," + (said.hex().upper().encode() if said else b"ACK")


def mdb_rig(misbehaviour: Misbehaviour | None = None) -> DeviceRig[Any]:
    """The surroundings of a validator behind a bridge."""
    build: Any = MdbPeer
    return DeviceRig("mdb", build, misbehaviour)


COINS: Final = (5, 10, 20, 50, 100, 200)
COIN_SETUP: Final = bytes.fromhex("03 1978 05 02 000F 01 02 04 0A 14 28")
"""Level 3, the euro, five cents a unit, tubes for the first four of six coins."""
TUBE_HOLDS: Final = 50
PAY_S: Final = 0.15


class PeerChanger:
    """A coin changer with tubes of its own; `accepted` and `paid` hear of coins in cents.

    `lies_by` is added to what it says of its first tube; `jam_after` coins of a payout nothing more comes out. The
    acknowledgements of its next `acks_lost` reports do not reach it: it reports the same again.
    """

    def __init__(self) -> None:
        self.setup = COIN_SETUP
        self.acks_lost = 0
        self.features = 1
        self.featured = False
        self.accepted: list[int] = []
        self.paid: list[int] = []
        self.events: list[int] = [0x0B]
        self.enabled = 0
        self.buttons = 0xFFFF
        self.tubes = [20, 20, 20, 20]
        self.lies_by = 0
        self.jam_after: int | None = None
        self.orders: list[bytes] = []
        self._paying: list[int] = []
        self._polled = 0
        self._report = [0] * 16
        self._timer: asyncio.TimerHandle | None = None

    def insert(self, cents: int) -> bool:
        """Put a coin in; return whether it was taken."""
        kind = COINS.index(cents)
        if not self.enabled >> kind & 1:
            return False
        self.accepted.append(cents)
        if kind < len(self.tubes) and self.tubes[kind] < TUBE_HOLDS:
            self.tubes[kind] += 1
            self.events += [0x50 | kind, self.tubes[kind]]
        else:
            self.events += [0x40 | kind, 0]
        return True

    def power(self, *, on: bool) -> None:
        """Switch the mains: a payout ends, and what was not reported is forgotten."""
        if self._timer is not None:
            self._timer.cancel()
        self._paying, self._report, self._polled = [], [0] * 16, 0
        self.events, self.enabled, self.buttons, self.featured = [0x0B] if on else [], 0, 0xFFFF, False

    def answer(self, block: bytes) -> bytes | None:
        """Answer one block: empty for ACK, None for silence."""
        command, data = block[0], block[1:]
        if command == 0x09:
            return self.setup
        if command == 0x0A:
            counts = [max(0, self.tubes[0] + self.lies_by), *self.tubes[1:]]
            full = sum(1 << kind for kind, count in enumerate(self.tubes) if count >= TUBE_HOLDS)
            return full.to_bytes(2, "big") + bytes(counts).ljust(16, b"\0")
        if command == 0x0B:
            if self._paying:
                self.events.append(0x02)
            said = bytes(self.events[:16])
            if said and self.acks_lost:
                self.acks_lost -= 1
            else:
                self.events = self.events[16:]
            return said
        if command == 0x0C:
            self.enabled, self.buttons = int.from_bytes(data[:2], "big"), int.from_bytes(data[2:], "big")
        elif command == 0x0D:
            self.orders.append(block)
            self._pay([data[0] & 15] * (data[0] >> 4))
        elif command == 0x0F:
            return self._expansion(data)
        return b""

    def _expansion(self, data: bytes) -> bytes | None:
        if data[0] == 1:
            self.featured = bool(self.features & data[4])
        elif data[0] and not self.featured:
            return None
        if data == b"\0":
            return b"TST" + SERIAL + b"CHANGER".ljust(12) + b"\x01\x02" + self.features.to_bytes(4, "big")
        if data[0] == 2:
            self.orders.append(b"\x0f" + data)
            self._report, self._polled = [0] * 16, 0
            self._pay(self._choose(data[1]))
        if data[0] == 3 and not self._paying:
            said, self._report = bytes(self._report), [0] * 16
            return said
        if data[0] == 4 and self._paying:
            said, self._polled = bytes((self._polled,)), 0
            return said
        return b""

    def _choose(self, units: int) -> list[int]:
        """The coins of an amount, the dearest first."""
        chosen: list[int] = []
        left = list(self.tubes)
        for kind in (3, 2, 1, 0):
            while left[kind] and units >= self.setup[7 + kind]:
                left[kind] -= 1
                units -= self.setup[7 + kind]
                chosen.append(kind)
        return chosen

    def _pay(self, kinds: list[int]) -> None:
        self._paying += kinds
        if self._paying:
            self._timer = asyncio.get_running_loop().call_later(PAY_S, self._coin)

    def _coin(self) -> None:
        kind = self._paying.pop(0)
        if self.jam_after == 0 or not self.tubes[kind]:
            self._paying.clear()
            self.events.append(0x07)
            return
        if self.jam_after is not None:
            self.jam_after -= 1
        self.tubes[kind] -= 1
        self._report[kind] += 1
        self._polled += self.setup[7 + kind]
        self.paid.append(COINS[kind])
        if self._paying:
            self._timer = asyncio.get_running_loop().call_later(PAY_S, self._coin)


def peer_with_changer() -> tuple[MdbPeer, PeerChanger]:
    """A bridge with a changer alone on its bus."""
    peer, changer = MdbPeer(lambda _cents: None, lambda _cents: None), PeerChanger()
    peer.devices = {0x08: changer.answer}
    return peer, changer
