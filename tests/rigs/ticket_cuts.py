"""A machine whose tickets a host validates, over power cuts; the tally is the outside's own.

Outside are: the notes that were put in, the slips that the player holds, what an attendant paid by hand, and the books
of the host. No round is played, so all money is in one of these places or on the credit. The bill validator remembers
what lies in it, and repeats over a cut what it has reported without an answer, as its protocols do.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from controller.hardware.money_listener import MoneyListener
from controller.journal.errors import JournalError
from controller.journal.open_items import Resolution, open_items
from controller.journal.resolutions import resolve_item
from drivers.capabilities import Verdict
from tests.rigs.hosted import HOSTS_TICKETS, HostsRig
from tests.rigs.machine import PlainPrinter
from tests.rigs.power_cuts import Power
from tests.rigs.sas_host import SasHost
from tests.rigs.sas_tickets import TicketHost

RESTING = ("attract", "lobby", "idle")

TURNS = 25
"""How many turns of the loop are spent one by one: the journal's commits take longer than these."""


async def spend(turns: int) -> None:
    """Spend so many turns of the loop, those beyond `TURNS` as milliseconds."""
    for _ in range(min(turns, TURNS)):
        await asyncio.sleep(0)
    if turns > TURNS:
        await asyncio.sleep((turns - TURNS) / 1000)


