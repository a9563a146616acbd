"""Backups of books, and their restore."""

from contextlib import closing
from pathlib import Path

from controller.books.audit import audit
from controller.books.opening import opened_books
from controller.books.rotation import Step
from controller.features.copies import restoring
from controller.features.copies.backups import JOURNAL, backup
from controller.journal.store import Store, whole_copy
from controller.keys import identity
from controller.keys.identity import Identity
from controller.media.signed_folder import write_folder
from controller.media.snapshots import folder_name, manifest_of, snapshot
from tests.rigs.books import laid
from tests.rigs.cleared_books import UNITS, key, opened
from tests.rigs.people import set_up_person


def lost(folder: Path) -> tuple[Path, Path, Identity]:
    """A backup of a journal that is lost by now; return the journal's place, the backup and the key."""
    path, key = folder / "journal.sqlite", folder / "journal.sqlite.key"
    with closing(opened_books(laid(path), key, lambda: 0, simulated=True)) as store:
        set_up_person(store)
    own = identity.read_identity(key)
    assert own is not None
    copy = backup(path, folder, own, "", 0)
    path.unlink()
    return path, copy, own


def decided(folder: Path, copy: Path, step: Step) -> None:
    """Restore the backup into the cleared books in `folder`, up to the restart."""
    own = identity.read_identity(folder / "journal.sqlite.key")
    assert own is not None
    with closing(opened(folder)) as store:
        prepared = restoring.prepare(store.path, copy, own, "technician", lambda: 0, step=step)
        step("before the seal")
        store.transact(lambda tx: restoring.decide(tx, prepared))
        step("after the seal")


def copied(folder: Path, stick: str = "copy") -> Path:
    """Back up the books in `folder` without an audit; return the backup, in a folder there."""
    copy = folder / stick
    copy.mkdir(exist_ok=True)
    own = key(folder)
    with snapshot(folder / "journal.sqlite") as connection:
        manifest = manifest_of(connection, "backup", "", 0)
        made = {JOURNAL: lambda path: whole_copy(connection, path)}
        return write_folder(copy, folder_name(manifest), manifest, {}, own, made=made)


def bound(folder: Path) -> Store:
    """The books in `folder`, bound to their key."""
    return opened_books(laid(folder / "journal.sqlite"), folder / "journal.sqlite.key", lambda: 0, simulated=True)


def lost_and_restored(folder: Path, copy: Path) -> None:
    """Lose the books in `folder`, and put the backup in their place."""
    path = folder / "journal.sqlite"
    for tail in ("", "-wal", "-shm"):
        path.with_name(path.name + tail).unlink(missing_ok=True)
    own = identity.read_identity(folder / "journal.sqlite.key")
    assert own is not None
    restoring.restore_lost(path, copy, own, "technician", lambda: 0, units=UNITS)
    assert [failure for failure in audit(path, lambda *_: None).failures if "round" not in failure] == []


def with_tickets(text: str) -> str:
    """A cabinet.toml's text, of a cabinet that pays all on tickets of its own."""
    plain = 'pays = "nothing"\ntakes = false'
    assert plain in text
    printer = '\n[ticket_printer]\nport = "/dev/serial/by-path/printer"\n'
    return text.replace(plain, 'pays = "all"\ntakes = true') + printer
