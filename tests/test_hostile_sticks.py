"""Sticks and media that hold what no cabinet has written there: with little memory, and without waiting for ever."""

import resource
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from controller.books.opening import opened_books
from controller.configuration.cabinet_toml import load
from controller.features.copies.backups import JOURNAL
from controller.features.exports.exports import export as write_export
from controller.keys import identity
from controller.media.signed_folder import KEY, MANIFEST, SIGNATURE
from tests.rigs.archived_books import archived, known, path_in
from tests.rigs.books import laid
from tests.rigs.patience import PATIENCE_S
from tests.rigs.restored_books import lost
from tests.rigs.unfit_files import UNFIT, sparse

pytestmark = [pytest.mark.processes, pytest.mark.sampled(3)]

MEMORY = 512 << 20
"""What a process may take of addresses: a tenth of what the largest file here holds."""


def cabinet(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run `cabinet` with little memory; fail where it waits for something that never comes."""
    return confined("-m", "controller", *arguments)


def confined(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run Python with little memory."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
        stdin=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )


SPOILT: dict[str, Callable[[Path], None]] = {"six gigabytes": sparse, **UNFIT}


def replaced(path: Path, make: Callable[[Path], None]) -> None:
    """Put something else in the place of a file."""
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink()
    make(path)


def assert_refused(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """A command ended with one of these reasons in plain words, and not in the middle of its work."""
    assert done.returncode in (1, 2), done.stderr
    assert "Traceback" not in done.stderr
    assert any(word in done.stderr for word in words), done.stderr


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """A sound export on a stick."""
    path, key = tmp_path / "journal.sqlite", tmp_path / "journal.sqlite.key"
    with closing(opened_books(laid(path), key, lambda: 0, simulated=True)):
        pass
    own = identity.read_identity(key)
    assert own is not None
    stick = tmp_path / "stick"
    stick.mkdir()
    return write_export(path, stick, own, "", 0)


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT.keys())
def test_an_export_whose_files_are_none_is_refused(export: Path, spoil: Callable[[Path], None]) -> None:
    """`cabinet verify-export`: its manifest, signature, key and tables, each of six gigabytes, a link, a FIFO ..."""
    assert cabinet("verify-export", export).returncode == 0
    for name in (MANIFEST, SIGNATURE, KEY, "meters.csv"):
        kept = (export / name).read_bytes()
        replaced(export / name, spoil)
        assert_refused(cabinet("verify-export", export), name)
        replaced(export / name, lambda path: path.write_bytes(kept))  # noqa: B023 - called at once


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT.keys())
def test_a_key_that_is_none_is_refused(export: Path, tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    """`cabinet verify-export --key`: whatever the file is."""
    key = tmp_path / "cabinet.pem"
    spoil(key)
    assert_refused(cabinet("verify-export", export, "--key", key), "cabinet.pem")


def test_what_a_stranger_has_signed_steers_no_terminal(export: Path) -> None:
    """Names of files and words of a manifest are printed without their control characters, and cut where long."""
    stranger = Ed25519PrivateKey.generate()
    key = stranger.public_key().public_bytes_raw()
    (export / KEY).write_text(identity.public_pem(key), "ascii")
    manifest = msgspec.json.decode((export / MANIFEST).read_bytes())
    manifest |= {"public_key": key.hex(), "name": "Bar\x1b[2J", "program": "9" * 10_000}
    text = msgspec.json.encode(manifest)
    (export / MANIFEST).write_bytes(text)
    (export / SIGNATURE).write_bytes(stranger.sign(text))
    done = cabinet("verify-export", export)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert "Bar\\x1b[2J" in done.stdout
    assert max(map(len, done.stdout.splitlines())) < 400
    (export / "\x1b[2Jadded").touch()
    done = cabinet("verify-export", export)
    assert_refused(done, "\\x1b[2Jadded was added")
    assert "\x1b" not in done.stderr


def test_an_export_signed_by_a_stranger_cannot_exhaust_the_program(export: Path) -> None:
    """Without --key the stick's own key counts: a manifest nested deep, or of no text, is refused in words."""
    stranger = Ed25519PrivateKey.generate()
    (export / KEY).write_text(identity.public_pem(stranger.public_key().public_bytes_raw()), "ascii")
    for text in (b'{"a":' * 100_000, b'{"format":"\xff"}', b"[" * 1_000_000):
        (export / MANIFEST).write_bytes(text)
        (export / SIGNATURE).write_bytes(stranger.sign(text))
        assert_refused(cabinet("verify-export", export), "cannot be read")
    (export / KEY).write_bytes(b"-----BEGIN PUBLIC KEY-----\n\xff\xff\n-----END PUBLIC KEY-----\n")
    assert_refused(cabinet("verify-export", export), "holds no public key")


def test_a_folder_of_very_many_files_is_refused(export: Path) -> None:
    """What was added to an export is found without reading all of it."""
    for number in range(20_000):
        (export / f"added-{number}").touch()
    assert_refused(cabinet("verify-export", export), "was added")


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT.keys())
def test_a_backup_whose_files_are_none_is_not_restored(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    """`cabinet restore`: nothing is put in the journal's place, and nothing waited for."""
    path, backup, _ = lost(tmp_path)
    config = tmp_path / "cabinet.toml"
    sample = Path(__file__).parents[1] / "docs" / "cabinet.toml"
    config.write_text(sample.read_text().replace("/var/lib/cabinet/journal.sqlite", str(path)))
    replaced(backup / JOURNAL, spoil)
    assert_refused(cabinet("restore", config, backup), "This is not a whole backup", "pulled out or has failed")
    replaced(backup / MANIFEST, spoil)
    assert_refused(cabinet("restore", config, backup), "This is not a whole backup", "pulled out or has failed")
    assert not path.exists()


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT.keys())
def test_an_archive_that_is_none_fails_the_audit(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    """`cabinet audit`: an archive that was exchanged is reported, whatever is in its place."""
    archived(tmp_path)
    (archive,) = known(tmp_path)
    file = Path(archive.folder) / archive.name
    assert cabinet("audit", path_in(tmp_path)).returncode == 0
    replaced(file, spoil)
    done = cabinet("audit", path_in(tmp_path))
    assert (done.returncode, "Traceback" in done.stderr) == (1, False), done.stderr
    assert archive.name in done.stdout


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT.keys())
def test_a_second_copy_that_is_none_is_reported(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    """A start reads the second copy from another medium: it is refused, and the books are not rebuilt from it."""
    path, _, _ = lost(tmp_path)
    config, copy = tmp_path / "cabinet.toml", tmp_path / "second-copy"
    sample = Path(__file__).parents[1] / "docs" / "cabinet.toml"
    text = sample.read_text().replace("/var/lib/cabinet/journal.sqlite", str(path))
    config.write_text(text.replace('second_copy = ""', f'second_copy = "{copy}"'))
    spoil(copy)
    done = cabinet("rebuild", config, "--reason", "lost", "--yes")
    assert_refused(done, "second-copy")
    assert not path.exists()


SAMPLE = Path(__file__).parents[1] / "docs" / "cabinet.toml"
NESTED = "deep = " + "[" * 100_000
ENDLESS = {name: make for name, make in SPOILT.items() if name != "a link to a file"}


@pytest.mark.parametrize("spoil", ENDLESS.values(), ids=ENDLESS.keys())
def test_a_configuration_that_is_none_is_refused(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    """`cabinet check-config`, as a start does; a link to a file is followed, since /etc is its owner's."""
    config = tmp_path / "cabinet.toml"
    spoil(config)
    assert_refused(cabinet("check-config", config), "is no plain file of at most 1048576 bytes")
    if config.is_dir():
        config.rmdir()
    else:
        config.unlink()
    config.symlink_to(SAMPLE)
    assert load(config) == load(SAMPLE)


@pytest.mark.parametrize("spoil", ENDLESS.values(), ids=ENDLESS.keys())
def test_a_key_of_the_cabinet_that_is_none_is_refused(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    """The file beside the journal to which the books are bound."""
    path, _, _ = lost(tmp_path)
    key = path.with_name(f"{path.name}.key")
    replaced(key, spoil)
    with pytest.raises(identity.IdentityError, match="cannot be read"):
        identity.read_identity(key)
    with pytest.raises(identity.IdentityError, match="cannot be used"):
        identity.Identity(key, bytes(32)).prove()


@pytest.mark.parametrize(
    ("script", "words"), [("unit_options.py", ("{}",)), ("journal_copies.py", ("where", "{}"))], ids=["units", "copies"]
)
def test_what_root_reads_of_the_configuration_is_bounded(tmp_path: Path, script: str, words: tuple[str, ...]) -> None:
    """The scripts of the installation, which import nothing of ours: six gigabytes, and values nested deep."""
    config = tmp_path / "cabinet.toml"
    command = ["-I", Path("systemd") / script, *(word.format(config) for word in words)]
    sparse(config)
    assert_refused(confined(*command), "holds more than 1048576 bytes")
    config.write_text(NESTED)
    assert_refused(confined(*command), "cabinet.toml")


def test_a_definition_of_a_game_is_bounded(tmp_path: Path) -> None:
    """`cabinet par --definition`: six gigabytes, values nested deep, a number of 5,000 digits."""
    definition = tmp_path / "game.toml"
    sparse(definition)
    assert_refused(cabinet("par", "--definition", definition), "holds more than")
    for text in (NESTED, f"rows = {'9' * 5_000}"):
        definition.write_text(text)
        assert_refused(cabinet("par", "--definition", definition), "game.toml")


def test_an_answer_from_a_pipe_is_bounded() -> None:
    """`cabinet service` reads what is typed from any pipe: one without an end of line is no answer."""
    with Path("/dev/zero").open("rb") as endless:
        done = subprocess.run(
            [sys.executable, "-c", "from controller.features.console.command import line_typed; line_typed('PIN: ')"],
            stdin=endless,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        )
    assert "a line of 4096 letters or more is no answer" in done.stderr
