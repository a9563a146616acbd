"""Progressive jackpots in the journal: one pool for each game and coin value, in 1/1000 cent.

`Pools` is the interface of all pools. `JournalPools` are those of one cabinet, within the round's own transaction:
contribution, claim and round become durable together. A feature may have pools that cabinets share
(`controller.journal.parts`).
"""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

import msgspec

from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.reads import Reader
from controller.journal.transaction import Transaction
from gamekit.play import PoolRule

MILLI = 1000


class PoolKey(NamedTuple):
    """Identifies a pool: the game and the coin value of the bets."""

    game: str
    coin_value_cents: int


class Pools(Protocol):
    """The interface of every progressive jackpot."""

    def contribute(self, key: PoolKey, rule: PoolRule, round_id: int, bet_cents: int) -> None:
        """Add the bet's share to the pool, once for each round."""

    def playable(self, key: PoolKey) -> bool:
        """Whether the pool is available; without it no stake may be placed for it."""

    def ask(self, key: PoolKey, rule: PoolRule, round_id: int, number: int) -> int | None:
        """Return the whole coins that the `number`-th claim of a round pays, or None while that is undecided.

        A claim that the pool's keeper must still answer is stored before this returns.
        """

    def claim(self, key: PoolKey, rule: PoolRule, round_id: int, number: int) -> int:
        """Take the pool's whole coins for the `number`-th claim of a round and return their number; the rest stays.

        Claiming again for the same round and number returns the same coins and takes nothing. Raise `RefusedError` if
        `ask` returns None.
        """

    def void(self, key: PoolKey, round_id: int) -> None:
        """Undo the contribution and claims of a voided round, or leave what cannot be undone to a person."""


def whole_coins(value_millicents: int, coin_value_cents: int) -> int:
    """Return the whole coins in a pool's value, which is what a win pays."""
    return value_millicents // (coin_value_cents * MILLI)


