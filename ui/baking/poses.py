"""The poses of a symbol with moving parts: each leaf is drawn once and placed in every pose."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ui.baking.moves import FRAMES, MARGIN_UNITS, Move, Points, beat, read_moves
from ui.baking.parts import KINDS, Part, leaves, motions
from ui.baking.pictures import Layer, Picture, halo, over, to_layer, to_picture
from ui.baking.sources import Source, pixels, view_box

_WHOLE = {
    "win": "scale 1.06 at {x} {y} beat",
    "land": "scale 1.12 at {x} {y} keys 0:0 2:1 5:-.35 8:.15 10:0",
    "wait": "scale 1.03 at {x} {y} beat",
}
"""The default movement of the whole symbol in each animation; the root of a loop stays still."""
_HALO: dict[str, Callable[[float], float]] = {
    "win": lambda at: 0.25 + 0.75 * beat(at),
    "land": lambda at: 0.9 * (1 - at) ** 2,
    "wait": lambda at: 0.15 + 0.4 * beat(at),
}
_BRIGHTER = 0.12
_CELL = 12
"""The side length, in pixels, of the pieces in which a bent part is drawn."""
_REACH = 3
"""How many pixels around a moved leaf are also drawn, for the filter that reads neighbours."""
_Origins = Callable[[NDArray[np.float64]], NDArray[np.float64]]
Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels."""


@dataclass(frozen=True)
class _Grid:
    """Converts between the source's own units and a pose's pixels."""

    size: tuple[int, int]
    left: float
    top: float
    across: float
    down: float

    def points(self, places: NDArray[np.float64]) -> Points:
        """Return pixels, shape (n, 2), in the source's units."""
        return np.asarray(places, np.float64) / (self.across, self.down) + (self.left, self.top)

    def places(self, points: Points) -> NDArray[np.float64]:
        """Return the source's units, shape (n, 2), in pixels."""
        return (points - (self.left, self.top)) * (self.across, self.down)


class _Drawn:
    """A picture with what it moves with, cropped to its visible part."""

    def __init__(self, picture: Picture, chain: tuple[Part, ...]) -> None:
        self.chain = chain
        rows, columns = (np.flatnonzero(picture[..., 3].any(axis=axis)) for axis in (1, 0))
        self.box: Box = (int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1)
        left, top, right, bottom = self.box
        self.layer = to_layer(picture[top:bottom, left:right])

    @cached_property
    def image(self) -> Image.Image:
        """The crop as premultiplied bytes."""
        raw = np.rint(np.clip(self.layer, 0, 255)).astype(np.uint8)
        return Image.frombytes("RGBa", (raw.shape[1], raw.shape[0]), raw.tobytes())

    def moves(self, kind: str) -> list[Move]:
        """Return all moves that apply to it, in order: a part's own moves before those of what contains it."""
        return [move for part in reversed(self.chain) for move in part.moves.get(kind, ()) if move.verb != "show"]

    def placed(self, grid: _Grid, kind: str, at: float) -> tuple[Layer, Box]:
        """Return the picture in that pose and its position; the box is empty if it is out of sight."""
        moves = [move for move in self.moves(kind) if abs(move.timing.amount(at)) > 1e-6]  # noqa: PLR2004  none
        if not moves:
            return self.layer, self.box
        box = self._reached(grid, moves, at)
        width, height = box[2] - box[0], box[3] - box[1]
        if width <= 0 or height <= 0:
            return np.zeros((0, 0, 4), np.float32), (0, 0, 0, 0)

        def origins(places: NDArray[np.float64]) -> NDArray[np.float64]:
            """Return which pixels of the crop appear at pixels of the box."""
            points = grid.points(places + np.asarray(box[:2]))
            for move in reversed(moves):
                points = move.moved(points, at, back=True)
            return grid.places(points) - (self.box[0], self.box[1])

        # One clear pixel around it, so that an edge of the crop stays soft.
        framed = Image.new("RGBa", (self.image.width + 2, self.image.height + 2))
        framed.paste(self.image, (1, 1))
        size, filtered = (width, height), Image.Resampling.BICUBIC
        if all(move.is_straight for move in moves):
            image = framed.transform(size, Image.Transform.AFFINE, _affine(origins), filtered)
        else:
            image = framed.transform(size, Image.Transform.MESH, _mesh(origins, *size), filtered)
        layer = np.frombuffer(image.tobytes(), np.uint8).reshape(height, width, 4).astype(np.float32)
        return layer, box

    def _reached(self, grid: _Grid, moves: list[Move], at: float) -> Box:
        """Return the pixels of the pose that it covers."""
        left, top, right, bottom = self.box
        places = [(x, y) for x in np.linspace(left, right, 7) for y in np.linspace(top, bottom, 7)]
        points = grid.points(np.asarray(places))
        for move in moves:
            points = move.moved(points, at)
        reached = grid.places(points)
        low, high = np.floor(reached.min(axis=0)) - _REACH, np.ceil(reached.max(axis=0)) + _REACH
        return (
            max(0, int(low[0])),
            max(0, int(low[1])),
            min(grid.size[0], int(high[0])),
            min(grid.size[1], int(high[1])),
        )


