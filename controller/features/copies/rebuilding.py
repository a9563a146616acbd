"""Rebuilds lost or damaged books from their second copy, to the last acknowledged cent (requirements.md C4).

Credit, meters, pools, the chain's head, open items, what hosts may still ask about and tickets that no venue has got
are carried over; the first row of the new journal names the head. An open round is void: the stake is back on the
credit, its wins so far are taken back, as with any round that cannot be continued. A note that was being stacked, coins
that were leaving the hopper, and an acceptor that has counted since are open items. Demo mode continues. What the copy
lacks (history, settings, PINs, the other tickets) begins empty; the journal that could not be used is left beside the
new one for inspection.
"""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec

from controller.books.copy_records import Record, read_copy
from controller.books.rotation import CARRIED, Step, discard, made_whole, no_step, put_aside, successor_of, take_place
from controller.books.second_copy import SecondCopyError
from controller.journal import demo_mode, lost_tickets, unsettled
from controller.journal.event_catalogue import Event
from controller.journal.generations import ORIGIN, Origin
from controller.journal.migration_process import set_up
from controller.journal.pools import JournalPools
from controller.journal.store import Store, held
from controller.journal.transaction import Transaction
from controller.keys import identity
from controller.keys.identity import Identity


def copy_to_rebuild_from(path: Path, own: Identity) -> Record:
    """Return the record of the second copy at `path`.

    Raises `SecondCopyError` if it cannot be used, and `CorruptJournalError` if it is damaged.
    """
    try:
        record = read_copy(path)
    except OSError as error:
        raise SecondCopyError(f"{path} cannot be read ({error.strerror}): mount its medium") from error
    if record is None:
        raise SecondCopyError(f"there is no second copy at {path}: mount its medium, or name it in cabinet.toml")
    if record.cabinet != own.public_key.hex():
        raise SecondCopyError(f"{path} is the second copy of another cabinet (key {record.cabinet[:16]}): use its own")
    return record


def rebuild(
    journal: Path,
    record: Record,
    own: Identity,
    reason: str,
    *,
    wall_ms: Callable[[], int],
    own_tickets: bool = False,
    step: Step = no_step,
) -> Path | None:
    """Rebuild the journal from `record`; return the path of the unusable one, or None if there was none.

    If `own_tickets` is true, no venue knows the tickets that the cabinet validates itself; they become an open item.
    Otherwise those that no venue was handed are held.
    After an interruption either nothing has changed, or there is no journal and the call can be repeated. Raises
    `JournalError`.
    """
    successor = successor_of(journal)
    with held(journal):
        discard(successor)
        step("before the new journal is made")
        set_up(successor, simulated=record.simulated, cabinet_id=record.cabinet_id)
        step("before it carries the figures over")
        with closing(Store(successor, wall_ms, simulated=record.simulated)) as store:
            store.transact(lambda tx: _carry_over(tx, record, own, reason, own_tickets=own_tickets))
        step("before it is one file")
        made_whole(successor)
        step("before the old journal is put aside")
        aside = put_aside(journal)
        step("before it takes its place")
        take_place(journal, successor)
    return aside


def _carry_over(tx: Transaction, record: Record, own: Identity, reason: str, *, own_tickets: bool) -> None:
    origin = Origin(
        generation=record.generation + 1,
        old_seq=record.seq,
        old_hash=record.hash,
        snapshot_sha256="",
        who="technician",
        reason=reason,
    )
    tx.post(ORIGIN, data=msgspec.to_builtins(origin))
    tx.post(CARRIED, credit=record.credit_cents, meters=record.meters)
    # The pulses still owed to the hard meters are unknown; counting continues from what they show.
    tx.execute("UPDATE hard_meters SET given_units = owed, owed = 0")
    for name, growth in record.pools.items():
        game, _, coin = name.rpartition(".")
        tx.execute(
            "INSERT INTO pools (game, coin_value_cents, growth_millicents) VALUES (?, ?, ?)", (game, coin, growth)
        )
    unsettled.go_on_with(tx, record.unsettled)
    if own_tickets:
        lost_tickets.after_rebuild(tx)
    else:
        lost_tickets.hold_printed(tx, Event.TICKETS_OF_LOST_ROWS)
    stake, win = record.open_stake_cents, record.open_win_cents
    if stake:
        meters = {"stakes_voided": stake, "wins_voided": win, "games_voided": 1}
        tx.post("void", credit=stake - win, meters=meters, data={"reason": "its books were lost"})
    if record.open_pool is not None:
        JournalPools(tx).give_back(record.open_pool)
    tx.event(
        Event.REBUILT,
        row=record.seq,
        credit_cents=tx.credit_cents,
        reason=reason,
        open_stake_cents=stake,
        open_win_cents=win,
    )
    if demo_mode.GIVEN in record.meters:
        demo_mode.goes_on(tx, "technician")
    identity.bind(tx, own, "technician", "rebuilt")
    tx.audit()
