"""People with access: attendants and technicians, each with a name and a PIN (requirements.md S1).

People are barred, never removed, because the ledger names them. The journal stores only a seal of each PIN
(`controller.keys.pins`). Each change is an event whose data repeat the person's row, so that the ledger explains the
whole table. Wrong PINs are counted here, where neither a power cut nor the clock resets them.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from controller.journal.actor import Role
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event, EventKind
from controller.journal.explained import Explained
from controller.journal.transaction import Transaction

MOST_FAILURES = 5
"""The number of consecutive wrong PINs that lock a person out."""
BARRED_MINUTES = 10
"""The duration of a lock-out in powered-on minutes, which a power cut or a clock change does not shorten."""
LONGEST_NAME = 20
MOST_PEOPLE = 200

CODES = ("person_added", "person_renamed", "person_barred", "person_admitted", "person_kept", "pin_changed", "pin_lost")
"""The codes of the events that change a person's row."""
EXPLAINED = Explained("a person", "people", "person", CODES, ("name", "role", "barred", "pin", "change_pin"))

_FIELDS = "SELECT id, name, role, barred, pin, change_pin FROM people"


class Person(NamedTuple):
    """A row of the table: `pin` is the seal of the PIN, empty if none is set.

    With `change_pin` the PIN must be changed before anything else.
    """

    id: int
    name: str
    role: Role
    barred: bool
    pin: str
    change_pin: bool

    @property
    def may_enter(self) -> bool:
        """Whether this person can enter with a PIN."""
        return not self.barred and bool(self.pin)


class Attempt(StrEnum):
    """The outcome of an attempt to enter with a PIN."""

    GRANTED = "granted"
    WRONG = "wrong"
    BARRED = "barred"


_ATTEMPTED = {
    Attempt.GRANTED: Event.PIN_GRANTED,
    Attempt.WRONG: Event.PIN_WRONG,
    Attempt.BARRED: Event.PIN_BARRED,
}


def people(tx: Transaction) -> list[Person]:
    """Return all people, technicians last, by name."""
    return [_person(row) for row in tx.execute(f"{_FIELDS} ORDER BY role, name COLLATE NOCASE")]


def may_turn(tx: Transaction, key: Role) -> list[Person]:
    """Return the people who may enter with this key; technicians may use either key."""
    roles = (Role.TECHNICIAN,) if key is Role.TECHNICIAN else (Role.ATTENDANT, Role.TECHNICIAN)
    return [person for person in people(tx) if person.role in roles and person.may_enter]


def person_of(tx: Transaction, number: int) -> Person:
    """Return the person with this number; raise `RefusedError` if there is none."""
    row = tx.execute(f"{_FIELDS} WHERE id = ?", (number,)).fetchone()
    if row is None:
        raise RefusedError("There is nobody of that name")
    return _person(row)


def named(tx: Transaction, name: str) -> Person | None:
    """Return the person with this name, ignoring case, or None."""
    wanted = name.casefold()
    return next((person for person in people(tx) if person.name.casefold() == wanted), None)


def _person(row: tuple[int, str, str, int, str | None, int]) -> Person:
    number, name, role, barred, pin, change_pin = row
    return Person(number, name, Role(role), bool(barred), pin or "", bool(change_pin))


def proper_name(tx: Transaction, name: str, number: int = 0) -> str:
    """Return a name without extra spaces; raise `RefusedError` if it is empty, too long or taken."""
    name = " ".join(name.split())
    if not 0 < len(name) <= LONGEST_NAME:
        raise RefusedError("A name has 1 to {most} letters", most=LONGEST_NAME)
    other = named(tx, name)
    if other is not None and other.id != number:
        raise RefusedError("Somebody else has this name: choose another")
    return name


def add_person(tx: Transaction, name: str, role: Role, pin: str, *, change_pin: bool) -> Person:
    """Add a person with a sealed PIN; raise `RefusedError` as `proper_name` does."""
    name = proper_name(tx, name)
    (count,) = tx.execute("SELECT count(*) FROM people").fetchone()
    if count >= MOST_PEOPLE:
        raise RefusedError("There are {most} people already, and there can be no more", most=MOST_PEOPLE)
    cursor = tx.execute(
        "INSERT INTO people (name, role, pin, change_pin) VALUES (?, ?, ?, ?)",
        (name, str(role), pin or None, int(change_pin)),
    )
    return _changed(tx, int(cursor.lastrowid or 0), Event.PERSON_ADDED)


def rename_person(tx: Transaction, number: int, name: str) -> Person:
    """Rename a person; raise `RefusedError` as `proper_name` does."""
    old, name = person_of(tx, number).name, proper_name(tx, name, number)
    tx.execute("UPDATE people SET name = ? WHERE id = ?", (name, number))
    return _changed(tx, number, Event.PERSON_RENAMED, old=old)


def set_pin(tx: Transaction, number: int, pin: str, *, change_pin: bool = False) -> Person:
    """Set a person's sealed PIN and reset the wrong attempts."""
    person = person_of(tx, number)
    if person.barred:
        raise RefusedError("This person is barred: admit them first")
    tx.execute(
        "UPDATE people SET pin = ?, change_pin = ?, failures = 0, barred_until = 0 WHERE id = ?",
        (pin, int(change_pin), number),
    )
    return _changed(tx, number, Event.PIN_CHANGED)


