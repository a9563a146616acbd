"""Barcodes and QR codes as dots, from the bytes of GS k and GS ( k."""

from collections.abc import Callable
from typing import Final

import barcode
import segno
from barcode.charsets import code128
from barcode.errors import BarcodeError
from PIL import Image

NARROW_AND_WIDE: Final = {1: (1, 2), 2: (2, 5), 3: (3, 8), 4: (4, 10), 5: (5, 13), 6: (6, 16)}
"""By the n of GS w, the dots of narrow and wide elements in barcodes with two widths."""

NAMES: Final = {
    65: "UPC-A",
    67: "EAN13",
    68: "EAN8",
    69: "CODE39",
    70: "ITF",
    71: "CODABAR",
    73: "CODE128",
    74: "GS1-128",
}
"""By the m of GS k with a count; without one, m is 65 lower."""

_DIGITS: Final = frozenset(b"0123456789")
_CODE39: Final = _DIGITS | frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ $%+-./")
_CODABAR: Final = _DIGITS | frozenset(b"ABCDabcd$+-./:")
_ALLOWED: Final = {
    "UPC-A": (_DIGITS, range(11, 13)),
    "EAN13": (_DIGITS, range(12, 14)),
    "EAN8": (_DIGITS, range(7, 9)),
    "CODE39": (_CODE39, range(1, 256)),
    "ITF": (_DIGITS, range(2, 256)),
    "CODABAR": (_CODABAR, range(3, 256)),
    "CODE128": (frozenset(range(128)), range(2, 256)),
    "GS1-128": (frozenset(range(128)), range(2, 256)),
}
_SWITCH: Final = {
    "A": {"B": 100, "C": 99, "S": 98, "1": 102, "2": 97, "3": 96, "4": 101},
    "B": {"A": 101, "C": 99, "S": 98, "1": 102, "2": 97, "3": 96, "4": 100},
    "C": {"A": 101, "B": 100, "1": 102},
}
_FNC1: Final = 102
_LOWEST_CONTROL, _CONTROLS_END, _HIGHEST = 0x20, 0x60, 0x80

QR_LEVELS: Final = {48: "l", 49: "m", 50: "q", 51: "h"}


class UnprintableError(ValueError):
    """Data that the printer cannot print as a symbol."""


def symbology(m: int) -> str:
    """Return the name of the barcode that GS k `m` prints; raise `UnprintableError` for one that it cannot."""
    name = NAMES.get(m if m >= min(NAMES) else m + min(NAMES))
    if name is None:
        raise UnprintableError(f"no barcode of type {m}")
    return name


def first_wrong(name: str, data: bytes) -> int:
    """Return the index of the first byte that a barcode cannot hold, the length if it can hold all."""
    allowed, _lengths = _ALLOWED[name]
    return next((place for place, byte in enumerate(data) if byte not in allowed), len(data))


def bars(name: str, data: bytes, width: int) -> tuple[list[bool], str]:
    """Return a barcode's dots from left to right, and the text under it; raise `UnprintableError`.

    `width` is the n of GS w: the dots of a module, or the number of `NARROW_AND_WIDE`.
    """
    if len(data) not in _ALLOWED[name][1] or first_wrong(name, data) < len(data):
        raise UnprintableError(f"{data!r} is no {name}")
    if name in ("CODE128", "GS1-128"):
        values, text = code128_values(data, gs1=name == "GS1-128")
        return _widened("".join(code128.CODES[value] for value in values) + code128.STOP + "11", width), text
    text = data.decode("ascii")
    try:
        return _two_widths(name, text, width) if name in _TWO_WIDTHS else _modules(name, text, width)
    except BarcodeError as error:
        raise UnprintableError(f"{text!r} is no {name}: {error}") from error


