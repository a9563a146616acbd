"""The bench of `test_changer_mishaps`, which others use too."""

from drivers.simulated.mdb.coin_changer import SimulatedChanger
from drivers.simulated.whereabouts import Spot, cents
from tests.rigs.mdb_host import CoinEvent, MdbHost

JUST_RESET, NO_CREDIT, TUBE_SENSOR, DOUBLE_ARRIVAL, TUBE_JAM, COIN_JAM, CREDITED_REMOVAL = (
    0x0B,
    0x03,
    0x04,
    0x05,
    0x07,
    0x0C,
    0x0D,
)
STOCK = {10: 20, 20: 20, 50: 20, 100: 20}


class Bench:
    """A changer that takes every coin, behind its bridge, and its host."""

    def __init__(self) -> None:
        self.tray: list[int] = []
        self.box: list[int] = []
        self.hand: list[int] = []
        self.changer = SimulatedChanger(
            stock=STOCK, returned=self.hand.append, coin_out=self.tray.append, boxed=self.box.append
        )
        self.host = MdbHost(self.changer)

    async def ready(self) -> "Bench":
        """Switch on, hear the reset, enable every coin and the alternative payout."""
        await self.host.open()
        assert await self.host.coins() == [JUST_RESET]
        return await self.enabled()

    async def enabled(self) -> "Bench":
        """Enable every coin and the alternative payout."""
        assert await self.host.ask("0C FF FF FF FF") == "ACK"
        assert await self.host.ask("0F 01 00 00 00 07") == "ACK"
        return self

    async def coin(self, value: int) -> list[CoinEvent]:
        """Put a coin in and return what is reported."""
        self.changer.insert(value)
        return await self.host.coins_for(0.5)

    async def tube(self, kind: int) -> int:
        """What TUBE STATUS counts of a type."""
        return (await self.host.tubes())[1][kind]

    async def paid(self, words: str) -> None:
        """Order a payout and wait for its end."""
        assert await self.host.ask(words) == "ACK"
        await self.host.pause(2)

    def worth(self, spot: Spot) -> int:
        """What lies at a spot, in cents."""
        return cents(self.changer.money()).get(spot, 0)
