"""Whether an export continues the one before it, from the books with which that one ended.

There are three proofs, strongest first. `chain`: the later export has the hash of the earlier one's last ledger row, in
the event that M.7 records or in the whole tables, whose rows are hashed again. `anchors`: both have an anchor of the
ledger in common. `sequence`: row numbers, lifetime meters, closed periods and events agree.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import msgspec

from controller.features.exports.events import ExportEvent
from controller.features.exports.export_reader import Export
from controller.journal import ledger
from controller.journal.event_catalogue import Event

Proof = Literal["first", "chain", "anchors", "sequence"]
SEALED_ROWS = 1
"""How many rows a journal may have after the snapshot of its full clear: the row that seals it."""
CLOSINGS = ("collections", "period_clears")
"""The meters that closing a period raises; they are in no period's figures."""
_BEGINNINGS = {event.code: event for event in (Event.FULL_CLEAR, Event.RESTORED, Event.REBUILT)}


class BrokenError(Exception):
    """An export contradicts the one before it; the message says how."""


class Beginning(NamedTuple):
    """How a later journal of a cabinet began: `code` of its event, and the row that it continues from.

    `hash` is empty after a rebuild.
    """

    code: str
    row: int
    hash: str


def check_figures(export: Export) -> None:
    """Verify an export's own figures: the credit by the meters, and each meter by its periods; raise `BrokenError`."""
    meters = export.meters
    owed = sum(meters.get(name, 0) for name in ledger.ADDS) - sum(meters.get(name, 0) for name in ledger.TAKES)
    if owed != export.manifest.credit_cents:
        raise BrokenError(f"its credit is {export.manifest.credit_cents} cents, its meters make it {owed}")
    for name, value in meters.items():
        counted = sum(period.meters.get(name, 0) for period in export.periods) + export.open_period[name]
        if counted != value and name not in CLOSINGS:
            raise BrokenError(f"its meter {name} shows {value}, its periods add up to {counted}")


def same_books(before: Export, after: Export) -> Proof:
    """Verify that `after` continues the books with which `before` ended; raise `BrokenError`."""
    old, new = before.manifest, after.manifest
    if new.seq < old.seq:
        raise BrokenError(f"it ends at ledger row {new.seq}, before row {old.seq} of {before.name}")
    if new.seq == old.seq and new.head != old.head:
        raise BrokenError(f"its ledger row {new.seq} has another hash than that of {before.name}")
    _prove_figures(before, after)
    _prove_events(before, after)
    anchored = _common_anchors(before, after)
    if new.seq == old.seq or _recorded(before, after) or _chained(before, after):
        return "chain"
    if new.made < old.made:
        raise BrokenError(
            f"it has more ledger rows than {before.name} and was made earlier: an older copy of the books was in use,"
            " or a clock was set back"
        )
    return "anchors" if anchored else "sequence"


def beginning_of(export: Export) -> Beginning | None:
    """Return how the export's journal began, or None if it is the first or its events do not reach back far enough."""
    for _, event in sorted(export.events().items(), reverse=True):
        if event.code in _BEGINNINGS:
            figures = event.figures
            return Beginning(event.code, int(figures["row"]), str(figures.get("hash", "")))
    return None


def prove_meters_rise(before: Export, after: Export) -> None:
    """Raise `BrokenError` for a lifetime meter that is lower in `after`."""
    for name, value in before.meters.items():
        if after.meters.get(name, 0) < value:
            raise BrokenError(f"its meter {name} shows {after.meters.get(name, 0)}, in {before.name} it was {value}")


def _prove_figures(before: Export, after: Export) -> None:
    prove_meters_rise(before, after)
    if before.manifest.seq == after.manifest.seq and before.meters != after.meters:
        raise BrokenError(f"its meters differ from those of {before.name} at the same ledger row")
    if after.periods[: len(before.periods)] != before.periods:
        wrong = next(
            old.number
            for place, old in enumerate(before.periods)
            if place >= len(after.periods) or after.periods[place] != old
        )
        raise BrokenError(f"its period {wrong} is not that of {before.name}")


def _prove_events(before: Export, after: Export) -> None:
    """Compare the events up to the earlier export's last row; an archive in between may have removed some."""
    old = before.events()
    new = {seq: event for seq, event in after.events().items() if seq <= before.manifest.seq}
    archived = after.last_archived > before.last_archived
    for seq in sorted(new.keys() if archived else old.keys() | new.keys()):
        if seq not in old or seq not in new or old[seq][::2] != new[seq][::2]:  # a newer program may have other codes
            raise BrokenError(f"its event at ledger row {seq} is not that of {before.name}")


def _common_anchors(before: Export, after: Export) -> bool:
    """Whether both have an anchor in common; raises `BrokenError` if they contradict each other."""
    old = before.anchors()
    new = {seq: digest for seq, digest in after.anchors().items() if seq <= before.manifest.seq}
    for seq, digest in new.items():
        if old.get(seq, digest) != digest:
            raise BrokenError(f"its anchor at ledger row {seq} has another hash than that of {before.name}")
        if old and seq not in old and seq > min(old):
            raise BrokenError(f"its anchor at ledger row {seq} is missing in {before.name}")
    return bool(old.keys() & new.keys())


def _recorded(before: Export, after: Export) -> bool:
    """Whether the later export's events name the earlier one, with its last row's hash (M.7 records it)."""
    for event in after.events().values():
        if event.code == ExportEvent.EXPORT.code:
            figures = event.figures
            if figures["row"] == before.manifest.seq:
                if figures["hash"] != before.manifest.head:
                    raise BrokenError(f"it records another hash for ledger row {before.manifest.seq} of {before.name}")
                return True
    return False


def _chained(before: Export, after: Export) -> bool:
    """Whether the later export has all ledger rows after the earlier one's last, with hashes that verify again."""
    seq, digest, found = before.manifest.seq, bytes.fromhex(before.manifest.head), False
    for row in after.ledger():
        number = int(row["seq"])
        if number <= before.manifest.seq:
            if number == seq and row["hash"] != digest.hex():
                raise BrokenError(f"its ledger row {seq} has another hash than that of {before.name}")
            continue
        if number != seq + 1:
            return False  # rows that were archived in between
        seq, digest, found = number, _hash_of(row, digest), True
        if digest.hex() != row["hash"]:
            raise BrokenError(f"its ledger row {number} does not follow from that of {before.name}")
    return found and seq == after.manifest.seq


def _hash_of(row: Mapping[str, str | int | None], previous: bytes) -> bytes:
    entry = ledger.Entry(
        int(row["at_ms"] or 0),
        str(row["kind"]),
        int(row["credit_delta"] or 0),
        msgspec.json.decode(str(row["meters"])),
        None if row["round_id"] is None else int(row["round_id"]),
        msgspec.json.decode(str(row["data"])),
    )
    state = bytes.fromhex(str(row["state"]))
    return ledger.row_hash(previous, int(row["seq"] or 0), entry, int(row["credit_after"] or 0), state)
