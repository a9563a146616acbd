"""T.13: the display's test pictures, its frame rate, and the touch screen with its calibration."""

import asyncio
from collections import deque
from collections.abc import Sequence

from controller.features.diagnostics.context import TestContext
from controller.features.diagnostics.device_test import DeviceTest, device_test_page
from controller.features.diagnostics.events import DiagnosticEvent
from controller.machine.touch_calibration import NONE, TARGETS, CalibrationError, fitted, keep_calibration
from controller.service.attendant import CONNECTED, NOT_CONNECTED
from controller.service.page import DeviceAction, Line, Submission
from ui.protocol.messages import Frames, Touch

PICTURES = {"bars": "Colour bars", "grid": "Grid", "frames": "Frame rate", "touch": "Touch"}
MOST_MARKS = 40
"""The most touches shown, newest first."""
PATIENCE_S = 30.0
"""The time a cross waits for a touch; then the page returns."""
NOBODY_DRAWS = "There is no display that could draw it"
CALIBRATED, UNCALIBRATED = "by its own calibration", "as it comes"
KEPT, FORGOTTEN = "The calibration is kept", "The calibration is forgotten"
NO_FIT = "The touches do not fit the crosses: nothing was changed"
NOT_TOUCHED = "Not every cross was touched: nothing was changed"


class ScreenTest(DeviceTest):
    """T.13: ENTER shows a picture over the whole screen; any key ends it, as does a touch if it shows no touches."""

    def __init__(self, context: TestContext) -> None:
        super().__init__(context)
        self._picture = ""
        self._step = 0
        self._frames: Frames | None = None
        self._marks: deque[tuple[int, int]] = deque(maxlen=MOST_MARKS)
        self._count = 0
        self._fingers: asyncio.Queue[tuple[int, int] | None] = asyncio.Queue()

    @property
    def picture(self) -> str:
        """The picture on the screen."""
        return self._picture

    @property
    def marks(self) -> tuple[tuple[int, int], ...]:
        """The touches, or the cross to be touched, in units of 1280x720."""
        if self._picture == "calibrate":
            return (TARGETS[self._step],)
        return tuple(self._marks) if self._picture == "touch" else ()

    def lines(self) -> Sequence[Line]:
        """Return the lines of the picture, or the choice of pictures and the display's statistics."""
        return self._picture_lines() if self._picture else self._choice()

    def key(self, key: str) -> bool:
        """Return from a picture to the page on any key."""
        if not self._picture:
            return False
        if self._picture == "calibrate":
            self._fingers.put_nowait(None)
        elif key in ("enter", "back"):
            self._picture = ""
        return True

    def touch(self, touch: Touch) -> None:
        """Handle a touch."""
        if not touch.down:
            return
        if self._picture == "calibrate":
            if self._fingers.qsize() < len(TARGETS):
                self._fingers.put_nowait((touch.x, touch.y))
        else:
            self._marks.append((touch.x, touch.y))
            self._count += 1
        self.context.touched()

    def frames(self, frames: Frames) -> None:
        """Keep the display's statistics."""
        self._frames = frames
        self.context.changed()

    def _choice(self) -> Sequence[Line]:
        machine = self.context.machine
        connected, calibrated = machine.screen.connected, bool(machine.settings.calibration)
        if not connected:
            self._frames = None
        forget = (Line("Forget the calibration", leads=DeviceAction(self._forget)),) if calibrated else ()
        return (
            *(Line(label, leads=self._shows(name)) for name, label in PICTURES.items()),
            Line("Calibrate touch", leads=DeviceAction(self._calibrate)),
            *forget,
            Line("Touch is taken", CALIBRATED if calibrated else UNCALIBRATED),
            Line("Display", CONNECTED if connected else NOT_CONNECTED, tone="good" if connected else "bad"),
            *self._statistics(),
        )

    def _picture_lines(self) -> Sequence[Line]:
        match self._picture:
            case "frames":
                return self._statistics()
            case "touch":
                last = f"{self._marks[-1][0]}, {self._marks[-1][1]}" if self._marks else ""
                return (Line("Touches", count=self._count), Line("The last one", last))
            case "calibrate":
                return (Line("Touch the middle of the cross", f"{self._step + 1} / {len(TARGETS)}"),)
            case _:
                return ()

    def _statistics(self) -> Sequence[Line]:
        frames = self._frames
        if frames is None:
            return ()
        return (
            Line("Frames in the last second", count=frames.presented),
            Line("Usual work for a frame (ms)", f"{frames.cpu_ms_median:.2f}"),
            Line("Most work for a frame (ms)", f"{frames.cpu_ms_max:.2f}"),
        )

    def _shows(self, picture: str) -> DeviceAction:
        return DeviceAction(lambda _submission: self._show(picture))

    async def _show(self, picture: str) -> str:
        if not self.context.machine.screen.connected:
            return NOBODY_DRAWS
        self._marks.clear()
        self._count, self._picture = 0, picture
        await self.context.record(DiagnosticEvent.PATTERN_SHOWN, picture=picture)
        return ""

    async def _calibrate(self, submission: Submission) -> str:
        """Ask for a touch on each cross in turn, and store the map that corrects all touches to their crosses."""
        if not self.context.machine.screen.connected:
            return NOBODY_DRAWS
        self._fingers = asyncio.Queue()
        try:
            touched = await self._touched()
        finally:
            self._picture, self._step = "", 0
        if touched is None:
            return NOT_TOUCHED
        try:
            found = fitted(touched)
        except CalibrationError:
            return NO_FIT
        await self._keep(found, submission)
        return KEPT

    async def _touched(self) -> list[tuple[int, int]] | None:
        """Return where each cross was touched, or None if one was not touched."""
        touched: list[tuple[int, int]] = []
        self._picture = "calibrate"
        for self._step in range(len(TARGETS)):
            self.context.touched()
            try:
                async with asyncio.timeout(PATIENCE_S):
                    finger = await self._fingers.get()
            except TimeoutError:
                finger = None
            if finger is None:
                return None
            touched.append(finger)
        return touched

    async def _forget(self, submission: Submission) -> str:
        await self._keep(NONE, submission)
        return FORGOTTEN

    async def _keep(self, calibration: tuple[float, ...], submission: Submission) -> None:
        machine = self.context.machine
        await machine.journal.do(lambda tx: keep_calibration(tx, calibration, submission.who))
        machine.settings.calibrate(calibration)


PAGES = (device_test_page("T.13", "Display and touch", ScreenTest),)
