"""A journal that plays for the pools of a model venue, as a store of pools and for the link's property tests."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from psycopg.types.json import Jsonb

from controller.features.venue.calls import Award, Greeting
from controller.features.venue.membership import VenuePool, learn_pools
from controller.features.venue.pools import (
    Answer,
    VenuePools,
    answer_claim,
    begin_epoch,
    newest_meters,
    open_claims,
)
from controller.journal import rounds
from controller.journal.pools import PoolKey
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from tests.rigs import pool_contract
from tests.rigs.books import laid, segment, wager
from tests.rigs.model_venue import Cabinet, ModelVenue, Pool
from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_cabinet import VenueCabinet

ME = 7
POOLS = {1: pool_contract.KEY, 2: pool_contract.OTHER}


def linked() -> ModelVenue:
    """Return a venue with the contract's pools, in which the cabinet `ME` is enrolled."""
    venue = ModelVenue(
        {
            number: Pool(key.game, key.coin_value_cents, 2000 * key.coin_value_cents * 1000, 5)
            for number, key in POOLS.items()
        }
    )
    venue.cabinets[ME] = Cabinet()
    return venue


class CalledVenue:
    """A venue in PostgreSQL with the contract's pools and the cabinet `ME`, called as a `ModelVenue` is."""

    def __init__(self, database: VenueDatabase) -> None:
        for number, key in POOLS.items():
            database.add_pool(number, key.game, key.coin_value_cents)
        self._admin = database.connect()
        self._cabinet = VenueCabinet(database.dsn(database.add_cabinet(ME)))

    def close(self) -> None:
        """End both connections."""
        self._cabinet.connection.close()
        self._admin.close()

    def hello(self, _me: int, epoch: int, seqs: Mapping[int, int], event: int, _key: str, info: object) -> Greeting:
        """`Venue.hello`."""
        known = {str(pool): seq for pool, seq in seqs.items()}
        (row,) = self._cabinet.call("hello", epoch, Jsonb(known), event, self._cabinet.identity, Jsonb(info))
        return Greeting(*row)

    def put(self, _me: int, session: int, meters: Sequence[tuple[int, int, int]]) -> None:
        """`Venue.put`."""
        self._cabinet.call("put", session, *([list(each) for each in zip(*meters, strict=True)] or [[], [], []]))

    def claim(
        self, _me: int, session: int, *, pool: int, epoch: int, round_id: int, number: int, seq: int, cum: int
    ) -> Award:
        """`Venue.claim`."""
        (row,) = self._cabinet.call("claim", session, pool, epoch, round_id, number, seq, cum)
        return Award(*row)

    def value(self, pool: int) -> int:
        """What the pool is worth."""
        row = self._admin.execute("SELECT amount FROM venue.jackpot WHERE pool = %s", (pool,)).fetchone()
        assert row is not None
        return int(row[0])

    def audit(self) -> None:
        """Check the venue's own invariants."""
        wrong = self._admin.execute(
            "SELECT pool FROM venue.pool_audit WHERE NOT (base_ok AND hits_ok AND awards_ok AND value_ok)"
        ).fetchall()
        assert wrong == []


class VenueStore:
    """Pools of a model venue behind the books of one cabinet; every call is sent at once."""

    claims_are_final = True

    def __init__(self, folder: Path, venue: "ModelVenue | CalledVenue | None" = None) -> None:
        self.venue = venue or linked()
        self._path = folder / "journal.sqlite"
        self._store = self._open()
        self._store.transact(lambda tx: tx.post("coin", credit=10_000, meters={"coins_in": 10_000}))
        self._hello()

    def _open(self) -> Store:
        return Store(laid(self._path), lambda: 0, simulated=True)

    def _hello(self) -> None:
        meters = self._store.transact(newest_meters)
        epoch = self._store.transact(lambda tx: (tx.execute("SELECT epoch FROM venue").fetchone() or (0,))[0])
        seen = self.venue.hello(ME, epoch, {meter.pool: meter.seq for meter in meters}, 0, "key", {})
        self.session = seen.session
        self._store.transact(lambda tx: begin_epoch(tx, ME, seen.epoch))
        self._store.transact(lambda tx: learn_pools(tx, [VenuePool(number, key, 5) for number, key in POOLS.items()]))

    def close(self) -> None:
        """Close the journal."""
        self._store.close()

    def restart(self) -> None:
        """Close and open again."""
        self._store.close()
        self._store = self._open()
        self._hello()

    def begin_round(self) -> int:
        """Play a round that costs and wins a cent, and stays open."""
        self._store.transact(_end_open_round)
        return self._store.transact(lambda tx: rounds.begin(tx, wager(1), "null", segment(1, ends=False)))

    def contribute(self, key: PoolKey, round_id: int, bet_cents: int) -> None:
        """Contribute in a transaction of its own."""
        self._store.transact(lambda tx: VenuePools(tx).contribute(key, pool_contract.RULE, round_id, bet_cents))

    def value(self, key: PoolKey) -> int:
        """Put the meters and look at the venue's value."""
        meters = self._store.transact(newest_meters)
        self.venue.put(ME, self.session, [(meter.pool, meter.seq, meter.cum) for meter in meters])
        return self.venue.value(next(number for number, known in POOLS.items() if known == key))

    def playable(self, key: PoolKey) -> bool:
        """Ask whether the pool is known."""
        return self._store.transact(lambda tx: VenuePools(tx).playable(key))

    def claim(self, key: PoolKey, round_id: int, number: int) -> int:
        """Ask, have the venue answer, and claim."""
        self._store.transact(lambda tx: VenuePools(tx).ask(key, pool_contract.RULE, round_id, number))
        for claim in self._store.transact(open_claims):
            award = self.venue.claim(
                ME,
                self.session,
                pool=claim.pool,
                epoch=claim.epoch,
                round_id=claim.round_id,
                number=claim.number,
                seq=claim.meter.seq,
                cum=claim.meter.cum,
            )
            answer = Answer(award.award, award.hit, award.seed)
            self._store.transact(lambda tx: answer_claim(tx, claim, answer))  # noqa: B023 - called in this pass
        return self._store.transact(lambda tx: VenuePools(tx).claim(key, pool_contract.RULE, round_id, number))

    def void(self, key: PoolKey, round_id: int) -> None:
        """Void in a transaction of its own."""
        self._store.transact(lambda tx: VenuePools(tx).void(key, round_id))


def _end_open_round(tx: Transaction) -> None:
    """Settle the round that is open, if one is."""
    tx.execute("UPDATE rounds SET state = 'settled', ended_ms = 0, memory_after = 'null' WHERE state = 'open'")
