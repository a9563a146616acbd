"""Identifies the person at the key: a choice of names if several are possible, then the PIN (requirements.md S1).

If there is a card reader, a staff card replaces name and PIN, or comes before the PIN (`[cards]` mode). In the mode
with PIN and card, the open logic door replaces the card, because whoever has that door's key has the machine.

The first technician is set up here, with a name and a PIN typed twice. The set-up guide of a new cabinet whose
technician's key needs no PIN also begins here. A person whose PIN was chosen by somebody else, or has fewer than six
digits, sets a new one here.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from controller.journal import people
from controller.journal.actor import Actor, Role
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.people import LONGEST_NAME, Attempt, Person, Remaining, add_person, set_pin
from controller.journal.rounds import newest_number
from controller.journal.transaction import Transaction
from controller.keys.pins import LONGEST, Credential, is_guessable, is_long_enough
from controller.service.doors import LOGIC
from controller.service.page import ChooseLanguage, ChoosePerson, Entry, Line
from controller.service.serviced_machine import ServicedMachine
from controller.settings.set_up import look_at_set_up
from controller.settings.settings import change
from controller.settings.settings_table import LANGUAGES

T = TypeVar("T")

NAME = Entry("name", "Your name", "text", longest=LONGEST_NAME)
PIN = Entry("pin", "PIN", "digits", longest=LONGEST)
NEW = Entry("new", "Choose a PIN of 6 to 12 digits", "digits", longest=LONGEST)
AGAIN = Entry("again", "Type it again", "digits", longest=LONGEST)

WORDS = {
    "wrong": "Wrong PIN. Tries left: {left}",
    "last": "Wrong PIN. One try is left. Forgotten? {helper} can give a new one (C.7)",
    "barred": "Too many wrong PINs: wait {minutes} min, or {helper} gives a new one (C.7)",
    "barred alone": "Too many wrong PINs: wait {minutes} min. Nobody else can give a new one",
    "differ": "The two are not the same",
    "digits": "A PIN has 6 to 12 digits",
    "guessable": "This PIN would be guessed: choose another",
    "same": "The new PIN must differ from the old one",
    "own": "Choose a PIN that only you know",
    "language": "Choose the language · Wählen Sie die Sprache",
    "card": "Present your card",
    "or card": "Present your card, or type your PIN",
    "no card": "Without a card: open the logic door",
    "unread": "The card was not read: present one card alone",
    "nobody": "Nobody has a PIN yet: turn the technician's key first",
}


MOST_HELPERS = 2
"""The most technicians named as helpers; a line has no space for more."""


def _is_new(tx: Transaction) -> bool:
    """Whether this is a real cabinet on which nobody was ever set up."""
    return not tx.is_simulated and not people.people(tx)


class Gate:
    """The step between a turned key and the menu; `actor` is set once the person is identified.

    Until then there is an `entry` to type, or a name to choose from `lines`. The cursor starts at the person
    `begins_with`.
    """

    def __init__(self, machine: ServicedMachine, key: Role, begins_with: int = 0) -> None:
        self.actor: Actor | None = None
        self.entry: Entry | None = None
        self.lines: Sequence[Line] = ()
        self.focus = 0
        self.message = ""
        self.figures: Mapping[str, str | int] = {}
        """The figures of the message."""
        self._machine = machine
        self._key = key
        self._begins_with = begins_with
        self._found: list[Person] = []
        self._person: Person | None = None
        self._typed: dict[str, str] = {}
        self._carded = 0
        """The owner of the card presented at this gate."""
        self._awaits_card = False
        """Whether only a card is accepted."""

    def __repr__(self) -> str:
        return f"<Gate {self._key} {self.name or 'nobody yet'}>"

    @property
    def name(self) -> str:
        """The name whose PIN is requested, empty before one is chosen."""
        return "" if self._person is None else self._person.name

    def _is_untouched(self, tx: Transaction) -> bool:
        """Whether this is a real cabinet whose set-up was never begun and on which nothing was played."""
        return _is_new(tx) and not self._machine.set_up.was_begun(tx) and not newest_number(tx)

    async def begin(self) -> None:
        """Let in the key's role if it needs no PIN; otherwise start the identification."""
        if self._machine.settings.key_alone(self._key):
            if self._key is Role.TECHNICIAN and await self._machine.journal.do(self._is_untouched):
                self._ask_language()
            else:
                self.actor = Actor(self._key)
            return
        self._found = await self._machine.journal.do(lambda tx: people.may_turn(tx, self._key))
        if self._found:
            self._ask_card_or_name()
        elif self._key is Role.TECHNICIAN:
            if await self._machine.journal.do(_is_new):
                self._ask_language()
            elif self._needs_card and not self._is_logic_door_open:
                # No card opens the menu, and the key alone may not; with that door open, turning the key again does.
                self.lines = (Line(WORDS["no card"]),)
            else:
                self.entry = NAME
        else:
            self.lines = (Line(WORDS["nobody"], tone="bad"),)
        await self._look_for_lockout()

    async def _look_for_lockout(self) -> None:
        """Show at once, before a PIN is typed, that its owner is locked out."""
        person, most_failures = self._person, self._machine.settings.config.service.pin_attempts
        if person is not None and self.entry is PIN:
            left = await self._machine.journal.do(lambda tx: people.remaining(tx, person.id, most_failures))
            if left.minutes:
                self._refuse(refusal(Attempt.BARRED, left))

    def _refuse(self, error: RefusedError) -> None:
        self.message, self.figures = error.template, error.figures

    def _ask_card_or_name(self, message: str = "") -> None:
        """Wait for a card if the PIN alone is not enough; otherwise ask for a name or its PIN."""
        cards = self._machine.cards
        message = message or self.message
        self._carded = 0
        self._awaits_card = self._needs_card and not self._is_logic_door_open
        if self._awaits_card:
            self._person, self.entry, self._typed, self.focus = None, None, {}, 0
            self.message = message
            self.lines = (Line(WORDS["card"], tone="heading"), Line(WORDS["no card"]))
            return
        if cards is not None and cards.taken_at(self._key) and not message:
            message = WORDS["or card"]
        if len(self._found) > 1:
            self._ask_who()
            self.message = message
        else:
            self._ask_pin(self._found[0], message)

    @property
    def _needs_card(self) -> bool:
        """Whether a PIN alone is not enough."""
        cards = self._machine.cards
        return cards is not None and cards.needed_at(self._key)

    @property
    def _is_logic_door_open(self) -> bool:
        return bool(self._machine.conditions.doors.get(LOGIC))

    def look(self) -> bool:
        """Offer the names while the logic door is open, and a card otherwise; return whether this changed."""
        if self.actor is not None or self.entry is not None or not self._found or not self._needs_card:
            return False
        changed = self._awaits_card is self._is_logic_door_open
        if changed:
            self._ask_card_or_name()
        return changed

    async def presented(self, number: str) -> bool:
        """Handle a card, or "" for one that could not be read; return whether the page changed."""
        cards = self._machine.cards
        if self.actor is not None or not self._found or self.entry in (NEW, AGAIN):
            return False
        if cards is None or not cards.taken_at(self._key):
            return False
        if not number:
            self.message = WORDS["unread"]
            return True
        try:
            person = await cards.owner_of(number, self._key)
        except RefusedError as error:
            self._ask_card_or_name(error.template)
            self.figures = error.figures
            return True
        self._carded, self._awaits_card = person.id, False
        if self._needs_card or person.change_pin:
            self._ask_pin(person)
        else:
            self._let_in(person)
        return True

    def back(self) -> bool:
        """Go back from the entry to the card or the choice of a name; return True if there is none: close the menu."""
        waits = self._needs_card and bool(self._found)
        alone = self.entry is None or (len(self._found) < 2 and not waits)  # noqa: PLR2004 - nobody else to choose
        if not alone:
            self._ask_card_or_name()
        return alone

    async def choose(self, number: int) -> None:
        """Ask for the PIN of the chosen person."""
        self._ask_pin(next(person for person in self._found if person.id == number), self.message)
        await self._look_for_lockout()

    async def speak(self, language: str) -> None:
        """Set the language of a new cabinet, then ask for the first technician's name.

        If the key needs neither name nor PIN, the guide begins here.
        """
        machine = self._machine
        alone = machine.settings.key_alone(self._key)
        values = {"cabinet.language": language}

        def record(tx: Transaction) -> None:
            change(tx, machine.settings.file_config, values, self._key)
            if alone:
                machine.set_up.begin(tx)

        await machine.journal.attempt(record)
        await machine.journal.reload()
        if alone:
            self.actor, self.lines, self.message = Actor(self._key), (), ""
            return
        self.entry, self.lines, self.message = NAME, (), ""

    def _ask_language(self) -> None:
        self.message = WORDS["language"]
        self.lines = [Line("{place}", place=words, leads=ChooseLanguage(code)) for code, words in LANGUAGES.items()]
        self.focus = [*LANGUAGES].index(self._machine.settings.config.cabinet.language)

    def _ask_who(self) -> None:
        self._person, self.entry, self._typed = None, None, {}
        self.lines = [
            Line("{place}", person.role, place=person.name, leads=ChoosePerson(person.id)) for person in self._found
        ]
        numbers = [person.id for person in self._found]
        self.focus = numbers.index(self._begins_with) if self._begins_with in numbers else 0

    def _ask_pin(self, person: Person, message: str = "") -> None:
        self._person, self.entry, self.lines, self.message, self._typed = person, PIN, (), message, {}
        self._begins_with = person.id

    def _ask_new(self, message: str) -> None:
        self.entry, self.message = NEW, message

    async def entered(self, entry: Entry, typed: str) -> None:
        """Handle a complete entry."""
        self.message = ""
        self._typed[entry.name] = typed
        match entry.name:
            case "name":
                await self._named(typed)
            case "pin":
                await self._proved(typed)
            case "new":
                if problem := problem_of(typed, self._typed.get("pin")):
                    self._ask_new(WORDS[problem])
                else:
                    self.entry = AGAIN
            case "again":
                await self._chosen()

    async def _named(self, name: str) -> None:
        """Accept the name of the first technician: a new name, or that of a technician whose PIN is lost."""

        def known(tx: Transaction) -> Person | None:
            there = people.named(tx, name)
            if there is not None and there.role is Role.TECHNICIAN and not there.barred:
                return there
            people.proper_name(tx, name)
            return None

        try:
            self._person = await self._machine.journal.attempt(known)
        except RefusedError as error:
            self.entry, self.message, self.figures = NAME, error.template, error.figures
        else:
            self.entry = NEW

    async def _proved(self, pin: str) -> None:
        """Let in the person with this PIN, or require a new PIN first."""
        person, machine = self._person, self._machine
        if person is None:
            return
        limits = machine.settings.config.service
        waived = self._needs_card and self._carded != person.id
        if waived and not self._is_logic_door_open:
            self._ask_card_or_name(WORDS["card"])  # the door was closed in between: this PIN is not checked
            return
        fitted = await fits(machine, person, pin)

        def record(tx: Transaction) -> tuple[Attempt, Remaining]:
            attempt = people.record_attempt(
                tx, person.id, fitted=fitted, most_failures=limits.pin_attempts, barred_for=limits.barred_minutes
            )
            if waived and attempt is Attempt.GRANTED:
                tx.event(Event.CARD_WAIVED, place=str(self._key), name=person.name, person_id=person.id)
            return attempt, people.remaining(tx, person.id, limits.pin_attempts)

        outcome, left = await machine.journal.do(record)
        if outcome is not Attempt.GRANTED:
            self._ask_pin(person)
            self._refuse(refusal(outcome, left))
        elif person.change_pin:
            self._ask_new(WORDS["own"])
        else:
            self._let_in(person)

    async def _chosen(self) -> None:
        """Store a PIN if both entries match, and let its owner in."""
        pin, person, machine = self._typed["new"], self._person, self._machine
        if pin != self._typed["again"]:
            self._ask_new(WORDS["differ"])
            return

        def record(tx: Transaction, seal: str) -> Person:
            if person is not None:
                known = set_pin(tx, person.id, seal)
            else:
                known = add_person(tx, self._typed["name"], Role.TECHNICIAN, seal, change_pin=False)
                machine.set_up.begin(tx)
            look_at_set_up(tx, machine.settings.file_config)
            return known

        name = self._typed["name"] if person is None else person.name
        role = Role.TECHNICIAN if person is None else person.role
        self._let_in(await keep_pin(machine, pin, name, role, record))
        await machine.journal.reload()

    def _let_in(self, person: Person) -> None:
        self._person, self.entry, self.message = person, None, ""
        self.actor = Actor(self._key, person.id, person.name)


