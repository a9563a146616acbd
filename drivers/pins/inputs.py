"""A group of debounced inputs, reported on the event loop."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial

from drivers.clock import Clock
from drivers.pin_names import Pin
from drivers.pins.debounce import Debouncer
from drivers.pins.header import InputPin, PinHeader
from drivers.waiting import side_by_side


class PinInputs:
    """Contacts to ground on pulled-up pins.

    `pins` gives each its pin; `kind` goes into errors (`button spin (GPIO 5)`). `on_level(name,
    level, at)` is called on the event loop for every settled change, with the time of its first edge.
    """

    def __init__(
        self,
        header: PinHeader,
        pins: Mapping[str, Pin],
        *,
        kind: str,
        debounce_ms: int,
        clock: Clock,
        on_level: Callable[[str, bool, float], None],
    ) -> None:
        self._header = header
        self._pins = dict(pins)
        self._kind = kind
        self._hold = debounce_ms / 1000
        self._clock = clock
        self._on_level = on_level
        self._inputs: dict[str, InputPin] = {}
        self._contacts: dict[str, Debouncer] = {}
        self._moved = asyncio.Event()

    @property
    def levels(self) -> dict[str, bool]:
        """The settled level of every input; empty while closed."""
        return {name: contact.level for name, contact in self._contacts.items()}

    def open(self) -> None:
        """Claim the pins and read their first levels; raise `PortError` if one fails.

        Each pin is watched before it is read, so that no edge is missed in between.
        """
        loop = asyncio.get_running_loop()
        try:
            for name, pin in self._pins.items():
                self._inputs[name] = self._header.input(pin, f"{self._kind} {name}", partial(self._cross, loop, name))
                self._contacts[name] = Debouncer(level=self._inputs[name].level, hold=self._hold)
        except BaseException:
            self.close()
            raise

    async def serve(self) -> None:
        """Report settled changes until cancelled; raise `PortError` if the pins are gone."""
        await side_by_side(self._serve(), self._header.watch(self._clock))

    async def _serve(self) -> None:
        while True:
            dues = [contact.due for contact in self._contacts.values() if contact.due is not None]
            if not dues:
                await self._moved.wait()
                self._moved.clear()
                continue
            # A later edge is due later, so sleeping to the earliest one misses nothing.
            due = min(dues)
            await self._clock.sleep(max(0.0, due - self._clock.now()))
            self._settle(max(due, self._clock.now()))

    def close(self) -> None:
        """Release all pins; may be called twice."""
        for pin in self._inputs.values():
            pin.close()
        self._inputs.clear()
        self._contacts.clear()

    def _cross(self, loop: asyncio.AbstractEventLoop, name: str, level: bool) -> None:  # noqa: FBT001 - the pin library's order of arguments
        # On the pin library's thread. The loop's time is the clock's, and may be read from any thread.
        try:
            loop.call_soon_threadsafe(self._edge, name, level, loop.time())
        except RuntimeError:
            # the loop was closed since the edge: nothing is left to notify
            return

    def _edge(self, name: str, level: bool, at: float) -> None:  # noqa: FBT001 - call_soon passes positions only
        contact = self._contacts.get(name)
        if contact is None:
            return
        change = contact.edge(level=level, at=at)
        if change is not None:
            self._on_level(name, change.level, change.at)
        self._moved.set()

    def _settle(self, now: float) -> None:
        for name, contact in list(self._contacts.items()):
            change = contact.settle(now)
            if change is None:
                continue
            self._on_level(name, change.level, change.at)
            # Under a storm of edges the kernel's buffer may have lost the last one.
            level = self._inputs[name].level
            if level != contact.level:
                contact.edge(level=level, at=now)
