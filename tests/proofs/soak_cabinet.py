"""A whole cabinet that plays by itself on virtual time, real display included, and what the process holds meanwhile.

Supervisor, drivers, simulated devices and the display share one loop. The player comes to the attract screen, puts a
note in, sits down at the next of the five games, lets autospin play, takes the money and goes.
"""

import asyncio
import ctypes
import gc
import os
import tracemalloc
from pathlib import Path
from typing import NamedTuple, Self

os.environ.setdefault("SDL_AUDIODRIVER", "dummy")

import pygame
from gpiozero.pins.mock import MockFactory

from controller.rounds.draws import seeded_source
from drivers.simulated.pins.factory import ForgetfulPin
from tests.rigs.virtual_cabinet import ContactPin, VirtualCabinet
from tests.ui.rehearsal import BAKED, GAMES
from ui.director import Director
from ui.display import Display
from ui.draw_context import DrawContext
from ui.layout import WIDE
from ui.link import Link
from ui.scene_manager import SceneManager
from ui.screen import Screen
from ui.sound import Sound
from ui.stage import Stage
from ui.theme import Theme, load

NOTE_CENTS = 5000
ATTRACT_S = 60.0
AUTOSPIN_S = 110.0
STEP_S = 0.25
DRAWN_S = 1 / 20
"""How often the display looks whether a frame is due: at a third of its own pace the hour takes a few minutes."""

FULL_HOPPER = 1000
FIFTY_SPINS = ("auto", *["max_bet"] * 4, "auto:start")
"""From the game to autospin: the settings' 10 spins raised to 50."""


class Held(NamedTuple):
    """What the process holds after so many rounds and frames, in bytes and numbers.

    `traced` is what Python has allocated, `resident` what the process takes of the machine's memory once the C library
    has given back what is free, `objects` what the collector knows, `pixels` the memory of the living `surfaces`.
    """

    rounds: int
    frames: int
    traced: int
    resident: int
    objects: int
    surfaces: int
    pixels: int


class QuietPin(ForgetfulPin, ContactPin):
    """A pin whose contact is stronger than its pull-up, and that keeps no history."""


class Presented(Screen):
    """A screen for nobody that counts what it is given."""

    def __init__(self) -> None:
        super().__init__(layout=WIDE)
        self.frames = 0

    def present(self, brightness_percent: int = 100) -> None:
        """Count a frame."""
        super().present(brightness_percent)
        self.frames += 1


class SoakCabinet:
    """The cabinet and its one player; use it as an asynchronous context manager."""

    def __init__(self, folder: Path, screen: Presented | None = None) -> None:
        self.cabinet = VirtualCabinet(folder, draws=seeded_source(4), games=GAMES)
        closed = {door.pin for door in self.cabinet.config.pins.doors.values()}
        self.cabinet.factory = MockFactory(pin_class=type("WiredPin", (QuietPin,), {"closed": closed, "broken": set()}))
        self.screen = screen or Presented()
        themes: dict[str, Theme] = {}

        def theme(game: str) -> Theme:
            return themes.setdefault(game, load(game))

        context, director = DrawContext(BAKED, 1), Director(theme)
        self._link = Link(self.cabinet.config.cabinet.display_socket)
        self.display = Display(
            screen=self.screen,
            link=self._link,
            touch=None,
            context=context,
            director=director,
            scene_manager=SceneManager(Stage(self.screen.canvas, 1), director, context),
            sound=Sound(BAKED / "sounds"),
        )
        self._drawing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self.cabinet.start()
        self._drawing = asyncio.create_task(self._draw())
        await self.cabinet.until(lambda: self.cabinet.state == "attract")
        return self

    async def __aexit__(self, *_error: object) -> None:
        assert self._drawing is not None
        self._drawing.cancel()
        self._link.close()
        await self.cabinet.kill()
        gc.unfreeze()

    async def visit(self, game: str) -> None:
        """Leave the attract screen alone for a while; then a player comes, has the game played by itself, and goes."""
        cabinet = self.cabinet
        cabinet.hopper.stock = FULL_HOPPER
        await asyncio.sleep(ATTRACT_S)
        await cabinet.insert_note(NOTE_CENTS)
        await self._press(f"game:{game}", "spin") if game == "bewitched" else await self._press(f"game:{game}")
        leaves = asyncio.get_running_loop().time() + AUTOSPIN_S
        while asyncio.get_running_loop().time() < leaves:
            await self._play()
        if self._spins_by_itself:
            await self._press("auto")
        while cabinet.state != "idle":
            await self._play()
        while cabinet.credit >= cabinet.hopper.value_cents:
            await self._press("collect")
            if cabinet.state == "handpay":
                await cabinet.turn_key("attendant")
            await asyncio.sleep(STEP_S)
        await cabinet.until(lambda: cabinet.state == "idle")
        await self._press("home", "home")
        assert cabinet.state == "attract"

    async def _play(self) -> None:
        """Do what is next: money, autospin, the answer that is waited for, or nothing."""
        cabinet = self.cabinet
        if cabinet.state == "idle" and not self._spins_by_itself:
            if cabinet.credit < NOTE_CENTS:
                await cabinet.insert_note(NOTE_CENTS)
            await self._press(*FIFTY_SPINS)
        elif cabinet.state == "offer":
            await self._press("spin")
        elif cabinet.state == "gamble_offer":
            await self._press("collect")
        await asyncio.sleep(STEP_S)

    @property
    def _spins_by_itself(self) -> bool:
        assert self.cabinet.supervisor is not None
        return self.cabinet.supervisor.machine.play.autospin is not None

    async def _press(self, *controls: str) -> None:
        assert self.cabinet.supervisor is not None
        for control in controls:
            self.cabinet.supervisor.machine.states.press(control)
            await asyncio.sleep(STEP_S)

    async def _draw(self) -> None:
        """Do what the display's own loop does."""
        while True:
            self.display.turn(asyncio.get_running_loop().time())
            await asyncio.sleep(DRAWN_S)

    async def held(self) -> Held:
        """Return what the process holds now."""
        assert self.cabinet.supervisor is not None
        count = "SELECT count(*) FROM rounds"
        rounds = await self.cabinet.supervisor.journal.do(lambda tx: tx.execute(count).fetchone()[0])
        surfaces = live_surfaces()
        return Held(
            rounds=rounds,
            frames=self.screen.frames,
            traced=tracemalloc.get_traced_memory()[0],
            resident=resident(),
            objects=len(gc.get_objects()),
            surfaces=len(surfaces),
            pixels=sum(one.get_pitch() * one.get_height() for one in surfaces if one.get_parent() is None),
        )


def live_surfaces() -> list[pygame.Surface]:
    """Return every surface that something the collector knows refers to, once each; they are not its own."""
    gc.unfreeze()
    gc.collect()
    found: dict[int, pygame.Surface] = {}
    for container in gc.get_objects():
        for one in gc.get_referents(container):
            if isinstance(one, pygame.Surface):
                found[id(one)] = one
    return list(found.values())


def resident() -> int:
    """Return this process's resident memory in bytes, after the C library has given back what it keeps for later."""
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
