"""Tickets of a venue: what one cabinet printed another takes, once, whatever becomes of calls, links and power."""

import asyncio
from contextlib import closing
from pathlib import Path

import pytest

from controller.features.archive.archiving import decide, finish
from controller.features.archive.carry_over import Retention
from controller.journal import lost_tickets
from controller.journal.open_items import Resolution, open_items
from controller.journal.resolutions import resolve_item
from drivers.capabilities import Verdict
from tests.rigs.ticket_hall import ModelHouse, TicketRig, desk_key

WORTH = 2000


async def test_another_cabinet_takes_a_ticket_once(tmp_path: Path) -> None:
    """A ticket is worth its amount at any cabinet of the venue, once; its copy comes back everywhere."""
    house = ModelHouse(2)
    async with TicketRig(tmp_path / "1", house, 1) as first, TicketRig(tmp_path / "2", house, 2) as second:
        await first.until_linked()
        await second.until_linked()
        number = await first.printed(WORTH)
        await first.until_linked()
        assert await second.ticket(number)
        assert (second.credit, first.credit) == (WORTH, 0)
        assert not await second.ticket(number)
        assert second.refusals() == ["ticket_redeemed"]
        assert not await first.ticket(number)
        assert house.pay(number, WORTH, desk_key()) == "redeemed"


async def test_a_ticket_that_was_just_printed_is_taken_at_once(tmp_path: Path) -> None:
    """A ticket put in before the next pass of the link is handed over with the question."""
    house = ModelHouse(1)
    async with TicketRig(tmp_path / "1", house, 1) as cabinet:
        await cabinet.until_linked()
        number = await cabinet.printed(WORTH)
        assert await cabinet.ticket(number)
        assert cabinet.credit == WORTH


async def test_what_the_desk_has_paid_comes_back(tmp_path: Path) -> None:
    """A ticket that the cashier has paid is worth nothing at any cabinet, its own included."""
    house = ModelHouse(1)
    async with TicketRig(tmp_path / "1", house, 1) as cabinet:
        number = await cabinet.printed(WORTH)
        await cabinet.until_linked()
        assert house.pay(number, WORTH, desk_key()) == "paid"
        assert not await cabinet.ticket(number)
        assert (cabinet.refusals(), cabinet.credit) == (["ticket_redeemed"], 0)


@pytest.mark.parametrize("fate", ["cut", "lost", "twice"])
async def test_a_lost_answer_gives_the_ticket_back_and_leaves_it_open(tmp_path: Path, fate: str) -> None:
    """Where the answer is lost the ticket comes back, and is worth its amount as soon as the venue has heard that."""
    house = ModelHouse(2)
    async with TicketRig(tmp_path / "1", house, 1) as first, TicketRig(tmp_path / "2", house, 2) as second:
        number = await first.printed(WORTH)
        await first.until_linked()
        await second.until_linked()
        second.fates = [fate]
        taken = await second.ticket(number)
        assert taken == (fate == "twice")
        await second.until_linked()
        assert house.pay(number, WORTH, desk_key()) == ("redeemed" if taken else "paid")


async def test_a_ticket_given_back_by_the_validator_is_open_again(tmp_path: Path) -> None:
    """Granted and ordered to be stacked, but given back: it is worth its amount again."""
    house = ModelHouse(2)
    async with TicketRig(tmp_path / "1", house, 1) as first, TicketRig(tmp_path / "2", house, 2) as second:
        number = await first.printed(WORTH)
        await first.until_linked()
        await second.until_linked()
        assert await second.listener.ticket_in_escrow(number) is Verdict.STACK
        assert house.pay(number, WORTH, desk_key()) == "held"
        await second.listener.bill_returned("it left the escrow")
        await second.until_linked()
        assert house.pay(number, WORTH, desk_key()) == "paid"


async def test_the_venues_events_name_no_ticket_that_is_still_worth_money(tmp_path: Path) -> None:
    """Whoever may read the venue's events could print one: only the last four digits are there."""
    house = ModelHouse(2)
    async with TicketRig(tmp_path / "1", house, 1) as first, TicketRig(tmp_path / "2", house, 2) as second:
        number = await first.printed(WORTH)
        await first.until_linked()
        await second.until_linked()
        assert await second.listener.ticket_in_escrow(number) is Verdict.STACK
        await second.listener.bill_returned("it left the escrow")
        await second.until_linked()
        said = [row["body"]["text"] for each in house.venue.cabinets.values() for row in each.events.values()]
        assert f"Ticket …{number[-4:]} given back: it left the escrow" in said
        assert number not in str([each.events for each in house.venue.cabinets.values()])


