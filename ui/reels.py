"""The motion of the reels: positions as a pure function of time, and the opaque cells with which they are drawn.

A position is a strip position with a fraction; it decreases while the symbols run down, because the symbol above has
the lower index. Speeds are in cells a second, times in seconds.
"""

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

import pygame

from gamekit.reels import Strip
from ui.atlas import World, blank
from ui.layout import Box
from ui.stage import Stage

SPEED = 24.0
ACCELERATE_S = 0.26
BACK_KICK = 0.14
BRAKE_S = 0.14
TOUCH_DOWN_SPEED = 6.0
BOUNCE_S = 0.26
BLUR_ABOVE = 13.0
FIRST_STOP_S = 0.85
STAGGER_S = 0.24
SUSPENSE_S = 1.5
SLOW_SPEED = 9.0
SLOW_S = 0.55
SLOWING_S = 0.5
HURRY_STAGGER_S = 0.05
TURBO_FIRST_STOP_S = 0.46
TURBO_STAGGER_S = 0.06

_BRAKE_CELLS = (SPEED + TOUCH_DOWN_SPEED) / 2 * BRAKE_S
# With this distance the bounce leaves the stop as fast as the brake arrives at it.
_BOUNCE_CELLS = TOUCH_DOWN_SPEED * BOUNCE_S / math.pi


class Pin(NamedTuple):
    """Symbols that one reel shows from `stop` on downwards, even if its strip has others."""

    stop: int
    symbols: Sequence[str]


class Spin:
    """One spin of all reels from the stops `start` to the stops `end`, beginning at `started`.

    `suspense` states for each reel whether it makes the player wait; it then stops `SUSPENSE_S` after the previous
    reel. `locked` reels do not turn.
    """

    def __init__(
        self,
        start: Sequence[int],
        end: Sequence[int],
        started: float,
        suspense: Sequence[bool],
        *,
        turbo: bool = False,
        locked: Sequence[int] = (),
    ) -> None:
        self.locked = frozenset(locked)
        self.start = tuple(start)
        self.end = tuple(end)
        self.started = started
        self.suspense = tuple(suspense)
        self.hurried = turbo
        self.stop_at: list[float] = []
        due = started + (TURBO_FIRST_STOP_S if turbo else FIRST_STOP_S)
        later = False
        for reel in range(len(self.end)):
            if reel in self.locked:
                self.stop_at.append(started)
                continue
            if later:
                due += SUSPENSE_S if self.suspense[reel] and not turbo else TURBO_STAGGER_S if turbo else STAGGER_S
            self.stop_at.append(due)
            later = True

    def hurry(self, now: float) -> None:
        """Stop all reels at once, as STOP does: still from left to right, still with their bounce."""
        self.hurried = True
        soonest = max(now, self.started + ACCELERATE_S) + BRAKE_S
        for reel, due in enumerate(self.stop_at):
            if due - BRAKE_S > now:
                self.stop_at[reel] = min(due, soonest + HURRY_STAGGER_S * reel)

    def starting(self, now: float) -> bool:
        """Whether the reels are still accelerating from rest."""
        return now - self.started < ACCELERATE_S

    @property
    def ends_at(self) -> float:
        """When the last reel has come to rest."""
        return max(self.stop_at) + BOUNCE_S

    def ended(self, now: float) -> bool:
        """Whether all reels are at rest."""
        return now >= self.ends_at

    def waiting_reel(self, now: float) -> int | None:
        """Return the reel that currently makes the player wait, or None."""
        if self.hurried:
            return None
        for reel in range(1, len(self.end)):
            if self.suspense[reel] and max(self.stop_at[:reel]) <= now < self.stop_at[reel]:
                return reel
        return None

    def position(self, reel: int, now: float) -> tuple[float, bool]:
        """Return the reel's strip position and whether it is fast enough to be drawn blurred."""
        elapsed = now - self.started
        if reel in self.locked or elapsed <= 0:
            return float(self.start[reel]), False
        if self.starting(now):
            run = SPEED * elapsed * elapsed / (2 * ACCELERATE_S)
            kick = BACK_KICK * math.sin(math.pi * elapsed / ACCELERATE_S)
            return self.start[reel] - run + kick, SPEED * elapsed / ACCELERATE_S > BLUR_ABOVE
        # At full speed a jump of the strip is invisible, so here it is placed to land exactly.
        left = self.stop_at[reel] - now
        end = self.end[reel]
        if left > 0:
            return _slowing(end, left) if self.suspense[reel] and not self.hurried else _braking(end, left)
        if now >= self.stop_at[reel] + BOUNCE_S:
            return float(end), False
        over = -left / BOUNCE_S
        return end - _BOUNCE_CELLS * math.sin(math.pi * over) * (1 - over) ** 2, False


