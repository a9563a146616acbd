"""Tickets in any order as in `tickets`, with books that are lost in between: restored, rebuilt, or without their mark.

Books are lost only between two cash-outs, so that no credit is in doubt. A technician decides about each ticket that is
shown by where its paper is, as one who looks into the cash box does; the tally is the outside's own.
"""

from pathlib import Path

from hypothesis.stateful import precondition, rule

from controller.configuration.tickets import Tickets
from controller.journal import lost_tickets, tickets
from controller.journal.open_items import Resolution, open_items
from controller.journal.resolutions import resolve_item
from controller.journal.tickets import Ticket
from controller.journal.transaction import Transaction
from tests.rigs.lost_books import LosingRig
from tests.rigs.restored_books import copied
from tests.rigs.stateful.tickets import TicketCycles


class LostTicketCycles(TicketCycles):
    """A cabinet whose books are lost now and then."""

    rig: LosingRig
    turned_at = frozenset({"handpay", "tilted"})  # older books do not know coins that have left the hopper since

    def rig_of(self, rules: Tickets) -> LosingRig:
        """The cabinet, on books with a key and a second copy."""
        self.backup: Path | None = None
        return LosingRig(self.folder, rules, self.hopper)

    @rule()
    def time_of_day(self) -> None:
        """No two tickets are printed at the same moment."""
        self.rig.wall_ms += 1000

    @rule()
    def back_up(self) -> None:
        """Back the books up, whatever is under way; the credit is collected first."""
        self.runner.run(self._collected())
        self.backup = copied(self.folder, "stick")

    async def _collected(self) -> None:
        """Have the whole credit paid, so that a backup and the books after it owe the same: nothing but tickets."""
        self.rig.wall_ms += 1000
        self.printer.ready, self.printer.ends = True, []
        await self._finish()
        for _ in range(5):
            if not self.rig.credit:
                return
            await self.rig.press("collect", 8.0)
            await self._finish()
        raise AssertionError(f"a credit of {self.rig.credit} is not paid")

    @precondition(lambda self: self.backup is not None)
    @rule()
    def restore(self) -> None:
        """Lose the journal, put the backup in its place, and begin a new second copy."""
        self.runner.run(self._lose(LosingRig.restored))
        self.runner.run(self.rig.copied_anew())

    @rule()
    def rebuild(self) -> None:
        """Lose the journal, and make it again from its second copy."""
        self.runner.run(self._lose(LosingRig.rebuilt))

    @rule()
    def lose_mark(self) -> None:
        """Start without the file that names the newest row."""
        self.runner.run(self._lose(LosingRig.without_mark))

    async def _lose(self, how: object) -> None:
        await self._collected()
        self.take_slips()
        good = await self.rig.journal.do(self._good)
        await how(self.rig, self.backup or self.folder)  # type: ignore[operator] - one of the rig's own methods
        self.rig.wall_ms += 1000
        await self._finish()
        await self._decide(good)

    def _good(self, tx: Transaction) -> dict[str, int]:
        """The papers in hand that are worth something, by the books before they are lost."""
        found = {number: tickets.worth(tx, number) for number in self.held}
        return {number: ticket.cents for number, ticket in found.items() if isinstance(ticket, Ticket)}

    async def _decide(self, good: dict[str, int]) -> None:
        """Try each paper in vain; then have those that are good paid by hand, or taken again where they are listed."""
        taken = [number for number in (*self.held, *self.stacked) if await self.rig.ticket(number)]
        assert taken == []

        def decide(tx: Transaction) -> None:
            listed = {row.id: row for row in lost_tickets.held(tx)}
            for place, (number, cents) in enumerate(good.items()):
                known = tickets.by_number(tx, number)
                if known is None or known.id not in listed:
                    lost_tickets.pay_unlisted(tx, number, cents, "technician", most_cents=cents)
                elif place % 2:
                    lost_tickets.decide(tx, known.id, Resolution.RETURNED, "technician")
                    continue
                else:
                    lost_tickets.decide(tx, known.id, Resolution.PAID, "technician")
                self.by_hand += cents
            for item in open_items(tx):
                resolve_item(tx, item.id, Resolution.VOID, "technician", reason="all were shown")

        await self.rig.journal.do(decide)
        await self.rig.machine.journal.reload()
