"""Drivers as supervised tasks: one that fails is reported as a fault and started again, ever more patiently.

A device that takes money may go on taking it while nobody listens, so its driver is started again at once each time.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress

from drivers.capabilities import Driver, Faults
from drivers.clock import Clock
from drivers.errors import CurrencyError, DriverError, IdentityError, NoReplyError, PortError, SettingsError, WireError

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 10.0
MONEY_IN = frozenset({"coin_acceptor", "bill_validator", "pulse_coin", "pulse_note"})
"""The drivers whose devices take money; each is looked for at least every second."""
LOOK_EVERY_S = 0.75
"""How far apart their starts are; a driver that asked in vain for longer than that is started again at once."""
REST_S = 10.0
"""How long a driver that is to rest is waited for; one whose device answers again meanwhile goes on."""
STEADY_S = 10.0
"""A driver that has run this long is forgiven its earlier failures."""

_CODES: tuple[tuple[type[DriverError], str], ...] = (
    (NoReplyError, "no_reply"),
    (CurrencyError, "wrong_currency"),
    (IdentityError, "wrong_device"),
    (PortError, "port_lost"),
    (WireError, "comm_error"),
    (SettingsError, "settings"),
)


def fault_code(error: DriverError) -> str:
    """Return the catalogue's code for what ended a driver."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), "driver_stopped")


class Resting:
    """Drivers whose ports somebody else asks on for a while; each rests between two of its starts."""

    def __init__(self) -> None:
        self._names = frozenset[str]()
        self._running: set[str] = set()
        self._changed = asyncio.Condition()

    def __repr__(self) -> str:
        return f"<Resting {sorted(self._names)}>"

    @asynccontextmanager
    async def held(self, names: Collection[str]) -> AsyncIterator[None]:
        """Start none of these drivers within the context, once those that run have failed; `REST_S` at the most."""
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
        """Wait until that driver may start, and have it count as running within the context."""
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
    """Run `driver` until cancelled, starting it again with back-off whenever it fails, and not while it is `resting`.

    One of `MONEY_IN` does not back off. A driver that knows that its device serves again says so itself
    (`device_fault(..., present=False)`); for every other one its faults are gone once it has run for `STEADY_S`. It is
    stopped on every path.
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
                level = logging.DEBUG if fault_code(error) in failed else logging.INFO
                log.log(level, "%s lost: %s", driver.name, str(error))  # not the error, which holds its frames
                # How it fails now says that it no longer fails as before: a port that was lost is open again.
                for code in failed - {fault_code(error)}:
                    await faults.device_fault(driver.name, code, present=False)
                failed = {fault_code(error)}
                await faults.device_fault(driver.name, fault_code(error), present=True, detail=str(error))
            else:
                return
            if clock.now() - began >= STEADY_S:
                wait = FIRST_WAIT_S
            if driver.name in MONEY_IN:
                await clock.sleep(max(0.0, began + LOOK_EVERY_S - clock.now()))
            else:
                await clock.sleep(wait)
                wait = min(wait * 2, LONGEST_WAIT_S)
    finally:
        driver.stop()


async def _run(driver: Driver, failed: set[str], faults: Faults) -> None:
    """Run `driver`, and once it has run steadily report the earlier failures as gone."""
    running = asyncio.ensure_future(driver.run())
    try:
        if failed:
            await asyncio.wait({running}, timeout=STEADY_S)
            while failed and not running.done():
                await faults.device_fault(driver.name, failed.pop(), present=False)
        await running
    finally:
        if running.cancel():
            await asyncio.wait({running})  # a driver ends in order: it stops its device first
