"""A wipe between two scenes of a game in its world's style: the former picture disappears along a wavy edge."""

import math
import random

import pygame

from ui.atlas import World
from ui.canvas import Still
from ui.director import Director
from ui.draw_context import DrawContext
from ui.layout import Box
from ui.page_layout import Point
from ui.performance import Performance
from ui.picture import WipeLook
from ui.stage import Stage

LASTS_S = 0.7
_STRIPS = 18
_WAVE = 34.0
"""The amplitude of the edge, in canvas units."""
_BEYOND = 90.0
"""How far outside the picture the edge begins and ends, so that its sprites enter from there."""
_WAYS = {"apart": ("left", "right"), "together": ("from left", "from right")}
"""The directions with two edges, each over half of the picture."""


class Wipe:
    """A wipe from the former picture to the stage's picture.

    `old` is what the canvas showed above the HUD, `began` is when the wipe begins, and `look` is its style.
    """

    def __init__(self, old: Still, scale: float, look: WipeLook, world: World, began: float) -> None:
        self.began = began
        self._old = old
        self._size = (old.box.width / scale, old.box.height / scale)
        self._look = look
        self._ways = _WAYS.get(look.towards, (look.towards,))
        self._sprites = [world.sprite(name) for name in look.sprites if name in world]
        chance = random.Random(look.towards)  # noqa: S311  decoration, not a draw of the game
        self._swarm = [(chance.random(), chance.uniform(-46, 60)) for _ in range(look.swarm)]

    def ended(self, now: float) -> bool:
        """Whether the former picture has disappeared completely."""
        return not 0 <= now - self.began < LASTS_S

    def draw(self, stage: Stage, now: float) -> None:
        """Draw the rest of the former picture over the stage, and the sprites along its edge."""
        part = (1 - math.cos(math.pi * (now - self.began) / LASTS_S)) / 2
        across, along = self._size if self._look.towards in ("left", "right", *_WAYS) else self._size[::-1]
        edge = part * (across / len(self._ways) + 2 * _BEYOND) - _BEYOND
        swarm: list[tuple[pygame.Surface, float, float]] = []
        for way in self._ways:
            for strip in range(_STRIPS):
                at = edge + _WAVE * math.sin(1.1 * strip + 3 * part)
                box = self._left_over(way, strip * along / _STRIPS, along / _STRIPS, at)
                pixels = stage.pixels(box).clip(self._old.box)
                if pixels.width and pixels.height:
                    self._old.lay(pixels)
                    stage.touched(box)
            for number, (where, behind) in enumerate(self._swarm):
                sprite = self._sprites[number % len(self._sprites)] if self._sprites else None
                if sprite is not None:
                    swarm.append((sprite, *self._place(way, where * along, edge - behind)))
        stage.canvas.set_clip(self._old.box)
        stage.draw_all_centred(swarm)
        stage.canvas.set_clip(None)

    def _left_over(self, way: str, along: float, wide: float, edge: float) -> Box:
        """Return the rest of the former picture in one strip whose edge has moved by `edge`."""
        width, height = self._size
        edge = max(0.0, edge)
        match way:
            case "up":
                return (along, 0, wide, max(0.0, height - edge))
            case "down":
                return (along, edge, wide, max(0.0, height - edge))
            case "from left" | "from right":
                half = width / 2
                return (edge if way == "from left" else half, along, max(0.0, half - edge), wide)
            case "right":
                return (self._middle(way) + edge, along, max(0.0, width - self._middle(way) - edge), wide)
            case _:
                return (0, along, max(0.0, self._middle(way) - edge), wide)

    def _place(self, way: str, along: float, edge: float) -> Point:
        """Return the position of something on the edge."""
        match way:
            case "up":
                return along, self._size[1] - edge
            case "down":
                return along, edge
            case "from left" | "from right":
                return edge if way == "from left" else self._size[0] - edge, along
            case _:
                return self._middle(way) + (edge if way == "right" else -edge), along

    def _middle(self, way: str) -> float:
        """Return the starting position of an edge that moves sideways."""
        if len(self._ways) > 1:
            return self._size[0] / 2
        return 0.0 if way == "right" else self._size[0]


class Wipes:
    """Begins a wipe when another scene of the same game is shown; the player's next press ends it.

    It needs the previous picture, so a display that has just started draws the current state at once.
    """

    def __init__(self, context: DrawContext) -> None:
        self._context = context
        self._shown: tuple[str, str, str] | None = None
        self._old: Still | None = None
        self._wipe: Wipe | None = None
        self._performance: Performance | None = None

    def follow(self, stage: Stage, director: Director, *, calm: bool, whole: bool) -> None:
        """Check before a frame whether another scene is about to be drawn; `calm` if it is not a game's scene.

        `whole` is whether the stage shows a complete picture.
        """
        shown = None if calm else director.scene_key
        answered = director.performance is not self._performance and director.performance is not None
        if calm or (self._wipe is not None and (answered or director.hurried_at >= self._wipe.began)):
            self.skip()
        before, self._shown, self._performance = self._shown, shown, director.performance
        if before is not None and shown is not None and before[0] == shown[0] and before != shown and whole:
            self._old, self._wipe = self._above_hud(stage), None

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the wipe over the new scene, from its first complete picture on."""
        if self._old is not None and director.theme is not None:
            world = self._context.world(director.theme)
            self._wipe = Wipe(self._old, stage.scale, director.theme.wipe, world, now)
            self._old = None
        if self._wipe is not None:
            if self._wipe.ended(now):
                self._wipe = None
            else:
                self._wipe.draw(stage, now)

    def _above_hud(self, stage: Stage) -> Still:
        """Return the part of the canvas to wipe; the HUD is left out, since its figures must always be current."""
        layout = self._context.layout
        return stage.still((0, 0, layout.canvas[0], layout.hud.box[1]))

    def running(self, now: float) -> bool:
        """Whether a wipe is in progress at `now` or about to begin."""
        return self._old is not None or (self._wipe is not None and not self._wipe.ended(now))

    def skip(self) -> None:
        """End the wipe: the next frame shows only the new scene."""
        self._old = self._wipe = None
