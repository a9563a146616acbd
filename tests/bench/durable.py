"""From an accepted press to the durable round, beside one `fdatasync` of the same bytes on the same disk."""

import asyncio
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

from controller.journal.store import Store
from controller.journal.transaction import Transaction
from controller.rounds.draws import seeded_source
from tests.bench.core_cabinet import CoreCabinet
from tests.bench.figures import KEPT, Figure, Progress, quantile, silent, tracked

T = TypeVar("T")
PRESSES = 200
FIRST = 20
"""Presses that warm up, and that show how many bytes a round takes."""

UNIT_CENTS = 10
_WAL_BYTES = 4 << 20


class TimedStore(Store):
    """A store that notes when the newest round was durable, and by how many bytes that lengthened the WAL."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, lambda: 0, simulated=True, create=True)
        self.durable_at = 0.0
        """When the COMMIT of the newest round's stake had returned, in seconds of `time.perf_counter`."""
        self.round_bytes = 0
        self._rounds = self._begun()

    def transact(self, act: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run `act` as the store does, and take the time as its COMMIT returns."""
        size = self._wal_size()
        result = super().transact(act, durable=durable)
        now = time.perf_counter()
        if self._rounds != (begun := self._begun()):
            self._rounds, self.durable_at = begun, now
            self.round_bytes = max(self.round_bytes, self._wal_size() - size)
        return result

    def _begun(self) -> int:
        (count,) = self._connection.execute("SELECT coalesce(max(id), 0) FROM rounds").fetchone()
        return int(count)

    def _wal_size(self) -> int:
        wal = Path(f"{self.path}-wal")
        return wal.stat().st_size if wal.exists() else 0


class Floor:
    """A file beside the journal that is written as the WAL is: from the start again after four megabytes."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        self._offset = 0

    def sync(self, size: int) -> float:
        """Write `size` bytes, and return how many milliseconds they took to be durable."""
        block = os.urandom(size)
        began = time.perf_counter()
        os.pwrite(self._file, block, self._offset)
        os.fdatasync(self._file)
        ended = time.perf_counter()
        self._offset = (self._offset + size) % _WAL_BYTES
        return (ended - began) * 1000

    def close(self) -> None:
        """Let the file go."""
        os.close(self._file)


def fdatasync_ms(folder: Path, size: int, times: int = 50) -> float:
    """Return the median time to make `size` bytes in `folder` durable, in milliseconds."""
    floor = Floor(folder / "floor")
    try:
        return statistics.median(floor.sync(size) for _ in range(times))
    finally:
        floor.close()


class Taken(NamedTuple):
    """What was measured: each press and each floor in milliseconds, and the bytes of one round."""

    presses: list[float]
    floors: list[float]
    size: int


async def _press(folder: Path, progress: Progress) -> Taken:
    stores: list[TimedStore] = []

    def opened(path: Path) -> TimedStore:
        stores.append(TimedStore(path))
        return stores[0]

    pause = random.Random(1)
    taken: list[float] = []
    floors: list[float] = []
    floor = Floor(folder / "floor")
    async with CoreCabinet(folder, draws=seeded_source(1), unit_cents=UNIT_CENTS, store=opened) as cabinet:
        (store,) = stores
        for number in tracked(range(FIRST + PRESSES), progress):
            await cabinet.fund()
            await asyncio.sleep(pause.uniform(0.02, 0.1))
            pressed = time.perf_counter()
            cabinet.supervisor.machine.states.press("spin")
            await cabinet.finish_round()
            if number >= FIRST:
                taken.append((store.durable_at - pressed) * 1000)
                floors.append(await asyncio.to_thread(floor.sync, store.round_bytes))
    floor.close()
    return Taken(taken, floors, store.round_bytes)


def measure(progress: Progress = silent) -> Iterator[Figure]:
    """Press SPIN two hundred times while the hard meters pulse; a sync of the same bytes follows each round."""
    KEPT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="d", dir=KEPT) as folder:
        taken = asyncio.run(_press(Path(folder), progress))
    median, floor = statistics.median(taken.presses), statistics.median(taken.floors)
    yield Figure(
        what="accepted press to durable round",
        measured=median,
        floor=floor,
        unit="ms",
        aim="at most 2x floor + 3 ms",
        met=median <= 2 * floor + 3,
        notes=f"median of {PRESSES}; p99 {quantile(taken.presses, 0.99):.1f} ms beside"
        f" {quantile(taken.floors, 0.99):.1f} ms; floor: fdatasync of the round's {taken.size} bytes",
    )


if __name__ == "__main__":
    print(*measure(), sep="\n")  # noqa: T201 - its output is what it is for
