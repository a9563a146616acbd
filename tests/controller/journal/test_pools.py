"""Progressive pools in the journal keep the contract of all pools, and survive a power cut at each step."""

import shutil
import tempfile
from pathlib import Path

from hypothesis import given, settings

from controller.journal import rounds
from controller.journal.pools import JournalPools, PoolKey
from controller.journal.store import Store
from tests.rigs import pool_contract
from tests.rigs.books import laid, segment, wager


class JournalStore:
    """A journal as a store of pools."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "journal.sqlite"
        self._store = self._open()
        self._store.transact(lambda tx: tx.post("coin", credit=10_000, meters={"coins_in": 10_000}))

    def _open(self) -> Store:
        return Store(laid(self._path), lambda: 0, simulated=True)

    def close(self) -> None:
        """Close the journal."""
        self._store.close()

    def restart(self) -> None:
        """Close and open again."""
        self._store.close()
        self._store = self._open()

    def begin_round(self) -> int:
        """Play a round that costs and wins a cent."""
        return self._store.transact(lambda tx: rounds.begin(tx, wager(1), "null", segment(1, ends=True)))

    def contribute(self, key: PoolKey, round_id: int, bet_cents: int) -> None:
        """Contribute in a transaction of its own."""
        self._store.transact(lambda tx: JournalPools(tx).contribute(key, pool_contract.RULE, round_id, bet_cents))

    def value(self, key: PoolKey) -> int:
        """Look at the value."""
        return self._store.transact(lambda tx: JournalPools(tx).value(key, pool_contract.RULE))

    def playable(self, key: PoolKey) -> bool:
        """Ask whether the pool is in reach."""
        return self._store.transact(lambda tx: JournalPools(tx).playable(key))

    def claim(self, key: PoolKey, round_id: int, number: int) -> int:
        """Claim in a transaction of its own."""
        return self._store.transact(lambda tx: JournalPools(tx).claim(key, pool_contract.RULE, round_id, number))

    def void(self, key: PoolKey, round_id: int) -> None:
        """Void in a transaction of its own."""
        self._store.transact(lambda tx: JournalPools(tx).void(key, round_id))


@settings(max_examples=15)
@given(pool_contract.ACTS)
def test_pools_in_the_journal_keep_the_contract(acts: list[tuple[str, int]]) -> None:
    """Any order of bets, claims, voids and restarts leaves each pool worth its seed, its bets' share and its rest."""
    folder = Path(tempfile.mkdtemp(prefix="pools"))
    store = JournalStore(folder)
    try:
        pool_contract.check(store, acts)
    finally:
        store.close()
        shutil.rmtree(folder)