@pytest.mark.parametrize(("way", "state"), [(Resolution.PAID, "redeemed"), (Resolution.RETURNED, "paid")])
async def test_an_open_item_decides_about_a_ticket_of_another_cabinet(
    tmp_path: Path, way: Resolution, state: str
) -> None:
    """Where nobody knows where a ticket is, it is held at the venue too, until a technician has decided."""
    house = ModelHouse(2)
    async with TicketRig(tmp_path / "1", house, 1) as first, TicketRig(tmp_path / "2", house, 2) as second:
        number = await first.printed(WORTH)
        await first.until_linked()
        await second.until_linked()
        assert await second.listener.ticket_in_escrow(number) is Verdict.STACK
        await second.listener.bill_unknown("its line was lost")
        await asyncio.sleep(5.0)
        assert house.pay(number, WORTH, desk_key()) == "held"
        (item,) = await second.journal.do(open_items)
        cents = WORTH if way is Resolution.PAID else 0
        await second.journal.do(lambda tx: resolve_item(tx, item.id, way, "technician", amount_cents=cents))
        await second.until_linked()
        assert house.pay(number, WORTH, desk_key()) == state


async def test_without_the_venue_only_what_it_was_never_handed_is_taken(tmp_path: Path) -> None:
    """Out of reach: a ticket printed meanwhile is taken up to the limit, one that may be paid comes back."""
    house = ModelHouse(2)
    async with TicketRig(tmp_path / "1", house, 1, offline_cents=3000) as cabinet:
        handed_over = await cabinet.printed(1000)
        await cabinet.until_linked()
        cabinet.away = True
        await cabinet.until_true(lambda: not cabinet.linked)
        assert not await cabinet.ticket(handed_over)
        assert cabinet.refusals() == ["venue_alone"]
        first, second, third = [await cabinet.printed(cents) for cents in (2000, 1500, 1000)]
        assert await cabinet.ticket(first)
        assert not await cabinet.ticket(second)
        assert await cabinet.ticket(third)
        assert cabinet.credit == 3000
        await cabinet.until_linked()
        assert [
            house.pay(number, cents, desk_key()) for number, cents in ((first, 2000), (second, 1500), (third, 1000))
        ] == [
            "redeemed",
            "paid",
            "redeemed",
        ]
        assert house.trouble() == []


async def test_after_a_restart_nothing_is_taken_before_the_venue_has_confirmed_the_books(tmp_path: Path) -> None:
    """The books might be an older copy: without the venue since the start every ticket comes back."""
    house = ModelHouse(1)
    cabinet = TicketRig(tmp_path / "1", house, 1)
    async with cabinet:
        await cabinet.until_linked()
        cabinet.away = True
        await cabinet.until_true(lambda: not cabinet.linked)
        number = await cabinet.printed(WORTH)
        await cabinet.restart(until="idle")
        assert not await cabinet.ticket(number)
        assert cabinet.refusals() == ["venue_alone"]
        await cabinet.until_linked()
        assert await cabinet.ticket(number)


@pytest.mark.parametrize("call", ["ledger", "events", "tickets"])
async def test_an_old_card_takes_no_ticket_alone_that_was_handed_over_since(tmp_path: Path, call: str) -> None:
    """Accepted by a technician, and cut off before it has handed over what it believes nobody else has."""
    house = ModelHouse(1)
    async with TicketRig(tmp_path / "1", house, 1, offline_cents=20_000) as cabinet:
        await cabinet.until_linked()
        cabinet.away = True
        await cabinet.until_true(lambda: not cabinet.linked)
        number = await cabinet.printed(WORTH)
        await cabinet.keep_card(tmp_path / "card")
        await cabinet.until_linked()
        assert house.pay(number, WORTH, desk_key()) == "paid"
        await cabinet.note(500)
        await asyncio.sleep(5.0)
        cabinet.cut_from = call
        await cabinet.put_back(tmp_path / "card")
        await cabinet.until_true(lambda: cabinet.away)
        await asyncio.sleep(10.0)
        assert not await cabinet.ticket(number)
        assert (cabinet.refusals(), cabinet.credit) == (["venue_alone"], 0)
        await cabinet.until_linked()
        assert not await cabinet.ticket(number)
        assert cabinet.refusals() == ["ticket_redeemed"]


