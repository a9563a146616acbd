"""One payout by a hopper: count the coins that passed its exit and decide whether a dispense may be sent.

The hopper's lifetime counter is authoritative: the coins of the newest announced dispense are what it counted since. A
new dispense is announced only when every coin of the previous one is booked.
"""

from collections.abc import Mapping

from drivers.capabilities import PayoutEnd, PayoutListener, PayoutOrder, PayoutOutcome
from drivers.cctalk.bus import Bus
from drivers.cctalk.hopper_security import Security, forbidden, refused
from drivers.cctalk.hopper_status import Flag, Registers
from drivers.cctalk.hopper_wire import LAST_COUNTER, LIFETIME_SPAN, MAX_DISPENSE, HopperWire, Status
from drivers.clock import Clock
from drivers.errors import WireError
from drivers.wiring import Hopper as Settings

STALL_S = 20.0  # no coin for this long, and the hopper has not stopped by itself
FALL_S = 0.5  # time for a coin at the exit to fall after the motor stops
LATE_S = 1.0  # how late a dispense may reach the hopper after its reply was missed
TRIES = 3


class Payout:
    """An order being paid; `paid` coins are booked. Call either `run` or `settle`, once."""

    def __init__(
        self,
        order: PayoutOrder,
        listener: PayoutListener,
        *,
        settings: Settings,
        serial: int,
        security: Security,
        wire: HopperWire,
        bus: Bus,
        clock: Clock,
    ) -> None:
        self.paid = order.paid
        self._coins = order.coins
        self._counter = order.event_counter
        self._lifetime = order.lifetime
        self._before = order.paid_before
        self._listener = listener
        self._settings = settings
        self._serial = serial
        self._security = security
        self._wire = wire
        self._bus = bus
        self._clock = clock
        self._stalled = False
        self._accepted: bool | None = None
        self._faults: dict[str, str] = {}

    async def run(self) -> PayoutOutcome:
        """Pay the rest of the order, or return why that is impossible; raise what the bus or the listener raises."""
        outcome = None if self._counter is None else await self._account()
        fruitless = 0
        while outcome is None and self.paid < self._coins:
            if fruitless == TRIES:
                tried = f'{TRIES} dispenses in a row brought no coin; [hopper] security is "{self._settings.security}"'
                return self._ended(PayoutEnd.STOPPED, {"dispense_refused": tried})
            before = self.paid
            outcome = await self._dispense() or await self._account()
            fruitless = 0 if self.paid > before else fruitless + 1
        return outcome or self._ended(PayoutEnd.DONE)

    async def settle(self) -> PayoutOutcome:
        """Stop the announced dispense and book its coins; dispense nothing more."""
        if self._counter is None:
            return self._ended(PayoutEnd.STOPPED)
        await self._wire.stop()
        await self._bus.quiet(FALL_S)
        return await self._account() or self._ended(PayoutEnd.STOPPED)

    async def _dispense(self) -> PayoutOutcome | None:
        """Announce a dispense of the unpaid coins and send it once, or return why none may be sent."""
        registers = await self._made_fit()
        if registers.live:
            return self._ended(PayoutEnd.STOPPED, registers.live)
        if wanted := forbidden(registers, self._settings, self._security):
            return self._ended(PayoutEnd.STOPPED, {"hopper_security": wanted})
        await self._wire.enable()
        status = await self._wire.status()
        if status.remaining:
            # Coins of a foreign dispense must not count for this order.
            await self._wire.stop()
            await self._bus.quiet(FALL_S)
            status = await self._wire.status()
            if status.remaining:
                raise self._goes_on()
        coins = 1 if Flag.SINGLE_COIN in registers else self._coins - self.paid
        self._counter = status.counter
        self._lifetime = await self._wire.lifetime()
        self._before = self.paid
        # This must be the last request before the dispense: a hopper may refuse a dispense that does not directly
        # follow its cipher key.
        security = await self._security.code(self._bus, self._wire.address)
        await self._listener.dispensing(self._serial, self._counter, self._lifetime)
        self._accepted = await self._wire.dispense(security, coins)
        if self._accepted is None:
            await self._bus.quiet(LATE_S)
        return None

    async def _made_fit(self) -> Registers:
        """Reset the hopper if that may clear a fault, enter its PIN, and return the registers afterwards."""
        registers = await self._wire.registers()
        if registers.needs_reset or registers.live:
            if Flag.MEMORY in registers:
                self._faults[Flag.MEMORY.code] = f"{Flag.MEMORY.words}; it was reset"
            await self._wire.reset()
            registers = await self._wire.registers()
        if Flag.PIN in registers and self._settings.pin:
            await self._wire.enter_pin(bytes.fromhex(self._settings.pin))
            registers = await self._wire.registers()
        return registers

    async def _account(self) -> PayoutOutcome | None:
        """Follow the announced dispense to its end and book every coin; return None if a new dispense may be sent."""
        status = await self._stand_still()
        passed = await self._book()
        registers = await self._wire.registers()
        contradiction = self._contradiction(status, registers, passed)
        if contradiction:
            return self._ended(PayoutEnd.UNDECIDED, {"hopper_memory": contradiction}, recount=True)
        # The flags belong to the announced dispense only if the hopper accepted it.
        if status.counter == self._stepped():
            self._faults |= registers.of_dispense
            if registers.end is PayoutEnd.UNDECIDED or (registers.end and self.paid < self._coins):
                return self._ended(registers.end, registers.live)
        if self.paid >= self._coins:
            return self._ended(PayoutEnd.DONE)
        if self._stalled:
            return self._ended(PayoutEnd.JAMMED, {"hopper_jam": f"it neither paid nor gave up for {STALL_S:.0f} s"})
        wanted = refused(registers, self._settings)
        if self._accepted is False and wanted:
            return self._ended(PayoutEnd.STOPPED, {"hopper_security": wanted})
        return None

    def _contradiction(self, status: Status, registers: Registers, passed: int | None) -> str:
        """Return why the number of coins paid is uncertain; empty if the counters agree."""
        if Flag.MEMORY in registers:
            return Flag.MEMORY.words
        if passed is None:
            return "its lifetime counter contradicts the coins that were booked"
        if status.counter not in {0, self._counter, self._stepped()}:
            return f"its event counter is {status.counter}: somebody else used it"
        ours = status.counter == self._stepped() or (status.counter == 0 and Flag.POWER_DOWN in registers)
        dispensed = status.paid + status.unpaid
        # Some hoppers increment their counter for a refused dispense too, and still report the previous one.
        if ours and dispensed and self._accepted is not False and passed <= self._coins:
            if dispensed not in {1, self._coins - self._before}:
                return f"its newest dispense was of {dispensed} coins, not of {self._coins - self._before}"
            if self._before + status.paid != passed:
                return f"its status means {self._before + status.paid} coins, its lifetime counter {passed}"
        return ""

    def _stepped(self) -> int:
        """Return the event counter after the announced dispense; the counter is 0 only after a power-up."""
        return (self._counter or 0) % LAST_COUNTER + 1

    async def _stand_still(self) -> Status:
        """Book coins as they pass until the hopper is done; stop a hopper that neither pays nor gives up."""
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
                raise self._goes_on()
            if self._clock.now() - moved_at > STALL_S:
                self._stalled = True
                await self._wire.stop()
                await self._bus.quiet(FALL_S)
            else:
                await self._clock.sleep(self._settings.poll_ms / 1000)

    def _goes_on(self) -> WireError:
        """Return the error for a hopper whose further coins cannot be told from this order's."""
        return WireError(f"{self._bus}: the hopper goes on after an emergency stop: switch it off")

    async def _book(self) -> int | None:
        """Report each unreported coin that passed; return the total that passed, None if the counter is impossible.

        Coins beyond the order also left the hopper, so they are reported too.
        """
        counted = await self._wire.lifetime()
        passed = self._before + (counted - (self._lifetime or 0)) % LIFETIME_SPAN
        if not self.paid <= passed <= self._coins + MAX_DISPENSE:
            return None
        while self.paid < passed:
            await self._listener.coin_paid(self.paid + 1)
            self.paid += 1
        if passed > self._coins:
            self._faults["hopper_runaway"] = f"{passed - self._coins} coins more than the {self._coins} ordered"
        return passed

    def _ended(
        self, end: PayoutEnd, faults: Mapping[str, str] | None = None, *, recount: bool = False
    ) -> PayoutOutcome:
        """Return the outcome with all faults of this payout."""
        details = {**self._faults, **(faults or {})}
        unpaid = self._coins - self.paid
        words = {code: f"{text}; {unpaid} coins unpaid" if unpaid > 0 else text for code, text in details.items()}
        return PayoutOutcome(end=end, faults=tuple(words.items()), recount=recount)
