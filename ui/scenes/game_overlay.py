"""What a game draws itself: full-screen scenes, and what lies around and over its reels (counters, cards, marks)."""

from typing import Protocol, runtime_checkable

import pygame

from ui.acts import Act
from ui.director import Director
from ui.draw_context import Control, DrawContext, Scenery
from ui.picture import Picture
from ui.stage import Stage
from ui.theme import Theme


class GameOverlay:
    """One game's additions to the shared game screen; a game's own class extends it.

    `pay_glass` is whether the space above a portrait or 5:4 monitor's reels shows what the highest symbols pay.
    """

    pay_glass = True

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self.context = context
        self.theme = theme

    def key(self, _director: Director) -> tuple[object, ...]:
        """Return everything that `paint` depends on; an equal key means an equal painting."""
        return ()

    def paint(self, plate: pygame.Surface, director: Director) -> None:
        """Paint the still parts around the reels on the backdrop; the reels are drawn over it."""

    def draw(self, stage: Stage, director: Director, picture: Picture, act: Act | None, now: float) -> None:
        """Draw the moving parts over the reels and their wins."""

    def covers(self, _act: Act) -> bool:
        """Whether `draw` covers the whole window in this act, so that the reels below need not be drawn."""
        return False

    def words(self, _director: Director, _picture: Picture, _act: Act | None, _now: float) -> str:
        """Return the golden words of the message line, or an empty string for the shared words."""
        return ""

    def due(self, _director: Director, _now: float) -> float:
        """Return when `draw` next changes while nothing is performed; infinity if nothing changes."""
        return float("inf")

    def controls(self, _director: Director) -> list[Control]:
        """Return the touch controls that this game adds, with their positions."""
        return []


@runtime_checkable
class GameScenes(Protocol):
    """What a game's theme builds for the screen."""

    def build(self, name: str, context: DrawContext) -> Scenery:
        """Build the scene that `scene_of` or `scene_in` names; raises ValueError for other names."""

    def overlay(self, context: DrawContext) -> GameOverlay:
        """Return what this game adds around and over its reels."""


def scenes_of(theme: Theme) -> GameScenes:
    """Return `theme` typed as the builder of its game's scenes."""
    if not isinstance(theme, GameScenes):
        raise TypeError(f"the theme of {theme.game.title} builds no scenes")
    return theme
