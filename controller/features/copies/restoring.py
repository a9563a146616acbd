"""U.6: restores a backup, into a cabinet that was just cleared or whose journal is lost.

The backup must be this cabinet's, and contain everything that the cabinet has counted: if the sealed books beside the
journal have more, it is refused. It replaces the journal as a full clear does (`controller.books.rotation`), and its
next ledger row records from what and by whom it was restored.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from controller.books.rotation import (
    Head,
    Seal,
    Step,
    discard,
    head_of,
    made_whole,
    no_step,
    put_aside,
    refused_by_disk,
    seal,
    sealed_files,
    successor_of,
    take_place,
)
from controller.books.second_copy import KNOWN
from controller.features.copies.backups import JOURNAL, KIND
from controller.features.copies.events import CopyEvent
from controller.files.bounded import ForeignFileError
from controller.files.durable import durable_file
from controller.files.own_files import JOURNAL as BOOKS
from controller.journal import counters, hard_meters, held_payouts, ledger, lost_tickets, money, pulses, stored_money
from controller.journal.actor import Actor, acting
from controller.journal.archives import newest_files
from controller.journal.carried_rows import Keeping, kept_by_features
from controller.journal.diagnostics import coin_diagnostic, hopper_diagnostic
from controller.journal.errors import JournalStorageError, RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.generations import ORIGIN, generation_of, origin_of
from controller.journal.hard_meters import HardMeter
from controller.journal.ledger import RARE
from controller.journal.people import Present, go_on_with, present_people
from controller.journal.periods import meter
from controller.journal.refills import FILLED
from controller.journal.schema import RESTORED
from controller.journal.store import Store, held, read_only
from controller.journal.transaction import Transaction
from controller.keys import identity
from controller.keys.identity import Identity
from controller.keys.pins import PinFile
from controller.keys.ticket_numbers import TicketNumbers
from controller.media.signed_folder import Manifest, NotSignedError, OtherFilesError, verify_folder
from controller.media.sticks import chunks_of_stick, stick_errors

WHY = "restore"
MONEY = frozenset((*ledger.ADDS, *ledger.TAKES, FILLED))


class Prepared(NamedTuple):
    """A restore that is ready to be decided: the head of the journal it replaces, and the seal."""

    head: Head
    words: Seal


def refuse_unless_cleared(tx: Transaction) -> None:
    """Raise `RefusedError` unless the journal is as a full clear leaves it: no money, no rounds."""
    if tx.execute(f"SELECT 1 FROM ledger WHERE kind = ? AND {RARE}", (ORIGIN,)).fetchone() is None:  # noqa: S608 - a literal
        raise RefusedError("Only a cleared machine takes a backup: clear it first (U.8)")
    tables = ("rounds", "notes", "payouts", "open_items")
    used = any(tx.execute(f"SELECT 1 FROM {table}").fetchone() for table in tables)  # noqa: S608 - our own tables
    used = used or meter(tx, FILLED) > 0
    if used or tx.execute("SELECT 1 FROM ledger WHERE credit_delta <> 0").fetchone():
        raise RefusedError("Money was counted since the full clear: a backup would undo it")


@refused_by_disk()
def prepare(
    journal: Path,
    backup: Path,
    own: Identity,
    who: str,
    wall_ms: Callable[[], int],
    *,
    units: Mapping[str, int] | None = None,
    archives: Path | None = None,
    own_tickets: bool = False,
    by: Actor | None = None,
    step: Step = no_step,
) -> Prepared:
    """Copy a backup beside the journal, durably, verify it, and record the restore in it.

    The journal itself, if there is one, is not changed. If it is lost, everything after the backup is in doubt; `units`
    is then the unit of one pulse of each hard meter, and `own_tickets` is as in `restore_lost`. `archives` is the
    folder of this cabinet's archives, None for the one beside the journal. `by` is the person who restores, if known.
    PINs stay those of the cabinet. Raises `RefusedError` (also for a stick) and `JournalError`.
    """
    lost = not journal.exists()
    manifest = proven_backup(backup, own.public_key)
    successor = successor_of(journal)
    discard(successor)
    step("before the backup is copied")
    _copy(backup, manifest, successor)
    try:
        _refuse_older(journal, successor, manifest, archives)
        present, generation = _present(journal)
        generation = max(generation, manifest.generation) + 1
        step("before the restore is written down")
        there, kept = _present_people(journal), _kept(journal)
        with acting(by), closing(Store(successor, wall_ms, simulated=manifest.simulated)) as store:
            store.transact(lambda tx: _restored(tx, manifest, who, present, generation))
            store.transact(lambda tx: _admit_present(tx, there, kept))
            counted, given, occurred = _counted(journal, manifest)
            store.transact(lambda tx: _go_on_from(tx, counted, given))
            store.transact(lambda tx: counters.raised_to(tx, occurred))
            store.transact(held_payouts.in_doubt)
            store.numbers = TicketNumbers(own.path)
            store.transact(lambda tx: _in_doubt(tx, units or {}, own_tickets) if lost else _refuse_unfinished(tx))
        step("before the backup is one file")
        words = Seal(why=WHY, who=who, reason=backup.name, successor_sha256=made_whole(successor))
    except BaseException:
        discard(successor)
        raise
    return Prepared(present, words)


def decide(tx: Transaction, prepared: Prepared) -> None:
    """Seal the cleared journal in favour of the prepared backup: this commit is the restore."""
    refuse_unless_cleared(tx)
    seal(tx, prepared.head, prepared.words)


def restore_lost(
    journal: Path,
    backup: Path,
    own: Identity,
    who: str,
    wall_ms: Callable[[], int],
    *,
    units: Mapping[str, int],
    archives: Path | None = None,
    own_tickets: bool = False,
    by: Actor | None = None,
) -> None:
    """Restore a backup if there is no journal; the backup takes its place at once.

    What happened after the backup is unknown. A changed counter of a coin acceptor or hopper becomes an open item once
    the device answers, as does a note in progress. Pulses that the backup owes (`units` is the unit of one) are
    doubtful. Tickets that it lists as printed are held, and with `own_tickets` the machine may have printed others
    since. The archives must be present: they are the only other record of what was counted.
    """
    if archives is not None and not archives.is_dir():
        raise JournalStorageError(
            f"{archives} is not there: mount the medium of the archives first, or, where it is lost for good, take"
            " [storage] archive out of cabinet.toml"
        )
    with held(journal):
        if journal.exists():
            raise RefusedError("The books are not lost")
        prepare(journal, backup, own, who, wall_ms, units=units, archives=archives, own_tickets=own_tickets, by=by)
        put_aside(journal)
        take_place(journal, successor_of(journal))


def proven_backup(backup: Path, public_key: bytes | None) -> Manifest:
    """Return the manifest of a backup that is this cabinet's and unchanged; raise `RefusedError`."""
    try:
        with stick_errors():
            manifest = verify_folder(backup, public_key)
    except OtherFilesError as error:
        if error.is_added:
            raise RefusedError(
                "This is not a whole backup of this machine: {place} was added, take it away", place=error.name
            ) from error
        raise RefusedError(
            "This is not a whole backup of this machine: {place} is missing or was changed, copy it again",
            place=error.name,
        ) from error
    except NotSignedError as error:
        raise _not_whole() from error
    if manifest.kind != KIND:
        raise _not_whole()
    return manifest


