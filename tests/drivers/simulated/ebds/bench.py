"""The bench of `test_mishaps`, which others use too."""

import asyncio
from collections import Counter
from functools import reduce
from operator import xor

from drivers.simulated.ebds.bill_validator import EbdsHabits, SimulatedEbdsValidator
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.note_path import Paper
from drivers.simulated.whereabouts import Spot

POLL, STACK, RETURN = "7F 1C 00", "7F 3C 00", "7F 5C 00"
IDLING, ESCROWED, STACKING, RETURNING = 0x01, 0x04, 0x08, 0x20
STACKED, RETURNED = 0x10, 0x40
CHEATED, REJECTED, JAMMED, FULL, CASSETTE = 0x01, 0x02, 0x04, 0x08, 0x10
POWER_UP, INVALID = 0x01, 0x02
NOTE = 1000


Seen = tuple[str, int]


def even(byte: int) -> int:
    """Set bit 7 so that the number of ones is even."""
    return byte | byte.bit_count() % 2 << 7


class Bench:
    """A validator with power and a host's end of its line, in frames made by hand."""

    def __init__(self, habits: EbdsHabits | None = None) -> None:
        self.hand: list[Paper] = []
        self.box: list[Paper] = []
        self.device = SimulatedEbdsValidator(returned=self.hand.append, stacked=self.box.append, habits=habits)
        self.line = MemoryLine(self.device)
        self._ack = 0

    async def ask(self, orders: str = POLL) -> bytes:
        """Send an omnibus message with a new ACK bit; return the six data bytes of the reply."""
        self._ack ^= 1
        return (await self.message(0x10, bytes.fromhex(orders)))[:6]

    async def message(self, kind: int, data: bytes) -> bytes:
        """Send a message and return the data of its reply."""
        body = bytes((5 + len(data), kind | self._ack, *data))
        raw = b"\x02" + body + bytes((0x03, reduce(xor, body)))
        await self.line.port.write(bytes(map(even, raw)))
        await asyncio.sleep(0.1)
        reply = bytes(byte & 0x7F for byte in await self.line.port.read(0))
        assert reply[0] == 0x02
        assert reply[-1] == reduce(xor, reply[1:-2])
        return reply[3:-2]

    async def open(self, poll: str = POLL) -> "Bench":
        """Switch on, and poll until the self-test is over."""
        self.device.power(on=True)
        await self.line.port.open()
        return await self.started(poll)

    async def started(self, poll: str = POLL) -> "Bench":
        """Poll until the self-test is over."""
        for _ in range(40):
            if not (await self.ask(poll))[2] & POWER_UP:
                return self
        raise AssertionError("the self-test never ends")

    async def escrow(self, cents: int = NOTE, poll: str = POLL) -> "Bench":
        """Put a note in and wait until it is in escrow."""
        self.device.insert(cents)
        for _ in range(10):
            reply = await self.ask(poll)
        assert reply[0] == ESCROWED
        return self

    async def follow(self, orders: str = POLL, seconds: float = 2.5, poll: str = POLL) -> list[Seen]:
        """Give an order and poll; return what is said to have happened, once for each, with the note's number."""
        heard: list[Seen] = []
        for turn in range(round(seconds * 10)):
            state, status, condition, *_ = await self.ask(orders if not turn else poll)
            number = condition >> 3 & 7
            bits = {
                "stacked": state & STACKED,
                "returned": state & RETURNED,
                "cheated": status & CHEATED,
                "rejected": status & REJECTED,
                "jammed": status & JAMMED,
                "cassette out": ~status & CASSETTE,
                "invalid": condition & INVALID,
            }
            said = [(name, number if name == "stacked" else 0) for name, bit in bits.items() if bit]
            heard += [one for one in said if not heard or one not in heard]
        return heard

    def lies(self, cents: int = NOTE) -> Spot:
        """Where the only note of that value lies."""
        (spot,) = [spot for spot, pieces in self.device.money().items() if pieces == Counter([cents])]
        return spot
