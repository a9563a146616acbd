"""The cabinet's membership in a venue: whether it plays for its pools, in which epoch, and what prevents it.

An epoch is a period over which the cabinet's memory has no gap (docs/venue-protocol.md). In a new epoch all
contribution meters start at 0, and claims of an earlier epoch are never credited automatically.
"""

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from controller.configuration.tickets import VENUE, Tickets
from controller.features.venue.events import VenueEvent
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.lost_tickets import hold_printed
from controller.journal.pools import MILLI, PoolKey
from controller.journal.reads import Reader
from controller.journal.transaction import InPlay, Transaction


class Trouble(StrEnum):
    """Why the cabinet waits for a technician; it survives a restart.

    FENCED: the venue has a newer session of this cabinet, or does not know the cabinet. BEHIND: the venue has seen
    newer rows of these books. BESIDE: it has seen other rows under the same numbers.
    """

    NONE = ""
    FENCED = "fenced"
    BEHIND = "behind"
    BESIDE = "beside"

    @property
    def of_the_books(self) -> bool:
        """Whether the books are an older or a different copy of what the venue has seen."""
        return self in {Trouble.BEHIND, Trouble.BESIDE}


class Membership(msgspec.Struct, frozen=True):
    """The row of `venue`: the cabinet's number there, its epoch, and the newest numbers of events and readings.

    `site` is the venue's identity. Epochs before `since_epoch` belong to another venue, or to another number at this
    one. `accepted_by` is who accepted books that the venue contradicts, until the venue is informed.
    """

    cabinet: int
    epoch: int
    joined: bool
    events: int
    readings: int
    trouble: Trouble
    accepted_by: str
    site: str
    since_epoch: int


class VenuePool(msgspec.Struct, frozen=True):
    """A pool with the venue's number for it and its share of a bet (1/1000)."""

    pool: int
    key: PoolKey
    rate_per_mille: int


def membership(tx: Reader) -> Membership | None:
    """Return the membership, or None for a cabinet that was never in a venue."""
    row = tx.execute(
        "SELECT cabinet, epoch, joined, events, readings, trouble, accepted_by, site, since_epoch FROM venue"
    ).fetchone()
    if row is None:
        return None
    cabinet, epoch, joined, events, readings, trouble, *rest = row
    return Membership(cabinet, epoch, bool(joined), events, readings, Trouble(trouble), *rest)


def joined_membership(tx: Reader) -> Membership | None:
    """Return the membership in the venue that the cabinet plays for, None if there is none."""
    known = membership(tx)
    return known if known is not None and known.joined else None


def is_joined(tx: Reader) -> bool:
    """Whether the cabinet plays for the venue's pools."""
    return tx.execute("SELECT 1 FROM venue WHERE joined = 1").fetchone() is not None


def take_epoch(tx: Transaction, cabinet: int, epoch: int, site: str = "") -> bool:
    """Continue in the `epoch` that the venue answered, and join it if necessary; return whether the epoch is new.

    Joining closes the cabinet's own pools (`_close_own_pools`) and raises `RefusedError` while a round is open. Another
    `site` or another cabinet number means another venue: the cabinet leaves the previous one, as `leave` does, and
    forgets its pools. Another `site` gets none of its unsent events and readings; at the same site they get new numbers
    in a new epoch. Debts of voided rounds carry over into the new epoch. Claims of an earlier epoch that the venue has
    answered but that were not paid become open items.
    """
    before = membership(tx)
    is_other = before is not None and (before.site, before.cabinet) != (site, cabinet)
    if before is not None and is_other:
        if epoch <= before.epoch:
            raise RefusedError("Another venue goes on with epoch {epoch} of this cabinet: enrol it again", epoch=epoch)
        leave(tx)
    is_joined_here = before is not None and before.joined and not is_other
    if before is not None and is_joined_here and before.epoch == epoch:
        return False
    if not is_joined_here:
        tx.refuse_in_play(InPlay.ROUND)
    if before is None:
        tx.execute("INSERT INTO venue (id, cabinet, epoch, since_epoch, joined) VALUES (1, 1, 1, 1, 1)")
    tx.execute("UPDATE venue SET cabinet = ?, site = ?, joined = 1", (cabinet, site))
    if before is None or is_other:
        tx.execute("UPDATE venue SET epoch = ?1, since_epoch = ?1", (epoch,))
        tx.execute("DELETE FROM venue_pools")
    if before is not None and before.site != site:
        _leave_unsent(tx)
    if before is None or before.epoch != epoch:
        tx.execute("UPDATE venue SET epoch = ?, events = 0, readings = 0", (epoch,))
        _number_again(tx, epoch)
        _take_debts_along(tx)
    if before is not None and is_joined_here:
        tx.event(VenueEvent.VENUE_EPOCH, epoch=epoch, before=before.epoch)
    else:
        _close_own_pools(tx, cabinet, epoch)
    return True


