"""The catalogue of faults: what each code means in plain language, what it stops, who may clear it."""

from enum import StrEnum

import msgspec


class Clears(StrEnum):
    """Who may clear a fault once its cause is gone."""

    ITSELF = "itself"
    ATTENDANT = "attendant"
    TECHNICIAN = "technician"


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of fault. `stops_play` locks the buttons; `{place}` in `text` is filled in."""

    text: str
    clears: Clears = Clears.ITSELF
    stops_play: bool = False


PLACES = {
    "coin_acceptor": "coin acceptor",
    "bill_validator": "bill validator",
    "hopper": "hopper",
    "main": "main door",
    "cash_box": "cash-box door",
}
"""Devices and doors as people call them."""


def _tilt(text: str) -> Fault:
    return Fault(text=text, clears=Clears.ATTENDANT, stops_play=True)


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
    "cheated": _tilt("The {place} reports an attempt to cheat"),
    "failure": Fault(text="The {place} has a hardware failure", clears=Clears.TECHNICIAN),
    "hopper_empty": Fault(text="The {place} is empty", clears=Clears.ATTENDANT),
    "hopper_jam": Fault(text="The {place} is jammed", clears=Clears.ATTENDANT),
    "coin_unknown": Fault(text="The {place} took a coin whose value nobody knows", clears=Clears.ATTENDANT),
    "dispense_refused": Fault(text="The {place} does not pay though it is told to", clears=Clears.ATTENDANT),
    "hopper_memory": Fault(text="The counters of the {place} contradict each other", clears=Clears.TECHNICIAN),
    "hopper_runaway": _tilt("The {place} gave more coins than it was told to"),
    "stuck_button": Fault(text="A button is stuck: {place}"),
    "replay_mismatch": Fault(
        text="An interrupted game could not be continued; its stake was given back", clears=Clears.ATTENDANT
    ),
    "open_item": Fault(text="Money is waiting for an attendant's decision", clears=Clears.TECHNICIAN),
}

_UNKNOWN = Fault(text="The {place} reports a fault that has no name here", clears=Clears.ATTENDANT)


def explain(code: str) -> Fault:
    """Return what `code` means; a code that is not in the catalogue is one for the attendant."""
    return CATALOGUE.get(code, _UNKNOWN)


def in_words(code: str, place: str) -> str:
    """Return the fault's text with its place in people's words."""
    return explain(code).text.format(place=PLACES.get(place, place.replace("_", " ")))
