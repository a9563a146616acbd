import asyncio
import contextlib
from collections.abc import Callable
from functools import partial

import msgspec
import pytest

from drivers.capabilities import PayoutEnd, PayoutOrder
from drivers.cctalk.hopper import Hopper
from drivers.cctalk.hopper_status import Flag, Registers
from drivers.cctalk.protocol import Header
from drivers.clock import LoopClock
from drivers.currency import EURO
from drivers.errors import IdentityError, NoReplyError, SettingsError
from drivers.simulated.cctalk.device import Refusal
from drivers.simulated.cctalk.hopper import SimulatedHopper
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Kind, Misbehaviour, Piece, Way
from drivers.wiring import Hopper as Settings
from tests.rigs.cash_desk import Desk, pay
from tests.rigs.cctalk_books import PayoutBooks


async def test_an_order_is_paid_and_each_coin_is_booked_as_it_falls() -> None:
    """Ten coins: one announcement, one dispense, ten bookings, nothing wrong."""
    desk = Desk()
    assert await pay(desk, 10) is PayoutEnd.DONE
    assert desk.tray == [100] * 10
    assert desk.books.paid == 10
    assert desk.books.announced == 1
    assert desk.device.dispenses == 1
    assert desk.books.present == {}
    assert desk.falls == []


async def test_coins_are_booked_while_the_hopper_still_pays() -> None:
    """A coin is booked within a poll of its fall, not at the end of the payout."""
    desk = Desk()
    behind: list[int] = []

    def fall(value_cents: int) -> None:
        desk.tray.append(value_cents)
        behind.append(len(desk.tray) - desk.books.paid)

    desk.device.coin_out = fall
    assert await pay(desk, 20) is PayoutEnd.DONE
    assert max(behind) <= 2
    assert desk.books.paid == len(desk.tray) == 20


async def frames_of_a_payout() -> dict[Way, int]:
    """How many frames a payout of three coins takes, start-up included, when nothing goes wrong."""
    desk = Desk()
    assert await pay(desk, 3) is PayoutEnd.DONE
    return desk.incident.carried


TROUBLES: dict[str, Callable[[Desk, Way], object]] = {
    **{str(kind): partial(Desk.misbehave, kind=kind) for kind in Kind},
    "very late": lambda desk, way: desk.delay(way, 0.9),
    "device power": lambda desk, _way: desk.cut_power(),
    "crash": lambda desk, _way: desk.crashed.set(),
    "mains": lambda desk, _way: desk.cut_mains(),
    "locked books": lambda desk, _way: setattr(desk.books, "lock", 2),
}


@pytest.mark.parametrize("way", list(Way))
@pytest.mark.parametrize("trouble", TROUBLES)
async def test_trouble_at_any_frame_of_a_payout_leaves_the_books_right(trouble: str, way: Way) -> None:
    """At each frame of the dialogue: three coins fall, three are booked, and no dispense is repeated blindly."""
    for at in range((await frames_of_a_payout())[way]):
        desk = Desk()
        desk.incident.expect(way, at, partial(TROUBLES[trouble], desk, way))
        end = await pay(desk, 3)
        where = f"{trouble} at frame {at} {way}"
        assert (end, len(desk.tray), desk.books.paid) == (PayoutEnd.DONE, 3, 3), where
        assert desk.device.dispenses <= desk.books.announced, where


async def test_a_lost_reply_to_the_dispense_is_not_answered_by_another_dispense() -> None:
    """The dispense arrives, its reply does not: the counters show it, and the order is paid once."""

    class Mute(SimulatedHopper):
        def answer(self, header: int, data: bytes) -> bytes | Refusal:
            answer = super().answer(header, data)
            return Refusal.SILENCE if header == Header.DISPENSE else answer

    desk = Desk(Mute())
    assert await pay(desk, 5) is PayoutEnd.DONE
    assert (len(desk.tray), desk.books.paid) == (5, 5)
    assert (desk.device.dispenses, desk.books.announced) == (1, 1)


