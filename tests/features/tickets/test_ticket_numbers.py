"""Whole numbers of unredeemed tickets are in no copy that leaves the machine, and the cabinet's own key reads them."""

import json
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.books.opening import opened_books
from controller.cli import main
from controller.commands.technician import bound_anew
from controller.configuration.cabinet_toml import Config
from controller.features.copies import restoring
from controller.features.copies.backups import JOURNAL, backup
from controller.features.exports.diagnostics import BUNDLE, diagnostics
from controller.features.exports.exports import export
from controller.features.sas import tickets as host_tickets
from controller.features.venue import ticket_journal as venue_tickets
from controller.features.venue.pools import begin_epoch
from controller.features.venue.unsent import unsent
from controller.journal import lost_tickets, money, tickets
from controller.journal.number_seal import masked
from controller.journal.store import Store
from controller.journal.tickets import Ticket
from controller.keys import identity
from controller.keys.ticket_numbers import TicketNumbers
from tests.features.tickets.printed_tickets import ASKED, HOSTS, OWN, printed
from tests.rigs.books import laid
from tests.rigs.cleared_books import UNITS
from tests.rigs.paths import SAMPLE
from tests.rigs.virtual_cabinet import configuration

NUMBERS = (OWN, ASKED, HOSTS)


def at_work(folder: Path) -> Store:
    """Books with a ticket that nobody has redeemed, one that the venue is asked for, and one that a host is."""
    store = opened_books(laid(folder / "journal.sqlite"), folder / "journal.sqlite.key", lambda: 0, simulated=True)
    ticket = store.transact(printed)
    store.transact(lambda tx: venue_tickets.for_venue(tx, ticket))
    store.transact(lambda tx: begin_epoch(tx, 1, 1, "site"))
    store.transact(lambda tx: venue_tickets.ask(tx, ASKED))
    store.transact(lambda tx: host_tickets.begin(tx, "host_port", HOSTS))
    store.transact(lambda tx: host_tickets.record(tx, "host_port", ticket))
    return store


def key_of(folder: Path) -> identity.Identity:
    own = identity.read_identity(folder / "journal.sqlite.key")
    assert own is not None
    return own


def copies(folder: Path, config: Config) -> Iterator[Path]:
    """Each thing that leaves the machine, made on a stick."""
    stick, journal, own = folder / "stick", folder / "journal.sqlite", key_of(folder)
    stick.mkdir()
    yield backup(journal, stick, own, "", 0)
    yield export(journal, stick, own, "", 1, tables=True)
    bundle = diagnostics(journal, stick, own, config, 2)
    with zipfile.ZipFile(bundle / BUNDLE) as content:
        content.extractall(stick / "bundle")
    yield stick / "bundle"


def test_no_copy_of_the_books_has_a_whole_number(tmp_path: Path) -> None:
    """A backup, an export with all tables and the diagnostics have the last four digits of each at the most."""
    with closing(at_work(tmp_path)) as store:
        store.transact(lambda tx: money.note_stacking(tx, 700, tx.numbers.sealed(ASKED)))
        store.transact(lambda tx: money.note_returned(tx, "test"))
    for made in copies(tmp_path, configuration(tmp_path)):
        for file in (file for file in made.rglob("*") if file.is_file()):
            content = file.read_bytes()
            assert [number for number in NUMBERS if number.encode() in content] == [], file
    (notes,) = json.loads(next((tmp_path / "stick").glob("*export*")).joinpath("table_notes.json").read_text())
    assert notes["ticket"] == masked(ASKED)


def test_a_redeemed_ticket_may_be_read_by_anybody(tmp_path: Path) -> None:
    """Its whole number is in the ledger and on H.8 once it is credited; before, and of others, the last four digits."""
    with closing(at_work(tmp_path)) as store:
        store.transact(lambda tx: money.note_stacking(tx, 500, tx.numbers.sealed(OWN)))
        before = store.transact(lambda tx: (tickets.newest(tx, 9), tickets.newest_taken(tx, 9)))
        store.transact(money.ticket_stacked)
        after = store.transact(lambda tx: tickets.newest_taken(tx, 9))
        (data,) = store.transact(lambda tx: tx.execute("SELECT data FROM ledger WHERE kind = 'ticket_in'").fetchone())
    assert [[ticket.number for ticket in listed] for listed in before] == [[masked(OWN)], [masked(OWN)]]
    assert ([ticket.number for ticket in after], json.loads(data)["ticket"]) == ([OWN], OWN)


