"""Base class of dispensers: check an order, work on one at a time, clear the faults that its success ends."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import ClassVar, Final, Protocol

from drivers.capabilities import Faults, PayoutEnd, PayoutListener, PayoutOrder, PayoutOutcome, PendingBooks
from drivers.errors import IdentityError, SettingsError

LAST_WORD_S: Final = 1.0
REPORT_AGAIN_S: Final = 10.0
"""How often a watch repeats that faults are over: a payout may have raised one in the meantime."""


class PayoutInWork(Protocol):
    """An order and the device that pays it."""

    async def run(self) -> PayoutOutcome:
        """Pay the order to its end."""

    async def settle(self) -> PayoutOutcome:
        """Stop the order and book what it paid."""


PayoutWork = Callable[[PayoutInWork], Coroutine[object, object, PayoutOutcome]]
"""Paying or settling one order."""


def _run(payout: PayoutInWork) -> Coroutine[object, object, PayoutOutcome]:
    return payout.run()


def _settle(payout: PayoutInWork) -> Coroutine[object, object, PayoutOutcome]:
    return payout.settle()


class PayoutOrders(ABC):
    """Handles the orders of a `drivers.capabilities.Dispenser` one at a time; subclasses implement `_work`.

    `most_announced` is the maximum of an announced order, `ordered_in` the unit of its number in words,
    `ended_well_clears` the faults that a successful order clears.
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

        A `DriverError` leaves the order open: pay it again with the journal's state when the device is `ready`.
        `UNDECIDED` means that counters contradict each other or coins may be uncounted. Raise `SettingsError` for a new
        order beyond the limit, `NoReplyError` if the device is not ready, `IdentityError` for an order that another
        device started.
        """
        return await self._work_on(order, listener, _run)

    async def settle(self, order: PayoutOrder, listener: PayoutListener) -> PayoutOutcome:
        """Stop an announced order and book what it paid; pay nothing more.

        Raise what `pay` raises.
        """
        return await self._work_on(order, listener, _settle)

    async def settle_pending(self, books: PendingBooks) -> PayoutOutcome | None:
        """Settle the pending order in `books` when the device is free; return None if there is none.

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
        """Pay or settle a checked order; the caller holds the device's lock."""

    def _check(self, order: PayoutOrder) -> None:
        # An announced order is finished and counted even if the limit was lowered since.
        announced = order.lifetime is not None
        most_paid = order.paid if announced else order.coins
        most_coins = self.most_announced if announced else self.most_coins
        if not 0 <= order.paid_before <= order.paid <= most_paid or not 0 < order.coins <= most_coins:
            raise SettingsError(
                f"an order of {order.coins} {self.ordered_in}, {order.paid} paid: this hopper pays 1 to {most_coins}"
            )

    def _require_same(self, order: PayoutOrder, serial: int) -> None:
        """Raise `IdentityError` if another device than `serial` started the order."""
        if order.serial not in {None, serial}:
            raise IdentityError(
                f"{self}: hopper {order.serial} began this payout, {serial} answers now: put it back, "
                "or have the attendant end the payout"
            )

    async def _ended(self, outcome: PayoutOutcome) -> None:
        """Clear the faults that a successful order ends."""
        if outcome.end is PayoutEnd.DONE:
            for code in sorted(self.ended_well_clears - dict(outcome.faults).keys()):
                await self._listener.device_fault(self.name, code, present=False)

    async def _last_word(self) -> None:
        """Give an order that is cancelled with the driver `LAST_WORD_S` to stop its motor (P6)."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_WORD_S), self._in_use:
                pass
