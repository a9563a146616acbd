import asyncio
import contextlib
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from drivers.capabilities import PayoutEnd, PayoutOrder
from drivers.cctalk import Header
from drivers.clock import LoopClock
from drivers.errors import DriverError, IdentityError, NoReplyError, SettingsError
from drivers.hopper import Hopper
from drivers.simulated.cctalk_device import Refusal
from drivers.simulated.hopper import SimulatedHopper
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Kind, Misbehaviour, Piece, Way
from drivers.wiring import Hopper as Settings
from tests.drivers.cctalk_books import BooksLockedError, PayoutBooks
from tests.virtual_time import VirtualTimeLoop, run_virtual


class Incident(Misbehaviour):
    """Calls `act` once, just before frame `at` (from 0) in direction `way` is carried; counts all frames."""

    def __init__(self) -> None:
        super().__init__()
        self.carried = dict.fromkeys(Way, 0)
        self.way = Way.TO_HOST
        self.at = -1
        self.act: Callable[[], object] = lambda: None

    def expect(self, way: Way, at: int, act: Callable[[], object]) -> None:
        self.way, self.at, self.act = way, at + self.carried[way], act

    def mangle(self, way: Way, frame: bytes) -> list[Piece]:
        at = self.carried[way]
        self.carried[way] += 1
        if (way, at) == (self.way, self.at):
            self.act()
        return super().mangle(way, frame)


class Desk:
    """A hopper, its line, its driver, the books, and a cash-out that is resumed until it has an end."""

    def __init__(self, device: SimulatedHopper | None = None, *, stock: int = 500, serial: int = 0) -> None:
        self.tray: list[int] = []
        self.device = device or SimulatedHopper(stock=stock)
        self.device.coin_out = self.tray.append
        self.incident = Incident()
        self.line = MemoryLine(self.device, self.incident)
        self.books = PayoutBooks()
        self.settings = Settings(port="memory", coin_value_cents=100, serial=serial)
        self.falls: list[Exception] = []
        self.crashed = asyncio.Event()
        self.hopper = self.new_driver()

    def new_driver(self) -> Hopper:
        return Hopper(self.settings, self.line.port, LoopClock(), self.books)

    async def serve(self) -> None:
        """Run the driver for ever, as a supervisor does."""
        while True:
            try:
                await self.hopper.run()
            except DriverError as error:
                self.falls.append(error)
            await asyncio.sleep(0.5)

    async def cash_out(self, coins: int) -> PayoutEnd:
        """Pay an order through crashes and restarts, each time with what the books know."""
        while True:
            self.crashed = asyncio.Event()
            self.hopper = self.new_driver()
            serving = asyncio.create_task(self.serve())
            paying = asyncio.create_task(self.attempts(coins))
            crash = asyncio.create_task(self.crashed.wait())
            await asyncio.wait({paying, crash}, return_when=asyncio.FIRST_COMPLETED)
            ended = paying.done()
            if not ended:
                # As SIGKILL does: nothing more is said on the wire.
                self.line.port.close()
            for task in (serving, crash, *([] if ended else [paying])):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
            if ended:
                return await paying
            await asyncio.sleep(0.3)

    async def attempts(self, coins: int) -> PayoutEnd:
        while True:
            if self.hopper.ready:
                order = PayoutOrder(
                    coins=coins,
                    event_counter=self.books.event_counter,
                    lifetime=self.books.lifetime,
                    paid_before=self.books.paid_before,
                    paid=self.books.paid,
                )
                with contextlib.suppress(DriverError, BooksLockedError):
                    return await self.hopper.pay(order, self.books)
            await asyncio.sleep(0.2)

    def delay(self, way: Way, seconds: float) -> None:
        """The next frame comes later than any retry waits."""
        self.incident.delay_s = seconds
        self.incident.tell(Kind.DELAY, way=way)

    def cut_power(self) -> None:
        """The device loses power for a moment."""
        self.device.power(on=False)
        asyncio.get_running_loop().call_later(1.0, lambda: self.device.power(on=True))

    def cut_mains(self) -> None:
        """Cabinet and device lose power together."""
        self.cut_power()
        self.crashed.set()


