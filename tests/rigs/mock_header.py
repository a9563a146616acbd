"""A mock header for the pin tests, and what a test's hand does to it."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPin

from drivers.expander.chip import ExpanderChip
from drivers.pins.header import PinHeader


class ContactPin(MockPin):
    """A mock pin whose closed contact to ground is stronger than the pull-up, as copper is, and that can break."""

    grounded = False
    broken = False

    def _set_pull(self, value: str) -> None:
        super()._set_pull(value)
        if self.grounded:
            self.drive_low()

    def _get_state(self) -> bool:
        self._fail_if_broken()
        return bool(super()._get_state())

    def _set_state(self, value: float) -> None:
        self._fail_if_broken()
        super()._set_state(value)

    def _fail_if_broken(self) -> None:
        if self.broken:
            raise OSError("the pin burnt out")


class MockHeader(PinHeader):
    """A header of mock pins whose far ends the test holds."""

    def __init__(self, chips: Mapping[str, ExpanderChip] | None = None) -> None:
        factory = MockFactory(revision="a02082", pin_class=ContactPin)
        super().__init__(lambda: factory, chips=chips)

    def pin(self, number: int) -> ContactPin:
        """The mock pin with that BCM number."""
        return self.factory.pin(number)

    def is_high(self, number: int) -> bool:
        """Whether a pin is an output that is energised."""
        return self.pin(number).function == "output" and bool(self.pin(number)._state)

    def ground(self, number: int) -> None:
        """Close the contact."""
        self.pin(number).grounded = True
        self.pin(number).drive_low()

    def let_go(self, number: int) -> None:
        """Open the contact."""
        self.pin(number).grounded = False
        self.pin(number).drive_high()


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
