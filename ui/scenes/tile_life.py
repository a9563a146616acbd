"""The motion in the lobby's tiles: each game's star moves from time to time, as on the reels."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import pygame

from ui.atlas import World
from ui.layout import Box
from ui.picture import TILE_LIFE
from ui.scenes.wins import WIN_FRAMES
from ui.stage import Stage

FRAME_S = 1 / 15
EVERY_S = 2.8
"""Seconds from the start of a star's motion to its next start."""
_LASTS_S = WIN_FRAMES * FRAME_S
_APART_S = 1.1
"""Seconds by which each tile starts later than the previous one."""
_ROUNDED_S = 1e-6


class Moving(NamedTuple):
    """The moving piece of a game's picture: its frames, and its position in the picture in pixels."""

    frames: tuple[pygame.Surface, ...]
    place: tuple[int, int]


def moving(world: World, tile: pygame.Surface, size: float, shrunk: float) -> Moving:
    """Return the moving piece of a game's baked picture `tile`, without frames if its star stays still.

    `size` is the number of pixels per unit in the baked picture, `shrunk` the factor by which it is scaled for display.
    """
    left, top, width, height = (round(side * size) for side in TILE_LIFE)
    names = [name for number in range(WIN_FRAMES) if (name := f"tile_{number:02d}") in world]
    if shrunk == 1:
        return Moving(tuple(world.sprite(name).copy() for name in names), (left, top))
    cut = pygame.Rect(
        math.floor(left * shrunk), math.floor(top * shrunk), round(width * shrunk), round(height * shrunk)
    )
    frames = []
    for name in names:
        # Scaled together with its surroundings, like the still picture, so that nothing jumps when it begins to move.
        whole = tile.copy()
        whole.blit(world.sprite(name), (left, top))
        frames.append(pygame.transform.smoothscale_by(whole, shrunk).subsurface(cut).copy())
    return Moving(tuple(frames), cut.topleft)


class TileLife:
    """The moving pieces of a page's tiles; `find` returns a game's, `hole` is a picture's area in a tile, in units."""

    def __init__(self, find: Callable[[str], Moving], hole: tuple[float, float]) -> None:
        self._find = find
        self._hole = hole
        self._found: dict[str, Moving] = {}

    def draw(self, stage: Stage, games: Sequence[str], tiles: Sequence[Box], now: float) -> None:
        """Draw the stars that move at `now`; a frame decodes one game's pictures, when its star first moves."""
        decoded = False
        for number, (game, (left, top, _, _)) in enumerate(zip(games, tiles, strict=True)):
            at = int(_since(number, now) / FRAME_S)
            if at >= WIN_FRAMES or (decoded and game not in self._found):
                continue
            if game not in self._found:
                decoded, self._found[game] = True, self._find(game)
            frames, place = self._found[game]
            if frames:
                x, y = (round((edge + hole) * stage.scale) for edge, hole in zip((left, top), self._hole, strict=True))
                stage.draw(frames[at], (x + place[0]) / stage.scale, (y + place[1]) / stage.scale)

    @staticmethod
    def due(games: int, now: float) -> float:
        """Return when it is drawn next: at the next picture of a moving star, or when the next one begins."""
        soon = (math.floor((now + _ROUNDED_S) / FRAME_S) + 1) * FRAME_S
        since = [_since(number, now) for number in range(games)]
        # The first frame after a star has moved removes its last picture.
        return min(
            (soon if at < _LASTS_S + FRAME_S else now + EVERY_S - at + _ROUNDED_S for at in since), default=float("inf")
        )


def _since(number: int, now: float) -> float:
    """Return the seconds since that tile's star began to move: 0 at its beginning, whatever the rounding of `now`."""
    return (now - number * _APART_S + _ROUNDED_S) % EVERY_S