def pay(desk: Desk, coins: int, prepare: Callable[[Desk], None] = lambda _desk: None) -> PayoutEnd:
    async def scene() -> PayoutEnd:
        desk.device.power(on=True)
        prepare(desk)
        end = await desk.cash_out(coins)
        # Coins that fall after the end would be coins nobody counts.
        await asyncio.sleep(5.0)
        return end

    return run_virtual(scene())


def test_an_order_is_paid_and_each_coin_is_booked_as_it_falls() -> None:
    """Ten coins: one announcement, one dispense, ten bookings, nothing wrong."""
    desk = Desk()
    assert pay(desk, 10) is PayoutEnd.DONE
    assert desk.tray == [100] * 10
    assert desk.books.paid == 10
    assert desk.books.announced == 1
    assert desk.device.dispenses == 1
    assert desk.books.standing == set()
    assert desk.falls == []


def test_coins_are_booked_while_the_hopper_still_pays() -> None:
    """A coin is booked within a poll of its fall, not at the end of the payout."""
    desk = Desk()
    behind: list[int] = []
    desk.device.coin_out = lambda value: (desk.tray.append(value), behind.append(len(desk.tray) - desk.books.paid))[0]
    assert pay(desk, 20) is PayoutEnd.DONE
    assert max(behind) <= 2
    assert desk.books.paid == len(desk.tray) == 20


@cache
def frames_of_a_payout() -> dict[Way, int]:
    """How many frames a payout of three coins takes, start-up included, when nothing goes wrong."""
    desk = Desk()
    assert pay(desk, 3) is PayoutEnd.DONE
    return desk.incident.carried


TROUBLES: dict[str, Callable[[Desk, Way], object]] = {
    **{str(kind): lambda desk, way, kind=kind: desk.incident.tell(kind, way=way) for kind in Kind},
    "very late": lambda desk, way: desk.delay(way, 0.9),
    "device power": lambda desk, _way: desk.cut_power(),
    "crash": lambda desk, _way: desk.crashed.set(),
    "mains": lambda desk, _way: desk.cut_mains(),
    "locked books": lambda desk, _way: setattr(desk.books, "lock", 2),
}


@pytest.mark.parametrize("way", list(Way))
@pytest.mark.parametrize("trouble", TROUBLES)
def test_trouble_at_any_frame_of_a_payout_leaves_the_books_right(trouble: str, way: Way) -> None:
    """At each frame of the dialogue: three coins fall, three are booked, and no dispense is repeated blindly."""
    for at in range(frames_of_a_payout()[way]):
        desk = Desk()
        desk.incident.expect(way, at, lambda desk=desk: TROUBLES[trouble](desk, way))
        end = pay(desk, 3)
        where = f"{trouble} at frame {at} {way}"
        assert (end, len(desk.tray), desk.books.paid) == (PayoutEnd.DONE, 3, 3), where
        assert desk.device.dispenses <= desk.books.announced, where


def test_a_lost_reply_to_the_dispense_is_not_answered_by_another_dispense() -> None:
    """The dispense arrives, its reply does not: the counters tell, and the order is paid once."""

    class Mute(SimulatedHopper):
        def answer(self, header: int, data: bytes) -> bytes | Refusal:
            answer = super().answer(header, data)
            return Refusal.SILENCE if header == Header.DISPENSE else answer

    desk = Desk(Mute())
    assert pay(desk, 5) is PayoutEnd.DONE
    assert (len(desk.tray), desk.books.paid) == (5, 5)
    assert (desk.device.dispenses, desk.books.announced) == (1, 1)


