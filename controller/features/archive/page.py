"""U.6: the journal's archives on the card, and moving them to a USB stick to free space (C6)."""

import asyncio
from pathlib import Path

from controller.books.rotation import refused_by_disk
from controller.features.archive.exports import copied
from controller.files.durable import flush_folder
from controller.journal import archives
from controller.journal.errors import RefusedError
from controller.journal.parts import has_linked_pools
from controller.journal.transaction import Transaction
from controller.media.sticks import sticks
from controller.service.cabinet_key import key_of
from controller.service.page import Job, Line, Submission, Tone
from controller.service.serviced_machine import ServicedMachine

STATES = {
    archives.UNPROVED_STATE: "not proved yet",
    archives.PROVED_STATE: "proved",
    archives.FAILED_STATE: "damaged",
    archives.MOVED_STATE: "on a stick too",
}
"""The states of an archive on the card."""
MEGABYTE = 1_000_000
MOST = 50
"""The most archives that the page lists, newest first."""
MOVED = "The archives are proved on the stick, and off the card"
NOTHING = "There is no proved archive to be moved"


def archive_lines(tx: Transaction, machine: ServicedMachine) -> list[Line]:
    """Return the archives on the card, newest first, and for each stick a line that moves them there."""
    here = [archive for archive in archives.archives(tx) if archive.found(machine.journal.path) is not None]
    if not here:
        return []
    size = sum(archive.size for archive in here) // MEGABYTE
    lines = [Line("Archives on the card, in megabytes", count=size, tone="heading")]
    if archives.movable(tx, machine.journal.path):
        there = sticks(machine.settings.config.export.roots, simulated=tx.is_simulated)
        lines += [
            Line("Move the archives to the stick {place}", place=stick.name, leads=_moves(stick)) for stick in there
        ]
    for archive in reversed(here[-MOST:]):
        tone: Tone = "bad" if archive.state == archives.FAILED_STATE else "plain"
        lines.append(Line("{place}", STATES[archive.state], tone=tone, place=archive.name))
    return lines


def _moves(stick: Path) -> Job:
    """Return the job that moves every verified archive to a stick: copy, read back, record, delete."""

    async def run(machine: ServicedMachine, submission: Submission) -> str:
        own, name = key_of(machine), machine.settings.config.cabinet.name
        due = await machine.journal.attempt(lambda tx: _due(tx, machine))
        for archive, file in due:
            now_ms = machine.clock.wall_ms()
            made = await asyncio.to_thread(copied, (archive, file), stick, own, name, now_ms)
            place = f"{made.name} on {stick.name}"
            await machine.journal.do(lambda tx: archives.moved(tx, archive, place, submission.who))  # noqa: B023 - awaited here
            await asyncio.to_thread(_remove, file)
        return MOVED

    return Job(run, question="Take the archives off the card, once they are proved on the stick?", confirmations=1)


def _due(tx: Transaction, machine: ServicedMachine) -> list[tuple[archives.Archive, Path]]:
    """Return the archives that may be moved; those with rows that the venue still needs stay.

    Raises `RefusedError` if there are none.
    """
    due = archives.movable(tx, machine.journal.path)
    if not due:
        raise RefusedError(NOTHING)
    if machine.venue is not None and has_linked_pools(tx):
        row = machine.venue.report().row
        due = [(archive, file) for archive, file in due if archive.seq <= row]
        if not due:
            raise RefusedError("The venue lacks rows of the archives: wait until it has them (U.13)")
    return due


@refused_by_disk()
def _remove(file: Path) -> None:
    file.unlink(missing_ok=True)
    flush_folder(file.parent)
