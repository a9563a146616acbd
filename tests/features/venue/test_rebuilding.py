"""What a venue was not handed outlasts lost books."""

from contextlib import closing
from pathlib import Path

from controller.books.opening import opened_books
from controller.features.copies.rebuilding import copy_to_rebuild_from, rebuild
from controller.features.venue import ticket_journal as venue_tickets
from controller.features.venue.pools import begin_epoch
from controller.features.venue.ticket_journal import IssueFact
from controller.journal import lost_tickets
from controller.journal.open_items import Resolution
from controller.journal.store import Store
from tests.features.tickets.printed_tickets import OWN, printed
from tests.rigs.books import laid
from tests.rigs.cleared_books import key


def with_copy(folder: Path) -> Store:
    """The books in `folder`, with a second copy."""
    path = folder / "journal.sqlite"
    return opened_books(path, folder / "journal.sqlite.key", lambda: 0, simulated=True, second_copy=folder / "copy")


def test_tickets_that_no_venue_was_handed_are_for_a_person_after_a_rebuild(tmp_path: Path) -> None:
    """They are held, as after a restore; one that is to be taken again is handed over, whole, and one it had is not."""
    laid(tmp_path / "journal.sqlite")
    with closing(with_copy(tmp_path)) as store:
        for number in ("001111111111111111", OWN):
            ticket = store.transact(lambda tx: printed(tx, number))  # noqa: B023
            store.transact(lambda tx: venue_tickets.for_venue(tx, ticket))  # noqa: B023
            if number != OWN:
                store.transact(lambda tx: begin_epoch(tx, 1, 1, "site"))
                store.transact(lambda tx: venue_tickets.stored(tx, venue_tickets.hand_over(tx)))
    for path in tmp_path.glob("journal.sqlite*"):
        if path.suffix != ".key":
            path.unlink()
    own = key(tmp_path)
    record = copy_to_rebuild_from(tmp_path / "copy", own)
    rebuild(tmp_path / "journal.sqlite", record, own, "test", wall_ms=lambda: 0)
    with closing(with_copy(tmp_path)) as store:
        (held,) = store.transact(lost_tickets.held)
        store.transact(venue_tickets.begin)
        store.transact(lambda tx: begin_epoch(tx, 1, 2, "site"))
        assert store.transact(venue_tickets.hand_over) == ()
        store.transact(lambda tx: lost_tickets.decide(tx, held.id, Resolution.RETURNED, "technician"))
        (fact,) = store.transact(venue_tickets.hand_over)
        assert isinstance(fact, IssueFact)
        assert (fact.number, fact.cents, fact.epoch) == (OWN, 500, 2)
