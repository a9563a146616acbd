"""Proves a journal from its first row: chain, anchors, meters, equation, and every round by replay."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import msgspec

from controller.books.succession import carried
from controller.journal import ledger, rounds, schema
from controller.journal.errors import CorruptJournalError, JournalError, NewerJournalError
from controller.journal.store import UNREADABLE, read_only, translated
from controller.journal.transaction import Transaction, hard_figures
from controller.play.draws import ReplayMismatchError
from controller.play.rounds import replay
from games.catalogue import UnknownGameError, load

Progress = Callable[[str, int, int], None]
"""Called with what is being proved, how much of it is done, and how much there is."""


class Proof(msgspec.Struct, kw_only=True):
    """What an audit found; `failures` is empty for books that are proved."""

    ledger_rows: int = 0
    rounds: int = 0
    replayed: int = 0
    credit_cents: int = 0
    simulated: bool = False
    meters: dict[str, int] = {}
    open_items: list[str] = []
    failures: list[str] = []


def audit(path: Path, progress: Progress) -> Proof:
    """Prove the journal at `path` on a read-only connection, so that a running cabinet is not disturbed.

    Raises `JournalError` where the file cannot be read at all; whatever else is wrong stands in `failures`.
    """
    proof = Proof()
    try:
        with read_only(path) as connection:
            connection.execute("BEGIN")  # one snapshot for the whole proof
            _prove(connection, proof, progress)
    except UNREADABLE as error:
        raise translated(error, path) from error
    return proof


def _prove(connection: sqlite3.Connection, proof: Proof, progress: Progress) -> None:
    known = schema.applied(connection)
    if not known:
        raise CorruptJournalError("this file holds no journal")
    if unknown := [name for name in known if name not in schema.NAMES]:
        raise NewerJournalError(f"a newer program wrote this journal (it has {unknown[0]})")
    _try(proof, lambda: _structure(connection))
    proof.credit_cents, simulated = connection.execute("SELECT credit_cents, simulated FROM cabinet").fetchone()
    proof.simulated = bool(simulated)
    proof.meters = ledger.meters(connection)
    _try(proof, lambda: _chain(connection, proof, progress))
    _try(proof, lambda: ledger.self_audit(connection))
    _try(proof, lambda: _anchors(connection))
    tx = Transaction(connection, 0)
    _rounds(tx, proof, progress)
    _payouts(tx, proof)
    _hard_meters(tx, proof)
    proof.open_items = [
        text for (text,) in tx.execute("SELECT text FROM open_items WHERE resolution IS NULL ORDER BY id")
    ]


def _try(proof: Proof, prove: Callable[[], None]) -> None:
    try:
        prove()
    except JournalError as error:
        proof.failures.append(str(error))


def _structure(connection: sqlite3.Connection) -> None:
    answers = [answer for (answer,) in connection.execute("PRAGMA integrity_check(5)")]
    if answers != ["ok"]:
        raise CorruptJournalError(f"the file is damaged: {answers[0]}")
    if broken := connection.execute("PRAGMA foreign_key_check").fetchall():
        raise CorruptJournalError(f"{len(broken)} rows refer to rows that do not exist")


def _chain(connection: sqlite3.Connection, proof: Proof, progress: Progress) -> None:
    (rows,) = connection.execute("SELECT count(*) FROM ledger").fetchone()
    proof.ledger_rows = rows
    progress("ledger", 0, rows)
    chain = ledger.from_genesis()
    chain.follow(connection)
    ledger.agree(connection, chain)
    progress("ledger", rows, rows)


def _anchors(connection: sqlite3.Connection) -> None:
    for seq, digest in connection.execute("SELECT seq, hash FROM anchors"):
        row = connection.execute("SELECT hash FROM ledger WHERE seq = ?", (seq,)).fetchone()
        if row is None or row[0] != digest:
            raise CorruptJournalError(f"anchor {seq} does not match its ledger row")
    last = ledger.from_last_anchor(connection)
    last.follow(connection)
    ledger.agree(connection, last)


def _rounds(tx: Transaction, proof: Proof, progress: Progress) -> None:
    numbers = [number for (number,) in tx.execute("SELECT id FROM rounds ORDER BY id").fetchall()]
    proof.rounds = len(numbers)
    for done, number in enumerate(numbers):
        if done % 100 == 0:
            progress("rounds", done, len(numbers))
        recorded = rounds.recorded_round(tx, number)
        _try(proof, lambda: _money_of(tx, recorded))  # noqa: B023 - called within this pass
        if recorded.state == "void":
            continue  # what could not be replayed when it was voided cannot be replayed now
        try:
            played = replay(load(recorded.wager.game), recorded)
        except (ReplayMismatchError, UnknownGameError) as error:
            proof.failures.append(str(error))
            continue
        proof.replayed += 1
        if played.ended != (recorded.state == "settled"):
            proof.failures.append(f"round {number} is {recorded.state}, its replay says otherwise")
    progress("rounds", len(numbers), len(numbers))


def _money_of(tx: Transaction, recorded: rounds.RecordedRound) -> None:
    """Prove that a round's stake, wins and end stand in the ledger exactly once."""
    rows = tx.execute(
        "SELECT kind, count(*), sum(credit_delta) FROM ledger WHERE round_id = ? GROUP BY kind", (recorded.id,)
    )
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
    (paid,) = tx.execute("SELECT coalesce(sum(paid_cents), 0) FROM payouts").fetchone()
    before = carried(tx)  # of books that were lost only the figures are left
    metered = sum(proof.meters.get(name, 0) - before.get(name, 0) for name in ("hopper_out", "hand_pay"))
    if paid != metered:
        proof.failures.append(f"the payouts add up to {paid} cents, the meters show {metered}")
    (noted,) = tx.execute(
        "SELECT coalesce(sum(value_cents), 0) FROM notes WHERE state IN ('credited', 'acknowledged')"
    ).fetchone()
    shown = proof.meters.get("notes_in", 0) - before.get("notes_in", 0)
    if noted != shown:
        proof.failures.append(f"the credited notes add up to {noted} cents, the meter shows {shown}")


def _hard_meters(tx: Transaction, proof: Proof) -> None:
    """Prove that what the hard meters were given and are owed adds up to the soft meters they repeat."""
    soft = hard_figures(proof.meters)
    rows = tx.execute("SELECT name, owed, given_units FROM hard_meters")
    for name, owed, given in rows:
        if owed + given != soft.get(name, 0):
            proof.failures.append(
                f"hard meter {name}: {given} given and {owed} owed are not the {soft.get(name, 0)} of the soft meter"
            )
