"""The hopper in a service test: it gives coins that nobody is paid with, and each is owed back to it (T.10).

The dispense is the real one, driven by the real driver; `controller.journal.diagnostics` records it.
One that was cut off is settled as soon as its hopper answers again: the motor is stopped, and what had left is counted.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from controller.hardware import hopper_books
from controller.hardware.money_listener import MoneyListener
from controller.journal.diagnostics import hopper_diagnostic
from controller.journal.transaction import Transaction
from controller.machine.journal_port import JournalPort
from drivers.capabilities import Dispenser, PayoutEnd, PayoutOrder, PayoutOutcome
from drivers.clock import Clock
from drivers.errors import DriverError

LOOK_S = 1.0
"""How often a dispense that was cut off is tried to be settled."""
_NEVER_SENT = PayoutOutcome(end=PayoutEnd.STOPPED)


class DiagnosticDispense:
    """The test's side of one hopper, a `drivers.capabilities.PendingBooks`; `on_coin` hears of each coin given."""

    def __init__(self, journal: JournalPort, clock: Clock, listener: MoneyListener, hopper: Dispenser) -> None:
        self.on_coin: Callable[[int], None] = lambda _paid: None
        self._journal = journal
        self._clock = clock
        self._listener = listener
        self._hopper = hopper
        self._in_use = asyncio.Lock()
        self._left = True

    def __repr__(self) -> str:
        return f"<DiagnosticDispense {'in use' if self._in_use.locked() else 'idle'}>"

    async def run(self) -> None:
        """Settle a dispense that was cut off, by a power cut too, whenever that can be done; until cancelled."""
        while True:
            if self._left and self._hopper.ready and not self._in_use.locked():
                # The hopper's own task reports what is wrong; another hopper's coins are counted when it is back.
                with suppress(DriverError):
                    await self.settle()
            await self._clock.sleep(LOOK_S)

    async def dispense(self, coins: int) -> PayoutOutcome:
        """Have the hopper give so many coins, and return how it ended.

        Raise `RefusedError` while a payout or an earlier dispense is open, or coins are missing, and what
        `Dispenser.pay` raises. Cancelled, it stops the motor; `settle` counts what has left.
        """
        async with self._in_use:
            value = self._hopper.coin_value_cents
            begun = await self._journal.attempt(lambda tx: hopper_diagnostic.begin(tx, coins, value))
            self._left = True
            outcome = await self._hopper.pay(begun.order, self)
            await self.settled(outcome)
            return outcome

    async def settle(self) -> PayoutOutcome | None:
        """Stop and count a dispense that was cut off; return how it ended, None where there was none.

        Raise what `Dispenser.settle_pending` raises: it is then tried again by itself.
        """
        async with self._in_use:
            held = await self._journal.do(hopper_diagnostic.running)
            if held is not None and held.serial is None:
                await self.settled(_NEVER_SENT)
                return _NEVER_SENT
            outcome = None if held is None else await self._hopper.settle_pending(self)
            self._left = False
            return outcome

    async def pending(self) -> PayoutOrder | None:
        """Return the dispense that was cut off; a payout that its hopper began in the meantime has ended it."""
        held = await self._journal.do(hopper_diagnostic.running)
        return None if held is None else held.order

    async def dispensing(self, serial: int, event_counter: int, lifetime: int) -> None:
        """Record the hopper and its counters before the dispense is sent."""
        value, by_level = self._hopper.coin_value_cents, self._listener.counts_by_level
        await self._listener.book(
            lambda tx: hopper_books.dispensing_for_test(tx, serial, event_counter, lifetime, value, by_level=by_level)
        )

    async def coin_paid(self, paid: int) -> None:
        """Count a coin that has passed the exit."""
        await self._listener.book(lambda tx: hopper_diagnostic.coin_passed(tx, paid))
        self.on_coin(paid)

    async def coins_boxed(self, serial: int, lifetime: int, coins: int) -> int:
        """Book what fell into the cash box on its way out."""
        return await self._listener.coins_boxed(serial, lifetime, coins)

    async def boxes_acknowledged(self, serial: int, lifetime: int) -> None:
        """Record that it was acknowledged."""
        await self._listener.boxes_acknowledged(serial, lifetime)

    async def settled(self, outcome: PayoutOutcome) -> None:
        """Write how the dispense ended, unless a payout by its hopper has ended it first."""
        how = ", ".join((outcome.end.value, *(text for _code, text in outcome.faults)))

        def end(tx: Transaction) -> None:
            if hopper_diagnostic.running(tx) is not None:
                hopper_diagnostic.end(tx, how, recount=outcome.recount)

        await self._journal.do(end)
        self._left = False
