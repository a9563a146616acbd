"""C.7 and A.9: people with their PINs, the key switches, and the limits of the menu (requirements.md S1)."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from controller.journal import people
from controller.journal.actor import Role
from controller.journal.errors import RefusedError
from controller.journal.people import (
    Attempt,
    Person,
    Remaining,
    add_person,
    admit_person,
    bar_person,
    rename_person,
    set_pin,
)
from controller.journal.transaction import Transaction
from controller.keys.pins import LONGEST
from controller.service.page import Entry, Job, Line, Page, Submission, added_lines
from controller.service.pin_gate import AGAIN, NEW, WORDS, fits, forget_pins, keep_pin, problem_of, refusal
from controller.service.serviced_machine import ServicedMachine
from controller.service.setting_lines import lines_of
from controller.settings import settings_table
from controller.settings.set_up import look_at_set_up
from drivers.wiring import KEYS

NAME = Entry("name", "Name", "text", longest=people.LONGEST_NAME)
OLD = Entry("old", "PIN until now", "digits", longest=LONGEST)
FIRST = Entry("new", "First PIN of 6 to 12 digits", "digits", longest=LONGEST)
ADD = {Role.ATTENDANT: "Add an attendant", Role.TECHNICIAN: "Add a technician"}
ADDED, CHANGED, RENAMED = "Added: the PIN is changed at the first entry", "The PIN is changed", "The name is changed"
GIVEN, BARRED, ADMITTED = "The PIN is changed at the next entry", "Nobody comes in with this name now", "Admitted again"
TURNED, NOT_TURNED, NOT_FITTED = "turned", "not turned", "not fitted"
OUT, NO_PIN, TO_CHANGE, IN = "barred", "has no PIN", "must change the PIN", "may come in"
KEY_ALONE = "The key alone was turned: there is no PIN"
ITSELF = "It is you who would be barred"


def _access(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    return [
        *(Line("{place}", standing(one), place=one.name, leads=_page(one)) for one in people.people(tx)),
        *(Line(words, leads=adds(role)) for role, words in ADD.items()),
        *(Line("Key of the {place}", _key(name, machine), place=name) for name in KEYS),
        *lines_of(settings_table.access(machine.settings.config), machine),
    ]


def standing(person: Person) -> str:
    """Return the line of a person's state: admitted, barred or without a PIN."""
    if person.barred:
        return OUT
    if not person.pin:
        return NO_PIN
    return TO_CHANGE if person.change_pin else IN


def _key(name: str, machine: ServicedMachine) -> str:
    if name not in machine.settings.config.pins.keys:
        return NOT_FITTED
    return TURNED if machine.keys.is_turned(name) else NOT_TURNED