class LateDispense(Misbehaviour):
    """Holds the first dispense back."""

    held = False

    def mangle(self, way: Way, frame: bytes) -> list[Piece]:
        if way is Way.TO_DEVICE and frame[3] == Header.DISPENSE and not self.held:
            self.held = True
            self.inject(Kind.DELAY, way=way)
        return super().mangle(way, frame)


@pytest.mark.parametrize("delay_s", [0.2, 0.4, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9, 1.0])
async def test_a_dispense_that_arrives_very_late_is_waited_for(delay_s: float) -> None:
    """A dispense that hangs in an adapter: one coin ordered, one coin falls, and no second dispense is sent."""
    desk = Desk()
    desk.line.misbehaviour = LateDispense(delay_s=delay_s)
    assert await pay(desk, 1) is PayoutEnd.DONE
    assert (len(desk.tray), desk.books.paid, desk.books.announced) == (1, 1, 1)


@pytest.mark.parametrize("steps_on_nak", [False, True])
async def test_a_hopper_that_refuses_every_dispense_stops_the_payout(*, steps_on_nak: bool) -> None:
    """Three refusals end the payout as stopped, whether the event counter steps for them or not."""

    class Refusing(SimulatedHopper):
        def answer(self, header: int, data: bytes) -> bytes | Refusal:
            if header == Header.ENABLE_HOPPER:
                return b""
            return super().answer(header, data)

    desk = Desk(Refusing())
    desk.device.steps_on_nak = steps_on_nak
    assert await pay(desk, 5) is PayoutEnd.STOPPED
    assert (len(desk.tray), desk.books.paid, desk.device.dispenses) == (0, 0, 0)
    assert desk.books.announced == 3
    assert set(desk.books.present) == {("hopper", "dispense_refused")}


async def test_a_refused_dispense_after_another_payout_is_no_contradiction() -> None:
    """A hopper that steps its counter for a refusal still reports the payout before; that is not this order's."""

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

    assert (await scene()) == [PayoutEnd.DONE, PayoutEnd.DONE]
    assert (len(desk.tray), desk.books.paid) == (7, 3)


@pytest.mark.parametrize("stock", [0, 2])
async def test_an_empty_hopper_ends_the_payout(stock: int) -> None:
    """What fell is booked, the rest is not, and the fault stays until a later payout works."""
    desk = Desk(stock=stock)
    assert await pay(desk, 5) is PayoutEnd.EMPTY
    assert (len(desk.tray), desk.books.paid) == (stock, stock)
    assert set(desk.books.present) == {("hopper", "hopper_empty")}

    desk.device.stock = 10
    present, desk.books = desk.books.present, PayoutBooks()
    desk.books.present = present
    assert await pay(desk, 2) is PayoutEnd.DONE
    assert desk.books.present == {}


@pytest.mark.parametrize("notices", [True, False])
async def test_a_jam_ends_the_payout(*, notices: bool) -> None:
    """A hopper that reports its jam, and one that turns for ever, are both stopped with the books right."""
    desk = Desk()
    desk.device.notices_jam = notices

    def jam(value_cents: int) -> None:
        desk.tray.append(value_cents)
        desk.device.jammed = len(desk.tray) == 2

    desk.device.coin_out = jam
    assert await pay(desk, 5) is PayoutEnd.JAMMED
    assert (len(desk.tray), desk.books.paid) == (2, 2)
    assert set(desk.books.present) == {("hopper", "hopper_jam")}
    assert desk.device.remaining == 0


async def test_coins_that_leave_unordered_are_a_fault() -> None:
    """A hopper that goes on after the last coin raises the runaway fault, and its order stays as it was."""
    desk = Desk()
    desk.device.runaway = 3
    assert await pay_then_wait(desk, 2) is PayoutEnd.DONE
    assert len(desk.tray) == 5
    assert desk.books.paid == 2
    assert set(desk.books.present) == {("hopper", "hopper_runaway")}


