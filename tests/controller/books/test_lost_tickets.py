"""Tickets after lost books: none is taken that may have come back before, and each is decided by a person, once."""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import msgspec
import pytest

from controller.books import restoring
from controller.books.audit import audit
from controller.books.opening import opened_books
from controller.books.rebuilding import copy_to_rebuild_from, rebuild
from controller.configuration.tickets import Tickets
from controller.exporting.backups import backup
from controller.journal import lost_tickets, venue_tickets
from controller.journal.actor import Role
from controller.journal.errors import RefusedError
from controller.journal.open_items import OpenItem, Resolution
from controller.journal.resolutions import resolve_item
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from controller.keys import identity
from tests.rigs.cleared_books import UNITS
from tests.rigs.machine import PlainPrinter, Rig
from tests.rigs.service_menu import Hand
from tests.rigs.virtual_cabinet import only

WORTH = 500
HELD = "This ticket is being looked into: please call the attendant"
LOST = "The list of this machine's tickets is not whole: please call the attendant"
KEY, COPY = "journal.sqlite.key", "copy/second"


class TicketRig(Rig):
    """A machine that pays all on tickets of its own, on books with a key and a second copy."""

    def __init__(self, folder: Path) -> None:
        (folder / "copy").mkdir()
        config = msgspec.structs.replace(only(folder, "neptune"), tickets=Tickets(pays="all", takes=True))
        super().__init__(folder, config=config, printer=PlainPrinter())
        self.folder = folder
        self.store = partial(_opened, folder)

    async def printed(self) -> str:
        """Put a note in and have it paid on a ticket; return its number."""
        assert self.printer is not None
        before = len(self.printer.tray)
        assert await self.note(WORTH)
        await self.press("collect")
        await self.until_true(lambda: len(self.printer.tray) > before and self.credit == 0)  # type: ignore[union-attr]
        await self.until_true(lambda: self.shown in ("attract", "lobby", "idle"))
        return self.printer.tray[-1].barcode

    @property
    def own(self) -> identity.Identity:
        """The cabinet's key."""
        found = identity.read_identity(self.folder / KEY)
        assert found is not None
        return found

    def backed_up(self) -> Path:
        """Back the books up while the cabinet runs."""
        return backup(self.path, self.folder, self.own, "", 0)

    async def lose(self) -> None:
        """End it, and lose the journal with all that SQLite has beside it."""
        await self.kill()
        for tail in ("", "-wal", "-shm", ".head"):
            self.path.with_name(self.path.name + tail).unlink(missing_ok=True)

    async def restored(self, copy: Path) -> None:
        """Lose the books, put a backup in their place, and start."""
        await self.lose()
        restoring.restore_lost(
            self.path, copy, self.own, "technician", lambda: 0, units=UNITS, own_tickets=self.config.tickets.own
        )
        (self.folder / COPY).unlink()
        await self.start(until=None)
        await self.up()

    async def rebuilt(self, copy: Path) -> None:
        """Lose the books, and make them again from the second copy; the backup is not used."""
        del copy
        await self.lose()
        record = copy_to_rebuild_from(self.folder / COPY, self.own)
        rebuild(self.path, record, self.own, "test", wall_ms=lambda: 0, own_tickets=self.config.tickets.own)
        await self.start(until=None)
        await self.up()

    async def without_mark(self, copy: Path) -> None:
        """Start without the file that names the newest row, after which rows may be missing."""
        del copy
        await self.kill()
        self.path.with_name(f"{self.path.name}.head").unlink()
        await self.start(until=None)
        await self.up()

    async def up(self) -> None:
        """Let time pass until notes are taken."""
        await self.until_true(lambda: self.shown in ("attract", "lobby", "idle"))

    async def refused(self, number: str) -> str:
        """Put a ticket in that comes back; return what the screen says."""
        assert not await self.ticket(number)
        (words,) = (
            notice.text for notice in self.screen.view.notices if notice.code == self.machine.play.ticket_refused
        )
        return words

    async def item(self) -> OpenItem:
        """The open item of the tickets."""
        found = await self.journal.do(lost_tickets.item)
        assert found is not None
        return found


def _opened(folder: Path, path: Path, wall_ms: Callable[[], int], *, simulated: bool) -> Store:
    return opened_books(path, folder / KEY, wall_ms, simulated=simulated, second_copy=folder / COPY)


def audited(rig: TicketRig) -> None:
    """See that the whole books are proved."""
    assert audit(rig.path, lambda *_: None).failures == []


Loss = Callable[[TicketRig, Path], Awaitable[None]]


async def test_a_photocopy_is_not_taken_after_a_restore(tmp_path: Path) -> None:
    """A ticket that was redeemed after the backup stands as printed in it: it is held, and credits nothing."""
    async with TicketRig(tmp_path) as rig:
        number = await rig.printed()
        copy = rig.backed_up()
        assert await rig.ticket(number)
        await rig.restored(copy)
        credit = rig.credit
        assert await rig.refused(number) == HELD
        assert rig.credit == credit
        item = await rig.item()
        assert (item.least_cents, item.amount_cents) == (0, None)
        assert "Tickets of 500 are printed in the restored backup: 1" in item.text
        audited(rig)