def test_the_same_cabinet_reads_a_restored_backup(tmp_path: Path) -> None:
    """So does a new machine with the key's file restored: the ticket is found, and venue and host get whole numbers."""
    at_work(tmp_path).close()
    copy = backup(tmp_path / "journal.sqlite", tmp_path, key_of(tmp_path), "", 0)
    other = tmp_path / "other"
    other.mkdir()
    (other / "journal.sqlite.key").write_bytes((tmp_path / "journal.sqlite.key").read_bytes())
    restoring.restore_lost(other / "journal.sqlite", copy, key_of(other), "technician", lambda: 0, units=UNITS)
    with closing(opened_books(other / "journal.sqlite", key_of(other).path, lambda: 0, simulated=True)) as store:
        found = store.transact(lambda tx: tickets.by_number(tx, OWN))
        waiting = store.transact(lambda tx: host_tickets.redemption(tx, "host_port"))
        records = store.transact(lambda tx: host_tickets.records(tx, "host_port"))
    assert found is not None
    assert waiting is not None
    assert (found.number, waiting.number, [each.number for each in records]) == (OWN, HOSTS, [OWN])


def test_another_key_reads_nothing(tmp_path: Path) -> None:
    """Whoever finds the stick, or changes a stored number, gets no number from it."""
    at_work(tmp_path).close()
    copy = backup(tmp_path / "journal.sqlite", tmp_path, key_of(tmp_path), "", 0)
    foreign = TicketNumbers(identity.make_identity(tmp_path / "foreign.key").path)
    own = TicketNumbers(key_of(tmp_path).path)
    with closing(Store(copy / JOURNAL, lambda: 0, simulated=True)) as store:
        (stored,) = store.transact(lambda tx: tx.execute("SELECT number FROM tickets").fetchone())
    assert (own.opened(stored), foreign.opened(stored)) == (OWN, "")
    assert own.opened(f"A{stored[1:]}" if stored[0] != "A" else f"B{stored[1:]}") == ""
    assert own.opened(f"{stored[:-1]}{(int(stored[-1]) + 1) % 10}") == ""


def test_numbers_that_were_stored_without_a_key_are_sealed_at_a_start(tmp_path: Path) -> None:
    """No later copy has them; the tickets are found all the same."""
    path = laid(tmp_path / "journal.sqlite")
    with closing(Store(path, lambda: 0, simulated=True)) as store:
        store.transact(printed)
        store.transact(lambda tx: money.note_stacking(tx, 500, tx.numbers.sealed(OWN)))
        store.transact(lambda tx: money.note_returned(tx, "test"))
        assert store.transact(lambda tx: tx.execute("SELECT number FROM tickets").fetchone()) == (OWN,)
    with closing(opened_books(path, tmp_path / "journal.sqlite.key", lambda: 0, simulated=True)) as store:
        found = store.transact(lambda tx: tickets.by_number(tx, OWN))
        assert found is not None
        assert found.number == OWN
        store.transact(lambda tx: tx.prove())
    assert OWN.encode() not in backup_bytes(tmp_path)


def backup_bytes(folder: Path) -> bytes:
    """The books in a new backup."""
    return (backup(folder / "journal.sqlite", folder, key_of(folder), "", 0) / JOURNAL).read_bytes()


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_new_key_seals_the_numbers_again(tmp_path: Path, *, is_kept: bool) -> None:
    """`cabinet identity replace` opens them with the old key's file; without it those tickets are for a person."""
    config = tmp_path / "cabinet.toml"
    config.write_text(SAMPLE.read_text().replace("/var/lib/cabinet/journal.sqlite", str(tmp_path / "journal.sqlite")))
    key = tmp_path / "journal.sqlite.key"
    with closing(opened_books(laid(tmp_path / "journal.sqlite", simulated=False), key, lambda: 0)) as store:
        store.transact(printed)
    if not is_kept:
        key.unlink()
    done = CliRunner().invoke(main, ["identity", "replace", str(config), "--reason", "it was lost"])
    assert done.exit_code == 0, done.output
    with closing(opened_books(tmp_path / "journal.sqlite", key, lambda: 0)) as store:
        worth = store.transact(lambda tx: tickets.worth(tx, OWN))
        item = store.transact(lost_tickets.item)
    if is_kept:
        assert isinstance(worth, Ticket)
        assert (worth.number, item) == (OWN, None)
    else:
        assert worth == "ticket_lost"
        assert item is not None
        assert "sealed with a key that this machine does not have: 1" in item.text


def test_what_only_a_lost_key_opens_is_told_to_nobody(tmp_path: Path) -> None:
    """Neither venue nor host gets half a number, and nothing waits for them for ever."""
    with closing(at_work(tmp_path)) as store:
        store.transact(venue_tickets.give_up_all)
    key = tmp_path / "journal.sqlite.key"
    key.unlink()
    with closing(Store(tmp_path / "journal.sqlite", lambda: 0, simulated=True)) as store:
        bound_anew(store, key, reason="it was lost")
        assert store.transact(venue_tickets.hand_over) == ()
        assert store.transact(lambda tx: unsent(tx, new_tickets=False)).money == 0
        assert store.transact(lambda tx: host_tickets.records(tx, "host_port")) == ()
        assert store.transact(lambda tx: host_tickets.begin(tx, "host_port", HOSTS))
