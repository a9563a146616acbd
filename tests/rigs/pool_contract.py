"""What every store of progressive pools must do, whoever keeps it.

A store's own test file makes a `Ledger` for it and calls `check`; hypothesis then plays rounds on it.
"""

from typing import Protocol

from hypothesis import strategies as st

from controller.journal.pools import MILLI, PoolKey
from gamekit.play import PoolRule

RULE = PoolRule(seed_coins=2000, growth_per_mille=5)
KEY = PoolKey("bewitched", 20)
OTHER = PoolKey("bewitched", 50)
SEED = 2000 * 20 * MILLI

ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("bet"), st.integers(1, 30_000)),
        st.tuples(st.just("claim"), st.integers(0, 2)),
        st.tuples(st.just("again"), st.just(0)),
        st.tuples(st.just("void"), st.just(0)),
        st.tuples(st.just("restart"), st.just(0)),
    ),
    max_size=40,
)


class PoolStore(Protocol):
    """One store under test: each call is durable when it returns, and `restart` is a power cut.

    Where `claims_are_final` a void takes back no claim, and its share is a debt that later bets pay first.
    """

    claims_are_final: bool

    def begin_round(self) -> int:
        """Begin a round that pools may be asked about, and return its number."""

    def contribute(self, key: PoolKey, round_id: int, bet_cents: int) -> None:
        """`Pools.contribute` with `RULE`."""

    def value(self, key: PoolKey) -> int:
        """`Pools.value` with `RULE`."""

    def playable(self, key: PoolKey) -> bool:
        """`Pools.playable`."""

    def claim(self, key: PoolKey, round_id: int, number: int) -> int:
        """`Pools.claim` with `RULE`."""

    def void(self, key: PoolKey, round_id: int) -> None:
        """`Pools.void`."""

    def restart(self) -> None:
        """Cut the power and open the store again."""


def check(store: PoolStore, acts: list[tuple[str, int]]) -> None:
    """Play `acts` on a fresh store beside a model that knows what the pool must be worth."""
    growth, debt, paid, round_id, shares, claims = 0, 0, 0, 0, 0, {}
    for act, number in acts:
        if act == "bet":
            round_id, claims = store.begin_round(), {}
            store.contribute(KEY, round_id, number)
            shares = number * RULE.growth_per_mille
            growth += max(shares - debt, 0)
            debt = max(debt - shares, 0)
        elif act == "again" and round_id:
            store.contribute(KEY, round_id, 999_999)
        elif act == "claim" and round_id:
            coins = store.claim(KEY, round_id, number)
            expected = claims.get(number, (SEED + growth) // (20 * MILLI))
            assert expected == coins
            if number not in claims:
                growth = SEED + growth - coins * 20 * MILLI
                paid += coins
            claims[number] = coins
        elif act == "void" and round_id:
            store.void(KEY, round_id)
            store.void(KEY, round_id)
            if store.claims_are_final:
                debt += shares
            else:
                growth += sum(coins * 20 * MILLI - SEED for coins in claims.values()) - shares
            round_id, shares, claims = 0, 0, {}
        elif act == "restart":
            store.restart()
        assert SEED + growth == store.value(KEY)
        assert store.value(OTHER) == 2000 * 50 * MILLI
        assert store.playable(KEY)
