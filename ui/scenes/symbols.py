"""Symbols with their own motion on the reels: when landing, while reels are awaited, and while the game is idle."""

import random

import pygame

from gamekit.beats import Cell
from ui.acts import SpinAct
from ui.draw_context import DrawContext
from ui.picture import Picture
from ui.scenes.wins import FRAME_S, WIN_FRAMES
from ui.stage import Stage
from ui.theme import Theme, shown

LANDING_FRAME_S = 1 / 24
LANDING_S = LANDING_FRAME_S * WIN_FRAMES
RESTS_S = 3.5
"""Seconds for which an idle game's symbols are still before one of them moves for a second, and then the next."""


class LivingSymbols:
    """The symbols of one game's screen that have animations besides the win's."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self._theme = theme
        self._layout = context.layout
        self._on_reels = context.on_reels(theme)
        self._cells = context.cells(theme)
        called = {trigger.symbol for trigger in theme.triggers}
        self._land = {name for name in theme.symbols if name not in called and f"{name}_land_00" in self._on_reels}
        self._wait = {name for name in theme.symbols if f"{name}_wait_00" in self._on_reels}

    def landed(self, stage: Stage, picture: Picture, act: SpinAct, now: float) -> None:
        """Animate landed symbols that can still lead to a feature, and wilds.

        The former continue while a reel is awaited. Symbols that can start no feature any more stay still.
        """
        waiting, called = act.spin.waiting_reel(now) is not None, dict(act.called(now))
        held = {(held.reel, held.row) for held in picture.held}
        for reel, at in enumerate(act.spin.stop_at):
            if at <= now < at + LANDING_S and reel not in picture.locked:
                landed = ((reel, row) for row, symbol in enumerate(act.lands[reel]) if symbol in self._land)
                called.update((cell, now - at) for cell in landed if cell not in held)
        for cell, since in called.items():
            symbol = act.lands[cell[0]][cell[1]]
            if since < LANDING_S:
                self._draw(stage, picture, cell, self._frame(symbol, "land", int(since / LANDING_FRAME_S)))
            elif waiting:
                frame = int((since - LANDING_S) / FRAME_S) % WIN_FRAMES
                self._draw(stage, picture, cell, self._frame(symbol, "wait", frame))

    def resting(self, stage: Stage, picture: Picture, elapsed: float) -> None:
        """Animate one symbol after another, for a second each, on reels that have rested for `elapsed` seconds."""
        turn, within = divmod(elapsed, RESTS_S + WIN_FRAMES * FRAME_S)
        if within < RESTS_S:
            return
        window = shown(self._theme, picture)
        cells = [
            (reel, row) for reel, column in enumerate(window) for row, name in enumerate(column) if name in self._wait
        ]
        if cells:
            cell = random.Random(int(turn)).choice(cells)  # noqa: S311  decoration, not a draw of the game
            frame = min(WIN_FRAMES - 1, int((within - RESTS_S) / FRAME_S))
            self._draw(stage, picture, cell, self._frame(window[cell[0]][cell[1]], "wait", frame))

    def _draw(self, stage: Stage, picture: Picture, cell: Cell, sprite: pygame.Surface) -> None:
        left, top, _, _ = self._layout.cell_box(*cell, self._theme.game.rows)
        stage.draw(self._cells.of(picture).bare(), left, top)
        stage.draw(sprite, left - self._layout.win_margin, top - self._layout.win_margin)

    def _frame(self, symbol: str, kind: str, number: int) -> pygame.Surface:
        """Return a frame of a symbol's animation `land` or `wait`, or of its win if it lacks that kind."""
        name = f"{symbol}_{kind}_{number:02d}"
        return self._on_reels.sprite(name if name in self._on_reels else f"{symbol}_win_{number:02d}")
