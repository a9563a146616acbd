"""The bench's window: events in, the front and the glass shown, at most 60 times a second.

If any other process dies and restarts, the window stays open and reconnects.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pygame

from drivers.simulated.bench import layout
from drivers.simulated.bench.bake import bake
from drivers.simulated.bench.drawing import Drawing, Seen
from drivers.simulated.bench.hands import Hands
from drivers.simulated.bench.wheels import Wheels
from drivers.simulated.bench.wires import Wires
from drivers.simulated.front import Front

TITLE = "The cabinet: bench"
FRAMES_PER_SECOND = 60
_HELP = (
    "Click, touch, or press the key shown on a control   ·   F11 full screen   ·   "
    "J and K staff cards   ·   CRASH kills the programs, MAINS cuts all power"
)


def fitting_size(desktop: tuple[int, int]) -> tuple[int, int]:
    """Return the bench's own size, or the largest of its shape that leaves a desktop room for its bars."""
    scale = min(1.0, desktop[0] / layout.WIDTH, desktop[1] * 0.95 / layout.HEIGHT)
    return round(layout.WIDTH * scale), round(layout.HEIGHT * scale)


class Window:
    """The bench on the screen, bound to one run directory."""

    def __init__(self, run: Path, baked: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        # An accelerated window surface goes through the GPU at each partial update, which costs more than it saves.
        os.environ.setdefault("SDL_FRAMEBUFFER_ACCELERATION", "0")
        pygame.font.init()
        bake(baked, 1)
        self._icon = baked / "bench" / "1x" / "icon.png"
        self._windowed_size: tuple[int, int] | None = None
        pygame.display.init()
        self._surface = self._open(fitting_size(pygame.display.get_desktop_sizes()[0]), pygame.RESIZABLE)
        self._drawing = Drawing(baked, self._surface)
        self._wires = Wires(run, clock=clock)
        self._hands = Hands(self._wires.do, self._wires.touch)
        self._wheels = Wheels()
        self._clock = clock

    @property
    def front(self) -> Front | None:
        """The front as the window shows it; None while there is no hardware."""
        return self._wires.front

    def run(self) -> None:
        """Serve the window until it is closed."""
        ticker = pygame.time.Clock()
        try:
            while self.step():
                ticker.tick(FRAMES_PER_SECOND)
        finally:
            self.close()

    def step(self) -> bool:
        """Handle the waiting events, read the front, draw the changes; return False once the window was closed."""
        if not self._events():
            return False
        now = self._clock()
        self._wires.listen(now)
        changed = self._drawing.draw(self._seen(now))
        if changed:
            pygame.display.update(changed)
        return True

    def close(self) -> None:
        """Close all connections and the window."""
        self._hands.let_all_go()
        self._wires.close()
        pygame.display.quit()
        pygame.font.quit()

    def _events(self) -> bool:
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                return False
            if event.type == pygame.KEYDOWN:
                self._key_down(event)
            elif event.type == pygame.KEYUP:
                self._hands.key_up(pygame.key.name(event.key))
            elif event.type in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
                self._mouse(event)
            elif event.type in (pygame.FINGERDOWN, pygame.FINGERUP):
                width, height = self._surface.get_size()
                self._point(
                    f"finger {event.finger_id}",
                    event.x * width,
                    event.y * height,
                    down=event.type == pygame.FINGERDOWN,
                )
            elif event.type == pygame.WINDOWFOCUSLOST:
                self._hands.let_all_go()
            elif event.type == pygame.WINDOWSIZECHANGED:
                self._refit()
            elif event.type == pygame.WINDOWEXPOSED:
                pygame.display.flip()
        return True

    def _key_down(self, event: pygame.Event) -> None:
        if event.key == pygame.K_F11:
            self._toggle_full_screen()
            return
        if event.mod & (pygame.KMOD_CTRL | pygame.KMOD_ALT | pygame.KMOD_META):
            # Alt+F4 is for the window, not a note of 50.
            return
        self._hands.key_down(pygame.key.name(event.key), self.front)

    def _mouse(self, event: pygame.Event) -> None:
        # SDL reports each touch twice, as a finger and as a mouse; the finger counts.
        if event.button == pygame.BUTTON_LEFT and not event.touch:
            self._point("mouse", *event.pos, down=event.type == pygame.MOUSEBUTTONDOWN)

    def _point(self, finger: str, x: float, y: float, *, down: bool) -> None:
        at = self._drawing.to_bench(x, y)
        if down:
            self._hands.point_down(finger, *at, self.front)
        else:
            self._hands.lift(finger, *at)

    def _open(self, size: tuple[int, int], flags: int) -> pygame.Surface:
        pygame.display.set_caption(TITLE)
        pygame.display.set_icon(pygame.image.load(self._icon))
        return pygame.display.set_mode(size, flags)

    def _toggle_full_screen(self) -> None:
        # pygame's own toggle keeps the window's resolution, and a window that is only resized stays in place
        # on a screen without a window manager: a new window is right everywhere.
        self._hands.let_all_go()
        windowed, self._windowed_size = self._windowed_size, None
        if windowed is None:
            self._windowed_size = self._surface.get_size()
        pygame.display.quit()
        pygame.display.init()
        if windowed is None:
            self._open(pygame.display.get_desktop_sizes()[0], pygame.FULLSCREEN)
        else:
            self._open(windowed, pygame.RESIZABLE)
        self._refit()

    def _refit(self) -> None:
        surface = pygame.display.get_surface()
        if surface is not None:
            self._surface = surface
            self._drawing.fit(surface)
            pygame.display.flip()

    def _seen(self, now: float) -> Seen:
        alert = self._wires.alert(now)
        frame = self._wires.frame()
        if frame is not None:
            self._hands.picture = (frame.width, frame.height)
        return Seen(
            front=self.front,
            held=self._hands.held,
            wheels=self._wheels.roll(self._wires.meters, now),
            frame=frame,
            monitor_lit=self._wires.monitor_lit(),
            line=alert or _HELP,
            alert=bool(alert),
        )