def _itf(text: str, narrow: int, wide: int) -> str:
    return str(barcode.ITF(text[: len(text) // 2 * 2], narrow=narrow, wide=wide).build()[0])


def _codabar(text: str, narrow: int, wide: int) -> str:
    return str(barcode.CODABAR(text.upper(), narrow=narrow, wide=wide).build()[0])


_TWO_WIDTHS: dict[str, Callable[[str, int, int], str]] = {"ITF": _itf, "CODABAR": _codabar}


def _two_widths(name: str, text: str, width: int) -> tuple[list[bool], str]:
    narrow, wide = NARROW_AND_WIDE[width]
    # with an odd number of digits the last one is not printed
    shown = text[: len(text) // 2 * 2] if name == "ITF" else text
    return _widened(_TWO_WIDTHS[name](text, narrow, wide), 1), shown


def _modules(name: str, text: str, width: int) -> tuple[list[bool], str]:
    if name == "CODE39":
        return _widened(barcode.Code39(text.strip("*"), add_checksum=False).build()[0], width), text
    made = {"UPC-A": barcode.UPCA, "EAN13": barcode.EAN13, "EAN8": barcode.EAN8}[name](text)
    return _widened(made.build()[0].replace("G", "1"), width), str(made.get_fullcode())


def _widened(modules: str, width: int) -> list[bool]:
    return [module == "1" for module in modules for _dot in range(width)]


def code128_values(data: bytes, *, gs1: bool = False) -> tuple[list[int], str]:
    """Return the symbol characters of Epson's `{B...` data with start and check, and its text.

    `{A`, `{B` and `{C` choose the code set, `{S` shifts one character, `{1` to `{4` are the function characters and
    `{{` is a brace; in set C each byte is a pair of digits. Raise `UnprintableError` if the data begins differently.
    """
    lead = data[:2].decode("ascii")
    if len(data) < 3 or lead[0] != "{" or lead[1] not in code128.START_CODES:  # noqa: PLR2004 - a set and a character
        raise UnprintableError(f"{data!r} does not begin with a code set")
    code_set, shifted = lead[1], ""
    values = [code128.START_CODES[code_set], *([_FNC1] if gs1 else [])]
    text = ""
    place = 2
    while place < len(data):
        byte, following = data[place], data[place + 1 : place + 2].decode("ascii")
        if byte == ord("{") and following != "{":
            if following not in _SWITCH[code_set]:
                raise UnprintableError(f"{data!r}: set {code_set} has no {{{following}")
            values.append(_SWITCH[code_set][following])
            if following in code128.START_CODES:
                code_set = following
            elif following == "S":
                shifted = "B" if code_set == "A" else "A"
            place += 2
            continue
        values.append(_value(byte, shifted or code_set, data))
        text += f"{byte:02d}" if code_set == "C" else chr(byte)
        shifted = ""
        place += 2 if byte == ord("{") and code_set != "C" else 1
    check = sum(max(place, 1) * value for place, value in enumerate(values)) % 103
    return [*values, check], text


def _value(byte: int, code_set: str, data: bytes) -> int:
    if code_set == "C":
        if byte > 99:  # noqa: PLR2004 - the highest pair of digits
            raise UnprintableError(f"{data!r}: {byte} is no pair of digits")
        return byte
    if code_set == "A" and byte < _LOWEST_CONTROL:
        return byte + 64
    if _LOWEST_CONTROL <= byte < (_CONTROLS_END if code_set == "A" else _HIGHEST):
        return byte - _LOWEST_CONTROL
    raise UnprintableError(f"{data!r}: set {code_set} has no {byte:02X}h")


def qr_code(data: bytes, level: int, module: int) -> Image.Image:
    """Return a QR code without a quiet zone, `module` dots a module; raise `UnprintableError` for too much data."""
    try:
        code = segno.make_qr(data, error=QR_LEVELS[level], boost_error=False)
    except segno.DataOverflowError as error:
        raise UnprintableError(str(error)) from error
    side = len(code.matrix)
    picture = Image.new("1", (side, side))
    picture.putdata([255 if dot else 0 for row in code.matrix for dot in row])
    return picture.resize((side * module, side * module), Image.Resampling.NEAREST)


class QrSettings:
    """GS ( k with cn 49: model, size and error correction of QR codes, and the data that is stored for the next one."""

    def __init__(self) -> None:
        self._module = 3
        self._level = 48
        self._data = b""

    @property
    def text(self) -> str:
        """The stored data as text."""
        return self._data.decode("utf-8", errors="replace")

    def do(self, data: bytes) -> Image.Image | None:
        """Carry out `cn fn ...` and return the symbol to print; raise `UnprintableError` for what is not simulated."""
        function, given = data[:2], data[2:]
        if function == b"\x31\x43" and len(given) == 1 and 1 <= given[0] <= 16:  # noqa: PLR2004 - of the reference
            self._module = given[0]
        elif function == b"\x31\x45" and len(given) == 1 and given[0] in QR_LEVELS:
            self._level = given[0]
        elif function == b"\x31\x50" and given[:1] == b"0":
            self._data = given[1:]
        elif function == b"\x31\x51" and given == b"0" and self._data:
            return qr_code(self._data, self._level, self._module)
        elif function != b"\x31\x41" or given != b"\x32\x00":
            raise UnprintableError("not simulated")
        return None
