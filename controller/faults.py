"""The catalogue of faults: what each code means in plain language, what it stops, who may clear it."""

from enum import StrEnum

import msgspec


class Clears(StrEnum):
    """Who may clear a fault once its cause is gone."""

    ITSELF = "itself"
    ATTENDANT = "attendant"
    TECHNICIAN = "technician"


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of fault. `stops_play` locks the buttons; `{place}` in `text` is filled in.

    A `momentary` one is something that happened: no device will say that it is over, so whoever may clear it can do so
    at once.
    """

    text: str
    clears: Clears = Clears.ITSELF
    stops_play: bool = False
    momentary: bool = False


PLACES = {
    "coin_acceptor": "coin acceptor",
    "bill_validator": "bill validator",
    "hopper": "hopper",
    "main": "main door",
    "cash_box": "cash-box door",
}
"""Devices and doors as people call them."""

LOCKS = {
    "locked": "The machine cannot be played",
    "journal": "The books of the machine cannot be kept",
    "journal_busy": "Another program holds the books of the machine",
    "journal_corrupt": "The books of the machine are damaged, missing or do not balance",
    "journal_newer": "A newer program has written the books of the machine",
    "journal_storage": "The disk with the books of the machine is full or failing",
    "journal_setup": "The books of the machine cannot be kept safely",
    "journal_simulated": "These books belong to another kind of machine: demo or real",
    "journal_refused": "A rule of the books was broken; nothing was written",
    "randomness": "The random generator cannot be trusted",
}
"""What a player, and a technician who reads no English, is told of a lock, by its code."""


def _tilt(text: str, *, momentary: bool = True) -> Fault:
    return Fault(text=text, clears=Clears.ATTENDANT, stops_play=True, momentary=momentary)


def _happened(text: str, clears: Clears = Clears.ATTENDANT) -> Fault:
    return Fault(text=text, clears=clears, momentary=True)


CATALOGUE: dict[str, Fault] = {
    "door_open": Fault(text="The {place} is open", stops_play=True),
    "no_reply": Fault(text="The {place} does not answer"),
    "port_lost": Fault(text="The {place} is unplugged"),
    "wrong_device": Fault(text="Another device answers in place of the {place}", clears=Clears.TECHNICIAN),
    "comm_error": Fault(text="The {place} sends nonsense"),
    "settings": Fault(text="The {place} cannot work with its settings", clears=Clears.TECHNICIAN),
    "driver_stopped": Fault(text="The {place} stopped working"),
    "self_check": Fault(text="The {place} failed its self-check", clears=Clears.ATTENDANT),
    "coin_jam": _tilt("A coin is stuck in the {place}"),
    "coin_string": _tilt("A coin on a string, or going backwards, in the {place}"),
    "coin_alarm": _tilt("The {place} reports tampering"),
    "stacker_full": Fault(text="Bill acceptor malfunction"),
    "stacker_open": Fault(text="The cash box of the {place} is out"),
    "acceptor_jam": Fault(text="A note is stuck in the {place}", clears=Clears.ATTENDANT),
    "stacker_jam": Fault(text="A note is stuck in the stacker of the {place}", clears=Clears.ATTENDANT),
    "cheated": _tilt("The {place} reports an attempt to cheat", momentary=False),
    "failure": Fault(text="The {place} has a hardware failure", clears=Clears.TECHNICIAN),
    "hopper_empty": _happened("The {place} is empty"),
    "hopper_jam": _happened("The {place} is jammed"),
    "coin_unknown": _happened("The {place} took a coin whose value nobody knows"),
    "dispense_refused": _happened("The {place} does not pay though it is told to"),
    "hopper_memory": _happened("The counters of the {place} contradict each other", Clears.TECHNICIAN),
    "hopper_runaway": _tilt("The {place} gave more coins than it was told to"),
    "stuck_button": Fault(text="A button is stuck: {place}"),
    "replay_mismatch": _happened("An interrupted game could not be continued; its stake was given back"),
    "open_item": Fault(text="Money is waiting for an attendant's decision", clears=Clears.TECHNICIAN),
}

_UNKNOWN = Fault(text="The {place} reports a fault that has no name here", clears=Clears.ATTENDANT)


def explain(code: str) -> Fault:
    """Return what `code` means; a code that is not in the catalogue is one for the attendant."""
    return CATALOGUE.get(code, _UNKNOWN)


def in_words(code: str, place: str) -> str:
    """Return the fault's text with its place in people's words."""
    return explain(code).text.format(place=place_in_words(place))


def place_in_words(place: str) -> str:
    """Return a device, door or button as people call it."""
    return PLACES.get(place, place.replace("_", " "))
