"""What lives beside the reels while a game waits: bubbles, snow, sparks, by time alone and in lanes of their own."""

import math
import random

import pygame

from ui.atlas import World
from ui.layout import Layout
from ui.stage import Stage
from ui.theme import Theme

FRAME_S = 1 / 20
"""How often it is drawn where nothing else moves."""


class Life:
    """The drifts of one world: beside the reels, and on a portrait monitor above and below them."""

    def __init__(self, layout: Layout, theme: Theme) -> None:
        portrait = layout.shape == "portrait"
        drifts = theme.portrait_life if portrait else theme.life
        chance = random.Random(len(drifts))  # noqa: S311  decoration, not a draw of the game
        self._lanes = [
            (
                drift.lane if portrait else layout.moved(drift.lane),
                drift.speed,
                [
                    (
                        chance.random(),
                        chance.random(),
                        chance.uniform(0.6, 1.3),
                        chance.uniform(0, 2 * math.pi),
                        chance.choice(drift.sprites),
                    )
                    for _ in range(drift.swarm)
                ],
            )
            for drift in drifts
        ]

    def __bool__(self) -> bool:
        return bool(self._lanes)

    def draw(self, stage: Stage, world: World, now: float) -> None:
        """Draw everything at `now`; nothing reaches out of its lane, where it would hide a figure or a button."""
        for (left, top, width, height), speed, flakes in self._lanes:
            sprites: list[tuple[pygame.Surface, float, float]] = []
            for across, down, pace, phase, name in flakes:
                sprite = world.sprite(name)
                room = height + 2 * sprite.get_height() / stage.scale
                fallen = (down * room + speed * pace * now) % room - sprite.get_height() / stage.scale
                swung = 0.5 + (across - 0.5) * 0.8 + 0.1 * math.sin(phase + 0.9 * pace * now)
                sprites.append((sprite, left + swung * width, top + fallen))
            stage.canvas.set_clip(stage.pixels((left, top, width, height)))
            stage.draw_all_centred(sprites)
            stage.canvas.set_clip(None)

    @staticmethod
    def due(now: float) -> float:
        """Return when it is drawn next."""
        return (math.floor(now / FRAME_S + 1e-6) + 1) * FRAME_S
