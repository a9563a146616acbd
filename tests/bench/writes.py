"""What a round and a note make the disk write and sync, counted call by call, beside what it cannot do without.

Run as `python -m tests.bench.writes FOLDER ROUNDS [copy]` it is the process that is watched: a whole supervisor on
virtual time, whose rounds last as long as a player's do. `copy` keeps a second copy of the books too.
"""

import asyncio
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from controller.books.opening import opened_books
from controller.journal.store import Store, read_only
from controller.rounds.draws import seeded_source
from tests.bench.core_cabinet import NOTE_CENTS, CoreCabinet
from tests.bench.figures import KEPT, ROOT, Figure, Progress, silent, tracked
from tests.rigs.virtual_time import run_virtual

ROUNDS = 200
UNIT_CENTS = 10
"""The cabinet's default: a round at 1.50 owes fifteen pulses for its stake, a note of 50.00 owes five hundred."""
SHOW_S = 2.5
"""The usual shortest time of a play (requirements.md G6)."""
MOST_KIB, MOST_SYNCS = 20.0, 2.0
FEWEST_SYNCS = 1.0
"""A stake must be durable before anything is shown: what a round cannot do without."""

_NOTES = 8  # so much credit that no note comes while rounds are counted
_LAST_PULSES_S = 90.0
_KIB = 1024
_CALLS = "pwrite64,pwritev,pwritev2,write,writev,fsync,fdatasync,sync_file_range,ftruncate"
_CALL = re.compile(r"^(\w+)\(\d+<([^>]*)>(.*) = (-?\d+)$")
_AT = re.compile(r", (\d+)\)$")
_BLOCK_BYTES = 4096
"""What a sync writes of a file: all blocks that were changed, whole."""
_UNFINISHED = " <unfinished ...>"
_RESUMED = re.compile(r"^ *<\.\.\. \w+ resumed>(.*)$")
_SYNCS = {"fsync", "fdatasync", "sync_file_range"}
_MARKS = "marks"
_COPY = "second-copy"


class Written(NamedTuple):
    """What one phase has written into the cabinet's folder and made durable there, by the files' kinds.

    `bytes_by_kind` is what the program wrote, `blocks_by_kind` the same in bytes with what was synced in whole blocks.
    """

    bytes_by_kind: Counter[str]
    blocks_by_kind: Counter[str]
    syncs_by_kind: Counter[str]

    @property
    def kib(self) -> float:
        """Everything that was written, in KiB."""
        return sum(self.bytes_by_kind.values()) / _KIB

    @property
    def blocks_kib(self) -> float:
        """The same with every synced block counted whole, in KiB."""
        return sum(self.blocks_by_kind.values()) / _KIB

    @property
    def syncs(self) -> int:
        """Every sync."""
        return sum(self.syncs_by_kind.values())


