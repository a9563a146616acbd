"""The lines of U.6 that back the books up onto a USB stick and restore them."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from controller.features.copies import backups, restoring
from controller.features.copies.events import CopyEvent
from controller.journal.transaction import Transaction
from controller.keys.identity import Identity
from controller.media.sticks import sticks
from controller.service.cabinet_key import key_of
from controller.service.doors import memory_door, refuse_shut_door
from controller.service.onto_sticks import Writes, to_sticks, written
from controller.service.page import Job, Line, Submission
from controller.service.serviced_machine import ServicedMachine
from controller.system.host import Departure


def _back_up(machine: ServicedMachine) -> Writes:
    def write(stick: Path, own: Identity, now_ms: int) -> Path:
        return backups.backup(machine.journal.path, stick, own, machine.settings.config.cabinet.name, now_ms)

    return write


def backup_lines(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    """Return the sticks to back up to, and the backups on them to restore."""
    there = sticks(machine.settings.config.export.roots, simulated=tx.is_simulated)
    found = [backup for stick in there for backup in backups.backups(stick)]
    return (
        *to_sticks(tx, machine, "Back up onto the stick {place}", written(CopyEvent.BACKUP, _back_up)),
        *(Line("Restore {place}", place=backup.name, tone="bad", leads=_restores(backup)) for backup in found),
    )


def _restores(backup: Path) -> Job:
    """Return the job that restores a backup: one transaction decides it, then the supervisor restarts."""

    async def run(machine: ServicedMachine, submission: Submission) -> str:
        own, path = key_of(machine), machine.journal.path
        await machine.journal.attempt(restoring.refuse_unless_cleared)
        prepare = partial(restoring.prepare, archives=machine.settings.config.storage.archive_folder, by=submission.by)
        prepared = await asyncio.to_thread(prepare, path, backup, own, submission.who, machine.clock.wall_ms)

        def decide(tx: Transaction) -> None:
            refuse_shut_door(machine, memory_door(machine))
            restoring.decide(tx, prepared)

        await machine.journal.attempt(decide)
        machine.host.leave(Departure.RESTART)
        await asyncio.Event().wait()  # this journal accepts no more rows: the process exits here
        return ""

    return Job(run, question="Replace the books of this machine by this backup?", confirmations=2)
