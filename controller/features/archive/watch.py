"""Archives a journal that has grown to its limit while no game is played, and proves the archives.

The archiving itself is done at a start (`controller.features.archive.archiving`), so all that is needed is a start when
it disturbs no player: in attract, without credit, the supervisor ends in order and is restarted, which takes a second.
A cabinet that is never left alone gets to twice its limit; then the first moment between two games will do, and the
player finds game, bet and credit as they were. Any other start does it as well.

What was archived is proved afterwards, once: its SHA-256, and each of its rounds by replay, in a process that works a
quarter of the time.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from controller.books.proof import Proof
from controller.features.archive import journal as archives
from controller.features.archive.archiving import Archiving
from controller.features.archive.journal import Archive
from controller.files.bounded import ForeignFileError, digest_of
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
"""The fault of a journal that has grown to its limit and could not be archived."""
DAMAGED = archives.FAILED
"""That of an archive that is not what the books say, or is not there."""
PATIENCE = 2
"""At so many times its limit a journal is archived between any two games."""
_TO_BE_PROVED = (archives.UNPROVED_STATE, archives.FAILED_STATE)  # one that failed may have been put back since
_CALM = frozenset({State.ATTRACT, State.LOBBY, State.WITCH, State.IDLE})


class Verdict(NamedTuple):
    """What the proof of an archive found: what speaks against it, or nothing, and rounds of other mathematics."""

    failure: str
    unlike: int = 0


Prove = Callable[[Archive, Path], Awaitable[Verdict | None]]
"""Proves an archive; None where the proof came to no end, which says nothing of the archive."""

AUDIT = ("-m", "controller", "audit", "--alone", "--gently", "--format", "json")


async def proved(archive: Archive, file: Path, command: Sequence[str] = AUDIT) -> Verdict | None:
    """Prove an archive in a process of its own that leaves most of the computer to others.

    None where that is ended by a signal: the service manager sends each process one when it stops the supervisor.
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
    """Restarts the supervisor for an archive, proves archives, and raises faults for what failed."""

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

    async def run(self) -> None:
        """Report a failed archive, prove archives and look for the next, until cancelled, locked or leaving."""
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
        """Look whether the journal is to be archived now; return whether the supervisor was asked to end for it.

        What this start has tried in vain is tried again at the next one, whenever that is.
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
            return False  # somebody is at work, or must come: the next start is near
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
            with suppress(OSError):  # a medium that knows no modes
                file.chmod(0o444)  # where the power was cut before
            verdict = await self._prove(archive, file)
        if verdict is None or (verdict.failure and archive.state == archives.FAILED_STATE):
            return  # the next start proves it, or this was reported already

        def report(tx: Transaction) -> None:
            if verdict.failure:
                archives.failed(tx, archive)
                raise_fault(tx, DAMAGED, PLACE, verdict.failure)
            else:
                archives.proved(tx, archive, verdict.unlike)

        await self._journal.record(report)
