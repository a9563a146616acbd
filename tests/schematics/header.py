"""The Pi's header with what each pin is wired to, as a sample configuration has it."""

from collections.abc import Iterator

import schemdraw
from gpiozero.pins.pi import PiBoardInfo
from schemdraw import elements as elm

from controller.features.diagnostics import points
from drivers.pin_names import I2C_PINS, Pin
from drivers.wiring import Pins
from tests.schematics.sheet import SMALL, sheet

HEADER = PiBoardInfo.from_revision(0xC03111).headers["J8"]
"""Pin numbers of the header by what they carry; a Pi 5's is the same."""


KINDS = {
    "buttons": "button {}",
    "doors": "door {}",
    "keys": "key {}",
    "latch": "logic latch",
    "plugs": "sense {}",
    "lamps": "lamp {}",
    "tower": "tower {}",
    "meters": "meter {}",
    "gates": "coin {}",
    "reset": "logic latch reset",
}
"""What a point of the service menu is called in a picture, by its kind."""


def wired(pins: Pins) -> Iterator[tuple[Pin, str]]:
    """Yield every pin that `pins` names, and what it is wired to, in the configuration's words."""
    for point in (*points.inputs(pins), *points.outputs(pins)):
        yield point.pin, KINDS[point.kind].format(point.name)
    for name, expander in pins.expanders.items():
        wires = zip((*I2C_PINS, expander.interrupt, expander.reset), ("SDA", "SCL", "INTA", "RESET"), strict=True)
        yield from ((pin, f"{name} {wire}") for pin, wire in wires if pin is not None)


SUPPLIES = {"3V3": "3.3 V", "5V": "5 V", "GND": "0 V"}


def carried(number: int) -> str:
    """Return what that pin of the header carries: `GPIO 4`, or a supply."""
    name = HEADER.pins[number].name
    return SUPPLIES.get(name) or f"GPIO {name.removeprefix('GPIO')}"


def header(pins: Pins, title: str) -> schemdraw.Drawing:
    """Return the header's picture: odd numbers left, even ones right, seen from above with pin 1 at the top."""
    nets = {f"GPIO {pin}": net for pin, net in wired(pins) if isinstance(pin, int)}
    sides = [
        elm.IcPin(
            name=carried(number),
            pin=str(number),
            side="left" if number % 2 else "right",
            slot=f"{HEADER.rows - (number - 1) // 2}/{HEADER.rows}",
            anchorname=f"p{number}",
        )
        for number in HEADER.pins
    ]
    drawing = sheet()
    with drawing:
        board = elm.Ic(pins=sides, size=(5, HEADER.rows * 0.75 + 0.5), lblsize=SMALL, pinlblsize=SMALL - 2)
        board.label(title, loc="top", fontsize=SMALL + 2)
        for number in HEADER.pins:
            if net := nets.get(carried(number), "" if carried(number) in SUPPLIES.values() else "free"):
                side = "left" if number % 2 else "right"
                elm.Label().at(getattr(board, f"p{number}")).label(net, loc=side, ofst=0.15)
    return drawing
