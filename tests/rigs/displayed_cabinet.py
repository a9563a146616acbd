"""A whole cabinet with its real display, on one loop with virtual time."""

import asyncio
import gc
import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

os.environ.setdefault("SDL_AUDIODRIVER", "dummy")

import pygame

from controller.rounds.draws import seeded_source
from drivers.simulated.pins.factory import ForgetfulPin
from tests.rigs.virtual_cabinet import ContactPin, VirtualCabinet
from tests.ui.rehearsal import BAKED, GAMES
from ui.director import Director
from ui.display import Display
from ui.draw_context import DrawContext
from ui.heat import Heat
from ui.layout import WIDE
from ui.link import Link
from ui.scene_manager import SceneManager
from ui.screen import Screen
from ui.sound import Sound
from ui.stage import Stage
from ui.theme import Theme, load

LOADERS = ("loader", "sounds")
"""Names of the display's threads that read art and sounds."""


class QuietPin(ForgetfulPin, ContactPin):
    """A pin whose contact is stronger than its pull-up, and that keeps no history."""


class Presented(Screen):
    """A screen without a window that counts its frames."""

    def __init__(self) -> None:
        super().__init__(layout=WIDE)
        self.frames = 0

    def present(self, brightness_percent: int = 100) -> None:
        """Count a frame."""
        super().present(brightness_percent)
        self.frames += 1


class DisplayedCabinet(VirtualCabinet):
    """All games on one cabinet whose display looks every `drawn_s` seconds whether a frame is due."""

    pin_class = QuietPin
    drawn_s: ClassVar[float]

    def __init__(self, folder: Path, *, seed: int) -> None:
        super().__init__(folder, draws=seeded_source(seed), games=GAMES)
        self._frames_before = 0
        self._screen: Presented | None = None
        self._link: Link | None = None
        self._drawing: asyncio.Task[None] | None = None

    @property
    def has_display(self) -> bool:
        """Whether a display runs."""
        return self._drawing is not None

    @property
    def frames(self) -> int:
        """Frames that all displays so far have presented."""
        return self._frames_before + (self._screen.frames if self._screen else 0)

    def start_display(self, screen: Presented | None = None) -> None:
        """Start a display with nothing cached, as a new process does."""
        themes: dict[str, Theme] = {}

        def theme(game: str) -> Theme:
            return themes.setdefault(game, load(game))

        screen = screen or Presented()
        context, director = DrawContext(BAKED, 1), Director(theme)
        link = Link(self.config.cabinet.display_socket)
        display = Display(
            screen=screen,
            link=link,
            touch=None,
            context=context,
            director=director,
            scene_manager=SceneManager(Stage(screen.canvas, 1), director, context),
            sound=Sound(BAKED / "sounds"),
            heat=Heat(lambda: None),
        )
        self._screen, self._link = screen, link
        self._drawing = asyncio.create_task(self._draw(display))

    async def kill_display(self) -> None:
        """End the display at any point of its work, with all that it held."""
        if self._drawing is None or self._link is None or self._screen is None:
            return
        self._drawing.cancel()
        with suppress(asyncio.CancelledError):
            await self._drawing
        self._link.close()
        for thread in threading.enumerate():
            if thread.name.startswith(LOADERS):
                thread.join()  # with a process they would end; here they would go on
        pygame.mixer.quit()  # so does the sound that a channel plays
        self._frames_before = self.frames
        self._screen = self._link = self._drawing = None
        gc.unfreeze()

    async def _draw(self, display: Display) -> None:
        """Do what the display's own loop does."""
        while True:
            display.turn(asyncio.get_running_loop().time())
            await asyncio.sleep(self.drawn_s)
