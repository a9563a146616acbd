"""The print buffer for one line: characters and column images on one baseline."""

from PIL import Image

from drivers.simulated.escpos.glyphs import Style, drawn
from drivers.simulated.escpos.paper import Mark, Strip

LEFT, CENTRE, RIGHT = range(3)


class PrintLine:
    """The print buffer of standard mode, which holds one line."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, Image.Image]] = []
        self._text = ""
        self.place = 0
        self.height = 0

    @property
    def empty(self) -> bool:
        """Whether the line is empty."""
        return not self._parts and not self.place

    def character(self, character: str, style: Style) -> None:
        """Put a character on it."""
        self.image(drawn(character, style))
        self._text += character

    def image(self, image: Image.Image) -> None:
        """Put a column image on it."""
        self._parts.append((self.place, image))
        self.place += image.width
        self.height = max(self.height, image.height)

    def move(self, place: int) -> None:
        """Continue at `place` dots from the line's start."""
        if place > self.place and self._text:
            self._text += " "
        self.place = place

    def strip(self, *, feed: int, paper: int, left: int, area: int, align: int, upside_down: bool) -> Strip:
        """Return the printed line, fed by `feed` dots or its own height, whichever is more.

        `paper` is the total width in dots; `area` dots from `left` on are printable.
        """
        height = max(feed, self.height)
        content = Image.new("1", (max(area, 1), max(self.height, 1)))
        for place, image in self._parts:
            content.paste(255, (place, self.height - image.height), image)
        if upside_down:
            content = content.rotate(180)
        bounds = max((place + image.width for place, image in self._parts), default=0)
        return _strip(
            content,
            height=height,
            paper=paper,
            left=left + _indent(area, bounds, align) * (-1 if upside_down else 1),
            mark=Mark(what="text" if self._text else "image", data=self._text.rstrip(), bottom=self.height),
        )


def block(image: Image.Image, *, paper: int, left: int, area: int, align: int, mark: Mark) -> Strip:
    """Return an image that stands on lines of its own."""
    return _strip(image, height=image.height, paper=paper, left=left + _indent(area, image.width, align), mark=mark)


def _indent(area: int, width: int, align: int) -> int:
    return max(0, area - width) * align // 2


def _strip(content: Image.Image, *, height: int, paper: int, left: int, mark: Mark) -> Strip:
    rows = Image.new("1", (paper, height))
    rows.paste(content, (left, 0))
    return Strip(height, rows.tobytes(), (mark,) if mark.bottom else ())