def test_a_dispense_that_arrives_very_late_is_waited_for() -> None:
    """Whichever request hangs in an adapter for most of a second: one coin ordered, one coin falls."""
    for at in range(frames_of_a_payout()[Way.TO_DEVICE]):
        desk = Desk()
        desk.incident.expect(Way.TO_DEVICE, at, lambda desk=desk: desk.delay(Way.TO_DEVICE, 0.9))
        assert (pay(desk, 1), len(desk.tray), desk.books.paid) == (PayoutEnd.DONE, 1, 1), f"frame {at}"


@pytest.mark.parametrize("steps_on_nak", [False, True])
def test_a_hopper_that_refuses_every_dispense_stops_the_payout(*, steps_on_nak: bool) -> None:
    """Three refusals end the payout as stopped, whether the event counter steps for them or not."""

    class Refusing(SimulatedHopper):
        def answer(self, header: int, data: bytes) -> bytes | Refusal:
            if header == Header.ENABLE_HOPPER:
                return b""
            return super().answer(header, data)

    desk = Desk(Refusing())
    desk.device.steps_on_nak = steps_on_nak
    assert pay(desk, 5) is PayoutEnd.STOPPED
    assert (len(desk.tray), desk.books.paid, desk.device.dispenses) == (0, 0, 0)
    assert desk.books.announced == 3
    assert desk.books.standing == {("hopper", "dispense_refused")}


def test_a_refused_dispense_after_another_payout_is_no_contradiction() -> None:
    """A hopper that steps its counter for a refusal still tells of the payout before; that is not this order's."""

    class RefusingOnce(SimulatedHopper):
        refusals = 0

        def answer(self, header: int, data: bytes) -> bytes | Refusal:
            if header == Header.DISPENSE and self.refusals:
                self.refusals -= 1
                self.counter += 1
                return Refusal.NAK
            return super().answer(header, data)

    device = RefusingOnce()
    desk = Desk(device)

    async def scene() -> list[PayoutEnd]:
        device.power(on=True)
        ends = [await desk.cash_out(4)]
        desk.books = PayoutBooks()
        device.refusals = 1
        return [*ends, await desk.cash_out(3)]

    assert run_virtual(scene()) == [PayoutEnd.DONE, PayoutEnd.DONE]
    assert (len(desk.tray), desk.books.paid) == (7, 3)


@pytest.mark.parametrize("stock", [0, 2])
def test_an_empty_hopper_ends_the_payout(stock: int) -> None:
    """What fell is booked, the rest is not, and the fault stays until a later payout works."""
    desk = Desk(stock=stock)
    assert pay(desk, 5) is PayoutEnd.EMPTY
    assert (len(desk.tray), desk.books.paid) == (stock, stock)
    assert desk.books.standing == {("hopper", "hopper_empty")}

    desk.device.stock = 10
    standing, desk.books = desk.books.standing, PayoutBooks()
    desk.books.standing = standing
    assert pay(desk, 2) is PayoutEnd.DONE
    assert desk.books.standing == set()


@pytest.mark.parametrize("notices", [True, False])
def test_a_jam_ends_the_payout(*, notices: bool) -> None:
    """A hopper that reports its jam, and one that turns for ever, are both stopped with the books right."""
    desk = Desk()
    desk.device.notices_jam = notices

    def jam(value_cents: int) -> None:
        desk.tray.append(value_cents)
        desk.device.jammed = len(desk.tray) == 2

    desk.device.coin_out = jam
    assert pay(desk, 5) is PayoutEnd.JAMMED
    assert (len(desk.tray), desk.books.paid) == (2, 2)
    assert desk.books.standing == {("hopper", "hopper_jam")}
    assert desk.device.remaining == 0


def test_coins_that_leave_unordered_are_a_fault() -> None:
    """A hopper that goes on after the last coin raises the runaway fault, and its order stays as it was."""
    desk = Desk()
    desk.device.runaway = 3
    assert pay_then_wait(desk, 2) is PayoutEnd.DONE
    assert len(desk.tray) == 5
    assert desk.books.paid == 2
    assert desk.books.standing == {("hopper", "hopper_runaway")}


