"""The bench of `test_payout_mishaps`, which others use too."""

import asyncio

from drivers.simulated.note_path import Paper
from drivers.simulated.ssp.payout_store import StoreHabits
from drivers.simulated.ssp.recycler import HABITS, SimulatedRecycler
from drivers.simulated.ssp.smart_hopper import HopperHabits, SimulatedSmartHopper
from drivers.simulated.whereabouts import Spot, cents
from tests.rigs.ssp_host import SspHost

EURO = "45 55 52"


class Coins(SspHost):
    """A SMART Hopper with ten coins of 1.00 under power, agreed upon a key, at protocol version 6 and enabled."""

    def __init__(self, store: StoreHabits | None = None) -> None:
        self.tray: list[int] = []
        habits = HopperHabits(store=store or StoreHabits())
        self.hopper = SimulatedSmartHopper(stock={100: 10}, coin_out=self.tray.append, habits=habits)
        super().__init__(self.hopper, 16)

    async def ready(self) -> "Coins":
        """Switch on and set up."""
        await self.open()
        return await self.again()

    async def again(self) -> "Coins":
        """Negotiate, enable and leave the reset behind."""
        await self.negotiate()
        for words in ("06 06", "0A"):
            assert await self.asked(words) == "F0"
        return self

    async def polls(self, seconds: float = 2.0) -> str:
        """Poll every 100 ms; return all that was answered, in one line."""
        heard = ""
        for _ in range(round(seconds * 10)):
            heard += " " + (await self.asked("07"))[3:]
            await asyncio.sleep(0.08)
        return heard

    async def level(self, value: int = 100) -> int:
        """What it counts of a coin."""
        answer = await self.asked("35 " + value.to_bytes(4, "little").hex(" ") + f" {EURO}")
        return int.from_bytes(bytes.fromhex(answer)[1:], "little")

    def worth(self, spot: Spot) -> int:
        """What lies at a spot, in cents."""
        return cents(self.hopper.money()).get(spot, 0)


class Notes(SspHost):
    """A recycler with two notes of 10.00, taking and keeping every note."""

    def __init__(self) -> None:
        self.out: list[int] = []
        self.box: list[Paper] = []
        self.hand: list[Paper] = []
        self.recycler = SimulatedRecycler(
            returned=self.hand.append,
            stacked=self.box.append,
            note_out=self.out.append,
            stored={1000: 2},
            habits=HABITS,
        )
        super().__init__(self.recycler, 0)

    async def ready(self) -> "Notes":
        """Switch on and set up."""
        await self.open()
        await self.negotiate()
        for words in ("06 06", "02 FF FF", "0A", "5C"):
            assert await self.asked(words) == "F0"
        return self

    async def polls(self, seconds: float = 3.0) -> str:
        """Poll every 100 ms; return all that was answered, in one line."""
        heard = ""
        for _ in range(round(seconds * 10)):
            heard += " " + (await self.asked("07"))[3:]
            await asyncio.sleep(0.08)
        return heard

    def worth(self, spot: Spot) -> int:
        """What lies at a spot, in cents."""
        return cents(self.recycler.money()).get(spot, 0)
