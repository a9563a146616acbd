"""Circuits of one kind each: contacts, ccTalk's one line, a photo-coupled bill validator, the supplies."""

import schemdraw
from schemdraw import elements as elm

from drivers.wiring import Pins
from tests.schematics import values
from tests.schematics.quantities import farads, ohms
from tests.schematics.sheet import SMALL, sheet


def _contact(drawing: schemdraw.Drawing, at: tuple[float, float], gpio: str, words: str, *, shut: bool) -> None:
    elm.Dot(open=True).at(at).label(gpio, loc="left")
    drawing.push()
    elm.Line().right().length(1)
    elm.Dot()
    elm.Capacitor().down().label(farads(values.FILTER_FARADS), loc="bottom")
    elm.GroundSignal()
    drawing.pop()
    elm.Line().right().length(1.6)
    elm.ResistorIEC().right().label(ohms(values.FILTER_OHMS))
    elm.Line().right().length(1)
    switch = elm.Switch(nc=True) if shut else elm.Switch()
    switch.down().label(words, loc="bottom", halign="left")
    elm.GroundSignal()


def contacts(pins: Pins) -> schemdraw.Drawing:
    """Return the picture of a button, a door switch, and a contact of a 12 V circuit through an opto-coupler."""
    drawing = sheet()
    with drawing:
        _contact(drawing, (0, 0), f"GPIO {pins.buttons['spin'].pin}", "button spin", shut=False)
        door = "door main: closed\nwhile shut, so that\na cut wire reads open"
        _contact(drawing, (11, 0), f"GPIO {pins.doors['main'].pin}", door, shut=True)
        far = elm.Optocoupler(box=True).at((7, -6)).theta(0).label("PC817", loc="bottom")
        elm.ResistorIEC().left().at(far.anode).label(ohms(values.DISTANT_OHMS))
        elm.Dot(open=True).label("+12 V, through a distant contact", loc="left")
        elm.Line().left().at(far.cathode).length(2.4)
        elm.Dot(open=True).label("its 0 V", loc="left")
        elm.Line().right().at(far.collector).length(1.4)
        elm.Dot(open=True).label("an input's GPIO", loc="right")
        elm.Line().right().at(far.emitter).length(0.6)
        elm.GroundSignal().theta(0)
    return drawing


def cctalk_line() -> schemdraw.Drawing:
    """Return the picture of a USB-to-TTL adapter at 5 V on ccTalk's one open-collector line."""
    drawing = sheet()
    base, pull_up = ohms(values.CCTALK_BASE_OHMS), ohms(values.CCTALK_PULL_UP_OHMS)
    with drawing:
        elm.Dot(open=True).label("adapter TXD, 5 V", loc="left")
        elm.ResistorIEC().right().label(f"R1  {pull_up}")
        first = elm.BjtNpn(circle=True).right().anchor("base").label("Q1\nBC547", loc="right")
        elm.GroundSignal().at(first.emitter)
        elm.Line().up().at(first.collector).length(0.4)
        joint = elm.Dot()
        elm.ResistorIEC().up().label(f"R2  {pull_up}")
        elm.Vdd().label("adapter +5 V")
        elm.Line().right().at(joint.center).length(1.6)
        elm.ResistorIEC().right().label(f"R3  {base}")
        second = elm.BjtNpn(circle=True).right().anchor("base").label("Q2\nBC547", loc="right")
        elm.GroundSignal().at(second.emitter)
        elm.Line().up().at(second.collector).length(0.4)
        line = elm.Dot()
        drawing.push()
        elm.ResistorIEC().up().label(f"R4  {pull_up}")
        elm.Vdd().label("the line's level:\n+5 V or +12 V")
        drawing.pop()
        elm.Line().right().at(line.center).length(2.6)
        node = elm.Dot()
        elm.Line().right().length(1.6)
        elm.Dot(open=True).label("DATA, every device", loc="right")
        elm.ResistorIEC().down().at(node.center).label(f"R5  {ohms(values.CCTALK_RECEIVE_OHMS)}", loc="bottom")
        received = elm.Dot()
        drawing.push()
        elm.Schottky().right().label("D1  BAT85", loc="bottom")
        elm.Dot(open=True).label("adapter +5 V", loc="right")
        drawing.pop()
        elm.Line().down().at(received.center).length(0.8)
        elm.Dot(open=True).label("adapter RXD", loc="bottom")
    return drawing


