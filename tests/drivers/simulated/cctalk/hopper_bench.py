"""The bench of `test_hopper_mishaps`, which others use too."""

from drivers.simulated.cctalk.hopper import SimulatedHopper
from drivers.simulated.whereabouts import Spot, cents
from tests.rigs.cctalk_host import Host

ENABLE, STATUS, TEST = "03 01 01 A4 A5 B2", "03 00 01 A6 56", "03 00 01 A3 59"
COUNT, LEVEL = "03 00 01 A8 54", "03 00 01 D9 23"


def frame(header: int, *data: int) -> str:
    """A frame for the hopper with its checksum."""
    body = bytes((3, len(data), 1, header, *data))
    return (body + bytes((-sum(body) & 0xFF,))).hex(" ").upper()


class Bench(Host):
    """A hopper of coins of 1.00 with 20 of them, enabled."""

    def __init__(self) -> None:
        self.tray: list[int] = []
        self.hopper = SimulatedHopper(stock=20, coin_out=self.tray.append)
        super().__init__(self.hopper)

    async def ready(self) -> "Bench":
        """Switch on and enable."""
        await self.open()
        assert await self.ask(ENABLE) == "01 00 03 00 FC"
        return self

    async def data(self, question: str) -> list[int]:
        """The data of an answer."""
        return [*bytes.fromhex(await self.ask(question))[4:-1]]

    async def pay(self, coins: int) -> None:
        """Order a dispense with the serial number as its security (815 is 2F 03 00)."""
        assert (await self.data(frame(0xA7, 0x2F, 0x03, 0x00, coins)))[0] > 0

    async def lifetime(self) -> int:
        """The dispense count."""
        return int.from_bytes(bytes(await self.data(COUNT)), "little")

    def worth(self, spot: Spot) -> int:
        """What lies at a spot, in cents."""
        return cents(self.hopper.money()).get(spot, 0)
