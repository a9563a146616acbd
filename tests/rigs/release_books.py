"""The books of a release, kept as a fixture: `python -m tests.rigs.release_books RELEASE` writes them.

Each release adds its own, named by its version; one that was tagged is never written again. Until then the command
brings the fixture up to what the program writes. Keys, PIN and numbers are fixed, so that the same program writes the
same rows.
"""

import gzip
import io
import shutil
import sqlite3
import sys
import tarfile
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from controller.books import anchors
from controller.books.opening import opened_books
from controller.features.archive import archiving
from controller.features.cards.card_file import CardFile
from controller.features.cards.journal import enrol_card
from controller.features.sas import queue as host_queue
from controller.features.sas import tickets as host_tickets
from controller.features.sas import transfers as host_transfers
from controller.features.venue import ticket_journal as venue_tickets
from controller.features.venue.membership import VenuePool, learn_pools
from controller.features.venue.outbox import add_reading, events_stored
from controller.features.venue.pools import begin_epoch
from controller.hardware import hopper_books
from controller.journal import money, payouts, rounds, tickets
from controller.journal.actor import Role
from controller.journal.faults import raise_fault
from controller.journal.migration_process import set_up
from controller.journal.open_items import Resolution, open_items
from controller.journal.parts import pools_for_new_round
from controller.journal.people import add_person, record_attempt
from controller.journal.periods import close_period
from controller.journal.pools import PoolKey
from controller.journal.recoveries import Recovery, record_recovery
from controller.journal.resolutions import resolve_item
from controller.journal.settings import record_change
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from controller.keys.identity import Identity, bind, public_pem, read_identity
from controller.keys.pins import Credential, PinFile, scrypt_digest
from controller.rounds.draws import seeded_source
from controller.rounds.engine import Round, stake_of, wager_on
from gamekit import catalogue
from gamekit.catalogue import load
from gamekit.play import Game
from tests.rigs.books import give_pulses, rewritten
from tests.rigs.people import CHEAP, NAME, PIN
from ui.protocol.values import Bet

PLACE: Final = Path("/tmp/cabinet-release-books")  # noqa: S108 - the books name their archive's folder
"""Where the books are written."""
UNITS: Final = {"coin_in": 10, "coin_out": 10, "drop": 10, "hand_pay": 10, "games": 1}
BEGAN_MS: Final = 1_767_225_600_000
"""The clock when they begin: 2026-01-01."""
_HOST, _SERIAL, _STEP_MS = "host_port", 815, 60_000


class _Clock:
    """A clock that goes on by a minute each time it is read."""

    def __init__(self) -> None:
        self.ms = BEGAN_MS

    def __call__(self) -> int:
        self.ms += _STEP_MS
        return self.ms


def unpack(release: str, folder: Path) -> Path:
    """Unpack the books of a release into `folder`; return the journal."""
    with tarfile.open(_fixture(release)) as packed:
        packed.extractall(folder, filter="data")
    return folder / "journal.sqlite"


def _fixture(release: str) -> Path:
    return Path(__file__).parents[1] / f"controller/books/fixtures/{release}.tar.gz"


