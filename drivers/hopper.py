"""The driver of a ccTalk hopper: pays orders, and watches that no coin leaves unordered."""

import asyncio
from contextlib import suppress

from drivers.capabilities import DeviceLog, PayoutEnd, PayoutListener, PayoutOrder
from drivers.cctalk import HOST, MAX_ADDRESS
from drivers.cctalk_bus import Bus
from drivers.cctalk_link import Identity, found, identify
from drivers.clock import Clock
from drivers.errors import DriverError, NoReplyError, SettingsError
from drivers.hopper_wire import LIFETIME_SPAN, MAX_DISPENSE, HopperWire, Status
from drivers.payout import Payout
from drivers.port import Port
from drivers.wiring import Hopper as Settings

CATEGORY = "Payout"
WATCH_S = 1.0
LAST_WORD_S = 1.0
ENDED_WELL_CLEARS = ("hopper_empty", "hopper_jam", "dispense_refused")


class Hopper:
    """A hopper, a `drivers.capabilities.Dispenser`.

    `ready` while the right device answers; `identity` is what it said. It owns the limit of coins per order.
    Raises `SettingsError` for settings that cannot work.
    """

    name = "hopper"

    def __init__(self, settings: Settings, port: Port, clock: Clock, faults: DeviceLog) -> None:
        if not HOST < settings.address <= MAX_ADDRESS:
            raise SettingsError(f"[hopper] address = {settings.address}: a device's is 2 to 255, usually 3")
        if not 0 < settings.max_coins <= MAX_DISPENSE:
            raise SettingsError(f"[hopper] max_coins = {settings.max_coins}: one dispense pays 1 to {MAX_DISPENSE}")
        if settings.coin_value_cents <= 0 or settings.poll_ms <= 0:
            raise SettingsError("[hopper] coin_value_cents and poll_ms must be above 0")
        self.coin_value_cents = settings.coin_value_cents
        self.ready = False
        self.identity: Identity | None = None
        self._settings = settings
        self._bus = Bus(port, clock)
        self._wire = HopperWire(self._bus, settings.address)
        self._clock = clock
        self._faults = faults
        self._in_use = asyncio.Lock()
        self._idle: tuple[Status, int] | None = None

    def __repr__(self) -> str:
        return f"<Hopper {self._settings.port} {'ready' if self.ready else 'not ready'}>"

    async def run(self) -> None:
        """Serve the device until cancelled; raise a `DriverError` when it is lost."""
        settings = self._settings
        try:
            # Questions only: a payout may be under way that our predecessor began.
            self.identity = await identify(self._bus, settings.address, category=CATEGORY, serial=settings.serial)
            self._idle = None
            await self._watch()
            await found(self.name, self.identity, self._faults)
            self.ready = True
            while True:
                await self._clock.sleep(WATCH_S)
                await self._watch()
        except asyncio.CancelledError:
            # A payout that is cancelled with us needs the line a moment longer, to stop its motor (P6).
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_WORD_S), self._in_use:
                    pass
            raise
        finally:
            self.stop()

    def stop(self) -> None:
        """Release the port; a payout under way fails, and goes on as an interrupted order."""
        self.ready = False
        self._bus.close()

    async def pay(self, order: PayoutOrder, listener: PayoutListener) -> PayoutEnd:
        """Pay an order, or finish one that was interrupted, without ever sending a dispense twice.

        A `DriverError` leaves the order open: pay it again, with what the journal then knows, once the hopper is
        `ready`. `UNDECIDED` is for counters that contradict each other. Raise `SettingsError` for an order beyond
        the hopper's limit, `NoReplyError` where it is not ready.
        """
        most = order.coins if order.lifetime is None else order.paid
        if not 0 <= order.paid_before <= order.paid <= most or not 0 < order.coins <= self._settings.max_coins:
            raise SettingsError(
                f"an order of {order.coins} coins, {order.paid} paid: this hopper pays 1 to {self._settings.max_coins}"
            )
        if (order.event_counter is None) != (order.lifetime is None):
            raise SettingsError("an announced order has both, an event counter and a lifetime count")
        async with self._in_use:
            if not self.ready or self.identity is None:
                raise NoReplyError(f"{self}: cannot pay now; pay the order when it is ready")
            payout = Payout(
                order,
                listener,
                device=self.name,
                serial=self.identity.serial,
                wire=self._wire,
                bus=self._bus,
                clock=self._clock,
                poll_s=self._settings.poll_ms / 1000,
            )
            try:
                end = await payout.run()
            except BaseException:
                # Nobody counts any more: stop the motor, if it can still be reached. The order stays open.
                with suppress(DriverError):
                    await self._wire.stop(attempts=1)
                raise
            finally:
                self._idle = None
            # What leaves from the last count on, left unordered: nobody looks away in between.
            with suppress(DriverError):
                self._idle = await self._wire.status(), payout.counted
            # It is disabled by every start, too; a line that fails now is the watch's to report.
            with suppress(DriverError):
                await self._wire.disable()
        if end is PayoutEnd.DONE:
            for code in ENDED_WELL_CLEARS:
                await self._faults.device_fault(self.name, code, present=False)
        return end

    async def _watch(self) -> None:
        """See that the device is there and that no coin leaves while none is ordered."""
        async with self._in_use:
            status, lifetime = await self._wire.status(), await self._wire.lifetime()
            if self._idle is not None and not self._idle[0].remaining:
                extra = (lifetime - self._idle[1]) % LIFETIME_SPAN
                if extra:
                    detail = f"{extra} coins left while none was ordered"
                    await self._faults.device_fault(self.name, "hopper_runaway", present=True, detail=detail)
            self._idle = status, lifetime
