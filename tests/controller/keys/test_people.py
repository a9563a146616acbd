"""People and their PINs: names, digests in a file of their own, and wrong attempts."""

import os
import sqlite3
import stat
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.books.opening import opened_books
from controller.features.archive.archiving import Archiving
from controller.features.copies.backups import JOURNAL, backup
from controller.features.exports.exports import export
from controller.journal import people
from controller.journal.actor import KEYS, Role
from controller.journal.errors import RefusedError
from controller.journal.people import (
    BARRED_MINUTES,
    MOST_FAILURES,
    Attempt,
    Person,
    add_person,
    bar_person,
    may_turn,
    record_attempt,
)
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from controller.keys.identity import read_identity
from controller.keys.pins import COST, Cost, Credential, PinFile, is_guessable
from tests.rigs.books import laid, opened
from tests.rigs.logged_events import words_of
from tests.rigs.people import CHEAP, NAME, PIN, set_up_person

pytestmark = pytest.mark.requirement("S1")


def books_in(folder: Path) -> Store:
    """Open the books in `folder` as a start of the cabinet does."""
    path = folder / "journal.sqlite"
    return opened_books(laid(path), folder / "key", lambda: 0, simulated=True)


def everybody(store: Store) -> list[Person]:
    """Return all people of these books."""
    return store.transact(people.people)


