"""Books in which something of everything has happened, and their archive."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from controller.books.opening import opened_books
from controller.features.archive import archiving
from controller.features.archive.archiving import Archiving, decide, finish
from controller.features.archive.carry_over import RETENTION, Retention
from controller.features.cards.card_file import CardFile
from controller.features.cards.journal import enrol_card
from controller.journal import money, payouts, rounds
from controller.journal.archives import Archive, archives
from controller.journal.people import record_attempt
from controller.journal.periods import close_period
from controller.journal.recoveries import Recovery, record_recovery
from controller.journal.settings import record_change
from controller.journal.store import Store, read_only
from controller.journal.transaction import Transaction
from controller.rounds.draws import seeded_source
from controller.rounds.engine import Round, stake_of, wager_on
from gamekit.catalogue import load
from tests.rigs.books import laid
from tests.rigs.people import CHEAP, set_up_person
from ui.protocol.values import Bet

GAME = load("neptune")


BET = Bet(lines=GAME.line_counts[-1], coins_per_line=GAME.coins_per_line[0], coin_value_cents=1)


def wall_ms() -> int:
    """The clock of these books is stopped."""
    return 1_700_000_000_000


def path_in(folder: Path) -> Path:
    """Where the journal in `folder` lies."""
    return folder / "journal.sqlite"


def opened(folder: Path, archives_at: int | None = None, **how: Path | None) -> Store:
    """Open the books in `folder` as a start does; with `archives_at` one that archives from so many bytes on."""
    laid(path_in(folder))
    limit = None if archives_at is None else Archiving(archives_at, fewest_rows=0)
    return opened_books(path_in(folder), folder / "key", wall_ms, simulated=True, archives=limit, **how)


def play(store: Store, seed: int) -> None:
    """Play a round of Neptune to its end."""
    bet, draws = wager_on(GAME, BET), seeded_source(seed)
    played = Round(GAME, stake_of(bet), "null")
    first = played.advance(None, draws(1, 0))
    number = store.transact(lambda tx: rounds.begin(tx, bet, "null", first))
    while played.offer is not None:
        going_on = played.advance(played.offer.choices[0], draws(1, played.segments))
        store.transact(lambda tx: rounds.proceed(tx, number, going_on))  # noqa: B023 - run at once


def lived(folder: Path, games: int = 3) -> None:
    """Lay books in which something of everything happened, all of it in order."""
    with closing(opened(folder)) as store:
        do = store.transact
        person = set_up_person(store)
        cards = CardFile(Path(store.path), CHEAP)
        key, seal = cards.begin(), cards.seal_of("0012345678")
        do(lambda tx: enrol_card(tx, person.id, "blue", seal, key))
        do(lambda tx: record_attempt(tx, person.id, fitted=False))
        do(lambda tx: tx.log("power_up", "started", meters={"power_ups": 1}))
        do(lambda tx: record_change(tx, "limits.credit_cents", "1", "2", "technician"))
        do(lambda tx: money.coins_taken(tx, 1, 1, (200, 200, 200), 1))
        do(lambda tx: money.note_stacking(tx, 2000))
        do(lambda tx: money.note_stacked(tx, 2000))
        do(money.note_acknowledged)
        do(lambda tx: close_period(tx, "attendant"))
        do(lambda tx: tx.execute("INSERT INTO memories VALUES ('witch', 'x', '1')").rowcount)
        do(lambda tx: tx.execute("INSERT INTO pools VALUES ('witch', 1, 5)").rowcount)
        do(lambda tx: tx.execute("INSERT INTO faults VALUES ('hopper_low', 'hopper', '', 1, 1)").rowcount)
        for seed in range(games):
            play(store, seed)
        do(lambda tx: rounds.record_shown(tx, games))
        do(lambda tx: record_recovery(tx, rounds.recorded_round(tx, 1), Recovery.RESUMED))
        do(lambda tx: payouts.begin_payout(tx, "hand_pay", 100))
        do(payouts.confirm_hand_pay)


def archived(
    folder: Path,
    step: Callable[[str], None] = archiving.no_step,
    retained: Retention = RETENTION,
    into: Path | None = None,
) -> None:
    """Archive what lies in `folder`."""
    with closing(opened(folder)) as store:
        step("before the seal")
        store.transact(lambda tx: decide(tx, into or folder / "archive", "a test"))
        step("after the seal")
    assert finish(path_in(folder), wall_ms, step, retained)


def known(folder: Path) -> list[Archive]:
    """The archives that the journal in `folder` knows."""
    with read_only(path_in(folder)) as connection:
        return archives(Transaction(connection, 0))
