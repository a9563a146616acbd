"""Tickets after lost books: none is taken that may have come back before, and each is decided by a person, once."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from hypothesis import settings

from controller.books.audit import audit
from controller.journal import lost_tickets
from controller.journal.actor import Role
from controller.journal.errors import RefusedError
from controller.journal.open_items import Resolution
from controller.journal.parts import is_handed_over
from controller.journal.resolutions import resolve_item
from controller.journal.transaction import Transaction
from tests.rigs.lost_books import LosingRig
from tests.rigs.service_menu import Hand
from tests.rigs.stateful.lost_tickets import LostTicketCycles

WORTH = 500
HELD = "This ticket is being looked into: please call the attendant"
LOST = "The list of this machine's tickets is not whole: please call the attendant"


def audited(rig: LosingRig) -> None:
    """See that the whole books are proved."""
    assert audit(rig.path, lambda *_: None).failures == []


Loss = Callable[[LosingRig, Path], Awaitable[None]]


async def test_a_photocopy_is_not_taken_after_a_restore(tmp_path: Path) -> None:
    """A ticket that was redeemed after the backup stands as printed in it: it is held, and credits nothing."""
    async with LosingRig(tmp_path) as rig:
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
    async with LosingRig(tmp_path) as rig:
        copy = rig.backed_up()
        number = await rig.printed()
        assert await rig.refused("371234567890123456") == "This machine does not know this ticket"
        await rig.restored(copy)
        assert await rig.refused(number) == LOST
        assert await rig.refused("371234567890123456") == "This machine does not know this ticket"
        assert "it may be one of the books that were lost" in (await rig.events("ticket"))[-2]


async def test_every_outstanding_ticket_is_for_a_person_after_a_rebuild(tmp_path: Path) -> None:
    """The sum by the meters is an open item, and each ticket comes back with words that say what is known."""
    async with LosingRig(tmp_path) as rig:
        numbers = [await rig.printed() for _ in range(3)]
        assert await rig.ticket(numbers[0])
        await rig.rebuilt(tmp_path)
        assert rig.credit == WORTH
        assert [await rig.refused(number) for number in numbers] == [LOST] * 3
        assert (await rig.item()).amount_cents == 2 * WORTH
        audited(rig)


async def test_a_rebuild_of_books_whose_tickets_all_came_back_opens_nothing(tmp_path: Path) -> None:
    """Nothing is owed for tickets then."""
    async with LosingRig(tmp_path) as rig:
        assert await rig.ticket(await rig.printed())
        await rig.rebuilt(tmp_path)
        assert await rig.journal.do(lost_tickets.item) is None


@pytest.mark.parametrize("loss", [LosingRig.restored, LosingRig.without_mark])
async def test_a_technician_lets_all_of_them_be_taken_again(tmp_path: Path, loss: Loss) -> None:
    """Where surely none came back before, one decision ends the doubt; new tickets were never in doubt."""
    async with LosingRig(tmp_path) as rig:
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
    async with LosingRig(tmp_path) as rig:
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
    async with LosingRig(tmp_path) as rig:
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
    async with LosingRig(tmp_path) as rig:
        numbers = [await rig.printed() for _ in range(2)]

        def hand_over(tx: Transaction) -> None:
            tx.execute("INSERT INTO venue_tickets (ticket, state, site, epoch) VALUES (1, 'known', 'site', 1)")

        await rig.journal.do(hand_over)
        await rig.restored(rig.backed_up())
        assert (
            await rig.refused(numbers[0]) == "This ticket is not taken at the moment: please ask at the cashier's desk"
        )
        assert await rig.refused(numbers[1]) == HELD
        assert await rig.journal.do(lambda tx: [ticket for ticket in (1, 2, 3) if is_handed_over(tx, ticket)]) == [1]


LostTicketCycles.TestCase.settings = settings(max_examples=5, stateful_step_count=12)
TestLostTicketCycles = LostTicketCycles.TestCase
