"""`python -m tests.rigs.venue_load`: many cabinets' calls to a venue, at a rate; reads a `Load`, writes a `Played`.

Each cabinet has a connection of its own, or many share a few, as behind a pooler: then each call names its cabinet
first (`SET SESSION AUTHORIZATION`, in the same round trip), and the time it takes includes the wait for a connection.
"""

import asyncio
import random
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import msgspec
import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

MILLICENTS = 750
"""What a bet of 1.50 adds to a pool at 5 per mille, in 1/1000 cent."""
STALE, TWICE = 0.05, 0.5
"""The share of contributions after which an older one arrives again, and of claims that are asked twice."""
BEAT_S = 3.0
IDENTITY = "ab" * 32


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """What one process plays: cabinets from `first` to `last`, `rate` contributions a second in all for `seconds`.

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
    """What was played: milliseconds of each call, claims, and each cabinet's meter by `cabinet/pool`."""

    put_ms: list[float]
    claim_ms: list[float]
    beat_ms: list[float]
    won: list[Won]
    meters: dict[str, int]
    took_s: float
    contradictions: list[str]


class _Lines:
    """The connections of a process."""

    def __init__(self, load: Load, connections: list[psycopg.AsyncConnection]) -> None:
        self._load = load
        self._connections = connections
        self._free: asyncio.Queue[psycopg.AsyncConnection] = asyncio.Queue()
        for connection in connections:
            self._free.put_nowait(connection)

    async def call(self, cabinet: int, query: str, arguments: tuple[object, ...]) -> psycopg.AsyncCursor:
        """Call the venue as a cabinet."""
        if not self._load.shared:
            return await self._connections[cabinet - self._load.first].execute(query, arguments)
        connection = await self._free.get()
        try:
            async with connection.pipeline():
                await connection.execute(
                    sql.SQL("SET SESSION AUTHORIZATION {}").format(sql.Identifier(f"cab_{cabinet}")), prepare=False
                )
                return await connection.execute(query, arguments)
        finally:
            self._free.put_nowait(connection)


@asynccontextmanager
async def _connected(load: Load) -> AsyncIterator[_Lines]:
    roles = ["postgres"] * load.shared or [f"cab_{number}" for number in range(load.first, load.last + 1)]
    async with AsyncExitStack() as stack:
        connections = []
        for role in roles:
            dsn = f"host={load.host} port={load.port} dbname={load.database} user={role}"
            connection = await psycopg.AsyncConnection.connect(dsn, autocommit=True)
            connections.append(await stack.enter_async_context(connection))
        yield _Lines(load, connections)


class _Cabinet:
    """One cabinet: rounds at uneven times, a beat every three seconds."""

    def __init__(self, number: int, load: Load, lines: _Lines, played: Played) -> None:
        self._number, self._load, self._lines, self._played = number, load, lines, played
        self._random = random.Random(load.seed * 100_000 + number)
        self._pool = self._random.randint(1, load.pools)
        self._session = 0
        self._seq = self._cum = self._round = 0

    async def hello(self) -> None:
        """Begin a session."""
        row = await self._row("SELECT epoch, session FROM venue.hello(0, '{}', 0, %s, '{}')", IDENTITY)
        self._session = int(str(row[1]))

    async def play(self, begin: float, end: float) -> None:
        """Play rounds from one moment of the event loop's clock to another."""
        loop = asyncio.get_running_loop()
        every = (self._load.last - self._load.first + 1) / self._load.rate
        due = begin + every * self._random.random()
        while due < end:
            await asyncio.sleep(max(0.0, due - loop.time()))
            await self._play_round()
            due += every * self._random.uniform(0.5, 1.5)
        self._played.meters[f"{self._number}/{self._pool}"] = self._cum

    async def beat(self, begin: float, end: float) -> None:
        """Send the status every three seconds."""
        loop = asyncio.get_running_loop()
        due = begin + BEAT_S * self._random.random()
        while due < end:
            await asyncio.sleep(max(0.0, due - loop.time()))
            began = time.perf_counter()
            await self._row("SELECT count(*) FROM venue.beat(%s, %s)", self._session, Jsonb({"state": "idle"}))
            self._played.beat_ms.append((time.perf_counter() - began) * 1000)
            due += BEAT_S

    async def _play_round(self) -> None:
        self._round += 1
        self._seq += 1
        self._cum += MILLICENTS
        if self._random.randrange(self._load.claims_one_in) == 0:
            await self._claim()
            return
        began = time.perf_counter()
        await self._put(self._seq, self._cum)
        self._played.put_ms.append((time.perf_counter() - began) * 1000)
        if self._seq > 1 and self._random.random() < STALE:
            await self._put(self._seq - 1, self._cum - MILLICENTS)

    async def _put(self, seq: int, cum: int) -> None:
        await self._row("SELECT venue.put(%s, %s, %s, %s)", self._session, [self._pool], [seq], [cum])

    async def _claim(self) -> None:
        key = (self._session, self._pool, 1, self._round, 0, self._seq, self._cum)
        query = "SELECT award, hit, seed, dup FROM venue.claim(%s, %s, %s, %s, %s, %s, %s)"
        began = time.perf_counter()
        award, hit, seed, dup = await self._row(query, *key)
        self._played.claim_ms.append((time.perf_counter() - began) * 1000)
        self._played.won.append(Won(self._number, self._round, self._pool, *(int(str(n)) for n in (award, hit, seed))))
        if dup:
            self._played.contradictions.append(f"cabinet {self._number}, round {self._round}: answered before")
        if self._random.random() < TWICE and (again := await self._row(query, *key)) != (award, hit, seed, True):
            self._played.contradictions.append(f"cabinet {self._number}, round {self._round}: {again}")

    async def _row(self, query: str, *arguments: object) -> tuple[object, ...]:
        cursor = await self._lines.call(self._number, query, arguments)
        row = await cursor.fetchone()
        assert row is not None
        return tuple(row)


async def play(load: Load) -> Played:
    """Play a load, and return what was played."""
    played = Played([], [], [], [], {}, 0.0, [])
    async with _connected(load) as lines:
        cabinets = [_Cabinet(number, load, lines, played) for number in range(load.first, load.last + 1)]
        for cabinet in cabinets:
            await cabinet.hello()
        sys.stderr.write("ready\n")
        sys.stderr.flush()
        await asyncio.to_thread(sys.stdin.readline)
        loop = asyncio.get_running_loop()
        begin = loop.time()
        async with asyncio.TaskGroup() as group:
            for cabinet in cabinets:
                group.create_task(cabinet.play(begin, begin + load.seconds))
                group.create_task(cabinet.beat(begin, begin + load.seconds))
        played.took_s = loop.time() - begin
    return played


def main() -> None:
    """Read a load from standard input; write what was played to standard output."""
    load = msgspec.json.decode(sys.stdin.readline().encode(), type=Load)
    sys.stdout.buffer.write(msgspec.json.encode(asyncio.run(play(load))))


if __name__ == "__main__":
    main()
