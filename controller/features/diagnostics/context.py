"""The context of a device test: the cabinet's drivers, the machine, and the menu that shows its page."""

import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any

from controller.faults import explain, place_in_words
from controller.features.diagnostics.dispense import DiagnosticDispense
from controller.hardware.hardware import Hardware
from controller.hardware.outputs import Held, Outputs
from controller.journal.event_catalogue import EventKind
from controller.service.page import Line
from controller.service.serviced_machine import ServicedMachine
from drivers.clock import Clock
from drivers.pin_names import Pin, expander_pin

TEST = "service_test"
"""The code of every event of a test."""
READY = "ready"


class TestContext:
    """The hardware of a cabinet, as its device tests use it."""

    def __init__(
        self, machine: ServicedMachine, hardware: Hardware, outputs: Outputs, dispense: DiagnosticDispense | None
    ) -> None:
        self.machine = machine
        self.hardware = hardware
        self.dispense = dispense
        """Dispenses coins for the hopper's test, None without a hopper."""
        self.code = ""
        """The page code of the open test."""
        self.stopwatch: Callable[[], float] = time.perf_counter
        """Measures real elapsed time, in seconds."""
        self._outputs = outputs
        self._notify: Callable[[str], None] = lambda _what: None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.code or 'idle'}>"

    @property
    def clock(self) -> Clock:
        """The machine's clock."""
        return self.machine.clock

    def connect(self, notify: Callable[[str], None]) -> None:
        """Set `notify`, which is called with `look`, `touched` and `service:back`."""
        self._notify = notify

    def hold(self, *what: Held) -> AbstractContextManager[None]:
        """Hold back the machine's commands for these outputs; at the end the newest ones are sent."""
        return self._outputs.held(*what)

    async def record(self, event: EventKind, *, place: str = "", **figures: Any) -> None:
        """Record what was done as an event."""
        await self.machine.journal.do(lambda tx: tx.event(event, place=place, test=self.code, **figures))

    def changed(self) -> None:
        """Request that the page is read again."""
        self._notify("look")

    def touched(self) -> None:
        """Restart the idle timeout and request that the page is read again."""
        self._notify("touched")

    def leave(self) -> None:
        """Leave the test, as BACK does."""
        self._notify("service:back")

    def device_lines(self, device: str, *, ready: bool = True) -> list[Line]:
        """Return a line for each present fault of a device; if there is none and it is `ready`, a line that says so."""
        place = place_in_words(device)
        present = [fault.code for fault in self.machine.conditions.faults if fault.place == device and fault.present]
        if not present and ready:
            return [Line("{place}", READY, tone="good", place=place)]
        return [Line(explain(code).text, tone="bad", place=place) for code in present or ["driver_stopped"]]

    def chip_lines(self, pins: Iterable[Pin]) -> list[Line]:
        """Return the faults of the expanders of these pins."""
        chips = sorted(set(filter(None, map(self._chip, pins))))
        return [line for chip in chips for line in self.device_lines(chip) if line.tone == "bad"]

    def _chip(self, pin: Pin) -> str:
        """Return the place of a pin's expander in faults, empty for a pin of the header."""
        named = expander_pin(pin)
        return "" if named is None else self.hardware.header.chips[named.expander].label