def _not_whole() -> RefusedError:
    """Return the error for a folder that is not a sound backup of this machine."""
    return RefusedError("This is not a whole backup of this machine: copy it again, or take another one")


def _copy(backup: Path, manifest: Manifest, successor: Path) -> None:
    """Copy the journal from a backup and verify the copy, because a stick may return other bytes on the second read."""
    listed = next((file for file in manifest.files if file.name == JOURNAL), None)
    if listed is None:
        raise _not_whole()
    whole = hashlib.sha256()
    try:
        with durable_file(successor, BOOKS) as copy:
            for chunk in chunks_of_stick(backup / JOURNAL, listed.size):
                whole.update(chunk)
                copy.write(chunk)
    except ForeignFileError as error:
        raise _not_whole() from error
    if whole.hexdigest() != listed.sha256:
        successor.unlink()
        raise _not_whole()


def _in_doubt(tx: Transaction, units: Mapping[str, int], own_tickets: bool) -> None:  # noqa: FBT001 - private
    money.doubt_coin_counters(tx)
    pulses.doubt(tx)
    money.doubt_note(tx, "the books that followed the backup are lost")
    coin_diagnostic.end_all(tx)
    stored_money.move_ended(tx, "it was wanted in a backup, and the books that followed are lost")
    hard_meters.doubt_pulses(tx, units)
    lost_tickets.hold_printed(tx, CopyEvent.TICKETS_OF_BACKUP, always=own_tickets)


def _go_on_from(tx: Transaction, counted: dict[str, str], given: Collection[HardMeter]) -> None:
    counters.go_on_from(tx, counted)
    hard_meters.go_on_from(tx, given)


def _refuse_unfinished(tx: Transaction) -> None:
    """Refuse a backup made during an operation that has ended since and must not end twice."""
    if tx.in_play() or money.note_in_hand(tx) is not None or hopper_diagnostic.running(tx) is not None:
        raise RefusedError("This backup was made during a game, a payment or a test: take another one")


def _present(journal: Path) -> tuple[Head, int]:
    """Return the journal's head and generation, or zeros if there is no journal."""
    if not journal.exists():
        return Head(0, ""), 0
    with read_only(journal) as connection:
        return head_of(Transaction(connection, 0)), generation_of(connection)


def _present_people(journal: Path) -> list[Present]:
    """Return the people with a PIN at this cabinet, from its journal or, if that is lost, from the file of PINs."""
    pins = {one.seal: one for one in PinFile(journal).read()}
    if not journal.exists():
        return [Present(one.name, one.role, seal) for seal, one in pins.items()]
    with read_only(journal) as connection:
        return [one for one in present_people(Transaction(connection, 0)) if one.pin in pins]


