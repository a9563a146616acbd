"""Staff cards: each belongs to a person and grants at most that person's rights (requirements.md S1).

The journal has only a seal of each card's number, made with a key that it does not contain
(`controller.features.cards.card_file`). Each change is an event whose data repeat the card's row. Wrong cards are
counted here, where neither a power cut nor the clock resets them.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from controller.features.cards.events import CardEvent
from controller.journal import people
from controller.journal.actor import Role
from controller.journal.carried_rows import Keeping
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import EventKind
from controller.journal.explained import Explained
from controller.journal.people import BARRED_MINUTES, LONGEST_NAME, MOST_FAILURES, Person, barred_minutes
from controller.journal.transaction import Transaction

MOST_CARDS = 400
"""Two for each possible person."""

CODES = ("card_enrolled", "card_removed", "card_blocked", "card_unblocked")
"""The codes of the events that change a card's row."""
EXPLAINED = (Explained("a staff card", "cards", "staff_card", CODES, ("person", "name", "seal", "key", "blocked")),)

_FIELDS = "SELECT id, person, name, seal, key, blocked FROM cards"


class Card(NamedTuple):
    """A row of the table: `person` is the owner's number, `key` names the key of the `seal`."""

    id: int
    person: int
    name: str
    seal: str
    key: str
    blocked: bool


class Presented(StrEnum):
    """The outcome of a card at the reader."""

    TAKEN = "taken"
    UNKNOWN = "unknown"
    BLOCKED = "blocked"
    OTHER_KEY = "other key"
    BARRED = "barred"


REASONS = {
    Presented.BLOCKED: "it is blocked",
    Presented.OTHER_KEY: "its owner may not use this key",
    Presented.BARRED: "too many wrong attempts",
}
"""Why a known person's card is refused."""


class Outcome(NamedTuple):
    """The outcome of a card at the reader, with its owner if accepted; `minutes` is how long cards are barred, or 0."""

    what: Presented
    person: Person | None = None
    minutes: int = 0


def cards(tx: Transaction) -> list[Card]:
    """Return all cards by name."""
    return [_card(row) for row in tx.execute(f"{_FIELDS} ORDER BY name COLLATE NOCASE")]


def cards_of(tx: Transaction, person: int) -> list[Card]:
    """Return a person's cards by name."""
    return [card for card in cards(tx) if card.person == person]


def card_of(tx: Transaction, number: int) -> Card:
    """Return the card with that number; raise `RefusedError` if there is none."""
    row = tx.execute(f"{_FIELDS} WHERE id = ?", (number,)).fetchone()
    if row is None:
        raise RefusedError("This card was removed")
    return _card(row)


def _card(row: tuple[int, int, str, str, str, int]) -> Card:
    number, person, name, seal, key, blocked = row
    return Card(number, person, name, seal, key, bool(blocked))


def proper_card_name(tx: Transaction, name: str) -> str:
    """Return a card's name without extra spaces; raise `RefusedError` for an empty, too long or taken one."""
    name = " ".join(name.split())
    if not 0 < len(name) <= LONGEST_NAME:
        raise RefusedError("A name has 1 to {most} letters", most=LONGEST_NAME)
    if any(card.name.casefold() == name.casefold() for card in cards(tx)):
        raise RefusedError("Another card has this name: choose another")
    return name


def enrol_card(tx: Transaction, person: int, name: str, seal: str, key: str) -> Card:
    """Give a person a card; raise `RefusedError` if it is already enrolled, and as `proper_card_name` does."""
    name = proper_card_name(tx, name)
    owner = people.person_of(tx, person)
    if owner.barred:
        raise RefusedError("This person is barred: admit them first")
    if any(card.seal == seal for card in cards(tx)):
        raise RefusedError("This card is enrolled already")
    if len(cards(tx)) >= MOST_CARDS:
        raise RefusedError("There are {most} cards already: remove some", most=MOST_CARDS)
    cursor = tx.execute("INSERT INTO cards (person, name, seal, key) VALUES (?, ?, ?, ?)", (person, name, seal, key))
    return _changed_card(tx, card_of(tx, int(cursor.lastrowid or 0)), CardEvent.CARD_ENROLLED)


def block_card(tx: Transaction, number: int, *, blocked: bool = True) -> Card:
    """Block a lost card or unblock it; a blocked card stays listed and counts as a wrong one."""
    tx.execute("UPDATE cards SET blocked = ? WHERE id = ?", (int(blocked), number))
    return _changed_card(tx, card_of(tx, number), CardEvent.CARD_BLOCKED if blocked else CardEvent.CARD_UNBLOCKED)


def remove_card(tx: Transaction, number: int) -> Card:
    """Remove a card; its name and its seal may be used again."""
    card = card_of(tx, number)
    tx.execute("DELETE FROM cards WHERE id = ?", (number,))
    return _changed_card(tx, card, CardEvent.CARD_REMOVED)


