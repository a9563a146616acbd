"""The bench of `test_bill_mishaps`, which others use too."""

from collections import Counter

from drivers.simulated.note_path import Paper
from drivers.simulated.ssp.bill_validator import SimulatedSspValidator, SspHabits
from drivers.simulated.whereabouts import Spot
from tests.rigs.ssp_host import SspHost

SYNC, POLL, ENABLE, REJECT, HOLD, INHIBITS, LAST_REJECT = 0x11, 0x07, 0x0A, 0x08, 0x18, 0x02, 0x17
NOTE, CHANNEL = 1000, 2
LASTING = {"E8", "CC", "ED", "EF 00"}
"""What each poll repeats while it lasts."""


WITH_DATA = {0xEF, 0xEE, 0xE6, 0xE1, 0xE2}


class Bench(SspHost):
    """A validator that takes all notes, and its host, which encrypts nothing."""

    def __init__(self, habits: SspHabits | None = None) -> None:
        self.hand: list[Paper] = []
        self.box: list[Paper] = []
        self.bills = SimulatedSspValidator(returned=self.hand.append, stacked=self.box.append, habits=habits)
        super().__init__(self.bills, 0)

    async def ready(self) -> "Bench":
        """Switch on and enable, the reset heard."""
        await self.open()
        await self.enabled()
        assert await self.events(0.1) == ["F1"]
        return self

    async def enabled(self) -> "Bench":
        """Enable all channels."""
        for command in ((SYNC,), (INHIBITS, 0xFF, 0xFF), (ENABLE,)):
            answer = await self.sync() if command == (SYNC,) else await self.plain(*command)
            assert answer == b"\xf0"
        return self

    async def events(self, seconds: float = 2.0) -> list[str]:
        """Poll for so long and return what is new in each answer, without what lasts."""
        heard: list[str] = []
        for _ in range(max(1, round(seconds * 10))):
            rest = list((await self.plain(POLL))[1:])
            while rest:
                code = rest.pop(0)
                event = f"{code:02X} {rest.pop(0):02X}" if code in WITH_DATA else f"{code:02X}"
                if event not in LASTING and (not heard or heard[-1] != event):
                    heard.append(event)
            await self.port.read(0.08)
        return heard

    async def escrow(self, cents: int = NOTE) -> "Bench":
        """Put a note in and wait until it is in escrow; the next poll would have it stacked."""
        self.bills.insert(cents)
        while self.bills.slot != "escrow":
            await self.port.read(0.1)
        return self

    def lies(self, cents: int = NOTE) -> Spot:
        """Where the only note of that value lies."""
        (spot,) = [spot for spot, pieces in self.bills.money().items() if pieces == Counter([cents])]
        return spot
