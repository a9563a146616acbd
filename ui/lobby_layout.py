"""Positions in the lobby: a tile for each game, smaller if a page has more of them, and arrows between pages.

Boxes and points are canvas units. Words have the same size on every page of a monitor, whatever the tiles' size.
"""

from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from ui.page_layout import Box, Point

TILE = (320, 240)
"""A game's tile, at a zoom of 1."""
TITLE, WORDS = 44, 30
"""The height of the line over the tiles, and of the line under each, in a wide monitor."""
_MOST_AIR = 40
"""The greatest distance between rows, in a wide monitor."""


class Tiling(NamedTuple):
    """Rows of tiles of one size, `gap` apart; the sign on each extends `rise` beyond its upper edge."""

    across: int
    down: int
    zoom: float
    gap: float
    rise: float = 0

    @property
    def most(self) -> int:
        """How many tiles fit."""
        return self.across * self.down

    @property
    def tile(self) -> tuple[int, int]:
        """Width and height of a tile."""
        return round(TILE[0] * self.zoom), round(TILE[1] * self.zoom)


class Tiles(NamedTuple):
    """A page's tiles: their boxes, their size, and the middle of the line over them."""

    boxes: list[Box]
    tiling: Tiling
    title: Point


@dataclass(frozen=True)
class LobbyLayout:
    """The lobby of one shape of monitor."""

    room: Box
    """The area of line and tiles."""
    zoom: float
    """The size of words relative to a wide monitor."""
    least_bet: int
    """If the words of a sign's bet would be smaller than this in one line, they are set in two."""
    tilings: tuple[Tiling, ...]
    """The sizes of tiles, the largest first."""
    words: Box
    """The words under the tiles."""
    arrows: tuple[Box, Box]
    """The arrows to the previous and the next page."""
    number: Point
    """The middle of the page's number."""

    @property
    def most(self) -> int:
        """How many tiles fit on a page."""
        return self.tilings[-1].most

    def pages(self, count: int) -> list[range]:
        """Return the indices of `count` games for each page: as few pages as needed, about equally full."""
        pages = max(1, ceil(count / self.most))
        each = ceil(count / pages)
        return [range(page * each, min(count, (page + 1) * each)) for page in range(pages)]

    def tiles(self, count: int) -> Tiles:
        """Return the tiles of a page of `count` games, as large as possible, in centred rows."""
        tiling = next(tiling for tiling in self.tilings if count <= tiling.most)
        left, top, across, down = self.room
        (width, height), above, words = tiling.tile, tiling.rise, WORDS * self.zoom
        rows = ceil(count / tiling.across)
        held = [count // rows + (row < count % rows) for row in range(rows)]
        needed = TITLE * self.zoom + len(held) * (above + height + words)
        air = min(_MOST_AIR * self.zoom, (down - needed) / max(1, len(held)))
        top += (down - needed - air * max(0, len(held) - 1)) / 2
        middle, boxes = left + across / 2, list[Box]()
        for row, tiles in enumerate(held):
            first = middle - (tiles * width + (tiles - 1) * tiling.gap) / 2
            low = round(top + TITLE * self.zoom + above + row * (above + height + words + air))
            boxes += [(round(first + place * (width + tiling.gap)), low, width, height) for place in range(tiles)]
        return Tiles(boxes, tiling, (middle, top + TITLE * self.zoom / 2))


WIDE_LOBBY = LobbyLayout(
    room=(112, 4, 1056, 594),
    zoom=1,
    least_bet=13,
    tilings=(
        Tiling(across=3, down=2, zoom=1, gap=20),
        Tiling(across=4, down=2, zoom=0.76, gap=12, rise=18),
        Tiling(across=5, down=2, zoom=0.6, gap=12, rise=36),
    ),
    words=(348, 640, 584, 44),
    arrows=((936, 634, 64, 64), (1068, 634, 64, 64)),
    number=(1034, 667),
)
TALL_LOBBY = LobbyLayout(
    room=(20, 12, 1240, 756),
    zoom=1,
    least_bet=13,
    tilings=(
        Tiling(across=3, down=2, zoom=1, gap=40),
        Tiling(across=4, down=2, zoom=0.9, gap=20),
        Tiling(across=3, down=3, zoom=0.8, gap=60),
        Tiling(across=4, down=3, zoom=0.8, gap=40),
    ),
    words=(370, 920, 740, 60),
    arrows=((524, 798, 64, 64), (692, 798, 64, 64)),
    number=(640, 831),
)
PORTRAIT_LOBBY = LobbyLayout(
    room=(16, 20, 1048, 1390),
    zoom=1.5,
    least_bet=11,
    tilings=(
        Tiling(across=2, down=3, zoom=1.5, gap=40),
        Tiling(across=2, down=4, zoom=1.14, gap=60, rise=6),
        Tiling(across=3, down=3, zoom=1.06, gap=14, rise=27),
        Tiling(across=3, down=4, zoom=1.06, gap=14, rise=10),
    ),
    words=(330, 1480, 730, 80),
    arrows=((80, 1631, 96, 96), (904, 1631, 96, 96)),
    number=(540, 1606),
)
