"""Driver of the logic door's latch: a contact that stores an opening without power until it is reset.

It is reset only after the listener has journaled the opening, and never while the door is open (P10).
"""

import asyncio
from collections.abc import Callable
from typing import Protocol

from drivers.capabilities import Faults
from drivers.clock import Clock
from drivers.pins.header import OutputPin, PinHeader
from drivers.pins.inputs import PinInputs
from drivers.waiting import side_by_side
from drivers.wiring import Latch

LATCH_STUCK = "latch_stuck"

_LATCH = "latch"
_LOOK_S = 0.25
_TRIES = 3
_SETTLES_S = 0.1


class LatchListener(Faults, Protocol):
    """Receives openings; each call returns when it is durable."""

    async def logic_opened(self, *, at_start: bool) -> None:
        """Record that the latch is set; `at_start` is true if it was set before the driver started."""

    async def latch_reset(self) -> None:
        """Record that the latch was reset: when it is set again, that is another opening."""


class DoorLatch:
    """The latch's driver. `is_open()` returns whether the door is open or its switch is not read yet.

    Fault `latch_stuck` of device `logic_latch` is present while the latch of a shut door cannot be reset: after three
    pulses the reset is retried only when the latch has moved or the driver restarts.
    """

    name = "logic_latch"

    def __init__(
        self,
        settings: Latch,
        header: PinHeader,
        clock: Clock,
        *,
        debounce_ms: int,
        is_open: Callable[[], bool],
        listener: LatchListener,
    ) -> None:
        self._settings = settings
        self._header = header
        self._clock = clock
        self._is_open = is_open
        self._listener = listener
        self._at_start = True
        self._moved = asyncio.Event()
        self._reset: OutputPin | None = None
        self._inputs = PinInputs(
            header,
            {_LATCH: settings.pin},
            kind="logic door's",
            debounce_ms=debounce_ms,
            clock=clock,
            on_level=lambda _name, _level, _at: self._moved.set(),
        )

    @property
    def remembers(self) -> bool:
        """Whether the latch is set, that is, the door was opened."""
        return self._inputs.levels.get(_LATCH) == bool(self._settings.active)

    @property
    def level(self) -> bool | None:
        """The electrical level of the latch's pin; None while the driver does not run."""
        return self._inputs.levels.get(_LATCH)

    async def run(self) -> None:
        """Report openings and reset the latch until cancelled; raise `PortError` if a pin fails."""
        try:
            self._inputs.open()
            self._reset = self._header.output(self._settings.reset, "logic door's latch reset")
            await side_by_side(self._inputs.serve(), self._watch())
        finally:
            self.stop()

    def stop(self) -> None:
        """Switch the reset off and release the pins; may be called twice."""
        reset, self._reset = self._reset, None
        try:
            if reset is not None:
                reset.close()
        finally:
            self._inputs.close()

    async def _watch(self) -> None:
        while True:
            self._moved.clear()
            if self.remembers:
                await self._listener.logic_opened(at_start=self._at_start)
                self._at_start = False
                await self._forget()
            self._at_start = False
            await self._moved.wait()

    async def _forget(self) -> None:
        for _ in range(_TRIES):
            while self._is_open():
                await self._clock.sleep(_LOOK_S)
            await self._pulse()
            await self._clock.sleep(_SETTLES_S)
            if not self.remembers:
                # the change back is not another opening
                self._moved.clear()
                await self._listener.latch_reset()
                await self._listener.device_fault(self.name, LATCH_STUCK, present=False)
                return
        await self._listener.device_fault(
            self.name, LATCH_STUCK, present=True, detail=f"still set after {_TRIES} pulses of its reset"
        )
        self._moved.clear()

    async def _pulse(self) -> None:
        reset = self._reset
        if reset is None:
            return
        reset.set(on=True)
        try:
            await self._clock.sleep(self._settings.reset_ms / 1000)
        finally:
            if self._reset is reset:
                reset.set(on=False)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {'remembers an opening' if self.remembers else 'at rest'}>"