def pay_then_wait(desk: Desk, coins: int) -> PayoutEnd:
    """Pay, and keep the driver watching for a while."""

    async def scene() -> PayoutEnd:
        desk.device.power(on=True)
        serving = asyncio.create_task(desk.serve())
        await asyncio.sleep(2.0)
        end = await desk.hopper.pay(PayoutOrder(coins=coins), desk.books)
        await asyncio.sleep(5.0)
        serving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await serving
        return end

    return run_virtual(scene())


def test_coins_beyond_the_order_are_reported_as_coins() -> None:
    """Coins that fell after the announced ones while nobody listened are booked as what they are."""

    def after_the_last(desk: Desk) -> None:
        desk.books.event_counter, desk.books.lifetime = 0, 0
        desk.device.counter, desk.device.lifetime, desk.device.paid = 1, 4, 3

    desk = Desk()
    assert pay(desk, 3, after_the_last) is PayoutEnd.DONE
    assert desk.books.paid == 4
    assert desk.books.standing == {("hopper", "hopper_runaway")}
    assert desk.device.dispenses == 0


@pytest.mark.parametrize(
    ("counter", "lifetime", "paid"),
    [
        pytest.param(7, 0, 0, id="somebody else used the hopper"),
        pytest.param(1, 0, 2, id="the lifetime counter lags"),
        pytest.param(0, -5, 0, id="the lifetime counter went back"),
    ],
)
def test_what_cannot_be_known_is_undecided(counter: int, lifetime: int, paid: int) -> None:
    """Counters that contradict each other end the payout without another dispense and without a booking."""

    def contradict(desk: Desk) -> None:
        desk.books.event_counter, desk.books.lifetime = 0, 1000
        desk.device.counter, desk.device.lifetime = counter, 1000 + lifetime
        desk.device.paid, desk.device.unpaid = paid, 5 - paid if paid else 0

    desk = Desk()
    assert pay(desk, 5, contradict) is PayoutEnd.UNDECIDED
    assert (desk.books.paid, desk.device.dispenses) == (0, 0)
    assert desk.books.standing == {("hopper", "hopper_memory")}


def test_the_lifetime_counter_may_wrap_during_a_payout() -> None:
    """Past its last figure of 24 bits the counter goes on at 0."""
    desk = Desk()
    desk.device.lifetime = (1 << 24) - 2
    assert pay(desk, 5) is PayoutEnd.DONE
    assert (desk.books.paid, desk.device.lifetime) == (5, 3)


@pytest.mark.parametrize(
    "order",
    [
        PayoutOrder(coins=0),
        PayoutOrder(coins=251),
        PayoutOrder(coins=5, paid=6),
        PayoutOrder(coins=5, event_counter=1),
    ],
)
def test_an_order_beyond_the_limits_is_refused(order: PayoutOrder) -> None:
    """The driver owns its limit: nothing is said on the wire for an order it must not pay."""
    desk = Desk()
    with pytest.raises(SettingsError, match="order"):
        run_virtual(desk.hopper.pay(order, desk.books))
    assert desk.incident.carried == dict.fromkeys(Way, 0)


def test_a_hopper_that_is_not_ready_pays_nothing() -> None:
    """Before its start-up, and after its end, a payout is refused with NoReplyError."""
    desk = Desk()
    with pytest.raises(NoReplyError, match="when it is ready"):
        run_virtual(desk.hopper.pay(PayoutOrder(coins=1), desk.books))


def test_a_cancelled_payout_stops_the_hopper() -> None:
    """An ordered end in mid-payout stops the motor; what fell is found at the next start."""

    async def scene(desk: Desk) -> PayoutEnd:
        desk.device.power(on=True)
        serving = asyncio.create_task(desk.serve())
        await asyncio.sleep(2.0)
        paying = asyncio.create_task(desk.hopper.pay(PayoutOrder(coins=50), desk.books))
        await asyncio.sleep(2.05)
        paying.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await paying
        fallen = len(desk.tray)
        await asyncio.sleep(5.0)
        assert len(desk.tray) == fallen
        assert 5 < fallen < 15
        serving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await serving
        return await desk.cash_out(50)

    desk = Desk()
    assert run_virtual(scene(desk)) is PayoutEnd.DONE
    assert len(desk.tray) == desk.books.paid == 50


