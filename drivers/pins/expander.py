"""Task of a port expander: reads its inputs, writes its outputs, and raises an error if it is missing.

Without the interrupt line all inputs are read every `poll_ms`; with it as soon as one changes, and at least every 50
ms. A level that changed and changed back between two reads is reported too: the chip stores it. If a chip stops
answering, or comes back with its power-up settings, the task ends with a `PortError`: after a restart with back-off the
same settings are written again, and inputs that changed meanwhile give edges.
"""

import asyncio
import logging

from drivers.clock import Clock
from drivers.expander.chip import ExpanderChip
from drivers.pins.header import InputPin, OutputPin, PinHeader
from drivers.waiting import side_by_side, wait_until
from drivers.wiring import Expander as ExpanderSettings

_log = logging.getLogger(__name__)

SAFETY_POLL_S = 0.050
"""How often a chip is read even if its interrupt line is quiet, because that wire may break."""

SHORTEST_REST_S = 0.001
"""Minimum pause between two reads, so that a bouncing contact does not occupy the bus."""


class Expander:
    """The task of one chip; its pins are claimed from the header like all others."""

    def __init__(self, chip: ExpanderChip, settings: ExpanderSettings, header: PinHeader, clock: Clock) -> None:
        self.name = chip.label
        self._chip = chip
        self._settings = settings
        self._header = header
        self._clock = clock
        self._poll_s = SAFETY_POLL_S if settings.interrupt is not None else settings.poll_ms / 1000
        self._moved = asyncio.Event()
        self._reset: OutputPin | None = None
        self._interrupt: InputPin | None = None
        self._began = False

    async def run(self) -> None:
        """Exchange with the chip until cancelled; raise `PortError` if it does not answer or has lost its settings."""
        loop = asyncio.get_running_loop()

        def wake() -> None:
            try:
                loop.call_soon_threadsafe(self._moved.set)
            except RuntimeError:
                # the loop is closed: nothing is left to write
                return

        try:
            if self._settings.reset is not None:
                self._reset = self._header.output(self._settings.reset, f"{self.name} reset")
                self._reset.set(on=True)
            if self._settings.interrupt is not None:
                self._interrupt = self._header.input(
                    self._settings.interrupt, f"{self.name} interrupt", lambda _level: wake()
                )
            if self._began:
                await asyncio.to_thread(self._chip.begin)
            else:
                # once, for a few milliseconds: drivers that start at the same time then find their inputs' levels
                self._began = True
                self._chip.begin()
            _log.info("%s found", self.name)
            self._chip.on_wanted = wake
            wired = self._reset is not None or self._interrupt is not None
            await side_by_side(self._exchange(), *([self._header.watch(self._clock)] if wired else []))
        finally:
            self.stop()

    async def _exchange(self) -> None:
        while True:
            self._moved.clear()
            await asyncio.to_thread(self._chip.exchange)
            await self._clock.sleep(SHORTEST_REST_S)
            await wait_until(self._clock.now() + self._rest_s(), self._moved, self._clock)

    def _rest_s(self) -> float:
        """Return the seconds until the next read without an interrupt."""
        if self._interrupt is not None and not self._interrupt.level:
            # an input changed during the read, which gives no edge; or the wire is shorted
            return self._settings.poll_ms / 1000
        return self._poll_s

    def stop(self) -> None:
        """Switch every output of the chip off at once; may be called twice."""
        self._chip.on_wanted = None
        self._chip.rest()
        reset, self._reset = self._reset, None
        interrupt, self._interrupt = self._interrupt, None
        if interrupt is not None:
            interrupt.close()
        if reset is not None:
            reset.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._chip!r}>"