def photo_coupled() -> schemdraw.Drawing:
    """Return the picture of a USB-to-TTL adapter at 5 V and a bill validator with a photo-coupled interface."""
    drawing = sheet()
    with drawing:
        elm.Dot(open=True).label("adapter TXD, 5 V", loc="left")
        elm.ResistorIEC().right().label(f"R1  {ohms(values.PHOTO_BASE_OHMS)}")
        sink = elm.BjtNpn(circle=True).right().anchor("base").label("Q1\nBC547", loc="right")
        elm.GroundSignal().at(sink.emitter)
        elm.Line().up().at(sink.collector).length(1.2)
        elm.Line().right().length(3.4)
        into = elm.Optocoupler(box=True).theta(0).anchor("cathode").label("in the validator", loc="bottom")
        elm.Line().left().at(into.anode).length(0.4)
        elm.Line().up().length(0.6)
        elm.ResistorIEC().up().label("R2  as its interface\ndrawing says", loc="top")
        elm.Vdd().label("+12 V or +5 V,\nas it says")
        elm.Line().right().at(into.collector).length(0.8)
        elm.Dot(open=True).label("its receiver", loc="right")
        elm.Line().right().at(into.emitter).length(0.8)
        elm.Dot(open=True)

        out = elm.Optocoupler(box=True).theta(0).at((5, -6)).label("in the validator", loc="bottom")
        elm.Line().left().at(out.anode).length(0.8)
        elm.Dot(open=True).label("its sender", loc="left")
        elm.Line().left().at(out.cathode).length(0.8)
        elm.Dot(open=True)
        elm.Line().right().at(out.collector).length(1.6)
        node = elm.Dot()
        elm.Line().right().length(1.6)
        elm.Dot(open=True).label("adapter RXD", loc="right")
        elm.ResistorIEC().up().at(node.center).label(f"R3  {ohms(values.PHOTO_PULL_UP_OHMS)}", loc="bottom")
        elm.Vdd().label("adapter +5 V")
        elm.Line().right().at(out.emitter).length(0.6)
        elm.GroundSignal().theta(0)
    return drawing


def supplies() -> schemdraw.Drawing:
    """Return the picture of mains, earth, supplies and the fuse of each group."""
    drawing = sheet()
    with drawing:
        for number, (volts, groups) in enumerate(
            {
                "12 V supply": (
                    ("F1  1 A", "lamps, and COM of U1"),
                    ("F2  2 A", "tower, meters, coin coils, and COM of U2"),
                    ("F3  T 1 A", "coin acceptor"),
                    ("F4  T 3.15 A", "hopper, where it is one for 12 V"),
                    ("F5  T 3.15 A", "bill validator, where it is one for 12 V"),
                ),
                "24 V supply": (
                    ("F6  T 3.15 A", "hopper, where it is one for 24 V"),
                    ("F7  as its plate says", "bill validator, where it is one for 24 V"),
                ),
            }.items()
        ):
            top = -number * 5.6
            sides = [
                elm.IcPin(name="L", side="left", slot="3/3", anchorname="live"),
                elm.IcPin(name="N", side="left", slot="2/3", anchorname="neutral"),
                elm.IcPin(name="PE", side="left", slot="1/3", anchorname="earth"),
            ]
            for line in range(len(groups)):
                slot = f"{len(groups) - line + 1}/{len(groups) + 1}"
                sides.append(elm.IcPin(name="+", side="right", slot=slot, anchorname=f"plus{line}"))
            sides.append(elm.IcPin(name="0 V", side="right", slot=f"1/{len(groups) + 1}", anchorname="zero"))
            box = elm.Ic(pins=sides, size=(4, (len(groups) + 1) * 1.2)).at((0, top)).theta(0).label(volts, loc="top")
            for line, (fuse, load) in enumerate(groups):
                elm.Fuse().right().at(getattr(box, f"plus{line}")).label(fuse, fontsize=SMALL - 1)
                elm.Dot(open=True).label(load, loc="right")
            elm.Line().right().at(box.zero).length(1)
            elm.Dot(open=True).label("star point 0 V", loc="right")
            elm.Line().left().at(box.live).length(0.6)
            elm.Dot(open=True).label("L, behind inlet fuse and two-pole switch", loc="left")
            elm.Line().left().at(box.neutral).length(0.6)
            elm.Dot(open=True).label("N, behind the two-pole switch", loc="left")
            elm.Line().left().at(box.earth).length(0.6)
            elm.GroundChassis().theta(0)
    return drawing
