"""The venue's pools in the cabinet's books: contribution meters, and claims that the venue answers.

A contribution raises the cabinet's cumulative meter for that pool and epoch in the round's own transaction; only the
newest value is sent. A claim is stored before it is sent, answered once, and paid to its round once.
"""

import msgspec

from controller.features.venue.events import VenueEvent
from controller.features.venue.membership import Membership, is_joined, membership, take_epoch
from controller.journal.errors import RefusedError
from controller.journal.open_items import JACKPOT, JACKPOT_VOID, OpenItem, Resolution, add_item, merge_item, open_items
from controller.journal.pools import MILLI, PoolKey, Pools
from controller.journal.reads import Reader
from controller.journal.transaction import Transaction
from gamekit.play import PoolRule


class Meter(msgspec.Struct, frozen=True):
    """The newest contribution meter of a pool in an epoch: its sequence number, and the sum in 1/1000 cent."""

    pool: int
    seq: int
    cum: int


class OpenClaim(msgspec.Struct, frozen=True):
    """A claim that the venue has not answered, with the contribution meter of its pool and epoch."""

    pool: int
    epoch: int
    round_id: int
    number: int
    meter: Meter


class Answer(msgspec.Struct, frozen=True):
    """The venue's answer to a claim: award and seed in 1/1000 cent, and the pool's hit number."""

    award: int
    hit: int
    seed: int


class AnsweredClaim(msgspec.Struct, frozen=True):
    """An answered claim, as it is given back to a venue that has lost it."""

    pool: int
    epoch: int
    round: int
    number: int
    hit: int
    seed: int
    award: int


class VenuePools:
    """A venue's pools within one transaction of a cabinet that has joined it."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def contribute(self, key: PoolKey, rule: PoolRule, round_id: int, bet_cents: int) -> None:
        """Add the bet's share to the cabinet's meter, once for each round; debts of voided rounds are paid first."""
        del rule  # the venue's rate applies
        tx, known = self._tx, self._membership()
        if tx.execute("SELECT 1 FROM venue_shares WHERE round_id = ?", (round_id,)).fetchone():
            return
        pool, rate = self._pool(key)
        share = bet_cents * rate
        tx.execute(
            "INSERT INTO venue_shares (round_id, epoch, pool, millicents) VALUES (?, ?, ?, ?)",
            (round_id, known.epoch, pool, share),
        )
        tx.execute(
            "INSERT INTO venue_meters (epoch, pool, seq, cum) VALUES (?, ?, 0, 0) ON CONFLICT DO NOTHING",
            (known.epoch, pool),
        )
        tx.execute(
            "UPDATE venue_meters SET seq = seq + 1, cum = cum + max(?1 - debt, 0), debt = max(debt - ?1, 0)"
            " WHERE (epoch, pool) = (?2, ?3)",
            (share, known.epoch, pool),
        )

    def playable(self, key: PoolKey) -> bool:
        """Whether the venue has such a pool. Whether it is open and reachable is not stored in the books."""
        return self._found(key) is not None

    def ask(self, key: PoolKey, rule: PoolRule, round_id: int, number: int) -> int | None:
        """Store the `number`-th claim of a round; return the coins to pay, or None while it is undecided."""
        del rule
        coins = self._decided(round_id, number)
        if coins is not None:
            return coins
        tx = self._tx
        epoch, pool = self._share(round_id)
        stored = tx.execute(
            "INSERT INTO venue_claims (epoch, round_id, number, pool, unit_cents, state, asked_ms)"
            " VALUES (?, ?, ?, ?, ?, 'asked', ?) ON CONFLICT DO NOTHING",
            (epoch, round_id, number, pool, key.coin_value_cents, tx.at_ms),
        ).rowcount
        if stored:
            tx.event(VenueEvent.JACKPOT_ASKED, round=round_id, number=number, game=key.game, pool=pool, epoch=epoch)
        return None

    def claim(self, key: PoolKey, rule: PoolRule, round_id: int, number: int) -> int:
        """Pay the claim to its round and return the coins; raise `RefusedError` while it is undecided."""
        del rule
        coins = self._decided(round_id, number)
        if coins is None:
            raise RefusedError("The venue has not answered for the pool of {game}", game=key.game)
        epoch, _ = self._share(round_id)
        self._tx.execute(
            "UPDATE venue_claims SET state = 'done', coins = ? WHERE (epoch, round_id, number) = (?, ?, ?)",
            (coins, epoch, round_id, number),
        )
        return coins

    def void(self, key: PoolKey, round_id: int) -> None:
        """Record the voided round's contribution as a debt, and turn its answered claims into open items.

        The meter does not decrease: later contributions pay the debt, including debts of an earlier epoch. A share at a
        venue that the cabinet has left stays there.
        """
        del key
        tx, known = self._tx, self._membership()
        share = tx.execute(
            "SELECT epoch, pool, millicents FROM venue_shares WHERE round_id = ? AND reversed = 0", (round_id,)
        ).fetchone()
        if share is None:
            return
        epoch, pool, millicents = share
        tx.execute("UPDATE venue_shares SET reversed = 1 WHERE round_id = ?", (round_id,))
        if epoch >= known.since_epoch:
            tx.execute(
                "INSERT INTO venue_meters (epoch, pool, seq, cum, debt) VALUES (?, ?, 0, 0, ?)"
                " ON CONFLICT (epoch, pool) DO UPDATE SET debt = debt + excluded.debt",
                (known.epoch, pool, millicents),
            )
        numbers = tx.execute(
            "SELECT number FROM venue_claims WHERE (epoch, round_id) = (?, ?) AND award IS NOT NULL", (epoch, round_id)
        ).fetchall()
        for (number,) in numbers:
            _hold_void(tx, epoch, round_id, number)

    def _decided(self, round_id: int, number: int) -> int | None:
        epoch, _ = self._share(round_id)
        row = self._tx.execute(
            "SELECT state, coins, award, unit_cents FROM venue_claims WHERE (epoch, round_id, number) = (?, ?, ?)",
            (epoch, round_id, number),
        ).fetchone()
        if row is None:
            return None
        state, coins, award, unit_cents = row
        match state:
            case "answered":
                return int(award // (unit_cents * MILLI))
            case "refused":
                return 0
            case "done":
                return int(coins)
        return None

    def _share(self, round_id: int) -> tuple[int, int]:
        row = self._tx.execute("SELECT epoch, pool FROM venue_shares WHERE round_id = ?", (round_id,)).fetchone()
        if row is None:
            raise RefusedError("Round {number} was not played for a pool of the venue", number=round_id)
        return row[0], row[1]

    def _membership(self) -> Membership:
        known = membership(self._tx)
        if known is None:
            raise RefusedError("This cabinet belongs to no venue")
        return known

    def _found(self, key: PoolKey) -> tuple[int, int] | None:
        row = self._tx.execute(
            "SELECT pool, rate_per_mille FROM venue_pools WHERE (game, coin_value_cents) = (?, ?)", tuple(key)
        ).fetchone()
        return None if row is None else (row[0], row[1])

    def _pool(self, key: PoolKey) -> tuple[int, int]:
        found = self._found(key)
        if found is None:
            raise RefusedError(
                "The venue has no pool of {game} at {coin_cents}", game=key.game, coin_cents=key.coin_value_cents
            )
        return found


def pools_of(tx: Transaction, round_id: int | None) -> Pools | None:
    """Return the venue's pools if that round was begun for them, or a new one is; else None."""
    if round_id is None:
        return VenuePools(tx) if is_joined(tx) else None
    shared = tx.execute("SELECT 1 FROM venue_shares WHERE round_id = ?", (round_id,)).fetchone()
    return VenuePools(tx) if shared else None


