"""Decorative motion beside the reels of a game: bubbles, snow, sparks, and creatures and lights of its world.

Everything depends only on time and stays in its own lane.
"""

import math
import random
from collections.abc import Sequence

import pygame

from ui.atlas import World
from ui.layout import Box, Layout
from ui.picture import Drift, Dweller
from ui.scenes.wins import WIN_FRAMES
from ui.stage import Stage
from ui.theme import Theme

FRAME_S = 1 / 20
"""The interval, in seconds, at which it is drawn if nothing else moves."""
_Placed = tuple[pygame.Surface, float, float]
"""A sprite and its middle in canvas units."""


class _Swarm:
    """A drift: many sprites that move up or down through their lane."""

    def __init__(self, drift: Drift, lane: Box, chance: random.Random) -> None:
        self.lane = lane
        self._speed = drift.speed
        self._flakes = [
            (
                chance.random(),
                chance.random(),
                chance.uniform(0.6, 1.3),
                chance.uniform(0, 2 * math.pi),
                chance.choice(drift.sprites),
            )
            for _ in range(drift.swarm)
        ]

    def sprites(self, stage: Stage, world: World, now: float) -> list[_Placed]:
        """Return the sprites at `now`."""
        left, top, width, height = self.lane
        placed: list[_Placed] = []
        for across, down, pace, phase, name in self._flakes:
            sprite = world.sprite(name)
            room = height + 2 * sprite.get_height() / stage.scale
            fallen = (down * room + self._speed * pace * now) % room - sprite.get_height() / stage.scale
            swung = 0.5 + (across - 0.5) * 0.8 + 0.1 * math.sin(phase + 0.9 * pace * now)
            placed.append((sprite, left + swung * width, top + fallen))
        return placed


class _Lone:
    """A dweller: one loop of pictures that crosses its lane or stays in its middle, then disappears for a while."""

    def __init__(self, dweller: Dweller, lane: Box, chance: random.Random) -> None:
        self.lane = lane
        self._dweller = dweller
        self._begin = chance.uniform(0, 60)
        self._depth = chance.uniform(0.4, 0.6)

    def sprites(self, stage: Stage, world: World, now: float) -> list[_Placed]:
        """Return the picture of the loop at `now`, if it is visible."""
        dweller, (left, top, width, height) = self._dweller, self.lane
        wide = world.sprite(f"{dweller.loop}_00").get_width() / stage.scale
        lasts = (width + wide) / abs(dweller.speed) if dweller.speed else dweller.loop_s
        since = (now + self._begin) % (lasts + dweller.rests_s)
        if since >= lasts:
            return []
        at = 0.5
        if dweller.speed:
            at = since / lasts if dweller.speed > 0 else 1 - since / lasts
        picture = world.sprite(f"{dweller.loop}_{int(since / dweller.loop_s * WIN_FRAMES) % WIN_FRAMES:02d}")
        return [(picture, left - wide / 2 + at * (width + wide), top + height * self._depth)]


def living(theme: Theme, layout: Layout) -> Sequence[Drift | Dweller]:
    """Return a world's decorative motion on that monitor: beside the reels, or above and below them in portrait."""
    return theme.portrait_life if layout.shape == "portrait" else theme.life


class Life:
    """The decorative motion of one world."""

    def __init__(self, layout: Layout, living: Sequence[Drift | Dweller]) -> None:
        portrait = layout.shape == "portrait"
        chance = random.Random(len(living))  # noqa: S311  decoration, not a draw of the game
        self._shown: list[_Swarm | _Lone] = []
        for each in living:
            lane = each.lane if portrait else layout.moved(each.lane)
            self._shown.append(_Swarm(each, lane, chance) if isinstance(each, Drift) else _Lone(each, lane, chance))

    def __bool__(self) -> bool:
        return bool(self._shown)

    def draw(self, stage: Stage, world: World, now: float) -> None:
        """Draw everything at `now`; nothing leaves its lane, where it would hide a figure or a button."""
        for each in self._shown:
            sprites = each.sprites(stage, world, now)
            if sprites:
                stage.canvas.set_clip(stage.pixels(each.lane))
                stage.draw_all_centred(sprites)
                stage.canvas.set_clip(None)

    @staticmethod
    def due(now: float) -> float:
        """Return when it is drawn next."""
        return (math.floor(now / FRAME_S + 1e-6) + 1) * FRAME_S
