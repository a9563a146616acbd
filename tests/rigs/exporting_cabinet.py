"""A cabinet that plays, is collected and exports its books, as a venue without a server sees fifty of them."""

import hashlib
import tempfile
from functools import cache
from pathlib import Path

from controller.books.opening import opened_books
from controller.features.copies.clearing import Order, decide, prepare
from controller.features.exports.events import ExportEvent
from controller.features.exports.exports import export
from controller.journal import money, rounds
from controller.journal.event_catalogue import Event
from controller.journal.migration_process import set_up
from controller.journal.periods import close_period, lifetime
from controller.journal.store import Store, read_only
from controller.keys import identity
from controller.keys.identity import Identity, public_pem
from controller.media.signed_folder import manifest_in
from controller.media.snapshots import FORMATS
from tests.rigs.books import give_pulses, put_back, segment, wager, whole
from tests.rigs.cleared_books import paid_by_hand
from tests.rigs.restored_books import copied, decided


@cache
def _new_journal(cabinet: str) -> bytes:
    """A new journal's bytes, with an id of its own for each cabinet."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "journal.sqlite")
        set_up(path, simulated=True, cabinet_id=hashlib.sha256(cabinet.encode()).hexdigest()[:32])
        return path.read_bytes()


class ExportingCabinet:
    """A cabinet's books in `folder`, and its exports in `out`; a second passes with every act."""

    def __init__(self, folder: Path, out: Path, name: str = "Cabinet 1") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        out.mkdir(parents=True, exist_ok=True)
        self.folder, self.out, self.name = folder, out, name
        self.journal = folder / "journal.sqlite"
        self.coins_counted = 0
        self.now_ms = 1_795_000_000_000
        self.journal.write_bytes(_new_journal(folder.name))
        self._store: Store | None = None
        _ = self.store
        self.close()
        own = identity.read_identity(folder / "journal.sqlite.key")
        assert own is not None
        self.own: Identity = own

    def keep_key(self, keys: Path) -> Path:
        """Save the public key in the folder of the keys, as at the set-up, and return its file."""
        keys.mkdir(exist_ok=True)
        file = keys / f"{self.folder.name}.pem"
        file.write_text(public_pem(self.own.public_key))
        return file

    @property
    def store(self) -> Store:
        """The books, opened as a start does."""
        if self._store is None:
            self._store = opened_books(self.journal, self.folder / "journal.sqlite.key", self._clock, simulated=True)
        return self._store

    def close(self) -> None:
        """Stop the cabinet; the next act starts it again."""
        if self._store is not None:
            self._store.close()
            self._store = None

    def _clock(self) -> int:
        self.now_ms += 1000
        return self.now_ms

    def act(self, name: str) -> None:
        """Do one act by its name: coins, round, collection, event."""
        do = self.store.transact
        if name == "coins":
            self.coins_counted += 1
            number = self.coins_counted % 256
            do(lambda tx: money.coins_taken(tx, 1, number, (200,), 0))
        elif name == "round":
            do(lambda tx: tx.credit_cents >= 100 and rounds.begin(tx, wager(100), "null", _ENDS))
        elif name == "collection":
            do(lambda tx: close_period(tx, "technician"))
        else:
            do(lambda tx: tx.event(Event.SILENCED, who="attendant"))

    def paid(self) -> None:
        """Pay the credit by hand, and give the hard meters all the pulses they are owed."""
        self.store.transact(paid_by_hand)
        while self.store.transact(lambda tx: give_pulses(tx, _UNITS, most=250)):
            pass

    def export(self, *, tables: bool = False, formats: tuple[str, ...] = FORMATS) -> Path:
        """Export as the command does."""
        return export(self.journal, self.out, self.own, self.name, self._clock(), formats=formats, tables=tables)

    def export_by_menu(self) -> Path:
        """Export as M.7 does, which records it."""
        made = self.export()
        end = manifest_in(made)
        self.store.transact(
            lambda tx: tx.event(
                ExportEvent.EXPORT, name=made.name, stick="BLUE", who="attendant", row=end.seq, hash=end.head
            )
        )
        return made

    def clear(self) -> None:
        """Make the full clear, whose snapshot is among the exports."""
        order = Order("technician", "new installation", self.name, (self.out,))
        prepared = prepare(self.store.path, self.own, order, self._clock)
        self.store.transact(lambda tx: decide(tx, prepared, _UNITS))
        self.close()

    def back_up(self) -> Path:
        """Make a backup beside the books."""
        self.close()
        return copied(self.folder)

    def restore(self, backup: Path) -> None:
        """Restore a backup into the cleared books."""
        self.close()
        decided(self.folder, backup, lambda _name: None)

    def copy(self) -> dict[Path, bytes]:
        """Copy the card."""
        self.close()
        return whole(self.journal)

    def put_back(self, card: dict[Path, bytes]) -> None:
        """Put an old copy of the card in."""
        self.close()
        put_back(card)

    def meters(self) -> dict[str, int]:
        """The lifetime meters."""
        with read_only(self.journal) as connection:
            return lifetime(connection)


_UNITS = {"coin_in": 10, "drop": 10, "games": 1, "hand_pay": 10, "coin_out": 10}
_ENDS = segment(40, ends=True)
