"""Cash-out by ticket, and tickets that come back, on the whole machine."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from controller.configuration.cabinet_toml import Config
from controller.configuration.tickets import Tickets
from controller.features.tickets.desk import REFUSALS as REFUSED_WORDS
from controller.features.tickets.desk import refusal_words
from controller.journal import resolutions, tickets
from controller.journal.event_words import NAMES
from controller.journal.open_items import Resolution
from controller.journal.transaction import Transaction
from controller.system.clock_watch import ClockWatch
from drivers.capabilities import PrintEnd
from drivers.clock import LoopClock
from tests.rigs.machine import PlainHopper, PlainPrinter, Rig
from tests.rigs.virtual_cabinet import only

DAY_MS = 86_400_000


def rig(folder: Path, *, hopper: bool = False, **rules: object) -> Rig:
    """Return a machine with a printer, whose tickets pay all unless the test says otherwise."""
    plain = {"pays": "all", "takes": True, "least_cents": 100}
    wanted = msgspec.convert(plain | rules, Tickets)
    config = msgspec.structs.replace(only(folder, "neptune"), tickets=wanted)
    return Rig(folder, config=config, hopper=PlainHopper() if hopper else None, printer=PlainPrinter())


def tray(rig: Rig) -> list[str]:
    """Return the numbers of the tickets that lie in the tray."""
    assert rig.printer is not None
    return [slip.barcode for slip in rig.printer.tray]


async def collected(rig: Rig) -> None:
    """Press COLLECT and wait until the cash-out is over."""
    await rig.press("collect")
    await rig.until_true(lambda: rig.shown == "idle")


async def meters(rig: Rig) -> tuple[int, int]:
    """Return the meters of tickets out and in."""
    found = dict(await rig.rows("SELECT name, value FROM meters"))
    return int(found.get("tickets_out", 0)), int(found.get("tickets_in", 0))  # type: ignore[call-overload]


async def test_a_ticket_pays_the_whole_credit_and_comes_back_once(tmp_path: Path) -> None:
    """What was printed is credited when it comes back, once, and the books are equal."""
    async with rig(tmp_path, hopper=True) as cabinet:
        await cabinet.game(2500)
        await collected(cabinet)
        assert (cabinet.credit, cabinet.shown, cabinet.hopper.tray if cabinet.hopper else 0) == (0, "idle", 0)
        (number,) = tray(cabinet)
        assert len(number) == tickets.DIGITS
        assert cabinet.printer is not None
        assert "25.00" in cabinet.printer.tray[0].amount
        assert await cabinet.ticket(number)
        assert (cabinet.credit, await meters(cabinet)) == (2500, (2500, 2500))
        assert not await cabinet.ticket(number)
        assert cabinet.credit == 2500
        assert "it was redeemed before" in (await cabinet.events("ticket"))[-1]
        await cabinet.journal.do(lambda tx: tx.prove())


async def test_a_ticket_pays_what_the_hopper_leaves(tmp_path: Path) -> None:
    """Coins first, then a ticket of the rest, with both on the screen."""
    async with rig(tmp_path, hopper=True, pays="rest") as cabinet:
        assert cabinet.hopper is not None
        cabinet.hopper.most_coins = 3
        await cabinet.game(1000)
        await cabinet.press("collect")
        await cabinet.until_true(lambda: bool(tray(cabinet)))
        shown = cabinet.screen.view.balance.payout
        assert shown is not None
        assert (shown.by, shown.amount_cents, shown.coins_cents) == ("printer", 700, 300)
        await cabinet.until("idle")
        assert (cabinet.hopper.tray, cabinet.credit, await meters(cabinet)) == (3, 0, (700, 0))
        paid = cabinet.screen.view.balance.paid
        assert (paid.coins_cents, paid.ticket_cents, paid.hand_cents) == (300, 700, 0)


@pytest.mark.parametrize("end", [PrintEnd.UNKNOWN, PrintEnd.NOT_PRINTED])
async def test_what_is_not_reported_as_printed_is_void_and_paid_by_hand(tmp_path: Path, end: PrintEnd) -> None:
    """The paper, if there is any, is worth nothing, and an attendant pays the same amount."""
    async with rig(tmp_path) as cabinet:
        assert cabinet.printer is not None
        cabinet.printer.ends = [end]
        await cabinet.game(2000)
        await cabinet.press("collect")
        await cabinet.until("handpay")
        assert (cabinet.credit, await meters(cabinet)) == (2000, (0, 0))
        await cabinet.turn_key("attendant")
        await cabinet.until("idle")
        assert (cabinet.credit, await cabinet.meter("hand_pay")) == (0, 2000)
        for number in tray(cabinet):
            assert not await cabinet.ticket(number)
        assert cabinet.credit == 0


@pytest.mark.parametrize("after_s", [0.5, 1.5, 2.5])
async def test_a_cut_while_it_is_printed(tmp_path: Path, after_s: float) -> None:
    """Either the ticket is printed and the credit gone, or it is void and paid by hand."""
    async with rig(tmp_path) as cabinet:
        await cabinet.game(2000)
        await cabinet.press("collect", seconds=after_s)
        await cabinet.restart()
        await cabinet.until_true(lambda: cabinet.shown in ("idle", "handpay", "attract", "lobby"))
        if cabinet.shown == "handpay":
            await cabinet.turn_key("attendant")
            await cabinet.until_true(lambda: cabinet.credit == 0)
        by_hand = dict(await cabinet.rows("SELECT name, value FROM meters")).get("hand_pay", 0)
        worth = 0
        for number in tray(cabinet):
            worth += 2000 if await cabinet.ticket(number) else 0
        assert by_hand + worth == 2000
        assert (by_hand == 2000) is (after_s < 2)


async def test_no_printer_no_ticket(tmp_path: Path) -> None:
    """A printer that is not ready, and amounts outside the limits, are paid as without one."""
    async with rig(tmp_path, hopper=True) as cabinet:
        assert cabinet.printer is not None
        assert cabinet.hopper is not None
        cabinet.printer.ready = False
        await cabinet.game(500)
        await collected(cabinet)
        assert (cabinet.hopper.tray, cabinet.credit, tray(cabinet)) == (5, 0, [])


async def test_an_amount_beyond_the_limit_is_paid_by_hand(tmp_path: Path) -> None:
    """Where a ticket would be worth more than it may."""
    async with rig(tmp_path, most_cents=1000) as cabinet:
        await cabinet.game(2000)
        await cabinet.press("collect")
        await cabinet.until("handpay")
        assert tray(cabinet) == []


async def test_a_ticket_expires(tmp_path: Path) -> None:
    """After its days it is refused, with the reason in the events; the player has it again."""
    async with rig(tmp_path, expire_days=1) as cabinet:
        await cabinet.game(500)
        await collected(cabinet)
        (number,) = tray(cabinet)
        await cabinet.kill()
        cabinet.wall_ms = DAY_MS
        await cabinet.start(until=None)
        await cabinet.until_true(lambda: cabinet.shown in ("idle", "attract", "lobby"))
        assert not await cabinet.ticket(number)
        assert "it has expired" in (await cabinet.events("ticket"))[-1]


async def test_a_clock_that_is_set_forward_lets_no_ticket_expire(tmp_path: Path) -> None:
    """A ticket of before a jump is good for all its days after it; one whose days have passed all the same is not."""
    async with rig(tmp_path, expire_days=1) as cabinet:
        await cabinet.game(1000)
        await collected(cabinet)
        await cabinet.game(500)
        await collected(cabinet)
        first, second = tray(cabinet)
        jumps = list[Callable[[Transaction], object]]()
        watch = ClockWatch(lambda: cabinet.wall_ms, LoopClock(), jumps.append)
        watch.settle()
        cabinet.wall_ms += 400 * DAY_MS
        watch.look()
        (jump,) = jumps
        await cabinet.journal.do(jump)
        assert await cabinet.ticket(first)
        assert cabinet.credit == 1000
        await cabinet.kill()
        cabinet.wall_ms += DAY_MS
        await cabinet.start(until=None)
        await cabinet.until_true(lambda: cabinet.shown in ("idle", "attract", "lobby"))
        assert not await cabinet.ticket(second)
        assert said(cabinet) == [REFUSALS["expired"]]


async def test_a_ticket_is_worth_nothing_in_another_currency(tmp_path: Path) -> None:
    """500 forints are not 500 euro: a ticket of before the change is refused until its currency is back."""
    async with rig(tmp_path) as cabinet:
        in_euro = cabinet.config

        async def starts_in(config: Config) -> None:
            await cabinet.kill()
            cabinet.config = config
            await cabinet.start(until=None)
            await cabinet.until_true(lambda: cabinet.shown in ("idle", "attract", "lobby"))

        await cabinet.game(5000)
        await collected(cabinet)
        (number,) = tray(cabinet)
        site = in_euro.cabinet
        forints = msgspec.structs.replace(site.money, currency="HUF", symbol="Ft")
        await starts_in(msgspec.structs.replace(in_euro, cabinet=msgspec.structs.replace(site, money=forints)))
        assert not await cabinet.ticket(number)
        assert said(cabinet) == ["This ticket is of another currency: please call the attendant"]
        assert cabinet.credit == 0
        await starts_in(in_euro)
        assert await cabinet.ticket(number)
        assert cabinet.credit == 5000


async def test_a_ticket_is_held_while_nobody_knows_where_it_is(tmp_path: Path) -> None:
    """An open item decides: what its owner has again can be put in again, what was paid by hand cannot."""
    async with rig(tmp_path) as cabinet:
        await cabinet.game(500)
        await collected(cabinet)
        (number,) = tray(cabinet)
        await cabinet.listener.ticket_in_escrow(number)
        await cabinet.listener.bill_unknown("the line was lost")
        assert not await cabinet.ticket(number)
        assert cabinet.credit == 0
        ((item, cents, kind),) = await cabinet.rows("SELECT id, amount_cents, kind FROM open_items")
        assert (cents, kind) == (500, "ticket_unknown")
        await cabinet.journal.do(lambda tx: resolutions.resolve_item(tx, item, Resolution.RETURNED, "technician"))
        assert await cabinet.ticket(number)
        assert cabinet.credit == 500


async def test_tickets_are_taken_where_money_is(tmp_path: Path) -> None:
    """Not while a door is open, not beyond the credit's limit, not where they are switched off."""
    async with rig(tmp_path) as cabinet:
        await cabinet.game(5000)
        await collected(cabinet)
        (number,) = tray(cabinet)
        await cabinet.door(is_open=True)
        assert not await cabinet.ticket(number)
        await cabinet.door(is_open=False)
        while cabinet.credit + 5000 <= cabinet.config.limits.credit_cents:
            assert await cabinet.note(2000)
        assert not await cabinet.ticket(number)
        assert "would be more than this machine takes" in (await cabinet.events("ticket"))[-1]


