"""What a game adds around and over its reels: counters, cards, marks. A game's own class extends it."""

import pygame

from ui.acts import Act
from ui.director import Director
from ui.draw_context import Control, DrawContext
from ui.stage import Stage
from ui.theme import Picture, Theme


class GameOverlay:
    """One game's additions to the shared game screen; whatever is not overridden adds nothing.

    `pay_glass` tells whether the room above a portrait monitor's reels is left to what the highest symbols pay.
    """

    pay_glass = True

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self.context = context
        self.theme = theme

    def key(self, _director: Director) -> tuple[object, ...]:
        """Return all that `paint` depends on: an equal key means an equal painting."""
        return ()

    def paint(self, plate: pygame.Surface, director: Director) -> None:
        """Paint on the backdrop what stands still, around the reels; the reels are drawn over it."""

    def draw(self, stage: Stage, director: Director, picture: Picture, act: Act | None, now: float) -> None:
        """Draw over the reels and their wins what moves."""

    def words(self, _director: Director, _picture: Picture, _act: Act | None, _now: float) -> str:
        """Return what the message line says now, golden, or nothing for the shared words."""
        return ""

    def due(self, _director: Director, _now: float) -> float:
        """Return when `draw` shows something else, while nothing is performed; infinity when it stands."""
        return float("inf")

    def controls(self, _director: Director) -> list[Control]:
        """Return the touch controls that this game adds, and where they are."""
        return []
