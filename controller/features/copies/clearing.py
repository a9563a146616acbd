"""U.8, the full clear: a new journal in place of the present one, which is sealed (requirements.md C8 to C10).

In this order: a signed snapshot of every meter, pool and the chain's head, beside the journal and on the stick, if
there is one; the whole new journal, whose first row names the snapshot's hash and the old chain's head; the seal, which
decides. Until the seal is durable nothing has changed; after it the next start finishes the clear
(`controller.books.rotation`). Nothing else in this program resets a lifetime meter: the schema's triggers refuse it.
"""

from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec

from controller.books.rotation import (
    Head,
    Seal,
    Step,
    discard,
    made_whole,
    no_step,
    refused_by_disk,
    seal,
    successor_of,
)
from controller.books.second_copy import KNOWN
from controller.files.durable import digest
from controller.journal import counters, demo_mode, hard_meters, money
from controller.journal.actor import Actor, acting
from controller.journal.carried_rows import Rows, write_rows
from controller.journal.diagnostics import hopper_diagnostic
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.generations import ORIGIN, Origin
from controller.journal.migration_process import set_up
from controller.journal.open_items import open_items
from controller.journal.parts import carried_rows, has_linked_pools
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from controller.keys import identity
from controller.keys.identity import Identity
from controller.machine.jackpots import VenueDesk
from controller.media.signed_folder import MANIFEST, write_folder
from controller.media.snapshots import files_of, folder_name, manifest_of, snapshot
from controller.media.sticks import stick_errors

WHY = "full clear"


class Order(NamedTuple):
    """Who orders the clear, the reason, and the folders for the snapshot besides the journal's own.

    `who` is the role of the key, `by` the person, if known.
    """

    who: str
    reason: str
    cabinet_name: str = ""
    sticks: tuple[Path, ...] = ()
    by: Actor | None = None


class Prepared(NamedTuple):
    """A clear that is ready to be decided: the head of the journal it follows, the seal, and the snapshot."""

    head: Head
    words: Seal
    snapshot: Path


def refuse_unless_settled(tx: Transaction, units: Mapping[str, int], venue: VenueDesk | None = None) -> None:
    """Raise `RefusedError` with what is still open: credit, a round, a payout, a note, an item, a pulse.

    Data that the `venue` lacks counts as open if the cabinet is in one, because the new books will not have it. `units`
    is the unit of one pulse of each fitted hard meter.
    """
    tx.audit()
    tx.refuse_in_play()
    if money.note_in_hand(tx) is not None:
        raise RefusedError("First let the note that is on its way be stacked or returned")
    if credit := tx.credit_cents:
        raise RefusedError("First pay out the credit of {credit_cents}", credit_cents=credit)
    if items := open_items(tx):
        raise RefusedError("First resolve the open items (A.8): {count}", count=len(items))
    if hopper_diagnostic.running(tx) is not None or hopper_diagnostic.coins_out(tx).missing:
        raise RefusedError("First have the coins of the hopper's test put back (T.10)")
    if demo_mode.is_on(tx):
        return  # pulses of demo mode are never given
    _refuse_unless_handed_over(tx, venue)
    for name, meter in hard_meters.hard_meters(tx).items():
        if meter.owed >= units.get(name, meter.owed + 1):
            raise RefusedError("First leave the menu until the hard meters have got the pulses they are owed")


def _refuse_unless_handed_over(tx: Transaction, venue: VenueDesk | None) -> None:
    if venue is not None:
        venue.refuse_unless_handed_over(tx)
    elif has_linked_pools(tx):
        raise RefusedError("These books belong to a venue: put [venue] back into cabinet.toml until it has all of them")


@refused_by_disk()
def prepare(journal: Path, own: Identity, order: Order, wall_ms: Callable[[], int], step: Step = no_step) -> Prepared:
    """Write the snapshot and the new journal, durably, without changing the old one.

    Raises `RefusedError` (also for a stick), `JournalError` and `IdentityError`.
    """
    step("before the snapshot")
    with snapshot(journal) as connection:
        manifest = manifest_of(connection, "snapshot", order.cabinet_name, wall_ms())
        contents = files_of(connection)
        counted = counters.device_counters(Transaction(connection, 0))
        carried = carried_rows(Transaction(connection, 0))
        copy = KNOWN.read(Transaction(connection, 0))
        with stick_errors():
            for stick in order.sticks:
                write_folder(stick, folder_name(manifest), manifest, contents, own)
        folder = write_folder(journal.parent, folder_name(manifest), manifest, contents, own)
    origin = Origin(
        generation=manifest.generation + 1,
        old_seq=manifest.seq,
        old_hash=manifest.head,
        snapshot_sha256=digest(folder / MANIFEST),
        who=order.who,
        reason=order.reason,
    )
    successor = successor_of(journal)
    discard(successor)
    step("before the new journal is made")
    set_up(successor, simulated=manifest.simulated, cabinet_id=manifest.cabinet_id)
    step("before the new journal is bound")
    with acting(order.by), closing(Store(successor, wall_ms, simulated=manifest.simulated)) as store:
        store.transact(lambda tx: _begin(tx, origin, own, counted, carried))
        if copy is not None:
            store.transact(lambda tx: KNOWN.write(tx, copy))
    step("before the new journal is one file")
    words = Seal(
        why=WHY,
        who=order.who,
        reason=order.reason,
        successor_sha256=made_whole(successor),
        snapshot_sha256=origin.snapshot_sha256,
    )
    return Prepared(Head(manifest.seq, manifest.head), words, folder)


def _begin(tx: Transaction, origin: Origin, own: Identity, counted: dict[str, str], carried: Rows) -> None:
    counters.go_on_from(tx, counted)
    write_rows(tx, carried)
    tx.post(ORIGIN, data=msgspec.to_builtins(origin))
    tx.event(
        Event.FULL_CLEAR,
        who=origin.who,
        reason=origin.reason,
        generation=origin.generation,
        row=origin.old_seq,
        hash=origin.old_hash[:16],
        snapshot=origin.snapshot_sha256[:16],
    )
    identity.bind(tx, own, origin.who, "full clear")


def decide(tx: Transaction, prepared: Prepared, units: Mapping[str, int], venue: VenueDesk | None = None) -> None:
    """Seal the journal in favour of the prepared one: this commit is the clear."""
    refuse_unless_settled(tx, units, venue)
    seal(tx, prepared.head, prepared.words)
