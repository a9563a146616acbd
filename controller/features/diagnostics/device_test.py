"""The base class of the device tests, from opening a test's page to leaving it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal

from controller.features.diagnostics.context import TestContext
from controller.features.diagnostics.events import DiagnosticEvent
from controller.journal.event_catalogue import EventKind
from controller.service.live_pages import LivePage
from controller.service.page import Line
from ui.protocol.messages import Frames, ServiceSound, Touch, View

NOT_OPEN = "This test is not open"


class DeviceTest:
    """A device test; the package's docstring describes each part.

    `patient` tests have no idle timeout; without `keys` the panel's four buttons are plain inputs.
    """

    patient = False
    keys = True

    def __init__(self, context: TestContext) -> None:
        self.context = context

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Take over the devices under test, and return them as they were."""
        yield

    async def run(self) -> None:
        """Run in the background until cancelled."""
        await asyncio.Event().wait()

    def lines(self) -> Sequence[Line]:
        """Return the lines of the page."""
        raise NotImplementedError

    @property
    def picture(self) -> str:
        """The pattern that covers the whole screen, empty for the page."""
        return ""

    @property
    def marks(self) -> tuple[tuple[int, int], ...]:
        """The points marked on the pattern, in units of 1280x720."""
        return ()

    @property
    def sound(self) -> ServiceSound | None:
        """The newest sound for the display to play, if any."""
        return None

    @property
    def six_keys(self) -> bool:
        """Whether two more of the panel's buttons are keys, `first` and `last`, as in a recall."""
        return False

    def view(self, view: View) -> View:
        """Return the screen to show instead of `view`, which shows the test's page."""
        return view

    @property
    def result(self) -> tuple[EventKind, Mapping[str, Any]]:
        """The event that records the end of the test, with its result."""
        return DiagnosticEvent.TEST_ENDED, {}

    def key(self, _key: str) -> bool:
        """Handle `up`, `down`, `enter`, `back` (`first`, `last`); return False for a key of the page."""
        return False

    def touch(self, touch: Touch) -> None:
        """Handle a raw touch."""

    def frames(self, frames: Frames) -> None:
        """Handle the display's statistics of the last second."""


@dataclass(frozen=True, kw_only=True)
class DeviceTestPage(LivePage):
    """A page that runs a device test while it is open."""

    test: Callable[[TestContext], DeviceTest]


def _closed(*_: object) -> Sequence[Line]:
    return (Line(NOT_OPEN),)


def device_test_page(
    code: str,
    title: str,
    test: Callable[[TestContext], DeviceTest],
    *,
    shared: Literal["", "attendant_tests_lamps"] = "",
) -> DeviceTestPage:
    """Return the page of a test: technician only unless it is `shared`, with the main door open."""
    return DeviceTestPage(code, title, _closed, technician=True, door=True, test=test, shared=shared)
