"""A keyboard wedge at USB's level: text becomes HID boot reports, and these the events that Linux makes of them.

Written from public sources without the driver (tests/rigs/vectors/card_readers.tsv); what the kernel does is held to
its recorded events.
"""

import struct
from collections.abc import Iterable, Iterator
from typing import Final

from tests.rigs.vectors import vectors

ROWS: Final = list(vectors("card_readers.tsv"))
CONSTANT: Final = {row[1]: int(row[2], 16) for row in ROWS if row[0] == "constant"}
CODE: Final = {int(row[1], 16): int(row[3]) for row in ROWS if row[0] == "usage"}
"""A HID usage's key code of the kernel."""
USAGE: Final = {row[2].removeprefix("KEY_"): int(row[1], 16) for row in ROWS if row[0] == "usage"}
"""A key's HID usage by its name in the kernel without `KEY_`."""
LEFT_SHIFT: Final = 0x02
NONE: Final = bytes(8)
_MODIFIERS, _KEYS, _LEAST_USAGE = 0xE0, slice(2, 8), 4


def report(*keys: str, modifiers: int = 0) -> bytes:
    """Return the boot report of these keys held: modifiers, a reserved byte, six usages."""
    return bytes([modifiers, 0, *(USAGE[key] for key in keys)]).ljust(8, b"\0")


def typed(*keys: str, modifiers: int = 0) -> Iterator[bytes]:
    """Yield the reports of keys pressed and released one by one, each with these modifiers held."""
    for key in keys:
        yield report(key, modifiers=modifiers)
        yield NONE


def event(kind: str, code: int, value: int) -> bytes:
    """Return one event as a reader of the device gets it where a long has 64 bits; its time is zero."""
    return struct.pack("@llHHi", 0, 0, CONSTANT[kind], code, value)


SYN: Final = event("EV_SYN", CONSTANT["SYN_REPORT"], 0)
DROPPED: Final = event("EV_SYN", CONSTANT["SYN_DROPPED"], 0)


def events(reports: Iterable[bytes], before: bytes = NONE) -> Iterator[bytes]:
    """Yield what the kernel makes of each report after `before`: its changes and one SYN_REPORT, or nothing."""
    for now in reports:
        if changes := b"".join(_changes(before, now)):
            yield changes + SYN
        before = now


def _changes(before: bytes, now: bytes) -> Iterator[bytes]:
    for bit in range(8):
        if (before[0] ^ now[0]) >> bit & 1:
            yield _change(_MODIFIERS + bit, pressed=bool(now[0] >> bit & 1))
    held, holds = set(before[_KEYS]), set(now[_KEYS])
    for usage in sorted(held - holds):
        if usage >= _LEAST_USAGE:
            yield _change(usage, pressed=False)
    for usage in sorted(holds - held):
        if usage >= _LEAST_USAGE:
            yield _change(usage, pressed=True)


def _change(usage: int, *, pressed: bool) -> bytes:
    scan = event("EV_MSC", CONSTANT["MSC_SCAN"], CONSTANT["USAGE_PAGE"] + usage)
    return scan + event("EV_KEY", CODE[usage], CONSTANT["PRESSED" if pressed else "RELEASED"])
