"""Books that are lost or rotten, made anew from their second copy to the last acknowledged cent (standards.md C4).

What the copy has is carried over: credit, meters, pools, and the chain's head, which the first row of the new journal
names. A round that was open is void: its stake is back on the credit, what it had won so far is taken back, as with any
round that cannot be continued. A demo mode's books are one's again. What the copy has not (history, open items,
settings, PINs) begins anew; the journal that could not be used is kept beside the new one for inspection.
"""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec

from controller.books.rotation import CARRIED, Step, discard, made_whole, no_step, put_aside, successor_of, take_place
from controller.books.second_copy import Record, SecondCopyError, read_copy
from controller.journal import demo_mode, held_payouts
from controller.journal.generations import ORIGIN, Origin
from controller.journal.migration_process import set_up
from controller.journal.store import Store, held
from controller.journal.transaction import Transaction
from controller.keys import identity
from controller.keys.identity import Identity


def copy_to_rebuild_from(path: Path, own: Identity) -> Record:
    """Return where the second copy at `path` says that the books stood.

    Raises `SecondCopyError` for one of no use, and `CorruptJournalError` for a rotten one.
    """
    try:
        kept = read_copy(path)
    except OSError as error:
        raise SecondCopyError(f"{path} cannot be read ({error.strerror}): mount its medium") from error
    if kept is None:
        raise SecondCopyError(f"there is no second copy at {path}: mount its medium, or name it in cabinet.toml")
    if kept.cabinet != own.public_key.hex():
        raise SecondCopyError(f"{path} is the second copy of another cabinet (key {kept.cabinet[:16]}): use its own")
    return kept


def rebuild(
    journal: Path, kept: Record, own: Identity, reason: str, *, wall_ms: Callable[[], int], step: Step = no_step
) -> Path | None:
    """Make the journal anew from `kept`; return where the one that could not be used lies now, None for none.

    Cut short, it has either not happened or leaves no journal, and is done again. Raises `JournalError`.
    """
    successor = successor_of(journal)
    with held(journal):
        discard(successor)
        step("before the new journal is made")
        set_up(successor, simulated=kept.simulated, cabinet_id=kept.cabinet_id)
        step("before it carries the figures over")
        with closing(Store(successor, wall_ms, simulated=kept.simulated)) as store:
            store.transact(lambda tx: _carry_over(tx, kept, own, reason))
        step("before it is one file")
        made_whole(successor)
        step("before the old journal is put aside")
        aside = put_aside(journal)
        step("before it takes its place")
        take_place(journal, successor)
    return aside


def _carry_over(tx: Transaction, kept: Record, own: Identity, reason: str) -> None:
    origin = Origin(
        generation=kept.generation + 1,
        old_seq=kept.seq,
        old_hash=kept.hash,
        snapshot_sha256="",
        who="technician",
        reason=reason,
    )
    tx.post(ORIGIN, data=msgspec.to_builtins(origin))
    tx.post(CARRIED, credit=kept.credit_cents, meters=kept.meters)
    # Nobody knows what the hard meters were still owed: they go on from where they stand.
    tx.execute("UPDATE hard_meters SET given_units = owed, owed = 0")
    for name, growth in kept.pools.items():
        game, _, coin = name.rpartition(".")
        tx.execute(
            "INSERT INTO pools (game, coin_value_cents, growth_millicents) VALUES (?, ?, ?)", (game, coin, growth)
        )
    if held_cents := kept.meters.get(held_payouts.HELD, 0) - kept.meters.get(held_payouts.RELEASED, 0):
        held_payouts.carry_over(tx, held_cents)
    stake, win = kept.open_stake_cents, kept.open_win_cents
    if stake:
        meters = {"stakes_voided": stake, "wins_voided": win, "games_voided": 1}
        tx.post("void", credit=stake - win, meters=meters, data={"reason": "its books were lost"})
    tx.event(
        "rebuilt",
        f"rebuilt from the second copy at row {kept.seq} with a credit of {tx.credit_cents} cents: {reason}",
        data={"open_stake_cents": stake, "open_win_cents": win},
    )
    if demo_mode.GIVEN in kept.meters:
        demo_mode.goes_on(tx, "technician")
    identity.bind(tx, own, "technician", "rebuilt")
    tx.audit()
