"""No device is told anything while the books are about to record what it has said: nothing is written meanwhile.

Each call of a driver to its user takes long here. Until it has returned the driver writes nothing at all, so that no
message can be an acknowledgement; only while somebody decides about what lies in escrow is that held there.
"""

import asyncio
import inspect
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, get_args

import pytest

from drivers.capabilities import PayoutEnd, Verdict
from drivers.cctalk.coin_acceptor import CoinAcceptor
from drivers.clock import LoopClock
from drivers.currency import EURO
from drivers.simulated.cctalk.coin_acceptor import SimulatedCoinAcceptor
from drivers.simulated.mdb.bill_validator import BillHabits
from drivers.simulated.memory_line import MemoryLine
from drivers.validator_protocols import ticket_readers, validator_protocols
from drivers.wiring import CoinAcceptor as Settings
from drivers.wiring import CoinProtocol, HopperProtocol
from tests.drivers.listeners import LISTENERS
from tests.drivers.mdb.till import Till
from tests.rigs.bill_rig import NOTE, TICKET, TICKET_CENTS, Books, DeviceRig
from tests.rigs.cash_desk import Desk, pay
from tests.rigs.cctalk_books import CoinBooks
from tests.rigs.slow_listener import CALL_S, Slowly, SpyPort
from tests.rigs.ssp_cash import CashRig
from tests.rigs.ssp_peer import HopperPeer
from tests.rigs.ssp_recycler import RecyclerRig
from tests.rigs.validator_rigs import LANGUAGES, MakeRig, mdb

DECIDES = frozenset({"bill_in_escrow", "ticket_in_escrow"})
"""The calls during which the device is kept waiting with what lies in escrow."""
READS = frozenset(
    {
        "bill_dialogue",
        "bills_heard",
        "coin_memory",
        "coin_way",
        "coin_diagnostic",
        "coins_put_in",
        "pending",
        "pulse_memory",
    }
)
"""The calls that only ask."""
REPORTS = frozenset({"device_fault", "device_found"})
"""The calls about the device itself, of which it is told nothing."""
RECORDS = frozenset(
    {
        *("coins", "coins_fall", "coins_wanted", "coins_at_rest", "set_coin_diagnostic"),
        *("pulses_cut", "pulses_begin", "pulses", "pulses_rest", "pulses_missed"),
        *("bill_dialogue_at", "bills_heard_at", "ticket_stacked", "bill_stacked", "bill_acknowledged"),
        *("bill_returned", "bill_never_ordered", "bill_unknown"),
        *("dispensing", "coin_paid", "coins_boxed", "boxes_acknowledged", "settled"),
        *("hopper_counted", "stock_counted", "stock_moving", "stock_moved"),
    }
)
"""The calls that record what a device has said, or what it is about to be told."""
COINS = {20: 50, 50: 10, 100: 10, 200: 10}
ACCEPTORS = frozenset({b"R,0B\n", b"V\n"})
"""What is written to a changer for its acceptor: the poll, and the bridge's version, by which it is watched."""
VALIDATORS = {**LANGUAGES, "mdb": mdb(BillHabits())}


def early(port: SpyPort) -> list[tuple[str, bytes]]:
    """What was written while a call that records something was under way."""
    return [(call, data) for call, data in port.early if call in RECORDS]


class Bills:
    """A bill validator whose books are slow."""

    def __init__(self, make: MakeRig) -> None:
        self.rig: DeviceRig[Any] = make(None)
        self.books = Slowly(Books())
        self.rig.books = self.books  # type: ignore[assignment]  # it is the books, slowly
        self.port = SpyPort(self.rig.line.port, self.books)
        self.rig.port = self.port  # type: ignore[assignment]  # the same port, watched

    async def note(self) -> None:
        """Put a note in, and let its way be over."""
        self.rig.device.insert(NOTE)
        await self.rig.settle()

    async def ticket(self) -> None:
        """The same with a ticket."""
        self.rig.device.insert_ticket(TICKET)
        await self.rig.settle()


@asynccontextmanager
async def validator(make: MakeRig) -> AsyncIterator[Bills]:
    """A validator that takes notes."""
    bills = Bills(make)
    await bills.rig.start()
    await bills.rig.settle(5)
    yield bills
    await bills.rig.end()


@pytest.mark.parametrize("make", VALIDATORS.values(), ids=VALIDATORS)
async def test_a_validator_is_told_nothing_while_a_note_is_being_recorded(make: MakeRig) -> None:
    """Stacked, given back, and cut off by the mains with the note inside."""
    async with validator(make) as bills:
        await bills.note()
        assert bills.books.credit_cents == NOTE
        bills.books.verdict = Verdict.RETURN
        await bills.note()
        bills.books.verdict = Verdict.STACK
        bills.rig.device.insert(NOTE)
        while "bill_in_escrow" not in bills.books.pending:  # noqa: ASYNC110 - by the clock
            await asyncio.sleep(0.01)
        bills.rig.device.power(on=False)
        await bills.rig.settle(3)
        bills.rig.device.power(on=True)
        await bills.rig.settle(40)
        assert early(bills.port) == []
        assert {"bill_in_escrow", "bill_stacked", "bill_acknowledged"} <= set(bills.books.made)


@pytest.mark.parametrize("make", VALIDATORS.values(), ids=VALIDATORS)
async def test_a_validator_is_told_to_stack_once_that_is_recorded(make: MakeRig) -> None:
    """However long the decision takes, the note lies in escrow meanwhile."""
    async with validator(make) as bills:
        bills.rig.device.insert(NOTE)
        while "bill_in_escrow" not in bills.books.pending:  # noqa: ASYNC110 - by the clock
            await asyncio.sleep(0.01)
        await asyncio.sleep(CALL_S * 0.9)
        assert (bills.rig.stacked, bills.books.escrow) == ([], None)
        await bills.rig.settle()
        assert bills.rig.stacked == [NOTE]


