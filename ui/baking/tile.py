"""The lobby's picture of a game, put together from its background, its star symbol and its name."""

import numpy as np

from ui.baking.pictures import Layer, Picture, over, resize, to_layer, to_picture
from ui.baking.sources import pixels

SIZE = (284, 204)
_STAR_MIDDLE = (142, 84)
_LOGO_WIDTH = 268
_LOGO_MIDDLE = (142, 172)


def compose(background: Picture, star: Picture | None, logo: Picture, scale: float) -> Picture:
    """Return the tile: as much of the background as fits unstretched, the star symbol, the logo set smaller."""
    width, height = (pixels(side, scale) for side in SIZE)
    whole = resize(to_layer(background), round(background.shape[1] * height / background.shape[0]), height)
    left = (whole.shape[1] - width) // 2
    tile = whole[:, left : left + width].copy()
    if star is not None:
        tile = _laid(tile, to_layer(star), _STAR_MIDDLE, scale)
    across = pixels(_LOGO_WIDTH, scale)
    small = resize(to_layer(logo), across, round(logo.shape[0] * across / logo.shape[1]))
    return to_picture(_laid(tile, small, _LOGO_MIDDLE, scale))


def _laid(below: Layer, above: Layer, middle: tuple[int, int], scale: float) -> Layer:
    """Return `below` with `above` laid over it, its middle at `middle` (units)."""
    left = pixels(middle[0], scale) - above.shape[1] // 2
    top = pixels(middle[1], scale) - above.shape[0] // 2
    layer: Layer = np.zeros_like(below)
    layer[top : top + above.shape[0], left : left + above.shape[1]] = above
    return over(below, layer)
