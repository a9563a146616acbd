"""Snow that falls, and sparks that fly off an orb as it changes: pure functions of time."""

import math
import random

from ui.atlas import World
from ui.layout import Layout
from ui.stage import Stage

BURST_S = 0.7
_SPARKS = 12
_REACH = 105.0
_FROM = 0.3
"""Which part of their way sparks begin at: off the orb's middle, where all of them would lie on one another."""
_FLAKES = 14
_SIDES = ((112, 182), (1098, 1138))
_SNOW_TOP = 112
_SNOW_HEIGHT = 430
_SIZES = ("snowflake_small", "snowflake_small", "snowflake")


class Burst:
    """Sparks and flakes that fly outwards and fall; the same every time."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)  # noqa: S311  decoration, not a draw of the game
        self._sparks = [
            (
                2 * math.pi * (number + chance.uniform(-0.3, 0.3)) / _SPARKS,
                chance.uniform(0.55, 1.0) * _REACH,
                chance.uniform(0.6, 1.0) * BURST_S,
                chance.choice(("spark", "spark", "snowflake_small")),
            )
            for number in range(_SPARKS)
        ]

    def draw(self, stage: Stage, world: World, x: float, y: float, elapsed: float) -> None:
        """Draw the burst around (x, y), `elapsed` seconds after it began."""
        if elapsed < 0:
            return
        for angle, reach, lasts, sprite in self._sparks:
            if elapsed >= lasts:
                continue
            flown = reach * (1 - (1 - _FROM) * (1 - elapsed / lasts) ** 2)
            fall = 90 * elapsed * elapsed
            stage.draw_centred(world.sprite(sprite), x + flown * math.cos(angle), y + flown * math.sin(angle) + fall)


class Snowfall:
    """Flakes that drift down on both sides of the frame, where they hide no figure and no button."""

    def __init__(self, layout: Layout, seed: int) -> None:
        chance = random.Random(seed)  # noqa: S311  decoration, not a draw of the game
        self._top, self._height = layout.at(0, _SNOW_TOP)[1], _SNOW_HEIGHT
        self._flakes = [
            (
                layout.at(chance.uniform(*_SIDES[number % len(_SIDES)]), 0)[0],
                chance.uniform(0, self._height),
                chance.uniform(28, 64),
                chance.uniform(4, 10),
                chance.uniform(0, 2 * math.pi),
                chance.choice(_SIZES),
            )
            for number in range(_FLAKES)
        ]

    def draw(self, stage: Stage, world: World, now: float) -> None:
        """Draw the flakes at `now`."""
        for x, y, speed, sway, phase, sprite in self._flakes:
            height = self._top + (y + speed * now) % self._height
            stage.draw_centred(world.sprite(sprite), x + sway * math.sin(phase + now * 0.7), height)
