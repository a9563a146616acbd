# ruff: noqa: S608 - the names in these statements are this module's own
"""An edit of the books that the program has not made is found: all by an audit, those of what counts now by a start."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal import digests, rounds
from controller.journal.pools import JournalPools, PoolKey
from controller.journal.store import Store
from tests.rigs.archived_books import BET, GAME
from tests.rigs.edits import OF_OPEN_ROUND, audit_finds, columns, edit, eventful, flipped, start_finds

pytestmark = pytest.mark.sampled(2)

# Every column while it pays is a proof: tests/proofs/test_edits.py flips eight values of each.
PAYING = [pytest.param(False, id="in a round"), pytest.param(True, id="while it pays", marks=pytest.mark.proof)]


@pytest.fixture(scope="module", params=PAYING)
def books(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a journal with rows in every table, closed."""
    return eventful(tmp_path_factory.mktemp("books"), paying=request.param)


def test_nothing_is_found_in_books_that_nobody_changed(books: Path) -> None:
    """Neither an audit nor a start has anything to say of them."""
    assert (audit_finds(books), start_finds(books)) == (False, False)


def test_one_flip_in_each_column_is_found(books: Path, tmp_path: Path) -> None:
    """Over all columns of the schema: by the audit always, by the start where it touches what counts now."""
    chance, content = random.Random(1), books.read_bytes()
    path = tmp_path / "journal.sqlite"
    missed = []
    for column in columns(books):
        path.write_bytes(content)
        flip = flipped(path, column, chance)
        assert flip is not None, column
        if flip.present and not start_finds(path):
            missed.append(f"start: {flip}")
        if not audit_finds(path):
            missed.append(f"audit: {flip}")
    assert missed == []


OF_THE_OPEN_ROUND = (
    f"UPDATE segments SET win_cents = win_cents + 1 WHERE {OF_OPEN_ROUND}",
    f"UPDATE segments SET draws = '[]' WHERE {OF_OPEN_ROUND}",
    f"UPDATE segments SET steps_sha256 = zeroblob(32) WHERE {OF_OPEN_ROUND}",
    f"UPDATE segments SET answer = 1 WHERE {OF_OPEN_ROUND}",
    f"DELETE FROM segments WHERE {OF_OPEN_ROUND}",
    f"INSERT INTO segments SELECT round_id, 1, 0, draws, 0, 0, steps_sha256, at_ms FROM segments WHERE {OF_OPEN_ROUND}",
    f"""UPDATE ledger SET data = '{{"gamble_cap_cents":1}}' WHERE kind = 'stake' AND {OF_OPEN_ROUND}""",
    f"UPDATE contributions SET millicents = 0 WHERE {OF_OPEN_ROUND}",
    f"UPDATE claims SET taken_millicents = 1000000 WHERE {OF_OPEN_ROUND}",
    f"DELETE FROM claims WHERE {OF_OPEN_ROUND}",
)


@pytest.fixture(scope="module")
def in_a_round(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a closed journal in which a round waits for an answer, its stake before the last anchor."""
    return eventful(tmp_path_factory.mktemp("open"), paying=False)


@pytest.mark.parametrize("statement", OF_THE_OPEN_ROUND)
def test_a_start_refuses_an_open_round_that_was_edited(in_a_round: Path, tmp_path: Path, statement: str) -> None:
    """What it would be continued or voided from, all of which moves credit or a pool, is compared."""
    path = tmp_path / "journal.sqlite"
    path.write_bytes(in_a_round.read_bytes())
    assert not start_finds(path)
    edit(path, statement)
    assert start_finds(path)
    assert audit_finds(path)


def _settled(store: Store, number: int) -> None:
    segment = rounds.Segment(answer=0, draws=(), steps=(), win_cents=70, memory="null")
    store.transact(lambda tx: rounds.proceed(tx, number, segment))


def _voided(store: Store, number: int) -> None:
    store.transact(lambda tx: rounds.void(tx, number, "a test"))
    store.transact(lambda tx: JournalPools(tx).void(PoolKey(GAME.name, BET.coin_value_cents), number))


@pytest.mark.parametrize("end", [_settled, _voided])
def test_a_round_that_has_ended_is_past(in_a_round: Path, tmp_path: Path, end: Callable[[Store, int], None]) -> None:
    """Its end moves what was kept of it into the past, as the sums anew have it; an edit of that is the audit's."""
    path = tmp_path / "journal.sqlite"
    path.write_bytes(in_a_round.read_bytes())
    with closing(Store(path, lambda: 0, simulated=True)) as store:
        (number,) = store.transact(lambda tx: tx.execute("SELECT id FROM rounds WHERE state = 'open'").fetchone())
        end(store, number)
    with closing(sqlite3.connect(path)) as connection:
        assert digests.differing(connection, whole=True) == []
    edit(path, f"UPDATE segments SET draws = '[]' WHERE round_id = {number}")
    assert (start_finds(path), audit_finds(path)) == (False, True)
