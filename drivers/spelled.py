"""Bytes in hexadecimal for messages, logs and traces, without a ticket's number that may be among them.

Whoever reads a whole number can print its barcode. Every bill protocol has it in ASCII digits.
"""

import re
from collections.abc import Collection
from itertools import chain
from typing import Final

SHOWN: Final = 4
"""How many digits of a number are shown, from its end."""
_NUMBER: Final = re.compile(rb"[0-9](?: ?[0-9]){11,}")
"""Longer than any other run of digits that a device says: serial and part numbers have up to 11. On paper it is in
groups."""


def spelled(data: bytes, hidden: Collection[int] = ()) -> str:
    """Return the bytes in hexadecimal, `**` at the `hidden` places and for the digits of a number but its last."""
    numbers = [range(found.start(), found.end() - SHOWN) for found in _NUMBER.finditer(data)]
    if not numbers and not hidden:
        return data.hex(" ").upper()  # noise on a line asks for this some ten thousand times a second
    veiled = {*hidden, *chain.from_iterable(numbers)}
    return " ".join("**" if at in veiled else f"{byte:02X}" for at, byte in enumerate(data))
