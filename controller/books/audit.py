"""Proves a journal from its first row: chain, anchors, meters, equation, and every round by replay.

A journal that follows an archive is proved from the archive's last row; `prove_archives` proves the archives.
"""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from sqlite_utils import Database

from common.error_words import error_words
from controller.books import anchors, derivations
from controller.books.proof import Proof
from controller.books.rotation import carried
from controller.files.bounded import ForeignFileError, digest_of
from controller.journal import archives, digests, held_payouts, ledger, rounds, tickets
from controller.journal.archives import NOTED, PAID, Archive, carried_digest
from controller.journal.errors import (
    NONSENSE,
    UNREADABLE,
    CorruptJournalError,
    JournalError,
    NewerJournalError,
    translated,
)
from controller.journal.hard_meters import hard_meters
from controller.journal.open_items import open_items
from controller.journal.reads import cabinet_row
from controller.journal.schema import MIGRATIONS, Migration, applied
from controller.journal.store import read_only
from controller.journal.transaction import Transaction, hard_figures
from controller.rounds.draws import OtherMathsError, ReplayMismatchError
from controller.rounds.engine import replay
from gamekit.catalogue import UnknownGameError, load

STRETCH = 5_000
"""The number of ledger rows proved between two reports of progress."""

Progress = Callable[[str, int, int], None]
"""Called with the name of the part being proved, the number of items done, and the total."""


def audit(path: Path, progress: Progress, migrations: Sequence[Migration] = MIGRATIONS) -> Proof:
    """Prove the journal at `path` on a read-only connection, so that a running cabinet is not disturbed.

    Raises `JournalError` if the file cannot be read at all; all other problems are in `failures`.
    """
    proof = Proof()
    try:
        with read_only(path) as connection:
            connection.execute("BEGIN")  # one snapshot for the whole proof
            _refuse_newer(connection, migrations)
            _prove(Database(connection, execute_plugins=False), proof, progress)
    except JournalError:
        raise
    except NONSENSE as error:
        raise translated(error, path) from error
    return proof


def _refuse_newer(connection: sqlite3.Connection, migrations: Sequence[Migration]) -> None:
    known = applied(connection)
    if not known:
        raise CorruptJournalError("this file holds no journal")
    names = {migration.name for migration in migrations}
    if unknown := [name for name in known if name not in names]:
        raise NewerJournalError(f"a newer program wrote this journal (it has {unknown[0]})")


def _prove(books: Database, proof: Proof, progress: Progress) -> None:
    connection: sqlite3.Connection = books.conn
    _try(proof, lambda: _structure(books))
    cabinet = cabinet_row(connection)
    proof.credit_cents, proof.simulated = cabinet.credit_cents, cabinet.simulated
    proof.meters = ledger.meters(connection)
    _try(proof, lambda: _chain(books, proof, progress))
    _try(proof, lambda: ledger.self_audit(connection))
    _try(proof, lambda: digests.prove(connection, whole=True))
    _try(proof, lambda: _anchors(books))
    _try(proof, lambda: anchors.prove(connection))
    _try(proof, lambda: derivations.prove(connection))
    tx = Transaction(connection, 0)
    _try(proof, lambda: _carried(tx, connection))
    _rounds(books, tx, proof, progress)
    _payouts(tx, proof)
    _try(proof, lambda: _held(tx, proof))
    _hard_meters(tx, proof)
    proof.open_items = [
        row["text"] for row in books.table("open_items").rows_where("resolution IS NULL", order_by="id", select="text")
    ]


def _try(proof: Proof, prove: Callable[[], object]) -> None:
    try:
        prove()
    except JournalError as error:
        proof.failures.append(str(error))
    except UNREADABLE:
        raise
    except NONSENSE as error:
        proof.failures.append(f"what is read makes no sense: {error_words(error)}")


def _structure(books: Database) -> None:
    answers = [row["integrity_check"] for row in books.query("PRAGMA integrity_check(5)")]
    if answers != ["ok"]:
        raise CorruptJournalError(f"the file is damaged: {answers[0]}")
    if broken := list(books.query("PRAGMA foreign_key_check")):
        raise CorruptJournalError(f"{len(broken)} rows refer to rows that do not exist")


