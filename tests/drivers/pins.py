"""A mock header for the pin tests, and what a test's hand does to it."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPin

from drivers.pin_factory import PinHeader


class ContactPin(MockPin):
    """A mock pin whose closed contact to ground is stronger than the pull-up, as copper is."""

    grounded = False

    def _set_pull(self, value: str) -> None:
        super()._set_pull(value)
        if self.grounded:
            self.drive_low()


class MockHeader(PinHeader):
    """A header of mock pins whose far ends the test holds."""

    def __init__(self) -> None:
        super().__init__(MockFactory(revision="a02082", pin_class=ContactPin))

    def pin(self, number: int) -> ContactPin:
        """The mock pin with that BCM number."""
        return self.factory.pin(number)

    def is_high(self, number: int) -> bool:
        """Whether a pin is an output that is energised."""
        return self.pin(number).function == "output" and bool(self.pin(number).state)

    def ground(self, number: int) -> None:
        """Close the contact."""
        self.pin(number).grounded = True
        self.pin(number).drive_low()

    def let_go(self, number: int) -> None:
        """Open the contact."""
        self.pin(number).grounded = False
        self.pin(number).drive_high()


class FaultBook:
    """The faults that are present, with their details."""

    def __init__(self) -> None:
        self.present: dict[tuple[str, str], str] = {}

    async def device_fault(self, device: str, code: str, *, present: bool, detail: str = "") -> None:
        """Note or strike out a fault."""
        if present:
            self.present[device, code] = detail
        else:
            del self.present[device, code]


@asynccontextmanager
async def running(main: Coroutine[Any, Any, None]) -> AsyncIterator[asyncio.Task[None]]:
    """Run a driver beside the test's body, until its end."""
    task = asyncio.ensure_future(main)
    await asyncio.sleep(0)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled():
            task.result()
