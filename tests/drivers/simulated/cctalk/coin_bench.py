"""The bench of `test_coin_mishaps`, which others use too."""

from collections import Counter

from drivers.simulated.cctalk.coin_acceptor import SimulatedCoinAcceptor
from drivers.simulated.whereabouts import Spot
from tests.rigs.cctalk_host import Host

READ, SELF_CHECK, RESET = "02 00 01 E5 18", "02 00 01 E8 15", "02 00 01 01 FC"
TAKE_ALL, INHIBIT, NORMAL = "02 02 01 E7 FF FF 16", "02 01 01 E4 00 18", "02 01 01 E4 01 17"
ACK = "01 00 02 00 FD"


Event = tuple[int, int]


class Bench(Host):
    """An acceptor that takes all coins, and its host's end."""

    def __init__(self, travel_s: float = 0.15) -> None:
        self.box: list[int] = []
        self.hand: list[int] = []
        self.coins = SimulatedCoinAcceptor(travel_s=travel_s, accepted=self.box.append, returned=self.hand.append)
        super().__init__(self.coins)
        self.counter = 0

    async def ready(self) -> "Bench":
        """Switch on, and let it take coins."""
        await self.open()
        return await self.enabled()

    async def enabled(self) -> "Bench":
        """Let it take coins, also after a start."""
        assert [await self.ask(TAKE_ALL), await self.ask(NORMAL)] == [ACK, ACK]
        return self

    async def events(self, seconds: float = 0.6) -> list[Event]:
        """Poll for so long and return what is new, oldest first."""
        heard: list[Event] = []
        for _ in range(round(seconds * 5)):
            raw = bytes.fromhex(await self.ask(READ, wait_s=0.2))
            counter, pairs = raw[4], list(zip(raw[5:-1:2], raw[6:-1:2], strict=True))
            heard += reversed(pairs[: counter - self.counter])
            self.counter = counter
        return heard

    def lies(self) -> dict[Spot, Counter[int | str]]:
        """What lies where."""
        return self.coins.money()
