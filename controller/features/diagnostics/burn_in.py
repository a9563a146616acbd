"""T.19, burn-in: runs all devices that work unattended for hours and counts errors."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from controller.features.diagnostics import checks, storage
from controller.features.diagnostics.checks import Seen
from controller.features.diagnostics.context import TestContext
from controller.features.diagnostics.device_test import DeviceTest, device_test_page
from controller.features.diagnostics.events import DiagnosticEvent
from controller.features.diagnostics.plays import DemoPlays
from controller.journal.latency import commit_latencies
from controller.service.page import DeviceAction, Line
from gamekit.catalogue import load
from ui.protocol.messages import ServiceSound

_STEP_S = 1.0
_SOUND_EVERY, _COMMITS_EVERY, _PINS_EVERY, _FILE_EVERY = 5, 30, 60, 600
"""The steps between two sounds, commits, reads of pins and checks of the file."""
_COMMITS = 5
_PERIOD, _PICTURE_AT = 30, 20
"""The number of steps in one cycle of page and pattern, and the step at which the pattern is shown."""
_VOLUME = 30
_SEED = 19

HOURS = {600: "10 minutes", 3600: "1 hour", 8 * 3600: "8 hours", 24 * 3600: "24 hours"}
"""The durations to choose from, in seconds, with their labels."""
RUN_FOR, STOP = "Run for", "Stop"
FAULTS = "Faults that devices have reported"
SLOW = "Commits that took too long"
DAMAGED = "Times the books were found damaged"
PINS = "Pins that did not read what they were set to"
PLAYS = "Demo plays that went wrong"
DISPLAY = "Times the display was lost"
ERRORS = (FAULTS, SLOW, DAMAGED, PINS, PLAYS, DISPLAY)
NO_ERRORS, RUNS, ENDED = "no errors", "runs", "has ended"


class BurnIn(DeviceTest):
    """Runs for a chosen duration; leaving ends it, and the error counts are recorded."""

    patient = True
    channels = ("left", "right", "both")
    pictures = ("bars", "grid", "frames")

    def __init__(self, context: TestContext) -> None:
        super().__init__(context)
        self.errors: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.seconds = 0
        self.steps = 0
        self._go = asyncio.Event()
        self._stop = False
        self._dismissed = -1
        self._present: set[tuple[str, str]] = set()
        self._connected = False
        self._sound: ServiceSound | None = None
        self._plays = [DemoPlays(load(name), _SEED) for name in context.machine.settings.config.games.enabled]

    @property
    def running(self) -> bool:
        """Whether a run is in progress."""
        return self._go.is_set()

    @property
    def picture(self) -> str:
        """The display's patterns in turn, with the page in between."""
        at, place = divmod(self.steps, _PERIOD)
        shown = self.running and place >= _PICTURE_AT and at != self._dismissed
        return self.pictures[at % len(self.pictures)] if shown else ""

    def key(self, _key: str) -> bool:
        """Return from a pattern to the page on any key, until the next pattern is due."""
        if not self.picture:
            return False
        self._dismissed = self.steps // _PERIOD
        return True

    @property
    def sound(self) -> ServiceSound | None:
        """The newest sound."""
        return self._sound

    def lines(self) -> Sequence[Line]:
        """Return the durations, the progress and the errors."""
        if self.picture:
            return (Line("Time", self._time), *self._counts())
        return (*self._choices(), *self._progress(), *self._counts())

    @property
    def _time(self) -> str:
        return f"{_clock(self.steps)} / {_clock(self.seconds)}"

    def _choices(self) -> list[Line]:
        if self.running:
            return [Line(STOP, leads=DeviceAction(lambda _submission: self._end()))]
        return [self._choice(seconds, words) for seconds, words in HOURS.items()]

    def _choice(self, seconds: int, words: str) -> Line:
        return Line(RUN_FOR, words, leads=DeviceAction(lambda _submission: self._begin(seconds)))

    def _progress(self) -> list[Line]:
        if not self.seconds:
            return []
        return [
            Line("The burn-in", RUNS if self.running else ENDED, tone="heading"),
            Line("Time", self._time),
            Line("Demo plays", count=sum(plays.rounds for plays in self._plays)),
            Line("Commits", count=self.done[SLOW]),
        ]

    def _counts(self) -> list[Line]:
        if not self.seconds:
            return []
        wrong = [Line(label, count=self.errors[label], tone="bad") for label in ERRORS if self.errors[label]]
        return wrong or [Line("Errors", NO_ERRORS, tone="good")]

    async def _begin(self, seconds: int) -> str:
        self.errors.clear()
        self.done.clear()
        self.seconds, self.steps, self._stop, self._dismissed = seconds, 0, False, -1
        self._present = self._faults()
        self._connected = self.context.machine.screen.connected
        self._go.set()
        return ""

    async def _end(self) -> str:
        self._stop = True
        return ""

    async def run(self) -> None:
        """Run for each chosen duration, until it is over or stopped."""
        while True:
            await self._go.wait()
            async with self._held():
                while self.steps < self.seconds and not self._stop:
                    await self._work()

    @asynccontextmanager
    async def _held(self) -> AsyncIterator[None]:
        """Hold lamps and tower light during the run, and record its result however it ends."""
        try:
            with self.context.hold("lamps", "tower"):
                yield
        finally:
            self._go.clear()
            wrong = ", ".join(f"{label}: {self.errors[label]}" for label in ERRORS if self.errors[label])
            ended = DiagnosticEvent.BURN_IN_FAILED if wrong else DiagnosticEvent.BURN_IN_PASSED
            time, errors = _clock(self.steps), dict(self.errors)
            await self.context.machine.journal.do(lambda tx: tx.event(ended, time=time, reason=wrong, errors=errors))

    async def _work(self) -> None:
        """Take one step: set the next lights, count new errors, and play a round."""
        at, hardware, pins = self.steps, self.context.hardware, self.context.machine.settings.config.pins
        lamps, tiers = list(pins.buttons), list(pins.tower)
        if lamps:
            hardware.lamps.set({lamps[at % len(lamps)]: "on"})
        if tiers:
            hardware.tower.set({tiers[at % len(tiers)]: "on"})
        if not at % _SOUND_EVERY:
            number = at // _SOUND_EVERY
            channel = self.channels[number % len(self.channels)]
            self._sound = ServiceSound(number=number + 1, channel=channel, volume=_VOLUME)
        self._look()
        self._play()
        if not at % _COMMITS_EVERY:
            await self._commit()
        if at % _PINS_EVERY == _PINS_EVERY - 1:
            found = await checks.pins(Seen(self.context, lambda: None))
            self.errors[PINS] += len(found.reasons)
        if at % _FILE_EVERY == _FILE_EVERY - 1 and await storage.damage(self.context):
            self.errors[DAMAGED] += 1
        self.steps += 1
        self.context.changed()
        await self.context.clock.sleep(_STEP_S)

    def _faults(self) -> set[tuple[str, str]]:
        return {(fault.code, fault.place) for fault in self.context.machine.conditions.faults if fault.present}

    def _look(self) -> None:
        present, connected = self._faults(), self.context.machine.screen.connected
        self.errors[FAULTS] += len(present - self._present)
        self.errors[DISPLAY] += self._connected and not connected
        self._present, self._connected = present, connected

    def _play(self) -> None:
        if not self._plays:
            return
        plays = self._plays[self.steps % len(self._plays)]
        try:
            plays.play()
        except (ValueError, TypeError):
            self.errors[PLAYS] += 1

    async def _commit(self) -> None:
        taken = await commit_latencies(self.context.machine.journal.do, _COMMITS, self.context.stopwatch)
        self.done[SLOW] += len(taken)
        self.errors[SLOW] += sum(seconds >= storage.SLOWEST_S for seconds in taken)


def _clock(seconds: int) -> str:
    """Return seconds as hours, minutes and seconds."""
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


PAGES = (device_test_page("T.19", "Burn-in", BurnIn),)
