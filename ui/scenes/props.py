"""What every scene draws with: the worlds' sprites, the lettering, the player's money."""

import random
from pathlib import Path
from typing import Protocol

import pygame

from ui.atlas import World, blank, clear
from ui.director import Director
from ui.layout import CANVAS, Box
from ui.lettering import Lettering
from ui.stage import Stage
from ui.worlds.look import Look

Control = tuple[str, Box]
"""A touch control's name and place."""


class Scenery(Protocol):
    """One kind of screen."""

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the whole screen as it stands at `now`."""

    def due(self, director: Director, now: float) -> float:
        """Return when the picture next changes by itself: `now` while it moves, infinity when it stands."""

    def controls(self, director: Director) -> list[Control]:
        """Return where its touch controls are, live or dead."""


class Props:
    """Loaded once, shared by all scenes."""

    def __init__(self, baked: Path, scale: float) -> None:
        self.scale = scale
        self._baked = baked
        self.shared = World(baked, "ui", scale)
        self.shared.fetch("button_spin", "hud_panel")
        self.letters = Lettering(baked, self.shared, scale)
        self._worlds: dict[str, World] = {}
        self.pressed = ""
        self.pressed_until = 0.0

    def world(self, look: Look) -> World:
        """Return the sprites of a game's world."""
        if look.world not in self._worlds:
            self._worlds[look.world] = World(self._baked, look.world, self.scale)
        return self._worlds[look.world]

    def worlds(self) -> list[World]:
        """Return all worlds in use."""
        return [self.shared, *self._worlds.values()]

    def plate(self, sprite: pygame.Surface | None = None) -> pygame.Surface:
        """Return a new opaque surface of the canvas's size, showing `sprite` (or black)."""
        plate = blank((round(CANVAS[0] * self.scale), round(CANVAS[1] * self.scale)))
        if sprite is not None:
            plate.blit(sprite, (0, 0))
        return plate

    def dim(self, plate: pygame.Surface, level: int = 84) -> pygame.Surface:
        """Darken `plate` to `level` of 255, a little blue, and return it."""
        plate.fill((level, level, min(255, level + 14)), special_flags=pygame.BLEND_RGB_MULT)
        return plate


def pill(size: tuple[float, float], scale: float) -> pygame.Surface:
    """Return a dark translucent plate with round ends that keeps words readable on any ground."""
    pixels = (round(size[0] * scale), round(size[1] * scale))
    surface = clear(pixels)
    radius = min(pixels[1] // 2, round(26 * scale))
    pygame.draw.rect(surface, (6, 24, 44, 205), surface.get_rect(), border_radius=radius)
    edge = max(1, round(1.5 * scale))
    pygame.draw.rect(surface, (236, 200, 110, 190), surface.get_rect(), width=edge, border_radius=radius)
    return surface


def put(plate: pygame.Surface, sprite: pygame.Surface, scale: float, x: float, y: float) -> None:
    """Blit `sprite` on a plate with its upper left corner at (x, y) canvas units."""
    plate.blit(sprite, (round(x * scale), round(y * scale)))


def put_centred(plate: pygame.Surface, sprite: pygame.Surface, scale: float, x: float, y: float) -> None:
    """Blit `sprite` on a plate with its centre at (x, y) canvas units."""
    width, height = sprite.get_size()
    plate.blit(sprite, (round(x * scale) - width // 2, round(y * scale) - height // 2))


class Fountain:
    """Coins thrown up from below, as a pure function of time: the same seed always throws the same coins."""

    GRAVITY = 900.0
    FLIGHT_S = 2.2
    FRAMES = 8

    def __init__(self, coins: int, seed: int) -> None:
        chance = random.Random(seed)  # noqa: S311  decoration, not a draw of the game
        self._coins = [
            (
                chance.uniform(380, 900),
                chance.uniform(-330, 330),
                chance.uniform(-1050, -720),
                chance.uniform(0, self.FLIGHT_S),
                chance.randrange(self.FRAMES),
            )
            for _ in range(coins)
        ]

    def draw(self, stage: Stage, shared: World, elapsed: float) -> None:
        """Draw the coins `elapsed` seconds after the fountain was opened."""
        for x, vx, vy, delay, turn in self._coins:
            if elapsed < delay:
                continue
            flight = (elapsed - delay) % self.FLIGHT_S
            frame = (int(flight * 14) + turn) % self.FRAMES
            height = 740 + vy * flight + self.GRAVITY * flight * flight / 2
            stage.draw_centred(shared.sprite(f"coin_{frame}"), x + vx * flight, height)
