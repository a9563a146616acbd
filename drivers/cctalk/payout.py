"""One payout by a hopper: which coins passed its exit, and whether a dispense may be sent.

The hopper's lifetime counter decides: the coins of the newest announced dispense are what it has counted since.
A new dispense is announced only when every coin of the one before is booked.
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

STALL_S = 20.0  # no coin for so long, and the hopper has not given up by itself
FALL_S = 0.5  # a coin at the exit when the motor stops
LATE_S = 1.0  # how late a dispense may reach the hopper after its reply was missed
TRIES = 3


class Payout:
    """An order being paid: `paid` coins are booked; `run` or `settle` may be called, once."""

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
        """Pay the rest of the order, or find out why that is impossible; raise what the bus or the listener raises."""
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
        """Stop what was announced, and book the coins that it has given; nothing more is dispensed."""
        if self._counter is None:
            return self._ended(PayoutEnd.STOPPED)
        await self._wire.stop()
        await self._bus.quiet(FALL_S)
        return await self._account() or self._ended(PayoutEnd.STOPPED)

    async def _dispense(self) -> PayoutOutcome | None:
        """Announce a dispense of what is unpaid, and send it once; or return why this hopper must not be asked."""
        registers = await self._made_fit()
        if registers.live:
            return self._ended(PayoutEnd.STOPPED, registers.live)
        if wanted := forbidden(registers, self._settings, self._security):
            return self._ended(PayoutEnd.STOPPED, {"hopper_security": wanted})
        await self._wire.enable()
        status = await self._wire.status()
        if status.remaining:
            # Coins that nobody here ordered must not fall into this order's account.
            await self._wire.stop()
            await self._bus.quiet(FALL_S)
            status = await self._wire.status()
            if status.remaining:
                raise self._goes_on()
        coins = 1 if Flag.SINGLE_COIN in registers else self._coins - self.paid
        self._counter = status.counter
        self._lifetime = await self._wire.lifetime()
        self._before = self.paid
        # The last question before the dispense: a hopper may refuse one that does not follow its cipher key.
        security = await self._security.code(self._bus, self._wire.address)
        await self._listener.dispensing(self._serial, self._counter, self._lifetime)
        self._accepted = await self._wire.dispense(security, coins)
        if self._accepted is None:
            await self._bus.quiet(LATE_S)
        return None

    async def _made_fit(self) -> Registers:
        """Reset a hopper where that may help, enter its PIN, and return its registers after that."""
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
        """Follow what was announced to its end and book every coin; None where a new dispense may be sent."""
        status = await self._stand_still()
        passed = await self._book()
        registers = await self._wire.registers()
        contradiction = self._contradiction(status, registers, passed)
        if contradiction:
            return self._ended(PayoutEnd.UNDECIDED, {"hopper_memory": contradiction}, recount=True)
        # The flags are the newest dispense's only if that one was accepted.
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
        """Say why nobody can know how many coins the order got; empty where the counters agree."""
        if Flag.MEMORY in registers:
            return Flag.MEMORY.words
        if passed is None:
            return "its lifetime counter contradicts the coins that were booked"
        if status.counter not in {0, self._counter, self._stepped()}:
            return f"its event counter is {status.counter}: somebody else used it"
        ours = status.counter == self._stepped() or (status.counter == 0 and Flag.POWER_DOWN in registers)
        dispensed = status.paid + status.unpaid
        # Some hoppers step their counter for a refused dispense, too, and still report the one before.
        if ours and dispensed and self._accepted is not False and passed <= self._coins:
            if dispensed not in {1, self._coins - self._before}:
                return f"its newest dispense was of {dispensed} coins, not of {self._coins - self._before}"
            if self._before + status.paid != passed:
                return f"its status means {self._before + status.paid} coins, its lifetime counter {passed}"
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
                raise self._goes_on()
            if self._clock.now() - moved_at > STALL_S:
                self._stalled = True
                await self._wire.stop()
                await self._bus.quiet(FALL_S)
            else:
                await self._clock.sleep(self._settings.poll_ms / 1000)

    def _goes_on(self) -> WireError:
        """What to raise where coins may leave that cannot be distinguished from the order's."""
        return WireError(f"{self._bus}: the hopper goes on after an emergency stop: switch it off")

    async def _book(self) -> int | None:
        """Report each coin that passed and was not reported; return how many passed in all, None if impossible.

        Coins beyond the order left the hopper all the same: they are reported, too.
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
        """Return how it ended, with everything that went wrong on the way."""
        details = {**self._faults, **(faults or {})}
        unpaid = self._coins - self.paid
        words = {code: f"{text}; {unpaid} coins unpaid" if unpaid > 0 else text for code, text in details.items()}
        return PayoutOutcome(end=end, faults=tuple(words.items()), recount=recount)
