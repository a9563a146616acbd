"""What pages of the menu write onto USB sticks as signed folders."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from controller.journal.event_catalogue import EventKind
from controller.journal.transaction import Transaction
from controller.keys.identity import Identity
from controller.media.signed_folder import Manifest, manifest_in
from controller.media.sticks import NO_STICK, stick_errors, sticks
from controller.service.cabinet_key import key_of
from controller.service.page import Job, Line, Submission
from controller.service.serviced_machine import ServicedMachine

WRITTEN = "It is written and proved; the stick may be pulled out"

Writes = Callable[[Path, Identity, int], Path]
"""Writes a signed folder into a folder, dated with a time in milliseconds, and returns the new one."""


def to_sticks(tx: Transaction, machine: ServicedMachine, label: str, job: Callable[[Path], Job]) -> list[Line]:
    """Return a line for each inserted stick, which leads to the job of writing to it."""
    found = sticks(machine.settings.config.export.roots, simulated=tx.is_simulated)
    return [Line(label, place=stick.name, leads=job(stick)) for stick in found] or [Line(NO_STICK)]


def written(event: EventKind, write: Callable[[ServicedMachine], Writes]) -> "Callable[[Path], Job]":
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
