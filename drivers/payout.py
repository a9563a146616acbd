"""One payout by a hopper: which coins passed its exit, and whether a dispense may be sent.

The hopper's lifetime counter decides: the coins of the newest announced dispense are what it has counted since.
A new dispense is announced only when every coin of the one before is booked.
"""

from drivers.capabilities import PayoutEnd, PayoutListener, PayoutOrder
from drivers.cctalk_bus import Bus
from drivers.clock import Clock
from drivers.errors import WireError
from drivers.hopper_wire import LAST_COUNTER, LIFETIME_SPAN, MAX_DISPENSE, Condition, HopperWire, Status

STALL_S = 20.0  # no coin for so long, and the hopper has not given up by itself
FALL_S = 0.5  # a coin at the exit when the motor stops
LATE_S = 1.0  # how late a dispense may reach the hopper after its reply was missed
TRIES = 3


class Payout:
    """An order being paid: `paid` coins are booked, at the lifetime count `counted`; `run` may be called once."""

    def __init__(
        self,
        order: PayoutOrder,
        listener: PayoutListener,
        *,
        device: str,
        serial: int,
        wire: HopperWire,
        bus: Bus,
        clock: Clock,
        poll_s: float,
    ) -> None:
        self.paid = order.paid
        self.counted = 0
        self._coins = order.coins
        self._counter = order.event_counter
        self._lifetime = order.lifetime
        self._before = order.paid_before
        self._listener = listener
        self._device = device
        self._serial = serial
        self._wire = wire
        self._bus = bus
        self._clock = clock
        self._poll_s = poll_s
        self._stalled = False
        self._accepted: bool | None = None

    async def run(self) -> PayoutEnd:
        """Pay the rest of the order, or find out why that is impossible; raise what the bus or the listener raises."""
        end = None if self._counter is None else await self._account()
        fruitless = 0
        while end is None and self.paid < self._coins:
            if fruitless == TRIES:
                return await self._ended(
                    PayoutEnd.STOPPED, "dispense_refused", f"{TRIES} dispenses in a row brought no coin"
                )
            before = self.paid
            await self._dispense()
            end = await self._account()
            fruitless = 0 if self.paid > before else fruitless + 1
        return end or PayoutEnd.DONE

    async def _dispense(self) -> None:
        """Announce a dispense of all that is unpaid, and send it once."""
        if (await self._wire.condition()).power_failed:
            await self._wire.reset()
        await self._wire.enable()
        status = await self._wire.status()
        if status.remaining:
            # Coins that nobody here ordered must not fall into this order's account.
            await self._wire.stop()
            await self._bus.quiet(FALL_S)
            status = await self._wire.status()
        self._counter = status.counter
        self._lifetime = await self._wire.lifetime()
        self._before = self.paid
        await self._listener.dispensing(self._counter, self._lifetime)
        self._accepted = await self._wire.dispense(self._serial, self._coins - self.paid)
        if self._accepted is None:
            await self._bus.quiet(LATE_S)

    async def _account(self) -> PayoutEnd | None:
        """Follow what was announced to its end and book every coin; None where a new dispense may be sent."""
        status = await self._stand_still()
        passed = await self._book()
        condition = await self._wire.condition()
        contradiction = self._contradiction(status, condition, passed)
        if contradiction:
            return await self._ended(PayoutEnd.UNDECIDED, "hopper_memory", contradiction)
        if self.paid >= self._coins:
            return PayoutEnd.DONE
        unpaid = f"{self._coins - self.paid} coins unpaid"
        # The flags are the newest dispense's only if that one was accepted.
        accepted = status.counter == self._stepped()
        if accepted and condition.timed_out:
            return await self._ended(PayoutEnd.EMPTY, "hopper_empty", unpaid)
        if self._stalled or (accepted and condition.jammed):
            return await self._ended(PayoutEnd.JAMMED, "hopper_jam", unpaid)
        return None

    def _contradiction(self, status: Status, condition: Condition, passed: int | None) -> str:
        """Say why nobody can know how many coins the order got; empty where the counters agree."""
        if condition.memory_lost:
            return "the hopper reports that its memory is damaged"
        if passed is None:
            return "the hopper's lifetime counter contradicts the coins that were booked"
        if status.counter not in {0, self._counter, self._stepped()}:
            return f"the hopper's event counter is {status.counter}: somebody else used it"
        ours = status.counter == self._stepped() or (status.counter == 0 and condition.power_failed)
        dispensed = status.paid + status.unpaid
        # Some hoppers step their counter for a refused dispense, too, and still tell of the one before.
        if ours and dispensed and self._accepted is not False and passed <= self._coins:
            by_status = self._coins - dispensed + status.paid
            if by_status != passed:
                return f"the hopper's status means {by_status} coins, its lifetime counter {passed}"
        return ""

    def _stepped(self) -> int:
        """The event counter after the announced dispense; 0 is the counter of a start only."""
        return (self._counter or 0) % LAST_COUNTER + 1

    async def _stand_still(self) -> Status:
        """Book coins as they pass until the hopper pays no more; stop one that neither pays nor gives up."""
        seen: Status | None = None
        moved_at = self._clock.now()
        while True:
            status = await self._wire.status()
            if status != seen:
                seen = status
                moved_at = self._clock.now()
                await self._book()
            if not status.remaining:
                return status
            if self._stalled:
                raise WireError(f"{self._bus}: the hopper goes on after an emergency stop: switch it off")
            if self._clock.now() - moved_at > STALL_S:
                self._stalled = True
                await self._wire.stop()
                await self._bus.quiet(FALL_S)
            else:
                await self._clock.sleep(self._poll_s)

    async def _book(self) -> int | None:
        """Report each coin that passed and was not reported; return how many passed in all, None if impossible.

        Coins beyond the order left the hopper all the same: they are reported, too.
        """
        self.counted = await self._wire.lifetime()
        passed = self._before + (self.counted - (self._lifetime or 0)) % LIFETIME_SPAN
        if not self.paid <= passed <= self._coins + MAX_DISPENSE:
            return None
        news = self.paid < passed
        while self.paid < passed:
            await self._listener.coin_paid(self.paid + 1)
            self.paid += 1
        # Once all is booked: the fault may end this run, and the next one must not find the same coins again.
        if news and passed > self._coins:
            detail = f"{passed - self._coins} coins more than the {self._coins} ordered"
            await self._listener.device_fault(self._device, "hopper_runaway", present=True, detail=detail)
        return passed

    async def _ended(self, end: PayoutEnd, code: str, detail: str) -> PayoutEnd:
        await self._listener.device_fault(self._device, code, present=True, detail=detail)
        return end
