"""What the header's outputs drive: two ULN2803A arrays, and the time limit before each hard meter's channel."""

import schemdraw
from schemdraw import elements as elm

from controller.features.diagnostics import points
from drivers.wiring import Pins
from tests.schematics import values
from tests.schematics.header import KINDS
from tests.schematics.quantities import farads, ohms
from tests.schematics.sheet import SMALL, sheet

CHANNELS = 8


def loads(pins: Pins) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return what hangs on either array, in the order of its channels: the GPIO and its load.

    Lamps fill the first; tower light, hard meters and coin coils share the second. Loads of an expander are left out.
    """
    of = [(point.kind, f"GPIO {point.pin}", KINDS[point.kind].format(point.name)) for point in points.outputs(pins)]
    on_header = [(kind, gpio, load) for kind, gpio, load in of if gpio.removeprefix("GPIO ").isdecimal()]
    lamps = [(gpio, load) for kind, gpio, load in on_header if kind == "lamps"]
    return lamps, [(gpio, load) for kind, gpio, load in on_header if kind not in ("lamps", "reset")]


def _array(name: str) -> elm.Ic:
    """Return a ULN2803A: inputs are its pins 1 to 8, the outputs opposite 18 to 11, ground 9, the diodes' COM 10."""
    rows = CHANNELS + 1
    sides = []
    for channel in range(1, CHANNELS + 1):
        slot = f"{rows - channel + 1}/{rows}"
        sides.append(elm.IcPin(name=f"{channel}B", pin=str(channel), side="left", slot=slot, anchorname=f"in{channel}"))
        out = str(19 - channel)
        sides.append(elm.IcPin(name=f"{channel}C", pin=out, side="right", slot=slot, anchorname=f"out{channel}"))
    sides.append(elm.IcPin(name="GND", pin="9", side="left", slot=f"1/{rows}", anchorname="ground"))
    sides.append(elm.IcPin(name="COM", pin="10", side="right", slot=f"1/{rows}", anchorname="com"))
    return elm.Ic(pins=sides, size=(4, rows * 0.8 + 0.4), lblsize=SMALL, pinlblsize=SMALL - 2).label(
        name, loc="top", fontsize=SMALL + 1
    )


def arrays(pins: Pins) -> schemdraw.Drawing:
    """Return the picture of both arrays with what is on each channel."""
    drawing = sheet()
    with drawing:
        for number, channels in enumerate(loads(pins), start=1):
            chip = _array(f"U{number}  ULN2803A").at((number * 13, 0))
            for channel, (gpio, load) in enumerate(channels, start=1):
                limited = " via time limit" if load.startswith("meter") else ""
                elm.Label().at(getattr(chip, f"in{channel}")).label(gpio + limited, loc="left", ofst=0.15)
                elm.Label().at(getattr(chip, f"out{channel}")).label(f"{load}, to +12 V", loc="right", ofst=0.15)
            for channel in range(len(channels) + 1, CHANNELS + 1):
                elm.Label().at(getattr(chip, f"in{channel}")).label("free", loc="left", ofst=0.15)
            elm.Label().at(chip.ground).label("0 V", loc="left", ofst=0.15)
            elm.Label().at(chip.com).label("+12 V, behind the same fuse", loc="right", ofst=0.15)
    return drawing


def meter_limit(pins: Pins) -> schemdraw.Drawing:
    """Return the picture of one meter's channel, the first one's, from the Pi's pin to +12 V."""
    name, meter = next(iter(pins.meters.items()))
    limit = values.METER_LIMIT
    drawing = sheet()
    with drawing:
        elm.Dot(open=True).label(f"GPIO {meter.pin}", loc="left")
        elm.ResistorIEC().right().label(f"R1  {ohms(limit.series_ohms)}")
        elm.Capacitor().right().label(f"C1  {farads(limit.farads)}")
        node = elm.Dot()
        drawing.push()
        elm.Line().down().length(0.6)
        elm.Schottky().down().reverse().label("D1  BAT85", loc="bottom")
        elm.GroundSignal()
        drawing.pop()
        elm.Line().right().length(2.2).at(node.center)
        elm.Dot()
        drawing.push()
        elm.Line().down().length(0.6)
        elm.ResistorIEC().down().label(f"R2  {ohms(limit.bleed_ohms)}", loc="bottom")
        elm.GroundSignal()
        drawing.pop()
        elm.Line().right().length(1.6)
        pins_of = [
            elm.IcPin(name="1A", side="left", slot="1/1", anchorname="a"),
            elm.IcPin(name="2Y", side="right", slot="1/1", anchorname="y"),
        ]
        schmitt = elm.Ic(pins=pins_of, size=(2.6, 1.6)).anchor("a").right()
        schmitt.label("2 of 12 inverters\n74HC14 at 3.3 V", loc="bottom", fontsize=SMALL - 1)
        elm.Line().right().length(1).at(schmitt.y)
        elm.Dot()
        drawing.push()
        elm.Line().down().length(0.6)
        elm.ResistorIEC().down().label("R3  10 kΩ", loc="bottom")
        elm.GroundSignal()
        drawing.pop()
        elm.Line().right().length(1.6)
        driver = elm.Ic(
            pins=[
                elm.IcPin(name="B", side="left", slot="1/2", anchorname="b"),
                elm.IcPin(name="C", side="right", slot="1/2", anchorname="c"),
                elm.IcPin(name="COM", side="right", slot="2/2", anchorname="com"),
            ],
            size=(2.6, 2.4),
        ).anchor("b")
        driver.label("U2  ULN2803A", loc="bottom", fontsize=SMALL - 1)
        elm.Line().right().length(1).at(driver.c)
        elm.Inductor2().right().label(f"meter {name}", loc="bottom")
        elm.Line().up().toy(driver.com)
        corner = elm.Dot()
        elm.Line().left().at(corner.center).tox(driver.com)
        elm.Fuse().right().at(corner.center).label("F2  2 A")
        elm.Dot(open=True).label("+12 V", loc="right")
    return drawing
