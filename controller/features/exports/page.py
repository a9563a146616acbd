"""M.7, U.6 and U.11: signed exports, backups and diagnostics on a USB stick, and the meters as a QR code."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from controller.books import second_copy
from controller.books.rotation import head_of
from controller.features.archive.page import archive_lines
from controller.features.copies import backups, restoring
from controller.features.exports import exports
from controller.features.exports.summary import modules, summary
from controller.journal.event_catalogue import Event
from controller.journal.faults import active_faults
from controller.journal.transaction import Transaction
from controller.keys import identity
from controller.keys.identity import Identity
from controller.media.signed_folder import Manifest, manifest_in
from controller.media.snapshots import snapshot
from controller.media.sticks import NO_STICK, stick_errors, sticks
from controller.service.cabinet_key import NO_KEY, key_of
from controller.service.doors import memory_door, refuse_shut_door
from controller.service.page import Job, Line, Page, Submission
from controller.service.serviced_machine import ServicedMachine
from controller.system.host import Departure

WRITTEN = "It is written and proved; the stick may be pulled out"
SCAN = "Scan it; cabinet verify-export proves it"
HEAD_SHOWN = 16
"""The number of digits shown of a hash."""

Writes = Callable[[Path, Identity, int], Path]
"""Writes a signed folder into a folder, dated with a time in milliseconds, and returns the new one."""

NO_COPY, COPY_FAILS, COPY_WRITTEN = "none is named in cabinet.toml", "a fault is present", "written at each commit"


def to_sticks(tx: Transaction, machine: ServicedMachine, label: str, job: Callable[[Path], Job]) -> list[Line]:
    """Return a line for each inserted stick, which leads to the job of writing to it."""
    found = sticks(machine.settings.config.export.roots, simulated=tx.is_simulated)
    return [Line(label, place=stick.name, leads=job(stick)) for stick in found] or [Line(NO_STICK)]


def written(event: Event, write: Callable[[ServicedMachine], Writes]) -> "Callable[[Path], Job]":
    """Return a function that makes the job of writing something on a stick, recorded as `event`."""

    def onto(stick: Path) -> Job:
        async def run(machine: ServicedMachine, submission: Submission) -> str:
            own, now_ms = key_of(machine), machine.clock.wall_ms()
            made = await asyncio.to_thread(write(machine), stick, own, now_ms)
            end = await asyncio.to_thread(_end_of, made)
            await machine.journal.do(
                lambda tx: tx.event(
                    event, name=made.name, stick=stick.name, who=submission.who, row=end.seq, hash=end.head
                )
            )
            return WRITTEN

        return Job(run)

    return onto


def _end_of(made: Path) -> Manifest:
    """Return the manifest of what was written; its last ledger row proves that the next export follows it."""
    with stick_errors():
        return manifest_in(made)


def _export(machine: ServicedMachine) -> Writes:
    def write(stick: Path, own: Identity, now_ms: int) -> Path:
        return exports.export(machine.journal.path, stick, own, machine.settings.config.cabinet.name, now_ms)

    return write


async def _code(machine: ServicedMachine, _submission: Submission) -> Page:
    """Return the page with the main meters as a QR code."""
    own, now_ms, path = key_of(machine), machine.clock.wall_ms(), machine.journal.path

    def make() -> tuple[str, tuple[str, ...]]:
        with snapshot(path) as connection:
            text = summary(connection, own, now_ms)
        return text, modules(text)

    text, rows = await asyncio.to_thread(make)
    lines = (Line(SCAN), Line("Text", text, whole=True))
    return Page("M.7.1", "Meters as a QR code", lambda _tx, _machine: lines, modules=rows)


def _meters(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    """Return the signing key's fingerprint and a line for each stick, updated while the page is open."""
    head = head_of(tx)
    own = identity.read_identity(machine.settings.config.cabinet.key_file)
    return (
        Line("Key of this machine", NO_KEY if own is None else own.fingerprint),
        Line("Ledger rows", head.hash[:HEAD_SHOWN], count=head.seq),
        *to_sticks(tx, machine, "Export to the stick {place}", written(Event.EXPORT, _export)),
        Line("Show as a QR code", leads=Job(_code)),
    )


def _back_up(machine: ServicedMachine) -> Writes:
    def write(stick: Path, own: Identity, now_ms: int) -> Path:
        return backups.backup(machine.journal.path, stick, own, machine.settings.config.cabinet.name, now_ms)

    return write


def _backups(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    """Return the sticks to back up to, the backups on them to restore, and the archives to move."""
    there = sticks(machine.settings.config.export.roots, simulated=tx.is_simulated)
    found = [backup for stick in there for backup in backups.backups(stick)]
    return (
        *to_sticks(tx, machine, "Back up onto the stick {place}", written(Event.BACKUP, _back_up)),
        *(Line("Restore {place}", place=backup.name, tone="bad", leads=_restores(backup)) for backup in found),
        *archive_lines(tx, machine.journal.path, there),
        _second_copy(tx, machine),
    )


def _second_copy(tx: Transaction, machine: ServicedMachine) -> Line:
    """Return the state of the second copy of the books, which is written at each commit."""
    if machine.settings.config.cabinet.second_copy_file is None:
        return Line("Second copy of the books", NO_COPY, tone="bad")
    fails = any(fault.place == second_copy.PLACE for fault in active_faults(tx))
    return Line("Second copy of the books", COPY_FAILS if fails else COPY_WRITTEN, tone="bad" if fails else "good")


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


PAGES = (
    Page("M.7", "Export", _meters),
    Page("U.6", "Back up and restore", _backups, technician=True),
)
