"""What every dispenser does with an order: check it, work on it alone, clear the faults that its end proves over."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import ClassVar, Final, Protocol

from drivers.capabilities import Faults, PayoutEnd, PayoutListener, PayoutOrder, PayoutOutcome, PendingBooks
from drivers.errors import IdentityError, SettingsError

LAST_WORD_S: Final = 1.0
REPORT_AGAIN_S: Final = 10.0
"""How often a watch says again what is over: a payout may have raised it after the watch had said so."""


class PayoutInWork(Protocol):
    """An order with the device that works on it."""

    async def run(self) -> PayoutOutcome:
        """Pay it to its end."""

    async def settle(self) -> PayoutOutcome:
        """Stop it, and book what it has given."""


PayoutWork = Callable[[PayoutInWork], Coroutine[object, object, PayoutOutcome]]
"""Paying or settling one order."""


def _run(payout: PayoutInWork) -> Coroutine[object, object, PayoutOutcome]:
    return payout.run()


def _settle(payout: PayoutInWork) -> Coroutine[object, object, PayoutOutcome]:
    return payout.settle()


class PayoutOrders(ABC):
    """The orders of a `drivers.capabilities.Dispenser`, one at a time; it does the work on one in `_work`.

    `most_announced` is what an order that was announced may have been, `ordered_in` the units of its number in words,
    `ended_well_clears` the faults that are over once an order has ended well.
    """

    name: str
    most_announced: ClassVar[int]
    ordered_in: ClassVar[str]
    ended_well_clears: ClassVar[frozenset[str]]
    _in_use: asyncio.Lock
    _listener: Faults

    def __str__(self) -> str:
        return self.name

    @property
    @abstractmethod
    def most_coins(self) -> int:
        """How many coins an order may have."""

    async def pay(self, order: PayoutOrder, listener: PayoutListener) -> PayoutOutcome:
        """Pay an order, or finish one that was interrupted, without ever sending a dispense twice.

        A `DriverError` leaves the order open: pay it again, with what the journal then knows, once the device is
        `ready`. `UNDECIDED` is for counters that contradict each other and coins that were perhaps not counted. Raise
        `SettingsError` for a new order beyond the limit, `NoReplyError` where the device is not ready, `IdentityError`
        for an order that another device began.
        """
        return await self._work_on(order, listener, _run)

    async def settle(self, order: PayoutOrder, listener: PayoutListener) -> PayoutOutcome:
        """Stop an order that was announced and book what it has given; nothing more of it is paid.

        Raise what `pay` raises.
        """
        return await self._work_on(order, listener, _settle)

    async def settle_pending(self, books: PendingBooks) -> PayoutOutcome | None:
        """Settle the order that `books` have pending once the device is free; return None where there is none.

        A payout that used the device in the meantime has settled it already. Raise what `pay` raises.
        """
        async with self._in_use:
            order = await books.pending()
            if order is None:
                return None
            self._check(order)
            outcome = await self._work(order, books, _settle)
            await books.settled(outcome)
        await self._ended(outcome)
        return outcome

    async def _work_on(self, order: PayoutOrder, listener: PayoutListener, work: PayoutWork) -> PayoutOutcome:
        self._check(order)
        async with self._in_use:
            outcome = await self._work(order, listener, work)
        await self._ended(outcome)
        return outcome

    @abstractmethod
    async def _work(self, order: PayoutOrder, listener: PayoutListener, work: PayoutWork) -> PayoutOutcome:
        """Pay or settle an order that was checked; the device is in use by it alone."""

    def _check(self, order: PayoutOrder) -> None:
        # One that was announced is finished and counted even where fewer coins are allowed since.
        announced = order.lifetime is not None
        most_paid = order.paid if announced else order.coins
        most_coins = self.most_announced if announced else self.most_coins
        if not 0 <= order.paid_before <= order.paid <= most_paid or not 0 < order.coins <= most_coins:
            raise SettingsError(
                f"an order of {order.coins} {self.ordered_in}, {order.paid} paid: this hopper pays 1 to {most_coins}"
            )

    def _require_same(self, order: PayoutOrder, serial: int) -> None:
        """Raise `IdentityError` for an order that another device than `serial` began."""
        if order.serial not in {None, serial}:
            raise IdentityError(
                f"{self}: hopper {order.serial} began this payout, {serial} answers now: put it back, "
                "or have the attendant end the payout"
            )

    async def _ended(self, outcome: PayoutOutcome) -> None:
        """Clear what an order that ended well proves to be over."""
        if outcome.end is PayoutEnd.DONE:
            for code in sorted(self.ended_well_clears - dict(outcome.faults).keys()):
                await self._listener.device_fault(self.name, code, present=False)

    async def _last_word(self) -> None:
        """Leave the line to an order that is cancelled with the driver a moment longer, to stop its motor (P6)."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_WORD_S), self._in_use:
                pass
