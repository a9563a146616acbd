"""T.4 to T.6: the button lamps, one or all, and the tower light, tier by tier."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import ClassVar, Final, Generic, Literal, TypeVar, get_args

from controller.faults import place_in_words
from controller.features.diagnostics.context import TestContext
from controller.features.diagnostics.device_test import DeviceTest, device_test_page
from controller.features.diagnostics.events import DiagnosticEvent
from controller.features.diagnostics.points import Point, outputs
from controller.service.meters import NOT_FITTED
from controller.service.page import DeviceAction, Line
from drivers.pins.lamps import LampPattern
from drivers.pins.tower_light import LightPattern

DARK, LIT = "dark", "lit"
PATTERNS = {"off": "off", "on": "on", "blink": "blinking", "slow": "slow", "medium": "medium", "fast": "fast"}
"""The labels of the patterns."""
ALL_TIERS = "All tiers"
ALL_ON, ALL_BLINK, ALL_OFF, IN_TURN = "All on", "All blinking", "All off", "One after another"
TURN_S = 0.5
"""Seconds for which each lamp is lit when they are lit in turn."""
Way = TypeVar("Way", bound=str)


class _Lights(DeviceTest, Generic[Way]):
    """Lights under test, each with its pattern: dark at first, and under the machine's control afterwards.

    `what` is their name in `[pins]` and in the machine, `place` that of their driver in faults.
    """

    what: ClassVar[Literal["lamps", "tower"]]
    place: ClassVar[str]

    def __init__(self, context: TestContext) -> None:
        super().__init__(context)
        self.patterns: dict[str, Way] = {}
        self.points = [point for point in outputs(context.machine.settings.config.pins) if point.kind == self.what]

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Take over the lights."""
        with self.context.hold(self.what):
            self.show({})
            yield

    def show(self, patterns: Mapping[str, Way]) -> None:
        """Show these patterns; every other light is dark."""
        self.patterns = dict(patterns)
        self.command(self.patterns)
        self.context.changed()

    def command(self, patterns: Mapping[str, Way]) -> None:
        """Send the patterns to the driver."""
        raise NotImplementedError

    def state_lines(self) -> list[Line]:
        """Return the state of the driver, and the faults of the lights' expanders."""
        chips = self.context.chip_lines(point.pin for point in self.points)
        return chips or self.context.device_lines(self.place)


class _Lamps(_Lights[LampPattern]):
    """The button lamps."""

    what = place = "lamps"

    def command(self, patterns: Mapping[str, LampPattern]) -> None:
        """Send the patterns to the driver."""
        self.context.hardware.lamps.set(patterns)


class SingleLamp(_Lamps):
    """T.4: one lamp at a time, on, blinking or off."""

    def lines(self) -> Sequence[Line]:
        """Return a row for each lamp, then the state of the driver."""
        return (*(self._line(point) for point in self.points), *self.state_lines())

    def _line(self, point: Point) -> Line:
        pattern = self.patterns.get(point.name, "off")
        return Line(
            "{place}",
            PATTERNS[pattern],
            place=point.place,
            mark=point.code,
            detail=point.detail,
            tone="good" if pattern != "off" else "plain",
            leads=DeviceAction(lambda _submission: self._next(point)),
        )

    async def _next(self, point: Point) -> str:
        now = self.patterns.get(point.name, "off")
        pattern = _after(get_args(LampPattern), now)
        self.show({point.name: pattern})
        await self.context.record(DiagnosticEvent.LAMP, lamp=point.name, pattern=pattern)
        return ""


class AllLamps(_Lamps):
    """T.5: all lamps on, blinking, off, or one after another until something else is chosen."""

    def __init__(self, context: TestContext) -> None:
        super().__init__(context)
        self._chosen = ALL_OFF

    def lines(self) -> Sequence[Line]:
        """Return the choices, then the state of each lamp."""
        lit = self.context.hardware.lamps.lit
        return (
            *(self._choice(label) for label in (ALL_ON, ALL_BLINK, ALL_OFF, IN_TURN)),
            *(
                Line("{place}", LIT if lit[point.name] else DARK, place=point.place, mark=point.code)
                for point in self.points
            ),
            *self.state_lines(),
        )

    async def run(self) -> None:
        """Light one lamp after another while that is chosen."""
        at = 0
        while True:
            await self.context.clock.sleep(TURN_S)
            if self._chosen == IN_TURN and self.points:
                self.show({self.points[at % len(self.points)].name: "on"})
                at += 1

    def _choice(self, label: str) -> Line:
        chosen = label == self._chosen
        return Line(
            label, leads=DeviceAction(lambda _submission: self._choose(label)), tone="good" if chosen else "plain"
        )

    async def _choose(self, label: str) -> str:
        self._chosen = label
        pattern: LampPattern = "on" if label == ALL_ON else "blink" if label == ALL_BLINK else "off"
        self.show({point.name: pattern for point in self.points})
        await self.context.record(DiagnosticEvent.ALL_LAMPS, pattern=label.lower())
        return ""


class Tower(_Lights[LightPattern]):
    """T.6: each tier of the tower light in each of its patterns, alone or together."""

    what, place = "tower", "tower_light"

    def command(self, patterns: Mapping[str, LightPattern]) -> None:
        """Send the patterns to the driver."""
        self.context.hardware.tower.set(patterns)

    def lines(self) -> Sequence[Line]:
        """Return a row for each tier, one for all, then the state of the driver."""
        if not self.points:
            return (Line("{place}", NOT_FITTED, place=place_in_words(self.place)),)
        every = set(self.patterns.values())
        together = every.pop() if len(every) == 1 and len(self.patterns) == len(self.points) else "off"
        return (
            *(self._line(point) for point in self.points),
            Line(ALL_TIERS, PATTERNS[together], leads=DeviceAction(lambda _submission: self._next_of_all(together))),
            *self.state_lines(),
        )

    def _line(self, point: Point) -> Line:
        pattern = self.patterns.get(point.name, "off")
        return Line(
            "{place}",
            PATTERNS[pattern],
            place=point.place,
            mark=point.code,
            detail=point.detail,
            tone="plain" if pattern == "off" else "good",
            leads=DeviceAction(lambda _submission: self._next(point)),
        )

    async def _next(self, point: Point) -> str:
        pattern = _after(get_args(LightPattern), self.patterns.get(point.name, "off"))
        self.show({**self.patterns, point.name: pattern})
        await self.context.record(DiagnosticEvent.TIER, tier=point.name, pattern=pattern)
        return ""

    async def _next_of_all(self, now: LightPattern) -> str:
        pattern = _after(get_args(LightPattern), now)
        self.show({point.name: pattern for point in self.points})
        await self.context.record(DiagnosticEvent.ALL_TIERS, pattern=pattern)
        return ""


def _after(ways: tuple[Way, ...], now: Way) -> Way:
    """Return the pattern after `now`; it wraps."""
    return ways[(ways.index(now) + 1) % len(ways)]


_DAILY: Final = "attendant_tests_lamps"
PAGES = (
    device_test_page("T.4", "Single lamp", SingleLamp, shared=_DAILY),
    device_test_page("T.5", "All lamps", AllLamps, shared=_DAILY),
    device_test_page("T.6", "Tower light", Tower, shared=_DAILY),
)
