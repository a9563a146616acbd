"""The archive watch as a part of the cabinet."""

from controller.books.opening import Archiving
from controller.features.archive.watch import ArchiveWatch, Prove, proved
from controller.fitting import Cabinet
from controller.machine.machine import Machine


def archive_watch(cabinet: Cabinet) -> ArchiveWatch | None:
    """Return the cabinet's archive watch, or None if its books are not archived."""
    return None if cabinet.archiving is None else archive_watch_of(cabinet.machine, cabinet.archiving)


def archive_watch_of(machine: Machine, archiving: Archiving, prove: Prove = proved) -> ArchiveWatch:
    """Return the archive watch of a machine."""
    journal, conditions, play, states = machine.journal, machine.conditions, machine.play, machine.states
    return ArchiveWatch(
        journal, conditions, play, states, machine.clock, host=machine.host, archiving=archiving, prove=prove
    )
