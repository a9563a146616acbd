"""U.8 in a venue: what the venue has not got comes first, and what it has stays good over the clear."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec.structs import replace

from controller.books.rotation import sealed_files
from controller.features.copies.page import meter_units
from controller.journal.actor import Role
from controller.keys import identity
from tests.rigs.books import give_pulses
from tests.rigs.service_menu import Hand, clear, started_anew
from tests.rigs.ticket_hall import ModelHouse, TicketRig, desk_key

WORTH = 2000
LACKS = "First let the venue get all that it lacks of this machine (U.13)"
NEVER_TOLD = "Tickets put in here whose end a venue was never told"
NOT_GOT = "Printed tickets that the venue has not got: {count}"


@asynccontextmanager
async def hall(folder: Path) -> AsyncIterator[tuple[ModelHouse, TicketRig, TicketRig]]:
    """Two linked cabinets of a venue; the first one has a key of its own and a technician."""
    house = ModelHouse(2)
    async with TicketRig(folder / "1", house, 1) as first, TicketRig(folder / "2", house, 2) as second:
        own = identity.make_identity(first.config.cabinet.key_file)
        await first.journal.do(lambda tx: identity.bind(tx, own, "test", "test"))
        for rig in (first, second):
            await rig.until_linked()
        yield house, first, second


async def in_menu(rig: TicketRig) -> Hand:
    """Open the main door and the menu, with the first PIN."""
    hand = Hand(rig)
    await rig.door(is_open=True)
    await hand.technician()
    return hand


async def out_of_it(rig: TicketRig, hand: Hand) -> None:
    await hand.leave(Role.TECHNICIAN)
    await rig.door(is_open=False)


async def refused(rig: TicketRig, hand: Hand) -> str:
    """Order the clear; return why nothing is cleared."""
    await clear(rig, hand)
    said = await hand.result()
    assert (rig.host.departures, sealed_files(rig.path)) == ([], [])
    return said


async def cleared(rig: TicketRig, hand: Hand) -> None:
    """Order the clear once the venue has all, and start anew; the venue goes on with the new books."""
    await rig.until_linked()
    units = meter_units(rig.service.machine)
    while await rig.journal.do(lambda tx: give_pulses(tx, units)):
        pass
    await rig.until_linked()
    await rig.machine.clock.sleep(5.0)
    await hand.enter("Clear everything")
    await rig.press("spin")
    await hand.agree()
    await started_anew(rig)
    await rig.until_linked()


async def test_a_ticket_that_the_venue_was_never_handed_keeps_the_books(tmp_path: Path) -> None:
    """Printed while the link was away: after it was handed over, any cabinet takes it and the desk pays it, once."""
    async with hall(tmp_path) as (house, first, second):
        first.away = True
        numbers = [await first.printed(WORTH) for _ in range(3)]
        assert house.pay(numbers[0], WORTH, desk_key()) == "unknown"
        hand = await in_menu(first)
        assert await refused(first, hand) == LACKS
        assert [(row.figures, row.cents) for row in hand.page.rows if row.label == NOT_GOT] == [
            ({"count": 3}, 3 * WORTH)
        ]
        assert not [row for row in hand.page.rows if "takes them no more" in row.label]
        await cleared(first, hand)
        assert await second.ticket(numbers[0])
        assert await first.ticket(numbers[1])
        assert house.pay(numbers[2], WORTH, desk_key()) == "paid"
        for number in numbers:
            assert not await first.ticket(number)
            assert not await second.ticket(number)
        assert (first.credit, second.credit) == (WORTH, WORTH)


async def test_a_ticket_of_before_the_first_link_keeps_the_books(tmp_path: Path) -> None:
    """A cabinet whose venue has not answered yet prints tickets for it: none of them is lost to a clear."""
    house = ModelHouse(1)
    rig = TicketRig(tmp_path / "1", house, 1)
    rig.away = True
    async with rig:
        own = identity.make_identity(rig.config.cabinet.key_file)
        await rig.journal.do(lambda tx: identity.bind(tx, own, "test", "test"))
        number = await rig.printed(WORTH)
        hand = await in_menu(rig)
        assert await refused(rig, hand) == LACKS
        await cleared(rig, hand)
        assert house.pay(number, WORTH, desk_key()) == "paid"


async def test_a_redemption_that_the_venue_has_not_heard_of_keeps_the_books(tmp_path: Path) -> None:
    """Else the venue would hold the paper for ever: it is redeemed there before the books are cleared."""
    async with hall(tmp_path) as (house, first, second):
        number = await second.printed(WORTH)
        await second.until_linked()
        first.cut_from = "tickets"
        assert await first.ticket(number)
        await first.press("collect")
        await first.until_true(lambda: first.credit == 0)
        await first.until_true(lambda: first.shown in ("attract", "lobby", "idle"))
        assert house.pay(number, WORTH, desk_key()) == "held"
        hand = await in_menu(first)
        assert await refused(first, hand) == LACKS
        await cleared(first, hand)
        assert house.pay(number, WORTH, desk_key()) == "redeemed"


async def test_events_and_rows_come_first_too(tmp_path: Path) -> None:
    """The venue's chain of the old books is whole up to their end; the page of the venue says what waits."""
    async with hall(tmp_path) as (_house, first, _second):
        first.away = True
        assert await first.note(500)
        await first.press("collect")
        await first.until_true(lambda: first.shown == "handpay" or first.credit == 0)
        await first.until_true(lambda: first.credit == 0)
        hand = await in_menu(first)
        assert await refused(first, hand) == LACKS
        await first.press("collect")
        await first.press("collect")
        await hand.go("U.13")
        waiting = {row.label: row.count for row in hand.page.rows if row.label.endswith("wait")}
        assert waiting["Events that wait"]
        assert waiting["Printed tickets that wait"] == 1


