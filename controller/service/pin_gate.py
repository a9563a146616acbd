"""The PIN between the technician's key and the menu: the first one is chosen, twice the same, every later one typed."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from controller.configuration.set_up import look_at_set_up
from controller.journal import pins
from controller.journal.pins import Attempt, StoredPin
from controller.journal.transaction import Transaction
from controller.service.leaf import Entry, Who

if TYPE_CHECKING:
    from controller.machine.machine import Machine

_PIN = Entry("pin", "PIN", "digits")
_NEW_PIN = Entry("pin", "Choose a PIN of 4 to 8 digits", "digits")
_AGAIN = Entry("again", "Type it again", "digits")

WORDS = {
    "wrong": "Wrong PIN",
    "barred": "Too many wrong PINs: wait some minutes",
    "differ": "The two are not the same",
    "digits": "A PIN has 4 to 8 digits",
    "guessable": "This PIN would be guessed: choose another",
}


class Step(NamedTuple):
    """What comes of an entry: let in (`entry` is None), or what is to be typed next, and what to tell."""

    entry: Entry | None
    message: str = ""


async def first_entry(machine: "Machine") -> Entry:
    """Return what the technician is asked for: the PIN, or a new one where none was ever chosen."""
    known = await machine.do(lambda tx: pins.stored_pin(tx, Who.TECHNICIAN))
    return _PIN if known else _NEW_PIN


async def entered(machine: "Machine", entry: Entry, typed: Mapping[str, str]) -> Step:
    """Take a whole entry; `typed` is everything that has been typed since the key was turned, by the entry's name."""
    if entry is _NEW_PIN:
        return Step(_NEW_PIN, WORDS["guessable"]) if pins.is_guessable(typed["pin"]) else Step(_AGAIN)
    if entry is _AGAIN:
        return await _chosen(machine, typed)
    known = await machine.do(lambda tx: pins.stored_pin(tx, Who.TECHNICIAN))
    fitted = known is not None and await asyncio.to_thread(known.fits, typed["pin"])
    limits = machine.cabinet.service
    outcome = await machine.do(
        lambda tx: pins.record_attempt(
            tx,
            Who.TECHNICIAN,
            fitted=fitted,
            most_failures=limits.pin_attempts,
            barred_for=limits.barred_minutes,
        )
    )
    return Step(None) if outcome is Attempt.GRANTED else Step(_PIN, WORDS[outcome])


async def _chosen(machine: "Machine", typed: Mapping[str, str]) -> Step:
    """Keep the first PIN, without which nothing is played, where it was typed twice the same."""
    if typed["pin"] != typed["again"]:
        return Step(_NEW_PIN, WORDS["differ"])
    try:
        stored = await asyncio.to_thread(StoredPin.of, typed["pin"])
    except ValueError:
        return Step(_NEW_PIN, WORDS["digits"])

    def choose(tx: Transaction) -> None:
        pins.choose_pin(tx, Who.TECHNICIAN, stored, Who.TECHNICIAN)
        look_at_set_up(tx, machine.given)

    await machine.do(choose)
    await machine.reload()
    return Step(None)
