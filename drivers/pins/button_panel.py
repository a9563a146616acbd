"""Driver of the panel's buttons: each press is reported once, and only one button at a time counts.

While an accepted press is held, other presses are ignored (requirements.md P9), and an ignored press is not reported
when the first button is released. A held button never repeats (requirements.md G3).
"""

import asyncio
from collections.abc import Callable, Mapping

from drivers.capabilities import Faults
from drivers.clock import Clock
from drivers.pin_names import Pin
from drivers.pins.header import PinHeader
from drivers.pins.inputs import PinInputs
from drivers.waiting import side_by_side, wait_until

STUCK_AFTER_S = 30.0
STUCK_BUTTON = "stuck_button"


class ButtonPanel:
    """Buttons with a contact to ground on pulled-up pins: a pressed one reads low.

    `pins` gives each button its pin. `on_press(name, at)` and `on_release(name, at)` are called on the event loop; `at`
    is the clock's time of the first edge, so the debounce time lies between it and the call. `on_release` follows every
    reported press and no other, unless the driver is stopped while the button is held. `on_edge(name, held, at)` is
    called for every settled edge, ignored presses too: for tests of the buttons. Fault `stuck_button` of device `button
    <name>` is raised after 30 s and cleared by the release.
    """

    name = "button_panel"

    def __init__(
        self,
        pins: Mapping[str, Pin],
        header: PinHeader,
        clock: Clock,
        *,
        debounce_ms: int,
        on_press: Callable[[str, float], None],
        on_release: Callable[[str, float], None],
        faults: Faults,
        on_edge: Callable[[str, bool, float], None] = lambda _name, _held, _at: None,
    ) -> None:
        self._on_edge = on_edge
        self._clock = clock
        self._on_press = on_press
        self._on_release = on_release
        self._faults = faults
        self._inputs = PinInputs(
            header, pins, kind="button", debounce_ms=debounce_ms, clock=clock, on_level=self._level
        )
        self._held: dict[str, float] = {}
        self._accepted: str | None = None
        self._stuck: set[str] = set()
        self._reported: set[str] = set()
        self._turned = asyncio.Event()

    @property
    def held(self) -> frozenset[str]:
        """The buttons that are held, accepted or not."""
        return frozenset(self._held)

    @property
    def levels(self) -> dict[str, bool]:
        """The electrical level of every button's pin; empty while the driver does not run."""
        return self._inputs.levels

    async def run(self) -> None:
        """Watch the buttons until cancelled; raise `PortError` if a pin fails.

        A button that is held at the start is not a press: it must be released first.
        """
        self._inputs.open()
        try:
            now = self._clock.now()
            self._held = {name: now for name, level in self._inputs.levels.items() if not level}
            self._stuck.clear()
            self._turned.set()
            await side_by_side(self._inputs.serve(), self._watch_stuck())
        finally:
            self.stop()

    def stop(self) -> None:
        """Release the pins; there is no output to switch off."""
        self._inputs.close()
        self._held.clear()
        self._accepted = None

    def _level(self, name: str, level: bool, at: float) -> None:  # noqa: FBT001 - PinInputs' callback
        self._on_edge(name, not level, at)
        if level:
            self._released(name, at)
        else:
            self._pressed(name, at)
        self._turned.set()

    def _pressed(self, name: str, at: float) -> None:
        self._held[name] = at
        if self._accepted is None:
            self._accepted = name
            self._on_press(name, at)

    def _released(self, name: str, at: float) -> None:
        self._held.pop(name, None)
        self._stuck.discard(name)
        if self._accepted == name:
            self._accepted = None
            self._on_release(name, at)

    async def _watch_stuck(self) -> None:
        while True:
            self._turned.clear()
            await self._report()
            since = [at for name, at in self._held.items() if name not in self._stuck]
            due = min(since) + STUCK_AFTER_S if since else None
            await wait_until(due, self._turned, self._clock)
            if due is not None and not self._turned.is_set():
                self._find_stuck(due)

    def _find_stuck(self, now: float) -> None:
        for name, at in self._held.items():
            if name not in self._stuck and at + STUCK_AFTER_S <= now:
                self._stuck.add(name)
                if self._accepted == name:
                    # the other buttons work again; this one's release is not reported
                    self._accepted = None

    async def _report(self) -> None:
        for name in sorted(self._stuck - self._reported):
            self._reported.add(name)
            await self._faults.device_fault(
                f"button {name}", STUCK_BUTTON, present=True, detail=f"held for {STUCK_AFTER_S:.0f} s"
            )
        for name in sorted(self._reported - self._stuck):
            self._reported.discard(name)
            await self._faults.device_fault(f"button {name}", STUCK_BUTTON, present=False)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} held: {', '.join(sorted(self._held)) or 'none'}>"
