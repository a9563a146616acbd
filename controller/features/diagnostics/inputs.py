"""T.1 to T.3: edges and levels of buttons, doors, keys and sense contacts, and inputs that have not moved."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from controller.features.diagnostics.context import TestContext
from controller.features.diagnostics.device_test import DeviceTest, device_test_page
from controller.features.diagnostics.events import DiagnosticEvent
from controller.features.diagnostics.points import Point, inputs
from controller.hardware.input_watch import Edge
from controller.journal.event_catalogue import EventKind
from controller.service.page import DeviceAction, Line, Tone
from drivers.waiting import wait_until

HOLD_S = 2.0
"""Holding BACK for this time leaves a test in which the panel's buttons are plain inputs."""
KEPT = 60
"""The most edges that the page lists, newest first."""
HOW_TO_LEAVE = "Hold COLLECT for two seconds to leave"
UNKNOWN, STUCK, ALL_SEEN = "not read", "stuck", "Every input was seen"
ON = {"buttons": "pressed", "doors": "open", "keys": "turned", "latch": "set", "plugs": "unplugged"}
OFF = {"buttons": "released", "doors": "closed", "keys": "not turned", "latch": "at rest", "plugs": "plugged in"}
"""The labels of an input's two positions, by its kind."""
_GROUPS = {"buttons": "button_panel", "doors": "doors", "keys": "keys"}
_SEEN_HERE = (*_GROUPS, "plugs")
_BACK = ("buttons", "collect")
_MOVED_TO_COME_HERE = frozenset({("doors", "main"), ("keys", "technician")})


class PlainKeys(DeviceTest):
    """A test in which every button is an input; holding BACK, or a touch, leaves it."""

    keys = False

    def __init__(self, context: TestContext) -> None:
        super().__init__(context)
        self._held_at: float | None = None
        self._moved = asyncio.Event()

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Listen to every edge; the inputs are not changed."""
        with self.context.hardware.watch.listening(self._edge):
            yield

    async def run(self) -> None:
        """Leave once BACK has been held long enough."""
        while True:
            self._moved.clear()
            due = None if self._held_at is None else self._held_at + HOLD_S
            await wait_until(due, self._moved, self.context.clock)
            if due is not None and not self._moved.is_set():
                self.context.leave()
                self._held_at = None

    def edge(self, edge: Edge) -> None:
        """Handle an edge."""

    def _edge(self, edge: Edge) -> None:
        if (edge.kind, edge.name) == _BACK:
            self._held_at = edge.at if edge.active else None
            self._moved.set()
        self.edge(edge)
        self.context.touched()

    def failing_lines(self) -> list[Line]:
        """Return the faults of the inputs' drivers and expanders."""
        points = inputs(self.context.machine.settings.config.pins)
        read = {point.kind for point in points if _level(self.context, point) is not None}
        wired = {point.kind for point in points}
        groups = {kind: device for kind, device in _GROUPS.items() if kind in wired}
        lines = [
            line for kind, device in groups.items() for line in self.context.device_lines(device, ready=kind in read)
        ]
        return [
            *(line for line in lines if line.tone == "bad"),
            *self.context.chip_lines(point.pin for point in points),
        ]


class Edges(PlainKeys):
    """T.1: each edge with its time and the count of its input."""

    def __init__(self, context: TestContext) -> None:
        super().__init__(context)
        self._points: dict[tuple[str, str], Point] = {
            (point.kind, point.name): point for point in inputs(context.machine.settings.config.pins)
        }
        self._seen: deque[Line] = deque(maxlen=KEPT)
        self._counts: Counter[tuple[str, str]] = Counter()

    def lines(self) -> Sequence[Line]:
        """Return how to leave, then the edges, newest first."""
        return (Line(HOW_TO_LEAVE, tone="heading"), *self.failing_lines(), *self._seen)

    @property
    def result(self) -> tuple[EventKind, Mapping[str, Any]]:
        """The number of edges."""
        return DiagnosticEvent.TEST_ENDED_WITH_EDGES, {"edges": self._counts.total(), "inputs": len(self._counts)}

    def edge(self, edge: Edge) -> None:
        """Add an edge to the list."""
        key = (edge.kind, edge.name)
        self._counts[key] += 1
        point = self._points[key]
        words = (ON if edge.active else OFF)[edge.kind]
        when = _time(self.context.clock.wall_ms() - round((self.context.clock.now() - edge.at) * 1000))
        tone: Tone = "good" if edge.active else "plain"
        count = self._counts[key]
        line = Line("{place}", words, count=count, place=point.place, mark=point.code, detail=when, tone=tone)
        self._seen.appendleft(line)