def _braking(end: int, left: float) -> tuple[float, bool]:
    """Return position and blur of a reel that stops at `end` in `left` seconds."""
    if left >= BRAKE_S:
        return end + _BRAKE_CELLS + SPEED * (left - BRAKE_S), True
    speed = TOUCH_DOWN_SPEED + (SPEED - TOUCH_DOWN_SPEED) * left / BRAKE_S
    return end + (TOUCH_DOWN_SPEED + speed) / 2 * left, speed > BLUR_ABOVE


def _slowing(end: int, left: float) -> tuple[float, bool]:
    """Return position and blur of a reel that makes the player wait; it slows down before the last `left` seconds.

    Its speed falls to `SLOW_SPEED` by `SLOW_S` before it stops, and from there evenly to the touch-down speed.
    """
    if left <= SLOW_S:
        speed = TOUCH_DOWN_SPEED + (SLOW_SPEED - TOUCH_DOWN_SPEED) * left / SLOW_S
        return end + (TOUCH_DOWN_SPEED + speed) / 2 * left, False
    near = end + (TOUCH_DOWN_SPEED + SLOW_SPEED) / 2 * SLOW_S
    over = min(left - SLOW_S, SLOWING_S)
    speed = SLOW_SPEED + (SPEED - SLOW_SPEED) * over / SLOWING_S
    return near + (SLOW_SPEED + speed) / 2 * over + SPEED * (left - SLOW_S - over), speed > BLUR_ABOVE


class Cells:
    """Opaque cells on one reel background: each symbol sharp, blurred and dimmed, created on first use."""

    def __init__(self, world: World, backing: str, height: int) -> None:
        """Take the background called `backing` and the height of an empty cell in pixels."""
        self._world = world
        self._backing = world.sprite(backing)
        self._height = height
        self._bare: pygame.Surface | None = None
        self._made: dict[str, pygame.Surface] = {}
        self._dimmed: dict[str, pygame.Surface] = {}

    def cell(self, name: str) -> pygame.Surface:
        """Return the cell of a symbol, or of its blurred copy (`<symbol>_blur`)."""
        found = self._made.get(name)
        if found is None:
            symbol = self._world.sprite(name)
            found = blank(symbol.get_size())
            found.blit(self._backing, (0, 0))
            found.blit(symbol, (0, 0))
            self._made[name] = found
        return found

    def dimmed(self, name: str) -> pygame.Surface:
        """Return the cell of a symbol that is not part of the displayed win."""
        found = self._dimmed.get(name)
        if found is None:
            found = self.cell(name).copy()
            found.fill((105, 112, 130), special_flags=pygame.BLEND_RGB_MULT)
            self._dimmed[name] = found
        return found

    def make(self, name: str) -> None:
        """Create a symbol's cells: sharp, blurred and dimmed."""
        self.cell(f"{name}_blur")
        self.dimmed(name)

    def bare(self) -> pygame.Surface:
        """Return one empty cell of the background, on which an animated symbol is drawn."""
        if self._bare is None:
            width, height = self._backing.get_width(), min(self._height, self._backing.get_height())
            self._bare = self._backing.subsurface((0, 0, width, height))
        return self._bare


def draw_reels(
    stage: Stage,
    box: Box,
    cells: Cells,
    *,
    strips: Sequence[Strip],
    pins: Sequence[Pin],
    places: Sequence[tuple[float, bool]],
    dimmed: Collection[int] = (),
) -> None:
    """Draw every reel at its position (position, blurred) into the window `box`.

    A reel shows the symbols of its pin at their stops and its strip everywhere else; the longest pin is as high as the
    window. The reels `dimmed` are darkened.
    """
    window = stage.pixels(box)
    width, height = window.width // len(places), window.height // max(len(pin.symbols) for pin in pins)
    pairs: list[tuple[pygame.Surface, tuple[int, int]]] = []
    for reel, (position, blurred) in enumerate(places):
        strip, (stop, symbols) = strips[reel], pins[reel]
        first = math.floor(position)
        top = window.top - round((position - first) * height)
        left = window.left + reel * width
        while top < window.bottom:
            symbol = symbols[first - stop] if 0 <= first - stop < len(symbols) else strip[first % len(strip)]
            name = f"{symbol}_blur" if blurred else symbol
            pairs.append((cells.dimmed(name) if reel in dimmed else cells.cell(name), (left, top)))
            first += 1
            top += height
    canvas = stage.canvas
    canvas.set_clip(window)
    canvas.fblits(pairs)
    canvas.set_clip(None)
