"""A host of an MDB bus behind a bridge, written from the specification: lines out, answers in, events told apart.

Nothing of the driver and nothing of the simulated devices' codes is used.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, TypeVar

from drivers.simulated.mdb.bridge import BridgeHabits, MdbBridge
from drivers.simulated.mdb.peripheral import MdbPeripheral
from drivers.simulated.memory_line import MemoryLine

SILENCE: Final = "silence"
NO_ANSWER: Final = "p,NACK"


class Deposit(NamedTuple):
    """A coin that a changer reports: where it went, its type, and how many of the type are in the tube then."""

    where: str
    kind: int
    in_tube: int


class ByHand(NamedTuple):
    """Coins that were given out by hand."""

    coins: int
    kind: int
    in_tube: int


class Slugs(NamedTuple):
    """False coins."""

    coins: int


class Bill(NamedTuple):
    """What a validator reports of a bill."""

    where: str
    kind: int


class Attempts(NamedTuple):
    """Bills offered to a unit that is disabled."""

    bills: int


Event = TypeVar("Event")
CoinEvent = Deposit | ByHand | Slugs | int
BillEvent = Bill | Attempts | int
_WHERE: Final = {0: "cash box", 1: "tube", 2: "unused", 3: "reject"}
_BILLS: Final = {0: "stacked", 1: "escrow", 2: "returned", 4: "disabled"}


def coin_events(answer: bytes) -> list[CoinEvent]:
    """Return the events of a changer's POLL answer (section 5.3)."""
    events: list[CoinEvent] = []
    rest = list(answer)
    while rest:
        first = rest.pop(0)
        if first & 0x80:
            events.append(ByHand(first >> 4 & 7, first & 15, rest.pop(0)))
        elif first & 0x40:
            events.append(Deposit(_WHERE[first >> 4 & 3], first & 15, rest.pop(0)))
        elif first & 0x20:
            events.append(Slugs(first & 31))
        else:
            events.append(first)
    return events


def bill_events(answer: bytes) -> list[BillEvent]:
    """Return the events of a validator's POLL answer (section 6.3)."""
    events: list[BillEvent] = []
    for byte in answer:
        if byte & 0x80:
            events.append(Bill(_BILLS[byte >> 4 & 7], byte & 15))
        elif byte & 0x40:
            events.append(Attempts(byte & 31))
        else:
            events.append(byte)
    return events


class MdbHost:
    """The host's end of the line of a bridge with `peripherals`."""

    def __init__(self, *peripherals: MdbPeripheral, habits: BridgeHabits | None = None) -> None:
        self.bridge = MdbBridge(peripherals, habits=habits)
        self.line = MemoryLine(self.bridge)
        self.errors: list[object] = []

    async def open(self) -> "MdbHost":
        """Switch everything on, open the port and become the master when the devices are there."""
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: self.errors.append(context))
        self.bridge.power(on=True)
        await self.line.port.open()
        await asyncio.sleep(0.7)
        assert await self.say("M,1") == "m,ACK"
        return self

    async def cut(self) -> None:
        """Cut the mains, and let them come back; be the master again."""
        self.bridge.power(on=False)
        await asyncio.sleep(0.5)
        self.bridge.power(on=True)
        await asyncio.sleep(0.7)
        for trouble in self.bridge.troubles().items():
            if trouble[0] != "restart":
                trouble[1](0)
        await self.line.port.read(0)
        assert await self.say("M,1") == "m,ACK"

    async def say(self, line: str, *, wait_s: float = 0.3) -> str:
        """Send a line and return the one that comes back within `wait_s`, `SILENCE` for none.

        No device may have failed in one of its own timers.
        """
        assert self.errors == []
        await self.line.port.write(line.encode() + b"\n")
        heard = b""
        loop = asyncio.get_running_loop()
        until = loop.time() + wait_s
        while not heard.endswith(b"\n") and loop.time() < until:
            heard += await self.line.port.read(until - loop.time())
        return heard.decode("latin-1").removesuffix("\r\n") if heard else SILENCE

    async def ask(self, command: str) -> str:
        """Send a request, in hexadecimal without checksum; return what comes after `p,`."""
        raw = bytes.fromhex(command)
        data = f",{raw[1:].hex().upper()}" if raw[1:] else ""
        heard = await self.say(f"R,{raw[0]:02X}{data}")
        assert heard.startswith("p,"), heard
        return heard[2:]

    async def data(self, command: str) -> bytes:
        """Ask for what is answered with data; empty for ACK alone."""
        heard = await self.ask(command)
        assert heard != "NACK", command
        return b"" if heard == "ACK" else bytes.fromhex(heard)

    @staticmethod
    async def pause(seconds: float) -> None:
        """Ask nothing for so long."""
        await asyncio.sleep(seconds)

    async def coins(self) -> list[CoinEvent]:
        """Poll the changer."""
        return coin_events(await self.data("0B"))

    async def bills(self) -> list[BillEvent]:
        """Poll the validator."""
        return bill_events(await self.data("33"))

    async def coins_for(self, seconds: float) -> list[CoinEvent]:
        """Poll the changer for so long, every 100 ms."""
        return [event for events in await self._for(seconds, self.coins) for event in events]

    async def bills_for(self, seconds: float) -> list[BillEvent]:
        """Poll the validator for so long, every 100 ms; "disabled" and "busy" are left out."""
        heard = await self._for(seconds, self.bills)
        return [event for events in heard for event in events if event not in {0x03, 0x09}]

    async def tubes(self) -> tuple[int, list[int]]:
        """The tube-full bits and the counts of TUBE STATUS."""
        answer = await self.data("0A")
        assert len(answer) == 18
        return int.from_bytes(answer[:2], "big"), list(answer[2:])

    @staticmethod
    async def _for(seconds: float, poll: Callable[[], Awaitable[list[Event]]]) -> list[list[Event]]:
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        heard = []
        while loop.time() < until:
            heard.append(await poll())
            await asyncio.sleep(0.1)
        return heard
