"""A cabinet as the venue sees it: the calls of docs/venue-protocol.md over one connection."""

import hashlib
from datetime import UTC, datetime
from typing import Any, NamedTuple, Self

import psycopg
from psycopg.rows import namedtuple_row
from psycopg.types.json import Jsonb

GENESIS = bytes(32)
NOON_MS = int(datetime(2026, 9, 15, 12, tzinfo=UTC).timestamp() * 1000)
DAY_MS = 86_400_000


class Award(NamedTuple):
    """The venue's answer to a claim, in 1/1000 cent."""

    award: int
    hit: int
    seed: int
    dup: bool


class VenueCabinet:
    """Calls the venue over one connection; keeps epoch, session and its contribution meters as a cabinet does."""

    def __init__(self, dsn: str, identity: str = "ab" * 32) -> None:
        self.connection = psycopg.connect(dsn, autocommit=True, row_factory=namedtuple_row)
        self.identity = identity
        self.epoch = 0
        self.session = 0
        self.seqs: dict[int, int] = {}
        self.cums: dict[int, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.connection.close()

    def call(self, function: str, *arguments: object) -> Any:
        """Call a function of the schema with these arguments and return its rows."""
        places = ", ".join(["%s"] * len(arguments))
        return self.connection.execute(f"SELECT * FROM venue.{function}({places})", arguments).fetchall()  # noqa: S608 - names of the tests

    def hello(self, evseq: int = 0, info: dict[str, object] | None = None) -> Any:
        """Begin a session with what this cabinet remembers; after `fresh` its meters begin at 0."""
        seqs = {str(pool): seq for pool, seq in self.seqs.items()}
        (row,) = self.call("hello", self.epoch, Jsonb(seqs), evseq, self.identity, Jsonb(info or {}))
        self.epoch, self.session = row.epoch, row.session
        if row.fresh:
            self.seqs, self.cums = {}, {}
        return row

    def play(self, pool: int, millicents: int) -> None:
        """Add a bet's share to the cabinet's own meter; nothing is sent."""
        self.seqs[pool] = self.seqs.get(pool, 0) + 1
        self.cums[pool] = self.cums.get(pool, 0) + millicents

    def put(self) -> None:
        """Send the newest contribution of each pool."""
        pools = list(self.seqs)
        self.call("put", self.session, pools, [self.seqs[p] for p in pools], [self.cums[p] for p in pools])

    def claim(self, pool: int, round_id: int, *, number: int = 0, epoch: int | None = None) -> Award:
        """Claim a pool for a round, by default of this epoch."""
        key = self.epoch if epoch is None else epoch
        own = self.seqs.get(pool, 0), self.cums.get(pool, 0)
        (row,) = self.call("claim", self.session, pool, key, round_id, number, *own)
        return Award(*row)

    def beat(self, **status: object) -> dict[int, Any]:
        """Send a status and return the values of all pools by number."""
        return {row.pool: row for row in self.call("beat", self.session, Jsonb(status))}


def event_rows(first: int, last: int, code: str = "stopped") -> Jsonb:
    """Return the events from `first` to `last` as `events` takes them."""
    return Jsonb(
        [{"seq": seq, "code": code, "cab_at_ms": 1_790_000_000_000 + seq, "body": {}} for seq in range(first, last + 1)]
    )


def reading(seq: int, kind: str = "hour", day: int = 0, **meters: int) -> dict[str, object]:
    """Return a reading as `meters` takes it, `day` days after a noon in September; each stake is of 100 cents."""
    games = {
        "neptune": {"rounds": meters.get("stakes", 0) // 100, **{key: meters.get(key, 0) for key in ("stakes", "wins")}}
    }
    return {"seq": seq, "kind": kind, "cab_at_ms": NOON_MS + day * DAY_MS, "meters": meters, "games": games}


class LedgerRows:
    """A cabinet's ledger: rows chained by SHA-256, from row 1 on or after a row with its hash."""

    def __init__(self, row: int = 0, digest: bytes = GENESIS) -> None:
        self.row = row
        self.digest = digest

    def append(self, count: int, word: str = "row") -> list[dict[str, object]]:
        """Append `count` rows and return them as `ledger` takes them."""
        rows: list[dict[str, object]] = []
        for _ in range(count):
            self.row += 1
            body = f'[{self.row},"{word}"]'.encode()
            self.digest = hashlib.sha256(self.digest + body).digest()
            rows.append({"row": self.row, "body": body.hex(), "hash": self.digest.hex()})
        return rows
