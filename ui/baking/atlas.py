"""Packs pictures into atlases, in shelves, the tallest first."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ui.baking.pictures import Picture, save

LARGEST = 4096
_GAP = 2  # clear pixels between neighbours, so that a smooth scale never mixes two sprites


class AtlasError(ValueError):
    """A picture is larger than the largest atlas."""


@dataclass(frozen=True)
class Place:
    """The position of a sprite: the atlas file and its rectangle in pixels."""

    atlas: str
    x: int
    y: int
    w: int
    h: int


@dataclass
class _Page:
    placed: list[tuple[str, int, int]] = field(default_factory=list)
    x: int = 0
    y: int = 0
    shelf: int = 0
    wide: int = 0

    def place(self, name: str, width: int, height: int) -> bool:
        """Place the picture on the current shelf or a new one; return False if the page is full."""
        if self.x + width > LARGEST:
            self.x, self.y, self.shelf = 0, self.y + self.shelf + _GAP, 0
        if self.y + height > LARGEST:
            return False
        self.placed.append((name, self.x, self.y))
        self.x += width + _GAP
        self.shelf = max(self.shelf, height)
        self.wide = max(self.wide, self.x - _GAP)
        return True


def pack(pictures: dict[str, Picture], group: str, folder: Path) -> dict[str, Place]:
    """Write `pictures` into as few `<group>_<n>.webp` of `folder` as shelves allow; return their places."""
    pages = [_Page()]
    for name in sorted(pictures, key=lambda key: (-pictures[key].shape[0], -pictures[key].shape[1], key)):
        height, width = pictures[name].shape[:2]
        if max(width, height) > LARGEST:
            raise AtlasError(f"{name} is {width}x{height}; an atlas holds {LARGEST} pixels a side: draw it smaller")
        if not pages[-1].place(name, width, height):
            pages.append(_Page())
            pages[-1].place(name, width, height)
    places: dict[str, Place] = {}
    for number, page in enumerate(page for page in pages if page.placed):
        atlas = f"{group}_{number}.webp"
        canvas = np.zeros((page.y + page.shelf, page.wide, 4), np.uint8)
        for name, x, y in page.placed:
            height, width = pictures[name].shape[:2]
            canvas[y : y + height, x : x + width] = pictures[name]
            places[name] = Place(atlas, x, y, width, height)
        save(canvas, folder / atlas)
    return places
