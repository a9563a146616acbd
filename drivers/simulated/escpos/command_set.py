"""ESC/POS commands and their lengths: splits the receive buffer into commands.

The formats are those of Epson's command reference. A command with a value that makes its length impossible (a raster
image of no rows) ends at that value: as on the device, the bytes after it are ordinary data.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

DLE, ESC, FS, GS = 0x10, 0x1B, 0x1C, 0x1D
EOT, ENQ, DC4 = 0x04, 0x05, 0x14
NUL, HT, LF, FF, CR, CAN = 0x00, 0x09, 0x0A, 0x0C, 0x0D, 0x18

TEXT: Final = "TEXT"
CONTROL: Final = "CONTROL"
"""An undefined control code, which the device ignores."""
UNKNOWN: Final = "UNKNOWN"
"""An unknown command: the device ignores its two bytes and prints the bytes that follow."""

LONGEST_TEXT: Final = 64
LONGEST_BARCODE: Final = 255
RASTER_BYTES_WIDE: Final = 128
RASTER_ROWS: Final = 4095
COLUMNS: Final = 2047
GRAPHICS_BYTES: Final = 256 * 1024
TAB_STOPS: Final = 32
DOTS_8, DOTS_24 = (0, 1), (32, 33)
"""ESC *: the modes of 8 and of 24 dots in height."""
BARCODES_TO_NUL: Final = range(7)
BARCODES_COUNTED: Final = range(65, 79)
CUTS_WITH_FEED: Final = (65, 66, 97, 98, 103, 104)

LEADS: Final = {ESC: "ESC", FS: "FS", GS: "GS", DLE: "DLE"}
CONTROLS: Final = {HT: "HT", LF: "LF", FF: "FF", CR: "CR", CAN: "CAN"}


class Command(NamedTuple):
    """One command: its name (`GS V`, `LF`, `TEXT`), its parameters, and all its bytes."""

    name: str
    parameters: bytes
    data: bytes


def word(data: bytes) -> int:
    """Return the number of two or four bytes, the lowest first."""
    return int.from_bytes(data, "little")


def _counted(given: bytes) -> int:
    """`pL pH`, then as many bytes."""
    return 2 - len(given) if len(given) < 2 else 2 + word(given[:2]) - len(given)  # noqa: PLR2004 - pL pH


def _function(given: bytes) -> int:
    """A letter that names the function, `pL pH`, then as many bytes."""
    return 1 if not given else _counted(given[1:])


def _graphics(given: bytes) -> int:
    """GS 8 L: the count has four bytes."""
    if len(given) < 5:  # noqa: PLR2004 - L p1 p2 p3 p4
        return 5 - len(given)
    size = word(given[1:5])
    return 5 + size - len(given) if size <= GRAPHICS_BYTES else 0


def _raster(given: bytes) -> int:
    """GS v 0 m xL xH yL yH d..."""
    if len(given) < 6:  # noqa: PLR2004 - 0 m xL xH yL yH
        return 6 - len(given)
    wide, rows = word(given[2:4]), word(given[4:6])
    if not 1 <= wide <= RASTER_BYTES_WIDE or not 1 <= rows <= RASTER_ROWS:
        return 0
    return 6 + wide * rows - len(given)


def _columns(given: bytes) -> int:
    """ESC * m nL nH d..."""
    if len(given) < 3:  # noqa: PLR2004 - m nL nH
        return 3 - len(given)
    mode, columns = given[0], word(given[1:3])
    if mode not in DOTS_8 + DOTS_24 or not 1 <= columns <= COLUMNS:
        return 0
    return 3 + columns * (1 if mode in DOTS_8 else 3) - len(given)


def _barcode(given: bytes) -> int:
    """GS k m d... NUL, or GS k m n d..."""
    if not given:
        return 1
    if given[0] in BARCODES_TO_NUL:
        return 0 if (given[-1] == NUL and len(given) > 1) or len(given) > LONGEST_BARCODE else 1
    if given[0] in BARCODES_COUNTED:
        return 1 if len(given) == 1 else 2 + given[1] - len(given)
    return 0


def _cut(given: bytes) -> int:
    """GS V m, or GS V m n."""
    return 1 if not given or (given[0] in CUTS_WITH_FEED and len(given) == 1) else 0


def _tabs(given: bytes) -> int:
    """ESC D n... NUL, in rising order."""
    ended = given and (given[-1] == NUL or len(given) > TAB_STOPS or (len(given) > 1 and given[-1] <= given[-2]))
    return 0 if ended else 1


def _paper_sensors(given: bytes) -> int:
    """ESC c 3 n, ESC c 4 n, ESC c 5 n and their like."""
    return 2 - len(given)


def _downloaded_image(given: bytes) -> int:
    """GS * x y d..."""
    if len(given) < 2:  # noqa: PLR2004 - x y
        return 2 - len(given)
    return 2 + given[0] * given[1] * 8 - len(given) if 1 <= given[0] * given[1] <= 1536 else 0  # noqa: PLR2004 - of the reference


def _own_characters(given: bytes) -> int:
    """ESC & y c1 c2 [x d(y times x)]..."""
    if len(given) < 3:  # noqa: PLR2004 - y c1 c2
        return 3 - len(given)
    rows, first, last = given[:3]
    if not 1 <= rows <= 3 or first > last:  # noqa: PLR2004 - 24 dots are three bytes
        return 0
    place = 3
    for _character in range(first, last + 1):
        if place >= len(given):
            return 1
        place += 1 + rows * given[place]
    return max(0, place - len(given))


def _pulse(given: bytes) -> int:
    """DLE DC4 fn ..."""
    return 1 if not given else {1: 3, 2: 3, 8: 8}.get(given[0], 1) - len(given)


_LENGTHS: dict[int, dict[str, int | Callable[[bytes], int]]] = {
    ESC: {
        **dict.fromkeys("2@LSimv<", 0),
        **dict.fromkeys(" !%+-3=?AEGJKMRTUVadertu{", 1),
        **dict.fromkeys("$\\B", 2),
        "W": 8,
        "p": 3,
        "*": _columns,
        "D": _tabs,
        "c": _paper_sensors,
        "&": _own_characters,
        "(": _function,
    },
    GS: {
        **dict.fromkeys(":c", 0),
        **dict.fromkeys("!#/BHITabfhrw|", 1),
        **dict.fromkeys("$LPW\\", 2),
        "^": 3,
        "(": _function,
        "8": _graphics,
        "v": _raster,
        "k": _barcode,
        "V": _cut,
        "*": _downloaded_image,
        "z": 3,
        "g": 4,
    },
    FS: {**dict.fromkeys("&.", 0), **dict.fromkeys("!-CW", 1), **dict.fromkeys("Sp", 2), "(": _function},
    DLE: {"\x04": 1, "\x05": 1, "\x14": _pulse},
}


def missing(head: bytes) -> int:
    """Return the minimum number of bytes missing after `head`, 0 if the command is complete."""
    if not head:
        return 1
    lengths = _LENGTHS.get(head[0])
    if lengths is None:
        return 0
    if len(head) < 2:  # noqa: PLR2004 - lead and letter
        return 1
    length = lengths.get(chr(head[1]), 0)
    return length - len(head[2:]) if isinstance(length, int) else length(head[2:])


def named(data: bytes) -> Command:
    """Return the command in the bytes `data`."""
    lead = data[0]
    if lead not in LEADS:
        return Command(CONTROLS.get(lead, CONTROL), b"", data)
    letter = chr(data[1])
    if letter not in _LENGTHS[lead]:
        return Command(UNKNOWN, b"", data)
    if lead == DLE:
        return Command(f"DLE {({EOT: 'EOT', ENQ: 'ENQ', DC4: 'DC4'})[data[1]]}", data[2:], data)
    return Command(f"{LEADS[lead]} {letter}", data[2:], data)


class CommandParser:
    """Takes commands out of a receive buffer, including commands longer than the buffer."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._missing = 0

    @property
    def pending(self) -> bool:
        """Whether a command is incomplete."""
        return bool(self._head)

    def clear(self) -> None:
        """Drop an incomplete command."""
        self._head.clear()
        self._missing = 0

    def next(self, buffer: bytearray) -> Command | None:
        """Take the next command from the front of `buffer`; return None until it is complete."""
        if not self._head and (run := _printable(buffer)):
            text = bytes(buffer[:run])
            del buffer[:run]
            return Command(TEXT, text, text)
        while True:
            if self._missing == 0:
                self._missing = missing(bytes(self._head))
            if self._missing <= 0:
                data = bytes(self._head)
                self.clear()
                return named(data)
            if not buffer:
                return None
            taken = buffer[: self._missing]
            del buffer[: self._missing]
            self._head += taken
            self._missing -= len(taken)


def _printable(buffer: bytearray) -> int:
    run = 0
    for byte in buffer[:LONGEST_TEXT]:
        if byte < 0x20:  # noqa: PLR2004 - below are the control codes
            break
        run += 1
    return run
