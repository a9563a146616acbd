"""The cabinet's panel as contacts and coils: buttons, lamps, doors, keys, tower light, hard meters."""

from collections.abc import Callable, Mapping

from drivers.pin_names import Pin
from drivers.wiring import Input, Pins

# An electromechanical counter for ten steps a second, with the tolerance such counters have.
SHORTEST_PULSE_S = 0.030
SHORTEST_REST_S = 0.020


class StepCounter:
    """An electromechanical counter: its wheels step at the end of a pulse long enough to pull in the armature.

    A pulse that follows before the armature has dropped back does not count. `figure` is kept without power.
    """

    def __init__(self, figure: int = 0) -> None:
        self.figure = figure
        self._energised_at: float | None = None
        self._rested_at = float("-inf")

    def energise(self, at: float) -> None:
        """Switch the current on at `at` (seconds)."""
        if at - self._rested_at >= SHORTEST_REST_S:
            self._energised_at = at

    def release(self, at: float) -> None:
        """Switch the current off at `at` (seconds)."""
        began, self._energised_at = self._energised_at, None
        self._rested_at = at
        if began is not None and at - began >= SHORTEST_PULSE_S:
            self.figure += 1

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.figure:07d}>"


class Panel:
    """Everything on the header's and the expanders' pins, wired as `pins` says.

    `drive(pin, level)` is called for every contact that moves, `on_change()` after every change visible in front of the
    cabinet; `figures` are the initial figures of the hard meters, `latched` says whether the logic door's latch
    remembers an opening. The latch needs no power; a pulse on its reset clears it while that door is shut.
    """

    def __init__(
        self,
        pins: Pins,
        *,
        drive: Callable[[Pin, bool], None],
        on_change: Callable[[], None],
        figures: Mapping[str, int] | None = None,
        latched: bool = False,
    ) -> None:
        self._pins = pins
        self._drive = drive
        self._on_change = on_change
        self._counters = {name: StepCounter((figures or {}).get(name, 0)) for name in pins.meters}
        self._names_by_coil = {meter.pin: name for name, meter in pins.meters.items()}
        self._energised: set[Pin] = set()
        self.latched = latched
        self.plugged = dict.fromkeys(pins.meters, True)
        self.buttons = dict.fromkeys(pins.buttons, False)
        self.doors = dict.fromkeys(pins.doors, False)
        self.keys = dict.fromkeys(pins.keys, False)

    @property
    def lamps(self) -> dict[str, bool]:
        """Which buttons are lit."""
        return {name: button.lamp in self._energised for name, button in self._pins.buttons.items()}

    @property
    def tower(self) -> dict[str, bool]:
        """Which tiers of the tower light are lit."""
        return {name: tier.pin in self._energised for name, tier in self._pins.tower.items()}

    @property
    def meters(self) -> dict[str, int]:
        """The hard meters' figures."""
        return {name: counter.figure for name, counter in self._counters.items()}

    def inputs(self) -> dict[Pin, bool]:
        """The electrical level of every contact, by pin."""
        levels: dict[Pin, bool] = {button.pin: not self.buttons[name] for name, button in self._pins.buttons.items()}
        for switches, states in ((self._pins.doors, self.doors), (self._pins.keys, self.keys)):
            levels.update({switch.pin: _level(switch, states[name]) for name, switch in switches.items()})
        for name, meter in self._pins.meters.items():
            if meter.sense is not None:
                levels[meter.sense] = not self.plugged[name]
        latch = self._pins.logic_latch
        if latch is not None:
            levels[latch.pin] = bool(latch.active) == self.latched
        return levels

    def press(self, button: str, *, down: bool) -> None:
        """Press or release a button; raise `ValueError` naming the existing buttons."""
        _known("button", button, self.buttons)
        self._move(self.buttons, button, self._pins.buttons[button].pin, moved=down, level=not down)

    def swing(self, door: str, *, is_open: bool) -> None:
        """Open or close a door; raise `ValueError` naming the existing doors."""
        _known("door", door, self.doors)
        switch = self._pins.doors[door]
        self._move(self.doors, door, switch.pin, moved=is_open, level=_level(switch, is_open))
        if door == "logic" and is_open:
            self._latch(remembers=True)

    def turn(self, key: str, *, on: bool) -> None:
        """Turn a key switch; raise `ValueError` naming the existing keys."""
        _known("key", key, self.keys)
        switch = self._pins.keys[key]
        self._move(self.keys, key, switch.pin, moved=on, level=_level(switch, on))

    def plug(self, meter: str, *, plugged: bool) -> None:
        """Unplug or plug in a hard meter; raise `ValueError` naming the existing meters."""
        _known("hard meter", meter, self.plugged)
        sense = self._pins.meters[meter].sense
        self.plugged[meter] = plugged
        if sense is not None:
            self._drive(sense, not plugged)
        self._on_change()

    def output(self, pin: Pin, level: bool, at: float) -> None:  # noqa: FBT001 - PinWire's callback
        """Follow an output of the header or of an expander to `level` at `at` (seconds)."""
        if level:
            self._energised.add(pin)
        else:
            self._energised.discard(pin)
        latch = self._pins.logic_latch
        if latch is not None and pin == latch.reset and level and not self.doors.get("logic", False):
            self._latch(remembers=False)
        meter = self._names_by_coil.get(pin)
        if meter is not None and level and self.plugged[meter]:
            self._counters[meter].energise(at)
        elif meter is not None:
            self._counters[meter].release(at)
        self._on_change()

    def _latch(self, *, remembers: bool) -> None:
        latch = self._pins.logic_latch
        if latch is not None and remembers != self.latched:
            self.latched = remembers
            self._drive(latch.pin, bool(latch.active) == remembers)

    def _move(self, states: dict[str, bool], name: str, pin: Pin, *, moved: bool, level: bool) -> None:
        if states[name] != moved:
            states[name] = moved
            self._drive(pin, level)
            self._on_change()


def _level(switch: Input, active: bool) -> bool:  # noqa: FBT001 - one private line, both arguments plain
    return bool(switch.active) == active


def _known(kind: str, name: str, there_are: Mapping[str, object]) -> None:
    if name not in there_are:
        raise ValueError(f"there is no {kind} {name!r}; there are {', '.join(there_are)}")
