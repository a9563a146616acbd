"""Cells that are lit, darkened, framed or sparkle over Mona Lisa Jewels' reels."""

from collections.abc import Collection

import pygame

from gamekit.beats import Cell
from games.mona_lisa_jewels.strips import REELS
from ui.draw_context import DrawContext
from ui.picture import Picture
from ui.scenes.wins import FRAME_S, WIN_FRAMES
from ui.stage import Stage
from ui.theme import Theme, shown

SPARK_ROUND_S = 2.4
"""How long a spark takes to run once round a cell."""
_HELD_EDGE = 18


class Rim:
    """A frame's four sides, cut out of its sprite: what it leaves open costs nothing to draw."""

    def __init__(self, sprite: pygame.Surface, edge: int) -> None:
        width, height = sprite.get_size()
        sides = (
            pygame.Rect(0, 0, width, edge),
            pygame.Rect(0, height - edge, width, edge),
            pygame.Rect(0, edge, edge, height - 2 * edge),
            pygame.Rect(width - edge, edge, edge, height - 2 * edge),
        )
        self._sides = [(sprite.subsurface(side), *side.topleft) for side in sides]

    def draw(self, stage: Stage, x: float, y: float) -> None:
        """Draw the frame with its upper left corner at (x, y) canvas units."""
        scale = stage.scale
        left, top = round(x * scale), round(y * scale)
        for side, across, down in self._sides:
            stage.draw(side, (left + across) / scale, (top + down) / scale)


class Lights:
    """What shows the player which cells matter."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self._theme = theme
        self._layout = context.layout
        self._world = context.on_reels(theme)
        self._cells = context.cells(theme)
        self._held = Rim(self._world.sprite("held_cell"), round(_HELD_EDGE * context.layout.reels_zoom * context.scale))

    def corner(self, cell: Cell) -> tuple[float, float]:
        """Return where a cell's upper left corner lies."""
        left, top, _, _ = self._layout.cell_box(*cell, REELS.rows)
        return left, top

    def dim(self, stage: Stage, picture: Picture, lit: Collection[Cell]) -> None:
        """Darken all cells but the `lit` ones."""
        cells = self._cells.of(picture)
        for reel, column in enumerate(shown(self._theme, picture)):
            for row in range(len(column)):
                if (reel, row) not in lit:
                    stage.draw(cells.dimmed(column[row]), *self.corner((reel, row)))

    def shine(self, stage: Stage, picture: Picture, lit: Collection[Cell], elapsed: float) -> None:
        """Let the symbols in the `lit` cells swell and glitter as winning ones do."""
        window, bare = shown(self._theme, picture), self._cells.of(picture).bare()
        frame = int(elapsed / FRAME_S) % WIN_FRAMES
        for cell in lit:
            stage.draw(bare, *self.corner(cell))
        for reel, row in lit:
            left, top = self.corner((reel, row))
            symbol = self._world.sprite(f"{window[reel][row]}_win_{frame:02d}")
            stage.draw(symbol, left - self._layout.win_margin, top - self._layout.win_margin)

    def frame(self, stage: Stage, cells: Collection[Cell], now: float) -> None:
        """Frame the cells that are held; a spark runs round each."""
        for cell in cells:
            self._held.draw(stage, *self.corner(cell))
        for place, cell in enumerate(cells):
            x, y = self._round(cell, (now / SPARK_ROUND_S + place * 0.37) % 1)
            stage.draw_centred(self._world.sprite("spark"), x, y)

    def _round(self, cell: Cell, way: float) -> tuple[float, float]:
        """Return the point at `way`, 0 to 1, of the way round a cell's frame, clockwise from its upper left corner."""
        width, height = (side - 10 for side in self._layout.cell(REELS.rows))
        left, top = (side + 5 for side in self.corner(cell))
        run = way * 2 * (width + height)
        if run < width:
            return left + run, top
        run -= width
        if run < height:
            return left + width, top + run
        run -= height
        return (left + width - run, top + height) if run < width else (left, top + height - (run - width))
