"""Finds switches whose cut wire would go unnoticed: every input has a pull-up, so a cut wire reads as level 1."""

from collections.abc import Iterator
from typing import NamedTuple

from controller.journal.event_catalogue import Event, EventKind
from drivers.wiring import Pins


class CutWire(NamedTuple):
    """A switch: its key in `cabinet.toml`, its place in the log, and the event that reports it."""

    key: str
    place: str
    event: EventKind


def unnoticed(pins: Pins) -> Iterator[CutWire]:
    """Yield doors that would read as closed, keys that would read as turned, and a latch that would read as not set."""
    for name, door in pins.doors.items():
        if door.active == 0:
            yield CutWire(f"pins.doors.{name}.active", name, Event.CUT_WIRE_OF_DOOR)
    for name, key in pins.keys.items():
        if key.active == 1:
            yield CutWire(f"pins.keys.{name}.active", f"{name}_key", Event.CUT_WIRE_OF_KEY)
    if pins.logic_latch is not None and pins.logic_latch.active == 0:
        yield CutWire("pins.logic_latch.active", "logic_latch", Event.CUT_WIRE_OF_LATCH)
