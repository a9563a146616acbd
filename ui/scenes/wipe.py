"""A wipe between two scenes of a game, in the manner of its world: the former picture gives way along a wavy edge."""

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
"""How far the edge swings, in canvas units."""
_BEYOND = 90.0
"""How far outside the picture the edge begins and ends, so that its sprites come from there."""
_WAYS = {"apart": ("left", "right"), "together": ("from left", "from right")}
"""The ways of two edges at once, each over half of the picture."""


class Wipe:
    """From `old`, what the canvas showed above the HUD, to what the stage shows, begun at `began`; `look` says how."""

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
        """Whether nothing of the former picture is left."""
        return not 0 <= now - self.began < LASTS_S

    def draw(self, stage: Stage, now: float) -> None:
        """Draw what is left of the former picture over the stage, and the sprites along its edge."""
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
        """Return what one strip still has of the former picture, whose edge has come `edge` far."""
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
        """Return where something on the edge lies."""
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
        """Return from where an edge that runs to the side comes."""
        if len(self._ways) > 1:
            return self._size[0] / 2
        return 0.0 if way == "right" else self._size[0]


class Wipes:
    """Begins a wipe when another scene of the same game is shown; the player's next press ends it.

    It needs the picture before: a display that has just begun draws the present state at once.
    """

    def __init__(self, context: DrawContext) -> None:
        self._context = context
        self._shown: tuple[str, str, str] | None = None
        self._old: Still | None = None
        self._wipe: Wipe | None = None
        self._performance: Performance | None = None

    def follow(self, stage: Stage, director: Director, *, calm: bool, whole: bool) -> None:
        """Look before a frame whether another scene is about to be drawn; `calm` for what is no scene of a game.

        `whole` is whether the stage shows a picture that was finished.
        """
        shown = None if calm else director.setting
        answered = director.performance is not self._performance and director.performance is not None
        if calm or (self._wipe is not None and (answered or director.hurried_at >= self._wipe.began)):
            self.skip()
        before, self._shown, self._performance = self._shown, shown, director.performance
        if before is not None and shown is not None and before[0] == shown[0] and before != shown and whole:
            self._old, self._wipe = self._above_hud(stage), None

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the wipe over the new scene, from the first whole picture of that on."""
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
        """Return the part of the canvas that is wiped: what is owned and won is true at any moment."""
        layout = self._context.layout
        return stage.still((0, 0, layout.canvas[0], layout.hud[1]))

    def running(self, now: float) -> bool:
        """Whether a wipe is under way at `now`, or has yet to begin."""
        return self._old is not None or (self._wipe is not None and not self._wipe.ended(now))

    def skip(self) -> None:
        """End it: the next frame shows the new scene alone."""
        self._old = self._wipe = None
