"""What the commands of a technician at a shell share: the PIN of the books, and the key that they are bound to."""

from pathlib import Path

import click

from controller.books import identity
from controller.journal import pins
from controller.journal.pins import Attempt
from controller.journal.store import Store, read_only
from controller.journal.transaction import Transaction
from controller.service.leaf import Who


def let_in(store: Store) -> None:
    """Ask for the technician's PIN where the books have one, as the menu does; end the command where it is wrong.

    The attempt is in the books, and too many wrong ones bar the next (S1).
    """
    who = Who.TECHNICIAN
    stored = store.transact(lambda tx: pins.stored_pin(tx, who))
    if stored is None:
        return
    fitted = stored.fits(_typed_pin())
    outcome = store.transact(lambda tx: pins.record_attempt(tx, who, fitted=fitted))
    if outcome is not Attempt.GRANTED:
        raise click.ClickException(f"the PIN is {outcome}: nothing was changed")


def let_in_by(journal: Path) -> None:
    """Ask for the technician's PIN in a journal that cannot be written, such as a backup's."""
    with read_only(journal) as connection:
        stored = pins.stored_pin(Transaction(connection, 0), Who.TECHNICIAN)
    if stored is not None and not stored.fits(_typed_pin()):
        raise click.ClickException("the PIN is wrong: nothing was changed")


def _typed_pin() -> str:
    return str(click.prompt("PIN of the technician", hide_input=True, err=True))


def bound_anew(store: Store, key: Path, *, reason: str) -> identity.Identity:
    """Bind the books to the key in the file at `key`, made where there is none; return it."""
    own = identity.read_identity(key) or identity.make_identity(identity.fresh(key))
    store.transact(lambda tx: identity.bind(tx, own, Who.TECHNICIAN, reason))
    return identity.settled(own, key)
