"""The catalogue of faults: what each code means in plain language, what it stops, who may clear it.

`docs/faults.md` is written from it (`cabinet faults`): the list that hangs inside the cabinet (D10).
"""

from collections.abc import Iterable, Mapping
from enum import Flag, StrEnum, auto
from functools import cache
from typing import Final, NamedTuple

import msgspec

from controller import feature


class Clears(StrEnum):
    """A fault's class: who clears it once its cause is gone.

    `NEXT_PLAY` is for what the player may simply play on after (D4): it is shown until the next stake.
    """

    ITSELF = "itself"
    NEXT_PLAY = "next play"
    ATTENDANT = "attendant"
    TECHNICIAN = "technician"


class Stops(Flag):
    """What a fault stops while it is present: a combination of these.

    `PAYOUT` is the hopper: COLLECT is then paid by hand. `DEVICE` is whatever the device that the fault is of serves.
    """

    NOTHING = 0
    PLAY = auto()
    COINS = auto()
    NOTES = auto()
    PAYOUT = auto()
    DEVICE = auto()


EVERYTHING = Stops.PLAY | Stops.COINS | Stops.NOTES | Stops.PAYOUT
"""Where play stops no money moves either (B3, B9, D2)."""

TAKING = Stops.PLAY | Stops.COINS | Stops.NOTES
"""Where there is nothing to play nothing is taken, and the credit can still be paid out."""

DOOR_OPEN, DOOR_CLOSED = "door_open", "door_closed"
"""An open door, and the notice after it was shut (D2, D3)."""

KEY_TURNED = "key_turned"
"""A key that is on and opens no menu: whoever left the menu may have left the player's credit to others (S1)."""

LARGE_WIN, METER_JUMP = "large_win", "meter_jump"
"""What the end of a round may give reason for (B10, M8)."""

ROUND_HELD = "round_held"
"""A round whose game does not pass the check of the start (`gamekit.checking`): its stake and its wins are kept."""

POWER_RESET, PROGRAM_CRASH = "power_reset", "program_crash"
"""Notices of a start (P14, D6)."""

UNREACHABLE = frozenset(
    {"no_reply", "wrong_device", "wrong_currency", "port_lost", "comm_error", "settings", "driver_stopped"}
)
"""Faults of a device whose state cannot be read: while one is present, its others stay, since nobody can check them."""

NO_PIN, SETTING_UNFIT, CURRENCY_CHANGED = "no_pin", "setting_unfit", "currency_changed"
NO_BET = "no_bet"
"""What keeps a cabinet that is not set up from playing."""

SOFTWARE_TAMPERED, SOFTWARE_KEY = "software_tampered", "software_key"
"""What a proof of the cabinet's software finds (S1)."""

VENUE_UNREACHED, VENUE_POOL_CLOSED = "venue_unreached", "venue_pool_closed"
VENUE_TROUBLE, VENUE_LEFT = "venue_trouble", "venue_left"
CLOSED_POOLS = (VENUE_UNREACHED, VENUE_POOL_CLOSED, VENUE_TROUBLE, VENUE_LEFT)
"""Why no round is played for a jackpot: no faults but messages to the player, since the other games go on."""

SERVES = {
    "coin_acceptor": Stops.COINS,
    "pulse_coin": Stops.COINS,
    "bill_validator": Stops.NOTES,
    "pulse_note": Stops.NOTES,
    "hopper": Stops.PAYOUT,
}
"""What each money device serves, and what stops without it (B7)."""

