"""Driver of a ccTalk hopper: pays orders and detects coins that leave without an order."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress

from drivers.capabilities import (
    HopperListener,
    Level,
    PayoutEnd,
    PayoutListener,
    PayoutOrder,
    PayoutOutcome,
)
from drivers.cctalk.bus import Bus
from drivers.cctalk.coin_setup import COIN_ID_SIZE, other_coin
from drivers.cctalk.hopper_security import SECURITIES, Security, forbidden, is_pin, refused
from drivers.cctalk.hopper_status import DISPENSE_CODES, LIVE_CODES, Registers
from drivers.cctalk.hopper_wire import MAX_DISPENSE, HopperWire
from drivers.cctalk.link import Identity, identify, require_same
from drivers.cctalk.payout import Payout
from drivers.cctalk.protocol import Header
from drivers.cctalk.scan import Finder
from drivers.clock import Clock
from drivers.currency import Currency
from drivers.errors import DriverError, NoReplyError, SettingsError, WireError
from drivers.link_faults import found
from drivers.payout_orders import REPORT_AGAIN_S, PayoutOrders, PayoutWork
from drivers.port import Port
from drivers.wiring import Hopper as Settings

CATEGORY = "Payout"
WATCH_S = 1.0
LEVEL_S = 5.0
NO_LEVEL_S = 60.0  # a hopper that does not support the request costs the line three timeouts
RETEST_S = 10.0
LAST_ATTEMPTS = 2  # as many as fit into payout_orders.LAST_WORD_S
SECURITY = "hopper_security"
WATCHED = LIVE_CODES | {SECURITY}
ENDED_WELL_CLEARS = DISPENSE_CODES | {"dispense_refused"}
LEVEL_FAULTS = {"hopper_low": Level.LOW, "hopper_full": Level.FULL}


class Hopper(PayoutOrders):
    """A ccTalk hopper, a `drivers.capabilities.Dispenser`.

    `ready` is true while the right device answers; a device that names another coin than `coin_value_cents` of
    `currency` raises a fault and pays nothing. `identity` is what the device reported, `level` how full it is. This
    class owns the limit of coins per order; `securities` are the values that `[hopper] security` may have. Raises
    `SettingsError` for settings that cannot work.
    """

    name = "hopper"
    most_announced = MAX_DISPENSE
    ordered_in = "coins"
    ended_well_clears = ENDED_WELL_CLEARS
    _listener: HopperListener

    def __init__(
        self,
        settings: Settings,
        port: Port,
        clock: Clock,
        listener: HopperListener,
        *,
        currency: Currency,
        securities: Mapping[str, Callable[[int], Security]] = SECURITIES,
    ) -> None:
        if not 0 < settings.max_coins <= MAX_DISPENSE:
            raise SettingsError(f"[hopper] max_coins = {settings.max_coins}: one dispense pays 1 to {MAX_DISPENSE}")
        if settings.coin_value_cents <= 0 or settings.poll_ms <= 0:
            raise SettingsError("[hopper] coin_value_cents and poll_ms must be above 0")
        if settings.security not in securities:
            raise SettingsError(f'[hopper] security = "{settings.security}": there are {", ".join(securities)}')
        if settings.pin and not is_pin(settings.pin):
            raise SettingsError("[hopper] pin: a PIN is eight hex digits")
        self.coin_value_cents = settings.coin_value_cents
        self.ready = False
        self.identity: Identity | None = None
        self.level = Level.UNKNOWN
        self._settings = settings
        self._bus = Bus(port, clock)
        self._finder = Finder(self._bus, clock, device=self.name, address=settings.address, category=CATEGORY)
        self._wire = HopperWire(self._bus, self._finder.usual)
        self._clock = clock
        self._listener = listener
        self._currency = currency
        self._new_security = securities[settings.security]
        self._in_use = asyncio.Lock()
        self._names_other_coin = False
        self._level_seen: Level | None = None
        self._level_at = 0.0
        self._retest_at = 0.0
        self._forget()

    def __repr__(self) -> str:
        return f"<Hopper {self._settings.port} {'ready' if self.ready else 'not ready'}>"

    async def run(self) -> None:
        """Serve the device until cancelled; raise a `DriverError` when it is lost."""
        settings = self._settings
        try:
            # Send only read requests: a payout of the previous run may be in progress.
            address = await self._finder.open()
            self.identity = await identify(self._bus, address, category=CATEGORY, serial=settings.serial)
            await self._finder.require_alone(address, self.identity.serial)
            self._wire = HopperWire(self._bus, address)
            self._forget()
            self._level_seen = None
            self._level_at = self._retest_at = self._clock.now()
            await self._watch(self.identity)
            await found(self.name, str(self.identity), self._listener)
            await self._compare_coin()
            self.ready = True
            while True:
                await self._clock.sleep(WATCH_S)
                await self._watch(self.identity)
        except asyncio.CancelledError:
            # A payout that is cancelled too needs the line a moment longer, to stop the motor (P6).
            await self._last_word()
            raise
        finally:
            self.stop()

    async def _compare_coin(self) -> None:
        """Compare the coin that the hopper names with the configured one (request 171, in the core set).

        The fault stops new payouts and ends one in progress.
        """
        coin_id, sizes = b"", range(COIN_ID_SIZE, COIN_ID_SIZE + 1)
        with suppress(NoReplyError, WireError):  # if the hopper does not answer, the configured coin is assumed
            coin_id = await self._bus.agreed(self._wire.address, Header.HOPPER_COIN, sizes=sizes)
        wrong = other_coin(coin_id, self.coin_value_cents, self._currency)
        self._names_other_coin = wrong is not None
        if wrong is None or wrong[0] != "settings":
            await self._listener.device_fault(self.name, "settings", present=False)
        if wrong is not None:
            await self._listener.device_fault(self.name, wrong[0], present=True, detail=f"{self._bus}: {wrong[1]}")

    def stop(self) -> None:
        """Close the port; a payout in progress fails and continues later as an interrupted order."""
        self.ready = False
        self.level = Level.UNKNOWN
        self._bus.close()

    @property
    def serial(self) -> int | None:
        """The serial number of the device that answers, None if none does."""
        return self.identity.serial if self.ready and self.identity is not None else None

    @property
    def most_coins(self) -> int:
        """How many coins an order may have."""
        return self._settings.max_coins

    def _check(self, order: PayoutOrder) -> None:
        super()._check(order)
        if (order.event_counter is None) != (order.lifetime is None):
            raise SettingsError("an announced order has both, an event counter and a lifetime count")

    async def _work(self, order: PayoutOrder, listener: PayoutListener, work: PayoutWork) -> PayoutOutcome:
        """Pay or settle an order, with exclusive use of the hopper.

        A hopper that names another coin pays nothing: it is another device than the order was announced to, whatever
        its serial number, and its counters say nothing of that order.
        """
        if not self.ready or self.identity is None:
            raise NoReplyError(f"{self}: cannot pay now; pay the order when it is ready")
        serial = self.identity.serial
        await require_same(self._bus, self._wire.address, serial)
        self._require_same(order, serial)
        if self._names_other_coin and order.paid < order.coins:
            announced = order.lifetime is not None
            return PayoutOutcome(end=PayoutEnd.UNDECIDED if announced else PayoutEnd.STOPPED, recount=announced)
        payout = Payout(
            order,
            listener,
            settings=self._settings,
            serial=serial,
            security=self._new_security(serial),
            wire=self._wire,
            bus=self._bus,
            clock=self._clock,
        )
        self._bus.moving(on=True)
        try:
            outcome = await work(payout)
        except BaseException:
            # The coins are not counted from here: try to stop the motor. The order stays open.
            with suppress(DriverError):
                await self._wire.stop(attempts=LAST_ATTEMPTS)
                await self._wire.disable(attempts=1)
            raise
        finally:
            self._bus.moving(on=False)
            self._forget()
        # A power-up disables it too; if the line fails here, the next watch reports that.
        with suppress(DriverError):
            await self._wire.disable()
        return outcome

    def _forget(self) -> None:
        """Reset what was reported, so that the next watch checks and reports everything again."""
        self._counted: int | None = None
        self._present: dict[str, str] | None = None
        self._unclaimed = False
        self._report_again_at = 0.0

    async def _watch(self, identity: Identity) -> None:
        """Check that it is the same device, its state, its level, and that no coin leaves without an order."""
        async with self._in_use:
            await require_same(self._bus, self._wire.address, identity.serial)
            accounted = await self._watch_coins(identity)
            await self._watch_registers(identity, accounted=accounted)
            if self._clock.now() >= self._level_at:
                await self._watch_level()

    async def _watch_coins(self, identity: Identity) -> bool:
        """Compare the lifetime count with the books, and stop a hopper that pays without an order.

        Return whether every coin is accounted for and none is still to be paid.
        """
        status, lifetime = await self._wire.status(), await self._wire.lifetime()
        ours = lifetime != self._counted and not await self._listener.hopper_counted(identity.serial, lifetime)
        self._counted = None if ours else lifetime
        if not status.remaining:
            self._unclaimed = False
        elif ours and not self._unclaimed:
            # An order of the previous run: it continues in a moment, unless a door or a fault delays it (D2).
            self._unclaimed = True
        else:
            await self._wire.stop()
            if not ours:
                detail = f"it was paying {status.remaining} coins that nobody had ordered, and was stopped"
                await self._listener.device_fault(self.name, "hopper_runaway", present=True, detail=detail)
        return not ours and not status.remaining

    async def _watch_registers(self, identity: Identity, *, accounted: bool) -> None:
        """Report the present faults in the status registers.

        The hopper is reset every `RETEST_S` while faults are present: that clears faults which are over.
        """
        registers = await self._wire.registers()
        await self._report(registers, identity)
        if registers.live and accounted and self._clock.now() >= self._retest_at:
            self._retest_at = self._clock.now() + RETEST_S
            await self._wire.reset()

    async def _report(self, registers: Registers, identity: Identity) -> None:
        faults = registers.live
        security = self._new_security(identity.serial)
        wanted = forbidden(registers, self._settings, security) or refused(registers, self._settings)
        if wanted:
            faults[SECURITY] = wanted
        if faults == self._present and self._clock.now() < self._report_again_at:
            return
        self._report_again_at = self._clock.now() + REPORT_AGAIN_S
        for code in sorted(WATCHED):
            present = code in faults
            await self._listener.device_fault(self.name, code, present=present, detail=faults.get(code, ""))
        self._present = faults

    async def _watch_level(self) -> None:
        """Read the level and use it if two reads in a row agree: coins slide while the hopper turns."""
        seen = await self._wire.level()
        if seen is not self._level_seen:
            self._level_seen = seen
            return
        if seen is not self.level or seen is Level.UNKNOWN:
            for code, level in LEVEL_FAULTS.items():
                await self._listener.device_fault(self.name, code, present=seen is level)
        self.level = seen
        self._level_at = self._clock.now() + (NO_LEVEL_S if seen is Level.UNKNOWN else LEVEL_S)