def bar_person(tx: Transaction, number: int) -> Person:
    """Bar a person and remove the PIN; raise `RefusedError` if no technician would be left."""
    person = person_of(tx, number)
    left = [one for one in may_turn(tx, Role.TECHNICIAN) if one.id != number]
    if person.role is Role.TECHNICIAN and not left:
        raise RefusedError("The last technician cannot be barred: add another one first")
    tx.execute("UPDATE people SET barred = 1, pin = NULL, change_pin = 0 WHERE id = ?", (number,))
    return _changed(tx, number, Event.PERSON_BARRED)


def admit_person(tx: Transaction, number: int, pin: str) -> Person:
    """Admit a barred person again with a new sealed PIN that must be changed at the first entry."""
    tx.execute(
        "UPDATE people SET barred = 0, pin = ?, change_pin = 1, failures = 0, barred_until = 0 WHERE id = ?",
        (pin, number),
    )
    return _changed(tx, number, Event.PERSON_ADMITTED)


def lose_pins(tx: Transaction, present: Iterable[str]) -> None:
    """Remove the PINs whose seals are not in `present`: they are lost, and their owners need new ones."""
    there = frozenset(present)
    for person in people(tx):
        if person.pin and person.pin not in there:
            tx.execute("UPDATE people SET pin = NULL WHERE id = ?", (person.id,))
            _changed(tx, person.id, Event.PIN_LOST)


def _changed(tx: Transaction, number: int, event: EventKind, **figures: Any) -> Person:
    person = person_of(tx, number)
    role = str(person.role)
    tx.event(event, place=role, name=person.name, role=role, person=person._asdict(), **figures)
    return person


def barred_minutes(tx: Transaction, number: int) -> int:
    """Return the remaining powered-on minutes of a person's lock-out, 0 if there is none."""
    row = tx.execute(
        "SELECT barred_until - powered_minutes FROM people, cabinet"
        " WHERE people.id = ? AND barred_until > powered_minutes",
        (number,),
    ).fetchone()
    return 0 if row is None else int(row[0])


class Remaining(NamedTuple):
    """The state after wrong PINs: `tries` left before a lock-out, and `minutes` left of one, 0 if there is none.

    `helpers` are the technicians who can enter and give this person a new PIN.
    """

    tries: int
    minutes: int
    helpers: tuple[str, ...]


def remaining(tx: Transaction, number: int, most_failures: int = MOST_FAILURES) -> Remaining:
    """Return a person's remaining tries, if `most_failures` consecutive wrong PINs cause a lock-out."""
    (failures,) = tx.execute("SELECT failures FROM people WHERE id = ?", (number,)).fetchone()
    others = [one for one in may_turn(tx, Role.TECHNICIAN) if one.id != number and not barred_minutes(tx, one.id)]
    return Remaining(max(0, most_failures - failures), barred_minutes(tx, number), tuple(one.name for one in others))


def record_attempt(
    tx: Transaction,
    number: int,
    *,
    fitted: bool,
    most_failures: int = MOST_FAILURES,
    barred_for: int = BARRED_MINUTES,
) -> Attempt:
    """Record an attempt to enter and return its outcome; during a lock-out it is never granted.

    `most_failures` consecutive wrong PINs lock the person out for `barred_for` powered-on minutes.
    """
    person = person_of(tx, number)
    if barred_minutes(tx, number):
        outcome = Attempt.BARRED
    elif fitted and person.may_enter:
        tx.execute("UPDATE people SET failures = 0 WHERE id = ?", (number,))
        outcome = Attempt.GRANTED
    else:
        tx.execute(
            "UPDATE people SET failures = iif(failures + 1 < ?, failures + 1, 0),"
            " barred_until = CASE WHEN failures + 1 < ? THEN 0"
            " ELSE (SELECT powered_minutes FROM cabinet) + ? END WHERE id = ?",
            (most_failures, most_failures, barred_for, number),
        )
        outcome = Attempt.BARRED if barred_minutes(tx, number) else Attempt.WRONG
    tx.event(_ATTEMPTED[outcome], place=str(person.role), name=person.name, person_id=number)
    return outcome


class Present(msgspec.Struct, frozen=True):
    """A person who has a PIN at this cabinet, independent of the books."""

    name: str
    role: Role
    pin: str
    change_pin: bool = False
    failures: int = 0
    locked_minutes: int = 0


def present_people(tx: Transaction) -> list[Present]:
    """Return the people who have a PIN, with their wrong attempts."""
    rows = tx.execute(
        "SELECT name, role, pin, change_pin, failures, max(0, barred_until - powered_minutes) FROM people, cabinet"
        " WHERE pin IS NOT NULL ORDER BY people.id"
    )
    return [Present(name, Role(role), pin, bool(change), *rest) for name, role, pin, change, *rest in rows]


def go_on_with(tx: Transaction, present: Iterable[Present]) -> None:
    """Keep the PINs of the people who had one before these books replaced others; no PIN comes from a backup.

    All other people in these books have no PIN.
    """
    tx.execute("UPDATE people SET pin = NULL, change_pin = 0, failures = 0, barred_until = 0")
    for one in present:
        own = named(tx, one.name)
        number = add_person(tx, one.name, one.role, "", change_pin=False).id if own is None else own.id
        tx.execute(
            "UPDATE people SET barred = 0, role = ?, pin = ?, change_pin = ?, failures = ?,"
            " barred_until = (SELECT powered_minutes FROM cabinet) + ? WHERE id = ?",
            (str(one.role), one.pin, int(one.change_pin), one.failures, one.locked_minutes, number),
        )
    for person in people(tx):
        _changed(tx, person.id, Event.PERSON_HAS_PIN if person.pin else Event.PERSON_HAS_NO_PIN)