async def test_an_old_card_takes_none_of_its_own_tickets_that_may_have_come_back_since(tmp_path: Path) -> None:
    """The cabinet's own list validates, the venue only knows that the books are older: a photocopy credits nothing."""
    cabinet = TicketRig(tmp_path / "1", ModelHouse(1), 1, validated_by="cabinet")
    cabinet.validated = False
    async with cabinet:
        await cabinet.until_true(lambda: cabinet.keeper is not None and cabinet.keeper.link.state.confirmed)
        number = await cabinet.printed(WORTH)
        await cabinet.keep_card(tmp_path / "card")
        await asyncio.sleep(30.0)
        assert await cabinet.ticket(number)
        await asyncio.sleep(30.0)
        await cabinet.put_back(tmp_path / "card")
        await cabinet.until_true(lambda: cabinet.contradicted)
        await cabinet.until_true(lambda: cabinet.shown in ("attract", "lobby", "idle"))
        assert not await cabinet.ticket(number)
        assert (cabinet.refusals(), cabinet.credit) == (["ticket_held"], 0)
        assert await cabinet.journal.do(lost_tickets.item) is not None


@pytest.mark.parametrize("prints", [True, False])
async def test_without_the_venue_tickets_are_printed_where_the_house_wants_it(tmp_path: Path, *, prints: bool) -> None:
    """`offline_prints` decides whether a cash-out is a ticket while the venue is away; else the attendant pays."""
    house = ModelHouse(1)
    cabinet = TicketRig(tmp_path / "1", house, 1, offline_prints=prints)
    cabinet.away = True
    async with cabinet:
        assert await cabinet.note(500)
        await cabinet.press("collect", 8.0)
        assert (len(cabinet.paper.tray), cabinet.shown) == ((1, "idle") if prints else (0, "handpay"))


async def test_a_ticket_of_an_unknown_number_and_an_expired_one_come_back(tmp_path: Path) -> None:
    """The venue's answer is what the player reads."""
    house = ModelHouse(1)
    async with TicketRig(tmp_path / "1", house, 1, expire_days=1) as cabinet:
        number = await cabinet.printed(WORTH)
        await cabinet.until_linked()
        assert not await cabinet.ticket("001234567890123456")
        assert cabinet.refusals() == ["ticket_unknown"]
        house.venue.ticket_books.now_ms = 2 * 86_400_000
        assert not await cabinet.ticket(number)
        assert cabinet.refusals() == ["ticket_expired"]


async def test_a_cabinets_own_list_refuses_what_a_venue_was_handed(tmp_path: Path) -> None:
    """Set back to `validated_by = "cabinet"`, a ticket that the venue may have paid comes back."""
    house = ModelHouse(1)
    async with TicketRig(tmp_path / "1", house, 1) as cabinet:
        number = await cabinet.printed(WORTH)
        await cabinet.until_linked()
        cabinet.machine.tickets.validator = None
        assert not await cabinet.ticket(number)
        assert cabinet.refusals() == ["ticket_venue"]


@pytest.mark.parametrize("way", [Resolution.PAID, Resolution.RETURNED, None])
async def test_what_the_cabinets_own_list_has_taken_is_not_open_at_the_venue(
    tmp_path: Path, way: Resolution | None
) -> None:
    """Printed for the venue, which was away, and put in while the list was the cabinet's own; `way` ends a doubt."""
    house = ModelHouse(1)
    async with TicketRig(tmp_path / "1", house, 1) as cabinet:
        await cabinet.until_linked()
        cabinet.away = True
        await cabinet.until_true(lambda: not cabinet.linked)
        number = await cabinet.printed(WORTH)
        validator, cabinet.machine.tickets.validator = cabinet.machine.tickets.validator, None
        if way is None:
            assert await cabinet.ticket(number)
        else:
            assert await cabinet.listener.ticket_in_escrow(number) is Verdict.STACK
            await cabinet.listener.bill_unknown("its line was lost")
        cabinet.machine.tickets.validator = validator
        cabinet.away = False
        await cabinet.until_true(lambda: cabinet.linked)
        await asyncio.sleep(5.0)
        assert house.pay(number, WORTH, desk_key()) == "unknown"
        if way is not None:
            (item,) = await cabinet.journal.do(open_items)
            cents = WORTH if way is Resolution.PAID else 0
            await cabinet.journal.do(lambda tx: resolve_item(tx, item.id, way, "technician", amount_cents=cents))
            await asyncio.sleep(5.0)
        assert house.pay(number, WORTH, desk_key()) == ("paid" if way is Resolution.RETURNED else "unknown")


