"""The faults of the link to a device: a driver ends them itself when its device answers and has said who it is."""

import logging
from typing import Final

from drivers.capabilities import DeviceLog, Faults

LOST: Final = ("port_lost", "no_reply", "comm_error")
"""Ended by any answer of the device."""
WRONG: Final = ("wrong_device", "wrong_currency")
"""Ended by an answer that says who it is."""
LINK_FAULTS: Final = (*LOST, *WRONG)

_log = logging.getLogger(__name__)


async def answered(device: str, faults: Faults) -> None:
    """End the faults of a lost link: the device has answered."""
    for code in LOST:
        await faults.device_fault(device, code, present=False)


async def found(device: str, identity: str, log: DeviceLog) -> None:
    """Log that the right device was found, and end the faults of its link."""
    _log.info("%s found: %s", device, identity)
    await log.device_found(device, identity)
    for code in LINK_FAULTS:
        await log.device_fault(device, code, present=False)