def pools_cents(tx: Transaction, rules: Mapping[PoolKey, PoolRule]) -> dict[PoolKey, int]:
    """Return the value of each of these pools in whole cents."""
    pools = JournalPools(tx)
    return {key: pools.value(key, rule) // MILLI for key, rule in rules.items()}


HITS, PAID, VOID_HITS, VOID_PAID = "jackpots", "jackpots_paid", "jackpots_void", "jackpots_void_paid"
"""The meters of a pool: the number of wins and the cents paid, seeds included, and the part of both that was void."""


def meter_of(key: PoolKey, name: str) -> str:
    """Return the full name of a pool's meter: `bewitched.5.jackpots`."""
    return f"{key.game}.{key.coin_value_cents}.{name}"


class Undone(msgspec.Struct, frozen=True):
    """What voiding a round changes of its pool: the growth in 1/1000 cent, and the claims taken back, worth so much."""

    game: str
    coin_value_cents: int
    round_id: int
    millicents: int
    hits: int = 0
    paid_cents: int = 0


def undone_of_open_round(books: Reader) -> Undone | None:
    """Return what voiding the open round would change of its pool, or None for no open round and no change."""
    row = books.execute("SELECT game, coin_value_cents, id FROM rounds WHERE state = 'open'").fetchone()
    if row is None:
        return None
    undone = _undone(books, PoolKey(row[0], row[1]), row[2])
    return undone if undone.millicents or undone.hits else None


def _undone(books: Reader, key: PoolKey, round_id: int) -> Undone:
    (share,) = books.execute(
        "SELECT coalesce(sum(millicents), 0) FROM contributions WHERE round_id = ? AND reversed = 0", (round_id,)
    ).fetchone()
    hits, taken, coins = books.execute(
        "SELECT count(*), coalesce(sum(taken_millicents), 0), coalesce(sum(coins), 0) FROM claims"
        " WHERE round_id = ? AND reversed = 0",
        (round_id,),
    ).fetchone()
    return Undone(*key, round_id, taken - share, hits, coins * key.coin_value_cents)


class JournalPools:
    """The pools of one cabinet, in one transaction."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def contribute(self, key: PoolKey, rule: PoolRule, round_id: int, bet_cents: int) -> None:
        """Add the bet's share to the pool, once for each round."""
        share = bet_cents * rule.growth_per_mille
        if self._tx.execute("SELECT 1 FROM contributions WHERE round_id = ?", (round_id,)).fetchone():
            return
        self._tx.execute("INSERT INTO contributions (round_id, millicents) VALUES (?, ?)", (round_id, share))
        self._grow(key, share)

    def value(self, key: PoolKey, rule: PoolRule) -> int:
        """Return the pool's value in 1/1000 cent."""
        return self._seed(key, rule) + self._growth(key)

    def playable(self, key: PoolKey) -> bool:
        """Whether the pool is available; a pool in the cabinet's own journal always is."""
        return self._growth(key) >= 0

    def ask(self, key: PoolKey, rule: PoolRule, round_id: int, number: int) -> int:
        """Return the whole coins that a claim takes now or has already taken."""
        taken = self._taken(round_id, number)
        return whole_coins(self.value(key, rule), key.coin_value_cents) if taken is None else taken

    def _taken(self, round_id: int, number: int) -> int | None:
        row = self._tx.execute(
            "SELECT coins FROM claims WHERE round_id = ? AND number = ?", (round_id, number)
        ).fetchone()
        return None if row is None else int(row[0])

    def claim(self, key: PoolKey, rule: PoolRule, round_id: int, number: int) -> int:
        """Take the pool's whole coins, once for each round and number."""
        before = self._taken(round_id, number)
        if before is not None:
            return before
        value = self.value(key, rule)
        coins = whole_coins(value, key.coin_value_cents)
        if coins < rule.seed_coins:
            raise RefusedError(
                "The pool of {game} at {coin_cents} is worth less than its seed",
                game=key.game,
                coin_cents=key.coin_value_cents,
            )
        taken = coins * key.coin_value_cents * MILLI - self._seed(key, rule)
        self._tx.execute(
            "INSERT INTO claims (round_id, number, coins, taken_millicents) VALUES (?, ?, ?, ?)",
            (round_id, number, coins, taken),
        )
        self._grow(key, -taken)
        cents = coins * key.coin_value_cents
        self._tx.event(
            Event.JACKPOT_PAID,
            meters={meter_of(key, HITS): 1, meter_of(key, PAID): cents},
            game=key.game,
            coin_cents=key.coin_value_cents,
            round=round_id,
            amount_cents=cents,
        )
        return coins

    def keys(self) -> list[PoolKey]:
        """Return every pool that was ever played for."""
        return [PoolKey(*row) for row in self._tx.execute("SELECT game, coin_value_cents FROM pools")]

    def void(self, key: PoolKey, round_id: int) -> None:
        """Undo the contribution and claims of a voided round."""
        self.give_back(_undone(self._tx, key, round_id))
        self._tx.execute("UPDATE contributions SET reversed = 1 WHERE round_id = ?", (round_id,))
        self._tx.execute("UPDATE claims SET reversed = 1 WHERE round_id = ?", (round_id,))

    def give_back(self, undone: Undone) -> None:
        """Return to the pool what a void round changed of it."""
        key = PoolKey(undone.game, undone.coin_value_cents)
        if undone.hits:
            self._tx.event(
                Event.JACKPOT_UNDONE,
                meters={meter_of(key, VOID_HITS): undone.hits, meter_of(key, VOID_PAID): undone.paid_cents},
                game=key.game,
                coin_cents=key.coin_value_cents,
                round=undone.round_id,
                amount_cents=undone.paid_cents,
            )
        self._grow(key, undone.millicents)

    def _seed(self, key: PoolKey, rule: PoolRule) -> int:
        return rule.seed_coins * key.coin_value_cents * MILLI

    def _growth(self, key: PoolKey) -> int:
        row = self._tx.execute(
            "SELECT growth_millicents FROM pools WHERE game = ? AND coin_value_cents = ?", tuple(key)
        ).fetchone()
        return 0 if row is None else int(row[0])

    def _grow(self, key: PoolKey, millicents: int) -> None:
        # an upsert would apply the CHECK of the sum to the growth alone, which may be negative
        self._tx.execute(
            "INSERT INTO pools (game, coin_value_cents, growth_millicents) VALUES (?, ?, 0) ON CONFLICT DO NOTHING", key
        )
        self._tx.execute(
            "UPDATE pools SET growth_millicents = growth_millicents + ? WHERE game = ? AND coin_value_cents = ?",
            (millicents, *key),
        )
