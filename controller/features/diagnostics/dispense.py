"""Dispenses hopper coins in a service test: no player is paid, and the coins must be put back (T.10).

The dispense uses the real driver; `controller.journal.diagnostics` records it. An interrupted dispense is settled as
soon as the hopper answers again: the motor is stopped, and the coins that left are counted.
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
"""The interval, in seconds, at which an interrupted dispense is tried to be settled."""
_NEVER_SENT = PayoutOutcome(end=PayoutEnd.STOPPED)


class DiagnosticDispense:
    """The test's books for one hopper, a `drivers.capabilities.PendingBooks`; `on_coin` is called for each coin."""

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
        """Settle an interrupted dispense, also one from before a power cut, as soon as possible; until cancelled."""
        while True:
            if self._left and self._hopper.ready and not self._in_use.locked():
                # The hopper's own task reports faults. Another hopper's coins are counted when that hopper is back.
                with suppress(DriverError):
                    await self.settle()
            await self._clock.sleep(LOOK_S)

    async def dispense(self, coins: int) -> PayoutOutcome:
        """Dispense `coins` coins and return the outcome.

        Raise `RefusedError` while a payout or an earlier dispense is open or coins are missing, and the errors of
        `Dispenser.pay`. If cancelled, it stops the motor; `settle` counts what has left.
        """
        async with self._in_use:
            value = self._hopper.coin_value_cents
            begun = await self._journal.attempt(lambda tx: hopper_diagnostic.begin(tx, coins, value))
            self._left = True
            outcome = await self._hopper.pay(begun.order, self)
            await self.settled(outcome)
            return outcome

    async def settle(self) -> PayoutOutcome | None:
        """Stop and count an interrupted dispense; return its outcome, or None if there was none.

        Raise the errors of `Dispenser.settle_pending`; the settlement is then retried automatically.
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
        """Return the interrupted dispense; a payout that its hopper began in the meantime has ended it."""
        held = await self._journal.do(hopper_diagnostic.running)
        return None if held is None else held.order

    async def dispensing(self, serial: int, event_counter: int, lifetime: int) -> None:
        """Record the hopper and its counters before the dispense is sent."""
        value, by_level = self._hopper.coin_value_cents, self._listener.counts_by_level
        await self._listener.book(
            lambda tx: hopper_books.dispensing_for_test(tx, serial, event_counter, lifetime, value, by_level=by_level)
        )

    async def coin_paid(self, paid: int) -> None:
        """Count a coin that passed the exit."""
        await self._listener.book(lambda tx: hopper_diagnostic.coin_passed(tx, paid))
        self.on_coin(paid)

    async def coins_boxed(self, serial: int, lifetime: int, coins: int) -> int:
        """Book coins that fell into the cash box on their way out."""
        return await self._listener.coins_boxed(serial, lifetime, coins)

    async def boxes_acknowledged(self, serial: int, lifetime: int) -> None:
        """Record that the device acknowledged them."""
        await self._listener.boxes_acknowledged(serial, lifetime)

    async def settled(self, outcome: PayoutOutcome) -> None:
        """Record the outcome of the dispense, unless a payout by its hopper has already ended it."""
        how = ", ".join((outcome.end.value, *(text for _code, text in outcome.faults)))

        def end(tx: Transaction) -> None:
            if hopper_diagnostic.running(tx) is not None:
                hopper_diagnostic.end(tx, how, recount=outcome.recount)

        await self._journal.do(end)
        self._left = False
