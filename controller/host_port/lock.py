"""The lock that a host asks for before a transfer: no game begins while it holds (sas.md, section 1.5)."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from controller.faults import Stops, explain
from controller.host_port.hosted import Hosted
from controller.journal import host_queue
from controller.machine.conditions import Place
from controller.machine.states import BETWEEN_GAMES, State
from drivers.sas.exceptions import Code
from drivers.sas.transfers import LOCK_PENDING, LOCKED, NOT_LOCKED

LOOK_EVERY_S: Final = 0.05
HOST_LOCK: Final = "host_lock"
"""The fault of a lock that is held."""


class Lock:
    """One host's lock: none, pending while a game is on, or held; it ends by itself after the time asked for."""

    def __init__(self, hosted: Hosted, look: Callable[[], None]) -> None:
        self.state = NOT_LOCKED
        self._hosted = hosted
        self._look = look
        self._until = 0.0
        self._asked = asyncio.Event()

    def active(self) -> Sequence[Place]:
        """Return what stops play while the lock is held."""
        return [(HOST_LOCK, self._hosted.name)] if self.state == LOCKED else []

    @property
    def is_possible(self) -> bool:
        """Whether it can be held now: a transfer is possible, and no note or ticket is being stacked."""
        return self.is_free and not self._hosted.now.coming_cents

    @property
    def is_free(self) -> bool:
        """Whether no game, payout, menu, door or fault is in the way of a transfer now."""
        parts = self._hosted.parts
        conditions = parts.conditions
        stopped = any(Stops.PLAY in explain(code).stops for code, _ in conditions.active if code != HOST_LOCK)
        idle = parts.states.state in BETWEEN_GAMES or parts.states.state is State.ATTRACT
        closed = conditions.menu_open or conditions.out_of_service or conditions.demo_mode
        return idle and not stopped and not closed and parts.journal.lock is None

    async def ask(self, seconds: float) -> None:
        """Ask for the lock for so long; it is pending until it can be held."""
        self._until = self._hosted.clock.now() + seconds
        if self.state == NOT_LOCKED:
            self.state = LOCK_PENDING
        await self._advance()
        self._asked.set()

    def release(self) -> None:
        """End the lock."""
        if self.state != NOT_LOCKED:
            self.state = NOT_LOCKED
            self._look()

    async def run(self) -> None:
        """Hold the lock as soon as that is possible, and end it in time, until cancelled."""
        while True:
            await self._asked.wait()
            self._asked.clear()
            while self.state != NOT_LOCKED:
                await self._hosted.clock.sleep(LOOK_EVERY_S)
                await self._advance()

    async def _advance(self) -> None:
        if self.state != NOT_LOCKED and self._hosted.clock.now() >= self._until:
            self.release()
        elif self.state == LOCK_PENDING and self.is_possible:
            self.state = LOCKED
            self._look()
            name = self._hosted.name
            await self._hosted.parts.journal.do(
                lambda tx: host_queue.queue(tx, name, Code.GAME_LOCKED, priority=True, overflow=Code.OVERFLOW)
            )
