"""The technician's PIN in books from before people had names, until the table `people` takes its place."""

from typing import NamedTuple

from controller.journal.actor import Role
from controller.journal.people import FIRST_NAME, add_person, named
from controller.journal.reads import has_table
from controller.journal.transaction import Transaction

_TABLE = "pins"


class OldPin(NamedTuple):
    """The technician's row: the PIN's salt and digest, and the wrong attempts that count against it."""

    salt: bytes
    digest: bytes
    failures: int
    barred_until: int


def old_pin(tx: Transaction) -> OldPin | None:
    """Return the technician's PIN, None where these books hold none."""
    if not has_table(tx, _TABLE):
        return None
    row = tx.execute("SELECT salt, digest, failures, barred_until FROM pins WHERE who = 'technician'").fetchone()
    return None if row is None else OldPin(*row)


def replace_old_pin(tx: Transaction, old: OldPin, seal: str) -> None:
    """Give the first technician the PIN with that seal and the old one's wrong attempts, and erase the old one."""
    person = named(tx, FIRST_NAME) or add_person(tx, FIRST_NAME, Role.TECHNICIAN, seal, change_pin=True)
    tx.execute(
        "UPDATE people SET failures = ?, barred_until = ? WHERE id = ?", (old.failures, old.barred_until, person.id)
    )
    erase_old_pins(tx)


def erase_old_pins(tx: Transaction) -> None:
    """Empty the table of PINs, if these books have it, and overwrite what was in it."""
    if has_table(tx, _TABLE):
        tx.execute("PRAGMA secure_delete = ON")
        tx.execute("DELETE FROM pins")
