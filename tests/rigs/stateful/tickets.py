"""Any order of notes, cash-outs by ticket, tickets put in, printer troubles, kills and key turns.

The tally is the outside's own: the notes that were put in, the slips that the player holds, what the screen asked an
attendant to pay and then showed as paid. No round is played, so all of it is there in the end.
"""

import asyncio
import shutil
import tempfile
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from msgspec.structs import replace

from controller.configuration.tickets import Tickets
from controller.journal.open_items import Resolution, open_items
from controller.journal.resolutions import resolve_item
from drivers.capabilities import PrintEnd, Verdict
from tests.rigs.machine import PlainHopper, PlainPrinter, Rig
from tests.rigs.virtual_cabinet import only
from tests.rigs.virtual_time import VirtualTimeLoop

RESTING = ("attract", "lobby", "idle")
ENDS = (*[PrintEnd.PRINTED] * 4, PrintEnd.UNKNOWN, PrintEnd.NOT_PRINTED)


class TicketCycles(RuleBasedStateMachine):
    """One cabinet of which money is only taken out, on tickets, in coins and by hand, and put in again."""

    turned_at = frozenset({"handpay"})
    """The screens at which the attendant turns his key."""

    @initialize(pays=st.sampled_from(("all", "rest")), hopper=st.booleans(), coins=st.sampled_from((0, 3, 255)))
    def switch_on(self, pays: str, coins: int, *, hopper: bool) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="cabinet"))
        self.runner = asyncio.Runner(loop_factory=VirtualTimeLoop)
        self.notes = self.by_hand = self.read = 0
        self.runner.run(self._switch_on(pays, coins, hopper=hopper))

    async def _switch_on(self, pays: str, coins: int, *, hopper: bool) -> None:
        rules = Tickets(pays=pays, takes=True, least_cents=150)  # type: ignore[arg-type]
        self.hopper = PlainHopper() if hopper else None
        if self.hopper is not None:
            self.hopper.most_coins = coins
        self.held: list[str] = []
        self.stacked: list[str] = []
        self.rig = self.rig_of(rules)
        assert self.rig.printer is not None
        self.printer = self.rig.printer
        await self.rig.start()
        self.notes += 2000 if await self.rig.note(2000) else 0
        await self.rig.press("collect", 8.0)

    def rig_of(self, rules: Tickets) -> Rig:
        """The cabinet."""
        config = replace(only(self.folder, "neptune"), tickets=rules)
        return Rig(self.folder, config=config, hopper=self.hopper, printer=PlainPrinter())

    @property
    def coins(self) -> int:
        """What lies in the tray in coins."""
        return 0 if self.hopper is None else self.hopper.tray * 100

    def take_slips(self) -> None:
        """The player takes what lies in the printer's tray, torn or whole."""
        self.held += [slip.barcode for slip in self.printer.tray[self.read :]]
        self.read = len(self.printer.tray)

    @rule(cents=st.sampled_from((500, 2000)))
    def note(self, cents: int) -> None:
        async def put_in() -> None:
            self.notes += cents if await self.rig.note(cents) else 0

        self.runner.run(put_in())

    @rule(
        seconds=st.sampled_from((0.0, 0.5, 1.5, 2.5, 8.0)),
        end=st.sampled_from(ENDS),
        troubled=st.sampled_from((0, 0, 0, 1)),
        cut=st.booleans(),
    )
    def collect(self, seconds: float, end: PrintEnd, troubled: int, *, cut: bool) -> None:
        self.printer.ready = not troubled
        self.printer.ends = [end]
        self.runner.run(self.rig.press("collect", seconds))
        if cut:
            self.kill()

    @rule(seconds=st.sampled_from((0.05, 1.0, 5.0)))
    def time_passes(self, seconds: float) -> None:
        self.runner.run(asyncio.sleep(seconds))

    @rule()
    def key(self) -> None:
        self.runner.run(self._turn())

    async def _turn(self) -> None:
        payout = self.rig.machine.play.payout
        asked = payout.amount_cents - payout.paid_cents if payout is not None and payout.by == "attendant" else 0
        await self.rig.turn_key("attendant")
        payout = self.rig.machine.play.payout
        if asked and payout is not None and payout.by == "attendant" and payout.paid_cents == asked:
            self.by_hand += asked
            await asyncio.sleep(4.0)

    @rule()
    def kill(self) -> None:
        self.runner.run(self.rig.restart())

    @rule(
        which=st.integers(0, 5),
        steps=st.integers(0, 12),
        stacks=st.booleans(),
        says=st.booleans(),
        killed=st.sampled_from(("", "", "before", "after", "credited")),
    )
    def ticket(self, which: int, steps: int, killed: str, *, stacks: bool, says: bool) -> None:
        """Put a slip in; the device may lose its power before it stacks, or nobody may learn what it did."""
        self.take_slips()
        if self.held:
            number = self.held[which % len(self.held)]
            self.runner.run(self._ticket(number, steps, killed, stacks=stacks, says=says))

    async def _ticket(self, number: str, steps: int, killed: str, *, stacks: bool, says: bool) -> None:
        asking = asyncio.ensure_future(self.rig.listener.ticket_in_escrow(number))
        if killed == "before":
            for _ in range(steps):
                await asyncio.sleep(0)
            ordered = asking.done() and asking.result() is Verdict.STACK
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            await self.rig.restart()
        else:
            ordered = await asking is Verdict.STACK
        stacks = stacks and ordered
        if stacks:
            self.held.remove(number)
            self.stacked.append(number)
        if killed == "after":
            await self.rig.restart()
        listener = self.rig.listener
        if not says:
            await listener.bill_acknowledged()
            await listener.bill_unknown("its line was lost")
            await self._resolve(stacked=stacks)
        elif stacks:
            await listener.ticket_stacked()
            if killed == "credited":
                await self.rig.restart()
                await self.rig.listener.ticket_stacked()  # unacknowledged, the device says it again
            await self.rig.listener.bill_acknowledged()
        else:
            await listener.bill_returned("it left the escrow")
        await asyncio.sleep(0.1)

    async def _resolve(self, *, stacked: bool) -> None:
        """A technician looks where the paper is, and pays what lies in the cash box."""
        for item in await self.rig.journal.do(open_items):
            cents = (item.amount_cents or 0) if stacked else 0
            way = Resolution.PAID if stacked else Resolution.RETURNED
            payout = self.rig.machine.play.payout
            if cents and payout is not None:
                await self._finish()
            await self.rig.journal.do(
                lambda tx: resolve_item(tx, item.id, way, "technician", amount_cents=cents)  # noqa: B023 - run at once
            )
            self.by_hand += cents

    async def _finish(self) -> None:
        """Let the cash-out end; the attendant pays what the screen asks for."""
        for _ in range(400):
            if self.rig.shown in self.turned_at:
                await self._turn()
            elif self.rig.shown in RESTING and self.rig.machine.play.payout is None:
                return
            await asyncio.sleep(0.5)
        raise AssertionError(f"still {self.rig.shown}")

    def teardown(self) -> None:
        if hasattr(self, "rig"):
            self.runner.run(self._settle())
            self.runner.close()
            shutil.rmtree(self.folder)

    async def _settle(self) -> None:
        await self._finish()
        self.take_slips()
        for number in dict.fromkeys(self.held):
            await self.rig.ticket(number)
        copies = [number for number in (*self.held, *self.stacked) if await self.rig.ticket(number)]
        assert copies == []
        assert self.rig.credit + self.coins + self.by_hand == self.notes
        await self.rig.journal.do(lambda tx: tx.prove())
        await self.rig.kill()