async def test_a_ticket_of_after_the_backup_is_not_called_strange(tmp_path: Path) -> None:
    """The books cannot know whether this machine printed it, and the words do not say that it did not."""
    async with TicketRig(tmp_path) as rig:
        copy = rig.backed_up()
        number = await rig.printed()
        assert await rig.refused("371234567890123456") == "This machine does not know this ticket"
        await rig.restored(copy)
        assert await rig.refused(number) == LOST
        assert await rig.refused("371234567890123456") == "This machine does not know this ticket"
        assert "it may be one of the books that were lost" in (await rig.events("ticket"))[-2]


async def test_every_outstanding_ticket_is_for_a_person_after_a_rebuild(tmp_path: Path) -> None:
    """The sum by the meters is an open item, and each ticket comes back with words that say what is known."""
    async with TicketRig(tmp_path) as rig:
        numbers = [await rig.printed() for _ in range(3)]
        assert await rig.ticket(numbers[0])
        await rig.rebuilt(tmp_path)
        assert rig.credit == WORTH
        assert [await rig.refused(number) for number in numbers] == [LOST] * 3
        assert (await rig.item()).amount_cents == 2 * WORTH
        audited(rig)


async def test_a_rebuild_of_books_whose_tickets_all_came_back_opens_nothing(tmp_path: Path) -> None:
    """Nothing is owed for tickets then."""
    async with TicketRig(tmp_path) as rig:
        assert await rig.ticket(await rig.printed())
        await rig.rebuilt(tmp_path)
        assert await rig.journal.do(lost_tickets.item) is None


@pytest.mark.parametrize("loss", [TicketRig.restored, TicketRig.without_mark])
async def test_a_technician_lets_all_of_them_be_taken_again(tmp_path: Path, loss: Loss) -> None:
    """Where surely none came back before, one decision ends the doubt; new tickets were never in doubt."""
    async with TicketRig(tmp_path) as rig:
        number = await rig.printed()
        await loss(rig, rig.backed_up())
        assert await rig.ticket(await rig.printed())
        assert await rig.refused(number) == HELD
        item = await rig.item()
        await rig.journal.do(lambda tx: resolve_item(tx, item.id, Resolution.RETURNED, "technician"))
        await rig.up()
        assert await rig.ticket(number)
        audited(rig)


async def test_each_ticket_is_decided_once(tmp_path: Path) -> None:
    """Paid by hand, taken again or void; what is left is void with the item, and a copy of any is worth nothing."""
    async with TicketRig(tmp_path) as rig:
        numbers = [await rig.printed() for _ in range(4)]
        await rig.restored(rig.backed_up())
        ways = (Resolution.PAID, Resolution.RETURNED, Resolution.VOID)
        for ticket, way in zip(reversed(await rig.journal.do(lost_tickets.held)), ways, strict=False):
            await rig.journal.do(lambda tx: lost_tickets.decide(tx, ticket.id, way, "technician", reason="a copy"))  # noqa: B023
            with pytest.raises(RefusedError, match="not held any more"):
                await rig.journal.do(lambda tx: lost_tickets.decide(tx, ticket.id, way, "technician"))  # noqa: B023
        item = await rig.item()
        await rig.journal.do(lambda tx: resolve_item(tx, item.id, Resolution.VOID, "technician", reason="a test"))
        await rig.up()
        assert await rig.ticket(numbers[1])
        void = "This ticket is void: please call the attendant"
        assert [await rig.refused(number) for number in numbers] == ["This ticket has been redeemed"] * 2 + [void] * 2
        assert (await rig.meter("hand_pay"), await rig.meter("tickets_in")) == (WORTH, 2 * WORTH)
        audited(rig)


async def test_a_ticket_of_the_lost_books_is_paid_by_hand_once(tmp_path: Path) -> None:
    """A.10: a technician types its number; the item falls by it, and no more than it is worth is ever paid."""
    async with TicketRig(tmp_path) as rig:
        first, second = [await rig.printed() for _ in range(2)]
        await rig.rebuilt(tmp_path)
        hand = Hand(rig)
        await rig.door(is_open=True)
        await hand.technician()
        for number, cents, said in (
            (first, WORTH, "It is done"),
            (first, WORTH, "This ticket is in the list of this machine: decide about it there"),
            (second, WORTH + 1, "Item {number} is {most_cents} at the most"),
            (second, WORTH, "It is done"),
        ):
            await hand.go("A.10")
            await hand.enter("Pay a ticket")
            await hand.type(number[2:])
            await hand.type(str(cents))
            await hand.agree()
            await rig.until_true(lambda: bool(hand.page.message))
            assert hand.page.message == said
            await rig.press("collect")
            await rig.press("collect")
        assert (await rig.item()).amount_cents == 0
        await hand.leave(Role.TECHNICIAN)
        await rig.door(is_open=False)
        await rig.up()
        assert await rig.refused(first) == "This ticket has been redeemed"
        audited(rig)


async def test_a_ticket_that_the_venue_has_is_the_venues_to_decide(tmp_path: Path) -> None:
    """Only what nobody else was handed is held after a restore; so is none that a host has numbered."""
    async with TicketRig(tmp_path) as rig:
        numbers = [await rig.printed() for _ in range(2)]

        def hand_over(tx: Transaction) -> None:
            tx.execute("INSERT INTO venue_tickets (ticket, state, site, epoch) VALUES (1, 'known', 'site', 1)")

        await rig.journal.do(hand_over)
        await rig.restored(rig.backed_up())
        assert (
            await rig.refused(numbers[0]) == "This ticket is not taken at the moment: please ask at the cashier's desk"
        )
        assert await rig.refused(numbers[1]) == HELD
        assert await rig.journal.do(lambda tx: venue_tickets.at_a_venue(tx, numbers[0]))