async def test_a_cabinet_that_left_its_venue_says_what_was_never_told(tmp_path: Path) -> None:
    """Its configuration names no venue any more: who clears the books reads what the venue's operator must hear."""
    async with hall(tmp_path) as (_house, first, second):
        number = await second.printed(WORTH)
        await second.until_linked()
        first.cut_from = "tickets"
        assert await first.ticket(number)
        first.config = replace(first.config, tickets=replace(first.config.tickets, validated_by="cabinet"))
        first.keeper_of = first.keeper = None
        await first.restart()
        await first.until_true(lambda: first.shown == "idle")
        await first.press("collect")
        await first.until_true(lambda: first.credit == 0)
        await first.until_true(lambda: first.shown in ("attract", "lobby", "idle"))
        hand = await in_menu(first)
        await first.door(is_open=True, name="logic")
        await hand.go("U.8")
        said = [(row.label, row.count) for row in hand.page.rows if "venue" in row.label]
        assert said[0] == (NEVER_TOLD, 1)


async def test_a_ticket_that_was_given_back_unheard_is_named_too(tmp_path: Path) -> None:
    """The answer was lost and the paper went back: the venue of before holds it until its operator hears of it."""
    async with hall(tmp_path) as (house, first, second):
        number = await second.printed(WORTH)
        await second.until_linked()
        first.fates = ["lost", "cut"]
        assert not await first.ticket(number)
        first.away = True
        assert house.pay(number, WORTH, desk_key()) == "held"
        first.config = replace(first.config, tickets=replace(first.config.tickets, validated_by="cabinet"))
        first.keeper_of = first.keeper = None
        await first.restart()
        await first.until_true(lambda: first.shown in ("attract", "lobby", "idle"))
        hand = await in_menu(first)
        await first.door(is_open=True, name="logic")
        await hand.go("U.8")
        assert [row.count for row in hand.page.rows if row.label == NEVER_TOLD] == [1]
