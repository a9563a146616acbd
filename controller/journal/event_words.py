"""The words of an event: a template and figures that the display translates, or English words for exports."""

import sqlite3
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import msgspec

from controller.faults import PLACES, in_words, known_faults, place_in_words
from controller.journal.event_catalogue import EventKind, event_of
from controller.journal.event_log import LoggedEvent
from controller.journal.templates import filled
from gamekit import catalogue
from gamekit.catalogue import load

NAMES: Mapping[str, str] = {
    "kind:hand_pay": "by hand",
    "kind:hopper": "hopper",
    "device:pulse_coin": PLACES["pulse_coin"],
    "device:pulse_note": PLACES["pulse_note"],
    "state:done": "all paid",
    "state:short": "not all paid",
    "state:undecided": "nobody knows how much",
    "reason:empty": "it is empty",
    "reason:jammed": "it is jammed",
    "reason:stopped": "it was stopped",
    "reason:away": "it did not answer",
    "reason:changed": "another hopper answers, or it pays other coins",
    "reason:undecided": "its counters contradict each other",
    "way:cash_box": "into the cash box",
    "way:hopper": "into the hopper",
    "way:unknown": "nobody knows where",
    "way:paid": "paid by hand",
    "way:left": "coins had left the hopper",
    "way:returned": "returned",
    "way:void": "void",
    "way:counted": "counted",
    "way:kept": "no coin had left the hopper",
    "way:credited": "put on the credit",
    "name:overall": "All sounds",
    "name:wins": "Wins",
    "name:game": "Game",
    "name:background": "Background music",
    "what:escrow": "in escrow",
    "what:returned": "returned",
    "what:stacked": "stacked",
    "pattern:blink": "blinking",
    "what:machine_off": "the machine is disabled",
    "what:machine_on": "the machine is enabled",
    "what:sound_off": "sound off",
    "what:sound_on": "sound on",
    "what:notes_off": "notes off",
    "what:notes_on": "notes on",
    "what:maintenance_on": "maintenance begun",
    "what:maintenance_off": "maintenance ended",
    "what:hand_pay_reset": "hand-pay confirmed",
    "what:hand_pay_to_credit": "hand-pay back to the credit",
    "what:bills": "which notes are taken",
    "reason:unpolled": "nothing is polled any more",
    "reason:unheard": "it acknowledges no answer",
    "reason:closed": "its line is closed",
    "reason:ticket_foreign": "it is not in this machine's list",
    "reason:ticket_lost": "it may be one of the books that were lost",
    "reason:ticket_printing": "it was never printed whole",
    "reason:ticket_held": "it is an open item",
    "reason:ticket_redeemed": "it was redeemed before",
    "reason:ticket_void": "it is void",
    "reason:ticket_expired": "it has expired",
    "reason:ticket_currency": "it is of another currency",
    "reason:ticket_beyond": "the credit would be more than this machine takes",
    "reason:ticket_not_now": "no tickets are taken now",
    "reason:host_gone": "the host does not poll this machine",
    "reason:host_silent": "the host has not answered in time",
    "reason:host_denied": "the host has refused it",
    "reason:host_unread": "the host has not read what became of the ticket before",
    "reason:ticket_unknown": "the venue does not know it",
    "reason:ticket_ended": "the venue has ended the question",
    "reason:ticket_venue": "a venue was handed it, and may have paid it",
    "reason:venue_alone": "the venue is out of reach, and may have paid it",
    "reason:venue_silent": "the venue has not answered in time",
    "reason:venue_recovering": "the venue recovers",
    "what:hand_pay": "hand-pay",
    "what:collection": "collection",
    "what:meters": "meters",
    "what:ticket_terms": "what holds for tickets",
    "reason:note_for_ticket": "the validator stacked a note instead",
    "reason:ticket_for_note": "the validator stacked a ticket instead",
    "reason:printer_not_ready": "the printer was not ready",
    "reason:printer_cut": "the power was cut while it was printed",
    "reason:printer_unknown": "the printer did not report it as printed",
    "reason:printer_unsent": "it did not reach the printer",
    "what:registered": "registered for transfers",
    "what:unregistered": "not registered for transfers any more",
    **{name.removeprefix("meter_"): words for name, words in PLACES.items() if name.startswith("meter_")},
}
"""Words for codes among the figures, by figure and code or by the code alone; other texts are shown as they are."""

_UNSAID = frozenset(("raised", "opened", "closed"))
"""Details of faults that add nothing to the fault's own words."""


class Words(NamedTuple):
    """The words of an event: a translatable template, its figures, its place, and a detail shown untranslated."""

    template: str
    figures: Mapping[str, str | int]
    place: str = ""
    detail: str = ""
    known: bool = True
    """Whether the template can be translated; if not, it is the English text of the ledger."""


def describe(event: LoggedEvent) -> Words:
    """Return the words of an event; an event that this program does not know is shown with the ledger's text."""
    place = _place(event.place)
    kind = event_of(event.code, event.text)
    if kind is not None and kind.fields <= {*event.data, "place"}:
        times = event.data.get("times", 1)
        return Words(kind.template, _figures(kind.fields, event.data), place, f"{times} x" if times > 1 else "")
    if event.code in known_faults():
        same = event.text in _UNSAID or event.text == in_words(event.code, event.place)
        return Words(known_faults()[event.code].text, {}, place, "" if same else event.text)
    return Words(event.text, {}, detail=place, known=False)


def in_english(event: EventKind, figures: Mapping[str, Any], place: str = "") -> str:
    """Return the English words of an event as exports show them, with amounts in cents."""
    where = _place(place)
    return filled(event.template, {**_figures(event.fields, figures), "place": where}).replace("{place}", where)


def row_in_english(code: str, text: str, place: str, data: str) -> str:
    """Return the English words of an event row, given the `data` of its ledger row.

    A row without figures stores its words as text.
    """
    event = event_of(code, text)
    if event is None:
        return text
    figures = msgspec.json.decode(data, type=dict[str, Any])
    if not event.fields <= {*figures, "place"}:
        return text
    words = in_english(event, figures, place)
    return f"{words} ({figures['times']} times)" if "times" in figures else words


def add_english(connection: sqlite3.Connection) -> None:
    """Register the SQL function `event_words(code, text, place, data)` on `connection`; it calls `row_in_english`."""
    connection.create_function("event_words", 4, row_in_english, deterministic=True)


def _place(place: str) -> str:
    return NAMES.get(place) or place_in_words(place)


def _figures(wanted: Collection[str], figures: Mapping[str, Any]) -> dict[str, str | int]:
    return {name: _named(name, figures[name]) for name in wanted if name in figures and name != "place"}


def _named(name: str, value: object) -> str | int:
    """Return the words for a figure: those of a code, the text of a fault, or the title of a game."""
    if isinstance(value, int):
        return value
    words = str(value)
    if words in known_faults():
        return known_faults()[words].text
    if words in catalogue.names():
        return load(words).title
    return NAMES.get(f"{name}:{words}") or NAMES.get(words, words)
