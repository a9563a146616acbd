"""What is drawn on the reels themselves: a collected potion's column, marks that land and turn, mega wilds."""

from collections.abc import Collection, Sequence

import pygame

from gamekit.beats import Cell
from games.witch_feature.display.acts import CollectAct, MarkedSpinAct
from games.witch_feature.pays import QUESTION_MARK, WILD
from games.witch_feature.potions import EXPLOSION
from games.witch_feature.scene import WitchScene
from ui.draw_context import DrawContext
from ui.picture import Picture
from ui.stage import Stage
from ui.theme import Theme, shown

FALL_FROM, FALL_TO = 0.12, 0.5
"""The parts of collecting a potion between which the symbols above it fall."""

DROP_S = 0.28
FLASH_S = 0.3
_MEGA_SIZES = {9: (3,), 8: (2, 2)}
"""The side of each mega wild, by how many cells they cover together."""

_DIMMED = (105, 112, 130)
"""As dark as the cells that are not part of the win being shown."""

_TURN_STEPS = 6
"""In so many steps a question mark narrows and the symbol widens."""


def squares(marks: Sequence[Cell]) -> list[tuple[Cell, int]]:
    """Return the upper left cell and the side of each mega wild that `marks` make up, or nothing."""
    found: list[tuple[Cell, int]] = []
    first = 0
    for side in _MEGA_SIZES.get(len(marks), ()):
        found.append((marks[first], side))
        first += side * side
    return found


class Marks:
    """Draws over the reels and never beyond their window, which is drawn anew each frame, so that nothing is restored.

    Every cell is opaque, as the reels' own.
    """

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self._context = context
        self._theme = theme
        self._world = context.on_reels(theme)
        self._layout = context.layout
        self._rows = theme.game.rows
        self._cells = context.cells(theme)
        self._dimmed: dict[int, pygame.Surface] = {}
        self._narrow: dict[tuple[str, str], list[pygame.Surface]] = {}

    def dim(self, stage: Stage, picture: Picture) -> None:
        """Let the whole reels recede."""
        cells = self._cells.of(picture)
        window = enumerate(shown(self._theme, picture))
        stage.canvas.fblits(
            [
                (cells.dimmed(symbol), self._corner(stage, reel, row))
                for reel, column in window
                for row, symbol in enumerate(column)
            ]
        )

    def falling(self, stage: Stage, act: CollectAct, now: float) -> None:
        """Draw the reel that a potion leaves: the symbols above fall, a new one enters on top."""
        part = act.part(now)
        if part < FALL_FROM:
            return
        fallen = min(1.0, (part - FALL_FROM) / (FALL_TO - FALL_FROM)) ** 2
        cells, (reel, last) = self._cells.of(act.picture), act.cell
        left, top, width, height = self._layout.cell_box(reel, 0, self._rows)
        box = stage.pixels((left, top, width, height * (last + 1)))
        down = box.height / (last + 1)
        stage.canvas.set_clip(box)
        for row in range(last + 1):
            stage.canvas.blit(cells.bare(), (box.left, round(box.top + down * row)))
        for row in range(last + 1):
            stage.canvas.blit(cells.cell(act.column[row]), (box.left, round(box.top + down * (row - 1 + fallen))))
        stage.canvas.set_clip(None)

    def landing(self, stage: Stage, act: MarkedSpinAct, now: float) -> None:
        """Draw the marks that have landed on a respin's reels so far, and how they turn."""
        stage.canvas.set_clip(stage.pixels(self._layout.window(self._rows)))
        large = squares(act.marks)
        if large:
            self._mega_landing(stage, act, large, now)
        else:
            self._cells_landing(stage, act, now)
        stage.canvas.set_clip(None)

    def mega(self, stage: Stage, scene: WitchScene, lit: Collection[Cell] | None) -> None:
        """Draw the mega wilds on the reels; those that touch none of the cells `lit` recede, where given."""
        if scene.mark_symbol != WILD:
            return
        for (reel, row), side in squares(scene.marks):
            covered = {(reel + x, row + y) for x in range(side) for y in range(side)}
            bright = lit is None or not covered.isdisjoint(lit)
            stage.canvas.blit(self._mega(side, bright=bright), self._corner(stage, reel, row))

    def _mega(self, side: int, *, bright: bool) -> pygame.Surface:
        sprite = self._world.sprite(f"mega_wild_{side}")
        if bright:
            return sprite
        if side not in self._dimmed:
            self._dimmed[side] = sprite.copy()
            self._dimmed[side].fill(_DIMMED, special_flags=pygame.BLEND_RGB_MULT)
        return self._dimmed[side]

    def _cells_landing(self, stage: Stage, act: MarkedSpinAct, now: float) -> None:
        symbol = QUESTION_MARK if act.kind == EXPLOSION else act.symbol
        cell = self._turning(act, symbol, act.turned(now))
        margin = round(self._layout.win_margin * stage.scale)
        for place, (reel, row) in enumerate(act.marks):
            since = now - act.lands_at(place)
            if since < 0:
                continue
            left, top = self._corner(stage, reel, row)
            stage.canvas.blit(cell, (left, top))
            if since < FLASH_S:
                frame = round(11 * since / FLASH_S)
                stage.canvas.blit(self._world.sprite(f"{symbol}_win_{frame:02d}"), (left - margin, top - margin))

    def _mega_landing(self, stage: Stage, act: MarkedSpinAct, large: Sequence[tuple[Cell, int]], now: float) -> None:
        """A mega wild falls in from above the window."""
        first = 0
        for (reel, row), side in large:
            since = now - act.lands_at(first)
            first += side * side
            if since >= 0:
                left, top = self._corner(stage, reel, row)
                sprite = self._world.sprite(f"mega_wild_{side}")
                above = sprite.get_height() / side * (row + side)
                over = (1 - min(1.0, since / DROP_S)) ** 2
                stage.canvas.blit(sprite, (left, round(top - over * above)))

    def _turning(self, act: MarkedSpinAct, symbol: str, turned: float) -> pygame.Surface:
        """Return the mark's cell: it rests, narrows, widens as the symbol it turns into, and rests."""
        cells = self._cells.of(act.picture)
        step = int((turned - 0.3) / 0.3 * 2 * _TURN_STEPS)
        if turned <= 0 or step < 0:
            return cells.cell(symbol)
        if step >= 2 * _TURN_STEPS:
            return cells.cell(act.symbol)
        if step < _TURN_STEPS:
            return self._narrowed(act.picture, symbol)[step]
        return self._narrowed(act.picture, act.symbol)[2 * _TURN_STEPS - 1 - step]

    def _narrowed(self, picture: Picture, symbol: str) -> list[pygame.Surface]:
        """Return a symbol's cell ever narrower on its bare ground, made when first needed."""
        key = (self._theme.backing(picture), symbol)
        if key not in self._narrow:
            cells, sprite = self._cells.of(picture), self._world.sprite(symbol)
            width, height = sprite.get_size()
            frames = []
            for step in range(_TURN_STEPS):
                across = max(2, round(width * (1 - (step + 1) / (_TURN_STEPS + 1))))
                frame = cells.bare().copy()
                frame.blit(pygame.transform.smoothscale(sprite, (across, height)), ((width - across) // 2, 0))
                frames.append(frame)
            self._narrow[key] = frames
        return self._narrow[key]

    def _corner(self, stage: Stage, reel: int, row: int) -> tuple[int, int]:
        """Return the upper left pixel of a cell."""
        return stage.pixels(self._layout.cell_box(reel, row, self._rows)).topleft
