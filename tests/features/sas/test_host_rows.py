"""What a host may still ask about outlasts lost and restored books: no transfer is made a second time."""

from contextlib import closing
from pathlib import Path

import pytest

from controller.books.opening import opened_books
from controller.books.rotation import finish
from controller.features.copies.rebuilding import copy_to_rebuild_from, rebuild
from controller.features.sas import queue as host_queue
from controller.features.sas import tickets as host_tickets
from controller.features.sas import transfers as host_transfers
from controller.journal import tickets
from controller.journal.errors import RefusedError
from controller.journal.store import Store
from tests.features.sas.transfers import transfer
from tests.features.tickets.printed_tickets import HOSTS, printed
from tests.rigs.books import laid
from tests.rigs.cleared_books import cleared, key, opened
from tests.rigs.restored_books import copied, decided

PORT = "host_port"


def with_copy(folder: Path) -> Store:
    """The books in `folder`, with a second copy."""
    journal = folder / "journal.sqlite"
    path = journal if (folder / "journal.sqlite.key").exists() else laid(journal)
    return opened_books(path, folder / "journal.sqlite.key", lambda: 0, simulated=True, second_copy=folder / "copy")


def rebuilt(folder: Path) -> Store:
    """Lose the journal, and open what is made again from its copy."""
    for path in folder.glob("journal.sqlite*"):
        if path.suffix != ".key":
            path.unlink()
    record = copy_to_rebuild_from(folder / "copy", key(folder))
    rebuild(folder / "journal.sqlite", record, key(folder), "test", wall_ms=lambda: 0)
    return with_copy(folder)


@pytest.mark.parametrize("is_closed", [True, False])
def test_a_transfer_is_known_after_a_rebuild(tmp_path: Path, *, is_closed: bool) -> None:
    """A host that repeats it, having had no answer, is told of the one that was made; it is made once."""
    with closing(with_copy(tmp_path)) as store:
        store.transact(lambda tx: host_transfers.move(tx, PORT, transfer("A1", 0), into=True))
        if is_closed:
            store.transact(lambda tx: host_transfers.close(tx, PORT))
    with closing(rebuilt(tmp_path)) as store:
        newest = store.transact(lambda tx: host_transfers.newest(tx, PORT))
        assert newest is not None
        assert (newest.transaction_id, newest.closed, store.credit_cents) == ("A1", is_closed, 500)
        store.transact(lambda tx: host_transfers.close(tx, PORT))
        with pytest.raises(RefusedError, match="That transfer was done"):
            store.transact(lambda tx: host_transfers.move(tx, PORT, transfer("A1", 0), into=True))
        assert store.transact(lambda tx: host_transfers.move(tx, PORT, transfer("A2", 0), into=True)).position == 2


def test_what_became_of_tickets_is_still_to_be_read_after_a_rebuild(tmp_path: Path) -> None:
    """The record of one that was printed, with its number; one that was being stacked is not taken for redeemed."""
    with closing(with_copy(tmp_path)) as store:
        ticket = store.transact(printed)
        for _ in range(2):
            store.transact(lambda tx: host_tickets.record(tx, PORT, ticket))
        (first, _) = store.transact(lambda tx: host_tickets.records(tx, PORT))
        store.transact(lambda tx: host_tickets.mark_read(tx, first.id))
        store.transact(lambda tx: host_tickets.begin(tx, PORT, HOSTS))
        assert store.transact(lambda tx: host_tickets.stack(tx, PORT, 700))
    with closing(rebuilt(tmp_path)) as store:
        (record,) = store.transact(lambda tx: host_tickets.records(tx, PORT))
        assert (record.position, record.number, record.read) == (2, ticket.number, False)
        assert store.transact(lambda tx: tickets.by_number(tx, ticket.number)) is None
        assert store.transact(lambda tx: host_tickets.give_up(tx, PORT, 0x8B))
        ended = store.transact(lambda tx: host_tickets.redemption(tx, PORT))
        assert ended is not None
        assert (ended.number, ended.state, ended.closed) == (HOSTS, "ended", False)


def test_a_restore_reports_nothing_that_hosts_have_read_since(tmp_path: Path) -> None:
    """A backup has a transfer and an exception as waiting; the host has read both before the clear."""
    with closing(opened(tmp_path)) as store:
        store.transact(lambda tx: host_transfers.move(tx, PORT, transfer("A1", 0), into=True))
        store.transact(lambda tx: host_transfers.close(tx, PORT))
        store.transact(lambda tx: host_transfers.move(tx, PORT, transfer("A2", 0x80), into=False))
        store.transact(lambda tx: host_queue.queue(tx, PORT, 0x69))
    copy = copied(tmp_path)
    with closing(opened(tmp_path)) as store:
        store.transact(lambda tx: host_transfers.close(tx, PORT))
        (waits,) = store.transact(lambda tx: host_queue.waiting(tx, PORT))
        store.transact(lambda tx: host_queue.acknowledge(tx, PORT, waits.number))
    cleared(tmp_path)
    with closing(opened(tmp_path)) as store:
        store.transact(lambda tx: host_queue.queue(tx, PORT, 0x3C))
    decided(tmp_path, copy, lambda _step: None)
    finish(tmp_path / "journal.sqlite")
    with closing(opened(tmp_path)) as store:
        newest = store.transact(lambda tx: host_transfers.newest(tx, PORT))
        assert newest is not None
        assert (newest.transaction_id, newest.closed) == ("A2", True)
        assert [each.code for each in store.transact(lambda tx: host_queue.waiting(tx, PORT))] == [0x3C]