DEVICE_SAS: Mapping[str, int] = {
    "coin_acceptor": 0x21,
    "pulse_coin": 0x21,
    "hopper": 0x22,
    "bill_validator": 0x29,
    "pulse_note": 0x29,
    "ticket_printer": 0x60,
}
"""The SAS exception that reports a device out of service."""


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of fault; `{place}` in `text` is filled in.

    A `momentary` one is something that happened: no device will say that it is over, so whoever may clear it can do so
    at once. An `alarm` is heard as well as seen (D2, D8). `sas` is the SAS exception that reports it to a host
    (protocols.md, section 3), `sas_at` that of the places which have one of their own, `sas_over` that of its end.
    """

    text: str
    clears: Clears = Clears.ITSELF
    stops: Stops = Stops.NOTHING
    momentary: bool = False
    alarm: bool = False
    sas: int | None = None
    sas_at: Mapping[str, int] = {}
    sas_over: int | None = None


PLACES = {
    "coin_acceptor": "coin acceptor",
    "pulse_coin": "coin acceptor on pulses",
    "pulse_note": "note acceptor on pulses",
    "coin_gates": "coin lockout and diverter",
    "bill_validator": "bill validator",
    "hopper": "hopper",
    "ticket_printer": "ticket printer",
    "card_reader": "card reader",
    "main": "main door",
    "cash_box": "cash-box door",
    "logic": "logic door",
    "acceptor": "acceptor door",
    "meters": "meter door",
    "logic_latch": "latch of the logic door",
    "button_panel": "button panel",
    "lamps": "wiring of the button lamps",
    "tower_light": "tower light",
    "doors": "wiring of the doors",
    "keys": "wiring of the key switches",
    "attendant_key": "attendant's key switch",
    "technician_key": "technician's key switch",
    **{f"expander 0x{address:02x}": f"port expander 0x{address:02x}" for address in range(0x20, 0x28)},
    "meter_coin_in": "hard meter for coin in",
    "meter_coin_out": "hard meter for coin out",
    "meter_drop": "hard meter for the drop",
    "meter_hand_pay": "hard meter for hand-pays",
    "meter_games": "hard meter for games",
    "coins": "coins",
    "notes": "notes",
    "storage": "memory card",
    "second_copy": "medium of the second copy",
    "release": "program of this machine",
    "platform": "system under the program",
    "host_port": "host port",
    "host_port_2": "second host port",
}
"""Devices, doors and kinds of money as people call them."""

LONGEST_PATH = 44
"""The most characters of a path that fit into one line of a notice on the narrowest monitor."""

LOCKS = {
    "locked": "The machine cannot be played",
    "journal": "The books of the machine cannot be kept",
    "journal_busy": "Another program holds the books of the machine",
    "journal_corrupt": "The books of the machine are damaged, missing or do not balance",
    "journal_newer": "A newer program has written the books of the machine",
    "journal_storage": "The disk with the books of the machine is full or failing",
    "journal_full": "There is no room left for the books of the machine: it goes on by itself once there is",
    "journal_setup": "The books of the machine cannot be kept safely",
    "journal_simulated": "These books belong to another kind of machine: demo or real",
    "second_copy": "The books of the machine and their second copy do not belong together",
    "copy_required": "The second copy of the books is missing, and the machine must not be played without it",
    "journal_refused": "A rule of the books was broken; nothing was written",
    "randomness": "The random generator cannot be trusted",
    "identity": "The books belong to another machine, or the key of this one is missing",
}
"""The reason for a lock as the screen shows it, by code; it is translated."""


def _tilt(text: str, *, momentary: bool = True, alarm: bool = False, sas: int = 0x20) -> Fault:
    """Return a fault that stops everything until the attendant has cleared it (D5, D6)."""
    return Fault(text=text, clears=Clears.ATTENDANT, stops=EVERYTHING, momentary=momentary, alarm=alarm, sas=sas)


def _happened(
    text: str, clears: Clears = Clears.ATTENDANT, *, stops: Stops = Stops.NOTHING, sas: int | None = None
) -> Fault:
    """Return something that happened and does not stop play."""
    return Fault(text=text, clears=clears, stops=stops, momentary=True, sas=sas)


def _note_alarm(text: str, *, sas: int) -> Fault:
    """Return an alarm that turns notes off until the attendant has cleared it (D8); play goes on."""
    return Fault(text=text, clears=Clears.ATTENDANT, stops=Stops.NOTES, momentary=True, alarm=True, sas=sas)


def _device(text: str, clears: Clears = Clears.ITSELF) -> Fault:
    """Return a fault that takes a device out of service until it is over (B7); play goes on without it."""
    return Fault(text=text, clears=clears, stops=Stops.DEVICE, sas_at=DEVICE_SAS)


_CORE: Final[Mapping[str, Fault]] = {
    # the cabinet
    POWER_RESET: _happened("The machine was restarted; your credit was kept", Clears.NEXT_PLAY, sas=0x17),
    PROGRAM_CRASH: _tilt("The program of this machine failed and was started again"),
    DOOR_OPEN: Fault(
        text="The {place} is open",
        stops=EVERYTHING,
        alarm=True,
        sas_at={"main": 0x11, "cash_box": 0x19, "logic": 0x15, "acceptor": 0x1D, "meters": 0x1D},
    ),
    DOOR_CLOSED: Fault(
        text="The {place} was open and is closed again",
        clears=Clears.NEXT_PLAY,
        momentary=True,
        sas_at={"main": 0x12, "cash_box": 0x1A, "logic": 0x16, "acceptor": 0x1E, "meters": 0x1E},
    ),
    "logic_opened": Fault(
        text="The {place} was opened while the power was off",
        clears=Clears.TECHNICIAN,
        stops=EVERYTHING,
        momentary=True,
        alarm=True,
        sas=0x98,
    ),
    "latch_stuck": Fault(text="The {place} cannot be reset", clears=Clears.TECHNICIAN),
    KEY_TURNED: Fault(text="The key of the {place} is on: turn the key back", stops=EVERYTHING),
    "stuck_button": Fault(text="A button is stuck: {place}"),
    "meter_unplugged": Fault(text="A meter is unplugged: {place}", stops=EVERYTHING, sas=0x20),
    # set-up
    NO_PIN: Fault(
        text="Set the technician's PIN: turn the technician's key and choose one",
        clears=Clears.TECHNICIAN,
        stops=EVERYTHING,
    ),
    SETTING_UNFIT: Fault(
        text="A setting does not fit the configuration: {place}", clears=Clears.TECHNICIAN, stops=EVERYTHING
    ),
    NO_BET: Fault(text="No game has a bet within the house's limits: {place}", clears=Clears.TECHNICIAN, stops=TAKING),
    CURRENCY_CHANGED: Fault(
        text="The currency was changed while there was credit: pay it out, then start the machine again",
        clears=Clears.TECHNICIAN,
        stops=EVERYTHING,
    ),
    # the software
    SOFTWARE_TAMPERED: Fault(
        text="The program of this machine is not as it was signed: {place}",
        clears=Clears.TECHNICIAN,
        stops=EVERYTHING,
        alarm=True,
        sas=0x20,
    ),
    SOFTWARE_KEY: Fault(
        text="The {place} is signed with a key that this machine does not trust yet",
        clears=Clears.TECHNICIAN,
        stops=EVERYTHING,
        sas=0x20,
    ),
    # any device
    "no_reply": _device("The {place} does not answer"),
    "port_lost": _device("The {place} is unplugged"),
    "wrong_device": _device("Another device answers in place of the {place}", Clears.TECHNICIAN),
    "wrong_currency": _device("The {place} is set up for another currency than this machine", Clears.TECHNICIAN),
    "comm_error": _device("The {place} sends nonsense"),
    "settings": _device("The {place} cannot work with its settings", Clears.TECHNICIAN),
    "driver_stopped": _device("The {place} stopped working"),
    "self_check": _device("The {place} failed its self-check", Clears.ATTENDANT),
    "copy_missing": _happened("The second copy of the books is missing: {place}", Clears.TECHNICIAN),
    "copy_lost": Fault(text="The second copy of the books cannot be written: {place}"),
    "storage_low": Fault(text="There is little room left on the {place}"),
    "storage_slow": Fault(text="The {place} has become slow: replace it soon"),
    "storage_full": Fault(text="There is no room left on the {place}", stops=EVERYTHING),
    "archive_damaged": _happened("An archive of the books is damaged or missing on the {place}", Clears.TECHNICIAN),
    # coins in
    "coin_jam": _tilt("A coin is stuck in the {place}", sas=0x21),
    "coin_string": _tilt("A coin on a string in the {place}", alarm=True, sas=0x21),
    "coin_reverse": _tilt("A coin went backwards in the {place}", alarm=True, sas=0x2D),
    "coin_slug": _happened("False coins in the {place}", sas=0x21),
    "coin_alarm": _tilt("The {place} reports tampering", alarm=True, sas=0x21),
    "coin_unknown": _happened("The {place} took a coin whose value nobody knows"),
    "coin_unexpected": _happened("A coin came in while none was taken: {place}", Clears.NEXT_PLAY, sas=0x79),
    # notes
    "stacker_full": Fault(text="Bill acceptor malfunction", stops=Stops.NOTES, sas=0x27),
    "stacker_open": Fault(text="The cash box of the {place} is out", stops=Stops.NOTES, sas=0x1B, sas_over=0x1C),
    "acceptor_jam": _tilt("A note is stuck in the {place}", momentary=False, sas=0x28),
    "stacker_jam": _tilt("A note is stuck in the stacker of the {place}", momentary=False, sas=0x28),
    "cheated": _tilt("The {place} reports an attempt to cheat", momentary=False, alarm=True, sas=0x2A),
    "failure": Fault(text="The {place} has a hardware failure", clears=Clears.TECHNICIAN, stops=Stops.NOTES, sas=0x29),
    "note_yoyo": _note_alarm("Notes are drawn back out of the {place}, as on a string", sas=0x2A),
    "notes_rejected": _note_alarm("The {place} has rejected too many notes", sas=0x2B),
    # coins out
    "hopper_empty": _tilt("The {place} is empty", sas=0x23),
    "hopper_jam": _tilt("The {place} is jammed", sas=0x22),
    "hopper_runaway": _tilt("The {place} gave more coins than were ordered", alarm=True, sas=0x24),
    "hopper_sensor": Fault(
        text="The coin sensor of the {place} failed", clears=Clears.TECHNICIAN, stops=Stops.PAYOUT, sas=0x22
    ),
    "hopper_motor": _happened("The motor of the {place} failed", Clears.TECHNICIAN, stops=Stops.PAYOUT, sas=0x22),
    "hopper_memory": Fault(
        text="The counters of the {place} contradict each other",
        clears=Clears.TECHNICIAN,
        stops=Stops.PAYOUT,
        sas=0x22,
    ),
    "hopper_unknown_coin": _happened("The {place} gave a coin that it does not know", sas=0x22),
    "hopper_security": Fault(
        text="The {place} wants another security for its payouts",
        clears=Clears.TECHNICIAN,
        stops=Stops.PAYOUT,
        sas=0x22,
    ),
    "dispense_refused": _happened("The {place} does not pay when ordered to", stops=Stops.PAYOUT, sas=0x22),
    "hopper_reversed": Fault(text="The {place} had to turn back to free a coin"),
    "hopper_low": Fault(text="The {place} needs coins soon", sas=0x81),
    "hopper_full": Fault(text="The {place} is full", sas=0x80),
    # tickets
    "paper_out": Fault(text="There is no paper in the {place}", sas=0x61),
    "paper_low": Fault(text="The {place} needs paper soon", sas=0x74),
    "cover_open": Fault(text="The cover of the {place} is open"),
    "cutter_jam": Fault(text="The cutter of the {place} is stuck", sas=0x78),
    "paper_jam": Fault(text="Paper is stuck in the {place}", sas=0x78),
    "head_hot": Fault(text="The {place} must cool down"),
    "printer_failure": Fault(text="The {place} is out of order: switch it off and on", clears=Clears.TECHNICIAN),
    "no_tickets": Fault(text="This machine pays by ticket and cannot print one: no play until it can", stops=TAKING),
    # play and books
    "games_unfit": Fault(text="No game can be shown on this screen", stops=TAKING),
    "replay_mismatch": _happened("An interrupted game could not be continued; its stake was given back", sas=0x20),
    ROUND_HELD: _tilt("A game is not over and cannot go on: mend the program, or give the stake back with the key"),
    LARGE_WIN: Fault(
        text="A large win: an attendant must confirm it", clears=Clears.ATTENDANT, stops=EVERYTHING, momentary=True
    ),
    METER_JUMP: _tilt("More money came in since the last game than can be: {place}", alarm=True),
    "jackpot_waits": Fault(text="Jackpot won! The amount follows: please call the attendant", stops=EVERYTHING),
    "open_item": Fault(text="Money is waiting for the technician's decision", clears=Clears.TECHNICIAN),
    "open_item_attendant": Fault(text="Money is waiting for an attendant's decision", clears=Clears.ATTENDANT),
}

_UNKNOWN = Fault(text="The {place} reports a fault that has no name here", clears=Clears.ATTENDANT)


@cache
def known_faults() -> Mapping[str, Fault]:
    """Return all faults by their codes: the core's and those of all features (`Feature.faults`)."""
    return {
        **_CORE,
        **{code: fault for faults in feature.imported(lambda one: one.faults) for code, fault in faults.items()},
    }


