"""Cabinets as processes that play for a venue and are killed: real books, the link's code, a line that loses answers.

Each is forked from a server that has imported everything, so that killing one every moment costs a fork.
"""

import asyncio
import multiprocessing
import random
import sqlite3
import threading
import time
import traceback
from collections.abc import Callable, Coroutine
from contextlib import closing, suppress
from functools import partial
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from controller.features.venue.calls import UnreachableError, Venue
from controller.features.venue.postgres import PostgresVenue
from controller.features.venue.relayed import Address
from controller.journal.store import Store
from tests.rigs.books import laid
from tests.rigs.linked_cabinet import LinkedCabinet
from tests.rigs.pool_contract import KEY, OTHER
from tests.rigs.postgres import VenueDatabase

MONEY_CENTS = 100_000_000
LOST_ANSWERS = 0.08
JACKPOT_ONE_IN = 50
_DRAIN_S = 900.0


class Spec(NamedTuple):
    """One cabinet's process: it plays to `rounds` in its books; a calm one drains and ends."""

    folder: str
    number: int
    address: Address
    seed: int
    rounds: int
    calm: bool


class LosingVenue:
    """A venue whose every twelfth or so answer is thrown away after the venue has committed, with the connection."""

    def __init__(self, venue: PostgresVenue, chance: random.Random, lost: BinaryIO) -> None:
        self._venue = venue
        self._chance = chance
        self._lost = lost

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        return partial(self._do, name)

    async def _do(self, name: str, *arguments: Any, **named: Any) -> Any:
        answer = await getattr(self._venue, name)(*arguments, **named)
        if name != "close" and self._chance.random() < LOST_ANSWERS:
            self._lost.write(b".")
            self._lost.flush()
            await self._venue.close()
            raise UnreachableError("the answer was lost")
        return answer


def run(spec: Spec) -> None:
    """Play as one cabinet until killed; a calm one returns once the venue has everything.

    What ends it otherwise is written to the file `failure`.
    """
    try:
        asyncio.run(_run(spec))
    except Exception:
        (Path(spec.folder) / "failure").write_text(traceback.format_exc(), encoding="utf-8")
        raise


async def _run(spec: Spec) -> None:
    folder, chance = Path(spec.folder), random.Random(spec.seed)
    line = PostgresVenue(spec.address, folder, {"user": f"cab_{spec.number}"})
    with (folder / "lost").open("ab") as lost:
        venue: Venue = line if spec.calm else LosingVenue(line, chance, lost)
        key = (KEY, OTHER)[spec.number % 2]
        cabinet = LinkedCabinet(folder, venue, key=key, now_ms=time.time_ns() // 1_000_000)
        await cabinet.start()
        if spec.calm:
            await cabinet.until(cabinet.go_on, _DRAIN_S)
            await cabinet.until(cabinet.is_drained, _DRAIN_S)
            await cabinet.kill()
            await line.close()
            return
        while not cabinet.is_killed:
            await _play(cabinet, chance, spec.rounds)
        await cabinet.kill()  # raises what has ended the link
        raise RuntimeError("the link has ended by itself")


async def _play(cabinet: LinkedCabinet, chance: random.Random, rounds: int) -> None:
    """Play rounds while the venue is in reach, and wait a little where none may be played."""
    while cabinet.go_on() and cabinet.may_play:
        number = cabinet.bet(chance.choice((100, 250, 1_200)), jackpot=chance.randrange(JACKPOT_ONE_IN) == 0)
        await asyncio.sleep(0)
        if number >= rounds:
            await asyncio.sleep(3600)
    await asyncio.sleep(0.05)


class Swarm:
    """So many cabinets of a venue, of which one is killed every so many seconds, `most_kills` times; `kills` counts."""

    def __init__(
        self, database: VenueDatabase, folder: Path, cabinets: int, rounds: int, every_s: float, *, most_kills: int
    ) -> None:
        self.kills = 0
        self.folders = [folder / str(number) for number in range(1, cabinets + 1)]
        self._database = database
        self._rounds = -(-rounds // cabinets)
        self._chance = random.Random(1)
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["pytest", "tests.rigs.killed_cabinets"])
        self._processes: list[ForkServerProcess] = []
        self._known = dict.fromkeys(self.folders, 0)
        self._over = threading.Event()
        self._killer = threading.Thread(target=self._kill_on)
        self._every_s = every_s
        self._most_kills = most_kills
        for pool, key in enumerate((KEY, OTHER), 1):
            database.add_pool(pool, key.game, key.coin_value_cents)
        for number, place in enumerate(self.folders, 1):
            place.mkdir()
            database.add_cabinet(number)
            with closing(Store(laid(place / "journal.sqlite"), lambda: 0, simulated=True)) as store:
                store.transact(lambda tx: tx.post("coin", credit=MONEY_CENTS, meters={"coins_in": MONEY_CENTS}))

    def start(self) -> None:
        """Start every cabinet, and the killing."""
        self._processes = [self._started(at, calm=False) for at in range(len(self.folders))]
        self._killer.start()

    def close(self) -> None:
        """End the killing, and every process."""
        self._over.set()
        if self._killer.ident is not None:
            self._killer.join()
        for process in self._processes:
            process.kill()
            process.join()

    def drain(self) -> None:
        """End the killing; start every cabinet once more, on a good line, until the venue has everything."""
        self.close()
        self._processes = [self._started(at, calm=True) for at in range(len(self.folders))]
        for process in self._processes:
            process.join(2 * _DRAIN_S)
        codes = [process.exitcode for process in self._processes]
        assert codes == [0] * len(codes), f"cabinets ended with {codes}: {self.failures}"

    @property
    def rounds(self) -> int:
        """The rounds in all books now."""
        return sum(self._rounds_in(folder) for folder in self.folders)

    @property
    def has_played(self) -> bool:
        """Whether every cabinet has played its rounds."""
        return all(self._rounds_in(folder) >= self._rounds for folder in self.folders)

    @property
    def failures(self) -> list[str]:
        """What has ended a cabinet that nobody killed."""
        return [file.read_text(encoding="utf-8") for folder in self.folders for file in folder.glob("failure")]

    @property
    def lost_answers(self) -> int:
        """How many answers were thrown away."""
        return sum((folder / "lost").stat().st_size for folder in self.folders)

    def _rounds_in(self, folder: Path) -> int:
        with (
            suppress(sqlite3.OperationalError),  # killed this moment: its next process recovers the WAL
            closing(sqlite3.connect(f"file:{folder / 'journal.sqlite'}?mode=ro", uri=True)) as books,
        ):
            (self._known[folder],) = books.execute("SELECT coalesce(max(id), 0) FROM rounds").fetchone()
        return self._known[folder]

    def _started(self, at: int, *, calm: bool) -> ForkServerProcess:
        server = self._database.server
        address = Address(str(server.folder), server.port, self._database.name)
        seed = self._chance.getrandbits(32)
        spec = Spec(str(self.folders[at]), at + 1, address, seed, self._rounds, calm)
        process = self._context.Process(target=run, args=(spec,), daemon=True)
        process.start()
        return process

    def _kill_on(self) -> None:
        while self.kills < self._most_kills and not self._over.wait(self._every_s):
            at = self._chance.randrange(len(self._processes))
            self._processes[at].kill()
            self._processes[at].join()
            self._processes[at] = self._started(at, calm=False)
            self.kills += 1