def _page(known: Person) -> Page:
    """Return the page of one person, with a technician's actions for that person."""

    def lines(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
        person = people.person_of(tx, known.id)
        number = person.id
        return (
            Line("{place}", standing(person), place=person.name, tone="heading"),
            Line("Role", person.role),
            Line("Change the name", leads=Job(_renames(number), (NAME,))),
            *(() if person.barred else (Line("Give a new PIN", leads=Job(_gives(number), (FIRST, AGAIN))),)),
            _bars(number) if not person.barred else Line("Admit again", leads=Job(_admits(number), (FIRST, AGAIN))),
            *added_lines("C.7.person", tx, machine, person),
        )

    return Page(f"C.7.{known.id}", "Person", lines, technician=True, door=True)


def _bars(number: int) -> Line:
    question = "Let this person in no more?"
    return Line("Bar", tone="bad", leads=Job(_bar(number), question=question, confirmations=1))


def _bar(number: int) -> Callable[[ServicedMachine, Submission], Awaitable[str]]:
    async def run(machine: ServicedMachine, submission: Submission) -> str:
        if number == submission.by.person:
            raise RefusedError(ITSELF)
        await machine.journal.attempt(lambda tx: bar_person(tx, number))
        await forget_pins(machine)
        return BARRED

    return run


def _renames(number: int) -> Callable[[ServicedMachine, Submission], Awaitable[str]]:
    async def run(machine: ServicedMachine, submission: Submission) -> str:
        person = await machine.journal.attempt(lambda tx: rename_person(tx, number, submission.typed["name"]))
        await asyncio.to_thread(machine.pins.rename, person.pin, person.name)
        return RENAMED

    return run


def _gives(number: int) -> Callable[[ServicedMachine, Submission], Awaitable[str]]:
    async def run(machine: ServicedMachine, submission: Submission) -> str:
        own = number == submission.by.person
        await _keep(machine, submission, number, lambda tx, seal: set_pin(tx, number, seal, change_pin=not own))
        return CHANGED if own else GIVEN

    return run


def _admits(number: int) -> Callable[[ServicedMachine, Submission], Awaitable[str]]:
    async def run(machine: ServicedMachine, submission: Submission) -> str:
        await _keep(machine, submission, number, lambda tx, seal: admit_person(tx, number, seal))
        return ADMITTED

    return run


def adds(role: Role) -> Job:
    """Return the action that adds a person with a first PIN."""

    async def run(machine: ServicedMachine, submission: Submission) -> str:
        name = await machine.journal.attempt(lambda tx: people.proper_name(tx, submission.typed["name"]))
        pin = _new_pin(submission)
        await keep_pin(machine, pin, name, role, lambda tx, seal: add_person(tx, name, role, seal, change_pin=True))
        return ADDED

    return Job(run, (NAME, FIRST, AGAIN))


async def _keep(
    machine: ServicedMachine, submission: Submission, number: int, record: Callable[[Transaction, str], Person]
) -> None:
    pin = _new_pin(submission)
    person = await machine.journal.attempt(lambda tx: people.person_of(tx, number))

    def recorded(tx: Transaction, seal: str) -> None:
        record(tx, seal)
        look_at_set_up(tx, machine.settings.file_config)

    await keep_pin(machine, pin, person.name, person.role, recorded)


def _new_pin(submission: Submission, old: str | None = None) -> str:
    """Return the new PIN, typed twice; raise `RefusedError` if it cannot be chosen."""
    pin = submission.typed["new"]
    if pin != submission.typed["again"]:
        raise RefusedError(WORDS["differ"])
    if problem := problem_of(pin, old):
        raise RefusedError(WORDS[problem])
    return pin


def _own_pin(_tx: Transaction, _machine: ServicedMachine) -> Sequence[Line]:
    return (Line("Change my PIN", leads=Job(_changes_own, (OLD, NEW, AGAIN))),)


async def _changes_own(machine: ServicedMachine, submission: Submission) -> str:
    """Change the PIN of a person who knows the old one; a wrong old PIN counts as a failed attempt."""
    number, limits = submission.by.person, machine.settings.config.service
    if not number:
        raise RefusedError(KEY_ALONE)
    old, new = submission.typed["old"], _new_pin(submission, submission.typed["old"])
    person = await machine.journal.attempt(lambda tx: people.person_of(tx, number))
    fitted = await fits(machine, person, old)

    def record(tx: Transaction) -> tuple[Attempt, Remaining]:
        attempt = people.record_attempt(
            tx, number, fitted=fitted, most_failures=limits.pin_attempts, barred_for=limits.barred_minutes
        )
        return attempt, people.remaining(tx, number, limits.pin_attempts)

    outcome, left = await machine.journal.attempt(record)
    if outcome is not Attempt.GRANTED:
        raise refusal(outcome, left)
    await keep_pin(machine, new, person.name, person.role, lambda tx, seal: set_pin(tx, number, seal))
    return CHANGED


PAGES = (Page("A.9", "My PIN", _own_pin), Page("C.7", "People, keys, time-outs", _access, technician=True, door=True))
