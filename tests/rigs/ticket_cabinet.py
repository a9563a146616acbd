"""A whole virtual cabinet that pays on tickets and takes them: real drivers on a simulated printer and validator."""

import asyncio
from pathlib import Path

from msgspec.structs import replace

from controller.books.audit import audit
from controller.configuration.tickets import Tickets
from controller.journal.open_items import open_items
from drivers.simulated.escpos.build import Build
from drivers.simulated.escpos.paper import Piece
from drivers.simulated.escpos.printer import SimulatedPrinter
from drivers.simulated.memory_line import MemoryLine
from drivers.wiring import TicketPrinter
from tests.rigs.power_cuts import CutStore, Power
from tests.rigs.virtual_cabinet import VirtualCabinet, but_coins

WORTH = 2000


class TicketCabinet(VirtualCabinet):
    """Pays the whole credit on tickets; the journal's transactions are steps of `power`."""

    def __init__(self, folder: Path, protocol: str, power: Power | None = None) -> None:
        self.power = power or Power()
        super().__init__(folder, protocol=protocol, store=type("PoweredStore", (CutStore,), {"power": self.power}))
        self.config = replace(
            self.config,
            tickets=Tickets(pays="all", takes=True),
            ticket_printer=TicketPrinter(port="printer"),
        )
        self.pieces: list[Piece] = []
        self.printer = SimulatedPrinter(dropped=self.pieces.append, build=Build(baud=0))
        self.lines["printer"] = MemoryLine(self.printer, path="printer")

    def mains(self, *, on: bool) -> None:
        """Switch the printer's power with the others'."""
        super().mains(on=on)
        self.printer.power(on=on)

    async def print_ticket(self) -> str:
        """Pay the credit on a ticket, and return the number in its barcode."""
        before = len(self.pieces)
        await self.tap("collect")
        await self.until(lambda: len(self.pieces) > before and self.credit == 0)
        await self.until(lambda: self.state in ("attract", "lobby", "idle"))
        ((_symbology, number),) = self.pieces[-1].codes
        return number

    async def kill_and_start(self) -> None:
        """End the supervisor where it is, and start another one on its journal."""
        await self.crash()
        self.power.comes_back()
        await self.start()
        await asyncio.sleep(12.0)

    async def settle(self, number: str) -> None:
        """See that the ticket is in the player's hand and worth what it was, or in the box and credited; take it back.

        What is in hand is put in again. In the end the credit is its worth, its copy comes back, the books are equal.
        """
        await self.until(lambda: self.bills.slot == "")
        await asyncio.sleep(3.0)
        assert self.returned_tickets + self.stacked_tickets == [number]
        if self.returned_tickets:
            assert self.credit == 0
            self.returned_tickets.clear()
            self.bills.insert_ticket(number)
            await asyncio.sleep(6.0)
        assert (self.stacked_tickets, self.returned_tickets, self.credit) == ([number], [], WORTH)
        self.stacked_tickets.clear()
        self.bills.insert_ticket(number)
        await self.until(lambda: bool(self.returned_tickets))
        assert (self.returned_tickets, self.credit) == ([number], WORTH)
        self.returned_tickets.clear()
        assert self.supervisor is not None
        assert but_coins(await self.supervisor.journal.do(open_items)) == []
        await self.supervisor.journal.do(lambda tx: tx.prove())

    def audited(self) -> None:
        """See that the whole books are proved, payouts and tickets among them."""
        assert audit(Path(self.config.cabinet.journal), lambda _what, _done, _total: None).failures == []
