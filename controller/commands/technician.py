"""Shared by the technician's commands: the PIN prompt, and the key that the journal is bound to."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import click

from controller.configuration.cabinet_toml import Config
from controller.journal.actor import Actor, Role, acting
from controller.journal.lost_tickets import seal_numbers
from controller.journal.number_seal import PLAIN, NumberSeal
from controller.journal.people import Attempt, Person, Remaining, may_turn, record_attempt, remaining
from controller.journal.settings import stored_settings
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from controller.keys import identity
from controller.keys.pins import Credential, PinFile, settle_pins
from controller.keys.ticket_numbers import TicketNumbers
from controller.settings.settings import fitted as fitted_settings

Known = TypeVar("Known", Person, Credential)


def let_in(store: Store, config: Config) -> Actor:
    """Prompt for a technician's PIN, if any is set; end the command if it gives no access.

    The attempt is recorded, and too many wrong ones bar the PIN as in the menu (S1). A PIN that must be replaced at its
    next use gives no access here.
    """
    pins = PinFile(store.path)
    settle_pins(store, pins)
    found = store.transact(lambda tx: may_turn(tx, Role.TECHNICIAN))
    if not found:
        return Actor(Role.TECHNICIAN)
    person = _chosen(found)
    known, typed = pins.of_seal(person.pin), _typed_pin()
    fitted = known is not None and known.fits(typed)
    limits = fitted_settings(config, store.transact(stored_settings)).config.service

    def record(tx: Transaction) -> tuple[Attempt, Remaining]:
        attempt = record_attempt(
            tx, person.id, fitted=fitted, most_failures=limits.pin_attempts, barred_for=limits.barred_minutes
        )
        return attempt, remaining(tx, person.id, limits.pin_attempts)

    outcome, left = store.transact(record)
    if outcome is not Attempt.GRANTED:
        raise click.ClickException(f"the PIN is {_refused(outcome, left)}: nothing was changed")
    if person.change_pin:
        raise click.ClickException("choose a PIN of your own at the cabinet first: nothing was changed")
    return Actor(Role.TECHNICIAN, person.id, person.name)


def _refused(outcome: Attempt, left: Remaining) -> str:
    """Return why a PIN was refused and what to do; barred minutes pass only while the cabinet runs."""
    if outcome is Attempt.WRONG:
        return f"wrong (tries left: {left.tries})"
    helpers = f", or use the PIN of {' or '.join(left.helpers)}" if left.helpers else ""
    return f"barred (let the cabinet run for {left.minutes} more minutes{helpers})"


def let_in_without_books(journal: Path) -> Actor:
    """Prompt for a technician's PIN if the journal is lost but the file of its PINs still exists."""
    found = [one for one in PinFile(journal).read() if one.role is Role.TECHNICIAN]
    if not found:
        return Actor(Role.TECHNICIAN)
    known = _chosen(found)
    if not known.fits(_typed_pin()):
        raise click.ClickException("the PIN is wrong: nothing was changed")
    return Actor(Role.TECHNICIAN, name=known.name)


def _chosen(found: Sequence[Known]) -> Known:
    """Return the only technician, or the one whose name is typed."""
    if len(found) == 1:
        return found[0]
    names = [one.name for one in found]
    name = click.prompt("Technician", type=click.Choice(names, case_sensitive=False), err=True)
    return found[names.index(name)]


def _typed_pin() -> str:
    return str(click.prompt("PIN of the technician", hide_input=True, err=True))


def bound_anew(
    store: Store, key: Path, *, reason: str, by: Actor | None = None, before: NumberSeal = PLAIN
) -> identity.Identity:
    """Bind the journal to the key in the file at `key`, created if missing; return the key.

    `before` is the seal of the previous key; it opens the sealed ticket numbers if the file of that key exists.
    """
    own = identity.read_identity(key) or identity.make_identity(identity.fresh(key))
    store.numbers = TicketNumbers(own.path)

    def bind(tx: Transaction) -> None:
        identity.bind(tx, own, Role.TECHNICIAN, reason)
        seal_numbers(tx, own.public_key.hex(), before)

    with acting(by):
        store.transact(bind)
    return identity.settled(own, key)
