"""The hopper's test on the real driver: coins leave and come back beside every meter (T.10)."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from controller.books.audit import audit
from controller.features.diagnostics.dispense import DiagnosticDispense
from controller.journal.diagnostics import hopper_diagnostic
from controller.journal.errors import RefusedError
from controller.journal.open_items import open_items
from controller.journal.periods import lifetime
from controller.supervisor import Supervisor
from drivers.capabilities import PayoutEnd
from drivers.errors import NoReplyError
from drivers.simulated.misbehaviour import Kind, Way
from tests.rigs.device_tests import device_tests
from tests.rigs.virtual_cabinet import VirtualCabinet, but_coins

pytestmark = pytest.mark.requirement("M12")

MONEY = ("credit", "coins_in", "notes_in", "hopper_out", "hopper_coins", "hand_pay")


class OnTrial:
    """A cabinet with its hopper's test, and its books before it."""

    def __init__(self, cabinet: VirtualCabinet) -> None:
        self.cabinet = cabinet
        self.before: dict[str, int] = {}

    @property
    def supervisor(self) -> Supervisor:
        assert self.cabinet.supervisor is not None
        return self.cabinet.supervisor

    @property
    def test(self) -> DiagnosticDispense:
        dispense = device_tests(self.supervisor).dispense
        assert dispense is not None
        return dispense

    async def out(self) -> int:
        """Coins that have still to be put back."""
        return (await self.supervisor.journal.do(hopper_diagnostic.coins_out)).missing

    async def settled(self) -> None:
        """Wait until no dispense is left."""
        for _ in range(1200):
            if await self.supervisor.journal.do(hopper_diagnostic.running) is None:
                return
            await asyncio.sleep(0.1)
        raise AssertionError("the dispense is still open")

    async def money(self) -> dict[str, int]:
        """What no test may move."""
        figures = await self.supervisor.journal.do(lifetime)
        return {"credit": self.cabinet.credit, **{name: figures.get(name, 0) for name in MONEY[1:]}}

    async def nothing_else_moved(self) -> None:
        """No meter, no credit, no item, no fault, and the chain holds."""
        assert await self.money() == self.before
        assert but_coins(await self.supervisor.journal.do(open_items)) == []
        assert "hopper_runaway" not in {fault.code for fault in self.supervisor.machine.conditions.faults}


@asynccontextmanager
async def on_trial(folder: Path) -> AsyncIterator[OnTrial]:
    cabinet = VirtualCabinet(folder)
    await cabinet.start()
    try:
        await asyncio.sleep(8.0)
        await cabinet.insert_note(500)
        test = OnTrial(cabinet)
        test.before = await test.money()
        yield test
        assert audit(folder / "journal.sqlite", lambda *_: None).failures == []
    finally:
        await cabinet.kill()


async def test_coins_leave_without_any_meter_and_are_owed_back(tmp_path: Path) -> None:
    """Exactly so many fall; no meter moves, the lifetime count stays true, and a real payout after it too."""
    async with on_trial(tmp_path) as test:
        outcome = await test.test.dispense(3)
        assert (outcome.end, test.cabinet.tray_cents, await test.out()) == (PayoutEnd.DONE, 300, 3)
        await asyncio.sleep(5.0)
        await test.nothing_else_moved()
        with pytest.raises(RefusedError, match="Put the coins back first"):
            await test.test.dispense(1)
        await test.supervisor.machine.journal.do(lambda tx: hopper_diagnostic.put_back(tx, 3, "technician"))
        await test.cabinet.tap("collect")
        await test.cabinet.until(lambda: test.cabinet.credit == 0)
        assert test.cabinet.tray_cents == 300 + 500
        assert await test.supervisor.journal.do(open_items) == []


@pytest.mark.parametrize("mains", [False, True])
@pytest.mark.parametrize("seconds", [0.0, 0.05, 0.1, 0.3, 0.9, 1.5])
async def test_a_cut_within_the_dispense_is_counted_at_the_next_start(
    tmp_path: Path, *, mains: bool, seconds: float
) -> None:
    """No coin more is given, those that have left are owed back, and no runaway is reported."""
    async with on_trial(tmp_path) as test:
        giving = asyncio.ensure_future(test.test.dispense(5))
        await asyncio.sleep(seconds)
        cabinet = test.cabinet
        # as SIGKILL does: nothing more is said on the wire
        cabinet.lines["hopper"].port.close()
        giving.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await giving
        await cabinet.kill()
        if mains:
            cabinet.mains(on=False)
        await cabinet.start()
        await test.settled()
        await asyncio.sleep(5.0)
        tray = cabinet.tray_cents
        assert (await test.out()) * 100 == tray
        await test.nothing_else_moved()
        await asyncio.sleep(20.0)
        assert cabinet.tray_cents == tray


