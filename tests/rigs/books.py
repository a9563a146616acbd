"""What the journal's tests share: opening a journal in a folder, and segments of no particular game."""

import os
import sqlite3
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

import msgspec

from controller.journal import digests, hard_meters
from controller.journal.head import head_file
from controller.journal.rounds import Segment, Wager
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from ui.protocol.values import Bet

CUT = 9
"""The exit code of a process whose power was cut."""


def cut_at(number: int) -> Callable[[str], None]:
    """Return a step that ends the process when it is called for the `number`-th time, and prints that step's name."""
    names: list[str] = []

    def step(name: str) -> None:
        names.append(name)
        if len(names) == number:
            os.write(1, f"{name}\n".encode())
            os._exit(CUT)

    return step


@cache
def _new_journal(*, simulated: bool) -> bytes:
    """A new journal's bytes: making one takes a process of its own, so it is made once."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "journal.sqlite")
        Store(path, lambda: 0, simulated=simulated, create=True).close()
        return path.read_bytes()


def laid(path: Path, *, simulated: bool = True) -> Path:
    """Lay a new journal at `path` where there is none, and return it."""
    if not path.exists():
        path.write_bytes(_new_journal(simulated=simulated))
    return path


@contextmanager
def opened(folder: Path, *, create: bool = True) -> Iterator[Store]:
    """Open the journal in `folder` and close it afterwards."""
    path = folder / "journal.sqlite"
    store = Store(laid(path) if create else path, lambda: 0, simulated=True)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def rewritten(path: Path) -> Iterator[sqlite3.Connection]:
    """Change the closed journal at `path` by SQL as if a program had written it so: its digests are made to fit."""
    with closing(sqlite3.connect(path)) as connection, connection:
        yield connection
        digests.begin(connection)


def whole(path: Path) -> dict[Path, bytes]:
    """Return what makes up the closed journal at `path`, its mark with it, as a copy of the whole folder would."""
    return {file: file.read_bytes() for file in (path, head_file(path)) if file.exists()}


def put_back(files: dict[Path, bytes]) -> None:
    """Put such a copy back in place."""
    for file, content in files.items():
        file.write_bytes(content)


def give_pulses(tx: Transaction, units: Mapping[str, int], ready: Collection[str] = (), most: int = 1) -> bool:
    """Give each of the `ready` meters, all by default, up to `most` pulses of those it is owed; return whether any."""
    batch = hard_meters.begin_batch(tx, units, ready or units, most)
    if batch is not None:
        hard_meters.end_batch(tx, units, batch, batch.pulses)
    return batch is not None


def wager(cents: int = 100) -> Wager:
    """A bet of `cents` on a game that is never replayed here."""
    return Wager(
        game="none", maths_version=1, maths_hash="0" * 64, bet=Bet(lines=1, coins_per_line=cents, coin_value_cents=1)
    )


def segment(win: int, *, ends: bool, answer: int | None = None) -> Segment:
    """A segment that pays `win` cents and ends the round or not."""
    return Segment(
        answer=answer,
        draws=((10, 3),),
        steps=(msgspec.Raw(b'{"type":"beat"}'),),
        win_cents=win,
        memory="null" if ends else None,
    )
