"""Driver of door and key switches: they have states, not presses, so their first level is reported too.

The first report shows a door that was opened while the power was off (requirements.md P10).
"""

from collections.abc import Callable, Mapping

from drivers.clock import Clock
from drivers.pins.header import PinHeader
from drivers.pins.inputs import PinInputs
from drivers.wiring import Input


class Switches:
    """A group of switches: `name` is the group (`doors`, `keys`), `inputs` their pins and active levels by name.

    `on_change(name, active)` is called on the event loop, for every switch when `run()` begins and then once
    per settled change; active means an open door or a turned key. A door switch should be wired so that a
    broken wire reads as an open door: closed contact to ground while shut, `active = 1`. `on_edge(name, active, at)` is
    called before it for every settled change, with the time of its first edge: for tests of the switches.
    """

    def __init__(
        self,
        name: str,
        inputs: Mapping[str, Input],
        header: PinHeader,
        clock: Clock,
        *,
        debounce_ms: int,
        on_change: Callable[[str, bool], None],
        on_edge: Callable[[str, bool, float], None] = lambda _name, _active, _at: None,
    ) -> None:
        self._on_edge = on_edge
        self.name = name
        self._active_levels = {switch: bool(wired.active) for switch, wired in inputs.items()}
        self._on_change = on_change
        self._inputs = PinInputs(
            header,
            {switch: wired.pin for switch, wired in inputs.items()},
            kind=name.removesuffix("s"),
            debounce_ms=debounce_ms,
            clock=clock,
            on_level=self._level,
        )

    @property
    def active(self) -> dict[str, bool]:
        """The state of each switch; empty while the driver does not run."""
        return {name: level == self._active_levels[name] for name, level in self._inputs.levels.items()}

    @property
    def levels(self) -> dict[str, bool]:
        """The electrical level of every switch's pin; empty while the driver does not run."""
        return self._inputs.levels

    async def run(self) -> None:
        """Report all states, then every change until cancelled; raise `PortError` if a pin fails."""
        self._inputs.open()
        try:
            for name, active in self.active.items():
                self._on_change(name, active)
            await self._inputs.serve()
        finally:
            self.stop()

    def stop(self) -> None:
        """Release the pins; there is no output to switch off."""
        self._inputs.close()

    def _level(self, name: str, level: bool, at: float) -> None:  # noqa: FBT001 - PinInputs' callback
        active = level == self._active_levels[name]
        self._on_edge(name, active, at)
        self._on_change(name, active)

    def __repr__(self) -> str:
        active = [name for name, active in self.active.items() if active]
        return f"<{type(self).__name__} {self.name} active: {', '.join(active) or 'none'}>"
