"""The device tests of a running cabinet."""

from controller.features.diagnostics.fitting import DeviceTests
from controller.supervisor import Supervisor


def device_tests(supervisor: Supervisor | None) -> DeviceTests:
    """Return the part of the cabinet that runs its device tests."""
    assert supervisor is not None
    return next(part for part in supervisor.parts if isinstance(part, DeviceTests))
