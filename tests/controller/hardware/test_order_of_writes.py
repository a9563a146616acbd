"""What a driver is answered is durable: each call of the money devices returns when all that it writes is committed.

The drivers wait for that before they write to their devices (tests/drivers/test_order_of_writes.py). The same of what
goes to the ticket printer.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from controller.configuration.tickets import Tickets
from controller.features.tickets.slip_journal import SlipKind, newest
from controller.hardware.money_listener import MoneyListener
from controller.journal import payouts, periods
from drivers.capabilities import CoinReport, CoinWay, PrintEnd, PulseReport, Slip, StockCount
from tests.drivers.listeners import LISTENERS
from tests.features.tickets.rig import clerk_of
from tests.rigs.machine import SERIAL, PlainPrinter, Rig
from tests.rigs.slow_books import COMMIT_S, Rows, SlowWriter, WatchedStore, changed, has, watched

AFTER_S = 12 * COMMIT_S
FOUND = StockCount(serial=SERIAL, lifetime=5, pieces={100: 5})
MOVED = StockCount(serial=SERIAL, lifetime=6, pieces={100: 4})
TICKETS = Tickets(pays="all", takes=True, least_cents=100)

Act = Callable[["Watched"], Awaitable[object]]


class Watched(Rig):
    """A machine whose books are watched."""

    store: type[WatchedStore]
    writer: SlowWriter

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, printer=PrinterOf(self))
        self.config = replace(self.config, tickets=TICKETS)
        self.store, self.writer = watched(), SlowWriter()
        self.sent: list[tuple[Slip, Rows]] = []
        """What went to the printer, and what was durable then."""


class PrinterOf(PlainPrinter):
    """The printer of a machine, which keeps what was durable as a slip came."""

    def __init__(self, rig: Watched) -> None:
        super().__init__()
        self._rig = rig

    async def print(self, slip: Slip) -> PrintEnd:
        """Keep what is durable, and print."""
        self._rig.sent.append((slip, self._rig.store.durable))
        return await super().print(slip)


async def _nothing(_rig: Watched) -> None:
    """Nothing is needed."""


async def _idle(rig: Watched) -> None:
    await rig.game(1000)


async def _note(rig: Watched) -> None:
    await _idle(rig)
    await rig.listener.bill_in_escrow(1000)


async def _note_credited(rig: Watched) -> None:
    await _note(rig)
    await rig.listener.bill_stacked(1000)


async def _printed(rig: Watched) -> None:
    await rig.game(1000)
    await rig.press("collect", 8.0)


async def _in_escrow(rig: Watched) -> object:
    return await rig.listener.ticket_in_escrow(rig.sent[-1][0].barcode)


async def _ticket(rig: Watched) -> None:
    await _printed(rig)
    await _in_escrow(rig)


async def _payout(rig: Watched) -> None:
    await rig.game(1000)
    await rig.journal.do(lambda tx: payouts.begin_payout(tx, "hopper", 500, 100))


async def _dispensed(rig: Watched) -> None:
    await _payout(rig)
    await rig.listener.dispensing(SERIAL, 1, 0)


async def _boxed(rig: Watched) -> None:
    await _dispensed(rig)
    await rig.listener.coins_boxed(SERIAL, 0, 1)


async def _burst(rig: Watched) -> None:
    await _idle(rig)
    await rig.listener.pulses_begin("pulse_coin", "1", 200)


async def _coins(rig: Watched) -> None:
    await rig.listener.coins(CoinReport(serial=4711, counter=2))


async def _at_rest(rig: Watched) -> None:
    await _coins(rig)
    await rig.listener.coins_at_rest(4711)


class Case(NamedTuple):
    """A call that changes the books, or only asks."""

    act: Act
    before: Act = _nothing
    changes: bool = True


_COINS = CoinReport(serial=4711, counter=2, values_cents=(100, 200), ways=(CoinWay.CASH_BOX, CoinWay.CASH_BOX))
_PULSES = PulseReport(
    device="pulse_coin", note=False, channel="1", pulses=2, value_cents=200, most_cents=200, unasked=False
)


def _call(name: str, *arguments: object, **named: object) -> Act:
    return lambda rig: getattr(rig.listener, name)(*arguments, **named)


CASES: dict[str, Case] = {
    "coin_memory": Case(_call("coin_memory", 4711), changes=False),
    "coins_wanted": Case(_call("coins_wanted", 4711), _at_rest),
    "coins_at_rest": Case(_call("coins_at_rest", 4711), _coins),
    "pulse_memory": Case(_call("pulse_memory", "pulse_coin"), changes=False),
    "pulses_rest": Case(_call("pulses_rest", "pulse_coin", rest=True, dearest_cents=200)),
    "pulses_missed": Case(_call("pulses_missed", "pulse_coin", 200)),
    "coin_way": Case(_call("coin_way"), changes=False),
    "coin_diagnostic": Case(_call("coin_diagnostic", 4711), changes=False),
    "bill_dialogue": Case(_call("bill_dialogue"), _note, changes=False),
    "bills_heard": Case(_call("bills_heard"), _note, changes=False),
    "device_found": Case(_call("device_found", "hopper", "Another hopper")),
    "device_fault": Case(_call("device_fault", "hopper", "hopper_jam", present=True)),
    "coins_fall": Case(_call("coins_fall", CoinWay.HOPPER)),
    "set_coin_diagnostic": Case(_call("set_coin_diagnostic", 4711, "T.4")),
    "coins": Case(_call("coins", _COINS), _idle),
    "pulses_begin": Case(_burst),
    "pulses_cut": Case(_call("pulses_cut", "pulse_coin", {"1": 200}), _burst),
    "pulses": Case(_call("pulses", _PULSES), _burst),
    "bill_in_escrow": Case(_call("bill_in_escrow", 1000)),
    "bill_dialogue_at": Case(_call("bill_dialogue_at", "stacking"), _note),
    "bills_heard_at": Case(_call("bills_heard_at", "mdb1 2"), _nothing),
    "bill_stacked": Case(_call("bill_stacked", 1000), _note),
    "bill_acknowledged": Case(_call("bill_acknowledged"), _note_credited),
    "bill_returned": Case(_call("bill_returned", "a test"), _note),
    "bill_never_ordered": Case(_call("bill_never_ordered"), _note),
    "bill_unknown": Case(_call("bill_unknown", "a test"), _note),
    "ticket_in_escrow": Case(_in_escrow, _printed),
    "ticket_stacked": Case(_call("ticket_stacked"), _ticket),
    "dispensing": Case(_call("dispensing", SERIAL, 1, 0), _payout),
    "coin_paid": Case(_call("coin_paid", 1), _dispensed),
    "coins_boxed": Case(_call("coins_boxed", SERIAL, 0, 1), _dispensed),
    "boxes_acknowledged": Case(_call("boxes_acknowledged", SERIAL, 0), _boxed),
    "hopper_counted": Case(_call("hopper_counted", SERIAL, 7)),
    "stock_counted": Case(_call("stock_counted", FOUND)),
    "stock_moving": Case(_call("stock_moving", SERIAL, {100: 1}), lambda rig: rig.listener.stock_counted(FOUND)),
    "stock_moved": Case(_call("stock_moved", MOVED, ""), lambda rig: rig.listener.stock_counted(FOUND)),
    "coins_put_in": Case(_call("coins_put_in", SERIAL)),
}
"""Every call of `MoneyListener` that a driver may make."""
OF_HELD_PAYOUTS = frozenset({"pending", "settled"})
"""The calls about a payout that is held, which have books of their own (controller.hardware.payout_settling)."""


@pytest.mark.parametrize("name", CASES)
async def test_a_call_returns_when_all_that_it_writes_is_durable(tmp_path: Path, name: str) -> None:
    """Nothing is written after it, and what it is for has been."""
    case = CASES[name]
    async with Watched(tmp_path) as rig:
        await case.before(rig)
        await asyncio.sleep(4.0)
        rig.writer.seconds = COMMIT_S
        before = rig.store.durable
        await case.act(rig)
        then = rig.store.durable
        await asyncio.sleep(AFTER_S)
        after = rig.store.durable
        rig.writer.hurry()
    assert bool(changed(before, then)) is case.changes
    assert changed(then, after) == []


def test_each_call_that_a_driver_may_make_has_a_case_here() -> None:
    """By the drivers' own protocols."""
    calls = {name for each in LISTENERS for name, call in vars(each).items() if inspect.iscoroutinefunction(call)}
    assert calls == set(CASES) | OF_HELD_PAYOUTS
    assert all(inspect.iscoroutinefunction(getattr(MoneyListener, name)) for name in CASES)


