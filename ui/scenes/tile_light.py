"""The light that runs over the lobby's tiles, one after another, with glints where it passes."""

import math

import pygame

from ui.atlas import clear
from ui.layout import Box
from ui.stage import Stage

FRAME_S = 1 / 20
EVERY_S = 1.5
"""Seconds from the light's start on one tile to its start on the next."""
_CROSSES_S = 0.9
_HOLE: Box = (18, 18, 284, 204)
"""The visible area of a game's picture in its tile."""
_WIDE, _SLANT = 70, 60
_BRIGHTEST = 120
_GLINTS = ((0.22, 0.3, 13), (0.5, 0.62, 17), (0.8, 0.36, 11))
"""The positions and sizes of glints in the picture's area; sizes in units."""
_GLINT_S = 0.3


class TileLight:
    """A slanted band of light as high as a tile, and its glints; `zoom` is the size of the tiles."""

    def __init__(self, zoom: float, scale: float) -> None:
        self._zoom = zoom
        self._band = _band(round(_WIDE * zoom * scale), round(_HOLE[3] * zoom * scale), round(_SLANT * zoom * scale))
        self._glints = [_glint(round(size * zoom * scale)) for _, _, size in _GLINTS]

    def draw(self, stage: Stage, tiles: list[Box], now: float) -> None:
        """Draw the light at `now`; between two tiles it is invisible."""
        since = now % EVERY_S
        if not tiles or since >= _CROSSES_S:
            return
        left, top, _, _ = tiles[int(now / EVERY_S) % len(tiles)]
        width, height = _HOLE[2] * self._zoom, _HOLE[3] * self._zoom
        left, top = left + _HOLE[0] * self._zoom, top + _HOLE[1] * self._zoom
        reach = (_WIDE + _SLANT) * self._zoom
        at = since / _CROSSES_S
        stage.canvas.set_clip(stage.pixels((left, top, width, height)))
        stage.draw(self._band, left - reach + at * (width + reach), top)
        for (across, down, _), glint in zip(_GLINTS, self._glints, strict=True):
            part = (since - across * _CROSSES_S) / _GLINT_S
            if 0 < part < 1:
                glint.set_alpha(round(255 * math.sin(math.pi * part)))
                stage.draw_centred(glint, left + across * width, top + down * height)
        stage.canvas.set_clip(None)

    def due(self, tiles: int, now: float) -> float:
        """Return when it is drawn next."""
        if not tiles:
            return float("inf")
        soon = (math.floor(now / FRAME_S + 1e-6) + 1) * FRAME_S
        since = now % EVERY_S
        # The first frame after a crossing removes the light.
        return soon if since < _CROSSES_S + FRAME_S else now + EVERY_S - since


def _band(width: int, height: int, slant: int) -> pygame.Surface:
    """Return a band slanted to the right, brightest in its middle."""
    band = clear((width + slant, height))
    for x in range(width):
        strength = round(_BRIGHTEST * math.sin(math.pi * (x + 0.5) / width) ** 2)
        pygame.draw.line(band, (255, 250, 224, strength), (x + slant, 0), (x, height - 1), 2)
    return band


def _glint(reach: int) -> pygame.Surface:
    """Return a star of four long rays, each `reach` pixels long."""
    glint, waist = clear((2 * reach + 1, 2 * reach + 1)), max(1, reach // 7)
    tips = [(reach, 0), (2 * reach, reach), (reach, 2 * reach), (0, reach)]
    waists = [(reach + x * waist, reach + y * waist) for x, y in ((1, -1), (1, 1), (-1, 1), (-1, -1))]
    outline = [point for pair in zip(tips, waists, strict=True) for point in pair]
    pygame.draw.polygon(glint, (255, 255, 246, 255), outline)
    return glint
