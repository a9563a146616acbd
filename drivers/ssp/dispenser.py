"""Base class of SSP hoppers and recyclers, a `drivers.capabilities.Dispenser`."""

import asyncio
from contextlib import suppress
from typing import Final

from drivers.capabilities import (
    Level,
    PayoutListener,
    PayoutOrder,
    PayoutOutcome,
    StockCount,
    StockListener,
)
from drivers.clock import Clock
from drivers.currency import Currency
from drivers.errors import DriverError, NoReplyError, SettingsError
from drivers.link_faults import found
from drivers.payout_orders import LAST_WORD_S, REPORT_AGAIN_S, PayoutOrders, PayoutWork
from drivers.ssp.payout import SspPayout, note_ends
from drivers.ssp.payout_events import PayoutEvent
from drivers.ssp.payout_wire import PayoutWire
from drivers.ssp.protocol import Event, PolledEvent
from drivers.ssp.stock import Stock
from drivers.ssp.stock_move import MOVING, keep_units, let_out
from drivers.wiring import Hopper as Settings

WATCH_S: Final = 1.0
MOST_COINS: Final = 255


LIVE: Final = {
    PayoutEvent.HOPPER_JAMMED: ("hopper_jam", "it is jammed"),
    PayoutEvent.OUT_OF_SERVICE: ("hopper_motor", "its payout is out of service"),
    PayoutEvent.CALIBRATION_FAILED: ("hopper_sensor", "its calibration failed"),
    Event.FRAUD: ("hopper_sensor", "it saw an attempt to draw coins out"),
}
"""Faults that a poll reports outside of a payout."""

WATCHED: Final = ("hopper_jam", "hopper_motor", "hopper_sensor", "hopper_memory")
"""Faults that end when a poll does not report them; contradictions (`hopper_memory`) end after their report."""
ENDED_WELL_CLEARS: Final = frozenset({"hopper_empty", "hopper_jam", "hopper_memory", "dispense_refused"})


