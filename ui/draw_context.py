"""Resources shared by all scenes: the worlds' sprites, the lettering, the money format."""

import math
import random
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import NamedTuple, Protocol

import pygame

from ui import text
from ui.atlas import REELS, World, blank, clear
from ui.climb import Climb, Size
from ui.director import Director
from ui.frame_budget import FrameBudget
from ui.languages import SOURCE, Languages
from ui.layout import WIDE, Box, Layout
from ui.lettering import Lettering
from ui.picture import Picture
from ui.protocol.values import USUAL_DATES, Money
from ui.reels import Cells
from ui.stage import Stage
from ui.theme import Theme
from ui.themes import Themes

Control = tuple[str, Box]
"""A touch control's name and box."""


class Scenery(Protocol):
    """One kind of screen."""

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the whole screen at `now`."""

    def due(self, director: Director, now: float) -> float:
        """Return when the picture next changes by itself: `now` while it moves, infinity if nothing does."""

    def controls(self, director: Director) -> list[Control]:
        """Return the positions of its touch controls, live or dead."""


class Sized(NamedTuple):
    """The shared sprites and the lettering, both enlarged by the same factor."""

    sprites: World
    letters: Lettering


class CellSets:
    """The cells of a game's reels on each of their backgrounds, created on first use."""

    def __init__(self, world: World, theme: Theme, row: int) -> None:
        """Take the sprites and the height of a row in pixels."""
        self._world = world
        self._theme = theme
        self._row = row
        self._sets: dict[str, Cells] = {}

    def of(self, picture: Picture) -> Cells:
        """Return the cells on the background of `picture`; a world without that background uses `reel`."""
        backing = self._theme.backing(picture)
        if backing not in self._sets:
            sprite = backing if backing in self._world else "reel"
            self._sets[backing] = Cells(self._world, sprite, self._row)
        return self._sets[backing]


class DrawContext:
    """Loaded once and shared by all scenes."""

    def __init__(
        self,
        baked: Path,
        scale: float,
        layout: Layout = WIDE,
        languages: Languages | None = None,
        lettering: type[Lettering] = Lettering,
        *,
        budget: FrameBudget | None = None,
    ) -> None:
        self.scale = scale
        self.layout = layout
        self.baked = baked
        self.budget = budget or FrameBudget()
        self.themes = Themes(self.budget)
        self.shared = World(baked, "ui", scale, layout.shape, budget=self.budget)
        self.shared.fetch("button_spin", "hud_panel")
        self._lettering = lettering
        self.letters = lettering(baked, self.shared, scale, layout.least_text, self.budget)
        self._worlds: dict[tuple[str, str], World] = {}
        self._cells: dict[str, CellSets] = {}
        self.opened = ""
        """The world of the current game, or of the last one."""
        self._sizes = {1.0: Sized(self.shared, self.letters)}
        self._languages = languages or Languages(baked)
        self._language = SOURCE
        self.pressed = ""
        self.pressed_until = 0.0
        self.calm = False
        """Whether decorative motion stops while nothing is played, because the computer is hot."""

    def speak(self, language: str, money: Money, dates: str = USUAL_DATES) -> None:
        """Use `language` for all texts from here on, and the cabinet's format of numbers and days."""
        text.speak(self._languages.catalogue(language), money, dates)
        if language != self._language:
            self._language = language
            self._cells.clear()
            for world in (*(sized.sprites for sized in self._sizes.values()), *self._worlds.values()):
                world.speak(language)

    def world(self, theme: Theme, zoom: float = 1) -> World:
        """Return the sprites of a game's world, at a `zoom` of 1.5 those enlarged by `data-large`."""
        return self.world_of(theme.world, zoom)

    def world_of(self, name: str, zoom: float = 1) -> World:
        """Return the sprites of the world called `name`, as `world` does, without loading the game itself."""
        return self._world(name, "large" if zoom > 1 else "")

    def on_reels(self, theme: Theme) -> World:
        """Return the sprites of a game's world in the size of this monitor's reels (`layout.reels_zoom`)."""
        return self._world(theme.world, REELS if self.layout.reels_zoom > 1 else "")

    def _world(self, name: str, size: str) -> World:
        key = (name, size)
        if key not in self._worlds:
            self._worlds[key] = world = self._load(name, size)
            world.speak(self._language)
        return self._worlds[key]

    def cells(self, theme: Theme) -> CellSets:
        """Return the cells of a game's reels, shared by everything that is drawn over them."""
        if theme.world not in self._cells:
            row = round(self.layout.cell(theme.game.rows)[1] * self.scale)
            self._cells[theme.world] = CellSets(self.on_reels(theme), theme, row)
        return self._cells[theme.world]

    def open(self, name: str) -> None:
        """Record that the game with the world called `name` is open, and release the pictures of all others."""
        self.opened = name
        self.release()

    def release(self) -> None:
        """Release the pictures of all games except the open one, once no scene uses them."""
        for key in [key for key in self._worlds if key[0] != self.opened]:
            self._worlds.pop(key).close()
            self._cells.pop(key[0], None)

    def sized(self, zoom: float) -> Sized:
        """Return the shared sprites and the lettering, at a `zoom` of 1.5 both enlarged (`data-large`)."""
        if zoom not in self._sizes:
            world = self._load(self.shared.name, "large" if zoom > 1 else "")
            world.speak(self._language)
            least = ceil(self.layout.least_text / zoom)
            self._sizes[zoom] = Sized(world, self._lettering(self.baked, world, self.scale * zoom, least, self.budget))
        return self._sizes[zoom]

    def _load(self, name: str, size: str) -> World:
        return World(self.baked, name, self.scale, self.layout.shape, size=size, budget=self.budget)

    def worlds(self) -> list[World]:
        """Return the shared world and the games' worlds in use, in each size in use."""
        return [*(sized.sprites for sized in self._sizes.values()), *self._worlds.values()]

    def plate(self, sprite: pygame.Surface | None = None) -> pygame.Surface:
        """Return a new opaque surface of the canvas's size with `sprite` at the stage's corner, or black."""
        plate = blank((round(self.layout.canvas[0] * self.scale), round(self.layout.canvas[1] * self.scale)))
        if sprite is not None:
            put(plate, sprite, self.scale, *self.layout.origin)
        return plate

    def scenery(self, world: World, name: str) -> pygame.Surface:
        """Return a new plate with a world's scenery for this shape of monitor.

        A picture without a cut for the shape is placed as on the wide monitor.
        """
        cut = self.cut(world, name)
        if cut == name:
            return self.plate(world.sprite(name))
        plate = self.plate()
        plate.blit(world.sprite(cut), (0, 0))
        return plate

    def cut(self, world: World, name: str) -> str:
        """Return the sprite of a scenery for this shape of monitor."""
        cut = f"{name}_{self.layout.shape}"
        return cut if cut in world else name

    def dim(self, plate: pygame.Surface, level: int = 84) -> pygame.Surface:
        """Darken `plate` to `level` of 255, with a blue tint, and return it."""
        plate.fill((level, level, min(255, level + 14)), special_flags=pygame.BLEND_RGB_MULT)
        return plate


