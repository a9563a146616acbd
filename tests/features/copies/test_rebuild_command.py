"""`cabinet rebuild`: refuses an intact journal, asks twice, and reports what it did."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.books.opening import opened_books
from controller.cli import main
from controller.journal import lost_tickets, money
from controller.journal.errors import CorruptJournalError
from controller.journal.store import Store
from controller.keys.identity import IdentityError
from tests.rigs.paths import SAMPLE
from tests.rigs.restored_books import with_tickets

pytestmark = pytest.mark.requirement("C4")


class Cabinet:
    """A real cabinet's configuration and books, in one folder, with 4.00 on the credit."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "cabinet.toml"
        self.journal = folder / "journal.sqlite"
        self.copy = folder / "copy"
        self.configure(self.copy)
        assert self.run("init").exit_code == 0
        with closing(self.opened()) as store:
            for number in (1, 2):
                store.transact(lambda tx: money.coins_taken(tx, 1, number, (200,), 0))  # noqa: B023 - run at once

    def configure(self, copy: Path | str) -> None:
        """Write the configuration with that second copy."""
        text = SAMPLE.read_text(encoding="utf-8").replace("/var/lib/cabinet/journal.sqlite", str(self.journal))
        self.file.write_text(text.replace('second_copy = ""', f'second_copy = "{copy}"'), encoding="utf-8")

    def run(self, command: str, *options: str, answers: str = "") -> Result:
        """Run a command on this cabinet."""
        return CliRunner().invoke(main, [command, str(self.file), *options], input=answers)

    def rebuild(self, answers: str = "y\ny\n") -> Result:
        """Run the rebuild with these answers."""
        return self.run("rebuild", "--reason", "the card died", answers=answers)

    def opened(self) -> Store:
        """Open the books as a start does."""
        return opened_books(self.journal, Path(f"{self.journal}.key"), lambda: 0, second_copy=self.copy)


def test_lost_books_are_rebuilt_after_two_confirmations(tmp_path: Path) -> None:
    """It says why, from where, and with which credit; the old file is kept."""
    cabinet = Cabinet(tmp_path)
    cabinet.journal.write_bytes(b"rot" * 5000)
    for answers in ("n\n", "y\nn\n", ""):
        refused = cabinet.rebuild(answers)
        assert (refused.exit_code, cabinet.journal.read_bytes()) == (1, b"rot" * 5000)
    done = cabinet.rebuild()
    assert done.exit_code == 0, done.output
    for words in (
        "The books cannot be used:",
        "with a credit of 400 cents.",
        "is rebuilt, with",
        "journal.sqlite.lost-0001",
    ):
        assert words in done.output
    assert (tmp_path / "journal.sqlite.lost-0001").read_bytes() == b"rot" * 5000
    with closing(cabinet.opened()) as store:
        assert store.credit_cents == 400


OWN = {"tickets_out": 300, "tickets_printed": 1, "own_tickets_out": 300}
A_HOSTS = {"tickets_in": 500, "tickets_taken": 1}


@pytest.mark.parametrize("takes_only", [False, True])
def test_tickets_of_the_lost_books_are_an_open_item(tmp_path: Path, *, takes_only: bool) -> None:
    """What the meters say is still out is left to a person, also where none is printed any more, or others came."""
    cabinet = Cabinet(tmp_path)
    text = with_tickets(cabinet.file.read_text(encoding="utf-8"))
    cabinet.file.write_text(text.replace('pays = "all"', 'pays = "nothing"') if takes_only else text, encoding="utf-8")
    with closing(cabinet.opened()) as store:
        store.transact(lambda tx: tx.post("ticket_out", credit=-300, meters=OWN))
        store.transact(lambda tx: tx.post("ticket_in", credit=500, meters=A_HOSTS))
    cabinet.journal.write_bytes(b"rot" * 5000)
    done = cabinet.rebuild()
    assert done.exit_code == 0, done.output
    with closing(cabinet.opened()) as store:
        item = store.transact(lost_tickets.item)
    assert item is not None
    assert (item.least_cents, item.amount_cents) == (0, 300)


def test_whole_books_are_never_replaced(tmp_path: Path) -> None:
    """Nor are those that a supervisor holds, or of a cabinet without a copy or key."""
    cabinet = Cabinet(tmp_path)
    before = cabinet.journal.read_bytes()
    assert "there is nothing to rebuild" in cabinet.rebuild().output
    with closing(cabinet.opened()):
        assert "is held by another supervisor" in cabinet.rebuild().output
    cabinet.configure("")
    assert "this cabinet keeps no second copy" in cabinet.rebuild().output
    assert cabinet.journal.read_bytes() == before


