"""The staff cards of one person on that person's page of C.7: enrol, block, remove (requirements.md S1)."""

import asyncio
from collections.abc import Callable, Sequence

from controller.features.cards.configuration import card_settings
from controller.features.cards.desk import card_file
from controller.features.cards.journal import (
    Card,
    block_card,
    card_of,
    cards_of,
    enrol_card,
    proper_card_name,
    remove_card,
)
from controller.journal import people
from controller.journal.errors import RefusedError
from controller.journal.people import Person
from controller.journal.transaction import Transaction
from controller.service.page import Entry, Job, Line, MenuTransaction, Page, Submission
from controller.service.serviced_machine import ServicedMachine

NAME = Entry("card_name", "Name of the card", "text", longest=people.LONGEST_NAME)
FIRST = Entry("first", "Present the card", "card")
SECOND = Entry("second", "Present the same card again", "card")

ENROLLED, REMOVED = "The card is enrolled", "The card is removed"
BLOCKED, UNBLOCKED = "Nobody comes in with this card now", "The card is no longer blocked"
DIFFER = "Two different numbers: present one card twice"
IN_USE, IS_BLOCKED = "in use", "blocked"
NO_READER = "No reader is configured"


def card_lines(tx: Transaction, machine: ServicedMachine, owner: Person) -> Sequence[Line]:
    """Return the lines of a person's cards, and the action that enrols one."""
    known = [
        Line("Card {place}", IS_BLOCKED if card.blocked else IN_USE, place=card.name, leads=_page(owner, card))
        for card in cards_of(tx, owner.id)
    ]
    fitted = card_settings(machine.settings.config).fitted
    if not fitted and not known:
        return ()
    enrols = Line("Enrol a card", leads=_enrols(owner.id)) if fitted else Line("Enrol a card", NO_READER)
    return (*known, *(() if owner.barred else (enrols,)))


def _enrols(owner: int) -> Job:
    async def run(machine: ServicedMachine, submission: Submission) -> str:
        name = await machine.journal.attempt(lambda tx: proper_card_name(tx, submission.typed["card_name"]))
        if submission.typed["first"] != submission.typed["second"]:
            raise RefusedError(DIFFER)
        file = card_file(machine)
        key = await asyncio.to_thread(file.begin)
        seal = await asyncio.to_thread(file.seal_of, submission.typed["first"])
        await machine.journal.attempt(lambda tx: enrol_card(tx, owner, name, seal, key))
        return ENROLLED

    return Job(run, (NAME, FIRST, SECOND))


def _page(owner: Person, known: Card) -> Page:
    """Return the page of one card."""

    def lines(tx: Transaction, _machine: ServicedMachine) -> Sequence[Line]:
        found = [card for card in cards_of(tx, owner.id) if card.id == known.id and card.name == known.name]
        if not found:
            return (Line("This card was removed"),)
        (card,) = found
        return (
            Line("{place}", IS_BLOCKED if card.blocked else IN_USE, place=card.name, tone="heading"),
            Line("Owner: {place}", owner.role, place=people.person_of(tx, owner.id).name),
            _unblocks(card.id) if card.blocked else _blocks(card.id),
            _removes(card.id),
        )

    return Page(f"C.7.{owner.id}.{known.id}", "Staff card", lines, technician=True, door=True)


def _act(do: Callable[[Transaction], object], done: str) -> Callable[[Transaction, Submission], str]:
    def run(tx: Transaction, _submission: Submission) -> str:
        do(tx)
        return done

    return run


def _blocks(card: int) -> Line:
    act = _act(lambda tx: block_card(tx, card_of(tx, card).id), BLOCKED)
    return Line(
        "Block: it is lost", tone="bad", leads=MenuTransaction(act, question="Take this card no more?", confirmations=1)
    )


def _unblocks(card: int) -> Line:
    act = _act(lambda tx: block_card(tx, card_of(tx, card).id, blocked=False), UNBLOCKED)
    return Line("Take off the block", leads=MenuTransaction(act, question="Take this card again?", confirmations=1))


def _removes(card: int) -> Line:
    act = _act(lambda tx: remove_card(tx, card), REMOVED)
    return Line("Remove", tone="bad", leads=MenuTransaction(act, question="Remove this card?", confirmations=1))
