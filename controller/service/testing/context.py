"""What a test works with: the cabinet's drivers, the machine, and the menu that shows its page."""

import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from controller.faults import explain, place_in_words
from controller.service.page import Line
from controller.system.temperature import temperature_c
from drivers.pin_names import Pin, expander_pin

if TYPE_CHECKING:
    from controller.hardware.hardware import Hardware
    from controller.hardware.outputs import Held, Outputs
    from controller.machine.machine import Machine
    from drivers.clock import Clock

TEST = "service_test"
"""The code of every event of a test."""
READY = "ready"


class TestContext:
    """The hardware of one cabinet as its tests use it."""

    def __init__(self, machine: "Machine", hardware: "Hardware", outputs: "Outputs") -> None:
        self.machine = machine
        self.hardware = hardware
        self.code = ""
        """The leaf of the test that is open."""
        self.stopwatch: Callable[[], float] = time.perf_counter
        """What measures how long something truly took, in seconds."""
        self.thermometer: Callable[[], float | None] = temperature_c
        """What tells how hot the computer is, None where nothing can."""
        self._outputs = outputs
        self._notify: Callable[[str], None] = lambda _what: None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.code or 'idle'}>"

    @property
    def clock(self) -> "Clock":
        """The time of everything here."""
        return self.machine.clock

    def connect(self, notify: Callable[[str], None]) -> None:
        """Have `notify` hear of `look`, `touched` and `service:back`."""
        self._notify = notify

    def hold(self, *what: "Held") -> AbstractContextManager[None]:
        """Keep the machine's commands from these outputs; at the end they get its newest ones."""
        return self._outputs.held(*what)

    async def record(self, text: str, *, place: str = "") -> None:
        """Record what was done as an event."""
        await self.machine.journal.do(lambda tx: tx.event(TEST, f"{self.code}: {text}", place=place))

    def changed(self) -> None:
        """The page says something new."""
        self._notify("look")

    def touched(self) -> None:
        """Somebody is at it: the menu is not idle, and the page says something new."""
        self._notify("touched")

    def leave(self) -> None:
        """Leave the test as the key for back would."""
        self._notify("service:back")

    def device_lines(self, device: str, *, ready: bool = True) -> list[Line]:
        """Return what is wrong with a device, each fault that is present; where nothing is and it is `ready`, that."""
        place = place_in_words(device)
        present = [fault.code for fault in self.machine.conditions.faults if fault.place == device and fault.present]
        if not present and ready:
            return [Line("{place}", READY, tone="good", place=place)]
        return [Line(explain(code).text, tone="bad", place=place) for code in present or ["driver_stopped"]]

    def chip_lines(self, pins: Iterable[Pin]) -> list[Line]:
        """Return what is wrong with the expanders that these pins are on, nothing where all is well."""
        chips = sorted(set(filter(None, map(self._chip, pins))))
        return [line for chip in chips for line in self.device_lines(chip) if line.tone == "bad"]

    def _chip(self, pin: Pin) -> str:
        """Return how the expander of a pin is called in faults, empty for a pin of the header."""
        named = expander_pin(pin)
        return "" if named is None else self.hardware.header.chips[named.expander].label