class SspDispenser(PayoutOrders):
    """A hopper or a recycler that pays in steps of `coin_value_cents`.

    `identity` describes the device; `level` is `FULL` if it holds its float. Fewer than `low_units` units are `LOW`.
    """

    name = "hopper"
    most_announced = MOST_COINS
    ordered_in = "times its value"
    ended_well_clears = ENDED_WELL_CLEARS
    low_units = 0
    takes_coins = False
    """Whether coins may come in at any time, so that its levels alone do not show what a move took."""

    _listener: StockListener

    def __init__(self, settings: Settings, clock: Clock, listener: StockListener, *, currency: Currency) -> None:
        if not 0 < settings.max_coins <= MOST_COINS:
            raise SettingsError(f"[hopper] max_coins = {settings.max_coins}: one payout is of 1 to {MOST_COINS}")
        if settings.coin_value_cents <= 0 or settings.poll_ms <= 0:
            raise SettingsError("[hopper] coin_value_cents and poll_ms must be above 0")
        self.coin_value_cents = settings.coin_value_cents
        self.ready = False
        self.level = Level.UNKNOWN
        self.identity: str | None = None
        self._settings = settings
        self._clock = clock
        self._listener = listener
        self._currency = currency
        self._in_use = asyncio.Lock()
        self._wire: PayoutWire | None = None
        self._serial = 0
        self._settled = self._counted = False
        self._end_events: list[PolledEvent] = []
        self._present: dict[str, str] | None = None
        self._report_again_at = 0.0
        self._reported_level: Level | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._settings.port} {'ready' if self.ready else 'not ready'}>"

    @property
    def serial(self) -> int | None:
        """The serial number of the device that answers, None if none does."""
        return self._serial if self.ready else None

    @property
    def most_coins(self) -> int:
        """How many units an order may have."""
        return self._settings.max_coins

    async def _work(self, order: PayoutOrder, listener: PayoutListener, work: PayoutWork) -> PayoutOutcome:
        """Pay or settle an order, with exclusive use of the device."""
        wire = self._wire
        if not self.ready or wire is None:
            raise NoReplyError(f"{self}: cannot pay now; pay the order when it is ready")
        self._require_same(order, self._serial)
        payout = SspPayout(
            order,
            listener,
            unit_cents=self.coin_value_cents,
            currency=self._currency.code,
            serial=self._serial,
            wire=wire,
            clock=self._clock,
            news=self._end_events,
        )
        self._settled = False
        try:
            await self._make_way()
            outcome = await work(payout)
        except BaseException:
            # The payout is not counted from here: try to halt the device. The order stays open.
            with suppress(DriverError, TimeoutError):
                async with asyncio.timeout(LAST_WORD_S):
                    await wire.halt()
            raise
        finally:
            self._present = None
        # If this fails, the next watch reports it.
        with suppress(DriverError):
            await self._clear_away(wire)
        return outcome

    async def _make_way(self) -> None:
        """Stop everything else that the device does; called before an order."""

    async def _clear_away(self, wire: PayoutWire) -> None:
        """Restore the device's state between orders."""
        await wire.disable()

    async def _found(self, identity: str, serial: int, wire: PayoutWire) -> None:
        """Log that the right device was found, and count its contents."""
        self.identity, self._serial, self._wire = identity, serial, wire
        self._present = self._reported_level = None
        await found(self.name, identity, self._listener)
        await self._listener.device_fault(self.name, "settings", present=False)
        while await self._watch(wire):  # halt a move that an earlier run started, and count before anything is paid
            await wire.halt()
            await self._clock.sleep(WATCH_S)
        self.ready = True

    def _lost(self) -> None:
        self.ready = self._settled = self._counted = False
        self.level = Level.UNKNOWN
        self._wire = None

    async def _watch(self, wire: PayoutWire) -> bool:
        """Poll the device, count its contents, report faults, and halt a payout without an order.

        Return whether it is moving its contents into the cash box.
        """
        async with self._in_use:
            events = await wire.poll()
            note_ends(self._end_events, events)
            paying = any(one.event is PayoutEvent.DISPENSING for one in events)
            moving = any(one.event in MOVING for one in events)
            keep: int | None = None
            if not paying and not moving and self._still:
                keep = await self._take_stock(wire)
            elif paying and self._settled:
                await wire.halt()
                detail = "it was paying what nobody had ordered, and was halted"
                await self._listener.device_fault(self.name, "hopper_runaway", present=True, detail=detail)
            await self._report_faults(events)
            if self._settled:
                self._end_events.clear()
                await wire.acknowledge()
                if keep is None:
                    await self._between_orders(wire)
                else:
                    await self._move(wire, keep)
        return moving

    async def _take_stock(self, wire: PayoutWire) -> int | None:
        """Count the contents; return how many units to keep, None if nothing is to be moved to the cash box."""
        stock = await wire.stock()
        boxed = None if self._counted else await self._boxed(wire)
        taken = await self._listener.stock_counted(self._found_in(stock, boxed))
        self._settled = self._counted = taken.settled
        await self._report_level(stock.units)
        return taken.keep

    def _found_in(self, stock: Stock, boxed: dict[int, int] | None) -> StockCount:
        gone = let_out(tuple(self._end_events), self.coin_value_cents, self._currency.code)
        return StockCount(serial=self._serial, lifetime=stock.count, pieces=stock.pieces, let_out=gone, boxed=boxed)

    async def _boxed(self, wire: PayoutWire) -> dict[int, int] | None:
        return await wire.boxed() if self.takes_coins else None

    async def _move(self, wire: PayoutWire, keep: int) -> None:
        """Move everything beyond `keep` units into the cash box, and report the remaining stock."""
        await self._make_way()
        began = False

        async def begin() -> None:
            nonlocal began
            began = True
            await self._listener.stock_moving(self._serial, {})

        await self._listener.stock_moving(self._serial, await self._boxed(wire))
        refusal, said = await keep_units(wire, self._clock, keep, begin)
        note_ends(self._end_events, said)
        boxed = await self._boxed(wire) if began else None
        await self._listener.stock_moved(self._found_in(await wire.stock(), boxed), refusal)
        self._end_events.clear()
        await wire.acknowledge()
        await self._clear_away(wire)

    @property
    def _still(self) -> bool:
        """Whether nothing is moving into the device."""
        return True

    async def _between_orders(self, wire: PayoutWire) -> None:
        """Do tasks that are not allowed while an order is open."""

    @property
    def _full(self) -> bool:
        return self.level is Level.FULL

    async def _report_level(self, units: int) -> None:
        most = self._settings.float_coins
        self.level = Level.FULL if most and units >= most else Level.LOW if units < self.low_units else Level.NORMAL
        if self.level is not self._reported_level:
            self._reported_level = self.level
            await self._listener.device_fault(self.name, "hopper_low", present=self.level is Level.LOW)

    async def _report_faults(self, events: tuple[PolledEvent, ...]) -> None:
        faults = dict(LIVE[one.event] for one in events if one.event in LIVE)
        if faults == self._present and self._clock.now() < self._report_again_at:
            return
        self._report_again_at = self._clock.now() + REPORT_AGAIN_S
        for code in WATCHED:
            await self._listener.device_fault(self.name, code, present=code in faults, detail=faults.get(code, ""))
        self._present = faults
