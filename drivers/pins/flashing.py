"""Outputs that are on, off or flashing, timed by the driver's clock.

All outputs with the same pattern flash in phase. No output flashes more than three times a second, whatever the caller
requests: faster flashing can harm people.
"""

import asyncio
from collections.abc import Mapping

from drivers.clock import Clock
from drivers.errors import SettingsError
from drivers.pin_names import Pin
from drivers.pins.header import OutputPin, PinHeader, close_all
from drivers.waiting import side_by_side, wait_until

BETWEEN_LIGHTINGS_MS = 334


class FlashingOutputs:
    """A group of outputs, `name` in reprs and errors, `pins` each one's pin by its name.

    `half_periods_ms` gives the milliseconds on (and off again) of each flashing pattern; `on` and `off` need none.
    """

    def __init__(
        self,
        name: str,
        pins: Mapping[str, Pin],
        header: PinHeader,
        clock: Clock,
        half_periods_ms: Mapping[str, int],
    ) -> None:
        self.name = name
        self._pins = dict(pins)
        self._header = header
        self._clock = clock
        self._half_periods_ms = dict(half_periods_ms)
        self._patterns = dict.fromkeys(self._pins, "off")
        self._outputs: dict[str, OutputPin] = {}
        self._lit_ms: dict[str, int] = {}
        self._changed = asyncio.Event()

    @property
    def fitted(self) -> frozenset[str]:
        """The names of the wired outputs."""
        return frozenset(self._pins)

    @property
    def lit(self) -> dict[str, bool]:
        """Which outputs are energised."""
        return {name: name in self._outputs and self._outputs[name].on for name in self._pins}

    def show(self, patterns: Mapping[str, str]) -> None:
        """Set the patterns; outputs that are not named are off.

        The patterns are only stored, even while the driver does not run: a lamp that fails ends the driver's task and
        never raises in the caller. Raises `SettingsError` for an unknown name or pattern.
        """
        known = ("off", "on", *self._half_periods_ms)
        for name, pattern in patterns.items():
            if name not in self._pins:
                raise SettingsError(f"{self.name} has no '{name}'; it has {', '.join(self._pins)}")
            if pattern not in known:
                raise SettingsError(f"{self.name} cannot show '{pattern}'; it can show {', '.join(known)}")
        self._patterns = {name: patterns.get(name, "off") for name in self._pins}
        self._changed.set()

    async def run(self) -> None:
        """Drive the outputs until cancelled; raise `PortError` if a pin fails."""
        try:
            for name, pin in self._pins.items():
                self._outputs[name] = self._header.output(pin, f"{self.name} {name}")
            self._apply(self._now_ms())
            await side_by_side(self._flash(), self._header.watch(self._clock))
        finally:
            self.stop()

    async def _flash(self) -> None:
        now_ms = self._now_ms()
        while True:
            self._changed.clear()
            due_ms = self._apply(now_ms)
            await wait_until(None if due_ms is None else due_ms / 1000, self._changed, self._clock)
            now_ms = self._now_ms()
            if due_ms is not None and not self._changed.is_set():
                # a timer may fire a rounding error early
                now_ms = max(now_ms, due_ms)

    def stop(self) -> None:
        """Switch every output off at once; may be called twice."""
        close_all(self._outputs)

    def _now_ms(self) -> int:
        return round(self._clock.now() * 1000)

    def _apply(self, now_ms: int) -> int | None:
        """Set every output to its pattern's state at `now_ms`; return the time of the next change, None for never."""
        due_ms: int | None = None
        for name, output in self._outputs.items():
            lit, turns_ms = self._phase(self._patterns[name], now_ms)
            allowed_ms = self._lit_ms.get(name, now_ms - BETWEEN_LIGHTINGS_MS) + BETWEEN_LIGHTINGS_MS
            if lit and not output.on and now_ms < allowed_ms:
                lit, turns_ms = False, allowed_ms
            if lit and not output.on:
                self._lit_ms[name] = now_ms
            if lit != output.on:
                output.set(on=lit)
            if turns_ms is not None:
                due_ms = turns_ms if due_ms is None else min(due_ms, turns_ms)
        return due_ms

    def _phase(self, pattern: str, now_ms: int) -> tuple[bool, int | None]:
        half_ms = self._half_periods_ms.get(pattern)
        if half_ms is None:
            return pattern == "on", None
        halves = now_ms // half_ms
        return halves % 2 == 0, (halves + 1) * half_ms

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {pattern}" for name, pattern in self._patterns.items() if pattern != "off")
        return f"<{type(self).__name__} {self.name}: {shown or 'all off'}>"
