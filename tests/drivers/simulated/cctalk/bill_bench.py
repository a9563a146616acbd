"""The bench of `test_bill_mishaps`, which others use too."""

from collections import Counter

from drivers.simulated.cctalk.bill_validator import BillHabits, SimulatedCctalkBills
from drivers.simulated.note_path import Paper
from drivers.simulated.whereabouts import Spot
from tests.rigs.cctalk_host import Host

TAKE_ALL, ENABLE = "28 08 01 E7 FF FF FF FF FF FF FF FF F0", "28 01 01 E4 01 F1"
READ, STACK, RETURN = "28 00 01 9F 38", "28 01 01 9A 01 3B", "28 01 01 9A 00 3C"
ACK, FAILED, NAK = "01 00 28 00 D7", "01 01 28 00 FF D7", "01 00 28 05 D2"


Event = tuple[int, int]


class Bench(Host):
    """A validator that takes all notes, its host's end, and what lies in the hand and in the cash box."""

    def __init__(self, habits: BillHabits | None = None) -> None:
        self.hand: list[Paper] = []
        self.box: list[Paper] = []
        self.bills = SimulatedCctalkBills(returned=self.hand.append, stacked=self.box.append, habits=habits)
        super().__init__(self.bills)
        self.counter = 0

    async def ready(self) -> "Bench":
        """Switch on, and let it take notes."""
        await self.open()
        return await self.enabled()

    async def enabled(self) -> "Bench":
        """Let it take notes, also after a start."""
        assert [await self.ask(TAKE_ALL), await self.ask(ENABLE)] == [ACK, ACK]
        return self

    async def events(self, seconds: float = 2.0) -> list[Event]:
        """Poll for so long and return what is new, oldest first."""
        heard: list[Event] = []
        for _ in range(round(seconds * 5)):
            raw = bytes.fromhex(await self.ask(READ, wait_s=0.2))
            counter, pairs = raw[4], list(zip(raw[5:-1:2], raw[6:-1:2], strict=True))
            new = counter if counter < self.counter else counter - self.counter
            heard += reversed(pairs[:new])
            self.counter = counter
        return heard

    async def escrow(self, cents: int = 1000) -> "Bench":
        """Put a note in and wait until it is in escrow."""
        self.bills.insert(cents)
        events = await self.events(1.0)
        assert events[-1][1] == 1
        return self

    async def stack(self) -> list[Event]:
        """Order it to be stacked, and return what follows."""
        assert await self.ask(STACK) == ACK
        return await self.events()

    def lies(self, cents: int = 1000) -> Spot:
        """Where the only note of that value lies."""
        (spot,) = [spot for spot, pieces in self.bills.money().items() if pieces == Counter([cents])]
        return spot
