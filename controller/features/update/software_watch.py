"""The watch over the cabinet's software: proved at every start, when a door to it is shut, and whenever somebody asks.

Until the first proof, and during every other, nothing is played and no money moves. The files are read and hashed in a
thread of their own, so that the watchdog is fed and everything else comes up meanwhile.
"""

import asyncio
import os
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, Protocol

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
"""Behind these the program can be reached; what is behind them is proved when they are shut (S2)."""


class Proof(Protocol):
    """Reads and proves the software, `fresh` from the medium; blocks, and ends where `progress` raises."""

    def __call__(self, *, fresh: bool, progress: Progress) -> Verdict:
        """Return what was found."""


def proof_of_this(baked: str) -> Proof | None:
    """Return the proof of the installation that this process runs from; None in a source tree.

    It is of all that this process runs too, and of what the display loads, the art in `baked` and the games' folders:
    each must be signed.
    """
    installation = this_installation()
    if installation is None:
        return None

    def prove(*, fresh: bool, progress: Progress) -> Verdict:
        used = {*running_files(), *imported_files(), os.path.realpath(baked)}
        # A studio's games, wherever they lie: what the display loads of them is nothing that this process has imported.
        used |= {os.path.realpath(folder_of(name)) for name in found()}
        return installation.prove(fresh=fresh, progress=progress, used=used)

    return prove


class Newest(NamedTuple):
    """The newest proof: what it found, when it was over on the wall's clock, and how long it took."""

    verdict: Verdict
    at_ms: int
    seconds: float


class _BrokenOffError(Exception):
    """Nobody wants this proof any longer."""


class SoftwareWatch:
    """Proves the cabinet's software; without a `fit` there is none to prove: a source tree."""

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
        """Whether there is signed software here."""
        return self._proof is not None

    @property
    def was_proved(self) -> bool:
        """Whether a proof is over since the start, whatever it found, or there is nothing to prove."""
        return self._proof is None or self.newest is not None

    @property
    def is_authentic(self) -> bool | None:
        """Whether the software was as signed at its newest proof, None where there was none."""
        return None if self.newest is None else self.newest.verdict.is_authentic

    @property
    def at_start(self) -> Sequence[Callable[[Transaction], object]]:
        """What is recorded with each start of signed software; nothing in a source tree."""
        return (trust.at_start,) if self.is_installed else ()

    def active(self) -> list[tuple[str, str]]:
        """What stops play while a proof is under way, as a fault with its place."""
        return [("software_proving", "")] if self.proving else []

    def fit(self, proof: Proof) -> None:
        """Prove by this from now on; the first proof is due at once, of what the kernel has read from the medium."""
        self._proof = proof
        self.proving = True
        self._wanted.set()

    def door_shut(self, name: str) -> None:
        """Prove again after a door was open behind which the program lies."""
        if name in DOORS:
            self.ask()

    def ask(self) -> None:
        """Prove again, from the medium; a proof that is under way is begun anew, since it may have passed the place."""
        if self._proof is None or self._journal.lock is not None:
            return
        self.proving = self._fresh = True
        self._over.clear()
        self._wanted.set()
        self._states.new_turn()

    async def verify_now(self) -> Newest | None:
        """Prove again, and return what was found once it is recorded; None where there is nothing to prove."""
        self.ask()
        if self.proving:
            await self._over.wait()
        return self.newest

    async def run(self) -> None:
        """Prove whenever it is wanted, until cancelled or until the machine is locked for good."""
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
                if self._wanted.is_set():  # a door was shut meanwhile: this one opens nothing
                    continue
                self.newest = Newest(verdict, clock.wall_ms(), clock.now() - began)
                self.proving = False
                self._over.set()
                self._states.new_turn()
        finally:
            self._over.set()


async def proved_apart(proof: Proof, *, fresh: bool, is_unwanted: Callable[[], bool] = lambda: False) -> Verdict | None:
    """Return what a proof found in a thread of its own, None where it was broken off as `is_unwanted`.

    Where this is cancelled the thread ends soon.
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