def lose_cards(tx: Transaction, key: str) -> None:
    """Remove the cards sealed with a key other than this one, because their seals never match."""
    for card in cards(tx):
        if card.key != key:
            tx.execute("DELETE FROM cards WHERE id = ?", (card.id,))
            _changed_card(tx, card, CardEvent.CARD_LOST)


def _changed_card(tx: Transaction, card: Card, event: EventKind) -> Card:
    owner = people.person_of(tx, card.person)
    tx.event(event, place=str(owner.role), card=card.name, name=owner.name, staff_card=card._asdict())
    return card


def reader_barred_minutes(tx: Transaction) -> int:
    """Return for how many more powered-on minutes no card is accepted, or 0."""
    row = tx.execute("SELECT barred_until - powered_minutes FROM card_attempts, cabinet").fetchone()
    return max(0, int(row[0]))


def record_presented(
    tx: Transaction,
    seal: str,
    key: Role,
    *,
    most_failures: int = MOST_FAILURES,
    barred_for: int = BARRED_MINUTES,
) -> Outcome:
    """Record a card at the reader while `key` is turned, and return the outcome.

    `most_failures` wrong cards in a row bar all cards for `barred_for` powered-on minutes. A person who is locked out
    after wrong PINs is also refused with a card, which does not count as a wrong card.
    """
    row = tx.execute(f"{_FIELDS} WHERE seal = ?", (seal,)).fetchone()
    card = None if row is None else _card(row)
    owner = None if card is None else people.person_of(tx, card.person)
    if reader_barred_minutes(tx):
        what = Presented.BARRED
    elif card is None or owner is None:
        what = Presented.UNKNOWN
    elif card.blocked:
        what = Presented.BLOCKED
    elif owner not in people.may_turn(tx, key):
        what = Presented.OTHER_KEY
    elif barred_minutes(tx, owner.id):
        what = Presented.BARRED
    else:
        what = Presented.TAKEN
        tx.execute("UPDATE card_attempts SET failures = 0")
    _log(tx, what, key, card, owner)
    if what in (Presented.UNKNOWN, Presented.BLOCKED, Presented.OTHER_KEY):
        _count(tx, most_failures, barred_for)
    minutes = max(reader_barred_minutes(tx), 0 if owner is None else barred_minutes(tx, owner.id))
    return Outcome(what, owner if what is Presented.TAKEN else None, minutes)


def _count(tx: Transaction, most_failures: int, barred_for: int) -> None:
    tx.execute(
        "UPDATE card_attempts SET failures = iif(failures + 1 < ?, failures + 1, 0),"
        " barred_until = CASE WHEN failures + 1 < ? THEN 0"
        " ELSE (SELECT powered_minutes FROM cabinet) + ? END",
        (most_failures, most_failures, barred_for),
    )
    if reader_barred_minutes(tx):
        tx.event(CardEvent.CARDS_BARRED, minutes=barred_for)


def _log(tx: Transaction, what: Presented, key: Role, card: Card | None, owner: Person | None) -> None:
    if card is None or owner is None:
        tx.event(CardEvent.CARD_UNKNOWN, place=str(key))
        return
    figures: dict[str, Any] = {"card": card.name, "name": owner.name, "person_id": owner.id}
    if what is Presented.TAKEN:
        tx.event(CardEvent.CARD_TAKEN, place=str(key), **figures)
    else:
        tx.event(CardEvent.CARD_REFUSED, place=str(key), reason=REASONS[what], **figures)


class PresentCard(msgspec.Struct, frozen=True):
    """A card currently enrolled at this cabinet, kept when other books replace its own; `owner` is a name."""

    owner: str
    name: str
    seal: str
    key: str
    blocked: bool = False


def present_cards(tx: Transaction) -> list[PresentCard]:
    """Return every card with its owner's name."""
    owners = {person.id: person.name for person in people.people(tx)}
    return [PresentCard(owners[one.person], one.name, one.seal, one.key, one.blocked) for one in cards(tx)]


def go_on_with_cards(tx: Transaction, present: Iterable[PresentCard]) -> None:
    """Replace the cards of these books by those that were enrolled before the books were replaced."""
    for card in cards(tx):
        remove_card(tx, card.id)
    tx.execute("UPDATE card_attempts SET failures = 0, barred_until = 0")
    for one in present:
        owner = people.named(tx, one.owner)
        if owner is not None and not owner.barred:
            card = enrol_card(tx, owner.id, one.name, one.seal, one.key)
            if one.blocked:
                block_card(tx, card.id)


def keep_cards(present: Transaction | None) -> Keeping:
    """Return what keeps the cards of the present books, none if those are lost."""
    there = [] if present is None else present_cards(present)
    return lambda tx: go_on_with_cards(tx, there)
