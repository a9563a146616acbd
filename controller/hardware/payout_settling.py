"""Settles held payouts: a hopper that answers again reports by its own counters what had left it.

Its motor is stopped first. Each coin is booked as part of that payout; coins that never left the hopper are the
player's.
"""

from contextlib import suppress

from controller.hardware import hopper_books
from controller.hardware.money_listener import MoneyListener
from controller.journal import held_payouts
from controller.machine.conditions import Conditions
from controller.machine.journal_port import JournalPort
from controller.machine.state_machine import StateMachine
from drivers.capabilities import Dispenser, PayoutOrder, PayoutOutcome, PendingBooks
from drivers.clock import Clock
from drivers.errors import DriverError

LOOK_S = 1.0
"""The interval in seconds between attempts while something is held."""


class PayoutSettling:
    """Lets the hopper settle its own held payouts."""

    def __init__(
        self,
        journal: JournalPort,
        conditions: Conditions,
        states: StateMachine,
        clock: Clock,
        *,
        listener: MoneyListener,
        hopper: Dispenser,
    ) -> None:
        self._journal = journal
        self._conditions = conditions
        self._states = states
        self._clock = clock
        self._listener = listener
        self._hopper = hopper

    async def run(self) -> None:
        """Settle held payouts whenever the hopper answers, until cancelled."""
        while True:
            if self._conditions.held_cents:
                # The hopper's own task reports its errors.
                with suppress(DriverError):
                    await self.settle()
            await self._clock.sleep(LOOK_S)

    async def settle(self) -> None:
        """Settle the held payout of the hopper that answers; raise the exceptions of `Dispenser.settle_pending`."""
        serial = self._hopper.serial
        held = None if serial is None else await self._journal.do(lambda tx: held_payouts.held_by(tx, serial))
        if serial is None or held is None:
            return
        if held.coin_value_cents != self._hopper.coin_value_cents:
            # Its serial number may be that of many, and levels are counted in another step: they prove nothing.
            await self._listener.book(lambda tx: held_payouts.cannot_settle(tx, held.id))
            return
        if await self._hopper.settle_pending(_Books(self._journal, self._listener, serial)) is not None:
            self._states.money_came()


class _Books(PendingBooks):
    """The books of the payout that is held for hopper `serial`."""

    def __init__(self, journal: JournalPort, listener: MoneyListener, serial: int) -> None:
        self._journal = journal
        self._listener = listener
        self._serial = serial
        self._payout = 0

    async def pending(self) -> PayoutOrder | None:
        """Return the order held for the hopper now; a payout or a technician may have settled it in the meantime."""
        held = await self._journal.do(lambda tx: held_payouts.held_by(tx, self._serial))
        if held is None:
            return None
        self._payout = held.id
        return hopper_books.order_of(held)

    async def dispensing(self, serial: int, event_counter: int, lifetime: int) -> None:
        """Refuse: a payout that is being settled dispenses nothing."""
        raise RuntimeError(f"hopper {serial} was to pay more of payout {self._payout} ({event_counter}, {lifetime})")

    async def coin_paid(self, paid: int) -> None:
        """Book a coin that had left the hopper."""
        await self._listener.book(lambda tx: held_payouts.coin_left(tx, self._payout, paid))

    async def coins_boxed(self, serial: int, lifetime: int, coins: int) -> int:
        """Book coins that fell into the cash box on their way out."""
        return await self._listener.coins_boxed(serial, lifetime, coins)

    async def boxes_acknowledged(self, serial: int, lifetime: int) -> None:
        """Record that the coins in the cash box were acknowledged."""
        await self._listener.boxes_acknowledged(serial, lifetime)

    async def settled(self, outcome: PayoutOutcome) -> None:
        """Record what the hopper's counters say of the payout."""
        await self._listener.book(lambda tx: hopper_books.settled(tx, self._payout, outcome))
