"""Driver of an electromechanical meter: one pulse through its coil is one step of its wheels.

The journal counts the pulses that are owed; this driver gives one at a time, of the right length, and never leaves the
coil energised. An unplugged meter with a sense contact raises a fault and gets no pulses.
"""

import asyncio

from drivers.capabilities import Faults
from drivers.clock import Clock
from drivers.errors import DriverError, NotPulsedError, SettingsError
from drivers.pins.header import OutputPin, PinHeader
from drivers.pins.inputs import PinInputs
from drivers.waiting import side_by_side
from drivers.wiring import Meter

# A coil is made for short pulses: a longer one heats it, a shorter one or gap does not move its armature.
SHORTEST_MS = 20
LONGEST_MS = 500

METER_UNPLUGGED = "meter_unplugged"
_SENSE = "sense"


class HardMeter:
    """One hard meter, `meter` as in `drivers.wiring.METERS`; its faults are those of device `meter_<meter>`.

    Fault `meter_unplugged` is present as long as the sense contact is open; a meter without one counts as plugged in.
    Raises `SettingsError` for a pulse or gap outside 20 to 500 ms.
    """

    def __init__(
        self,
        meter: str,
        settings: Meter,
        header: PinHeader,
        clock: Clock,
        *,
        debounce_ms: int,
        faults: Faults,
    ) -> None:
        for key, length_ms in (("pulse_ms", settings.pulse_ms), ("gap_ms", settings.gap_ms)):
            if not SHORTEST_MS <= length_ms <= LONGEST_MS:
                raise SettingsError(
                    f"[pins.meters.{meter}] {key} is {length_ms}; choose {SHORTEST_MS} to {LONGEST_MS} ms"
                )
        self.name = f"meter_{meter}"
        self._label = f"hard meter {meter}"
        self._settings = settings
        self._header = header
        self._clock = clock
        self._faults = faults
        self._coil: OutputPin | None = None
        self._one_at_a_time = asyncio.Lock()
        self._plugged = True
        self._unplugged_at = float("-inf")
        self._moved = asyncio.Event()
        self._sense = PinInputs(
            header,
            {} if settings.sense is None else {_SENSE: settings.sense},
            kind=self._label,
            debounce_ms=debounce_ms,
            clock=clock,
            on_level=self._level,
        )

    @property
    def ready(self) -> bool:
        """Whether the driver runs and the meter is plugged in, so that `pulse` works."""
        return self._coil is not None and self._plugged

    @property
    def energised(self) -> bool:
        """Whether the coil is energised."""
        return self._coil is not None and self._coil.on

    @property
    def sense_level(self) -> bool | None:
        """The electrical level of the sense contact; None without one, or while the driver does not run."""
        return self._sense.levels.get(_SENSE)

    async def run(self) -> None:
        """Hold the pins until cancelled, so that `pulse` works; raise `PortError` if a pin fails."""
        try:
            self._sense.open()
            self._plugged = not any(self._sense.levels.values())
            self._coil = self._header.output(self._settings.pin, self._label)
            await side_by_side(self._sense.serve(), self._report())
        finally:
            self.stop()

    async def pulse(self) -> None:
        """Give one pulse and wait for the gap after it; concurrent calls are queued.

        Raises `NotPulsedError` if the driver does not run or the meter is unplugged: then no current flowed. Any other
        `DriverError` means that it was stopped or unplugged during the pulse: then it is unknown whether the meter has
        stepped. Cancelling the call de-energises the coil at once, with the same uncertainty.
        """
        async with self._one_at_a_time:
            coil = self._coil
            if coil is None:
                raise NotPulsedError(f"{self._label} is not running, no pulse was given; start its driver")
            if not self._plugged:
                raise NotPulsedError(f"{self._label} is unplugged, no pulse was given; plug it in")
            began = self._clock.now()
            coil.set(on=True)
            try:
                await self._clock.sleep(self._settings.pulse_ms / 1000)
                if self._coil is not coil:
                    raise DriverError(f"{self._label} was stopped within a pulse; compare its figure with the books")
            finally:
                if self._coil is coil:
                    coil.set(on=False)
            ended = self._clock.now()
            # by the end of the gap the sense contact has settled
            await self._clock.sleep(self._settings.gap_ms / 1000)
            if began <= self._unplugged_at <= ended:
                raise DriverError(f"{self._label} was unplugged within a pulse; compare its figure with the books")

    def stop(self) -> None:
        """De-energise the coil at once, even during a pulse; may be called twice."""
        coil, self._coil = self._coil, None
        try:
            if coil is not None:
                coil.close()
        finally:
            self._sense.close()

    def _level(self, _name: str, level: bool, at: float) -> None:  # noqa: FBT001 - PinInputs' callback
        self._plugged = not level
        if level:
            self._unplugged_at = at
        self._moved.set()

    async def _report(self) -> None:
        while True:
            self._moved.clear()
            await self._faults.device_fault(self.name, METER_UNPLUGGED, present=not self._plugged)
            await self._moved.wait()

    def __repr__(self) -> str:
        state = "stopped" if self._coil is None else "energised" if self.energised else "idle"
        return f"<{type(self).__name__} {self._label} ({self._settings.pin}) {state}>"
