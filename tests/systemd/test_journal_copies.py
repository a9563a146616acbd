"""An upgrade copies the journal first, and one version back forgets no money by itself."""

import fcntl
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal import schema
from controller.journal.store import Store

pytestmark = pytest.mark.requirement("S5")

SCRIPT = Path("systemd/journal_copies.py").resolve()
NEWER = "m999_tomorrow"


def command(*words: object) -> subprocess.CompletedProcess[str]:
    """Run the script as the installer does: alone, without our program."""
    return subprocess.run(
        [sys.executable, "-I", SCRIPT, *map(str, words)], capture_output=True, text=True, check=False, cwd="/"
    )


def opened(path: Path) -> Store:
    """Open the journal, making it where it is missing."""
    return Store(path, lambda: 0, simulated=True, create=True)


def coin(path: Path, cents: int = 100) -> None:
    """Put a coin in."""
    store = opened(path)
    store.transact(lambda tx: tx.post("coin", credit=cents, meters={"coins_in": cents}))
    store.close()


def power_up(path: Path) -> None:
    """Record a start, which moves no money."""
    store = opened(path)
    store.transact(lambda tx: tx.log("power_up", "started"))
    store.close()


def upgrade(path: Path) -> None:
    """Have a program of tomorrow write the journal."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES ('cabinet', ?, '')", (NEWER,)
        )


def credit(path: Path) -> int:
    """Return the credit of the journal at `path`."""
    with closing(sqlite3.connect(path)) as connection:
        (cents,) = connection.execute("SELECT credit_cents FROM cabinet").fetchone()
        return int(cents)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A journal with one coin in it."""
    path = tmp_path / "journal.sqlite"
    coin(path)
    return path


def copies(journal: Path) -> list[str]:
    """Return the names of what lies in the folder of copies."""
    return sorted(path.name for path in (journal.parent / "upgrades").iterdir())


def test_the_journal_is_found_where_the_configuration_says(tmp_path: Path) -> None:
    """Its usual place where the file says nothing, or is not there yet."""
    file = tmp_path / "cabinet.toml"
    assert command("where", file).stdout == "/var/lib/cabinet/journal.sqlite\n"
    file.write_text('[cabinet]\njournal = "/data/books.sqlite"\n', encoding="utf-8")
    assert command("where", file).stdout == "/data/books.sqlite\n"


def test_a_copy_holds_all_that_the_journal_holds(journal: Path) -> None:
    """It is a whole journal, which the program opens."""
    done = command("keep", journal, "before-9")
    assert (done.returncode, copies(journal)) == (0, ["before-9.sqlite"])
    copy = opened(journal.parent / "upgrades/before-9.sqlite")
    assert copy.credit_cents == 100
    copy.close()


def test_only_the_newest_three_copies_are_kept(journal: Path) -> None:
    """A card does not fill up with upgrades."""
    for number in range(5):
        command("keep", journal, f"before-{number}")
    assert copies(journal) == ["before-2.sqlite", "before-3.sqlite", "before-4.sqlite"]


def test_nothing_is_copied_while_a_supervisor_runs(journal: Path) -> None:
    """The journal's lock is the supervisor's."""
    with Path(f"{journal}.lock").open("w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = command("keep", journal, "before-9")
    assert (done.returncode, "stop cabinet.service first" in done.stderr) == (1, True)


def begin_round(journal: Path) -> None:
    """Have a round be open."""
    with closing(sqlite3.connect(journal)) as connection, connection:
        columns = [row[1:4] for row in connection.execute("PRAGMA table_info(rounds)")]
        row = {name: "open" if name == "state" else (1 if kind == "INTEGER" else "x") for name, kind, _ in columns}
        names = ", ".join(row)
        connection.execute(f"INSERT INTO rounds ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values()))  # noqa: S608 - the table's own columns


@pytest.mark.requirement("S5")
def test_no_upgrade_while_a_game_is_open(journal: Path) -> None:
    """The game must end first, with the program that began it."""
    begin_round(journal)
    done = command("keep", journal, "before-9")
    assert (done.returncode, "a game is still open" in done.stderr) == (1, True)


@pytest.mark.requirement("S5")
def test_no_way_back_while_a_game_is_open_but_by_an_explicit_word(journal: Path) -> None:
    """The other way round, too; a program that cannot end its game can be left, and nothing is put back."""
    begin_round(journal)
    refused = command("restore", journal, "--known", *schema.NAMES)
    assert (refused.returncode, "a game is still open" in refused.stderr) == (1, True)
    accepted = command("restore", journal, "--accept-loss", "--known", *schema.NAMES)
    assert (accepted.returncode, credit(journal)) == (0, 100)


def test_a_journal_that_the_older_program_can_read_stays_as_it_is(journal: Path) -> None:
    """Nothing is put back where nothing must be."""
    command("keep", journal, "before-9")
    coin(journal)
    done = command("restore", journal, "--known", *schema.NAMES)
    assert (done.returncode, credit(journal)) == (0, 200)


def test_one_version_back_takes_the_copy_where_no_money_has_moved(journal: Path) -> None:
    """The newer journal stays beside it."""
    command("keep", journal, "before-9")
    power_up(journal)
    upgrade(journal)
    done = command("restore", journal, "--known", *schema.NAMES)
    assert (done.returncode, copies(journal)) == (0, ["before-9.sqlite", "newer-before-9.sqlite"])
    store = opened(journal)
    assert store.credit_cents == 100
    store.close()


def test_one_version_back_forgets_no_money_by_itself(journal: Path) -> None:
    """It is refused with both credits named; only an explicit word takes it, and the newer journal is kept."""
    command("keep", journal, "before-9")
    coin(journal, 50)
    upgrade(journal)
    refused = command("restore", journal, "--known", *schema.NAMES)
    assert (refused.returncode, "credit then 100 cents, now 150" in refused.stderr) == (1, True)
    assert credit(journal) == 150
    accepted = command("restore", journal, "--accept-loss", "--known", *schema.NAMES)
    assert (accepted.returncode, credit(journal)) == (0, 100)
    assert credit(journal.parent / "upgrades/newer-before-9.sqlite") == 150


def test_without_a_copy_nothing_is_put_back(journal: Path) -> None:
    """The journal stays the newer program's."""
    upgrade(journal)
    done = command("restore", journal, "--known", *schema.NAMES)
    assert (done.returncode, "no copy" in done.stderr, credit(journal)) == (1, True, 100)