def test_another_device_is_refused() -> None:
    """A hopper with another serial number than the configured one never becomes ready."""

    async def scene(desk: Desk) -> None:
        desk.device.power(on=True)
        with pytest.raises(IdentityError, match="816"):
            await desk.hopper.run()

    desk = Desk(serial=816)
    run_virtual(scene(desk))
    assert desk.books.standing == {("hopper", "wrong_device")}
    assert not desk.hopper.ready


@pytest.mark.parametrize(
    "setting", [{"address": 0}, {"max_coins": 0}, {"max_coins": 256}, {"coin_value_cents": 0}, {"poll_ms": 0}]
)
def test_settings_that_cannot_work_are_refused(setting: dict[str, int]) -> None:
    """The error names the key."""
    line = MemoryLine(SimulatedHopper())
    with pytest.raises(SettingsError, match=rf"\[hopper\].*{next(iter(setting))}"):
        Hopper(
            Settings(**{"port": "memory", "coin_value_cents": 100, **setting}), line.port, LoopClock(), PayoutBooks()
        )


class PayoutLife(RuleBasedStateMachine):
    """Any order of crashes, power cuts, bad frames and locked books while a payout is going on."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = VirtualTimeLoop()
        self.desk = Desk()
        self.coins = 0
        self.paying: asyncio.Task[PayoutEnd] | None = None

    def live(self, seconds: float) -> None:
        self.loop.run_until_complete(asyncio.sleep(seconds))

    @initialize(coins=st.integers(1, 12), lifetime=st.sampled_from([0, (1 << 24) - 4]))
    def start(self, coins: int, lifetime: int) -> None:
        self.coins = coins
        self.desk.device.lifetime = lifetime
        self.desk.device.power(on=True)
        self.paying = self.loop.create_task(self.desk.cash_out(coins))
        self.live(1.0)

    @rule(seconds=st.sampled_from([0.003, 0.02, 0.1, 0.2, 0.5, 2.0]))
    def wait(self, seconds: float) -> None:
        self.live(seconds)

    @rule(
        kind=st.sampled_from(list(Kind)),
        way=st.sampled_from(list(Way)),
        frames=st.integers(1, 3),
        delay_s=st.sampled_from([0.05, 0.3]),
    )
    def misbehave(self, kind: Kind, way: Way, frames: int, delay_s: float) -> None:
        self.desk.incident.delay_s = delay_s
        self.desk.incident.tell(kind, frames, way=way)

    @precondition(lambda self: self.paying is not None)
    @rule()
    def crash(self) -> None:
        self.desk.crashed.set()
        self.live(0.01)

    @rule(on=st.booleans())
    def power(self, *, on: bool) -> None:
        self.desk.device.power(on=on)

    @rule(lock=st.integers(0, 2))
    def lock_the_books(self, lock: int) -> None:
        self.desk.books.lock = lock

    def teardown(self) -> None:
        """Let everything work again: what is booked is what fell, and it is the order, or what the end says."""
        if self.paying is None:
            return
        desk = self.desk
        desk.incident.forget()
        desk.books.lock = 0
        desk.device.power(on=True)
        end = self.loop.run_until_complete(asyncio.wait_for(self.paying, 300.0))
        self.live(5.0)
        self.loop.close()
        assert desk.books.paid == len(desk.tray)
        assert (len(desk.tray) == self.coins) is (end is PayoutEnd.DONE)
        assert end in {PayoutEnd.DONE, PayoutEnd.STOPPED}


TestPayoutLife = PayoutLife.TestCase
TestPayoutLife.settings = hypothesis_settings(max_examples=60, stateful_step_count=20, deadline=None)