async def test_a_note_for_a_ticket_and_a_ticket_for_a_note_are_open_items(tmp_path: Path) -> None:
    """What the device stacked is not what it was ordered to stack: neither is credited, not even at the same value."""
    async with rig(tmp_path) as cabinet:
        await cabinet.game(2000)
        await collected(cabinet)
        (number,) = tray(cabinet)
        await cabinet.listener.ticket_in_escrow(number)
        await cabinet.listener.bill_stacked(2000)
        await cabinet.listener.bill_acknowledged()
        await cabinet.listener.bill_in_escrow(500)
        await cabinet.listener.ticket_stacked()
        await cabinet.listener.ticket_stacked()
        await cabinet.listener.bill_acknowledged()
        await cabinet.listener.ticket_stacked()
        items = await cabinet.rows("SELECT kind, amount_cents FROM open_items ORDER BY id")
        assert items == [("ticket_unknown", 2000), ("note_unknown", 500), ("note_unexpected", None)]
        assert cabinet.credit == 0
        assert not await cabinet.ticket(number)
        await cabinet.journal.do(lambda tx: tx.prove())


REFUSALS = {
    "foreign": "This machine does not know this ticket",
    "redeemed": "This ticket has been redeemed",
    "expired": "This ticket has expired",
    "void": "This ticket is void: please call the attendant",
    "held": "This ticket is being looked into: please call the attendant",
    "beyond": "With this ticket the credit would be more than this machine takes",
    "not_now": "No tickets are taken now",
}


