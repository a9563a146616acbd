"""Pictures of moving symbols and coins: the blurred copy, the win animation, the turn."""

import math

import numpy as np

from ui.baking.moves import FRAMES, MARGIN_UNITS, beat
from ui.baking.pictures import Layer, Picture, halo, over, resize, to_layer, to_picture
from ui.baking.sources import Source, pixels, rasterise

BLUR_UNITS = 46
COIN_FRAMES = 8
_GROWTH = 0.07
_SHINE_COLOUR = np.array([255, 252, 232], np.float32)


def _box(layer: Layer, length: int, axis: int) -> Layer:
    """Return the mean of `layer` over `length` pixels along `axis`; outside the edges it is empty."""
    half = length // 2
    pads = [(0, 0)] * layer.ndim
    pads[axis] = (half + 1, length - half - 1)
    sums = np.cumsum(np.pad(layer, pads), axis=axis, dtype=np.float64)
    size = layer.shape[axis]
    high = np.take(sums, range(length, length + size), axis=axis)
    low = np.take(sums, range(size), axis=axis)
    mean: Layer = ((high - low) / length).astype(np.float32)
    return mean


def blurred(picture: Picture, scale: float) -> Picture:
    """Return `picture` blurred as on a spinning reel: smeared along the strip and fading into its neighbours."""
    length = pixels(BLUR_UNITS, scale)
    return to_picture(_box(_box(to_layer(picture), length, 0), length // 2, 0))


def _shine(shape: tuple[int, int], at: float, scale: float) -> Layer:
    """Return the intensity, 0 to 1, of a slanted band of light; `at` runs from 0 (before) to 1 (past)."""
    height, width = shape
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float32)
    span = width + height * 0.5
    distance = columns + rows * 0.5 - np.float32(at * (span + 80 * scale) - 40 * scale)
    strength: Layer = np.exp(-((distance / np.float32(16 * scale)) ** 2)).astype(np.float32)
    return strength


def win_frames(picture: Picture, glow: Picture | None, scale: float) -> list[Picture]:
    """Return the `FRAMES` of a symbol's win: it swells, its halo lights, a shine runs over it.

    `glow` is the symbol's own light (`<symbol>_glow.svg`), added as it swells. Each frame is larger than
    the symbol by `MARGIN_UNITS` on every side, and the last leads into the first.
    """
    margin = pixels(MARGIN_UNITS, scale)
    height, width = picture.shape[0] + 2 * margin, picture.shape[1] + 2 * margin
    ground: Layer = np.zeros((height, width, 4), np.float32)
    ground[margin:-margin, margin:-margin] = to_layer(picture)
    light = np.zeros_like(ground)
    if glow is not None:
        light[margin:-margin, margin:-margin] = to_layer(glow)
    frames = []
    for number in range(FRAMES):
        swell = beat(number / FRAMES)
        grown = _grown(ground, 1 + _GROWTH * swell)
        alpha = grown[..., 3]
        lit = grown.copy()
        lit[..., :3] *= np.float32(1 + 0.16 * swell)
        band = _shine((height, width), number / FRAMES * 1.25, scale) * (alpha / 255) * np.float32(0.55)
        lit[..., :3] += band[..., None] * _SHINE_COLOUR
        lit[..., :3] = np.minimum(lit[..., :3] + _grown(light, 1 + _GROWTH * swell)[..., :3] * swell, alpha[..., None])
        around = halo(alpha, scale) * np.float32(0.25 + 0.75 * swell)
        frames.append(to_picture(over(around, lit)))
    return frames


def _grown(layer: Layer, factor: float) -> Layer:
    """Return `layer` enlarged by `factor` about its centre and cut to its own size."""
    height, width = layer.shape[:2]
    top, left = round(height * (factor - 1) / 2), round(width * (factor - 1) / 2)
    if top == left == 0:
        return layer
    return resize(layer, width + 2 * left, height + 2 * top)[top : top + height, left : left + width]


def coin_frames(source: Source, scale: float) -> list[Picture]:
    """Return the `COIN_FRAMES` of half a turn; both sides of a coin look the same, so it loops.

    The source has the face in `<g id="face">` and its rim in `<g id="rim">`, both around the centre. The face narrows
    with the angle, and the rim's thickness appears on the side that turns away.
    """
    frames = []
    middle = source.width / 2
    for number in range(COIN_FRAMES):
        angle = math.pi * number / COIN_FRAMES
        narrow = max(abs(math.cos(angle)), 0.06)
        away = math.copysign(math.sin(angle) * 3.2, math.cos(angle))
        face = f"translate({middle - away / 2:.3f} {middle}) scale({narrow:.4f} 1) translate({-middle} {-middle})"
        rim = f"translate({middle + away / 2:.3f} {middle}) scale({narrow:.4f} 1) translate({-middle} {-middle})"
        svg = source.svg.replace('id="face"', f'id="face" transform="{face}"')
        svg = svg.replace('id="rim"', f'id="rim" transform="{rim}"')
        frames.append(rasterise(source, scale, svg=svg))
    return frames