@pytest.mark.parametrize(
    ("lost", "words"), [("copy", "there is no second copy at"), ("journal.sqlite.key", "is missing")]
)
def test_what_it_needs_is_named(tmp_path: Path, lost: str, words: str) -> None:
    """Without the copy or the key there is nothing to rebuild from, and nothing is touched."""
    cabinet = Cabinet(tmp_path)
    cabinet.journal.unlink()
    (tmp_path / lost).unlink()
    refused = cabinet.rebuild()
    assert refused.exit_code == 1
    assert words in refused.output
    assert not cabinet.journal.exists()


def test_no_new_books_are_made_where_the_old_ones_have_a_copy(tmp_path: Path) -> None:
    """An empty mount point is no first start: `cabinet init` names the copy, whatever else is lost."""
    cabinet = Cabinet(tmp_path)
    for name in ("journal.sqlite", "journal.sqlite.key", "journal.sqlite.head"):
        (tmp_path / name).unlink()
    for options in ((), ("--anew",)):
        refused = cabinet.run("init", *options)
        assert refused.exit_code == 1
        assert "with a credit of 400 cents: a technician must run `cabinet rebuild`" in refused.output
        assert not cabinet.journal.exists()


@pytest.mark.parametrize("content", [None, b"", b"rot" * 5000], ids=["gone", "emptied", "rotten"])
def test_lost_books_name_their_copy(tmp_path: Path, content: bytes | None) -> None:
    """The words of the lock say from what the books can be rebuilt, and how."""
    cabinet = Cabinet(tmp_path)
    if content is None:
        cabinet.journal.unlink()
    else:
        cabinet.journal.write_bytes(content)
    with pytest.raises(
        CorruptJournalError, match="with a credit of 400 cents: a technician must run `cabinet rebuild`"
    ):
        cabinet.opened()


def without_tables(journal: Path) -> None:
    """Leave an SQLite file without tables."""
    for end in ("", "-wal", "-shm"):
        Path(f"{journal}{end}").unlink(missing_ok=True)
    with closing(sqlite3.connect(journal)) as books:
        books.execute("CREATE TABLE gone (a)")
        books.execute("DROP TABLE gone")
        books.commit()


def of_another_cabinet(journal: Path) -> None:
    """Put the journal of another cabinet in its place."""
    (journal.parent / "other").mkdir()
    other = Cabinet(journal.parent / "other").journal
    for end in ("", "-wal", "-shm", ".head"):
        Path(f"{journal}{end}").unlink(missing_ok=True)
        if Path(f"{other}{end}").exists():
            shutil.copy(f"{other}{end}", f"{journal}{end}")


def test_a_journal_without_the_right_key_names_the_copy_of_this_cabinet(tmp_path: Path) -> None:
    """Another cabinet's journal: beside adopting it there is the rebuild; a lost key is wanted for that too."""
    cabinet = Cabinet(tmp_path)
    of_another_cabinet(cabinet.journal)
    with pytest.raises(
        IdentityError, match=r"`cabinet identity adopt`; their second copy .* a technician must run `cabinet rebuild`"
    ):
        cabinet.opened()
    Path(f"{cabinet.journal}.key").unlink()
    with pytest.raises(IdentityError, match=r"`cabinet identity replace`; their second copy .* needs that key too"):
        cabinet.opened()
    cabinet.copy.unlink()
    with pytest.raises(IdentityError, match=r"`cabinet identity replace`$"):
        cabinet.opened()


@pytest.mark.parametrize("emptied", [lambda journal: journal.write_bytes(b""), without_tables])
def test_an_emptied_demo_is_told_to_begin_elsewhere(tmp_path: Path, emptied: Callable[[Path], object]) -> None:
    """Nobody's key is adopted for a demo's books that were emptied by hand."""
    journal, key = tmp_path / "journal.sqlite", tmp_path / "journal.sqlite.key"
    how = {"simulated": True, "create": True}
    opened_books(journal, key, lambda: 0, **how).close()
    emptied(journal)
    left = journal.read_bytes()
    with pytest.raises(CorruptJournalError, match="or begin another demo in another folder"):
        opened_books(journal, key, lambda: 0, **how)
    assert journal.read_bytes() == left


def test_a_demo_without_its_key_is_told_to_begin_elsewhere(tmp_path: Path) -> None:
    """Its books and its key do not belong together: no technician adopts or replaces a demo's key."""
    for name in ("one", "other"):
        folder = tmp_path / name
        folder.mkdir()
        opened_books(
            folder / "journal.sqlite", folder / "journal.sqlite.key", lambda: 0, simulated=True, create=True
        ).close()
    journal, key = tmp_path / "one" / "journal.sqlite", tmp_path / "one" / "journal.sqlite.key"
    for left in (tmp_path / "other" / "journal.sqlite.key", None):
        key.unlink()
        if left is not None:
            shutil.copy(left, key)
        with pytest.raises(IdentityError, match="or begin another demo in another folder") as refused:
            opened_books(journal, key, lambda: 0, simulated=True, create=True)
        assert "cabinet identity" not in str(refused.value)
