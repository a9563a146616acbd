from pathlib import Path

import pytest

from controller.faults import Clears, Stops, explain
from controller.journal import devices
from controller.journal.transaction import Transaction
from tests.rigs.books import opened


def fitted(tx: Transaction) -> list[tuple[str, str, str]]:
    """Every event about which device answers, with the device and the one before it."""
    rows = tx.execute(
        "SELECT code, data ->> '$.device', coalesce(data ->> '$.before', '') FROM events JOIN ledger USING (seq)"
        " WHERE code LIKE 'device_%' ORDER BY seq"
    )
    return [(code, device, before) for code, device, before in rows]


@pytest.mark.requirement("B7")
def test_a_replaced_device_is_logged_with_both_identities(tmp_path: Path) -> None:
    """The first device and each other one after it are events; the same one again, after a restart too, is none."""
    with opened(tmp_path) as store:
        for identity in ("serial number 1", "serial number 1", "serial number 2"):
            store.transact(lambda tx, identity=identity: devices.found(tx, "bill_validator", identity))
    with opened(tmp_path, create=False) as store:
        store.transact(lambda tx: devices.found(tx, "bill_validator", "serial number 2"))
        store.transact(lambda tx: devices.found(tx, "hopper", "serial number 2"))
        assert store.transact(fitted) == [
            ("device_fitted", "serial number 1", ""),
            ("device_replaced", "serial number 2", "serial number 1"),
            ("device_fitted", "serial number 2", ""),
        ]


@pytest.mark.requirement("D8", "D7")
def test_the_note_alarms_stop_notes_and_wait_for_the_attendant() -> None:
    """An alarm and a full cash box stop notes, not the game; the full box is reported as a malfunction."""
    for code in ("note_yoyo", "notes_rejected"):
        kind = explain(code)
        assert (kind.stops, kind.clears, kind.alarm, kind.momentary) == (Stops.NOTES, Clears.ATTENDANT, True, True)
    assert (explain("stacker_full").text, explain("stacker_full").stops) == ("Bill acceptor malfunction", Stops.NOTES)