@pytest.mark.parametrize("tenths", range(10))
async def test_no_coin_slips_out_between_a_payout_and_the_watch(tenths: int) -> None:
    """One coin too many right after the last one is seen, wherever the watch is in its second."""
    desk = Desk()
    desk.device.runaway = 1
    assert await pay_then_wait(desk, 2, idle_s=2.0 + tenths / 10) is PayoutEnd.DONE
    assert (len(desk.tray), set(desk.books.present)) == (3, {("hopper", "hopper_runaway")})


async def pay_then_wait(desk: Desk, coins: int, *, idle_s: float = 2.0) -> PayoutEnd:
    """Pay after a while, and keep the driver watching for another."""
    desk.device.power(on=True)
    serving = asyncio.create_task(desk.serve())
    await asyncio.sleep(idle_s)
    outcome = await desk.order(coins)
    await asyncio.sleep(5.0)
    serving.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await serving
    return outcome.end


async def test_coins_beyond_the_order_are_reported_as_coins() -> None:
    """Coins that fell after the announced ones while nobody listened are booked as what they are."""

    def after_the_last(desk: Desk) -> None:
        desk.books.announce(desk.device.identity.serial, 0, 0)
        desk.device.counter, desk.device.lifetime, desk.device.paid = 1, 4, 3

    desk = Desk()
    assert await pay(desk, 3, after_the_last) is PayoutEnd.DONE
    assert desk.books.paid == 4
    assert set(desk.books.present) == {("hopper", "hopper_runaway")}
    assert desk.device.dispenses == 0


@pytest.mark.parametrize(
    ("counter", "lifetime", "paid"),
    [
        pytest.param(7, 0, 0, id="somebody else used the hopper"),
        pytest.param(1, 0, 2, id="the lifetime counter lags"),
        pytest.param(0, -5, 0, id="the lifetime counter went back"),
    ],
)
async def test_what_cannot_be_known_is_undecided(counter: int, lifetime: int, paid: int) -> None:
    """Counters that contradict each other end the payout without another dispense and without a booking."""

    def contradict(desk: Desk) -> None:
        desk.books.announce(desk.device.identity.serial, 0, 1000)
        desk.device.counter, desk.device.lifetime = counter, 1000 + lifetime
        desk.device.paid, desk.device.unpaid = paid, 5 - paid if paid else 0

    desk = Desk()
    assert await pay(desk, 5, contradict) is PayoutEnd.UNDECIDED
    assert (desk.books.paid, desk.device.dispenses) == (0, 0)
    assert set(desk.books.present) == {("hopper", "hopper_memory")}


async def test_the_lifetime_counter_may_wrap_during_a_payout() -> None:
    """Past its last figure of 24 bits the counter goes on at 0."""
    desk = Desk()
    desk.device.lifetime = (1 << 24) - 2
    assert await pay(desk, 5) is PayoutEnd.DONE
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
async def test_an_order_beyond_the_limits_is_refused(order: PayoutOrder) -> None:
    """The driver owns its limit: nothing is said on the wire for an order it must not pay."""
    desk = Desk()
    with pytest.raises(SettingsError, match="order"):
        await desk.hopper.pay(order, desk.books)
    assert desk.incident.carried == dict.fromkeys(Way, 0)


async def test_a_hopper_that_is_not_ready_pays_nothing() -> None:
    """Before its start-up, and after its end, a payout is refused with NoReplyError."""
    desk = Desk()
    with pytest.raises(NoReplyError, match="when it is ready"):
        await desk.hopper.pay(PayoutOrder(coins=1), desk.books)


def registers_of(desk: Desk) -> frozenset[Flag]:
    """What the hopper would answer to 163 now."""
    answer = desk.device.answer(Header.TEST_HOPPER, b"")
    assert isinstance(answer, bytes)
    return Registers.of(answer)


async def test_a_hopper_on_an_echoing_wire_pays_the_same() -> None:
    """The open-collector wire returns what is sent; nothing changes but the bytes heard."""
    desk = Desk(SimulatedHopper(echo=True))
    assert await pay(desk, 5) is PayoutEnd.DONE
    assert (len(desk.tray), desk.books.paid, desk.books.announced, desk.falls) == (5, 5, 1, [])