def explain(code: str) -> Fault:
    """Return what `code` means; a code that is not in the catalogue is one for the attendant."""
    return known_faults().get(code, _UNKNOWN)


class ActiveFault(NamedTuple):
    """A fault that is present: its code, and the device, door or other place that it is of."""

    code: str
    place: str


def stopped_by(faults: Iterable[tuple[str, str]]) -> Stops:
    """Return all that these faults, each a code and its place, stop together."""
    stopped = Stops.NOTHING
    for code, place in faults:
        stops = explain(code).stops
        stopped |= stops & ~Stops.DEVICE
        if Stops.DEVICE in stops:
            stopped |= SERVES.get(place, Stops.NOTHING)
    return stopped


def sas_exception(code: str, place: str) -> int | None:
    """Return the SAS exception that reports this fault to a host, None where SAS has none."""
    kind = explain(code)
    return kind.sas_at.get(place, kind.sas)


def in_words(code: str, place: str) -> str:
    """Return the fault's text with its place in people's words."""
    return explain(code).text.format(place=place_in_words(place))


def place_in_words(place: str) -> str:
    """Return a device, door or button as people call it.

    The key of a setting stays as `cabinet.toml` writes it; of a file's path as much of its end as a line holds.
    """
    if place.startswith("/"):
        return _end_of(place)
    return PLACES.get(place, place if "." in place else place.replace("_", " "))


def _end_of(path: str) -> str:
    """Return the last folders and the name of a file, whole ones, within `LONGEST_PATH` characters."""
    if len(path) <= LONGEST_PATH:
        return path
    end = path[1 - LONGEST_PATH :]
    return f"\u2026{end[max(0, end.find('/')) :]}"
