"""The reader of staff cards, as the service menu asks it who is at the key."""

import asyncio

from controller.features.cards.card_file import CardFile
from controller.features.cards.configuration import card_settings
from controller.features.cards.journal import Presented, record_presented
from controller.journal.actor import Role
from controller.journal.errors import RefusedError
from controller.journal.people import Person
from controller.service.serviced_machine import ServicedMachine

REFUSALS = {
    Presented.UNKNOWN: "This card is not known here",
    Presented.BLOCKED: "This card is blocked",
    Presented.OTHER_KEY: "This card is not for this key",
    Presented.BARRED: "Too many wrong attempts: wait {minutes} min",
}


class CardDesk:
    """The `StaffCards` of a cabinet, as `[cards]` configures them."""

    def __init__(self, machine: ServicedMachine) -> None:
        self._machine = machine

    def taken_at(self, key: Role) -> bool:
        """Whether cards are accepted while that key is turned."""
        return card_settings(self._machine.settings.config).taken_at(key)

    def needed_at(self, key: Role) -> bool:
        """Whether a PIN alone is not enough at that key."""
        return card_settings(self._machine.settings.config).needed_at(key)

    async def owner_of(self, number: str, key: Role) -> Person:
        """Record a presented card and return its owner; raise `RefusedError` if it is not accepted at that key."""
        limits = self._machine.settings.config.service
        seal = await asyncio.to_thread(card_file(self._machine).seal_of, number)
        outcome = await self._machine.journal.do(
            lambda tx: record_presented(
                tx, seal, key, most_failures=limits.pin_attempts, barred_for=limits.barred_minutes
            )
        )
        if outcome.person is None:
            raise RefusedError(REFUSALS[outcome.what], minutes=outcome.minutes)
        return outcome.person


def card_file(machine: ServicedMachine) -> CardFile:
    """Return the file of the key that seals this cabinet's cards."""
    return CardFile(machine.journal.path, machine.pins.cost)


def add_cards(machine: ServicedMachine) -> None:
    """Add the reader to what the menu works with."""
    machine.cards = CardDesk(machine)
