"""H.2: every significant event with time, code and text, all of them or of one kind (L6)."""

from collections.abc import Mapping

from controller.faults import CATALOGUE
from controller.journal import event_log
from controller.journal.event_log import LoggedEvent
from controller.journal.transaction import Transaction
from controller.service.attendant import moment
from controller.service.leaf import Leaf, Line
from controller.service.lists import MOST, Entries, listed

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
    "doors": ("door", "logic", "latch"),
    "power": ("power", "stopped", "program", "clock", "departure", "round_recovered", "update", "roll_back"),
    "access": ("service_menu", "service_call", "service_test", "console", "pin_", "no_pin", "key", "out_of_service"),
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
        "period_cleared",
    ),
    "settings": ("setting", "preset", "device_", "clear", "full_clear", "restored", "export"),
}
"""How the codes of a kind begin; a code of the fault catalogue that begins otherwise is a fault."""
_FAULTS = frozenset(("fault_cleared", "pulse_cut", "coin_rejected", "coin_acceptor_reset"))
NONE_YET = "No such event"


def kind_of(code: str) -> str:
    """Return the kind of an event by its code."""
    for kind, beginnings in _BEGINNINGS.items():
        if code.startswith(beginnings):
            return kind
    return "faults" if code in CATALOGUE or code in _FAULTS else "others"


def _lines(found: list[LoggedEvent]) -> Entries:
    return [
        (event.seq, Line(f"{event.code}: {event.text} {event.place}".strip(), moment(event.at_ms))) for event in found
    ]


def _all(tx: Transaction, before: int) -> Entries:
    return _lines(event_log.events(tx, before, MOST))


def _of_kind(number: int, kind: str) -> Leaf:
    def read(tx: Transaction, before: int) -> Entries:
        wanted = [code for code in event_log.codes(tx) if kind_of(code) == kind]
        return _lines(event_log.events_of(tx, wanted, before, MOST))

    return listed(f"H.2.{number}", KINDS[kind], read, empty=NONE_YET)


_HEAD = [Line(KINDS[kind], leads=_of_kind(number, kind)) for number, kind in enumerate(KINDS, start=1)]
LEAVES = (listed("H.2", "Events", _all, empty=NONE_YET, head=_HEAD),)
