"""Drivers as supervised tasks: a driver that fails is reported as a fault and restarted with back-off.

A device that takes money may continue to take it while nobody listens, so its driver is restarted at once each time.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress

from drivers.capabilities import Driver, Faults
from drivers.clock import Clock
from drivers.errors import CurrencyError, DriverError, IdentityError, NoReplyError, PortError, SettingsError, WireError
from drivers.link_faults import LINK_FAULTS

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 10.0
MONEY_IN = frozenset({"coin_acceptor", "bill_validator", "pulse_coin", "pulse_note"})
"""The drivers whose devices take money; each device is searched for at least every second."""
IDENTIFIED = frozenset({"coin_acceptor", "bill_validator", "hopper", "ticket_printer"})
"""The drivers whose devices say who they are; each ends the faults of its link itself, once its device has answered."""
LOOK_EVERY_S = 0.75
"""The interval between their starts in seconds; a driver that failed after a longer run is restarted at once."""
REST_S = 10.0
"""The maximum wait for a driver that must rest; one whose device answers again meanwhile continues."""
STEADY_S = 10.0
"""After this many seconds of running, earlier failures of a driver are forgotten."""

_CODES: tuple[tuple[type[DriverError], str], ...] = (
    (NoReplyError, "no_reply"),
    (CurrencyError, "wrong_currency"),
    (IdentityError, "wrong_device"),
    (PortError, "port_lost"),
    (WireError, "comm_error"),
    (SettingsError, "settings"),
)


def fault_code(error: DriverError) -> str:
    """Return the catalogue's code for the error that ended a driver."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), "driver_stopped")


class Resting:
    """Drivers whose ports are used by somebody else for a while; each rests between two of its starts."""

    def __init__(self) -> None:
        self._names = frozenset[str]()
        self._running: set[str] = set()
        self._changed = asyncio.Condition()

    def __repr__(self) -> str:
        return f"<Resting {sorted(self._names)}>"

    @asynccontextmanager
    async def held(self, names: Collection[str]) -> AsyncIterator[None]:
        """Prevent starts of these drivers within the context; first wait up to `REST_S` for running ones to fail."""
        async with self._changed:
            self._names = frozenset(names)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait_for(lambda: not self._names & self._running), REST_S)
        try:
            yield
        finally:
            async with self._changed:
                self._names = frozenset()
                self._changed.notify_all()

    @asynccontextmanager
    async def running(self, name: str) -> AsyncIterator[None]:
        """Wait until this driver may start, and mark it as running within the context."""
        async with self._changed:
            await self._changed.wait_for(lambda: name not in self._names)
            self._running.add(name)
        try:
            yield
        finally:
            self._running.discard(name)
            async with self._changed:
                self._changed.notify_all()


async def keep_running(driver: Driver, faults: Faults, clock: Clock, resting: Resting | None = None) -> None:
    """Run `driver` until cancelled, with a restart and back-off after each failure, and not while it is `resting`.

    A driver of `MONEY_IN` is restarted without back-off. Its faults are gone once it has run for `STEADY_S`, except
    those that one of `IDENTIFIED` ends itself. The driver is stopped on every path.
    """
    wait = FIRST_WAIT_S
    failed: set[str] = set()
    log = logging.getLogger(type(driver).__module__)
    try:
        while True:
            began = clock.now()
            try:
                async with (resting or Resting()).running(driver.name):
                    try:
                        await _run(driver, failed, faults)
                    except DriverError:
                        driver.stop()
                        raise
            except DriverError as error:
                # a device that stays away is logged once for each cause
                steady = clock.now() - began >= STEADY_S
                level = logging.DEBUG if fault_code(error) in failed and not steady else logging.INFO
                log.log(level, "%s lost: %s", driver.name, str(error))  # not the error, which holds its frames
                # A new kind of failure proves that the earlier one is over: a port that was lost is open again.
                for code in failed - {fault_code(error)}:
                    await faults.device_fault(driver.name, code, present=False)
                failed = {fault_code(error)}
                await faults.device_fault(driver.name, fault_code(error), present=True, detail=str(error))
            else:
                return
            if steady:
                wait = FIRST_WAIT_S
            if driver.name in MONEY_IN:
                await clock.sleep(max(0.0, began + LOOK_EVERY_S - clock.now()))
            else:
                await clock.sleep(wait)
                wait = min(wait * 2, LONGEST_WAIT_S)
    finally:
        driver.stop()


async def _run(driver: Driver, failed: set[str], faults: Faults) -> None:
    """Run `driver`, and report the earlier failures as gone once it has run steadily."""
    running = asyncio.ensure_future(driver.run())
    try:
        if failed:
            await asyncio.wait({running}, timeout=STEADY_S)
            for code in failed.difference(LINK_FAULTS if driver.name in IDENTIFIED else ()):
                if not running.done():
                    await faults.device_fault(driver.name, code, present=False)
                    failed.remove(code)
        await running
    finally:
        if running.cancel():
            await asyncio.wait({running})  # a driver ends in order: it stops its device first
