"""C.7: the technician's PIN, the key switches, and the limits of the menu (standards.md S1)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from controller.configuration import settings_table
from controller.configuration.cabinet_toml import Service
from controller.journal import pins
from controller.journal.errors import RefusedError
from controller.journal.pins import Attempt, StoredPin
from controller.journal.transaction import Transaction
from controller.service.leaf import Act, Deed, Entry, Line, Who
from controller.service.setting_lines import lines_of
from drivers.wiring import KEYS

if TYPE_CHECKING:
    from controller.machine.machine import Machine

OLD, NEW, AGAIN = "PIN until now", "New PIN of 4 to 8 digits", "Type it again"
CHANGED, WRONG, BARRED = "The PIN is changed", "Wrong PIN", "Too many wrong PINs: wait some minutes"
TURNED, NOT_TURNED, NOT_FITTED = "turned", "not turned", "not fitted"


def read(_tx: Transaction, machine: "Machine") -> Sequence[Line]:
    """Return the page's lines."""
    entries = (Entry("old", OLD, "digits"), Entry("new", NEW, "digits"), Entry("again", AGAIN, "digits"))
    change = Act(lambda tx, deed: change_pin(tx, deed, machine.cabinet.service), entries)
    return [
        Line("Change the PIN", leads=change),
        *(Line("Key of the {place}", _key(name, machine), place=name) for name in KEYS),
        *lines_of(settings_table.access(machine.cabinet), machine),
    ]


def _key(name: str, machine: "Machine") -> str:
    if name not in machine.cabinet.pins.keys:
        return NOT_FITTED
    return TURNED if machine.keys.is_turned(name) else NOT_TURNED


def change_pin(tx: Transaction, deed: Deed, limits: Service) -> str:
    """Take a new PIN from whoever knows the old one; a wrong old one counts as an attempt to get in."""
    old, new = deed.typed["old"], deed.typed["new"]
    if new != deed.typed["again"]:
        raise RefusedError("The two are not the same")
    if not pins.SHORTEST <= len(new) <= pins.LONGEST:
        raise RefusedError("A PIN has 4 to 8 digits")
    if pins.is_guessable(new):
        raise RefusedError("This PIN would be guessed: choose another")
    if new == old:
        raise RefusedError("The new PIN must differ from the old one")
    known = pins.stored_pin(tx, Who.TECHNICIAN)
    outcome = pins.record_attempt(
        tx,
        Who.TECHNICIAN,
        fitted=known is not None and known.fits(old),
        most_failures=limits.pin_attempts,
        barred_for=limits.barred_minutes,
    )
    if outcome is not Attempt.GRANTED:
        return BARRED if outcome is Attempt.BARRED else WRONG
    pins.choose_pin(tx, Who.TECHNICIAN, StoredPin.of(new), deed.who)
    return CHANGED
