"""Archives a journal that has grown to its limit while no game is played, and verifies the archives.

The archiving itself is done at a start (`controller.features.archive.archiving`), so only a restart is needed, at a
time when it disturbs no player: in attract mode without credit the supervisor exits and is restarted, which takes a
second. On a cabinet that is never idle the journal may grow to twice its limit; then it restarts at the first moment
between two games, and the player finds game, bet and credit unchanged. Any other start archives as well.

An archive is verified once, afterwards: its SHA-256, and each of its rounds by replay, in a process that is active a
quarter of the time.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from controller.books.opening import Archiving
from controller.books.proof import Proof
from controller.files.bounded import ForeignFileError, digest_of
from controller.fitting import Task
from controller.journal import archives
from controller.journal.archives import Archive
from controller.journal.faults import raise_fault
from controller.journal.transaction import Transaction
from controller.machine.conditions import Conditions
from controller.machine.game_state import GameState
from controller.machine.journal_port import JournalPort
from controller.machine.state_machine import StateMachine
from controller.machine.states import State
from controller.system.host import Departure, Host
from drivers.clock import Clock

LOOK_S = 30.0
PLACE = "storage"
NOT_ARCHIVED = "archive_failed"
"""The fault code of a journal that has grown to its limit and could not be archived."""
DAMAGED = archives.FAILED
"""The fault code of an archive that is missing or differs from the journal's record."""
PATIENCE = 2
"""At this multiple of its limit a journal is archived between any two games."""
_TO_BE_PROVED = (archives.UNPROVED_STATE, archives.FAILED_STATE)  # a failed one may have been put back since
_CALM = frozenset({State.ATTRACT, State.LOBBY, State.COMPANION, State.IDLE})


class Verdict(NamedTuple):
    """The result of verifying an archive: the failure, empty if none, and the count of rounds of other mathematics."""

    failure: str
    unlike: int = 0


Prove = Callable[[Archive, Path], Awaitable[Verdict | None]]
"""Verifies an archive; None if the verification was interrupted, which says nothing about the archive."""

AUDIT = ("-m", "controller", "audit", "--alone", "--gently", "--format", "json")


async def proved(archive: Archive, file: Path, command: Sequence[str] = AUDIT) -> Verdict | None:
    """Verify an archive in a separate process that leaves most of the computer's time to others.

    Returns None if that process is ended by a signal: the service manager sends one to each process when it stops the
    supervisor.
    """
    try:
        if await asyncio.to_thread(digest_of, file, archive.size) != archive.sha256:
            return Verdict(f"{file} is not the file that was archived")
    except ForeignFileError as error:
        return Verdict(f"{file} is not the file that was archived: {error}")
    except OSError as error:
        return Verdict(f"{file}: {error.strerror or error}")
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, str(file), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        out, errors = await process.communicate()
    finally:
        with suppress(ProcessLookupError):
            process.kill()
    if process.returncode is None or process.returncode < 0:
        return None
    try:
        proof = msgspec.json.decode(out, type=Proof)
    except msgspec.DecodeError:
        return Verdict(f"{file}: {errors.decode(errors='replace').strip()[-200:] or 'its proof came to no end'}")
    against = len(proof.failures) - proof.unlike
    return Verdict(f"{file}: {against} proofs failed" if against else "", proof.unlike)


class ArchiveWatch:
    """Restarts the supervisor to archive, verifies archives, and raises faults for failures."""

    def __init__(
        self,
        journal: JournalPort,
        conditions: Conditions,
        play: GameState,
        states: StateMachine,
        clock: Clock,
        *,
        host: Host,
        archiving: Archiving,
        prove: Prove = proved,
    ) -> None:
        self._journal = journal
        self._conditions = conditions
        self._play = play
        self._states = states
        self._clock = clock
        self._host = host
        self._archiving = archiving
        self._prove = prove

    def __repr__(self) -> str:
        return f"<ArchiveWatch {self._archiving}>"

    def tasks(self) -> tuple[Task]:
        """Return the watch's task."""
        return (Task("archive watch", self.run()),)

    async def run(self) -> None:
        """Report a failed archiving, verify archives and check for the next, until cancelled, locked or leaving."""
        await self._states.up.wait()
        if self._archiving.failed:
            await self._journal.record(self._report_failure)
        for archive in await self._journal.do(archives.archives):
            if archive.state in _TO_BE_PROVED:
                await self._prove_one(archive)
        while self._journal.lock is None:
            if await self.look():
                return
            await self._clock.sleep(LOOK_S)

    async def look(self) -> bool:
        """Check whether the journal is to be archived at once; return whether the supervisor was asked to exit for it.

        An attempt that failed in this run is repeated only at the next start.
        """
        path = self._journal.path
        if self._archiving.failed or not self._is_left_alone(path.stat().st_size):
            return False
        if not await self._journal.do(lambda tx: self._archiving.is_due(tx, path)):
            return False
        self._host.leave(Departure.RESTART)
        return True

    def _is_left_alone(self, size: int) -> bool:
        if self._conditions.overlay not in (None, State.OUT_OF_SERVICE):
            return False  # somebody is at work or must come: the next start is near
        if size >= PATIENCE * self._archiving.limit_bytes:
            return self._states.state in _CALM and self._play.autospin is None and not self._states.showing
        return self._states.state is State.ATTRACT and not self._journal.credit_cents

    def _report_failure(self, tx: Transaction) -> None:
        raise_fault(tx, NOT_ARCHIVED, PLACE, self._archiving.failed)

    async def _prove_one(self, archive: Archive) -> None:
        file = archive.found(self._journal.path)
        verdict: Verdict | None
        if file is None:
            verdict = Verdict(f"{archive.name} is not in {archive.folder}")
        else:
            with suppress(OSError):  # a medium without file modes
                file.chmod(0o444)  # it may be missing after a power cut
            verdict = await self._prove(archive, file)
        if verdict is None or (verdict.failure and archive.state == archives.FAILED_STATE):
            return  # the next start verifies it, or this was reported already

        def report(tx: Transaction) -> None:
            if verdict.failure:
                archives.failed(tx, archive)
                raise_fault(tx, DAMAGED, PLACE, verdict.failure)
            else:
                archives.proved(tx, archive, verdict.unlike)

        await self._journal.record(report)