def _chain(books: Database, proof: Proof, progress: Progress) -> None:
    connection = books.conn
    proof.ledger_rows = rows = books.table("ledger").count
    progress("ledger", 0, rows)
    chain = ledger.from_base(connection)
    last, _, _ = ledger.head(connection)
    for to in sorted({*range(chain.seq + STRETCH, last, STRETCH), last, *derivations.places(connection, chain.seq)}):
        chain.follow(connection, to)
        derivations.prove_at(connection, chain)
        progress("ledger", rows - last + to, rows)
    ledger.agree(connection, chain)
    if not books.table("periods").count:
        derivations.prove_collected(connection, {})


def _anchors(books: Database) -> None:
    unlike = books.query("SELECT seq FROM anchors LEFT JOIN ledger USING (seq) WHERE anchors.hash IS NOT ledger.hash")
    for row in unlike:
        raise CorruptJournalError(f"anchor {row['seq']} does not match its ledger row")
    last = ledger.from_last_anchor(books.conn)
    last.follow(books.conn)
    ledger.agree(books.conn, last)


def _rounds(books: Database, tx: Transaction, proof: Proof, progress: Progress) -> None:
    numbers = [row["id"] for row in books.table("rounds").rows_where(order_by="id", select="id")]
    proof.rounds = len(numbers)
    tx.execute(
        "CREATE TEMP TABLE money_of AS SELECT round_id, kind, count(*) AS number, sum(credit_delta) AS cents"
        " FROM ledger WHERE round_id IS NOT NULL GROUP BY 1, 2"
    )
    tx.execute("CREATE INDEX temp.money_of_round ON money_of (round_id)")
    for done, number in enumerate(numbers):
        if done % 100 == 0:
            progress("rounds", done, len(numbers))
        recorded = rounds.recorded_round(tx, number)
        _try(proof, lambda: _money_of(tx, recorded))  # noqa: B023 - called within this pass
        if recorded.state == "void":
            continue  # a round that could not be replayed when it was voided cannot be replayed now
        try:
            played = replay(load(recorded.wager.game), recorded)
        except (ReplayMismatchError, UnknownGameError) as error:
            proof.failures.append(str(error))
            proof.unlike += isinstance(error, UnknownGameError | OtherMathsError)
            continue
        proof.replayed += 1
        if played.ended != (recorded.state == "settled"):
            proof.failures.append(f"round {number} is {recorded.state}, its replay says otherwise")
    progress("rounds", len(numbers), len(numbers))


def _money_of(tx: Transaction, recorded: rounds.RecordedRound) -> None:
    """Prove that a round's stake, wins and end are in the ledger exactly once."""
    rows = tx.execute("SELECT kind, number, cents FROM money_of WHERE round_id = ?", (recorded.id,))
    found = {kind: (count, cents) for kind, count, cents in rows}
    wins = [segment.win_cents for segment in recorded.segments if segment.win_cents]
    stake, win = recorded.wager.stake_cents, recorded.win_cents
    expected = {"stake": (1, -stake)}
    if wins:
        expected["win"] = (len(wins), win)
    if recorded.state == "void":
        expected["void"] = (1, stake - win)
    if found != expected or sum(wins) != win:
        raise CorruptJournalError(f"round {recorded.id} and its ledger rows disagree: {found} instead of {expected}")


def _payouts(tx: Transaction, proof: Proof) -> None:
    (paid, noted) = tx.execute(f"SELECT {PAID.format('main')}, {NOTED.format('main')}").fetchone()
    before = carried(tx)  # only the meters of lost books remain
    behind = archives.newest_archive(tx)
    if behind is not None:
        paid, noted = paid + behind.left_payouts_cents, noted + behind.left_notes_cents
    metered = sum(proof.meters.get(name, 0) - before.get(name, 0) for name in ("hopper_out", "hand_pay", tickets.OUT))
    if paid != metered:
        proof.failures.append(f"the payouts add up to {paid} cents, the meters show {metered}")
    shown = sum(proof.meters.get(name, 0) - before.get(name, 0) for name in ("notes_in", tickets.IN))
    if noted != shown:
        proof.failures.append(f"the credited notes and tickets add up to {noted} cents, the meters show {shown}")