def leave(tx: Transaction) -> bool:
    """Return to the cabinet's own pools, which start at their seeds; return whether it was in a venue.

    Raises `RefusedError` while a round is open, because the venue may have to answer its claim. The event contains the
    final contribution meters, which the venue's operator compares with what has arrived, and the unanswered claims of
    voided rounds, since no other venue is asked for them.
    """
    known = joined_membership(tx)
    if known is None:
        return False
    tx.refuse_in_play(InPlay.ROUND)
    since = (known.since_epoch,)
    meters = tx.execute(
        "SELECT epoch, pool, seq, cum, debt FROM venue_meters WHERE epoch >= ? AND seq > 0 ORDER BY 1, 2", since
    )
    claims = tx.execute(
        "SELECT epoch, round_id, number, pool FROM venue_claims WHERE epoch >= ? AND state = 'asked' ORDER BY 1, 2, 3",
        since,
    )
    ends = [dict(zip(("epoch", "pool", "seq", "cum", "debt"), row, strict=True)) for row in meters.fetchall()]
    unanswered = [dict(zip(("epoch", "round", "number", "pool"), row, strict=True)) for row in claims.fetchall()]
    tx.event(VenueEvent.VENUE_LEFT, cabinet=known.cabinet, epoch=known.epoch, ends=ends, unanswered=unanswered)
    tx.execute("UPDATE venue SET joined = 0, trouble = '', accepted_by = ''")
    return True