@pytest.mark.parametrize("name", [name for name in LANGUAGES if name.partition("-")[0] in {*ticket_readers(), "essp"}])
async def test_a_validator_is_told_nothing_while_a_ticket_is_being_recorded(name: str) -> None:
    """Reserved, redeemed, and one that is worth nothing."""
    async with validator(LANGUAGES[name]) as bills:
        bills.books.tickets[TICKET] = TICKET_CENTS
        await bills.ticket()
        await bills.ticket()
        assert bills.books.redeemed == [TICKET]
        assert early(bills.port) == []
        assert {"ticket_in_escrow", "ticket_stacked"} <= set(bills.books.made)


async def test_a_coin_acceptor_is_told_nothing_while_coins_are_being_recorded() -> None:
    """The driver reads the counter again once the coins before it are in the books."""
    device = SimulatedCoinAcceptor()
    line, books = MemoryLine(device), Slowly(CoinBooks())
    port = SpyPort(line.port, books)
    driver = CoinAcceptor(Settings(port="memory"), port, LoopClock(), books, currency=EURO)  # type: ignore[arg-type]
    driver.accept(enabled=True)
    device.power(on=True)
    running = asyncio.create_task(driver.run())
    await asyncio.sleep(5.0)
    for _ in range(12):
        device.insert(200)
        await asyncio.sleep(0.07)
    await asyncio.sleep(3.0)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert books.credited == [200] * 12
    assert (early(port), books.made.count("coins") > 1) == ([], True)


async def test_a_changer_is_told_nothing_while_coins_in_or_out_are_being_recorded() -> None:
    """Its acceptor and its tubes share a line and the books; the acceptor's poll says nothing of the tubes."""
    till = Till()
    books = till.books = Slowly(till.books)  # type: ignore[assignment]  # the books, slowly
    port = till.port = SpyPort(till.line.port, books)  # type: ignore[assignment, arg-type]
    till.run()
    till.peer.power(on=True)
    await till.start()
    assert till.changer.insert(50)
    await asyncio.sleep(3.0)
    outcome = await till.pay(7)
    await asyncio.sleep(3.0)
    await till.stop()
    assert outcome.end is PayoutEnd.DONE
    of_the_tubes = {"dispensing", "coin_paid", "stock_counted"}
    of_the_acceptor = {"coins_wanted", "coins_at_rest"}
    told = [
        (call, data)
        for call, data in early(port)
        if (call not in of_the_tubes or data not in ACCEPTORS) and (call not in of_the_acceptor or data in ACCEPTORS)
    ]
    assert told == []
    assert {"coins", "dispensing", "coin_paid", "stock_counted"} <= set(books.made)


async def test_a_hopper_is_told_to_pay_once_that_is_recorded() -> None:
    """The announcement, each coin, and what it counts when it is found."""
    desk = Desk()
    books = desk.books = Slowly(desk.books)  # type: ignore[assignment]  # the books, slowly
    port = SpyPort(desk.line.port, books)  # type: ignore[arg-type]
    desk.line.port = port  # type: ignore[assignment]
    assert await pay(desk, 5) is PayoutEnd.DONE
    assert len(desk.tray) == 5
    assert early(port) == []
    assert {"hopper_counted", "dispensing", "coin_paid"} <= set(books.made)


async def test_a_smart_hopper_is_told_to_pay_once_that_is_recorded() -> None:
    """The same by amounts, and what it holds."""
    desk = CashRig(HopperPeer(COINS))
    books = desk.books = Slowly(desk.books)  # type: ignore[assignment]  # the books, slowly
    port = desk.port = SpyPort(desk.line.port, books)  # type: ignore[assignment, arg-type]
    await desk.start()
    await asyncio.sleep(3.0)
    assert (await desk.pay(9)).end is PayoutEnd.DONE
    await desk.end()
    assert early(port) == []
    assert {"stock_counted", "dispensing", "coin_paid"} <= set(books.made)


async def test_a_recycler_is_told_nothing_while_notes_in_or_out_are_being_recorded() -> None:
    """Its validator and its payouts share a line."""
    rig = RecyclerRig({500: 4})
    notes = rig.notes = Slowly(rig.notes)  # type: ignore[assignment]  # the books, slowly
    cash = rig.cash = Slowly(rig.cash)  # type: ignore[assignment]
    port = SpyPort(rig.line.port, notes, cash)  # type: ignore[arg-type]
    rig.line.port = port  # type: ignore[assignment]
    await rig.start()
    await asyncio.sleep(10.0)  # the slow books
    rig.device.insert(NOTE)
    await asyncio.sleep(20.0)
    assert (await rig.pay(2)).end is PayoutEnd.DONE
    await asyncio.sleep(5.0)
    await rig.kill()
    assert early(port) == []
    assert {"bill_in_escrow", "bill_stacked"} <= set(notes.made)
    assert {"dispensing", "coin_paid"} <= set(cash.made)


def test_each_protocol_and_each_call_is_drilled_here() -> None:
    """By the drivers' own lists: a language that is new must have a drill, and a call must be known as one of these."""
    assert {name.partition("-")[0] for name in VALIDATORS} == {*validator_protocols(), "essp"}
    assert set(get_args(CoinProtocol)) == {"cctalk", "mdb"}
    assert set(get_args(HopperProtocol)) == {"cctalk", "ssp", "mdb"}
    calls = {name for each in LISTENERS for name, call in vars(each).items() if inspect.iscoroutinefunction(call)}
    assert calls == DECIDES | READS | REPORTS | RECORDS
