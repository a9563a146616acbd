"""The set-up guide's panel test: each button is lit in turn and pressed, which proves its lamp, contact and plug."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from controller.features.diagnostics.context import TestContext
from controller.features.diagnostics.device_test import device_test_page
from controller.features.diagnostics.events import DiagnosticEvent
from controller.features.diagnostics.inputs import HOW_TO_LEAVE, PlainKeys
from controller.features.diagnostics.points import Point, inputs
from controller.hardware.input_watch import Edge
from controller.journal.event_catalogue import EventKind
from controller.service.page import DeviceAction, Line

CODE: Final = "U.14.5.1"
TITLE = "Each button and its lamp"
BEGIN, ALL_WELL = "Press each button as it lights up", "Every button and its lamp work"
PRESS, WORKS, DOES_NOT, WAITS = "press it now", "it works", "was left out", "comes later"
WRONG = "Another button was pressed: {place}"
LEAVE_OUT = "It does not light up, or does nothing: leave it out"
TIERS = "Tower light"
NO_BUTTONS = "No button is wired"
_PAUSE_S: Final = 1.0
"""Seconds for which the result is shown before the test closes itself."""


class PanelTest(PlainKeys):
    """Lights one button at a time until it is pressed; the others are dark."""

    def __init__(self, context: TestContext) -> None:
        super().__init__(context)
        points = inputs(context.machine.settings.config.pins)
        self._points = [point for point in points if point.kind == "buttons"]
        self._results: dict[str, str] = {}
        self._wrong = ""
        self._ended = asyncio.Event()

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Take over the lamps, and listen to every edge."""
        with self.context.hold("lamps"):
            async with super().taken():
                self._light()
                yield

    async def run(self) -> None:
        """Leave when COLLECT is held, or once every button has had its turn."""
        leaving = asyncio.ensure_future(super().run())
        try:
            await self._ended.wait()
            await self.context.clock.sleep(_PAUSE_S)
            self.context.leave()
            await asyncio.Event().wait()
        finally:
            leaving.cancel()

    @property
    def due(self) -> Point | None:
        """The button to press, or None once all have had their turn."""
        return next((point for point in self._points if point.name not in self._results), None)

    def lines(self) -> Sequence[Line]:
        """Return the instruction and the lit button first, since not all may fit a screen, then the others' results."""
        due = self.due
        head = Line(BEGIN if due else self._end_words, tone="heading")
        wrong = [Line(WRONG, tone="bad", place=self._wrong)] if self._wrong else []
        skip = [Line(LEAVE_OUT, leads=DeviceAction(self._leave_out))] if due else []
        ahead = [self._line(due, due)] if due else []
        rows = [self._line(point, due) for point in self._points if point is not due]
        return (head, *ahead, *wrong, *skip, Line(HOW_TO_LEAVE), *rows, *self.failing_lines())

    @property
    def _end_words(self) -> str:
        if not self._points:
            return NO_BUTTONS
        return ALL_WELL if all(words == WORKS for words in self._results.values()) else TITLE

    def _line(self, point: Point, due: Point | None) -> Line:
        words = self._results.get(point.name, PRESS if point is due else WAITS)
        tone = {WORKS: "good", DOES_NOT: "bad", PRESS: "heading"}.get(words, "plain")
        return Line("{place}", words, place=point.place, mark=point.code, detail=point.detail, tone=tone)  # type: ignore[arg-type]

    @property
    def result(self) -> tuple[EventKind, Mapping[str, Any]]:
        """The number of buttons pressed."""
        works = sum(words == WORKS for words in self._results.values())
        return DiagnosticEvent.PANEL_TESTED, {"works": works, "buttons": len(self._points)}

    def edge(self, edge: Edge) -> None:
        """Handle a press of the lit button or of another one."""
        if edge.kind != "buttons" or not edge.active or self.due is None:
            return
        if edge.name == self.due.name:
            self._had(WORKS)
        else:
            self._wrong = next(point.place for point in self._points if point.name == edge.name)

    async def _leave_out(self, _submission: object) -> str:
        self._had(DOES_NOT)
        return ""

    def _had(self, words: str) -> None:
        if (due := self.due) is not None:
            self._results[due.name] = words
            self._wrong = ""
            self._light()

    def _light(self) -> None:
        due = self.due
        self.context.hardware.lamps.set({} if due is None else {due.name: "blink"})
        if due is None:
            self._ended.set()
        self.context.changed()


TEST_PAGE: Final = device_test_page(CODE, TITLE, PanelTest)


def panel_lines(*_: object) -> Sequence[Line]:
    """Return the rows that lead to the tests of the buttons and of the tower light."""
    return [Line(TITLE, leads=TEST_PAGE), Line(TIERS, leads="T.6")]
