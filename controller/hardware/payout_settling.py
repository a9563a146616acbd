"""Settles held payouts: a hopper that answers again says by its own counters what had left it.

Its motor is stopped first. Each coin is booked as one of that payout; what never left the hopper is the player's.
"""

from contextlib import suppress

from controller.hardware import hopper_books
from controller.hardware.money_listener import MoneyListener
from controller.journal import held_payouts
from controller.machine.machine import Machine
from drivers.capabilities import Dispenser, PayoutListener
from drivers.errors import DriverError

LOOK_S = 1.0
"""How often it is tried while something is held."""


class PayoutSettling:
    """The hopper as the one that settles its own held payouts."""

    def __init__(self, machine: Machine, listener: MoneyListener, hopper: Dispenser) -> None:
        self._machine = machine
        self._listener = listener
        self._hopper = hopper

    async def run(self) -> None:
        """Settle what is held whenever its hopper answers; until cancelled."""
        while True:
            if self._machine.held_cents:
                # The hopper's own task reports what is wrong with it.
                with suppress(DriverError):
                    await self.settle()
            await self._machine.clock.sleep(LOOK_S)

    async def settle(self) -> None:
        """Settle what the hopper that answers can; raise what `Dispenser.settle` raises."""
        serial = self._hopper.serial
        held = None if serial is None else await self._machine.do(lambda tx: held_payouts.held_by(tx, serial))
        if held is None:
            return
        outcome = await self._hopper.settle(hopper_books.order_of(held), _Books(self._listener, held.id))
        await self._listener.book(lambda tx: hopper_books.settled(tx, held.id, outcome))
        self._machine.money_came()


class _Books(PayoutListener):
    """Books the coins of one held payout."""

    def __init__(self, listener: MoneyListener, payout_id: int) -> None:
        self._listener = listener
        self._payout = payout_id

    async def dispensing(self, serial: int, event_counter: int, lifetime: int) -> None:
        """Refuse: a payout that is settled dispenses nothing."""
        raise RuntimeError(f"hopper {serial} was to pay more of payout {self._payout} ({event_counter}, {lifetime})")

    async def coin_paid(self, paid: int) -> None:
        """Book a coin that had left the hopper."""
        await self._listener.book(lambda tx: held_payouts.coin_left(tx, self._payout, paid))