def bytes_in(folder: Path) -> bytes:
    """Return everything in a folder's files."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


# PINs


def test_a_pin_fits_itself_alone_and_cannot_be_read() -> None:
    """Two digests of one PIN differ, and so do what the books name them by; neither holds its digits."""
    one, other = (Credential.of(PIN, NAME, Role.TECHNICIAN, CHEAP) for _ in range(2))
    assert one.fits(PIN)
    assert not one.fits(PIN[:-1] + "5")
    assert (one.salt, one.digest, one.seal) != (other.salt, other.digest, other.seal)
    assert len({one.salt, other.salt, one.digest, other.digest, one.seal, other.seal}) == 6


@pytest.mark.parametrize("pin", ["", "25801", "2580147036925", "25801a", "\u0661\u0662\u0663\u0664\u0665\u0667"])
def test_a_pin_has_six_to_twelve_digits(pin: str) -> None:
    """Anything else is refused in words."""
    with pytest.raises(ValueError, match="6 to 12 digits"):
        Credential.of(pin, NAME, Role.TECHNICIAN, CHEAP)


@pytest.mark.parametrize("pin", ["000000", "123456", "987654", "321098", "121212", "123123", "777777777777"])
def test_a_pin_that_anybody_tries_first_is_not_taken(pin: str) -> None:
    """One digit, digits in a row, or a shorter PIN repeated."""
    assert is_guessable(pin)
    with pytest.raises(ValueError, match="guessed"):
        Credential.of(pin, NAME, Role.TECHNICIAN, CHEAP)


def test_what_a_try_costs() -> None:
    """At least 64 MiB, as RFC 7914 counts them (128 * N * r bytes); a digest keeps the cost that it was made with."""
    assert 128 * 2**COST.log_n * COST.r >= 64 * 2**20
    began = time.process_time()
    known = Credential.of(PIN, NAME, Role.TECHNICIAN)
    assert time.process_time() - began > 0.03
    assert known.fits(PIN)
    assert Credential.of(PIN, NAME, Role.TECHNICIAN, Cost(5)).fits(PIN)


# the file


def test_only_the_owner_reads_the_file(tmp_path: Path) -> None:
    """Whatever the umask: neither the group, which the display may share, nor anybody else."""
    before = os.umask(0)
    try:
        with opened(tmp_path) as store:
            set_up_person(store)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "journal.sqlite.pins").stat().st_mode) == 0o600


def test_a_pin_that_the_books_do_not_name_is_removed_at_the_start(tmp_path: Path) -> None:
    """The power went between the file and the books: the new digest is nobody's."""
    with closing(books_in(tmp_path)) as store:
        set_up_person(store)
    pins = PinFile(tmp_path / "journal.sqlite", CHEAP)
    pins.add(Credential.of("704125", NAME, Role.TECHNICIAN, CHEAP))
    assert len(pins.read()) == 2
    with closing(books_in(tmp_path)) as store:
        (person,) = everybody(store)
        (kept,) = pins.read()
        assert kept.seal == person.pin
        assert kept.fits(PIN)


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe", b"[" * 100_000, b'{"x":' + b"[" * 9_000, b'{"pins":[{}]}'])
def test_a_lost_or_damaged_file_leaves_nobody_in(tmp_path: Path, content: bytes | None) -> None:
    """Nobody's PIN fits then, the books say whose is lost, and a damaged file is kept beside."""
    with closing(books_in(tmp_path)) as store:
        set_up_person(store)
    pins = PinFile(tmp_path / "journal.sqlite", CHEAP)
    pins.path.unlink()
    if content is not None:
        pins.path.write_bytes(content)
    with closing(books_in(tmp_path)) as store:
        (person,) = everybody(store)
        assert not person.may_enter
        assert store.transact(lambda tx: may_turn(tx, Role.TECHNICIAN)) == []
        assert store.transact(_texts("pin_lost")) == [f"PIN of {NAME} is lost: give a new one (C.7)"]
    damaged = pins.path.with_name(pins.path.name + ".damaged")
    assert damaged.exists() is (content is not None)


def _texts(code: str) -> Callable[[Transaction], list[str]]:
    return lambda tx: words_of(tx.execute, code)


# no digest outside the file


def test_neither_backup_nor_archive_nor_export_has_a_digest(tmp_path: Path) -> None:
    """What a PIN could be searched with lies in the file of the PINs alone: in no books, and in no copy of them."""
    with closing(books_in(tmp_path)) as store:
        set_up_person(store)
        store.transact(lambda tx: record_attempt(tx, 1, fitted=False))
    path = tmp_path / "journal.sqlite"
    (own,) = PinFile(path).read()
    key = read_identity(tmp_path / "key")
    assert key is not None
    out = tmp_path / "out"
    out.mkdir()
    copy = backup(path, out, key, "", 0)
    assert (copy / JOURNAL).is_file()
    export(path, out, key, "", 1000, tables=True)
    archiving = Archiving(1, out / "archive", fewest_rows=0)
    opened_books(path, tmp_path / "key", lambda: 0, simulated=True, archives=archiving).close()
    assert list((out / "archive").glob("books-*.sqlite"))
    copied = bytes_in(out) + path.read_bytes()
    assert NAME.encode() in copied
    for secret in (own.salt, own.digest):
        assert bytes.fromhex(secret) not in copied
        assert secret.encode() not in copied


# people


def test_names_are_their_owners_alone(tmp_path: Path) -> None:
    """Nobody is called nothing, and no two people the same, however it is written."""
    with opened(tmp_path) as store:
        set_up_person(store, "Ada")
        for name in ("", "   ", "x" * 21, "ada", " ADA "):
            with pytest.raises(RefusedError):
                store.transact(lambda tx: add_person(tx, name, Role.ATTENDANT, "", change_pin=True))  # noqa: B023
        store.transact(lambda tx: people.rename_person(tx, 1, "ADA"))
        assert [person.name for person in everybody(store)] == ["ADA"]


def test_the_last_technician_cannot_be_barred(tmp_path: Path) -> None:
    """Nobody could let anybody in again; one who is barred has no PIN any more."""
    with opened(tmp_path) as store:
        first = set_up_person(store, "Ada")
        attendant = set_up_person(store, "Ben", Role.ATTENDANT)
        with pytest.raises(RefusedError, match="last technician"):
            store.transact(lambda tx: bar_person(tx, first.id))
        store.transact(lambda tx: bar_person(tx, attendant.id))
        set_up_person(store, "Cyd")
        barred = store.transact(lambda tx: bar_person(tx, first.id))
        assert (barred.pin, barred.may_enter) == ("", False)
        assert [one.name for one in store.transact(lambda tx: may_turn(tx, Role.ATTENDANT))] == ["Cyd"]
        with pytest.raises(RefusedError, match="barred"):
            store.transact(lambda tx: people.set_pin(tx, first.id, "a" * 64))
        assert store.transact(lambda tx: record_attempt(tx, first.id, fitted=True)) is not Attempt.GRANTED


def test_wrong_attempts_bar_a_person_across_a_power_cut(tmp_path: Path) -> None:
    """After five in a row even the right one is refused, until ten powered-on minutes have passed; others come in."""
    with opened(tmp_path) as store:
        set_up_person(store)
        set_up_person(store, "Ben")
        for _ in range(MOST_FAILURES - 1):
            assert store.transact(lambda tx: record_attempt(tx, 1, fitted=False)) is Attempt.WRONG
        assert store.transact(lambda tx: record_attempt(tx, 1, fitted=False)) is Attempt.BARRED
        assert store.transact(lambda tx: record_attempt(tx, 2, fitted=True)) is Attempt.GRANTED
    with opened(tmp_path) as store:
        assert store.transact(lambda tx: record_attempt(tx, 1, fitted=True)) is Attempt.BARRED
        store.transact(lambda tx: tx.execute("UPDATE cabinet SET powered_minutes = ?", (BARRED_MINUTES,)).rowcount)
        assert store.transact(lambda tx: record_attempt(tx, 1, fitted=True)) is Attempt.GRANTED


def test_a_right_attempt_forgives_the_wrong_ones(tmp_path: Path) -> None:
    """Four wrong ones, a right one, and four wrong ones more bar nothing."""
    with opened(tmp_path) as store:
        set_up_person(store)
        for fitted in (*[False] * 4, True, *[False] * 4):
            outcome = store.transact(lambda tx: record_attempt(tx, 1, fitted=fitted))  # noqa: B023
            assert outcome is (Attempt.GRANTED if fitted else Attempt.WRONG)


def test_nobody_is_removed(tmp_path: Path) -> None:
    """The ledger names them: the table refuses it."""
    with opened(tmp_path) as store:
        set_up_person(store)
        with pytest.raises(RefusedError, match="people are kept"):
            store.transact(lambda tx: tx.execute("DELETE FROM people").rowcount)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["add", "rename", "pin", "bar", "admit"]),
            st.integers(1, 6),
            st.sampled_from(["Ada", "Ben", "Cyd", "Dan", "Eva"]),
            st.sampled_from(KEYS),
        ),
        max_size=25,
    )
)
def test_the_ledger_explains_everybody(steps: list[tuple[str, int, str, Role]]) -> None:
    """In any order of changes the newest event of each person repeats their row, and some technician is left."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        _prepared(connection)
        tx = Transaction(connection, 0)
        add_person(tx, "First", Role.TECHNICIAN, "0" * 64, change_pin=False)
        for number, (what, who, name, role) in enumerate(steps):
            seal = f"{number:064}"
            connection.execute("SAVEPOINT step")
            try:
                match what:
                    case "add":
                        add_person(tx, name, role, seal, change_pin=True)
                    case "rename":
                        people.rename_person(tx, who, name)
                    case "pin":
                        people.set_pin(tx, who, seal)
                    case "bar":
                        bar_person(tx, who)
                    case _:
                        people.admit_person(tx, who, seal)
            except RefusedError:
                connection.execute("ROLLBACK TO step")
            connection.execute("RELEASE step")
            assert may_turn(tx, Role.TECHNICIAN)
        explained = connection.execute(
            "SELECT max(seq), data ->> '$.person.id', data ->> '$.person.name', data ->> '$.person.role',"
            " data ->> '$.person.barred', data ->> '$.person.pin', data ->> '$.person.change_pin'"
            " FROM ledger WHERE data ->> '$.person.id' IS NOT NULL GROUP BY 2 ORDER BY 2"
        ).fetchall()
        rows = connection.execute(
            "SELECT id, name, role, barred, coalesce(pin, ''), change_pin FROM people ORDER BY id"
        ).fetchall()
        assert [row[1:] for row in explained] == rows


_SCHEMA: list[bytes] = []


def _prepared(connection: sqlite3.Connection) -> None:
    """Give an empty database the tables of a journal."""
    if not _SCHEMA:
        with tempfile.TemporaryDirectory() as folder:
            made = laid(Path(folder, "journal.sqlite")).read_bytes()
            _SCHEMA.append(made[:18] + b"\x01\x01" + made[20:])  # no WAL, which memory has not
    connection.deserialize(_SCHEMA[0])