def _close_own_pools(tx: Transaction, cabinet: int, epoch: int) -> None:
    """Empty the cabinet's own pools and record each amount, on which the venue's operator decides."""
    grown = tx.execute(
        "SELECT game, coin_value_cents, growth_millicents FROM pools WHERE growth_millicents > 0 ORDER BY 1, 2"
    ).fetchall()
    closed = [{"game": game, "coin_value_cents": coin, "growth_millicents": growth} for game, coin, growth in grown]
    tx.execute("UPDATE pools SET growth_millicents = 0")
    total = sum(growth for _, _, growth in grown)
    tx.event(VenueEvent.VENUE_JOINED, cabinet=cabinet, epoch=epoch, closed_cents=total // MILLI, closed=closed)


def _leave_unsent(tx: Transaction) -> None:
    """Keep unsent data from a new venue, which would count money that was played elsewhere."""
    tx.execute("UPDATE venue_events SET sent = 1 WHERE sent = 0")
    tx.execute("UPDATE venue_readings SET sent = 1 WHERE sent = 0")


def _number_again(tx: Transaction, epoch: int) -> None:
    """Renumber the unsent events and readings in a new epoch, in their order."""
    for table, counter in (("venue_events", "events"), ("venue_readings", "readings")):
        rows = tx.execute(f"SELECT epoch, seq FROM {table} WHERE sent = 0 ORDER BY epoch, seq").fetchall()  # noqa: S608 - literals
        for seq, (old_epoch, old_seq) in enumerate(rows, 1):
            tx.execute(
                f"UPDATE {table} SET epoch = ?, seq = ? WHERE epoch = ? AND seq = ?",  # noqa: S608 - literals
                (epoch, seq, old_epoch, old_seq),
            )
        tx.execute(f"UPDATE venue SET {counter} = ?", (len(rows),))  # noqa: S608 - literals


def _take_debts_along(tx: Transaction) -> None:
    """Carry the debts of voided rounds from earlier epochs into the current one, where contributions pay them."""
    tx.execute(
        "INSERT INTO venue_meters (epoch, pool, seq, cum, debt) SELECT venue.epoch, pool, 0, 0, sum(debt)"
        " FROM venue_meters, venue WHERE venue_meters.epoch >= since_epoch AND venue_meters.epoch < venue.epoch"
        " AND debt > 0 GROUP BY pool"
    )
    tx.execute(
        "UPDATE venue_meters SET debt = 0 WHERE debt > 0 AND epoch >= (SELECT since_epoch FROM venue)"
        " AND epoch < (SELECT epoch FROM venue)"
    )


def set_trouble(tx: Transaction, trouble: Trouble) -> None:
    """Record each change of why the cabinet waits for a technician; only `accepted` clears a mismatch of the books."""
    known = membership(tx)
    if known is None or known.trouble is trouble or known.trouble.of_the_books:
        return  # contradicted books stay locked, even if another session represents this cabinet
    tx.execute("UPDATE venue SET trouble = ?", (str(trouble),))
    if trouble is Trouble.FENCED:
        tx.event(VenueEvent.VENUE_FENCED, cabinet=known.cabinet, epoch=known.epoch)
    elif trouble is not Trouble.NONE:
        books = VenueEvent.VENUE_BEHIND if trouble is Trouble.BEHIND else VenueEvent.VENUE_BESIDE
        tx.event(books, cabinet=known.cabinet, epoch=known.epoch)


def accept(tx: Transaction, who: str, rules: Tickets) -> None:
    """Record that a technician accepts these books, or this cabinet as the right one.

    Books stay locked until the venue is informed (`accepted`). Tickets that they list as printed may have come back in
    the newer books: unless the venue validates them by `rules`, they are held for a person. Raises `RefusedError` if
    there is nothing to accept.
    """
    known = membership(tx)
    if known is None or known.trouble is Trouble.NONE:
        raise RefusedError("Nothing waits to be accepted")
    tx.event(VenueEvent.VENUE_ACCEPTED, who=who, trouble=str(known.trouble))
    if known.trouble.of_the_books:
        tx.execute("UPDATE venue SET accepted_by = ?", (who,))
        if rules.validated_by != VENUE and not known.accepted_by:
            hold_printed(tx, Event.TICKETS_OF_LOST_ROWS, always=rules.own)
    else:
        tx.execute("UPDATE venue SET trouble = ''")


def accepted(tx: Transaction) -> None:
    """Record that the venue was informed of accepted books; the cabinet may play again."""
    tx.execute("UPDATE venue SET trouble = '', accepted_by = ''")
    tx.event(VenueEvent.VENUE_REBASED)


def learn_pools(tx: Transaction, pools: Sequence[VenuePool]) -> None:
    """Replace the known pools with the venue's; the cabinet finds them by game and coin value."""
    tx.execute("DELETE FROM venue_pools")
    for each in pools:
        tx.execute(
            "INSERT INTO venue_pools (pool, game, coin_value_cents, rate_per_mille) VALUES (?, ?, ?, ?)",
            (each.pool, *each.key, each.rate_per_mille),
        )


def known_pools(tx: Reader) -> tuple[VenuePool, ...]:
    """Return the venue's pools as last stored."""
    rows = tx.execute("SELECT pool, game, coin_value_cents, rate_per_mille FROM venue_pools ORDER BY pool")
    return tuple(VenuePool(pool, PoolKey(game, coin), rate) for pool, game, coin, rate in rows)