class CutTickets:
    """One machine, its printer, its player, its attendant, and the host that polls it all the time."""

    def __init__(self, folder: Path) -> None:
        self.power = Power()
        self.printer = PlainPrinter()
        self.rig = HostsRig(folder, self.power, printer=self.printer, tickets=HOSTS_TICKETS)
        self.notes = self.by_hand = self.items = 0
        """Cents of the notes that came in, of what was paid by hand, and of that for tickets that nobody found."""
        self.held: list[str] = []
        self.stacked: list[str] = []
        self.read = 0
        self.cuts = self.ordered = 0
        """How often the power was cut, and how often a ticket was to be stacked before a kill."""

    async def start(self) -> None:
        """Switch on, and have the host poll."""
        await self.rig.start()
        self.host = SasHost(self.rig.joined.link, now=asyncio.get_running_loop().time)
        self.tickets = TicketHost(self.host)
        await self.poll()

    async def poll(self) -> None:
        """Have the host poll by itself."""
        self.polling = asyncio.create_task(self.tickets.run())
        await asyncio.sleep(0.3)

    async def pause(self) -> None:
        """Have it poll no more, what waits for it fetched."""
        self.polling.cancel()
        await asyncio.gather(self.polling, return_exceptions=True)
        await self.host.collect()

    async def end(self) -> None:
        """Switch off."""
        self.polling.cancel()
        await asyncio.gather(self.polling, return_exceptions=True)
        await self.rig.kill()

    def look(self) -> None:
        """Raise what the host has found wrong."""
        if self.polling.done():
            self.polling.result()

    async def mend(self) -> None:
        """Switch the power on again where it is off."""
        if self.power.is_off:
            await self.kill()

    async def kill(self) -> None:
        """Cut the power, and switch it on again."""
        self.cuts += 1
        self.host.cut()
        await self.rig.kill()
        self.power.comes_back()
        await self.rig.start(until=None)
        await self.rig.until_true(self.rig.machine.states.up.is_set)
        await asyncio.sleep(0.2)

    async def kill_after(self, turns: int, doing: Awaitable[object]) -> None:
        """Kill the program so many turns of its loop after something was begun: at each of its awaits."""
        begun = asyncio.ensure_future(doing)
        await spend(turns)
        self.rig.joined.close()
        await self.kill()
        await asyncio.gather(begun, return_exceptions=True)

    async def kill_within_validation(self, turns: int) -> None:
        """COLLECT, and a kill so many turns after the host has begun to give the number."""
        await self.note(500)
        await self.pause()
        await self.rig.press("collect", 0.3)
        await self.host.collect()
        await self.host.confirm()
        await self.kill_after(turns, self.tickets.give(self.rig.credit))
        await self.poll()

    async def kill_within_redemption(self, turns: int) -> None:
        """A slip, and a kill so many turns after the host has begun to decide about it."""
        await self.note(500)
        await self.rig.press("collect", 8.0)
        self.take_slips()
        number = self.held[-1]
        await self.pause()
        asking = asyncio.ensure_future(self.rig.listener.ticket_in_escrow(number))
        await asyncio.sleep(0.1)
        await self.host.collect()
        await self.host.confirm()
        deciding = asyncio.ensure_future(self.tickets.judge(number))
        await spend(turns)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        stacks = not asking.cancelled() and asking.result() is Verdict.STACK
        self.ordered += stacks
        await self.kill_after(0, deciding)
        if stacks:
            self.held.remove(number)
            self.stacked.append(number)
            await self.insist(MoneyListener.ticket_stacked)
            await self.insist(MoneyListener.bill_acknowledged)
        else:
            await self.insist(lambda listener: listener.bill_returned("it left the escrow"))
        await self.poll()

    async def insist(self, says: Callable[[MoneyListener], Awaitable[None]]) -> None:
        """Have the bill validator say something until that is durable."""
        while True:
            try:
                await says(self.rig.listener)
            except JournalError:
                await self.mend()
            else:
                return

    async def note(self, cents: int) -> None:
        """Put a note in."""
        rig = self.rig
        try:
            taken = await rig.listener.bill_in_escrow(cents) is Verdict.STACK
        except JournalError:
            taken = False
        if not taken:
            await self.mend()
            await self.insist(lambda listener: listener.bill_returned("it was not taken"))
            return
        self.notes += cents
        await self.insist(lambda listener: listener.bill_stacked(cents))
        await self.insist(MoneyListener.bill_acknowledged)
        await asyncio.sleep(0.1)

    def take_slips(self) -> None:
        """The player takes what lies in the printer's tray, torn or whole."""
        self.held += [slip.barcode for slip in self.printer.tray[self.read :]]
        self.read = len(self.printer.tray)

    async def put_in(self, number: str, *, stacks: bool = True, says: bool = True, kill_after_s: float = -1.0) -> bool:
        """Put a slip in; return whether it was stacked.

        The device may lose its power before it stacks; without `says` nobody learns what it did. The program is killed
        after `kill_after_s`, where that is not negative and it has not decided by then.
        """
        rig = self.rig
        asking = asyncio.ensure_future(rig.listener.ticket_in_escrow(number))
        try:
            if kill_after_s >= 0:
                await asyncio.wait({asking}, timeout=kill_after_s)
                ordered = asking.done() and asking.result() is Verdict.STACK
                asking.cancel()
                await asyncio.gather(asking, return_exceptions=True)
                await self.kill()
            else:
                ordered = await asking is Verdict.STACK
        except JournalError:
            ordered = False
        await self.mend()
        stacks = stacks and ordered
        if stacks:
            self.held.remove(number)
            self.stacked.append(number)
        if not says and ordered:
            await self.insist(MoneyListener.bill_acknowledged)
            await self.insist(lambda listener: listener.bill_unknown("its line was lost"))
            await self.resolve(stacked=stacks)
        elif stacks:
            await self.insist(MoneyListener.ticket_stacked)
            await self.insist(MoneyListener.bill_acknowledged)
        else:
            await self.insist(lambda listener: listener.bill_returned("it left the escrow"))
        await asyncio.sleep(0.5)
        return stacks

    async def resolve(self, *, stacked: bool) -> None:
        """A technician looks where the paper is, and pays what lies in the cash box."""
        await self.mend()
        self.power.comes_back()
        for item in await self.rig.journal.do(open_items):
            cents = (item.amount_cents or 0) if stacked else 0
            way = Resolution.PAID if stacked else Resolution.RETURNED
            if cents:
                await self.finish()
            await self.rig.journal.do(
                lambda tx: resolve_item(tx, item.id, way, "technician", amount_cents=cents)  # noqa: B023 - run at once
            )
            self.by_hand += cents
            self.items += cents

    async def turn(self) -> None:
        """An attendant turns the key, and pays what the screen then says that he has paid."""
        await self.mend()
        self.power.comes_back()
        payout = self.rig.machine.play.payout
        asked = payout.amount_cents - payout.paid_cents if payout is not None and payout.by == "attendant" else 0
        await self.rig.turn_key("attendant")
        payout = self.rig.machine.play.payout
        if asked and payout is not None and payout.by == "attendant" and payout.paid_cents == asked:
            self.by_hand += asked
            await asyncio.sleep(4.0)

    async def finish(self) -> None:
        """Let the cash-out end; the attendant pays what the screen asks for."""
        await self.mend()
        for _ in range(400):
            if self.rig.shown == "handpay":
                await self.turn()
            elif self.rig.shown in RESTING and self.rig.machine.play.payout is None:
                return
            await asyncio.sleep(0.5)
        raise AssertionError(f"still {self.rig.shown}")

    async def settle(self) -> None:
        """Every slip is put in once more, and then a second time: all money is there once."""
        await self.mend()
        self.power.comes_back()
        self.tickets.mute = self.tickets.denies = False
        self.rig.joined.most = self.rig.joined.spoken = None
        await asyncio.sleep(8.0)
        await self.finish()
        await asyncio.sleep(8.0)
        self.look()
        self.take_slips()
        await self.compare()
        for number in dict.fromkeys(self.held):
            await self.put_in(number)
        copies = [number for number in (*self.held, *self.stacked) if await self.rig.ticket(number)]
        assert copies == []
        await asyncio.sleep(1.0)
        assert [one for one in self.tickets.books.issued.values() if one.validated and not one.redeemed] == []
        await self.compare()
        assert self.rig.credit + self.by_hand == self.notes

    async def compare(self) -> None:
        """The host's books and the machine's meters say the same, and all money is somewhere."""
        books, rig = self.tickets.books, self.rig
        self.look()
        assert await rig.meter("tickets_out") == books.out_cents
        assert await rig.meter("tickets_in") + self.items == books.in_cents
        outstanding = books.out_cents - books.in_cents
        assert rig.credit + self.by_hand + outstanding == self.notes
        await rig.journal.do(lambda tx: tx.prove())
