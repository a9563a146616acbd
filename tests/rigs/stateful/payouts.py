"""Any order of payouts, power cuts and hopper upsets."""

import asyncio
import contextlib
import shutil
import tempfile
from pathlib import Path
from typing import Literal

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from msgspec.structs import replace

from controller.books.audit import audit
from controller.journal.open_items import Resolution, open_items
from controller.journal.resolutions import resolve_item
from controller.journal.transaction import Transaction
from controller.machine.machine import Machine
from drivers.cctalk.hopper_status import Flag
from drivers.simulated.cctalk.hopper import IDENTITY, SimulatedHopper
from tests.rigs.virtual_cabinet import VirtualCabinet
from tests.rigs.virtual_time import VirtualTimeLoop

LOOK_S = 0.05


START_UP_S = 8.0


AWAY_S = 5


UPSETS = (Flag.MAX_CURRENT, Flag.REVERSED, Flag.FINGER, Flag.SHORT_PAYING, Flag.UNKNOWN_COIN, None)


class CashOuts(RuleBasedStateMachine):
    """One cabinet of which money is only taken out again; two hoppers can be fitted in turn."""

    @initialize(
        residue=st.sampled_from(("credit", "hand_pay")),
        hopper_cents=st.sampled_from((20_000, 1000)),
        paying_s=st.sampled_from((0.9, 0.3, 2.3)),
    )
    def switch_on(self, residue: Literal["credit", "hand_pay"], hopper_cents: int, paying_s: float) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="cabinet"))
        self.runner = asyncio.Runner(loop_factory=VirtualTimeLoop)
        self.put_in = 0
        self.by_hand = 0
        self.worst = 0
        self.runner.run(self._switch_on(residue, hopper_cents))
        self.collect(paying_s)

    async def _switch_on(self, residue: Literal["credit", "hand_pay"], hopper_cents: int) -> None:
        self.cabinet = cabinet = VirtualCabinet(self.folder)
        cabinet.config = replace(
            cabinet.config,
            limits=replace(cabinet.config.limits, hopper_cents=hopper_cents),
            payout=replace(cabinet.config.payout, residue=residue, hopper_away_s=AWAY_S),
        )
        self.hoppers = [cabinet.hopper, SimulatedHopper(stock=1000, identity=IDENTITY._replace(serial=99))]
        self.hoppers[1].security = (99).to_bytes(3, "little")
        for hopper in self.hoppers:
            hopper.coin_out = self._fell
        self.tray = 0
        await cabinet.start()
        await asyncio.sleep(START_UP_S)
        self.watch = asyncio.get_running_loop().create_task(self._watch())
        await self._put_in(2050)

    def _fell(self, cents: int) -> None:
        self.tray += cents

    @property
    def machine(self) -> Machine:
        """The machine of the supervisor that runs now."""
        assert self.cabinet.supervisor is not None
        return self.cabinet.supervisor.machine

    @property
    def asked(self) -> int:
        """What the screen asks an attendant to pay."""
        payout = self.machine.play.payout
        return payout.amount_cents - payout.paid_cents if payout is not None and payout.by == "attendant" else 0

    async def _watch(self) -> None:
        while True:
            over = self.tray + self.by_hand + self.asked - self.put_in
            self.worst = max(self.worst, over)
            await asyncio.sleep(LOOK_S)

    async def _put_in(self, cents: int) -> None:
        """Insert notes of 20.00 and coins of 0.50, if they are taken."""
        cabinet = self.cabinet
        while cents and cabinet.state in ("attract", "lobby", "idle") and self.machine.conditions.overlay is None:
            value = 2000 if cents >= 2000 else 50
            before, cents = cabinet.credit, cents - value
            if value == 50:
                taken = cabinet.coins.insert(value)
            else:
                cabinet.bills.insert(value)
                taken = True
            self.put_in += value if taken else 0
            with contextlib.suppress(AssertionError):
                await cabinet.until(lambda: cabinet.credit >= before + value, 10.0)  # noqa: B023 - called within this pass
            if taken and cabinet.credit < before + value:
                assert cabinet.returned_cents, "money that was not credited was given back"
                cabinet.returned_cents -= value
                self.put_in -= value

    @rule(cents=st.sampled_from((50, 2000, 2050)))
    def money(self, cents: int) -> None:
        self.runner.run(self._put_in(cents))

    @rule(seconds=st.sampled_from((0.05, 0.3, 1.0, 3.0, 8.0)))
    def time_passes(self, seconds: float) -> None:
        self.runner.run(asyncio.sleep(seconds))

    @rule(seconds=st.sampled_from((0.0, 0.5, 1.3, 5.0)))
    def collect(self, seconds: float) -> None:
        async def tap() -> None:
            await self.cabinet.tap("collect")
            await asyncio.sleep(seconds)

        self.runner.run(tap())

    @rule(seconds=st.sampled_from((0.0, 0.2, 2.0, AWAY_S + 1.0)))
    def key(self, seconds: float) -> None:
        self.runner.run(self._turn(seconds))

    async def _turn(self, seconds: float) -> None:
        asked = self.asked
        await self.cabinet.turn_key("attendant")
        payout = self.machine.play.payout
        if asked and payout is not None and payout.by == "attendant" and payout.paid_cents == asked:
            self.by_hand += asked
            await asyncio.sleep(4.0)  # he does not turn again while the screen still says that it is paid
        await asyncio.sleep(seconds)

    @rule(
        collect=st.booleans(),
        paying_s=st.sampled_from((0.3, 0.9, 2.3)),
        dead_s=st.sampled_from((0.0, 0.3, 2.0)),
        key_s=st.sampled_from((0.1, 0.3, 0.7, 1.1, 1.6, 2.2)),
        away=st.booleans(),
    )
    def crash(self, collect: bool, paying_s: float, dead_s: float, key_s: float, away: bool) -> None:  # noqa: FBT001 - hypothesis hands them over
        """Kill the supervisor, while the hopper pays; turn the key after the restart, the hopper being away or not."""

        async def crash() -> None:
            if collect:
                await self.cabinet.tap("collect")
                await asyncio.sleep(paying_s)
            await self.cabinet.crash()
            if away:
                self.cabinet.lines["hopper"].unplug()
            await asyncio.sleep(dead_s)
            await self.cabinet.start()
            await asyncio.sleep(key_s)
            await self._turn(0.0)

        self.runner.run(crash())

    @rule(seconds=st.sampled_from((0.0, 3.0)), key_s=st.sampled_from((0.3, 1.6, 9.0)))
    def mains(self, seconds: float, key_s: float) -> None:
        """Cut the mains, devices and all."""

        async def cut() -> None:
            await self.cabinet.crash()
            self.cabinet.mains(on=False)
            await asyncio.sleep(seconds)
            self.cabinet.mains(on=True)
            await self.cabinet.start()
            await asyncio.sleep(key_s)
            await self._turn(0.0)

        self.runner.run(cut())

    @rule(plugged=st.booleans())
    def line(self, plugged: bool) -> None:  # noqa: FBT001 - hypothesis hands it over
        """Pull the hopper's line, or put it back."""
        line = self.cabinet.lines["hopper"]
        self.runner.run(self._now(line.plug if plugged else line.unplug))

    @rule(which=st.integers(0, 1))
    def fit(self, which: int) -> None:
        """Take the hopper out, and fit one of the two."""
        self.runner.run(self._fit(which))

    async def _fit(self, which: int) -> None:
        line = self.cabinet.lines["hopper"]
        self.cabinet.hopper.power(on=False)
        await asyncio.sleep(3.0)
        self.cabinet.hopper = line.device = self.hoppers[which]
        line.device.connect(line)
        self.cabinet.hopper.power(on=True)

    @rule(stock=st.sampled_from((0, 2, 1000)), jammed=st.booleans(), upset=st.sampled_from(UPSETS))
    def hopper(self, stock: int, jammed: bool, upset: Flag | None) -> None:  # noqa: FBT001 - as above
        """Fill it or empty it, jam it, have something befall its next coin."""
        hopper = self.cabinet.hopper
        hopper.stock, hopper.jammed, hopper.upset = stock, jammed, upset

    @rule(is_open=st.booleans())
    def door(self, is_open: bool) -> None:  # noqa: FBT001 - as above
        self.runner.run(self._now(lambda: self.cabinet.door("main", is_open=is_open)))

    async def _now(self, act: object) -> None:
        assert callable(act)
        act()
        await asyncio.sleep(0)

    def teardown(self) -> None:
        try:
            assert self.worst == 0
            self.runner.run(self._settle())
            assert self.worst == 0
            assert self.tray + self.by_hand + self.cabinet.credit == self.put_in
            assert self.cabinet.credit < 100
            proof = audit(self.folder / "journal.sqlite", lambda _what, _done, _total: None)
            assert proof.failures == []
            assert (proof.meters.get("hopper_out", 0), proof.meters.get("hand_pay", 0)) == (self.tray, self.by_hand)
        finally:
            self.runner.run(self._stop())
            self.runner.close()
            shutil.rmtree(self.folder)

    async def _stop(self) -> None:
        self.watch.cancel()
        await asyncio.gather(self.watch, return_exceptions=True)
        await self.cabinet.kill()

    async def _settle(self) -> None:
        """Mend everything, let each hopper say what it gave, decide what is left, and take all money out."""
        self.cabinet.lines["hopper"].plug()
        self.cabinet.door("main", is_open=False)
        for which in (0, 1, 0):
            await self._fit(which)
            hopper = self.cabinet.hopper
            hopper.stock, hopper.jammed, hopper.upset = 1000, False, None
            await asyncio.sleep(30.0)
            for _ in range(3):
                await self._turn(5.0)
        await self.cabinet.turn_key("technician")
        await asyncio.sleep(30.0)
        await self.machine.journal.journal.do(self._decide)
        await self.machine.journal.reload()
        for _ in range(6):
            if self.cabinet.credit >= 100 or self.asked:
                await self.cabinet.tap("collect")
                await asyncio.sleep(60.0)
                await self._turn(10.0)

    def _decide(self, tx: Transaction) -> None:
        """Be the technician who has counted the tray."""
        for item in open_items(tx):
            (booked,) = tx.execute("SELECT coalesce(sum(value), 0) FROM meters WHERE name = 'hopper_out'").fetchone()
            missing = min(self.tray - booked, item.amount_cents or 0)
            if item.kind == "payout_held" and missing:
                resolve_item(tx, item.id, Resolution.LEFT, "technician", amount_cents=missing)
            elif item.kind == "payout_held":
                resolve_item(tx, item.id, Resolution.KEPT, "technician")
        for item in open_items(tx):
            if item.kind == "payout_rest":
                resolve_item(tx, item.id, Resolution.CREDITED, "attendant", amount_cents=item.amount_cents or 0)
