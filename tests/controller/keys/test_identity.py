"""The cabinet's key pair and the journal that is bound to it."""

import re
import shutil
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.books.opening import opened_books
from controller.cli import main
from controller.journal.people import barred_minutes, set_pin
from controller.journal.settings import record_change
from controller.journal.store import Store
from controller.keys import identity
from controller.keys.identity import IdentityError
from controller.machine.states import State
from tests.rigs.books import laid, whole
from tests.rigs.logged_events import words_of
from tests.rigs.paths import SAMPLE
from tests.rigs.people import PIN, set_up_person
from tests.rigs.technician import technician_at

pytestmark = pytest.mark.requirement("C12")


def books(folder: Path, name: str = "journal.sqlite") -> Path:
    """Open the books of the cabinet in `folder` as a start does, and close them again; return the journal."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    opened_books(laid(path, simulated=False), key_of(folder), lambda: 0).close()
    return path


def key_of(folder: Path) -> Path:
    """The key file of the cabinet in `folder`."""
    return folder / "journal.sqlite.key"


def events(path: Path) -> list[str]:
    """What the journal records of its key."""
    store = Store(path, lambda: 0)
    with closing(store):
        return store.transact(lambda tx: words_of(tx.execute, "identity"))


@pytest.mark.requirement("C12")
def test_the_first_start_makes_a_key_and_binds_the_journal(tmp_path: Path) -> None:
    """The key is for its owner's eyes alone, signs, and the next start goes by it without a word."""
    path = books(tmp_path)
    own = identity.read_identity(key_of(tmp_path))
    assert own is not None
    assert key_of(tmp_path).stat().st_mode & 0o777 == 0o600
    assert identity.is_signed(own.public_key, b"meters", own.sign(b"meters"))
    assert not identity.is_signed(own.public_key, b"other meters", own.sign(b"meters"))
    own.prove()
    books(tmp_path)
    assert events(path) == [f"Books bound to the key {own.public_key.hex()[:16]}: the first start with a key (cabinet)"]


@pytest.mark.requirement("C12")
def test_a_journal_of_another_cabinet_locks(tmp_path: Path) -> None:
    """Credits do not move with a swapped board, and the words say which keys and what to do."""
    for name in ("one", "other"):
        books(tmp_path / name)
    for file in whole(tmp_path / "one" / "journal.sqlite"):
        shutil.copy(file, tmp_path / "other" / file.name)
    with pytest.raises(IdentityError, match=r"bound to the key \w{16}, this cabinet's is .*`cabinet identity adopt"):
        books(tmp_path / "other")


def test_a_journal_without_a_key_does_not_slip_in(tmp_path: Path) -> None:
    """One that was never bound is not taken for this cabinet's own once that has a key."""
    books(tmp_path)
    (tmp_path / "journal.sqlite").unlink()
    Store(tmp_path / "journal.sqlite", lambda: 0, create=True).close()
    with pytest.raises(IdentityError, match="the journal names no key and this cabinet has one"):
        books(tmp_path)


def test_a_lost_key_locks(tmp_path: Path) -> None:
    """A missing key is never silently another one."""
    books(tmp_path)
    key_of(tmp_path).unlink()
    with pytest.raises(IdentityError, match="is missing, and the journal is bound to the key"):
        books(tmp_path)
    assert not key_of(tmp_path).exists()