@pytest.mark.requirement("P6")
@pytest.mark.parametrize("lost", [0, 1])
async def test_a_cancelled_payout_stops_the_hopper(lost: int) -> None:
    """An ordered end in mid-payout stops the motor, be its first word lost; what fell is found later."""

    async def scene(desk: Desk) -> PayoutEnd:
        desk.device.power(on=True)
        serving = asyncio.create_task(desk.serve())
        await asyncio.sleep(2.0)
        paying = asyncio.create_task(desk.hopper.pay(PayoutOrder(coins=50), desk.books))
        await asyncio.sleep(2.05)
        if lost:
            desk.incident.inject(Kind.DROP, lost, way=Way.TO_DEVICE)
        paying.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await paying
        fallen = len(desk.tray)
        assert registers_of(desk) & {Flag.DISABLED, Flag.POWER_DOWN} == {Flag.DISABLED}
        await asyncio.sleep(5.0)
        assert len(desk.tray) == fallen
        assert 5 < fallen < 15
        serving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await serving
        return await desk.cash_out(50)

    desk = Desk()
    assert (await scene(desk)) is PayoutEnd.DONE
    assert len(desk.tray) == desk.books.paid == 50


async def test_another_device_is_refused() -> None:
    """A hopper with another serial number than the configured one never becomes ready."""

    async def scene(desk: Desk) -> None:
        desk.device.power(on=True)
        with pytest.raises(IdentityError, match="816"):
            await desk.hopper.run()

    desk = Desk(serial=816)
    await scene(desk)
    assert not desk.hopper.ready


@pytest.mark.parametrize(
    "setting", [{"address": 0}, {"max_coins": 0}, {"max_coins": 256}, {"coin_value_cents": 0}, {"poll_ms": 0}]
)
def test_settings_that_cannot_work_are_refused(setting: dict[str, int]) -> None:
    """The error names the key."""
    line = MemoryLine(SimulatedHopper())
    with pytest.raises(SettingsError, match=rf"\[hopper\].*{next(iter(setting))}"):
        Hopper(
            msgspec.structs.replace(Settings(port="memory", coin_value_cents=100), **setting),
            line.port,
            LoopClock(),
            PayoutBooks(),
            currency=EURO,
        )


class Named(SimulatedHopper):
    """A hopper that names its coin as it was programmed, or does not answer."""

    coin: bytes | Refusal = b"......"

    def answer(self, header: int, data: bytes) -> bytes | Refusal:
        return self.coin if header == Header.HOPPER_COIN else super().answer(header, data)


@pytest.mark.parametrize(
    ("coin", "fault", "words"),
    [
        (b"GB100A", "wrong_currency", "names its coin GB100A, of 'GB' (GBP), the cabinet pays 100 cents of EUR"),
        (b"EU200A", "settings", "names its coin EU200A, [hopper] coin_value_cents says 100 cents of EUR"),
        (b"EU100A", "", ""),
        (b"......", "", ""),
        (b"Token ", "", ""),
        (Refusal.SILENCE, "", ""),
    ],
)
async def test_a_hopper_that_names_another_coin_is_a_fault(coin: bytes | Refusal, fault: str, words: str) -> None:
    """Request 171 (core set, app. 13) names a coin as 184 does; a hopper that names none holds what is configured."""
    device = Named()
    device.coin = coin
    made = Desk(device)

    device.power(on=True)
    serving = asyncio.create_task(made.serve())
    await asyncio.sleep(8.0)
    assert made.hopper.ready
    assert set(made.books.faults) == ({fault} if fault else set())
    assert words in made.books.details.get(fault, "")
    device.coin = b"EU100A"
    device.power(on=False)
    await asyncio.sleep(5.0)
    device.power(on=True)
    await asyncio.sleep(25.0)
    assert made.books.present == {}
    serving.cancel()