def begin_epoch(tx: Transaction, cabinet: int, epoch: int, site: str = "") -> bool:
    """Continue in the epoch that the venue `site` answered (`take_epoch`); return whether it is new."""
    is_new = take_epoch(tx, cabinet, epoch, site)
    if is_new:
        hold_claims_of_earlier_epochs(tx)
    return is_new


def newest_meters(tx: Reader) -> tuple[Meter, ...]:
    """Return the contribution meters of the current epoch."""
    rows = tx.execute(
        "SELECT pool, seq, cum FROM venue_meters WHERE epoch = (SELECT epoch FROM venue) AND seq > 0 ORDER BY pool"
    )
    return tuple(Meter(*row) for row in rows)


def earlier_meters(tx: Reader) -> dict[int, tuple[Meter, ...]]:
    """Return the final contribution meters of earlier epochs at this venue, by epoch."""
    rows = tx.execute(
        "SELECT m.epoch, m.pool, m.seq, m.cum FROM venue_meters m, venue v"
        " WHERE m.epoch >= v.since_epoch AND m.epoch < v.epoch AND m.seq > 0 ORDER BY 1, 2"
    )
    found: dict[int, tuple[Meter, ...]] = {}
    for epoch, *meter in rows:
        found[epoch] = (*found.get(epoch, ()), Meter(*meter))
    return found