class Levels(DeviceTest):
    """T.2: every input with its pin, its wire and its level."""

    def lines(self) -> Sequence[Line]:
        """Return a row for each input."""
        faults = {(fault.code, fault.place) for fault in self.context.machine.conditions.faults if fault.present}
        return [self._line(point, faults) for point in inputs(self.context.machine.settings.config.pins)]

    def _line(self, point: Point, faults: set[tuple[str, str]]) -> Line:
        level = _level(self.context, point)
        stuck = point.kind == "buttons" and ("stuck_button", f"button {point.name}") in faults
        words, tone = _words(self.context, point, level)
        return Line(
            "{place}",
            STUCK if stuck else words,
            place=point.place,
            mark=point.code,
            detail=point.detail if level is None else f"{point.detail}  ·  {int(level)}",
            tone="bad" if stuck else tone,
        )


class Unseen(PlainKeys):
    """T.3: the inputs that have not moved since the menu was opened; the list shrinks as each one does.

    The main door and the technician's key had to move to open this page. A meter's plug has moved once the level of its
    sense contact has changed.
    """

    def __init__(self, context: TestContext) -> None:
        super().__init__(context)
        self._plugs: dict[str, bool] = {}

    def lines(self) -> Sequence[Line]:
        """Return the inputs that have not moved."""
        self._look_at_plugs()
        unseen = self._unseen
        rest = [Line("{place}", place=point.place, mark=point.code, detail=point.detail) for point in unseen]
        return (
            Line(HOW_TO_LEAVE, tone="heading"),
            *self.failing_lines(),
            *(rest or [Line(ALL_SEEN, tone="good")]),
            Line("Start again", leads=DeviceAction(lambda _submission: self._again())),
        )

    @property
    def result(self) -> tuple[EventKind, Mapping[str, Any]]:
        """The inputs that have not moved."""
        unseen = ", ".join(f"{point.kind} {point.name}" for point in self._unseen)
        if unseen:
            return DiagnosticEvent.TEST_ENDED_UNSEEN, {"inputs": unseen}
        return DiagnosticEvent.TEST_ENDED_ALL_SEEN, {}

    @property
    def _unseen(self) -> list[Point]:
        moved = self.context.hardware.watch.moved
        points = (point for point in inputs(self.context.machine.settings.config.pins) if point.kind in _SEEN_HERE)
        seen = {*moved, *_MOVED_TO_COME_HERE}
        return [point for point in points if (point.kind, point.name) not in seen]

    def _look_at_plugs(self) -> None:
        """Mark a sense contact as moved once its level has changed, because it reports no edges."""
        for point in inputs(self.context.machine.settings.config.pins):
            level = _level(self.context, point) if point.kind == "plugs" else None
            if level is None:
                continue
            if level is not self._plugs.setdefault(point.name, level):
                self.context.hardware.watch.moved[point.kind, point.name] += 1
            self._plugs[point.name] = level

    async def _again(self) -> str:
        self.context.hardware.watch.begin()
        return ""


def _level(context: TestContext, point: Point) -> bool | None:
    """Return the electrical level of an input, None if no driver reads it."""
    hardware = context.hardware
    if context.chip_lines([point.pin]):
        return None
    match point.kind:
        case "buttons":
            return hardware.buttons.levels.get(point.name)
        case "doors":
            return hardware.doors.levels.get(point.name)
        case "keys":
            return hardware.keys.levels.get(point.name)
        case "latch":
            return None if hardware.latch is None else hardware.latch.level
        case _:
            return hardware.meters[point.name].sense_level


def _words(context: TestContext, point: Point, level: bool | None) -> tuple[str, Tone]:  # noqa: FBT001 - one private line
    """Return the label of a level."""
    if level is None:
        return UNKNOWN, "bad"
    pins = context.machine.settings.config.pins
    match point.kind:
        case "buttons":
            active = not level
        case "doors":
            active = level == bool(pins.doors[point.name].active)
        case "keys":
            active = level == bool(pins.keys[point.name].active)
        case "latch":
            active = pins.logic_latch is not None and level == bool(pins.logic_latch.active)
        case _:
            active = level
    return (ON[point.kind], "good") if active else (OFF[point.kind], "plain")


def _time(at_ms: int) -> str:
    """Return a time of today in local time, to the millisecond."""
    seconds, milliseconds = divmod(at_ms, 1000)
    return f"{datetime.fromtimestamp(seconds):%H:%M:%S}.{milliseconds:03}"  # noqa: DTZ006 - local time


PAGES = (
    device_test_page("T.1", "Switch edges", Edges),
    device_test_page("T.2", "Switch levels", Levels),
    device_test_page("T.3", "Inputs not seen", Unseen),
)
