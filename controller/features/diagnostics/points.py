"""Every input and output with its code, its pin and the colour of its wire from `[pins]`.

A code belongs to the device, not to the pin, so it is the same in every cabinet, whatever is fitted.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from controller.faults import place_in_words
from drivers.pin_names import Pin
from drivers.wiring import BUTTONS, COIN_GATES, DOORS, KEYS, METERS, TIERS, USUAL_DOORS, Pins

InputKind = Literal["buttons", "doors", "keys", "latch", "plugs"]
OutputKind = Literal["lamps", "tower", "meters", "gates", "reset"]

LATCH = "logic_latch"
TIER_NAMES = {"top": "Top light", "upper": "Upper light", "lower": "Lower light", "bottom": "Bottom light"}
"""The labels of the tower light's tiers, as in C.5."""
_SEPARATOR = "  ·  "


class Point(NamedTuple):
    """An input or output: its code, its device, and its wire."""

    code: str
    kind: InputKind | OutputKind
    name: str
    pin: Pin
    wire: str
    colour: str = ""

    @property
    def place(self) -> str:
        """The name of its device."""
        if self.kind == "tower":
            return TIER_NAMES[self.name]
        return place_in_words(f"meter_{self.name}" if self.kind in ("meters", "plugs") else self.name)

    @property
    def detail(self) -> str:
        """Its colour, pin and wire, for the small print of a row."""
        pin = f"GPIO {self.pin}" if isinstance(self.pin, int) else self.pin
        return _SEPARATOR.join(filter(None, (self.colour, pin, self.wire)))


def inputs(pins: Pins) -> list[Point]:
    """Return every fitted input in the order of the codes."""
    return list(_fitted("I", _INPUTS, _wired_inputs(pins)))


def outputs(pins: Pins) -> list[Point]:
    """Return every fitted output in the order of the codes."""
    return list(_fitted("O", _OUTPUTS, _wired_outputs(pins)))


_Wired = dict[tuple[str, str], tuple[Pin, str] | tuple[Pin, str, str]]

# The other doors come last, so that the codes of the inputs before them stay the same.
_INPUTS: tuple[tuple[InputKind, tuple[str, ...]], ...] = (
    ("buttons", BUTTONS),
    ("doors", USUAL_DOORS),
    ("keys", KEYS),
    ("latch", (LATCH,)),
    ("plugs", METERS),
    ("doors", DOORS[len(USUAL_DOORS) :]),
)
_OUTPUTS: tuple[tuple[OutputKind, tuple[str, ...]], ...] = (
    ("lamps", BUTTONS),
    ("tower", TIERS),
    ("meters", METERS),
    ("gates", COIN_GATES),
    ("reset", (LATCH,)),
)


def _wired_inputs(pins: Pins) -> _Wired:
    wired: _Wired = {("buttons", name): (button.pin, button.wire) for name, button in pins.buttons.items()}
    wired |= {("doors", name): (door.pin, door.wire) for name, door in pins.doors.items()}
    wired |= {("keys", name): (key.pin, key.wire) for name, key in pins.keys.items()}
    if pins.logic_latch is not None:
        wired["latch", LATCH] = (pins.logic_latch.pin, pins.logic_latch.wire)
    for name, meter in pins.meters.items():
        if meter.sense is not None:
            wired["plugs", name] = (meter.sense, meter.sense_wire)
    return wired


def _wired_outputs(pins: Pins) -> _Wired:
    wired: _Wired = {("lamps", name): (button.lamp, button.lamp_wire) for name, button in pins.buttons.items()}
    wired |= {("tower", name): (tier.pin, tier.wire, tier.colour) for name, tier in pins.tower.items()}
    wired |= {("meters", name): (meter.pin, meter.wire) for name, meter in pins.meters.items()}
    wired |= {("gates", name): (gate.pin, gate.wire) for name, gate in pins.coin.items()}
    if pins.logic_latch is not None:
        wired["reset", LATCH] = (pins.logic_latch.reset, pins.logic_latch.reset_wire)
    return wired


def _fitted(
    letter: str, tables: tuple[tuple[InputKind | OutputKind, tuple[str, ...]], ...], wired: _Wired
) -> Iterator[Point]:
    names = [(kind, name) for kind, table in tables for name in table]
    for number, (kind, name) in enumerate(names, start=1):
        if (kind, name) in wired:
            yield Point(f"{letter}{number}", kind, name, *wired[kind, name])
