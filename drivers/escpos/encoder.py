"""Encode a slip as printer commands with python-escpos and its printer database.

The library is imported with the first encoder only: its import takes a quarter of a second on a desktop computer.
"""

import contextlib
import io
import shutil
import textwrap
import unicodedata
from typing import Any, Final

from drivers.capabilities import Slip
from drivers.errors import SettingsError
from drivers.escpos.protocol import INITIALIZE

CODE_PAGES: Final = (
    ("CP858", "cp858"),
    ("CP1252", "cp1252"),
    ("ISO_8859-15", "iso8859_15"),
    ("CP850", "cp850"),
    ("CP437", "cp437"),
)
"""Code pages in order of preference with Python's codec names; the first three have the euro sign."""

CHARACTER_DOTS: Final = 12
"""The width of a character of font A."""
BARCODE_DOTS: Final = 100
BARCODE_WIDTHS: Final = ((4, 4, 10), (3, 3, 8), (2, 2, 5))
"""The widths of GS w, with the dots of a thin and a thick bar."""
MOST_DIGITS: Final = 254
_LARGEST: Final = {"title": 2, "amount": 4}
_NEAREST: Final = str.maketrans(
    {
        "\N{LEFT SINGLE QUOTATION MARK}": "'",
        "\N{RIGHT SINGLE QUOTATION MARK}": "'",
        "\N{SINGLE LOW-9 QUOTATION MARK}": "'",
        "\N{LEFT DOUBLE QUOTATION MARK}": '"',
        "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
        "\N{DOUBLE LOW-9 QUOTATION MARK}": '"',
        "\N{EN DASH}": "-",
        "\N{EM DASH}": "-",
        "\N{MINUS SIGN}": "-",
        "\N{BULLET}": "*",
        "\N{EURO SIGN}": "EUR",
        "\N{LATIN CAPITAL LETTER SHARP S}": "SS",
        "\N{LATIN SMALL LETTER L WITH STROKE}": "l",
        "\N{LATIN CAPITAL LETTER L WITH STROKE}": "L",
        "\N{LATIN SMALL LETTER DOTLESS I}": "i",
    }
)
_UNKNOWN: Final = "?"


def nearest(text: str, codec: str) -> str:
    """Return `text` with characters missing in `codec` replaced by similar ones, and without control characters."""
    return "".join(_nearest(character, codec) for character in text)


def _nearest(character: str, codec: str) -> str:
    if character.isspace() or not character.isprintable():
        return " "
    if _encodable(character, codec):
        return character
    plain = unicodedata.normalize("NFKD", character.translate(_NEAREST))
    return "".join(
        part if _encodable(part, codec) and part.isprintable() else _UNKNOWN
        for part in plain
        if not unicodedata.combining(part)
    )


def _encodable(character: str, codec: str) -> bool:
    try:
        character.encode(codec)
    except UnicodeEncodeError:
        return False
    return True


def barcode_width(digits: int, dots: int) -> int:
    """Return the largest GS w width at which Interleaved 2 of 5 with `digits` digits fits; else raise `ValueError`."""
    for width, thin, thick in BARCODE_WIDTHS:
        # a digit has three thin and two thick bars or gaps; four thin ones begin, a thick and two thin ones end
        if digits * (3 * thin + 2 * thick) + 4 * thin + thick + 2 * thin <= dots:
            return width
    raise ValueError(f"a barcode of {digits} digits does not fit into {dots} dots")


class SlipEncoder:
    """Encodes slips for a printer with python-escpos's `profile` and lines of `dots` dots.

    Raises `SettingsError` for an unknown profile or if python-escpos is missing.
    """

    def __init__(self, profile: str, dots: int) -> None:
        self._dummy, profiles = _library()
        able = sorted(name for name, known in profiles.items() if known["features"].get("barcodeA"))
        if profile not in able:
            known = "prints no barcodes" if profile in profiles else "is not known to python-escpos"
            raise SettingsError(f"ticket_printer.profile: '{profile}' {known}; choose one of: {', '.join(able)}")
        self.profile = profile
        self._dots = dots
        pages = self._dummy(profile=profile).profile.get_code_pages()
        self._page, self.codec = next(((page, codec) for page, codec in CODE_PAGES if page in pages), ("", "ascii"))

    def __repr__(self) -> str:
        return f"<SlipEncoder {self.profile} {self._dots} dots, {self.codec}>"

    @property
    def columns(self) -> int:
        """The number of normal-size characters per line."""
        return self._dots // CHARACTER_DOTS

    def encode(self, slip: Slip) -> bytes:
        """Return the commands that print and cut `slip`.

        Raise `ValueError` if its barcode has an odd number of digits or is wider than the paper.
        """
        printer = self._dummy(profile=self.profile)
        if self._page:
            printer.charcode(self._page)
        self._large(printer, slip.title, _LARGEST["title"])
        if slip.amount:
            self._large(printer, slip.amount, _LARGEST["amount"])
        if slip.barcode:
            self._barcode(printer, slip.barcode)
        printer.set(align="left", normal_textsize=True, bold=False)
        for line in slip.lines:
            for piece in self._wrapped(line, self.columns):
                printer.text(piece + "\n")
        printer.cut()
        return INITIALIZE + bytes(printer.output)

    def separate(self) -> bytes:
        """Return the commands that cut off paper left in the printer."""
        printer = self._dummy(profile=self.profile)
        printer.cut()
        return INITIALIZE + bytes(printer.output)

    def _large(self, printer: Any, text: str, largest: int) -> None:
        """Print `text` centred, as large as fits on one line, up to `largest` times the normal size."""
        shown = nearest(text, self.codec)
        size = max(1, min(largest, self.columns // max(1, len(shown))))
        printer.set(align="center", bold=True, custom_size=True, width=size, height=size)
        for piece in self._wrapped(text, self.columns // size):
            printer.text(piece + "\n")

    def _wrapped(self, text: str, columns: int) -> list[str]:
        shown = nearest(text, self.codec)
        if len(shown) <= columns:
            return [shown]
        return textwrap.wrap(shown, columns) or [""]

    def _barcode(self, printer: Any, digits: str) -> None:
        if not (digits.isascii() and digits.isdecimal()) or len(digits) % 2 or len(digits) > MOST_DIGITS:
            raise ValueError(f"a barcode must be an even number of digits, at most {MOST_DIGITS}")
        width = barcode_width(len(digits), self._dots)
        printer.set(align="center", normal_textsize=True, bold=False)
        # the library writes to standard output when it renders a barcode
        with contextlib.redirect_stdout(io.StringIO()):
            printer.barcode(digits, "ITF", BARCODE_DOTS, width, "BELOW", "A")


def _library() -> tuple[Any, dict[str, Any]]:
    """Import python-escpos; return its in-memory printer class and its profiles by name."""
    try:
        from escpos import capabilities  # noqa: PLC0415 - a cabinet without a printer never pays for it
        from escpos.printer import Dummy  # noqa: PLC0415 - as above
    except ImportError as error:
        raise SettingsError(
            f"ticket_printer: {error}; install the extra `printer` (pip install cabinet[printer])"
        ) from error
    # delete the library's copy of its database: each import creates a folder for it and leaves it behind
    shutil.rmtree(capabilities.pickle_dir, ignore_errors=True)
    return Dummy, capabilities.CAPABILITIES["profiles"]