def open_claims(tx: Reader) -> tuple[OpenClaim, ...]:
    """Return the claims that the venue has not answered, oldest first."""
    rows = tx.execute(  # the index covers claims that are not done
        "SELECT c.pool, c.epoch, c.round_id, c.number, coalesce(m.seq, 0), coalesce(m.cum, 0) FROM venue_claims c"
        " LEFT JOIN venue_meters m ON m.pool = c.pool AND m.epoch = c.epoch"
        " WHERE c.state = 'asked' AND c.state <> 'done' AND c.epoch >= (SELECT since_epoch FROM venue)"
        " ORDER BY c.asked_ms, c.round_id, c.number"
    )
    return tuple(
        OpenClaim(pool, epoch, round_id, number, Meter(pool, seq, cum))
        for pool, epoch, round_id, number, seq, cum in rows
    )


def answered_claims(tx: Reader) -> tuple[AnsweredClaim, ...]:
    """Return every claim that this venue has answered."""
    rows = tx.execute(
        "SELECT pool, epoch, round_id, number, hit, seed, award FROM venue_claims WHERE award IS NOT NULL"
        " AND epoch >= (SELECT since_epoch FROM venue) ORDER BY pool, hit"
    )
    return tuple(AnsweredClaim(*row) for row in rows)


def answer_claim(tx: Transaction, claim: OpenClaim, answer: Answer) -> None:
    """Store the venue's answer if there is none yet; refuse an award that is not whole coins.

    The round's own flow pays it. For a round of an earlier epoch or a voided round, a person decides instead.
    """
    row = tx.execute(
        "SELECT unit_cents FROM venue_claims WHERE (epoch, round_id, number) = (?, ?, ?) AND award IS NULL",
        (claim.epoch, claim.round_id, claim.number),
    ).fetchone()
    if row is None:
        return
    if answer.award % (row[0] * MILLI):
        raise RefusedError("The venue has awarded {millicents}, which are no whole coins", millicents=answer.award)
    tx.execute(
        "UPDATE venue_claims SET award = ?, hit = ?, seed = ?, state = 'answered'"
        " WHERE (epoch, round_id, number) = (?, ?, ?)",
        (answer.award, answer.hit, answer.seed, claim.epoch, claim.round_id, claim.number),
    )
    tx.event(
        VenueEvent.JACKPOT_ANSWERED,
        round=claim.round_id,
        number=claim.number,
        amount_cents=answer.award // MILLI,
        hit=answer.hit,
        pool=claim.pool,
        epoch=claim.epoch,
    )
    (state,) = tx.execute("SELECT state FROM rounds WHERE id = ?", (claim.round_id,)).fetchone() or ("void",)
    if state != "open":
        _hold_void(tx, claim.epoch, claim.round_id, claim.number)
    else:
        hold_claims_of_earlier_epochs(tx)


def hold_claims_of_earlier_epochs(tx: Transaction) -> None:
    """Create an open item for every answered claim whose epoch ended before its round was paid."""
    rows = tx.execute(
        "SELECT epoch, round_id, number, award, hit FROM venue_claims WHERE state = 'answered'"
        " AND item IS NULL AND epoch < (SELECT epoch FROM venue)"
    ).fetchall()
    for epoch, round_id, number, award, hit in rows:
        item = add_item(
            tx, JACKPOT, award // MILLI, VenueEvent.JACKPOT_HELD, round=round_id, award_cents=award // MILLI, hit=hit
        )
        tx.execute(
            "UPDATE venue_claims SET state = 'held', item = ? WHERE (epoch, round_id, number) = (?, ?, ?)",
            (item, epoch, round_id, number),
        )


def _hold_void(tx: Transaction, epoch: int, round_id: int, number: int) -> None:
    """Create an open item for an answered claim of a void round, replacing an existing one."""
    state, award, hit, coins, before = tx.execute(
        "SELECT state, award, hit, coins, item FROM venue_claims WHERE (epoch, round_id, number) = (?, ?, ?)",
        (epoch, round_id, number),
    ).fetchone()
    if state == "refused" or coins == 0:
        return  # a person has decided that nothing is owed
    cents = award // MILLI
    item = add_item(tx, JACKPOT_VOID, cents, VenueEvent.JACKPOT_OF_VOID, round=round_id, award_cents=cents, hit=hit)
    old = next((each for each in open_items(tx) if each.id == before), None)
    if old is not None:
        merge_item(tx, old, item)
    tx.execute(
        "UPDATE venue_claims SET state = 'held', item = ? WHERE (epoch, round_id, number) = (?, ?, ?)",
        (item, epoch, round_id, number),
    )


def decide(tx: Transaction, item: OpenItem, way: Resolution) -> None:
    """Apply a person's decision about a held claim: pay its round, pay nothing, or close that of a void round."""
    state = "answered" if way is Resolution.CREDITED else "refused"
    tx.execute(
        "UPDATE venue_claims SET state = ? WHERE item = ?", ("done" if item.kind == JACKPOT_VOID else state, item.id)
    )
