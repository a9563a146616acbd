"""`python -m tests.rigs.venue_load`: many cabinets' calls to a venue, at a rate; reads a `Load`, writes a `Played`.

Each cabinet has a connection of its own, or many share a few, as behind a pooler: then each call names its cabinet
first (`SET SESSION AUTHORIZATION`, in the same round trip), and the time it takes includes the wait for a connection.
"""

import asyncio
import random
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec
import psycopg
from psycopg import pq

MILLICENTS = 750
"""What a bet of 1.50 adds to a pool at 5 per mille, in 1/1000 cent."""
STALE, TWICE = 0.05, 0.5
"""The share of contributions after which an older one arrives again, and of claims that are asked twice."""
BEAT_S = 3.0
IDENTITY = "ab" * 32

_HELLO, _BEAT, _PUT, _CLAIM, _AS = b"hello", b"beat", b"put", b"claim", b"as"
_QUERIES = {
    _HELLO: b"SELECT session FROM venue.hello(0, '{}', 0, $1, '{}')",
    _BEAT: b"SELECT count(*) FROM venue.beat($1, $2)",
    _PUT: b"SELECT venue.put($1, ARRAY[$2::int], ARRAY[$3::bigint], ARRAY[$4::bigint])",
    _CLAIM: b"SELECT award, hit, seed, dup FROM venue.claim($1, $2, $3, $4, $5, $6, $7)",
    _AS: b"SELECT set_config('session_authorization', $1, false)",
}
Row = tuple[bytes | None, ...]


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """What one process plays: cabinets from `first` to `last`, `rate` contributions a second in all for `seconds`.

    They play for `warm_s` before: every connection plans its queries then, and every cabinet's first meter is made.
    `shared` is the number of connections, 0 for one of each cabinet's own; one of `claims_one_in` contributions wins.
    """

    host: str
    port: int
    database: str
    first: int
    last: int
    pools: int
    rate: float
    seconds: float
    claims_one_in: int
    warm_s: float = 0.0
    shared: int = 0
    seed: int = 1


class Won(msgspec.Struct, frozen=True):
    """A claim as the venue answered it, amounts in 1/1000 cent."""

    cabinet: int
    round: int
    pool: int
    award: int
    hit: int
    seed: int


class Played(msgspec.Struct):
    """What was played: milliseconds of each call, claims, and each cabinet's meter by `cabinet/pool`.

    Milliseconds are from the moment at which the cabinet wants to call to its reading of the answer: waiting for the
    line and for the processor counts. `late_ms` are those of them until the call was sent. All calls that were due
    before the end of `Load.warm_s` are in `cold_ms` instead; `took_s` begins there.
    """

    put_ms: list[float]
    claim_ms: list[float]
    beat_ms: list[float]
    late_ms: list[float]
    cold_ms: list[float]
    won: list[Won]
    meters: dict[str, int]
    took_s: float
    contradictions: list[str]


class _Line:
    """One connection, by libpq itself: psycopg's own cursors take so much of a core that calls would queue for it."""

    def __init__(self, load: Load, role: str) -> None:
        dsn = f"host={load.host} port={load.port} dbname={load.database} user={role}"
        self._connection = pq.PGconn.connect(dsn.encode())
        if self._connection.status != pq.ConnStatus.OK:
            raise ConnectionError(self._connection.get_error_message())
        for name, query in _QUERIES.items():
            if (prepared := self._connection.prepare(name, query)).status != pq.ExecStatus.COMMAND_OK:
                raise ConnectionError(prepared.get_error_message())
        self._connection.nonblocking = 1
        self._connection.enter_pipeline_mode()
        self._answer: asyncio.Future[Row] | None = None
        self._row: Row = ()
        self._failed = b""
        asyncio.get_running_loop().add_reader(self._connection.socket, self._read)

    async def call(self, name: bytes, arguments: Sequence[object], role: str = "") -> Row:
        """Return the row that a query of `_QUERIES` answers with; as `role`, which is taken in the same round trip."""
        self._answer = asyncio.get_running_loop().create_future()
        self._row, self._failed = (), b""
        if role:
            self._connection.send_query_prepared(_AS, [role.encode()])
        self._connection.send_query_prepared(name, [str(one).encode() for one in arguments])
        self._connection.pipeline_sync()
        self._connection.flush()  # a few hundred bytes, which a socket always takes
        return await self._answer

    def close(self) -> None:
        """Close the connection."""
        asyncio.get_running_loop().remove_reader(self._connection.socket)
        self._connection.finish()

    def _read(self) -> None:
        assert self._answer is not None
        try:
            self._connection.consume_input()
        except psycopg.Error as error:  # the connection is lost
            asyncio.get_running_loop().remove_reader(self._connection.socket)
            self._answer.set_exception(error)
            return
        # Each query's results end with None, and the pipeline with a result of its own.
        while not self._connection.is_busy() and not self._answer.done():
            result = self._connection.get_result()
            if result is None:
                continue
            if result.status == pq.ExecStatus.TUPLES_OK:
                self._row = tuple(result.get_value(0, column) for column in range(result.nfields))
            elif result.status != pq.ExecStatus.PIPELINE_SYNC:
                self._failed = self._failed or result.error_message
            elif self._failed:
                self._answer.set_exception(psycopg.OperationalError(self._failed.decode(errors="replace")))
            else:
                self._answer.set_result(self._row)