def _kept(journal: Path) -> list[Keeping]:
    """Read what features keep of the present journal, which may be lost, and its copy; return what writes it."""
    if not journal.exists():
        return kept_by_features(None)
    with read_only(journal) as connection:
        present = Transaction(connection, 0)
        copy = KNOWN.read(present)
        keeps_copy: list[Keeping] = [] if copy is None else [lambda tx: KNOWN.write(tx, copy)]
        return [*kept_by_features(present), *keeps_copy]


def _admit_present(tx: Transaction, there: list[Present], kept: list[Keeping]) -> None:
    """Keep PINs only for the people who have them at this cabinet at present, and what features keep."""
    go_on_with(tx, there)
    for keep in kept:
        keep(tx)


def _refuse_older(journal: Path, copy: Path, manifest: Manifest, archives: Path | None) -> None:
    """Refuse a backup that lacks anything that the cabinet has counted."""
    older = RefusedError("This backup is older than what the machine has counted since")
    with read_only(copy) as backed_up:
        for path in newest_files(journal, {*_folders_in(backed_up), *([] if archives is None else [archives])}):
            with read_only(path) as archive:
                if not (_holds(backed_up, archive, manifest) or _reaches(archive, backed_up, manifest)):
                    raise older
    for path in reversed(sealed_files(journal)):
        with read_only(path) as sealed:
            if generation_of(sealed) == manifest.generation:
                with read_only(copy) as backed_up:
                    if not _reaches(sealed, backed_up, manifest):
                        raise older
                return
            if generation_of(sealed) < manifest.generation:
                return
            try:
                refuse_unless_cleared(Transaction(sealed, 0))  # it counted nothing
            except RefusedError:
                raise older from None
    if journal.exists():
        with read_only(journal) as present, read_only(copy) as backed_up:
            origin = origin_of(present)
            row = backed_up.execute(
                "SELECT hash FROM ledger WHERE seq = ?", (0 if origin is None else origin.old_seq,)
            ).fetchone()
        if origin is not None and (row is None or row[0].hex() != origin.old_hash):
            raise older


def _folders_in(books: sqlite3.Connection) -> set[Path]:
    """Return the folders of these books' archives."""
    return {Path(folder) for (folder,) in books.execute("SELECT DISTINCT folder FROM archives")}


def _counted(journal: Path, manifest: Manifest) -> tuple[dict[str, str], Collection[HardMeter], dict[str, int]]:
    """Return the devices' newest counters, the hard meters of the backup's books, and lifetime counts of occurrences.

    The meters are those at the end of the books that were backed up; the counts include the cleared books after them.
    """
    found: dict[str, str] = {}
    occurred: dict[str, int] = {}
    given: Collection[HardMeter] = ()
    for path in (*sealed_files(journal), *([journal] if journal.exists() else [])):
        with read_only(path) as books:
            generation, tx = generation_of(books), Transaction(books, 0)
            if generation >= manifest.generation:
                found = counters.newest(found, counters.device_counters(tx))
            if generation == manifest.generation:
                given = hard_meters.hard_meters(tx).values()
            if generation >= manifest.generation:
                for name, value in counters.occurrences(tx, MONEY).items():
                    occurred[name] = occurred.get(name, 0) + value
    return found, given, occurred


def _reaches(sealed: sqlite3.Connection, backed_up: sqlite3.Connection, manifest: Manifest) -> bool:
    """Whether the sealed books begin with the backed-up ones and count no money and no round after them.

    If their past was archived since, the backup's last row must be among the retained ones.
    """
    row = sealed.execute("SELECT hash FROM ledger WHERE seq = ?", (manifest.seq,)).fetchone()
    if row is None or row[0].hex() != manifest.head:
        return False
    return _money(sealed) == _money(backed_up)


def _holds(backed_up: sqlite3.Connection, archive: sqlite3.Connection, manifest: Manifest) -> bool:
    """Whether the backup was made after an archive: in a later generation, or from books that follow its last row."""
    seq, head, _ = ledger.head(archive)
    if generation_of(archive) != manifest.generation:
        return generation_of(archive) < manifest.generation
    return backed_up.execute("SELECT 1 FROM ledger WHERE seq = ? AND hash = ?", (seq, head)).fetchone() is not None


def _money(books: sqlite3.Connection) -> dict[str, int]:
    return {name: value for name, value in ledger.meters(books).items() if name in MONEY and value}


def _restored(tx: Transaction, manifest: Manifest, who: str, present: Head, generation: int) -> None:
    tx.post(
        RESTORED,
        data={
            "generation": generation,
            "of": manifest.generation,
            "seq": manifest.seq,
            "head": manifest.head,
            "made": manifest.made,
            "who": who,
            "instead_of": present.hash,
        },
    )
    tx.event(Event.RESTORED, made=manifest.made, row=manifest.seq, hash=manifest.head[:16], who=who)
    bound = identity.bond(tx)
    if bound is None or bound.public_key != manifest.public_key:
        raise _not_whole()
