"""Power cuts at every flush of the medium: nothing acknowledged is lost, nothing is there twice.

Each scenario plays on a disk that records every write and flush. For each flush the disks are built that a cut before
it could have left, with what was not flushed dropped, half written or kept; each is mounted, the books are opened as at
a start, proved by an audit, and compared with what had been acknowledged when the power went. `make power-proof`.
"""

import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from controller.books.audit import audit, prove_archives
from controller.books.rotation import sealed_files
from controller.features.copies.rebuilding import copy_to_rebuild_from, rebuild
from controller.journal.errors import CorruptJournalError, JournalError
from controller.journal.generations import generation_of
from controller.journal.hard_meters import Noted
from controller.journal.schema import Migration
from controller.journal.store import Store, read_only
from controller.keys import identity
from tests.proofs import recorded_disk
from tests.proofs.power_scenarios import TALES, Cabinet, Tale
from tests.proofs.recorded_disk import RecordedDisk, blank, left_by_cuts, mounted, recording, writes
from tests.rigs.needing import skipped_where

pytestmark = [pytest.mark.proof, pytest.mark.timeout(3000), pytest.mark.requirement("P1", "P11", "P13")]

ADDED_BY_A_START = {"event", "identity", "sealed"}
"""The kinds of ledger row that opening the books may add."""


class Row(NamedTuple):
    """A ledger row as far as it is compared."""

    kind: str
    credit_delta: int
    hash: bytes


class BooksState(NamedTuple):
    """The state of books: their generation, their newest row, and each hard meter's pulses.

    Of these what the books and the note beside them have `given`, what they have `begun`, and what is `doubtful`.
    """

    generation: int
    seq: int
    given: Counter[str]
    begun: Counter[str]
    doubtful: Counter[str]


class Acknowledged(NamedTuple):
    """What had returned when the medium had seen so many requests."""

    position: int
    state: BooksState


def state_of(connection: sqlite3.Connection, noted: Noted | None) -> BooksState:
    """Return the state of the books."""
    (seq,) = connection.execute("SELECT coalesce(max(seq), 0) FROM ledger").fetchone()
    given, begun, doubtful = Counter[str](), Counter[str](), Counter[str]()
    for name, counted, in_flight, batch, doubts in connection.execute(
        "SELECT name, given, in_flight, batch, doubtful FROM hard_meters"
    ):
        of_batch = noted if noted is not None and in_flight and noted.batch == batch else Noted(batch, {}, {})
        given[name] = counted + of_batch.given.get(name, 0)
        begun[name] = counted + of_batch.begun.get(name, 0)
        doubtful[name] = doubts
    return BooksState(generation_of(connection), seq, given, begun, doubtful)


def rows_of(path: Path) -> tuple[int, list[Row]]:
    """Return the generation of a journal, and its ledger."""
    with read_only(path) as connection:
        rows = connection.execute("SELECT kind, credit_delta, hash FROM ledger ORDER BY seq")
        return generation_of(connection), [Row(*row) for row in rows]


def recorded(tale: Tale, folder: Path) -> tuple[Path, list[Acknowledged], dict[int, list[Row]]]:
    """Play a tale on a recorded disk; return its first image, what was acknowledged when, and its final ledgers."""
    image = folder / "begin.img"
    blank(image)
    with mounted(image, folder / "root") as root:
        tale.begins(Cabinet(root))
    acknowledged: list[Acknowledged] = []
    with recording(image, folder) as disk:
        tale.goes_on(
            Cabinet(disk.root, migrations=tale.migrations),
            lambda store: acknowledged.append(_acknowledged(disk, store)),
        )
        journal = disk.root / "journal.sqlite"
        ledgers = dict(rows_of(path) for path in (*sealed_files(journal), journal))
    return image, acknowledged, ledgers


def _acknowledged(disk: RecordedDisk, store: Store) -> Acknowledged:
    state = store.transact(lambda tx: state_of(tx._connection, store.pulses_noted))
    return Acknowledged(disk.position(), state)


