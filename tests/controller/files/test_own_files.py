"""Nothing is overwritten that does not begin as a file of ours of that kind."""

import os
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.books.rotation import discard
from controller.files.durable import durable_file, write_durably
from controller.files.own_files import (
    JSON,
    NotOursError,
    free_name,
    move,
    refuse_foreign,
    refuse_foreign_beside,
    remove_socket,
    starting_with,
)
from controller.hardware.coin_windows import CoinWindows
from controller.journal.errors import JournalSetupError, JournalStorageError
from controller.journal.head import head_file
from controller.journal.store import Store
from drivers.capabilities import CoinWindow
from tests.rigs.books import laid

KIND = starting_with("list of ours", b"OURS ")
FOREIGN: dict[str, Callable[[Path], object]] = {
    "another kind": lambda path: path.write_bytes(b"theirs"),
    "empty": lambda path: path.write_bytes(b""),
    "zeros": lambda path: path.write_bytes(bytes(100)),
    "a folder": Path.mkdir,
    "a pipe": os.mkfifo,
    "a link to one of ours": lambda path: path.symlink_to(path.with_name("ours")),
    "a link to nothing": lambda path: path.symlink_to(path.with_name("nothing")),
}


def laid_out(folder: Path, how: str) -> Path:
    """A path at which that lies, beside a file of ours."""
    (folder / "ours").write_bytes(b"OURS 1")
    FOREIGN[how](folder / "file")
    return folder / "file"


@pytest.mark.parametrize("how", FOREIGN)
def test_only_a_file_of_that_kind_is_replaced(tmp_path: Path, how: str) -> None:
    """Whatever else lies there stays, and so does what a link leads to; the message says what to do."""
    path = laid_out(tmp_path, how)
    before = path.lstat()
    with pytest.raises(NotOursError, match="file: is no list of ours and stays as it is: move it away"):
        write_durably(path, b"OURS 2", KIND)
    assert path.lstat() == before
    assert (tmp_path / "ours").read_bytes() == b"OURS 1"


def test_a_file_of_ours_and_a_free_name_are_written(tmp_path: Path) -> None:
    """The next version replaces the last."""
    for content in (b"OURS 1", b"OURS 22"):
        write_durably(tmp_path / "file", content, KIND)
        assert (tmp_path / "file").read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(("left", "is_ours"), [(b"OURS", False), (b"OURS ha", True), (b"", True), (bytes(50), True)])
def test_what_an_interruption_left_is_ours(tmp_path: Path, left: bytes, is_ours: bool) -> None:  # noqa: FBT001 - a case
    """The temporary file of a write that was cut short is begun, empty or of zeros; another one stays."""
    part = tmp_path / "file.part"
    part.write_bytes(left)
    if is_ours:
        write_durably(tmp_path / "file", b"OURS 1", KIND)
        assert not part.exists()
    else:
        with pytest.raises(NotOursError, match=r"file\.part"):
            write_durably(tmp_path / "file", b"OURS 1", KIND)
        assert part.read_bytes() == left


def test_a_file_that_comes_while_ours_is_written_stays(tmp_path: Path) -> None:
    """It is looked at again before it would be replaced."""
    path = tmp_path / "file"

    def written_meanwhile() -> None:
        with durable_file(path, KIND) as file:
            file.write(b"OURS 1")
            path.write_bytes(b"theirs")

    with pytest.raises(NotOursError):
        written_meanwhile()
    assert path.read_bytes() == b"theirs"


def test_a_kind_of_json_is_an_object() -> None:
    """Not a list, a number or a text."""
    assert JSON.begins(b'{"a": 1}')
    assert JSON.begins(b"{}")
    for head in (b"[1]", b"1", b"{a", b""):
        assert not JSON.begins(head)


def test_a_name_that_is_taken_is_never_moved_to(tmp_path: Path) -> None:
    """Neither a file nor a link to nothing is replaced."""
    (tmp_path / "one").write_text("1")
    (tmp_path / "two").write_text("2")
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("two", "link"):
        with pytest.raises(NotOursError, match="there is a file of that name already"):
            move(tmp_path / "one", tmp_path / name)
    move(tmp_path / "one", free_name(tmp_path / "two"))
    assert (tmp_path / "two-2").read_text() == "1"


def test_only_a_socket_is_removed_for_a_socket(tmp_path: Path) -> None:
    """A dead process's socket goes, another file stays."""
    path = tmp_path / "display.sock"
    remove_socket(path)
    with closing(socket.socket(socket.AF_UNIX)) as listener:
        listener.bind(str(path))
    remove_socket(path)
    assert not path.exists()
    path.write_text("books")
    with pytest.raises(NotOursError, match="is no socket"):
        remove_socket(path)
    assert path.read_text() == "books"