def said(rig: Rig) -> list[str]:
    """Return what the screen says about a refused ticket."""
    return [notice.text for notice in rig.screen.view.notices if notice.code.startswith("ticket_")]


@pytest.mark.parametrize("why", REFUSALS)
async def test_the_player_reads_why_a_ticket_comes_back(tmp_path: Path, why: str) -> None:
    """Each reason in plain words, on the screen for a while."""
    async with rig(tmp_path, expire_days=1, takes=why != "not_now") as cabinet:
        assert cabinet.printer is not None
        if why == "void":
            cabinet.printer.ends = [PrintEnd.UNKNOWN]
        await cabinet.game(5000)
        await cabinet.press("collect")
        if why == "void":
            await cabinet.until("handpay")
            await cabinet.turn_key("attendant")
        await cabinet.until_true(lambda: cabinet.shown == "idle")
        (number,) = tray(cabinet)
        if why == "foreign":
            number = "001234567890123456"
        elif why == "redeemed":
            assert await cabinet.ticket(number)
        elif why == "held":
            await cabinet.listener.ticket_in_escrow(number)
            await cabinet.listener.bill_unknown("the line was lost")
        elif why == "beyond":
            while cabinet.credit + 5000 <= cabinet.config.limits.credit_cents:
                assert await cabinet.note(2000)
        elif why == "expired":
            await cabinet.kill()
            cabinet.wall_ms = DAY_MS
            await cabinet.start(until=None)
            await cabinet.until_true(lambda: cabinet.shown in ("idle", "attract", "lobby"))
        assert said(cabinet) == []
        assert not await cabinet.ticket(number)
        assert said(cabinet) == [REFUSALS[why]]
        await asyncio.sleep(16.0)
        assert said(cabinet) == []


async def test_a_refusal_ends_with_the_next_ticket_and_the_next_play(tmp_path: Path) -> None:
    """What is put in then, or played, is no longer about the ticket that came back."""
    async with rig(tmp_path) as cabinet:
        await cabinet.game(500)
        await collected(cabinet)
        (number,) = tray(cabinet)
        assert not await cabinet.ticket("001234567890123456")
        assert said(cabinet) == [REFUSALS["foreign"]]
        assert await cabinet.ticket(number)
        assert said(cabinet) == []
        assert not await cabinet.ticket(number)
        assert said(cabinet) == [REFUSALS["redeemed"]]
        await cabinet.press("spin")
        await cabinet.until("round")
        assert said(cabinet) == []


def test_every_reason_has_words_for_the_player() -> None:
    """Each reason that an event of a refused ticket may have is said on the screen in words of its own."""
    reasons = {
        name.removeprefix("reason:")
        for name in NAMES
        if name.startswith(("reason:ticket_", "reason:host_", "reason:venue_"))
    }
    assert reasons - {"ticket_for_note"} == set(REFUSED_WORDS)
    assert refusal_words("unheard_of") == "This ticket is not taken"
