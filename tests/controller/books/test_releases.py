"""The books of every release open with this program; each release adds its own (`tests.rigs.release_books`)."""

from contextlib import closing
from pathlib import Path

import pytest

from controller.books.audit import audit, prove_archives
from controller.books.opening import opened_books
from controller.features.cards.card_file import CardFile
from controller.features.exports.continuity import check_figures
from controller.features.exports.export_reader import proved_export
from controller.features.exports.exports import export
from controller.journal import held_payouts, tickets
from controller.journal.number_seal import masked
from controller.journal.open_items import open_items
from controller.journal.people import people
from controller.keys.identity import Identity, read_identity
from controller.keys.pins import PinFile
from tests.rigs.machine import Rig
from tests.rigs.people import NAME, PIN
from tests.rigs.release_books import unpack
from tests.rigs.rounds import spin

each_release = pytest.mark.parametrize("release", ["1.0.0"])


def proved(journal: Path) -> None:
    """The books hold from their first row, in the archive, to their last; every round replays."""
    proof = audit(journal, lambda *_: None)
    prove_archives(journal, proof, whole=lambda *_: None)
    assert (proof.failures, len(proof.behind), proof.replayed + 1) == ([], 1, proof.rounds)  # one was void


def key_of(journal: Path) -> Identity:
    """The key of the cabinet."""
    own = read_identity(journal.with_name(f"{journal.name}.key"))
    assert own is not None
    return own


@each_release
def test_books_of_each_release_which_adds_its_own_open(tmp_path: Path, release: str) -> None:
    """They are opened, brought up to date and proved: money, what is open, people with their PINs, cards, tickets."""
    journal = unpack(release, tmp_path)
    with closing(opened_books(journal, key_of(journal).path, lambda: 0, simulated=True)) as store:
        do = store.transact
        assert store.credit_cents == 14_820
        assert [item.kind for item in do(open_items)] == ["coins_lost", "note_unknown", "payout_held"]
        assert do(held_payouts.held_cents) == 200
        (person,) = do(people)
        credential = PinFile(journal).of_seal(person.pin)
        assert credential is not None
        assert (person.name, credential.fits(PIN)) == (NAME, True)
        assert do(lambda tx: tx.execute("SELECT seal FROM cards").fetchall()) == [
            (CardFile(journal).seal_of("0012345678"),)
        ]
        found = do(lambda tx: tickets.by_number(tx, "001234567890123457"))
        assert found is not None
        assert (found.number, found.state, found.cents) == ("001234567890123457", "printed", 500)
        assert [each.number for each in do(lambda tx: tickets.newest_taken(tx, 9))] == ["001234567890123456"]
        assert masked("001234567890123458") in [each.number for each in do(lambda tx: tickets.newest(tx, 9))]
    proved(journal)


@each_release
def test_books_of_each_release_are_exported(tmp_path: Path, release: str) -> None:
    """A signed export of all tables, as they are and once they are up to date, is read back, and its figures agree."""
    journal = unpack(release, tmp_path)
    own = key_of(journal)
    for name in ("as it is", "up to date"):
        stick = tmp_path / name
        stick.mkdir()
        read = proved_export(export(journal, stick, own, "", 0, tables=True), {own.public_key: "a cabinet"})
        check_figures(read)
        opened_books(journal, own.path, lambda: 0, simulated=True).close()


@each_release
async def test_books_of_each_release_are_played_on(tmp_path: Path, release: str) -> None:
    """The round that was open goes on to its end, and another one is played."""
    journal = unpack(release, tmp_path)
    rig = Rig(tmp_path)
    await rig.start(until="offer")
    began = rig.journal.credit_cents
    await spin(rig)
    assert rig.credit >= began
    await spin(rig)
    assert await rig.note(2000)
    assert await rig.rows("SELECT state, count(*) FROM rounds GROUP BY 1") == [("settled", 9), ("void", 1)]
    await rig.kill()
    proved(journal)
