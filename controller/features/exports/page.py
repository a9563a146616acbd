"""M.7 and U.11: signed exports and diagnostics on a USB stick, and the meters as a QR code."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from controller.books.rotation import head_of
from controller.features.exports import exports
from controller.features.exports.diagnostics import diagnostics
from controller.features.exports.events import ExportEvent
from controller.features.exports.summary import modules, summary
from controller.journal.transaction import Transaction
from controller.keys import identity
from controller.keys.identity import Identity
from controller.media.snapshots import snapshot
from controller.service.cabinet_key import NO_KEY, key_of
from controller.service.onto_sticks import Writes, to_sticks, written
from controller.service.page import Job, Line, Page, Submission
from controller.service.serviced_machine import ServicedMachine

SCAN = "Scan it; cabinet verify-export proves it"
HEAD_SHOWN = 16
"""The number of digits shown of a hash."""


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
        *to_sticks(tx, machine, "Export to the stick {place}", written(ExportEvent.EXPORT, _export)),
        Line("Show as a QR code", leads=Job(_code)),
    )


def _bundle(machine: ServicedMachine) -> Writes:
    def write(stick: Path, own: Identity, now_ms: int) -> Path:
        return diagnostics(machine.journal.path, stick, own, machine.settings.config, now_ms)

    return write


def _diagnostics(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    return to_sticks(tx, machine, "Diagnostics onto the stick {place}", written(ExportEvent.DIAGNOSTICS, _bundle))


PAGES = (
    Page("M.7", "Export", _meters),
    Page("U.11", "Diagnostics bundle", _diagnostics, technician=True),
)
