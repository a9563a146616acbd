"""A whole cabinet that plays by itself on virtual time, real display included, and what the process holds meanwhile.

Supervisor, drivers, simulated devices and the display share one loop. The player comes to the attract screen, puts a
note in, sits down at the next of the games, lets autospin play, takes the money and goes.
"""

import asyncio
import gc
import tracemalloc
from pathlib import Path
from typing import NamedTuple, Self

from tests.rigs.displayed_cabinet import DisplayedCabinet, Presented
from tests.rigs.process_figures import live_surfaces, pixel_bytes, resident

NOTE_CENTS = 5000
ATTRACT_S = 60.0
AUTOSPIN_S = 110.0
STEP_S = 0.25

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


class SoakCabinet(DisplayedCabinet):
    """The cabinet and its one player; use it as an asynchronous context manager."""

    drawn_s = 1 / 20  # at a third of the display's own pace the hour takes a few minutes

    def __init__(self, folder: Path, screen: Presented | None = None) -> None:
        super().__init__(folder, seed=4)
        self._presented = screen

    async def __aenter__(self) -> Self:
        await self.start()
        self.start_display(self._presented)
        await self.until(lambda: self.state == "attract")
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.kill_display()
        await self.kill()

    async def visit(self, game: str) -> None:
        """Leave the attract screen alone for a while; then a player comes, has the game played by itself, and goes."""
        self.hopper.stock = FULL_HOPPER
        await asyncio.sleep(ATTRACT_S)
        await self.insert_note(NOTE_CENTS)
        await self._press(f"game:{game}", "spin") if game == "bewitched" else await self._press(f"game:{game}")
        leaves = asyncio.get_running_loop().time() + AUTOSPIN_S
        while asyncio.get_running_loop().time() < leaves:
            await self._play()
        if self._spins_by_itself:
            await self._press("auto")
        while self.state != "idle":
            await self._play()
        while self.credit >= self.hopper.value_cents:
            await self._press("collect")
            if self.state == "handpay":
                await self.turn_key("attendant")
            await asyncio.sleep(STEP_S)
        await self.until(lambda: self.state == "idle")
        await self._press("home", "home")
        assert self.state == "attract"

    async def _play(self) -> None:
        """Do what is next: money, autospin, the answer that is waited for, or nothing."""
        if self.state == "idle" and not self._spins_by_itself:
            if self.credit < NOTE_CENTS:
                await self.insert_note(NOTE_CENTS)
            await self._press(*FIFTY_SPINS)
        elif self.state == "offer":
            await self._press("spin")
        elif self.state == "gamble_offer":
            await self._press("collect")
        await asyncio.sleep(STEP_S)

    @property
    def _spins_by_itself(self) -> bool:
        assert self.supervisor is not None
        return self.supervisor.machine.play.autospin is not None

    async def _press(self, *controls: str) -> None:
        assert self.supervisor is not None
        for control in controls:
            self.supervisor.machine.states.press(control)
            await asyncio.sleep(STEP_S)

    async def held(self) -> Held:
        """Return what the process holds now."""
        assert self.supervisor is not None
        count = "SELECT count(*) FROM rounds"
        rounds = await self.supervisor.journal.do(lambda tx: tx.execute(count).fetchone()[0])
        surfaces = live_surfaces()
        return Held(
            rounds=rounds,
            frames=self.frames,
            traced=tracemalloc.get_traced_memory()[0],
            resident=resident(),
            objects=len(gc.get_objects()),
            surfaces=len(surfaces),
            pixels=pixel_bytes(surfaces),
        )
