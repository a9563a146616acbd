"""Verifies the cabinet's software at every start, when a door to it is closed, and on request.

Until the first verification ends, and during every other, nothing is played and no money moves. The files are read and
hashed in a separate thread, so that the watchdog is fed and the rest of the program starts in the meantime.
"""

import asyncio
import os
import threading
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Protocol

from controller.configuration.cabinet_toml import Config
from controller.faults import ActiveFault
from controller.features.update import trust
from controller.features.update.installed import Verdict, this_installation
from controller.features.update.manifest import Progress
from controller.features.update.platform import imported_files, running_files
from controller.journal.transaction import Transaction
from controller.machine.journal_port import JournalPort
from controller.machine.state_machine import StateMachine
from drivers.clock import Clock
from gamekit.catalogue import folder_of, found

DOORS = frozenset({"main", "logic"})
"""The doors that give access to the program; closing one starts a verification (S2)."""


class Proof(Protocol):
    """Verifies the software; `fresh` reads it from the medium. Blocks, and ends if `progress` raises."""

    def __call__(self, *, fresh: bool, progress: Progress) -> Verdict:
        """Return the result."""


def proof_of_this(baked: str) -> Proof | None:
    """Return the verification of the installation that this process runs from; None in a source tree.

    Everything that this process runs, the art in `baked` and the games' folders, which the display loads, must be
    signed too.
    """
    installation = this_installation()
    if installation is None:
        return None

    def prove(*, fresh: bool, progress: Progress) -> Verdict:
        used = {*running_files(), *imported_files(), os.path.realpath(baked)}
        # Include a studio's games wherever they are: the display loads files of them that this process does not import.
        used |= {os.path.realpath(folder_of(name)) for name in found()}
        return installation.prove(fresh=fresh, progress=progress, used=used)

    return prove


class Newest(NamedTuple):
    """The newest verification: its result, when it ended by the wall clock, and how long it took."""

    verdict: Verdict
    at_ms: int
    seconds: float


class _BrokenOffError(Exception):
    """A verification was cancelled because a newer one is wanted."""


class SoftwareWatch:
    """Verifies the cabinet's software; without a call of `fit` there is none to verify, as in a source tree."""

    def __init__(self, journal: JournalPort, states: StateMachine, clock: Clock) -> None:
        self.proving = False
        self.newest: Newest | None = None
        self._journal = journal
        self._states = states
        self._clock = clock
        self._proof: Proof | None = None
        self._wanted = asyncio.Event()
        self._fresh = False
        self._over = asyncio.Event()

    def __repr__(self) -> str:
        return f"<SoftwareWatch {'proving' if self.proving else 'idle'}>"

    @property
    def is_installed(self) -> bool:
        """Whether this is signed software."""
        return self._proof is not None

    @property
    def was_proved(self) -> bool:
        """Whether a verification has ended since the start, with any result, or there is nothing to verify."""
        return self._proof is None or self.newest is not None

    @property
    def is_authentic(self) -> bool | None:
        """Whether the software was as signed at the newest verification; None before the first."""
        return None if self.newest is None else self.newest.verdict.is_authentic

    def at_start(self, tx: Transaction) -> None:
        """Keep the faults of signed software at a start."""
        if self.is_installed:
            trust.at_start(tx)

    def active(self) -> list[ActiveFault]:
        """The fault that stops play during a verification, with its place."""
        return [ActiveFault("software_proving", "")] if self.proving else []

    def fit(self, proof: Proof) -> None:
        """Use this verification; the first one starts at once and may read from the kernel's cache."""
        self._proof = proof
        self.proving = True
        self._wanted.set()

    def door_shut(self, name: str) -> None:
        """Verify again after a door to the program was open."""
        if name in DOORS:
            self.ask()

    def ask(self) -> None:
        """Verify again, from the medium; a running verification restarts, since it may have passed a changed file."""
        if self._proof is None or self._journal.lock is not None:
            return
        self.proving = self._fresh = True
        self._over.clear()
        self._wanted.set()
        self._states.new_turn()

    async def verify_now(self) -> Newest | None:
        """Verify again and return the result once it is recorded; None if there is nothing to verify."""
        self.ask()
        if self.proving:
            await self._over.wait()
        return self.newest

    async def run(self) -> None:
        """Verify whenever requested, until cancelled or until the machine is locked permanently."""
        journal, clock, proof = self._journal, self._clock, self._proof
        try:
            while proof is not None and journal.lock is None:
                await self._wanted.wait()
                self._wanted.clear()
                began = clock.now()
                verdict = await proved_apart(proof, fresh=self._fresh, is_unwanted=self._wanted.is_set)
                if verdict is None or self._wanted.is_set():
                    continue
                await journal.record(partial(trust.judge, verdict=verdict))
                if self._wanted.is_set():  # a door was closed in between: this result does not count
                    continue
                self.newest = Newest(verdict, clock.wall_ms(), clock.now() - began)
                self.proving = False
                self._over.set()
                self._states.new_turn()
        finally:
            self._over.set()


async def proved_apart(proof: Proof, *, fresh: bool, is_unwanted: Callable[[], bool] = lambda: False) -> Verdict | None:
    """Return the result of a verification run in a separate thread, or None if `is_unwanted` ended it.

    If this is cancelled, the thread ends soon.
    """
    ended = threading.Event()

    def progress(_count: int) -> None:
        if ended.is_set() or is_unwanted():
            raise _BrokenOffError

    try:
        return await asyncio.to_thread(proof, fresh=fresh, progress=progress)
    except _BrokenOffError:
        return None
    finally:
        ended.set()


async def proved_now(config: Config) -> bool:
    """Return whether this program is as it was signed, or a source tree."""
    return await is_as_signed(proof_of_this(config.display.baked))


async def is_as_signed(proof: Proof | None) -> bool:
    """Return whether a verification finds no difference; without one there is nothing to verify."""
    verdict = None if proof is None else await proved_apart(proof, fresh=False)
    return verdict is None or verdict.is_authentic
