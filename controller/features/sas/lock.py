"""The lock that a host requests before a transfer: no game starts while it is held (sas.md, section 1.5)."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from controller.faults import ActiveFault, Stops, explain
from controller.features.sas import queue as host_queue
from controller.features.sas.hosted import Hosted
from controller.journal import money
from controller.journal.errors import RefusedError
from controller.journal.receipt import Receipt
from controller.journal.transaction import Transaction
from controller.machine.states import BETWEEN_GAMES, State
from drivers.sas.exceptions import Code
from drivers.sas.transfers import LOCK_PENDING, LOCKED, NOT_LOCKED

LOOK_EVERY_S: Final = 0.05
HOST_LOCK: Final = "host_lock"
"""The fault code while a lock is held."""


class Lock:
    """One host's lock: none, pending while a game is on, or held; it expires after the requested time.

    Play is stopped before the lock is held, for both hosts. The journal is then checked for a round, payout, note or
    ticket that has just begun. So everything that began earlier, including a transfer of the other host, is committed
    before the lock.
    """

    def __init__(self, hosted: Hosted, look: Callable[[], None]) -> None:
        self.held: Receipt[None] | None = None
        """The receipt of the queued exception 6F while the lock is held, else None."""
        self._is_pending = False
        self._hosted = hosted
        self._look = look
        self._stops_play = False
        self._until = 0.0
        self._advancing = asyncio.Lock()
        self._asked = asyncio.Event()

    @property
    def state(self) -> int:
        """The protocol's code for the lock's state."""
        if self.held is not None:
            return LOCKED
        return LOCK_PENDING if self._is_pending else NOT_LOCKED

    def active(self) -> Sequence[ActiveFault]:
        """Return the fault that stops play while the lock is held."""
        return [ActiveFault(HOST_LOCK, self._hosted.name)] if self._stops_play else []

    @property
    def is_possible(self) -> bool:
        """Whether it can be held now: a transfer is possible and no note or ticket is being stacked."""
        return self.is_free and not self._hosted.now.coming_cents

    @property
    def is_free(self) -> bool:
        """Whether no game, payout, menu, door, fault or other host's lock prevents a transfer now."""
        parts, own = self._hosted.parts, ActiveFault(HOST_LOCK, self._hosted.name)
        conditions = parts.conditions
        stopped = any(Stops.PLAY in explain(fault.code).stops for fault in conditions.active if fault != own)
        idle = parts.states.state in BETWEEN_GAMES or parts.states.state is State.ATTRACT
        closed = conditions.menu_open or conditions.out_of_service or conditions.demo_mode
        return idle and not stopped and not closed and parts.journal.lock is None

    async def ask(self, seconds: float) -> None:
        """Request the lock for `seconds`; it is pending until it can be held."""
        self._until = self._hosted.clock.now() + seconds
        self._is_pending = self._is_pending or self.held is None
        await self._advance()
        self._asked.set()

    def release(self) -> None:
        """Release the lock."""
        self.held, self._is_pending = None, False
        self._stop_play(stop=False)

    async def run(self) -> None:
        """Take a pending lock as soon as possible and release it when it expires, until cancelled."""
        while True:
            await self._asked.wait()
            self._asked.clear()
            while self.state != NOT_LOCKED:
                await self._hosted.clock.sleep(LOOK_EVERY_S)
                await self._advance()

    async def _advance(self) -> None:
        async with self._advancing:
            if self.state != NOT_LOCKED and self._hosted.clock.now() >= self._until:
                self.release()
            elif self.state == LOCK_PENDING and self.is_possible:
                await self._hold()

    async def _hold(self) -> None:
        """Hold the lock, unless a round, payout, note or ticket began at the same moment."""
        self._stop_play(stop=True)
        try:
            reported = await self._hosted.parts.journal.commit(self._report)
        except RefusedError:
            self._stop_play(stop=False)
        else:
            if self._stops_play:
                self.held, self._is_pending = reported, False

    def _report(self, tx: Transaction) -> None:
        """Queue 6F; raise `RefusedError` while a round, payout, note or ticket is in progress."""
        tx.refuse_in_play()
        if money.coming_cents(tx):
            raise RefusedError("A note is on its way: wait until it is settled")
        host_queue.queue(tx, self._hosted.name, Code.GAME_LOCKED, priority=True, overflow=Code.OVERFLOW)

    def _stop_play(self, *, stop: bool) -> None:
        if stop is not self._stops_play:
            self._stops_play = stop
            self._look()
