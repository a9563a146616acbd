"""Drivers as supervised tasks: one that fails is reported as a fault and started again, ever more patiently."""

from drivers.capabilities import Driver, Faults
from drivers.clock import Clock
from drivers.errors import DriverError, IdentityError, NoReplyError, PortError, SettingsError, WireError

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 10.0
STEADY_S = 30.0
"""A driver that has run this long is forgiven its earlier failures."""

_CODES: tuple[tuple[type[DriverError], str], ...] = (
    (NoReplyError, "no_reply"),
    (IdentityError, "wrong_device"),
    (PortError, "port_lost"),
    (WireError, "comm_error"),
    (SettingsError, "settings"),
)


def fault_code(error: DriverError) -> str:
    """Return the catalogue's code for what ended a driver."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), "driver_stopped")


async def keep_running(driver: Driver, faults: Faults, clock: Clock) -> None:
    """Run `driver` until cancelled, starting it again with back-off whenever it fails.

    The driver clears `no_reply`, `port_lost`, `wrong_device` and `comm_error` itself by reporting that it serves its
    device again (`Faults.device_fault(..., present=False)`); it is stopped on every path.
    """
    wait = FIRST_WAIT_S
    try:
        while True:
            began = clock.now()
            try:
                await driver.run()
            except DriverError as error:
                driver.stop()
                await faults.device_fault(driver.name, fault_code(error), present=True, detail=str(error))
            else:
                return
            if clock.now() - began >= STEADY_S:
                wait = FIRST_WAIT_S
            await clock.sleep(wait)
            wait = min(wait * 2, LONGEST_WAIT_S)
    finally:
        driver.stop()