async def test_leaving_stops_the_motor_and_counts(tmp_path: Path) -> None:
    """Cancelled in the middle, then settled: what lies in the tray is owed back."""
    async with on_trial(tmp_path) as test:
        giving = asyncio.ensure_future(test.test.dispense(10))
        await asyncio.sleep(1.5)
        giving.cancel()
        await asyncio.wait({giving})
        outcome = await test.test.settle()
        assert outcome is not None
        assert 0 < await test.out() < 10
        assert await test.out() * 100 == test.cabinet.tray_cents
        await test.nothing_else_moved()


async def test_a_payout_right_after_a_cut_dispense_takes_nothing_from_either(tmp_path: Path) -> None:
    """COLLECT before the test was settled: the player gets the credit, the test's coins stay the test's."""
    async with on_trial(tmp_path) as test:
        cabinet = test.cabinet
        giving = asyncio.ensure_future(test.test.dispense(5))
        await asyncio.sleep(0.9)
        cabinet.lines["hopper"].port.close()
        giving.cancel()
        await asyncio.wait({giving})
        await cabinet.kill()
        await asyncio.sleep(3.0)
        supervisor = await cabinet.start()
        device_tests(supervisor).dispense._left = False  # type: ignore[union-attr]  # nobody settles it
        await cabinet.until(lambda: supervisor.hardware.hopper is not None and supervisor.hardware.hopper.ready)
        await cabinet.until(lambda: cabinet.state in {"lobby", "idle"})
        await cabinet.tap("collect")
        await cabinet.until(lambda: cabinet.credit == 0)
        await cabinet.until(lambda: cabinet.state not in ("collecting", "handpay"))
        assert cabinet.tray_cents == 500 + 100 * await test.out()
        assert await supervisor.journal.do(open_items) == []


def _jam(test: OnTrial) -> None:
    test.cabinet.hopper.jammed = True


def _empty(test: OnTrial) -> None:
    test.cabinet.hopper.stock = 2


def _lose_replies(test: OnTrial) -> None:
    test.cabinet.lines["hopper"].misbehaviour.inject(Kind.DROP, 2, way=Way.TO_HOST)


@pytest.mark.parametrize(
    ("trouble", "end", "out"),
    [
        (_jam, PayoutEnd.JAMMED, 0),
        (_empty, PayoutEnd.EMPTY, 2),
        (_lose_replies, PayoutEnd.DONE, 3),
    ],
)
async def test_what_goes_wrong_with_the_coins_is_reported_and_counted(
    tmp_path: Path, trouble: Callable[[OnTrial], None], end: PayoutEnd, out: int
) -> None:
    """Jam, empty, lost replies: each coin in the tray is owed back, and the books hold."""
    async with on_trial(tmp_path) as test:
        trouble(test)
        outcome = await test.test.dispense(3)
        await asyncio.sleep(10.0)
        assert (outcome.end, await test.out(), test.cabinet.tray_cents) == (end, out, 100 * out)
        assert await test.money() == test.before


@pytest.mark.requirement("D5")
async def test_coins_beyond_the_dispense_are_a_runaway_as_ever(tmp_path: Path) -> None:
    """What slips out after the last coin was ordered by nobody, a test or not."""
    async with on_trial(tmp_path) as test:
        test.cabinet.hopper.runaway = 2
        await test.test.dispense(3)
        await asyncio.sleep(10.0)
        items = await test.supervisor.journal.do(open_items)
        assert (await test.out(), [item.amount_cents for item in items]) == (3, [200])
        assert await test.money() == test.before


async def test_a_hopper_unplugged_within_the_dispense_is_settled_when_it_is_back(tmp_path: Path) -> None:
    """It paid on by itself while nobody heard it: those coins are the test's too."""
    async with on_trial(tmp_path) as test:
        giving = asyncio.ensure_future(test.test.dispense(5))
        await asyncio.sleep(0.9)
        test.cabinet.lines["hopper"].unplug()
        with pytest.raises(Exception, match="hopper"):
            await giving
        await asyncio.sleep(5.0)
        test.cabinet.lines["hopper"].plug()
        await test.settled()
        assert await test.out() * 100 == test.cabinet.tray_cents == 500
        await asyncio.sleep(15.0)
        await test.nothing_else_moved()


async def test_a_silent_hopper_gives_nothing(tmp_path: Path) -> None:
    """The dispense is refused by the driver, ended as never sent, and owes nothing."""
    async with on_trial(tmp_path) as test:
        test.cabinet.hopper.power(on=False)
        await asyncio.sleep(10.0)
        with pytest.raises(NoReplyError):
            await test.test.dispense(2)
        test.cabinet.hopper.power(on=True)
        await test.settled()
        assert await test.out() == 0
        await test.nothing_else_moved()