def _affine(origins: _Origins) -> tuple[float, ...]:
    """Return the six figures of an affine mapping, shifted by one pixel for the clear edge."""
    origin, right, down = origins(np.array([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]))
    (a, d), (b, e) = right - origin, down - origin
    return (a, b, origin[0] + 1, d, e, origin[1] + 1)


def _mesh(origins: _Origins, width: int, height: int) -> list[tuple[Box, tuple[float, ...]]]:
    """Return small boxes and the four corners of each in the picture, shifted by one pixel for the clear edge."""
    columns, rows = ([*range(0, side, _CELL), side] for side in (width, height))
    corners = origins(np.array([(x, y) for y in rows for x in columns], np.float64)) + 1
    known = corners.reshape(len(rows), len(columns), 2)
    four = np.concatenate([known[:-1, :-1], known[1:, :-1], known[1:, 1:], known[:-1, 1:]], axis=2).tolist()
    return [
        ((left, top, right, bottom), tuple(four[row][column]))
        for row, (top, bottom) in enumerate(pairwise(rows))
        for column, (left, right) in enumerate(pairwise(columns))
    ]


def frames(source: Source, glow: Picture | None, scale: float) -> dict[str, list[Picture]]:
    """Return the frames of each animation that a symbol with parts declares, and of its win.

    `glow` is the symbol's own light (`<symbol>_glow.svg`), added as it swells in its win. Each frame is larger than the
    symbol by `MARGIN_UNITS` on every side. Raises `ArtError` with the file and the part.
    """
    stage = Stage(source, scale)
    light = None if glow is None else to_layer(glow)
    return {kind: stage.frames(kind, light) for kind in dict.fromkeys(["win", *motions(source)])}


def loop(source: Source, scale: float, kind: str = "wait") -> list[Picture]:
    """Return the frames of an animation as large as `source`, without halo; raise `ArtError` as `frames` does."""
    stage, margin = Stage(source, scale), pixels(MARGIN_UNITS, scale)
    poses = (stage.pose(kind, number / FRAMES) for number in range(FRAMES))
    return [to_picture(pose[margin:-margin, margin:-margin]) for pose in poses]


class Stage:
    """The leaves of one symbol, composed in any pose."""

    def __init__(self, source: Source, scale: float) -> None:
        self._scale = scale
        self._margin = margin = pixels(MARGIN_UNITS, scale)
        sheet = leaves(source, scale, margin)
        left, top, width, height = view_box(source)
        across, down = pixels(source.width, scale), pixels(source.height, scale)
        kx, ky = across / width, down / height
        self._grid = _Grid((across + 2 * margin, down + 2 * margin), left - margin / kx, top - margin / ky, kx, ky)
        self._leaves = [(_Drawn(leaf.picture, leaf.chain), [_Drawn(*clip) for clip in leaf.clips]) for leaf in sheet]
        middle = {"x": left + width / 2, "y": top + height / 2}
        declared = sheet[0].chain[0].moves
        whole = _WHOLE if source.kind == "symbol" else {}
        self._root = Part(
            source.name,
            {kind: declared.get(kind) or read_moves(whole.get(kind, "").format(**middle)) for kind in KINDS},
        )
        for drawn in (each for leaf, clips in self._leaves for each in (leaf, *clips)):
            drawn.chain = (self._root, *drawn.chain[1:])

    def pose(self, kind: str, at: float) -> Layer:
        """Return the symbol at time `at` of an animation's loop, 0 to 1; at rest if `kind` is empty."""
        width, height = self._grid.size
        pose: Layer = np.zeros((height, width, 4), np.float32)
        for leaf, clips in self._leaves:
            opacity = math.prod(part.opacity(kind, at) for part in leaf.chain)
            if opacity == 0:
                continue
            layer, (left, top, right, bottom) = leaf.placed(self._grid, kind, at)
            if opacity < 1:
                layer = layer * np.float32(opacity)
            for clip in clips:
                layer = layer * self._seen(clip, kind, at)[top:bottom, left:right, None]
            below = pose[top:bottom, left:right]
            if any(part.is_light for part in leaf.chain):
                below[:] = np.minimum(below + layer, 255)
                below[..., 3] = np.maximum(below[..., 3], below[..., :3].max(axis=2))
            else:
                below[:] = over(below, layer)
        return pose

    def _seen(self, clip: _Drawn, kind: str, at: float) -> NDArray[np.float32]:
        """Return how much of each pixel of the pose a clip leaves visible, 0 to 1."""
        width, height = self._grid.size
        seen = np.zeros((height, width), np.float32)
        layer, (left, top, right, bottom) = clip.placed(self._grid, kind, at)
        seen[top:bottom, left:right] = layer[..., 3] / 255
        return seen

    def frames(self, kind: str, light: Layer | None) -> list[Picture]:
        """Return the frames of an animation, with the halo around the symbol and its own light."""
        frames, inner = [], slice(self._margin, -self._margin)
        for number in range(FRAMES):
            at = number / FRAMES
            pose = self.pose(kind, at)
            if kind == "win":
                pose[..., :3] *= np.float32(1 + _BRIGHTER * beat(at))
                if light is not None:
                    pose[inner, inner, :3] += light[..., :3] * np.float32(beat(at))
                pose[..., :3] = np.minimum(pose[..., :3], pose[..., 3:])
            frames.append(to_picture(over(halo(pose[..., 3], self._scale) * np.float32(_HALO[kind](at)), pose)))
        return frames
