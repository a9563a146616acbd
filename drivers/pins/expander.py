"""A port expander's task: its inputs are read, its outputs written, its absence is a fault.

Without the interrupt line every input is read each `poll_ms`; with it as soon as something moves, and every 50 ms all
the same. A level that came and went between two reads is reported as well: the chip remembers it. A chip that stops
answering, or that comes back with its power-up settings, ends the task with a `PortError`: whoever restarts it, with
back-off, gets the same picture written to it again, and edges for whatever moved meanwhile.
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
"""How often a chip is read though its interrupt line is quiet: that wire may break."""

SHORTEST_REST_S = 0.001
"""Between two reads, however much moves, so that a bouncing contact does not take the whole bus."""


class Expander:
    """The task of one chip; its pins are asked for from the header, as all others are."""

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
        """Exchange with the chip until cancelled; raise `PortError` where it does not answer or has forgotten all."""
        loop = asyncio.get_running_loop()

        def wake() -> None:
            try:
                loop.call_soon_threadsafe(self._moved.set)
            except RuntimeError:
                # the loop has closed: nobody is left to write anything
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
                # once, a few milliseconds: the drivers that start with this one find their inputs' levels
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
        """Seconds until the next read, if nothing calls for one."""
        if self._interrupt is not None and not self._interrupt.level:
            # something moved within the read, which makes no edge; or the wire is shorted
            return self._settings.poll_ms / 1000
        return self._poll_s

    def stop(self) -> None:
        """De-energise every output of the chip at once; may be called twice."""
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