Lines = asyncio.Queue[_Line]


@asynccontextmanager
async def _connected(load: Load) -> AsyncIterator[list[Lines]]:
    """Yield for each cabinet the queue of lines that it takes one from: its own, or the one that all share."""
    cabinets = range(load.first, load.last + 1)
    lines = [_Line(load, role) for role in ["postgres"] * load.shared or [f"cab_{number}" for number in cabinets]]
    queues: list[Lines] = [asyncio.Queue() for _ in ([0] if load.shared else lines)]
    for number, line in enumerate(lines):
        queues[number % len(queues)].put_nowait(line)
    try:
        yield queues * len(cabinets) if load.shared else queues
    finally:
        for line in lines:
            line.close()


class _Cabinet:
    """One cabinet: rounds at uneven times, a beat every three seconds."""

    def __init__(self, number: int, load: Load, lines: Lines, played: Played) -> None:
        self._number, self._load, self._lines, self._played = number, load, lines, played
        self._role = f"cab_{number}" if load.shared else ""
        self._random = random.Random(load.seed * 100_000 + number)
        self._pool = self._random.randint(1, load.pools)
        self._session = 0
        self._measured_from = 0.0
        self._seq = self._cum = self._round = 0

    async def hello(self) -> None:
        """Begin a session."""
        (session,) = await self._call(None, 0.0, _HELLO, IDENTITY)
        self._session = _number(session)

    async def play(self, begin: float, end: float) -> None:
        """Play rounds from one moment of the event loop's clock to another."""
        loop = asyncio.get_running_loop()
        self._measured_from = begin + self._load.warm_s
        every = (self._load.last - self._load.first + 1) / self._load.rate
        due = begin + every * self._random.random()
        while due < end:
            await asyncio.sleep(max(0.0, due - loop.time()))
            await self._play_round(due)
            due += every * self._random.uniform(0.5, 1.5)
        self._played.meters[f"{self._number}/{self._pool}"] = self._cum

    async def beat(self, begin: float, end: float) -> None:
        """Send the status every three seconds."""
        loop = asyncio.get_running_loop()
        due = begin + BEAT_S * self._random.random()
        while due < end:
            await asyncio.sleep(max(0.0, due - loop.time()))
            await self._call(self._played.beat_ms, due, _BEAT, self._session, '{"state": "idle"}')
            due += BEAT_S

    async def _play_round(self, due: float) -> None:
        self._round += 1
        self._seq += 1
        self._cum += MILLICENTS
        if self._random.randrange(self._load.claims_one_in) == 0:
            await self._claim(due)
            return
        await self._call(self._played.put_ms, due, _PUT, self._session, self._pool, self._seq, self._cum)
        if self._seq > 1 and self._random.random() < STALE:
            stale = (self._session, self._pool, self._seq - 1, self._cum - MILLICENTS)
            await self._call(None, due, _PUT, *stale)

    async def _claim(self, due: float) -> None:
        key = (self._session, self._pool, 1, self._round, 0, self._seq, self._cum)
        *amounts, dup = await self._call(self._played.claim_ms, due, _CLAIM, *key)
        self._played.won.append(Won(self._number, self._round, self._pool, *map(_number, amounts)))
        if dup != b"f":
            self._played.contradictions.append(f"cabinet {self._number}, round {self._round}: answered before")
        if self._random.random() < TWICE and (again := await self._call(None, due, _CLAIM, *key)) != (*amounts, b"t"):
            self._played.contradictions.append(f"cabinet {self._number}, round {self._round}: {again}")

    async def _call(self, took_ms: list[float] | None, due: float, name: bytes, *arguments: object) -> Row:
        """Make one call, and note the time from when it was due, not from when a busy line or machine let it out."""
        loop = asyncio.get_running_loop()
        line = await self._lines.get()
        try:
            sent = loop.time()
            row = await line.call(name, arguments, self._role)
            took = (loop.time() - due) * 1000
            if took_ms is None:
                pass
            elif due < self._measured_from:
                self._played.cold_ms.append(took)
            else:
                took_ms.append(took)
                self._played.late_ms.append((sent - due) * 1000)
            return row
        finally:
            self._lines.put_nowait(line)


def _number(text: bytes | None) -> int:
    assert text is not None
    return int(text)


async def play(load: Load) -> Played:
    """Play a load, and return what was played."""
    played = Played([], [], [], [], [], [], {}, 0.0, [])
    async with _connected(load) as lines:
        cabinets = [_Cabinet(load.first + number, load, own, played) for number, own in enumerate(lines)]
        await asyncio.gather(*(cabinet.hello() for cabinet in cabinets))
        sys.stderr.write("ready\n")
        sys.stderr.flush()
        await asyncio.to_thread(sys.stdin.readline)
        loop = asyncio.get_running_loop()
        begin = loop.time()
        end = begin + load.warm_s + load.seconds
        async with asyncio.TaskGroup() as group:
            for cabinet in cabinets:
                group.create_task(cabinet.play(begin, end))
                group.create_task(cabinet.beat(begin, end))
        played.took_s = loop.time() - begin - load.warm_s
    return played


def main() -> None:
    """Read a load from standard input; write what was played to standard output."""
    load = msgspec.json.decode(sys.stdin.readline().encode(), type=Load)
    sys.stdout.buffer.write(msgspec.json.encode(asyncio.run(play(load))))


if __name__ == "__main__":
    main()
