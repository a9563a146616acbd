"""The kernel's own record of the header's lines: each level that lgpio has it write, with its time (trace events)."""

import re
from collections.abc import Collection
from itertools import pairwise

from drivers.pin_names import Pin
from tests.pi.machine import PiMachine

_TRACING = "/sys/kernel/tracing"
_EVENT = f"{_TRACING}/events/gpio/gpio_value"
_WRITTEN = re.compile(r"(\d+\.\d+): gpio_value: (\d+) set (\d)")


def begin(machine: PiMachine, pins: Collection[Pin]) -> None:
    """Record what is written to these lines."""
    first = first_line(machine)
    wanted = "||".join(f"gpio=={first + int(pin)}" for pin in pins)
    machine.run(
        f"mountpoint -q {_TRACING} || mount -t tracefs tracefs {_TRACING}; "
        f"echo '{wanted}' >{_EVENT}/filter; : >{_TRACING}/trace; echo 1 >{_EVENT}/enable"
    )


def end(machine: PiMachine) -> dict[int, list[float]]:
    """End the record; return for each line that has pulsed how long each of its pulses was, in ms."""
    first = first_line(machine)
    said = machine.run(f"echo 0 >{_EVENT}/enable; cat {_TRACING}/trace")
    return {line - first: found for line, found in pulses(said).items()}


def first_line(machine: PiMachine) -> int:
    """Return the number that the kernel gives to the header's first line."""
    found = re.search(
        r"^gpiochip\d+:.* (\d+)-\d+, parent: platform/header", machine.run("cat /sys/kernel/debug/gpio"), re.MULTILINE
    )
    assert found is not None
    return int(found[1])


def pulses(trace: str) -> dict[int, list[float]]:
    """Return how long each line of a trace was high each time, in ms."""
    written: dict[int, list[tuple[float, str]]] = {}
    for seconds, line, level in _WRITTEN.findall(trace):
        changes = written.setdefault(int(line), [])
        if level != (changes[-1][1] if changes else "0"):
            changes.append((float(seconds) * 1000, level))
    return {
        line: [after - before for (before, high), (after, _) in pairwise(changes) if high == "1"]
        for line, changes in written.items()
    }