@pytest.mark.parametrize("content", [b"", b"\xff", b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"])
def test_a_damaged_key_file_locks(tmp_path: Path, content: bytes) -> None:
    """The words name the file."""
    books(tmp_path)
    key_of(tmp_path).write_bytes(content)
    with pytest.raises(IdentityError, match=r"journal\.sqlite\.key"):
        books(tmp_path)


def test_a_public_key_alone_is_no_identity(tmp_path: Path) -> None:
    """Whoever knows the journal's public key cannot pass for its cabinet."""
    for name in ("one", "other"):
        books(tmp_path / name)
    own, foreign = (identity.read_identity(key_of(tmp_path / name)) for name in ("one", "other"))
    assert own is not None
    assert foreign is not None
    forged = foreign.path.read_text().replace(
        identity.public_pem(foreign.public_key), identity.public_pem(own.public_key)
    )
    own.path.write_text(forged)
    read = identity.read_identity(own.path)
    assert read is not None
    with pytest.raises(IdentityError, match="do not belong together"):
        read.prove()


@pytest.mark.parametrize("cut", ["before the journal names the key", "before the key has its place"])
def test_a_power_cut_while_the_key_is_made(tmp_path: Path, cut: str) -> None:
    """The next start binds the journal to one key, whichever instant the power went."""
    store = Store(tmp_path / "journal.sqlite", lambda: 0, create=True)
    new, made = identity.bound_to(None, key_of(tmp_path))
    assert made
    if cut == "before the key has its place":
        store.transact(lambda tx: identity.bind(tx, new, "cabinet", "test"))
    store.close()
    path = books(tmp_path)
    own = identity.read_identity(key_of(tmp_path))
    assert own is not None
    assert len(events(path)) == 1
    assert not identity.fresh(key_of(tmp_path)).exists()
    own.prove()


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A cabinet.toml whose journal lies in this test's folder."""
    path = tmp_path / "cabinet.toml"
    path.write_text(SAMPLE.read_text().replace("/var/lib/cabinet/journal.sqlite", str(tmp_path / "journal.sqlite")))
    return path


def cabinet(*arguments: object) -> Result:
    """Run `cabinet` with these arguments."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.mark.requirement("C12")
def test_a_technician_may_bind_a_journal_anew(tmp_path: Path, config: Path) -> None:
    """On purpose, with a reason that the books record beside what the journal was bound to before."""
    assert cabinet("init", config).exit_code == 0
    elsewhere = books(tmp_path / "elsewhere")
    path = tmp_path / "journal.sqlite"
    shutil.copy(elsewhere, path)
    assert cabinet("identity", "adopt", config, "--reason", "board burnt").exit_code == 0
    opened_books(path, key_of(tmp_path), lambda: 0).close()
    assert events(path)[-1].endswith("with a credit of 0 cents: board burnt (technician)")
    before = key_of(tmp_path).read_bytes()
    assert cabinet("identity", "replace", config, "--reason", "key was seen").exit_code == 0
    assert key_of(tmp_path).read_bytes() != before
    assert cabinet("identity", "replace", config, "--reason", "seen again").exit_code == 0
    olds = sorted(file.name for file in tmp_path.glob("*.key.old*"))
    assert olds == ["journal.sqlite.key.old", "journal.sqlite.key.old-2"]
    assert (tmp_path / olds[0]).read_bytes() == before
    opened_books(path, key_of(tmp_path), lambda: 0).close()
    shown = cabinet("identity", "show", config)
    first, second = (line.split()[1] for line in shown.stdout.splitlines())
    assert first == second


def adopted(config: Path, pin: str) -> Result:
    """Run `cabinet identity adopt` and type this PIN."""
    return CliRunner().invoke(main, ["identity", "adopt", str(config), "--reason", "test"], input=f"{pin}\n")


@pytest.mark.requirement("S1")
def test_a_pin_that_must_be_replaced_opens_nothing_at_the_shell(tmp_path: Path, config: Path) -> None:
    """One that somebody else has chosen, or that has four digits, is replaced at the cabinet first."""
    assert cabinet("init", config).exit_code == 0
    with closing(Store(books(tmp_path), lambda: 0)) as store:
        person = set_up_person(store)
        store.transact(lambda tx: set_pin(tx, person.id, person.pin, change_pin=True))
    bound = events(tmp_path / "journal.sqlite")
    done = adopted(config, PIN)
    assert (done.exit_code, events(tmp_path / "journal.sqlite")) == (1, bound)
    assert "choose a PIN of your own at the cabinet first" in done.output
    with closing(Store(tmp_path / "journal.sqlite", lambda: 0)) as store:
        store.transact(lambda tx: set_pin(tx, person.id, person.pin))
    assert adopted(config, PIN).exit_code == 0


@pytest.mark.requirement("S1")
@pytest.mark.parametrize("where", ["cabinet.toml", "menu"])
def test_the_shell_bars_wrong_pins_as_configured(tmp_path: Path, config: Path, where: str) -> None:
    """With three attempts and 30 minutes the third wrong PIN bars, as in the service menu."""
    limits = {"pin_attempts": 3, "barred_minutes": 30}
    if where == "cabinet.toml":
        text = config.read_text()
        for key, value in limits.items():
            text, count = re.subn(rf"^{key} = \d+$", f"{key} = {value}", text, flags=re.MULTILINE)
            assert count == 1
        config.write_text(text)
    assert cabinet("init", config).exit_code == 0
    with closing(Store(books(tmp_path), lambda: 0)) as store:
        person = set_up_person(store)
        if where == "menu":
            for key, value in limits.items():
                store.transact(partial(record_change, key=f"service.{key}", old="0", new=str(value), who="technician"))
    outcomes = [adopted(config, "739164").output for _ in range(limits["pin_attempts"])]
    assert [("wrong" in output, "barred" in output) for output in outcomes] == [(True, False)] * 2 + [(False, True)]
    with closing(Store(tmp_path / "journal.sqlite", lambda: 0)) as store:
        assert store.transact(lambda tx: barred_minutes(tx, person.id)) == limits["barred_minutes"]


@pytest.mark.requirement("C12")
async def test_a_key_that_is_damaged_meanwhile_locks_the_cabinet(tmp_path: Path) -> None:
    """Whoever opens M.7 finds it first: the cabinet locks with the reason, as at a start, and does not crash."""
    async with technician_at(tmp_path) as technician:
        technician.machine.settings.config.cabinet.key_file.write_text("no key")
        technician.turn(on=True, key="attendant")
        await technician.cabinet.until(lambda: not technician.closed)
        await technician.touch("service:row:1")
        await technician.touch(f"service:row:{[row.code for row in technician.page.rows].index('M.7')}")
        await technician.cabinet.until(lambda: technician.machine.journal.lock is not None)
        assert isinstance(technician.machine.journal.lock, IdentityError)
        assert technician.machine.conditions.overlay in (State.LOCKED, State.SERVICE_MENU)
        await technician.pause(5.0)