def _held(tx: Transaction, proof: Proof) -> None:
    """Prove that the money held for payouts equals the meters, and that the open items cover it."""
    shown = proof.meters.get(held_payouts.HELD, 0) - proof.meters.get(held_payouts.RELEASED, 0)
    pending = held_payouts.pending(tx)
    held_cents = sum(payout.held_cents for payout in pending)
    if held_cents != shown:
        raise CorruptJournalError(f"{held_cents} cents of payouts are held, the meters show {shown}")
    named = {item.id: item.amount_cents or 0 for item in open_items(tx)}
    for payout in pending:
        if payout.held_cents > named.get(payout.item, 0):
            raise CorruptJournalError(f"payout {payout.id} is held for open item {payout.item}, which does not name it")


def _carried(tx: Transaction, connection: sqlite3.Connection) -> None:
    """Prove that the list of archives matches the ledger, and that the older rows are those of the newest archive."""
    behind = archives.newest_archive(tx)
    if behind is None:
        return
    for archive in archives.archives(tx):
        event = tx.execute("SELECT data FROM ledger WHERE kind = 'event' AND seq = ?", (archive.seq + 1,)).fetchone()
        if event is None or _archived(event[0]) != _archived(msgspec.json.encode(archive._asdict())):
            raise CorruptJournalError(f"the ledger and the list of archives disagree about {archive.name}")
    if carried_digest(connection, behind.seq) != behind.carried_sha256:
        raise CorruptJournalError(f"ledger rows before {behind.seq} are not those that {behind.name} holds")


def _archived(words: str | bytes) -> dict[str, object]:
    """Return the permanent fields of an archive: all except its folder and its state."""
    said = msgspec.json.decode(words, type=dict[str, object])
    return {name: value for name, value in said.items() if name in Archive._fields and name not in ("folder", "state")}


def prove_archives(journal: Path, proof: Proof, folders: Sequence[Path] = (), *, whole: Progress | None = None) -> None:
    """Prove that the archives before `journal` are those it follows; the results are added to `proof`.

    Each archive must exist with the SHA-256 that the ledger records, and end with the row at which the next one begins.
    Moved archives are searched for in `folders` and may be missing. With `whole` each archive is audited itself.
    """
    try:
        with read_only(journal) as connection:
            tx = Transaction(connection, 0)
            known = [] if archives.newest_archive(tx) is None else archives.archives(tx)
            ends = (
                dict(connection.execute("SELECT seq, hash FROM ledger WHERE seq IN (SELECT seq FROM archives)"))
                if known
                else {}
            )
    except UNREADABLE as error:
        raise translated(error, journal) from error
    for archive in known:
        file = archive.found(journal, *folders)
        if file is None:
            _miss(archive, proof)
            continue
        try:
            _prove_archive(archive, file, ends[archive.seq])
        except (JournalError, OSError) as error:
            proof.failures.append(error_words(error))
            continue
        proof.behind.append(f"{archive.name}: rows to {archive.seq}, as archived ({file})")
        if whole is not None:
            inner = audit(file, whole)
            proof.failures += [f"{archive.name}: {failure}" for failure in inner.failures]
            proof.unlike += inner.unlike


def _miss(archive: Archive, proof: Proof) -> None:
    words = f"{archive.name} (rows to {archive.seq}) is not here"
    if archive.state == archives.MOVED_STATE:
        proof.behind.append(f"{words}: it was moved; name its folder with --archives to have it proved")
    else:
        proof.failures.append(f"{words}: look for it in {archive.folder}, or name its folder with --archives")


def _prove_archive(archive: Archive, file: Path, end: bytes) -> None:
    try:
        same = digest_of(file, archive.size) == archive.sha256
    except ForeignFileError:
        same = False
    if not same:
        raise CorruptJournalError(f"{file} is not the archive that the ledger names: it was changed or is damaged")
    try:
        with read_only(file) as connection:
            seq, head, _ = ledger.head(connection)
    except UNREADABLE as error:
        raise translated(error, file) from error
    if (seq, head) != (archive.seq, end):
        raise CorruptJournalError(f"{file} ends at row {seq}, which is not the one that the next journal begins with")


def _hard_meters(tx: Transaction, proof: Proof) -> None:
    """Prove that the pulses given and owed to the hard meters add up to the soft meters that they repeat."""
    soft = hard_figures(proof.meters)
    for name, meter in hard_meters(tx).items():
        if meter.owed + meter.given_units != soft.get(name, 0):
            proof.failures.append(
                f"hard meter {name}: {meter.given_units} given and {meter.owed} owed are not the"
                f" {soft.get(name, 0)} of the soft meter"
            )