def problem_of(pin: str, old: str | None = None) -> str:
    """Return why a PIN cannot be chosen, as a key of `WORDS`, or "". `old` is the PIN that it replaces."""
    if not is_long_enough(pin):
        return "digits"
    if is_guessable(pin):
        return "guessable"
    return "same" if pin == old else ""


def refusal(outcome: Attempt, left: Remaining) -> RefusedError:
    """Return the refusal of a PIN: the tries left or the minutes to wait, and who can help."""
    helper = ", ".join(left.helpers[:MOST_HELPERS])
    if outcome is Attempt.WRONG:
        return RefusedError(WORDS["last" if left.tries == 1 and helper else "wrong"], left=left.tries, helper=helper)
    return RefusedError(WORDS["barred" if helper else "barred alone"], minutes=left.minutes, helper=helper)


async def fits(machine: ServicedMachine, person: Person, pin: str) -> bool:
    """Return whether this is the person's PIN; the hash runs in a thread."""
    known = await asyncio.to_thread(machine.pins.of_seal, person.pin)
    return known is not None and await asyncio.to_thread(known.fits, pin)


async def keep_pin(
    machine: ServicedMachine, pin: str, name: str, role: Role, record: Callable[[Transaction, str], T]
) -> T:
    """Store a new PIN; `record` writes its seal into the journal in one transaction, which may be refused."""
    credential = await asyncio.to_thread(Credential.of, pin, name, role, machine.pins.cost)
    await asyncio.to_thread(machine.pins.add, credential)
    try:
        return await machine.journal.attempt(lambda tx: record(tx, credential.seal))
    finally:
        await forget_pins(machine)


async def forget_pins(machine: ServicedMachine) -> None:
    """Remove the PINs that the journal does not name from the file of PINs."""
    seals = await machine.journal.do(lambda tx: {person.pin for person in people.people(tx) if person.pin})
    await asyncio.to_thread(machine.pins.keep_only, seals)
