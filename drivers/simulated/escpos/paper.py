"""Paper: its printed marks, where printing broke off, and the pieces that fall into the tray.

Rows are eight dots a byte, the leftmost dot the highest bit, 1 is black. All places are dots from a piece's front edge.
"""

import io
from typing import Final

import msgspec
from PIL import Image

DOTS_PER_MM: Final = 8


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """A printed mark: a line of text, a barcode, an image.

    `what` is `text`, `image`, or the name of a symbology, `data` its content. `whole` says whether all of it is on this
    paper.
    """

    what: str
    data: str = ""
    top: int = 0
    bottom: int = 0
    whole: bool = True


class Break(msgspec.Struct, frozen=True):
    """The place where printing was broken off: the rest is missing, or is printed again."""

    at: int
    cause: str


class Strip(msgspec.Struct, frozen=True):
    """Rows that are printed in one movement of the paper."""

    height: int
    rows: bytes
    marks: tuple[Mark, ...] = ()


def blank(height: int, width: int) -> Strip:
    """Return `height` blank rows."""
    return Strip(height, bytes(height * width // 8))


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of paper that has left the printer. `cut` is `full`, `partial`, or `torn` by hand."""

    width: int
    rows: bytes
    marks: tuple[Mark, ...]
    breaks: tuple[Break, ...]
    cut: str

    @property
    def complete(self) -> bool:
        """Whether the printer cut it, all marks on it are whole, and printing was never broken off."""
        return self.cut != "torn" and not self.breaks and all(mark.whole for mark in self.marks)

    @property
    def height(self) -> int:
        """Dots from edge to edge."""
        return len(self.rows) * 8 // self.width

    @property
    def blank(self) -> bool:
        """Whether nothing is printed on it."""
        return not any(self.rows)

    @property
    def texts(self) -> list[str]:
        """Its lines of text, from the top."""
        return [mark.data for mark in self.marks if mark.what == "text"]

    @property
    def codes(self) -> list[tuple[str, str]]:
        """Its whole barcodes as symbology and data, from the top."""
        return [(mark.what, mark.data) for mark in self.marks if mark.what not in ("text", "image") and mark.whole]

    def picture(self) -> Image.Image:
        """Return its picture, black on white, one pixel a dot."""
        ink = Image.frombytes("1", (self.width, self.height), self.rows)
        return ink.point(lambda dot: 255 - dot)

    def png(self) -> bytes:
        """Return the picture as a PNG file."""
        file = io.BytesIO()
        self.picture().save(file, "PNG")
        return file.getvalue()


class HangingPaper:
    """The paper between the cutter and the head: printed, and not yet cut."""

    def __init__(self, width: int, gap: int) -> None:
        self.width = width
        self._gap = gap
        self._rows = bytearray()
        self._marks: list[Mark] = []
        self._breaks: list[Break] = []
        self._fresh()

    @property
    def height(self) -> int:
        """Dots from the cutter to the head."""
        return len(self._rows) * 8 // self.width

    @property
    def inked(self) -> bool:
        """Whether something is printed on it."""
        return any(self._rows)

    def move(self, rows: bytes) -> None:
        """Move the paper on by the printed rows."""
        self._rows += rows

    def note(self, strip: Strip, first: int, last: int) -> None:
        """Record the marks of `strip` on this paper; its rows `first` to `last` were just printed."""
        offset = self.height - last
        for mark in strip.marks:
            if mark.top < last and mark.bottom > first:
                top, bottom = max(mark.top, first), min(mark.bottom, last)
                whole = mark.whole and (top, bottom) == (mark.top, mark.bottom)
                self._marks.append(msgspec.structs.replace(mark, top=top + offset, bottom=bottom + offset, whole=whole))

    def broken_off(self, cause: str) -> None:
        """Record that printing was broken off at the head."""
        self._breaks.append(Break(self.height, cause))

    def cut(self, how: str, *, past: int = 0) -> Piece | None:
        """Cut `past` dots in front of the cutter and return the piece, None if there is nothing to cut off."""
        at = self.height - self._gap - past
        if at <= 0:
            return None
        size = at * self.width // 8
        piece = Piece(
            width=self.width,
            rows=bytes(self._rows[:size]),
            marks=tuple(_above(mark, at) for mark in self._marks if mark.top < at),
            breaks=tuple(broken for broken in self._breaks if broken.at <= at),
            cut=how,
        )
        del self._rows[:size]
        self._marks = [_below(mark, at) for mark in self._marks if mark.bottom > at]
        self._breaks = [Break(broken.at - at, broken.cause) for broken in self._breaks if broken.at > at]
        return piece

    def tear_out(self) -> Piece | None:
        """Pull all of it out by hand and lead fresh paper to the cutter; return the piece if it is printed."""
        piece = Piece(
            width=self.width,
            rows=bytes(self._rows),
            marks=tuple(self._marks),
            breaks=tuple(self._breaks),
            cut="torn",
        )
        self._fresh()
        return None if piece.blank else piece

    def _fresh(self) -> None:
        self._rows = bytearray(self._gap * self.width // 8)
        self._marks, self._breaks = [], []


def _above(mark: Mark, at: int) -> Mark:
    return mark if mark.bottom <= at else msgspec.structs.replace(mark, bottom=at, whole=False)


def _below(mark: Mark, at: int) -> Mark:
    whole = mark.whole and mark.top >= at
    return msgspec.structs.replace(mark, top=max(0, mark.top - at), bottom=mark.bottom - at, whole=whole)
