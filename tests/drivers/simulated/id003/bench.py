"""The bench of `test_mishaps`, which others use too."""

import asyncio
from collections import Counter

from drivers.simulated.whereabouts import Spot
from tests.rigs.id003_host import Id003Host

STACK_1, STACK_2, RETURN, ACK, POLL = "41", "42", "43", "50", "11"


IDLE, STACKING, VEND_VALID, STACKED, RETURNING, INITIALIZE = "11", "14", "15", "16", "18", "1B"
NOTE = 1000


class Bench(Id003Host):
    """A validator with a note in escrow."""

    async def escrow(self, cents: int = NOTE) -> "Bench":
        """Put a note in and wait until it is in escrow."""
        assert (await self.put_in(cents)).startswith("13")
        return self

    async def follow(self, order: str = "", *, seconds: float = 3.0, acknowledge: bool = True) -> list[str]:
        """Give an order, poll every 100 ms and acknowledge vend valid; return each status once as it comes."""
        if order:
            assert await self.ask(order) == ACK
        heard: list[str] = []
        for _ in range(round(seconds * 10)):
            status = await self.ask(POLL)
            if not heard or heard[-1] != status:
                heard.append(status)
            if status[:2] == VEND_VALID and acknowledge:
                await self.line.port.write(bytes.fromhex("FC 05 50 AA 05"))
            await asyncio.sleep(0.05)
        return heard

    def lies(self, cents: int = NOTE) -> Spot:
        """Where the only note of that value lies."""
        (spot,) = [spot for spot, pieces in self.device.money().items() if pieces == Counter([cents])]
        return spot
