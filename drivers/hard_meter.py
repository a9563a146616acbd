"""An electromechanical meter: one pulse through its coil is one step of its wheels.

Which pulses are owed is the journal's business; this driver gives one at a time, of the right length, and
never leaves the coil energised.
"""

import asyncio

from drivers.clock import Clock
from drivers.errors import DriverError, SettingsError
from drivers.pin_factory import OutputPin, PinHeader
from drivers.wiring import Meter

# A coil is made for short pulses: a longer one heats it, a shorter one or gap does not move its armature.
SHORTEST_MS = 20
LONGEST_MS = 500


class HardMeter:
    """One hard meter, `name` as in `drivers.wiring.METERS`.

    Raises `SettingsError` for a pulse or gap outside 20 to 500 ms.
    """

    def __init__(self, name: str, settings: Meter, header: PinHeader, clock: Clock) -> None:
        for key, length_ms in (("pulse_ms", settings.pulse_ms), ("gap_ms", settings.gap_ms)):
            if not SHORTEST_MS <= length_ms <= LONGEST_MS:
                raise SettingsError(
                    f"[pins.meters.{name}] {key} is {length_ms}; choose {SHORTEST_MS} to {LONGEST_MS} ms"
                )
        self.name = name
        self._settings = settings
        self._header = header
        self._clock = clock
        self._coil: OutputPin | None = None
        self._one_at_a_time = asyncio.Lock()

    @property
    def ready(self) -> bool:
        """Whether the driver runs, so that `pulse` can give one."""
        return self._coil is not None

    @property
    def energised(self) -> bool:
        """Whether current flows through the coil now."""
        return self._coil is not None and self._coil.on

    async def run(self) -> None:
        """Hold the pin until cancelled; pulses are given meanwhile. Raise `PortError` where the pin refuses."""
        self._coil = self._header.output(self._settings.pin, f"hard meter {self.name}")
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self.stop()

    async def pulse(self) -> None:
        """Give one pulse, then the gap that must follow it; callers that overlap wait for each other.

        Raises `DriverError` where the driver does not run or was stopped within the pulse: then nobody can
        say whether the meter has stepped. Cancelling it de-energises the coil at once, with the same doubt.
        """
        async with self._one_at_a_time:
            coil = self._coil
            if coil is None:
                raise DriverError(f"hard meter {self.name} is not running, no pulse was given; start its driver")
            coil.set(on=True)
            try:
                await self._clock.sleep(self._settings.pulse_ms / 1000)
                if self._coil is not coil:
                    raise DriverError(
                        f"hard meter {self.name} was stopped within a pulse; compare its figure with the books"
                    )
            finally:
                if self._coil is coil:
                    coil.set(on=False)
            await self._clock.sleep(self._settings.gap_ms / 1000)

    def stop(self) -> None:
        """De-energise the coil at once, also within a pulse; may be called twice."""
        coil, self._coil = self._coil, None
        if coil is not None:
            coil.close()

    def __repr__(self) -> str:
        state = "stopped" if self._coil is None else "energised" if self.energised else "idle"
        return f"<{type(self).__name__} {self.name} (GPIO {self._settings.pin}) {state}>"