async def _ticket_slip(rig: Watched) -> None:
    await _printed(rig)


async def _hand_pay_slip(rig: Watched) -> None:
    await _paid_by_hand(rig)
    await _copied(rig, SlipKind.HAND_PAY)


async def _collection_slip(rig: Watched) -> None:
    await rig.journal.do(lambda tx: periods.close_period(tx, "technician"))
    await _copied(rig, SlipKind.COLLECTION)


async def _meters_slip(rig: Watched) -> None:
    await clerk_of(rig).print_meters("technician")


async def _paid_by_hand(rig: Watched) -> None:
    assert rig.printer is not None
    rig.printer.ready = False
    await rig.game(1000)
    await rig.press("collect")
    await rig.until("handpay")
    await rig.turn_key("attendant")
    await rig.until_true(lambda: rig.credit == 0)
    rig.printer.ready = True


async def _copied(rig: Watched, kind: SlipKind) -> None:
    (slip,) = await rig.journal.do(lambda tx: newest(tx, kind, 1))
    for _ in range(2):
        await clerk_of(rig).print(kind, slip.number)


SLIPS: dict[str, Act] = {
    "ticket": _ticket_slip,
    SlipKind.HAND_PAY: _hand_pay_slip,
    SlipKind.COLLECTION: _collection_slip,
    SlipKind.METERS: _meters_slip,
}


@pytest.mark.parametrize("kind", SLIPS)
async def test_a_slip_goes_to_the_printer_once_that_is_durable(tmp_path: Path, kind: str) -> None:
    """A ticket with its number, an attendant's slip as sent: each is in the books as the paper begins."""
    async with Watched(tmp_path) as rig:
        rig.writer.seconds = COMMIT_S
        before = len(rig.store.durable["events"])
        await SLIPS[kind](rig)
        await rig.until_true(lambda: bool(rig.sent))
        rig.writer.hurry()
        for number, (slip, durable) in enumerate(rig.sent, start=1):
            if kind == "ticket":
                assert has(durable, "tickets", number=slip.barcode, state="printing")
            else:
                sent = [row for row in durable["events"][before:] if row["code"] == "slip"]
                assert len(sent) == number, "it is recorded before it is sent"
        assert rig.sent


def test_each_kind_of_slip_is_here() -> None:
    """By the books' own list, and the ticket."""
    assert set(SLIPS) == {"ticket", *SlipKind}