THROWN = {Size.LARGE: 4, Size.BIG: 8, Size.HUGE: 12, Size.MEGA: 16}
"""How many sixteenths of a fountain's coins are thrown from each size of a climb on."""
Opened = Sequence[tuple[int, float]]
"""Pairs of a number of coins and the second from which they are thrown."""
Stops = tuple[tuple[float, tuple[int, int, int, int]], ...]

_GLASS: Stops = ((0.0, (44, 78, 118, 222)), (0.5, (10, 30, 56, 212)), (1.0, (3, 14, 30, 222)))
_RIM: Stops = (
    (0.0, (255, 246, 206, 255)),
    (0.4, (240, 198, 100, 255)),
    (0.75, (166, 108, 32, 255)),
    (1.0, (226, 178, 84, 255)),
)
"""The colours of a plate's glass and of its golden rim, from the upper edge (0) to the lower (1)."""
KEPT_PLATES = 24
"""How many plates are cached; a list has many of one size."""
_FINER = 4
"""Round corners are drawn enlarged by this factor and scaled down, so that their edge is smooth."""


def pill(size: tuple[float, float], scale: float) -> pygame.Surface:
    """Return a plate of dark glass with round ends and a golden rim, on which words are readable on any background."""
    pixels = (round(size[0] * scale), round(size[1] * scale))
    return _plate(pixels, min(pixels[1] // 2, round(26 * scale)), max(1, round(1.5 * scale))).copy()


@lru_cache(maxsize=KEPT_PLATES)
def _plate(pixels: tuple[int, int], radius: int, edge: int) -> pygame.Surface:
    """Return a plate with this size, corner radius and rim width, all in pixels."""
    plate = _rounded(pixels, radius, (255, 255, 255))
    rim = plate.copy()
    within = _rounded((pixels[0] - 2 * edge, pixels[1] - 2 * edge), max(0, radius - edge), (0, 0, 0))
    rim.blit(within, (edge, edge), special_flags=pygame.BLEND_RGBA_SUB)
    for surface, stops in ((plate, _GLASS), (rim, _RIM)):
        surface.blit(_shaded(pixels, stops), (0, 0), special_flags=pygame.BLEND_RGBA_MULT)
    plate.blit(rim, (0, 0))
    return plate


def _rounded(pixels: tuple[int, int], radius: int, colour: tuple[int, int, int]) -> pygame.Surface:
    """Return a rectangle with smooth round corners in one colour; outside its edge it is transparent in that colour."""
    shape = clear(pixels)
    shape.fill((*colour, 255))
    if radius < 1:
        return shape
    quarter = clear((_FINER * radius, _FINER * radius))
    quarter.fill((*colour, 0))
    pygame.draw.circle(quarter, (*colour, 255), quarter.get_size(), _FINER * radius)
    quarter = pygame.transform.smoothscale(quarter, (radius, radius))
    for right in (False, True):
        for low in (False, True):
            corner = pygame.Rect(right * (pixels[0] - radius), low * (pixels[1] - radius), radius, radius)
            shape.fill((0, 0, 0, 0), corner)
            turned = pygame.transform.flip(quarter, flip_x=right, flip_y=low)
            shape.blit(turned, corner, special_flags=pygame.BLEND_RGBA_ADD)
    return shape


def _shaded(pixels: tuple[int, int], stops: Stops) -> pygame.Surface:
    """Return a surface with a vertical gradient through `stops`."""
    column = clear((1, pixels[1]))
    for row in range(pixels[1]):
        part = (row + 0.5) / pixels[1]
        (start, first), (end, last) = next(pair for pair in pairwise(stops) if part <= pair[1][0])
        near = (part - start) / (end - start)
        column.set_at((0, row), tuple(round(a + (b - a) * near) for a, b in zip(first, last, strict=True)))
    return pygame.transform.scale(column, pixels)


def arrow(sprites: World, state: str = "", *, on: bool) -> pygame.Surface:
    """Return the key that turns a page back, or forward if `on`; `state` is that of its button."""
    back = sprites.sprite(f"button_back{state}")
    return pygame.transform.flip(back, flip_x=True, flip_y=False) if on else back


def put(plate: pygame.Surface, sprite: pygame.Surface, scale: float, x: float, y: float) -> None:
    """Blit `sprite` on a plate with its upper left corner at (x, y) canvas units."""
    plate.blit(sprite, (round(x * scale), round(y * scale)))


def put_centred(plate: pygame.Surface, sprite: pygame.Surface, scale: float, x: float, y: float) -> None:
    """Blit `sprite` on a plate with its centre at (x, y) canvas units."""
    width, height = sprite.get_size()
    plate.blit(sprite, (round(x * scale) - width // 2, round(y * scale) - height // 2))


class Fountain:
    """Coins thrown up from below, as a pure function of time: the same seed always throws the same coins.

    They fall past the lower edge of the picture; the HUD's figures are drawn over them.
    """

    GRAVITY = 900.0
    FLIGHT_S = 2.4
    FRAMES = 8
    RUSH = 2_000.0
    """How much faster coins fall once a big win has been cut short."""

    def __init__(self, layout: Layout, coins: int, seed: int) -> None:
        self._left = layout.origin[0]
        self._lift = layout.canvas[1] / WIDE.canvas[1]
        self._turn: list[tuple[pygame.Surface, int, int]] = []
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
        """Draw the coins `elapsed` seconds after the fountain was opened, without end."""
        self._draw(stage, shared, elapsed, [(len(self._coins), 0.0)])

    def climb(self, stage: Stage, shared: World, climb: Climb, elapsed: float) -> None:
        """Draw the coins of a big win: more the higher it has climbed, the last ones thrown before its last hit."""
        opened = [(len(self._coins) * part // 16, climb.since(size)) for size, part in THROWN.items()]
        until = climb.hit_at - 2 * climb.beat_s
        cut = 0.0 if climb.cut_at is None else max(0.0, elapsed - climb.cut_at)
        self._draw(stage, shared, elapsed, opened, until=until, fall=self.RUSH * cut * cut / 2)

    def _draw(
        self, stage: Stage, shared: World, elapsed: float, opened: Opened, *, until: float = math.inf, fall: float = 0.0
    ) -> None:
        """Draw the coins of the groups `opened`, each from its start time on, thrown up to `until`."""
        if not self._turn:
            self._turn = [_trimmed(shared.sprite(f"coin_{frame}")) for frame in range(self.FRAMES)]
        thrown: list[tuple[pygame.Surface, tuple[int, int]]] = []
        begun = [math.inf] * len(self._coins)
        for count, begins in reversed(opened):  # the first group that includes a coin counts
            begun[:count] = [begins] * count
        for begins, (x, vx, vy, delay, turn) in zip(begun, self._coins, strict=True):
            since = elapsed - delay - begins
            if since < 0:
                continue
            flight = since % self.FLIGHT_S
            if elapsed - flight > until:
                continue
            frame = (int(flight * 14) + turn) % self.FRAMES
            height = 740 + vy * flight + self.GRAVITY * flight * flight / 2 + fall
            coin, left, top = self._turn[frame]
            across = round((self._left + x + vx * flight) * stage.scale)
            thrown.append((coin, (across + left, round(self._lift * height * stage.scale) + top)))
        stage.draw_all(thrown)


def _trimmed(sprite: pygame.Surface) -> tuple[pygame.Surface, int, int]:
    """Return a sprite without its transparent border, and its corner's offset from the sprite's middle in pixels."""
    used = sprite.get_bounding_rect()
    width, height = sprite.get_size()
    return sprite.subsurface(used), used.left - width // 2, used.top - height // 2
