"""The bench of `test_cuts`, which others use too."""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from controller.journal import demo_mode, money, payouts
from controller.journal.actor import Role
from controller.journal.event_catalogue import Event
from controller.journal.faults import fault_gone, raise_fault
from controller.journal.generations import ORIGIN, Origin
from controller.journal.open_items import Resolution, add_item, open_items
from controller.journal.resolutions import resolve_item
from controller.journal.settings import record_change
from controller.journal.transaction import Transaction
from controller.service.page import Entry
from tests.rigs.people import PIN

OTHER = "1470"


def items(tx: Transaction) -> None:
    """Credit, and an item of each way to resolve one."""
    money.coins_taken(tx, 1, 1, (200,) * 5, 0)
    payouts.begin_payout(tx, "hopper", 400, 100)
    payouts.end_hopper_payout(tx, "undecided", "the line was cut")
    payouts.begin_payout(tx, "hopper", 300, 100)
    payouts.end_hopper_payout(tx, "undecided", "the line was cut again")
    money.coins_taken(tx, 1, 6, (100,), 0)
    held = open_items(tx)[-1].id
    resolve_item(tx, held, Resolution.LEFT, Role.TECHNICIAN, amount_cents=100)
    add_item(tx, "note_unknown", 500, Event.NOTE_UNEXPECTED)


def settled(tx: Transaction) -> None:
    """A lock-up whose cause is gone, and settings that were made."""
    for key, value in (("sound.percent", "40"), ("display.brightness_percent", "50")):
        record_change(tx, key, "100", value, Role.TECHNICIAN)
    raise_fault(tx, "hopper_jam", "hopper", "")
    fault_gone(tx, "hopper_jam", "hopper")


def demo(tx: Transaction) -> None:
    """Demo mode, with free credits."""
    cleared(tx)
    demo_mode.begin(tx, Role.TECHNICIAN)
    demo_mode.give(tx, 1000)


def cleared(tx: Transaction) -> None:
    """What a full clear leaves."""
    origin = Origin(generation=2, old_seq=1, old_hash="00", snapshot_sha256="", who="technician", reason="another site")
    tx.post(ORIGIN, data=msgspec.to_builtins(origin))


SCENES = {"owing": items, "settled": settled, "cleared": cleared, "demo": demo}


def typed(entry: Entry) -> str:
    """Something that may be typed."""
    match entry.kind:
        case "digits":
            return PIN if entry.name == "old" else OTHER
        case "cents":
            return "100" if entry.limits is None else str(entry.limits[1])
        case "number":
            return "1" if entry.limits is None else str(entry.limits[1])
        case "choice":
            return next((choice for choice in reversed(entry.choices) if choice != entry.now), entry.now)
    return "A"


def held(path: Path) -> list[str]:
    """All that the journal at `path` holds."""
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())
