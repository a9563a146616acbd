"""The bench of `test_bill_mishaps`, which others use too."""

from collections import Counter

from drivers.simulated.mdb.bill_validator import BillHabits, SimulatedMdbBills
from drivers.simulated.note_path import Paper
from drivers.simulated.whereabouts import Spot
from tests.rigs.mdb_host import Bill, BillEvent, MdbHost

ENABLE, DISABLE, STACK, RETURN, RESET = "34 FF FF FF FF", "34 00 00 00 00", "35 01", "35 00", "30"
JAMMED, JUST_RESET, BILL_REMOVED, BOX_OUT, DISABLED, INVALID_ESCROW, REJECTED, CREDITED_REMOVAL = (
    0x05,
    0x06,
    0x07,
    0x08,
    0x09,
    0x0A,
    0x0B,
    0x0C,
)
NOTE = 1000


class Bench:
    """A validator that takes all bills, behind its bridge, and its host."""

    def __init__(self, habits: BillHabits | None = None) -> None:
        self.hand: list[Paper] = []
        self.box: list[Paper] = []
        self.bills = SimulatedMdbBills(returned=self.hand.append, stacked=self.box.append, habits=habits)
        self.host = MdbHost(self.bills)

    async def ready(self) -> "Bench":
        """Switch on, hear the reset, enable."""
        await self.host.open()
        assert await self.host.bills() == [DISABLED, JUST_RESET]
        return await self.enabled()

    async def enabled(self) -> "Bench":
        """Enable all types with escrow."""
        assert await self.host.ask(ENABLE) == "ACK"
        return self

    async def escrow(self, cents: int = NOTE) -> "Bench":
        """Put a bill in and wait until it is in escrow."""
        self.bills.insert(cents)
        (event,) = await self.host.bills_for(1)
        assert isinstance(event, Bill)
        assert event.where == "escrow"
        return self

    async def follow(self, order: str = "", seconds: float = 2.0) -> list[BillEvent]:
        """Give an order and return what is reported."""
        if order:
            assert await self.host.ask(order) == "ACK"
        return await self.host.bills_for(seconds)

    async def count(self) -> int:
        """The answer to STACKER without its "full" bit."""
        return int.from_bytes(await self.host.data("36"), "big") & 0x7FFF

    def lies(self, cents: int = NOTE) -> Spot:
        """Where the only bill of that value lies."""
        (spot,) = [spot for spot, pieces in self.bills.money().items() if pieces == Counter([cents])]
        return spot
