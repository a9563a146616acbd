"""Pin names in `cabinet.toml`: a BCM number of the header, or a pin of an MCP23017 expander.

An expander is named by its I2C address, `x20` to `x27` as its pins A0 to A2 are strapped; its pins are `x20.A0` to
`x20.B7`, port and bit as the data sheet (Microchip DS20001952) names them.
"""

import re
from typing import Annotated, NamedTuple

from common.bounds import between
from drivers.errors import SettingsError

HeaderPin = Annotated[int, between(0, 27, "a BCM pin of the header")]
Pin = HeaderPin | str
"""A BCM number, or an expander's pin such as `"x20.A3"`."""

EXPANDERS = tuple(f"x{address:02x}" for address in range(0x20, 0x28))
"""All expander names possible on one bus."""

I2C_PINS = (2, 3)
"""Data and clock pins of the expanders' bus."""

OUTPUT_ONLY = (7, 15)
"""A7 and B7: as inputs they may disturb SDA, so the maker's newer data sheets allow them as outputs only."""

_NAME = re.compile(r"(x2[0-7])\.([AB])([0-7])")


class ExpanderPin(NamedTuple):
    """A pin of an expander: `bit` 0 to 7 is port A, 8 to 15 port B."""

    expander: str
    bit: int

    def __str__(self) -> str:
        return f"{self.expander}.{'AB'[self.bit // 8]}{self.bit % 8}"


def expander_pin(pin: Pin) -> ExpanderPin | None:
    """Parse an expander's pin; return None for a header pin, raise `SettingsError` for an invalid name."""
    if isinstance(pin, int):
        return None
    match = _NAME.fullmatch(pin)
    if match is None:
        raise SettingsError(f"'{pin}' is no pin; give a BCM number, or an expander's pin such as \"x20.A3\"")
    expander, port, bit = match.groups()
    return ExpanderPin(expander, "AB".index(port) * 8 + int(bit))


def address_of(expander: str) -> int:
    """Return the I2C address of `x20` to `x27`."""
    return int(expander.removeprefix("x"), 16)
