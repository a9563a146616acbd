"""A test from the moment its page is opened until it is left."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Literal

from controller.service.page import Line, Page
from ui.messages import Frames, ServiceSound, Touch, View

if TYPE_CHECKING:
    from controller.service.testing.context import TestContext

NOT_OPEN = "This test is not open"


class DeviceTest:
    """One test; see the package for what each part is for.

    `patient` tests stay open though nobody touches them; without `keys` the panel's four buttons are plain inputs.
    """

    patient = False
    keys = True

    def __init__(self, context: "TestContext") -> None:
        self.context = context

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Take over what is tested, and give it back as it was."""
        yield

    async def run(self) -> None:
        """Work in the background until cancelled."""
        await asyncio.Event().wait()

    def lines(self) -> Sequence[Line]:
        """Return what the page says now."""
        raise NotImplementedError

    @property
    def picture(self) -> str:
        """The pattern that the display shows over the whole screen, empty for the page."""
        return ""

    @property
    def marks(self) -> tuple[tuple[int, int], ...]:
        """The places that the pattern marks, in units of 1280x720."""
        return ()

    @property
    def sound(self) -> ServiceSound | None:
        """The newest sound that the display is to play, if any."""
        return None

    @property
    def six_keys(self) -> bool:
        """Whether two more of the panel's buttons are keys, `first` and `last`, as in recall."""
        return False

    def view(self, view: View) -> View:
        """Return what the screen shows instead of `view`, which is the test's page."""
        return view

    @property
    def result(self) -> str:
        """What came of it, for the event of its end; empty where there is nothing to say."""
        return ""

    def key(self, _key: str) -> bool:
        """Take `up`, `down`, `enter`, `back` (`first`, `last`) for itself; return False for what is the page's."""
        return False

    def touch(self, touch: Touch) -> None:
        """Take a raw touch."""

    def frames(self, frames: Frames) -> None:
        """Take the display's statistics of the last second."""


def _closed(*_: object) -> Sequence[Line]:
    return (Line(NOT_OPEN),)


def device_test_page(
    code: str,
    title: str,
    test: "Callable[[TestContext], DeviceTest]",
    *,
    shared: Literal["", "attendant_tests_lamps"] = "",
) -> Page:
    """Return the leaf of a test: for the technician unless it is `shared`, with the main door open."""
    return Page(code, title, _closed, technician=True, door=True, test=test, shared=shared)