def start(cabinet: Cabinet, tale: Tale) -> Store:
    """Open the books as a start after the power is back does; a technician rebuilds those that were being rebuilt."""
    if not tale.rebuilt:
        return cabinet.opened()
    try:
        return cabinet.opened()
    except CorruptJournalError:
        own = identity.read_identity(cabinet.key)
        assert own is not None
        assert cabinet.copy is not None
        kept = copy_to_rebuild_from(cabinet.copy, own)
        rebuild(cabinet.journal, kept, own, "rot", wall_ms=lambda: 0)
        return cabinet.opened()


def common(rows: list[Row], known: list[Row]) -> int:
    """Return how many rows both ledgers begin with."""
    differs = (number for number, (row, other) in enumerate(zip(rows, known, strict=False)) if row != other)
    return next(differs, min(len(rows), len(known)))


def noticed_without_wal(
    root: Path,
    folder: Path,
    before: list[BooksState],
    ledgers: dict[int, list[Row]],
    migrations: Sequence[Migration],
) -> bool:
    """Take the `-wal` away from a copy of what a cut has left; return whether a start refuses it then.

    One that does not must hold all that was acknowledged `before` the cut.
    """
    if not (root / "journal.sqlite-wal").exists():
        return False
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(root, folder, ignore=shutil.ignore_patterns("lost+found", "*-wal", "*-shm"))
    cabinet = Cabinet(folder, migrations=migrations)
    try:
        cabinet.opened().close()
    except JournalError:
        return True
    generation, rows = rows_of(cabinet.journal)
    held = (generation, common(rows, ledgers[generation]))
    assert all(held >= (state.generation, state.seq) for state in before)
    return False


@skipped_where(recorded_disk.missing()[0], *recorded_disk.missing())
@pytest.mark.parametrize("name", TALES)
def test_a_cut_at_any_flush_loses_and_doubles_nothing(
    name: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """The ledger is one that the cabinet had, at least as long as was acknowledged; the audit proves all of it."""
    tale = TALES[name]
    image, acknowledged, ledgers = recorded(tale, tmp_path)
    assert acknowledged
    requests = writes(tmp_path / "log")
    images = lost = 0
    for cut, left in left_by_cuts(image, requests, tmp_path):
        images += 1
        before = [word.state for word in acknowledged if word.position <= cut.position]
        with mounted(left, tmp_path / "root") as root:
            with_copy = name in ("second copy", "rebuild")
            cabinet = Cabinet(root, second_copy=with_copy, migrations=tale.migrations)
            if not tale.rebuilt and cut.kept == "dropped":
                lost += noticed_without_wal(root, tmp_path / "lost", before[-1:], ledgers, tale.migrations)
            with closing(start(cabinet, tale)) as store:
                state = store.transact(lambda tx: state_of(tx._connection, store.pulses_noted))
                credit = store.credit_cents
            proof = audit(cabinet.journal, lambda *_: None, tale.migrations)
            prove_archives(cabinet.journal, proof, whole=lambda *_: None)
            assert proof.failures == [], cut
            generation, rows = rows_of(cabinet.journal)
        known = ledgers[generation]
        if tale.rebuilt and not before:  # made anew by this start: the same rows, hashed in transactions of their own
            rows, known = ([row._replace(hash=b"") for row in ledger] for ledger in (rows, known))
        length = common(rows, known)
        assert {row.kind for row in rows[length:]} <= ADDED_BY_A_START, cut
        assert credit == sum(row.credit_delta for row in rows[:length]), cut
        after = [word.state for word in acknowledged if word.position > cut.position]
        if before:
            assert (generation, length) >= (before[-1].generation, before[-1].seq), cut
            if before[-1].generation == generation:
                assert state.given + state.doubtful >= before[-1].given, cut
        if after and after[0].generation == generation:
            assert state.given <= after[0].begun, cut
    shutil.rmtree(tmp_path, ignore_errors=True)
    assert images > len(acknowledged)
    record_property(
        "proof",
        f"power cuts, {name}: {images} images of {len(requests)} requests, nothing lost or doubled;"
        f" {lost} of them without their -wal refused",
    )
