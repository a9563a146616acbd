"""U.7 and U.11: what runs on this machine, and a bundle for whoever is asked for help with it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from controller.books.identity import Identity
from controller.exporting.diagnostics import diagnostics
from controller.exporting.software import PACKAGES, folder_hash, mathematics, package_hash, versions
from controller.journal.errors import RefusedError
from controller.journal.transaction import Transaction
from controller.service.exporting import Writes, to_sticks, written
from controller.service.leaf import Deed, Leaf, Line, Work

if TYPE_CHECKING:
    from controller.machine.machine import Machine

NOT_HERE = "not from this menu: see docs, installation"
HASH_SHOWN = 40
"""So many digits of a hash fit beside its name."""


def _software(_tx: Transaction, _machine: "Machine") -> Sequence[Line]:
    """Tell versions, and the mathematics of each game."""
    return (
        Line("Versions", tone="heading"),
        *(Line("{place}", number, place=name) for name, number in versions().items()),
        Line("Mathematics of the games", tone="heading"),
        *(Line("{place}", maths.sha256[:HASH_SHOWN], count=maths.version, place=maths.game) for maths in mathematics()),
        Line("Hashes of program and art", leads=Work(_hashes)),
        Line("Update and roll back", NOT_HERE),
    )


async def _hashes(machine: "Machine", _deed: Deed) -> Leaf:
    """Return the page with the hashes, which take some seconds to be counted."""
    baked = Path(machine.cabinet.display.baked)

    def count() -> dict[str, str]:
        found = {name: package_hash(name) for name in PACKAGES}
        if baked.is_dir():
            found[str(baked)] = folder_hash(baked)
        return found

    try:
        found = await asyncio.to_thread(count)
    except OSError as error:
        raise RefusedError("The program's files cannot be read") from error
    lines = tuple(Line("{place}", digest, place=name) for name, digest in found.items())
    return Leaf("U.7.1", "Hashes of program and art", lambda _tx, _machine: lines)


def _bundle(machine: "Machine") -> Writes:
    def write(stick: Path, own: Identity, now_ms: int) -> Path:
        return diagnostics(machine.journal.path, stick, own, machine.cabinet, now_ms)

    return write


def _diagnostics(tx: Transaction, machine: "Machine") -> Sequence[Line]:
    return to_sticks(tx, machine, "Diagnostics onto the stick {place}", written("diagnostics", _bundle))


LEAVES = (
    Leaf("U.7", "Software", _software, technician=True),
    Leaf("U.11", "Diagnostics bundle", _diagnostics, technician=True),
)
