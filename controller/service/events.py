"""H.2: every significant event with time, code and text, all of them or of one kind (L6)."""

from collections.abc import Mapping, Sequence
from textwrap import wrap

import msgspec

from controller.faults import known_faults, place_in_words
from controller.journal import event_log
from controller.journal.event_log import LoggedEvent
from controller.journal.event_words import describe
from controller.journal.search import LEDGER
from controller.journal.transaction import Transaction
from controller.service.lists import MOST, Entries, listed
from controller.service.page import Line, Page, of_books
from ui.protocol.values import moment

KINDS = {
    "doors": "Doors",
    "faults": "Faults",
    "money": "Money",
    "access": "Access",
    "settings": "Settings changed",
    "power": "Power",
    "others": "Others",
}
_BEGINNINGS: Mapping[str, tuple[str, ...]] = {
    "doors": ("door", "logic", "latch", "unsafe_wiring"),
    "power": ("power", "stopped", "program", "clock", "departure", "round_recovered", "update", "roll_back"),
    "access": (
        "service_menu",
        "service_call",
        "service_test",
        "console",
        "display_refused",
        "game_unfit",
        "pin_",
        "person_",
        "card_",
        "no_pin",
        "key",
        "out_of_service",
        "host_link",
        "host_act",
    ),
    "money": (
        "payout",
        "note_returned",
        "coins_",
        "collection",
        "open_item",
        "hand_pay",
        "credit",
        "large_win",
        "service_credit",
        "hopper_refill",
        "store_wanted",
        "store_moved",
        "period_cleared",
        "host_transfer",
    ),
    "settings": ("setting", "preset", "device_", "clear", "full_clear", "restored", "export"),
}
"""The prefixes of each kind's codes; a fault code without one of these prefixes belongs to the faults."""
_FAULTS = frozenset(("fault_cleared", "pulse_cut", "coin_rejected", "coin_acceptor_reset"))
NONE_YET = "No such event"
_BETWEEN = "  \u00b7  "
_ON_A_LINE = 64
"""The number of characters of the ledger's text on one row."""
_SHOWN = frozenset(("code", "place", "text", "by", "where"))
"""The data that the page of an event shows on separate lines."""


def kind_of(code: str) -> str:
    """Return the kind of an event by its code."""
    for kind, beginnings in _BEGINNINGS.items():
        if code.startswith(beginnings):
            return kind
    return "faults" if code in known_faults() or code in _FAULTS else "others"


def _lines(found: list[LoggedEvent]) -> Entries:
    return [(event.seq, line_of(event, leads=_page(event))) for event in found]


def line_of(event: LoggedEvent, *, leads: Page | None = None) -> Line:
    """Return an event's line: its code, its text in the reader's language, the person and the time."""
    says = describe(event)
    return Line(
        says.template,
        moment(event.at_ms),
        figures=says.figures,
        place=says.place,
        detail=_BETWEEN.join(filter(None, (says.detail, event.by.get("name")))),
        mark=event.code,
        leads=leads,
    )


def _page(event: LoggedEvent) -> Page:
    """Return the page of one event in full, with the ledger's own code, words and figures."""

    def lines(_tx: Transaction) -> Sequence[Line]:
        name, role, where = event.by.get("name"), event.by.get("role"), event.data.get("where")
        figures = {key: value for key, value in event.data.items() if key not in _SHOWN}
        written = f"{event.text} {msgspec.json.encode(figures).decode()}" if figures else event.text
        return (
            line_of(event),
            Line("Row of the ledger", count=event.seq),
            *((Line("Place", place_in_words(event.place)),) if event.place else ()),
            *((Line("Done by", name),) if name else ()),
            *((Line("With the key of the {place}", place=role),) if role else ()),
            *((Line("Done from", where),) if where else ()),
            Line("As the ledger has it", tone="heading"),
            *(Line(part) for part in wrap(written, _ON_A_LINE) or [""]),
        )

    return of_books(f"H.2.0.{event.seq}", "Event", lines)


def _all(tx: Transaction, before: int) -> Entries:
    return _lines(event_log.events(tx, before, MOST))


def _of_kind(number: int, kind: str) -> Page:
    def read(tx: Transaction, before: int) -> Entries:
        wanted = [code for code in event_log.codes(tx) if kind_of(code) == kind]
        return _lines(event_log.events_of(tx, wanted, before, MOST))

    return listed(f"H.2.{number}", KINDS[kind], read, numbers=LEDGER, empty=NONE_YET)


_HEAD = [Line(KINDS[kind], leads=_of_kind(number, kind)) for number, kind in enumerate(KINDS, start=1)]
PAGES = (listed("H.2", "Events", _all, numbers=LEDGER, empty=NONE_YET, head=_HEAD),)
