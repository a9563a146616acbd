"""Anchors that the cabinet signs, and tables that repeat the ledger: edits are found even where the digests fit."""

import asyncio
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.books import anchors
from controller.books.audit import audit
from controller.journal import digests, money
from controller.journal.errors import CorruptJournalError
from controller.journal.ledger import ANCHOR_EVERY
from controller.journal.periods import close_period
from controller.journal.schema import APPEND_ONLY_TABLES
from controller.journal.settings import record_change
from controller.journal.store import Store, read_only
from controller.journal.transaction import Transaction
from controller.keys.identity import Identity, bind, make_identity
from drivers.clock import LoopClock
from tests.rigs.books import opened, rewritten
from tests.rigs.later_schema import LATER
from tests.rigs.machine import Rig


def failures(path: Path) -> list[str]:
    """What an audit has to say."""
    return audit(path, lambda *_: None).failures


def many_rows(tx: Transaction) -> None:
    """Have something recorded until the next anchor was written."""
    for number in range(ANCHOR_EVERY):
        tx.log("service_call", f"call {number}")


def signed(folder: Path, count: int = 3) -> Path:
    """Return a journal with so many anchors, all signed but the last."""
    with opened(folder) as store:
        own = make_identity(folder / "key")
        store.transact(lambda tx: bind(tx, own, "technician", "a test"))
        store.transact(lambda tx: record_change(tx, "limits.credit_cents", "1", "2", "technician"))
        store.transact(lambda tx: money.coins_taken(tx, 1, 1, (200,), 0))
        store.transact(lambda tx: close_period(tx, "attendant"))
        for _ in range(count - 1):
            store.transact(many_rows)
        sign_all(store, own)
        store.transact(many_rows)
    return folder / "journal.sqlite"


def sign_all(store: Store, own: Identity) -> None:
    """Sign every anchor."""
    signatures = {anchor.seq: own.sign(anchor.message) for anchor in store.transact(anchors.unsigned)}
    store.transact(lambda tx: anchors.sign(tx, own, signatures))


def edit(path: Path, statement: str) -> None:
    """Change the books as somebody does who knows the digests."""
    with rewritten(path) as connection:
        triggers = [(f"{table}_no_{kind}") for table in APPEND_ONLY_TABLES for kind in ("update", "delete")]
        kept = [
            connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (name,)).fetchone() for name in triggers
        ]
        for name in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        assert connection.execute(statement).rowcount > 0
        for (sql,) in kept:
            connection.execute(sql)


async def test_the_running_cabinet_signs_its_anchors(tmp_path: Path) -> None:
    """Within a minute of an anchor; without a key there is nothing to sign with, and nothing is."""

    async def play() -> list[tuple[object, ...]]:
        async with Rig(tmp_path) as rig:
            key = tmp_path / "key"
            await anchors.keep_signed(rig.machine.journal.do, key, LoopClock())
            own = make_identity(key)
            await rig.journal.do(lambda tx: bind(tx, own, "technician", "a test"))
            rig.run(anchors.keep_signed(rig.machine.journal.do, key, LoopClock()))
            await rig.journal.do(many_rows)
            await asyncio.sleep(anchors.LOOK_S + 1)
            return await rig.rows("SELECT seq, public_key FROM anchor_signatures")

    assert [seq for seq, _ in (await play())] == [ANCHOR_EVERY]
    assert failures(tmp_path / "journal.sqlite") == []


def test_books_with_signed_anchors_are_proved(tmp_path: Path) -> None:
    """The newest anchor may lack its signature: the cabinet had no time to sign it."""
    assert failures(signed(tmp_path)) == []


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE anchors SET credit_cents = 500 WHERE seq = 1000", "anchor 1000 does not match its signature"),
        ("UPDATE anchor_signatures SET signature = zeroblob(64)", "anchor 1000 does not match its signature"),
        ("UPDATE anchor_signatures SET public_key = zeroblob(32)", "a key that the ledger was never bound to"),
        ("DELETE FROM anchor_signatures WHERE seq = 2000", "anchor 2000 has no signature"),
        ("UPDATE anchors SET credit_cents = 500 WHERE seq = 3000", "anchor 3000 repeats other figures"),
        ("UPDATE anchors SET meters = '{}' WHERE seq = 4000", "anchor 4000 repeats other figures"),
        ("UPDATE events SET text = 'nothing' WHERE seq = 77", r"an event \(77\)"),
        ("DELETE FROM events WHERE seq = 77", r"the event of a ledger row \(77\)"),
        ("UPDATE setting_changes SET who = 'nobody'", "a change of a setting"),
        ("UPDATE periods SET closed_ms = 1", "the end of a period"),
        ("UPDATE meters SET collected = 0 WHERE name = 'coins_in'", "meter coins_in counts from 0"),
    ],
)
def test_an_edit_whose_digests_fit_is_found_all_the_same(tmp_path: Path, statement: str, found: str) -> None:
    """Where the key, or what the ledger says, contradicts it."""
    path = signed(tmp_path, count=4)
    edit(path, statement)
    assert any(re.search(found, failure) for failure in failures(path))


def test_what_was_edited_before_an_update_is_not_taken_for_the_truth(tmp_path: Path) -> None:
    """A migration makes the digests anew: all of the old ones are compared first."""
    path = signed(tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE bet_totals_folded SET games = 7")
        connection.execute("INSERT INTO day_totals_folded (day) VALUES ('2000-01-01')")
    with pytest.raises(CorruptJournalError, match=r"something else than this program: day_totals_folded \(past\)"):
        Store(path, lambda: 0, simulated=True, migrations=LATER)


def test_a_table_of_a_later_migration_is_covered_without_a_word(tmp_path: Path) -> None:
    """Whatever a connection of the program writes moves the digest of its table, new ones included."""
    path = signed(tmp_path)
    with rewritten(path) as connection:
        connection.execute("CREATE TABLE persons (name TEXT PRIMARY KEY, pin BLOB) STRICT, WITHOUT ROWID")
    with opened(tmp_path, create=False) as store:
        store.transact(lambda tx: tx.execute("INSERT INTO persons VALUES ('Ann', x'00')").rowcount)
        store.transact(lambda tx: tx.execute("INSERT OR REPLACE INTO persons VALUES ('Ann', x'01')").rowcount)
        store.transact(lambda tx: tx.execute("UPDATE persons SET pin = x'02'").rowcount)
    with read_only(path) as connection:
        assert digests.differing(connection, whole=True) == []
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE persons SET pin = x'03'")
    with pytest.raises(CorruptJournalError, match="something else than this program: persons"):
        Store(path, lambda: 0, simulated=True)


def test_a_transaction_that_is_refused_leaves_the_digests_as_they_were(tmp_path: Path) -> None:
    """What is rolled back has moved nothing."""
    with opened(tmp_path) as store:

        def act(tx: Transaction) -> None:
            tx.log("service_call", "never")
            raise ValueError

        with pytest.raises(ValueError, match=r"^$"):
            store.transact(act)
        store.transact(lambda tx: tx.log("service_call", "once"))
    with read_only(tmp_path / "journal.sqlite") as connection:
        assert digests.differing(connection, whole=True) == []
