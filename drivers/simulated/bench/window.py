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
from drivers.simulated.bench.frame_mirror import FrameMirror
from drivers.simulated.bench.hands import Hands
from drivers.simulated.bench.touch import TouchClient, TouchLostError
from drivers.simulated.bench.wheels import Wheels
from drivers.simulated.front import Front
from drivers.simulated.front_client import FrontClient, FrontLostError

TITLE = "The cabinet: bench"
FRAMES_PER_SECOND = 60
RECONNECT_SECONDS = 0.25
MESSAGE_SECONDS = 5.0
_HELP = (
    "Click, touch, or press the key shown on a control   ·   F11 full screen   ·   "
    "J and K staff cards   ·   CRASH kills the programs, MAINS cuts all power"
)
_NO_HARDWARE = "The simulated hardware is not running; the bench waits for it"


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
        self._front = FrontClient(run / "hardware.sock")
        self._touch = TouchClient(run / "touch.sock")
        self._mirror = FrameMirror(run / "glass")
        self._hands = Hands(self._do, self._touch_monitor)
        self._wheels = Wheels()
        self._clock = clock
        self._message = ""
        self._message_until = 0.0
        self._connect_at = 0.0

    @property
    def front(self) -> Front | None:
        """The front as the window shows it; None while there is no hardware."""
        return self._front.latest if self._front.connected else None

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
        self._listen(now)
        changed = self._drawing.draw(self._seen(now))
        if changed:
            pygame.display.update(changed)
        return True

    def close(self) -> None:
        """Close all connections and the window."""
        self._hands.let_all_go()
        self._front.close()
        self._touch.close()
        self._mirror.close()
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

    def _listen(self, now: float) -> None:
        try:
            if self._front.connected:
                self._front.receive()
            elif now >= self._connect_at:
                self._connect_at = now + RECONNECT_SECONDS
                self._front.connect()
        except FrontLostError:
            # Normal in a demo: the launcher starts it again, and the help line says so meanwhile.
            return
        for refusal in self._front.take_refusals():
            self._show(refusal)

    def _seen(self, now: float) -> Seen:
        front = self.front
        alert = front is None or now < self._message_until
        line = self._message if now < self._message_until else _NO_HARDWARE if front is None else _HELP
        meters = self._front.latest.meters if self._front.latest else {}
        frame = self._mirror.frame()
        if frame is not None:
            self._hands.picture = (frame.width, frame.height)
        return Seen(
            front=front,
            held=self._hands.held,
            wheels=self._wheels.roll(meters, now),
            frame=frame,
            monitor_lit=self._mirror.alive(),
            line=line,
            alert=alert,
        )

    def _do(self, words: str) -> None:
        if not self._front.connected:
            return
        try:
            self._front.send(words)
        except FrontLostError as error:
            self._show(str(error))

    def _touch_monitor(self, x: int, y: int, down: bool) -> None:  # noqa: FBT001 - the shape Hands asks for
        try:
            self._touch.touch(x, y, down=down)
        except TouchLostError:
            if down:
                self._show("The display is not running; the bench waits for it")

    def _show(self, message: str) -> None:
        self._message = message
        self._message_until = self._clock() + MESSAGE_SECONDS