@pytest.mark.parametrize("end", ["-wal", "-shm", "-journal", ".lock"])
def test_sqlite_overwrites_nothing_beside_the_books(tmp_path: Path, end: str) -> None:
    """A file of somebody else's with the name of one of SQLite's keeps the books shut, and stays."""
    journal = laid(tmp_path / "journal.sqlite")
    other = Path(f"{journal}{end}")
    other.write_bytes(b"the operator's own words")
    with pytest.raises(NotOursError):
        refuse_foreign_beside(journal)
    with pytest.raises(JournalSetupError, match="stays as it is: move it away: the books of"):
        Store(journal, lambda: 0, simulated=True)
    assert other.read_bytes() == b"the operator's own words"


def test_a_journal_of_sqlite_that_a_cut_left_before_its_first_sync_is_no_strangers(tmp_path: Path) -> None:
    """Until then its magic number and count are zeros, and what follows them is not: books that are made go on."""
    path = tmp_path / "journal.sqlite"
    path.touch()
    beginning = bytes(12) + bytes.fromhex("bb8225da000000000000020000000400")
    Path(f"{path}-journal").write_bytes(beginning.ljust(512, b"\0"))
    Store(path, lambda: 0, simulated=True, create=True).close()


def test_the_mark_overwrites_nothing(tmp_path: Path) -> None:
    """A foreign file in the mark's place is not written into."""
    journal = laid(tmp_path / "journal.sqlite")
    head_file(journal).write_bytes(b"the operator's own words")
    store = Store(journal, lambda: 0, simulated=True)
    with closing(store), pytest.raises(JournalStorageError, match="is no mark of books and stays as it is"):
        store.transact(lambda tx: tx.log("test", "a row"))
    assert head_file(journal).read_bytes() == b"the operator's own words"


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal", ".lock", ".head"])
def test_what_is_removed_before_a_successor_is_made_is_ours(tmp_path: Path, end: str) -> None:
    """Restore, rebuild, archive and full clear make one beside the books; somebody else's file of its name stays."""
    successor = tmp_path / "journal.sqlite.new"
    other = Path(f"{successor}{end}")
    other.write_bytes(b"the operator's own words")
    with pytest.raises(NotOursError):
        discard(successor)
    assert other.read_bytes() == b"the operator's own words"


READ = CoinWindow(read_at=1.0, shut_at=None)


@pytest.mark.parametrize("how", ["another kind", "a link to one of ours", "a link to nothing"])
def test_the_times_of_an_acceptor_overwrite_nothing(tmp_path: Path, how: str) -> None:
    """They are written in place with each read, in a folder that the configuration names."""
    windows, file = CoinWindows(tmp_path, "boot"), tmp_path / "coin_acceptor.window"
    (tmp_path / "ours").write_bytes(b"OURS whole")
    FOREIGN[how](file)
    with pytest.raises(NotOursError, match="stays as it is"):
        windows.keep("coin_acceptor", READ)
    assert file.is_symlink() or file.read_bytes() == b"theirs"
    assert {path.name for path in tmp_path.iterdir()} == {"ours", file.name}
    assert (tmp_path / "ours").read_bytes() == b"OURS whole"


@pytest.mark.parametrize("left", [b"", bytes(100)])
def test_the_times_of_an_acceptor_are_written_again(tmp_path: Path, left: bytes) -> None:
    """Over those of before, and over what an interruption left."""
    windows = CoinWindows(tmp_path, "boot")
    (tmp_path / "coin_acceptor.window").write_bytes(left)
    for at in (1.0, 2.0):
        windows.keep("coin_acceptor", CoinWindow(read_at=at, shut_at=None))
        assert windows.of("coin_acceptor") == CoinWindow(read_at=at, shut_at=None)


def test_no_journal_is_made_in_another_programs_database(tmp_path: Path) -> None:
    """SQLite's file is not enough: it must be empty of tables."""
    path = tmp_path / "journal.sqlite"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs (x)")
        other.commit()
    before = path.read_bytes()
    with pytest.raises(JournalSetupError, match="has tables of another program"):
        Store(path, lambda: 0, simulated=True, create=True)
    assert path.read_bytes() == before


def test_a_file_that_cannot_be_read_is_an_error_of_its_own(tmp_path: Path) -> None:
    """A path through a file is no file."""
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        refuse_foreign(tmp_path / "file" / "below", KIND)
