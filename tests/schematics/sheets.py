"""Every schematic by the name of its file."""

import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import msgspec
import schemdraw

from drivers.wiring import Pins, Wiring
from tests.rigs.paths import ROOT, SAMPLE
from tests.schematics import circuits, outputs
from tests.schematics.header import header

FOLDER = ROOT / "docs" / "pictures"
EXPANDED = SAMPLE.with_name("cabinet-pi5.toml")
"""The sample with a port expander."""


def _pins(of: str) -> Pins:
    return msgspec.convert(tomllib.loads(of), Wiring).pins


PINS: Final = _pins(SAMPLE.read_text(encoding="utf-8"))
EXPANDED_PINS: Final = _pins(EXPANDED.read_text(encoding="utf-8"))

SHEETS: Final[Mapping[str, Callable[[], schemdraw.Drawing]]] = {
    "schematic-header.svg": partial(header, PINS, "cabinet.toml: the header alone"),
    "schematic-header-expander.svg": partial(header, EXPANDED_PINS, "cabinet-pi5.toml: with an expander"),
    "schematic-contacts.svg": partial(circuits.contacts, PINS),
    "schematic-outputs.svg": partial(outputs.arrays, PINS),
    "schematic-meter.svg": partial(outputs.meter_limit, PINS),
    "schematic-cctalk.svg": circuits.cctalk_line,
    "schematic-photo-coupler.svg": circuits.photo_coupled,
    "schematic-supplies.svg": circuits.supplies,
}