async def test_a_cabinet_set_back_to_its_own_list_gives_a_restored_venue_the_tickets_that_it_took(
    tmp_path: Path,
) -> None:
    """It reports as one whose books are whole: a copy of what it took is not paid, and what it prints is its own."""
    house = ModelHouse(2)
    async with TicketRig(tmp_path / "1", house, 1) as first, TicketRig(tmp_path / "2", house, 2) as second:
        number = await first.printed(WORTH)
        await first.until_linked()
        await second.until_linked()
        backup = house.back_up()
        assert await second.ticket(number)
        await second.until_linked()
        second.validated = False
        for rig in (first, second):
            rig.away = True
            await rig.restart()
        house.restore(backup)
        first.away = second.away = False
        await second.until_true(house.open, 120.0)
        own = await second.printed(WORTH)
        assert house.pay(number, WORTH, desk_key()) == "redeemed"
        assert house.pay(own, WORTH, desk_key()) == "unknown"
        assert await second.ticket(own)


async def test_tickets_that_were_taken_before_the_books_were_archived_are_given_back(tmp_path: Path) -> None:
    """A venue restored from an older backup hears of them, although the archive has most of the past."""
    house = ModelHouse(2)
    async with TicketRig(tmp_path / "1", house, 1) as first, TicketRig(tmp_path / "2", house, 2) as second:
        numbers = [await first.printed(500) for _ in range(3)]
        await first.until_linked()
        await second.until_linked()
        backup = house.back_up()
        for number in numbers:
            assert await second.ticket(number)
        await second.until_linked()
        for rig in (first, second):
            await rig.kill()
        with closing(second.store(second.path, lambda: second.wall_ms, simulated=True)) as store:
            store.transact(lambda tx: decide(tx, tmp_path / "archive", "a test"))
        few = Retention(rounds=1, events=1, of_each=1, stretch=1)
        assert finish(second.path, lambda: second.wall_ms, retained=few)
        for rig in (first, second):
            rig.away = True
            await rig.start(until=None)
        house.restore(backup)
        first.away = second.away = False
        await second.until_true(house.open, 120.0)
        assert [house.pay(number, 500, desk_key()) for number in numbers] == ["redeemed"] * 3


async def test_tickets_that_the_venue_was_not_handed_outlast_an_archive(tmp_path: Path) -> None:
    """However many were printed and taken here since: the venue gets each with who printed it."""
    house = ModelHouse(1)
    async with TicketRig(tmp_path / "1", house, 1) as cabinet:
        await cabinet.until_linked()
        cabinet.away = True
        for _ in range(3):
            assert await cabinet.ticket(await cabinet.printed(500))
            await cabinet.press("collect")
            await cabinet.until_true(lambda: cabinet.credit == 0)
            await cabinet.until_true(lambda: cabinet.shown in ("attract", "lobby", "idle"))
        waiting = "SELECT ticket, v.state, t.state FROM venue_tickets v JOIN tickets t ON t.id = ticket ORDER BY ticket"
        before = await cabinet.rows(waiting)
        assert len(before) == 6
        await cabinet.kill()
        with closing(cabinet.store(cabinet.path, lambda: cabinet.wall_ms, simulated=True)) as store:
            store.transact(lambda tx: decide(tx, tmp_path / "archive", "a test"))
        few = Retention(rounds=1, events=1, of_each=1, stretch=1)
        assert finish(cabinet.path, lambda: cabinet.wall_ms, retained=few)
        await cabinet.start(until=None)
        assert await cabinet.rows(waiting) == before