class _Unsynced:
    """What was written into one file since its last sync."""

    def __init__(self) -> None:
        self._end = 0
        self._blocks: set[int] = set()
        self._bytes = 0

    def write(self, at: int | None, count: int) -> None:
        """Note `count` bytes at an offset, by default after those before."""
        begins = self._end if at is None else at
        self._end = begins + count
        self._blocks.update(range(begins // _BLOCK_BYTES, -(-self._end // _BLOCK_BYTES)))
        self._bytes += count

    def left(self) -> int:
        """Return how many bytes wait for the kernel to write them in its own time, and forget them."""
        left, self._bytes = self._bytes, 0
        self._blocks.clear()
        return left

    def sync(self) -> int:
        """Return how many bytes a sync writes at the least: whole blocks of the file."""
        blocks = len(self._blocks) * _BLOCK_BYTES
        return max(self.left(), blocks)


class Watched(NamedTuple):
    """What a note, with the pulses it owes, and all rounds have written; how the journal has grown by those."""

    note: Written
    note_s: float
    rounds: Written
    grown_bytes: int


async def _play(folder: Path, rounds: int, *, copy: bool) -> None:
    """Take one note until its last pulse, then notes for all rounds, then play these; mark where each begins."""

    def opened(path: Path) -> Store:
        second = folder / _COPY if copy else None
        key = Path(f"{path}.key")
        return opened_books(path, key, lambda: 0, simulated=True, create=True, second_copy=second)

    draws = seeded_source(1)
    with (folder / _MARKS).open("w", buffering=1) as marks:
        async with CoreCabinet(folder, draws=draws, unit_cents=UNIT_CENTS, show_s=SHOW_S, store=opened) as cabinet:
            now = asyncio.get_running_loop().time
            await asyncio.sleep(_LAST_PULSES_S)
            for note in range(_NOTES):
                if note < 2:
                    marks.write(f"note {now()}\n" if note else "session\n")
                await cabinet.insert_note()
                await asyncio.sleep(NOTE_CENTS / UNIT_CENTS / 10 if note == 1 else _LAST_PULSES_S)
                if note == 1:
                    marks.write(f"noted {now()}\n")
            marks.write(f"rounds {_used(folder)}\n")
            for _ in range(rounds):
                await cabinet.play_round()
            await asyncio.sleep(_LAST_PULSES_S)
            marks.write(f"played {_used(folder)}\n")


def _used(folder: Path) -> int:
    """Return how many bytes of the journal hold something."""
    with read_only(next(folder.glob("*.sqlite"))) as connection:
        (pages,), (free,), (size,) = (
            connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "freelist_count", "page_size")
        )
    return int((pages - free) * size)


def watched(folder: Path, rounds: int, *, copy: bool) -> Watched:
    """Play under strace and return what was written in each phase."""
    trace = folder / "trace"
    cabinet = folder / "cabinet"
    cabinet.mkdir()
    strace = ["strace", "-f", "-qqq", "-y", "-s", "64", "-o", str(trace), "-e", f"trace={_CALLS}"]
    command = [sys.executable, "-m", "tests.bench.writes", str(cabinet), str(rounds), *(["copy"] if copy else [])]
    subprocess.run([*strace, *command], cwd=ROOT, check=True)
    phases: dict[str, Written] = {}
    words: dict[str, float] = {}
    written = Written(Counter(), Counter(), Counter())
    unsynced: defaultdict[str, _Unsynced] = defaultdict(_Unsynced)
    for call, file, said, count in _calls(trace, cabinet):
        if file == _MARKS:
            for name, waits in unsynced.items():
                written.blocks_by_kind[_kind(name)] += waits.left()
            name, figure = (said.split('"')[1].removesuffix("\\n") + " ").split(" ")[:2]
            words[name] = float(figure or 0)
            phases[name] = written = Written(Counter(), Counter(), Counter())
        elif call in _SYNCS:
            written.syncs_by_kind[_kind(file)] += 1
            written.blocks_by_kind[_kind(file)] += unsynced[file].sync()
        elif call != "ftruncate":
            at = _AT.search(said) if call.startswith("p") else None
            unsynced[file].write(None if at is None else int(at[1]), count)
            written.bytes_by_kind[_kind(file)] += count
    grown = int(words["played"] - words["rounds"])
    return Watched(phases["note"], words["noted"] - words["note"], phases["rounds"], grown)


def _calls(trace: Path, cabinet: Path) -> Iterator[tuple[str, str, str, int]]:
    """Yield each call that was made on a file of the cabinet: its name, the file's, its words, and the bytes."""
    begun: dict[str, str] = {}
    with trace.open() as lines:
        for line in lines:
            thread, _, call = line.rstrip().partition(" ")
            if call.endswith(_UNFINISHED):
                begun[thread] = call.removesuffix(_UNFINISHED)
                continue
            if resumed := _RESUMED.match(call):
                call = begun.pop(thread) + resumed[1]
            matched = _CALL.match(call.strip())
            if matched is None:
                continue
            name, file, said, result = matched.groups()
            if file.startswith(str(cabinet)) and int(result) >= 0:
                yield name, Path(file).name, said, int(result)


def _kind(file: str) -> str:
    for kind in ("-wal", "-shm", _COPY, ".head"):
        if kind in file:
            return kind.strip("-.")
    return "journal" if file.endswith(".sqlite") else file


def _listed(counted: Counter[str], each: float) -> str:
    return ", ".join(f"{name} {count / each:.2f}" for name, count in counted.most_common())


def measure(progress: Progress = silent) -> Iterator[Figure]:
    """Count what a round and a note write, without a second copy and with one."""
    if shutil.which("strace") is None:
        raise RuntimeError("strace is not installed: apt install strace")
    KEPT.mkdir(parents=True, exist_ok=True)
    for copy in tracked((False, True), progress):
        with tempfile.TemporaryDirectory(prefix="w", dir=KEPT) as folder:
            seen = watched(Path(folder), ROUNDS, copy=copy)
        beside = ", with a second copy" if copy else ""
        kib, syncs = seen.rounds.kib / ROUNDS, seen.rounds.syncs / ROUNDS
        copied = seen.rounds.syncs_by_kind[_COPY] / ROUNDS
        pulses = NOTE_CENTS / UNIT_CENTS
        yield from [
            Figure(
                what=f"bytes_per_round{beside}",
                measured=kib,
                floor=seen.grown_bytes / ROUNDS / _KIB,
                unit="KiB",
                aim=f"at most {MOST_KIB:g} KiB",
                met=kib <= MOST_KIB,
                notes=f"KiB: {_listed(seen.rounds.bytes_by_kind, ROUNDS * _KIB)}; whole blocks of what is synced"
                f" {seen.rounds.blocks_kib / ROUNDS:.1f}; floor: what the journal grows by",
            ),
            Figure(
                what=f"syncs_per_round{beside}",
                measured=syncs,
                floor=FEWEST_SYNCS * (1 + copy),
                unit="",
                aim=f"at most {MOST_SYNCS:g}" + ", and as many of the copy's medium" * copy,
                met=syncs - copied <= MOST_SYNCS >= copied,
                notes=f"{_listed(seen.rounds.syncs_by_kind, ROUNDS)}; 15 pulses of the stake included",
            ),
            Figure(
                what=f"bytes of a note of 50.00 and its {pulses:.0f} pulses{beside}",
                measured=seen.note.kib,
                floor=pulses * 8 / _KIB,
                unit="KiB",
                aim="below 10 KiB a second",
                met=seen.note.kib / seen.note_s < 10,
                notes=f"{seen.note.kib / seen.note_s:.1f} KiB a second ({seen.note.blocks_kib / seen.note_s:.1f} in"
                f" whole blocks) and {seen.note.syncs / seen.note_s:.1f} syncs;"
                " floor: a number of eight bytes a pulse",
            ),
        ]


if __name__ == "__main__":
    run_virtual(_play(Path(sys.argv[1]), int(sys.argv[2]), copy="copy" in sys.argv[3:]))
