"""A cascade over the reels: winning symbols flash and burst, the others fall, and new ones enter from above."""

import math

import pygame

from ui.atlas import World
from ui.cascade_acts import CascadeAct, Piece
from ui.draw_context import DrawContext
from ui.reels import Cells
from ui.stage import Stage
from ui.theme import Theme

FLASH = "flash"
"""The light in which a symbol bursts; a world without this sprite shows none."""
_FLASH_S = 0.34
_WIN_FRAME = 6
"""The frame of a symbol's win with its largest size, from which it bursts."""
_SHARDS = 10
"""How many shards a symbol bursts into."""
_SHARD_SHAPES = 3
_FLIGHT_S = 0.9
_GRAVITY = 1500.0
_BURSTS_AT = 0.2


class CascadeShow:
    """Draws the cascades of one game's screen."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self._context = context
        self._theme = theme
        self._cells = context.cells(theme)
        self._layout = context.layout
        self._window = context.layout.window(theme.game.rows)
        self._sky = (0, 0, context.layout.canvas[0], context.layout.hud.box[1])

    @property
    def _world(self) -> World:
        return self._context.on_reels(self._theme)

    def draw(self, stage: Stage, act: CascadeAct, now: float) -> None:
        """Draw the window at `now` and the flying shards, none of which reach the HUD."""
        cells, elapsed = self._cells.of(act.picture), act.elapsed(now)
        bursting = elapsed < _BURSTS_AT
        stage.canvas.set_clip(stage.pixels(self._window))
        self._ground(stage, cells, act)
        for piece in act.pieces:
            self._piece(stage, cells, piece, act.fallen(piece, now))
        stage.canvas.set_clip(stage.pixels(self._sky))
        window = act.picture.window
        for reel, row in act.cells:
            if bursting:
                left, top, _, _ = self._layout.cell_box(reel, row, self._theme.game.rows)
                swollen = self._world.sprite(f"{window[reel][row]}_win_{_WIN_FRAME:02d}")
                stage.draw(swollen, left - self._layout.win_margin, top - self._layout.win_margin)
        if not act.plain:
            self._flashes(stage, act, elapsed)
            self._shards(stage, act, elapsed)
        stage.canvas.set_clip(None)

    def _ground(self, stage: Stage, cells: Cells, act: CascadeAct) -> None:
        """Draw the empty reels where a symbol is gone or moves."""
        moving = {piece.reel for piece in act.pieces if piece.row != piece.origin}
        rows = self._theme.game.rows
        bare = cells.bare()
        stage.canvas.fblits(
            [(bare, stage.pixels(self._layout.cell_box(reel, row, rows))) for reel in moving for row in range(rows)]
        )

    def _piece(self, stage: Stage, cells: Cells, piece: Piece, row: float) -> None:
        """Draw a symbol at a row of its reel, which may lie between two rows or above the window."""
        if row <= -1:
            return
        rows = self._theme.game.rows
        left, top, _, height = self._layout.cell_box(piece.reel, 0, rows)
        place = (round(left * stage.scale), round((top + row * height) * stage.scale))
        if piece.row == piece.origin:
            stage.canvas.blit(cells.cell(piece.symbol), place)
        else:
            stage.canvas.blit(self._world.sprite(piece.symbol), place)

    def _flashes(self, stage: Stage, act: CascadeAct, elapsed: float) -> None:
        if elapsed >= _FLASH_S or FLASH not in self._world:
            return
        flash = self._world.sprite(FLASH)
        flash.set_alpha(round(255 * math.sin(math.pi * elapsed / _FLASH_S)))
        stage.draw_all_centred([(flash, *self._middle(reel, row)) for reel, row in act.cells])
        flash.set_alpha(255)

    def _shards(self, stage: Stage, act: CascadeAct, elapsed: float) -> None:
        """Draw the shards on their flight from the middle of their cell, and down."""
        flown = elapsed - _BURSTS_AT
        if not 0 <= flown < _FLIGHT_S:
            return
        thrown: list[tuple[pygame.Surface, float, float]] = []
        for place, (reel, row) in enumerate(act.cells):
            name = self._theme.shard(act.picture.window[reel][row])
            x, y = self._middle(reel, row)
            for number in range(_SHARDS if name else 0):
                # The golden angle spreads them evenly, and no two cells look alike.
                angle = 2.399963 * (number + 3 * place)
                speed = 190 + 44 * ((number * 7 + place * 5) % 8)
                along, down = math.cos(angle) * speed, math.sin(angle) * speed - 220
                shard = self._world.sprite(f"{name}_{number % _SHARD_SHAPES}")
                thrown.append((shard, x + along * flown, y + down * flown + _GRAVITY * flown * flown / 2))
        stage.draw_all_centred(thrown)

    def _middle(self, reel: int, row: int) -> tuple[float, float]:
        left, top, width, height = self._layout.cell_box(reel, row, self._theme.game.rows)
        return left + width / 2, top + height / 2
