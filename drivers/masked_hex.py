"""Bytes in hexadecimal for messages, logs and traces, with ticket numbers masked.

A complete number is enough to print its barcode. Every bill protocol sends it in ASCII digits; on an EBDS line their
eighth bit is the parity.
"""

import re
from collections.abc import Collection
from itertools import chain
from typing import Final

SHOWN: Final = 4
"""How many of a number's last digits are shown."""
_NUMBER: Final = re.compile(rb"[0-9](?: ?[0-9]){11,}")
"""Twelve digits or more: serial and part numbers of devices have up to 11. On paper a number is printed in groups."""
_SEVEN_BITS: Final = bytes(byte & 0x7F for byte in range(0x100))


def masked_hex(data: bytes, hidden: Collection[int] = ()) -> str:
    """Return the bytes in hexadecimal, with `**` at `hidden` positions and for all but the last digits of a number."""
    numbers = [range(found.start(), found.end() - SHOWN) for found in _NUMBER.finditer(data.translate(_SEVEN_BITS))]
    if not numbers and not hidden:
        return data.hex(" ").upper()  # fast path: noise on a line causes some ten thousand calls a second
    veiled = {*hidden, *chain.from_iterable(numbers)}
    return " ".join("**" if at in veiled else f"{byte:02X}" for at, byte in enumerate(data))
