"""Pools in the journal and those of a venue keep the contract of all pools, and survive a power cut at each step."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings

from controller.journal import rounds
from controller.journal.pools import JournalPools, PoolKey
from controller.journal.store import Store
from tests.rigs import pool_contract
from tests.rigs.books import laid, segment, wager
from tests.rigs.postgres import PostgresServer
from tests.rigs.venue_store import CalledVenue, VenueStore


class JournalStore:
    """A journal as a store of pools."""

    claims_are_final = False

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
        """Ask and claim in transactions of their own; what was asked is what is paid."""
        asked = self._store.transact(lambda tx: JournalPools(tx).ask(key, pool_contract.RULE, round_id, number))
        claimed = self._claim(key, round_id, number)
        assert asked == claimed
        return claimed

    def _claim(self, key: PoolKey, round_id: int, number: int) -> int:
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


@settings(max_examples=15)
@given(pool_contract.ACTS)
def test_pools_of_a_venue_keep_the_contract(acts: list[tuple[str, int]]) -> None:
    """The same with the pools of a venue, which has answered each claim once and keeps its own equations."""
    folder = Path(tempfile.mkdtemp(prefix="pools"))
    store = VenueStore(folder)
    try:
        pool_contract.check(store, acts)
        store.venue.audit()
    finally:
        store.close()
        shutil.rmtree(folder)


@pytest.mark.proof
@settings(max_examples=15)
@given(pool_contract.ACTS)
def test_pools_of_a_real_venue_keep_the_contract(postgres_server: PostgresServer, acts: list[tuple[str, int]]) -> None:
    """The same with the pools of a venue in PostgreSQL."""
    folder = Path(tempfile.mkdtemp(prefix="pools"))
    database = postgres_server.new_database()
    venue = CalledVenue(database)
    store = VenueStore(folder, venue)
    try:
        pool_contract.check(store, acts)
        venue.audit()
    finally:
        store.close()
        venue.close()
        database.drop()
        shutil.rmtree(folder)
