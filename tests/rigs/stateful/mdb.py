"""Any order of what befalls a cabinet whose changer and validator hang on one MDB bus."""

import asyncio
import tempfile
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from controller.journal.payouts import open_payout
from drivers.simulated.mdb.bill_validator import BillHabits
from drivers.simulated.mdb.codes import Feature
from drivers.simulated.mdb.coin_changer import SUPPORTED, ChangerHabits
from drivers.simulated.mdb.tubes import TubeHabits
from drivers.simulated.misbehaviour import Kind, Way
from gamekit.catalogue import names
from tests.rigs.money_cabinets import MdbCabinet
from tests.rigs.stateful.cabinet import Interleaving
from tests.rigs.virtual_time import VirtualTimeLoop

FULL = 40
UNSPOILT = [kind for kind in Kind if kind is not Kind.CORRUPT]
"""The bridge's line bears no checksum: what is spoilt and still looks like an answer is taken for one."""

CHANGERS = st.builds(
    ChangerHabits,
    features=st.sampled_from((SUPPORTED, Feature(0))),
    short_status=st.booleans(),
    keeps_payout=st.booleans(),
    tubes=st.builds(TubeHabits, grip_s=st.sampled_from((0.1, 0.5))),
)
VALIDATORS = st.builds(
    BillHabits,
    level=st.sampled_from((1, 2)),
    reports_busy=st.booleans(),
    finishes_reported=st.booleans(),
    keeps_count=st.booleans(),
)
TUBES = st.sampled_from((0, 3, FULL))


class MdbBus(Interleaving):
    """Coins, notes and payouts by MDB; the tubes are filled by hand while no payout is open, as the pages say."""

    cabinet: MdbCabinet

    @initialize(changer=CHANGERS, bills=VALIDATORS, coins=TUBES)
    def switch_on(self, changer: ChangerHabits, bills: BillHabits, coins: int) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="cabinet"))
        self.runner = asyncio.Runner(loop_factory=VirtualTimeLoop)
        self.accepted = 0
        self.doubtful_coins = 0
        self.run(self._switch_on_with(changer, bills, coins))

    async def _switch_on_with(self, changer: ChangerHabits, bills: BillHabits, coins: int) -> None:
        stock = dict.fromkeys((10, 20, 50, 100), coins)
        self.cabinet = MdbCabinet(self.folder, games=names(), stock=stock, changer=changer, bills=bills)
        await self._begin()

    @rule(value=st.sampled_from((10, 20, 50, 100, 200)))
    def coin(self, value: int) -> None:
        async def insert() -> None:
            if self.cabinet.changer.insert(value):
                self.accepted += value

        self.run(insert())

    @rule(kind=st.sampled_from(UNSPOILT), frames=st.integers(1, 4), way=st.sampled_from(Way))
    def line_fault(self, kind: Kind, frames: int, way: Way) -> None:
        self.line(0).misbehaviour.inject(kind, frames, way=way)

    @rule(coins=TUBES, tube=st.integers(0, 4))
    def hopper(self, coins: int, tube: int) -> None:
        """Fill the tubes up to so many coins, and let one of them jam; 0 for none."""
        self.run(self._fill(coins))
        self.cabinet.changer.troubles()["tube_jam"](tube)

    async def _fill(self, coins: int) -> None:
        assert self.cabinet.supervisor is not None
        if await self.cabinet.supervisor.journal.do(open_payout) is None:
            tubes = self.cabinet.changer.tubes
            for kind in tubes.tubed:
                tubes.fill(kind, max(0, coins - tubes.held[kind]))

    @rule(trouble=st.sampled_from(("request_spoilt", "answer_spoilt", "silent", "late", "restart")))
    def bus(self, trouble: str) -> None:
        """Have something go wrong on the bus, or with the bridge."""

        async def arm() -> None:
            self.cabinet.bridge.troubles()[trouble](1)

        self.run(arm())

    @rule(seconds=st.sampled_from((0.0, 0.3, 0.7, 1.6, 3.1)), by_mains=st.booleans())
    def cut_within_payout(self, seconds: float, by_mains: bool) -> None:  # noqa: FBT001 - hypothesis hands it over
        """Collect, and end the program, or the power, while the tubes pay."""

        async def cut() -> None:
            if not self.cabinet.credit:
                self.cabinet.notes.insert(1000)
                await asyncio.sleep(5.0)
            await self.cabinet.tap("collect")
            await asyncio.sleep(seconds)
            await self.cabinet.crash()
            if by_mains:
                self.doubtful_coins = self.accepted
                self.cabinet.mains(on=False)
                await asyncio.sleep(1.0)
                self.cabinet.mains(on=True)
            await self.cabinet.start()

        self.run(cut())

    def _mend_hopper(self) -> None:
        self.cabinet.changer.troubles()["tube_jam"](0)
