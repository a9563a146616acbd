"""The account of one past round: when it was played, the credit before and after, and the money that moved."""

from typing import NamedTuple

import msgspec

from controller.journal.errors import RefusedError
from controller.journal.transaction import Transaction


class Money(NamedTuple):
    """Money that moved the credit outside play: the ledger's kind and the amount in cents (negative for money out)."""

    kind: str
    cents: int


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """One round in the books; an open round has no `credit_after_cents` yet.

    `since` lists the money that moved since the previous round (L3), `meanwhile` the money that moved during this one.
    `jackpots_cents` maps the number of each segment that claimed a jackpot to the amount that the pool paid.
    """

    id: int
    game: str
    state: str
    started_ms: int
    stake_cents: int
    win_cents: int
    credit_before_cents: int
    credit_after_cents: int | None
    void_reason: str | None
    since: tuple[Money, ...]
    meanwhile: tuple[Money, ...]
    jackpots_cents: dict[int, int]


def account(tx: Transaction, round_id: int) -> Account:
    """Return the account of a round; raise `RefusedError` if no round has this number."""
    row = tx.execute(
        "SELECT game, state, started_ms, stake_cents, win_cents, credit_before_cents, credit_after_cents, void_reason,"
        " coin_value_cents FROM rounds WHERE id = ?",
        (round_id,),
    ).fetchone()
    if row is None:
        raise RefusedError("There is no round {number}", number=round_id)
    *figures, coin_value_cents = row
    game, state, started_ms, stake, win, before, after, reason = figures
    staked = _staked(tx, round_id)
    claims = tx.execute(
        "SELECT number, coins FROM claims WHERE round_id = ?1"
        " UNION ALL SELECT number, coins FROM venue_claims WHERE round_id = ?1 AND coins > 0",
        (round_id,),
    ).fetchall()
    return Account(
        id=round_id,
        game=game,
        state=state,
        started_ms=started_ms,
        stake_cents=stake,
        win_cents=win,
        credit_before_cents=before,
        credit_after_cents=after,
        void_reason=reason,
        since=_money(tx, _last(tx, round_id - 1), staked),
        meanwhile=_money(tx, staked, _last(tx, round_id)),
        jackpots_cents={number: coins * coin_value_cents for number, coins in claims},
    )


def _staked(tx: Transaction, round_id: int) -> int:
    """Return the ledger row of a round's stake, 0 if the round does not exist."""
    row = tx.execute("SELECT seq FROM ledger WHERE kind = 'stake' AND round_id = ?", (round_id,)).fetchone()
    return 0 if row is None else int(row[0])


def _last(tx: Transaction, round_id: int) -> int:
    """Return the newest ledger row of a round, searching up to the stake of the next round."""
    began, ended = _staked(tx, round_id), _staked(tx, round_id + 1)
    until = "AND seq < ?" if ended else "AND ? = 0"
    (last,) = tx.execute(
        f"SELECT max(seq) FROM ledger WHERE seq >= ? {until} AND +round_id = ?",  # noqa: S608 - two literals
        (began, ended, round_id),
    ).fetchone()
    return int(last or 0)


def _money(tx: Transaction, after: int, before: int) -> tuple[Money, ...]:
    rows = tx.execute(
        "SELECT kind, sum(credit_delta) FROM ledger WHERE seq > ? AND seq < ? AND credit_delta <> 0"
        " AND +round_id IS NULL GROUP BY kind ORDER BY min(seq)",
        (after, before),
    )
    return tuple(Money(kind, cents) for kind, cents in rows)