def _packed(folder: Path) -> bytes:
    """Return the archive of what is in `folder`: the same bytes for the same files."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as packed:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix != ".lock":
                entry = tarfile.TarInfo(str(path.relative_to(folder)))
                entry.size, entry.mode = path.stat().st_size, 0o600
                packed.addfile(entry, io.BytesIO(path.read_bytes()))
    return gzip.compress(content.getvalue(), mtime=0)


def write(folder: Path) -> None:
    """Write the books of a cabinet with some of everything, of which a part is archived, into the empty `folder`."""
    journal, clock = folder / "journal.sqlite", _Clock()
    set_up(journal, simulated=True, cabinet_id="0123456789abcdef")
    with rewritten(journal) as connection:
        connection.execute("UPDATE _sqlite_migrations SET applied_at = '2026-01-01 00:00:00+00:00'")
    own = _own_key(folder / "journal.sqlite.key")
    with closing(Store(journal, clock, simulated=True)) as store:
        store.transact(lambda tx: bind(tx, own, "cabinet", "the first start"))
    with closing(_opened(folder, clock)) as store:
        _first_days(store)
        for seed, name in enumerate(sorted(catalogue.names())):
            _play(store, name, seed)
        _paid(store)
        store.transact(lambda tx: close_period(tx, "attendant"))
        store.transact(lambda tx: tx.anchor())
        _sign(store, own)
        store.transact(lambda tx: archiving.decide(tx, folder / "archive", "it is time"))
    assert archiving.finish(journal, clock)
    with closing(_opened(folder, clock)) as store:
        _last_days(store)
        wager, first = _waiting()
        store.transact(lambda tx: rounds.begin(tx, wager, "null", first))
        store.transact(lambda tx: tx.anchor())
        _sign(store, own)
    with closing(sqlite3.connect(journal)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _own_key(path: Path) -> Identity:
    key = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode("ascii")
    path.write_text(private + public_pem(key.public_key().public_bytes_raw()))
    path.chmod(0o600)
    own = read_identity(path)
    assert own is not None
    return own


def _opened(folder: Path, clock: _Clock) -> Store:
    return opened_books(folder / "journal.sqlite", folder / "journal.sqlite.key", clock, simulated=True)


def _first_days(store: Store) -> None:
    """People, a card, settings, coins, notes, a fault, a note that is an open item, and one that was settled."""
    do = store.transact
    salt = bytes(range(16))
    credential = Credential(NAME, Role.TECHNICIAN, salt.hex(), scrypt_digest(PIN, salt, CHEAP).hex(), CHEAP)
    PinFile(store.path, CHEAP).add(credential)
    do(lambda tx: add_person(tx, NAME, Role.TECHNICIAN, credential.seal, change_pin=False))
    cards = CardFile(store.path, CHEAP)
    cards.path.write_bytes(msgspec.json.encode({"key": bytes(range(32)).hex(), "cost": CHEAP}))
    cards.path.chmod(0o600)
    do(lambda tx: enrol_card(tx, 1, "blue", cards.seal_of("0012345678"), cards.key))
    do(lambda tx: record_attempt(tx, 1, fitted=False))
    do(lambda tx: tx.log("power_up", "started", meters={"power_ups": 1}))
    do(lambda tx: record_change(tx, "limits.credit_cents", "100000", "50000", "technician"))
    do(lambda tx: money.coins_taken(tx, 1, 1, (200,) * 5, 1))
    for _ in range(3):
        do(lambda tx: money.note_stacking(tx, 5000))
        do(lambda tx: money.note_stacked(tx, 5000))
        do(money.note_acknowledged)
    do(lambda tx: raise_fault(tx, "hopper_low", "hopper"))
    for cents in (500, 1000):
        do(lambda tx: money.note_stacking(tx, cents))  # noqa: B023 - run at once
        do(lambda tx: money.note_unknown(tx, "it did not answer"))
    first = next(item for item in do(open_items) if item.kind == "note_unknown")
    do(lambda tx: resolve_item(tx, first.id, Resolution.RETURNED, "attendant"))


def _play(store: Store, name: str, seed: int) -> None:
    """Play a round of a game to its end, with the last choice of every offer."""
    game, draws = load(name), seeded_source(seed)
    wager, companion = _wager(game), 1 if game.companions else None

    def begin(tx: Transaction, played: Round, memory: str) -> int:
        first = played.advance(None, draws(1, 0))
        number = rounds.begin(tx, wager, memory, first, companion=companion)
        if game.pool is not None:
            pools_for_new_round(tx).contribute(PoolKey(name, 1), game.pool, number, wager.stake_cents)
        return number

    memory = store.transact(lambda tx: rounds.memory(tx, name, wager.bet))
    played = Round(game, stake_of(wager), memory)
    number = store.transact(lambda tx: begin(tx, played, memory))
    while played.offer is not None:
        going_on = played.advance(played.offer.choices[-1], draws(1, played.segments))
        store.transact(lambda tx: rounds.proceed(tx, number, going_on))  # noqa: B023 - run at once
    store.transact(lambda tx: rounds.record_shown(tx, number))
    store.transact(lambda tx: give_pulses(tx, UNITS))


def _paid(store: Store) -> None:
    """Pay by hand, by the hopper and with a ticket, of which one is taken again; a round is void, and one resumed."""
    do = store.transact
    do(lambda tx: payouts.begin_payout(tx, "hand_pay", 1000))
    do(payouts.confirm_hand_pay)
    do(lambda tx: hopper_books.counted(tx, _SERIAL, 1000, 100))
    do(lambda tx: payouts.begin_payout(tx, "hopper", 200, 100))
    do(lambda tx: hopper_books.dispensing(tx, _SERIAL, 1, 1000, 100))
    for coin in (1, 2):
        do(lambda tx: payouts.coin_paid(tx, coin))  # noqa: B023 - run at once
    do(lambda tx: payouts.end_hopper_payout(tx, "done"))
    for number in ("001234567890123456", "001234567890123457"):
        do(lambda tx: payouts.begin_payout(tx, "ticket", 500))
        do(lambda tx: tickets.begin(tx, lambda *_: number, expires_ms=4_000_000_000_000))  # noqa: B023
        do(tickets.printed)
    do(lambda tx: money.note_stacking(tx, 500, tx.numbers.sealed("001234567890123456")))
    do(money.ticket_stacked)
    do(money.note_acknowledged)
    wager, first = _waiting()
    interrupted = do(lambda tx: rounds.begin(tx, wager, "null", first))
    do(lambda tx: rounds.void(tx, interrupted, "it did not replay"))
    do(lambda tx: record_recovery(tx, rounds.recorded_round(tx, 1), Recovery.RESUMED))
    do(lambda tx: give_pulses(tx, UNITS))


def _last_days(store: Store) -> None:
    """A venue with linked jackpots, a host, a ticket of each, and a hopper that fell silent: its payout is held."""
    do = store.transact
    do(lambda tx: money.coins_taken(tx, 1, 6, (200, 200, 200), 0))
    do(lambda tx: begin_epoch(tx, 7, 1, "a venue"))
    do(lambda tx: learn_pools(tx, [VenuePool(1, PoolKey("bewitched", 1), 5)]))
    _play(store, "bewitched", 3)
    for _ in range(2):
        do(lambda tx: add_reading(tx, "hour"))
        do(lambda tx: tx.log("service_call", "a call", place="a"))
    do(lambda tx: events_stored(tx, 1))
    do(lambda tx: host_queue.queue(tx, _HOST, 0x11))
    transfer = host_transfers.Transfer(
        position=0,
        transaction_id="A1",
        kind=0,
        status=0,
        cents=500,
        asked_cents=500,
        flags=0,
        expiration="00000000",
        pool="0000",
        total_cents=0,
        at_ms=0,
    )
    do(lambda tx: host_transfers.move(tx, _HOST, transfer, into=True))
    do(lambda tx: payouts.begin_payout(tx, "ticket", 300))
    do(lambda tx: tickets.begin(tx, lambda *_: "001234567890123458"))
    ticket = do(tickets.printed)
    do(lambda tx: host_tickets.record(tx, _HOST, ticket))
    do(lambda tx: host_tickets.begin(tx, _HOST, "371234567890123456"))
    do(lambda tx: venue_tickets.for_venue(tx, ticket))
    do(lambda tx: venue_tickets.ask(tx, "002222222222222222"))
    do(venue_tickets.give_up_all)
    do(lambda tx: payouts.begin_payout(tx, "hopper", 300, 100))
    do(lambda tx: hopper_books.dispensing(tx, _SERIAL, 2, 1002, 100))
    do(lambda tx: payouts.coin_paid(tx, 1))
    do(hopper_books.given_up)


def _waiting() -> tuple[rounds.Wager, rounds.Segment]:
    """Return a wager on Neptune, and the first segment of a round that asks its player something."""
    game = load("neptune")
    wager = _wager(game)
    for seed in range(5000):
        played = Round(game, stake_of(wager), "null")
        first = played.advance(None, seeded_source(seed)(1, 0))
        if played.offer is not None:
            return wager, first
    raise AssertionError("no seed asks anything")


def _wager(game: Game) -> rounds.Wager:
    bet = Bet(lines=game.line_counts[-1], coins_per_line=game.coins_per_line[0], coin_value_cents=1)
    return wager_on(game, bet, gamble_cap_cents=game.gamble_cap_cents)


def _sign(store: Store, own: Identity) -> None:
    signatures = {anchor.seq: own.sign(anchor.message) for anchor in store.transact(anchors.unsigned)}
    store.transact(lambda tx: anchors.sign(tx, own, signatures))


def main(release: str) -> None:
    """Write the fixture of that release."""
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir()
    write(PLACE)
    _fixture(release).write_bytes(_packed(PLACE))
    shutil.rmtree(PLACE)


if __name__ == "__main__":
    main(*sys.argv[1:])
