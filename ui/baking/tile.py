"""The lobby's picture of a game, composed of its background, its star symbol and its name.

If the star has moving parts, the tile is animated: the area around them is drawn in twelve pictures.
"""

import numpy as np

from ui.baking.pictures import Layer, Picture, over, resize, to_layer, to_picture
from ui.baking.sources import pixels
from ui.picture import TILE_LIFE

SIZE = (284, 204)
_STAR_MIDDLE = (142, 84)
_LOGO_WIDTH = 268
_LOGO_MIDDLE = (142, 172)


class Ground:
    """The still part of a tile: as much of the background as fits unstretched, and the logo in a smaller size."""

    def __init__(self, background: Picture, logo: Picture, scale: float) -> None:
        self._scale = scale
        width, height = (pixels(side, scale) for side in SIZE)
        whole = resize(to_layer(background), round(background.shape[1] * height / background.shape[0]), height)
        left = (whole.shape[1] - width) // 2
        self._below = whole[:, left : left + width].copy()
        across = pixels(_LOGO_WIDTH, scale)
        self._name = resize(to_layer(logo), across, round(logo.shape[0] * across / logo.shape[1]))

    def compose(self, star: Picture | None) -> Picture:
        """Return the tile with the star symbol behind its name."""
        laid = self._below if star is None else _laid(self._below, to_layer(star), _STAR_MIDDLE, self._scale)
        return to_picture(_laid(laid, self._name, _LOGO_MIDDLE, self._scale))

    def alive(self, star: Picture) -> Picture:
        """Return the piece `TILE_LIFE` of the tile with that frame of its star."""
        left, top, width, height = (pixels(side, self._scale) for side in TILE_LIFE)
        return self.compose(star)[top : top + height, left : left + width].copy()


def _laid(below: Layer, above: Layer, middle: tuple[int, int], scale: float) -> Layer:
    """Return `below` with `above` laid over it, its middle at `middle` (units)."""
    left = pixels(middle[0], scale) - above.shape[1] // 2
    top = pixels(middle[1], scale) - above.shape[0] // 2
    layer: Layer = np.zeros_like(below)
    layer[top : top + above.shape[0], left : left + above.shape[1]] = above
    return over(below, layer)
