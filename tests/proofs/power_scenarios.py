"""What the books do when money moves, step by step, with word of every step that was acknowledged.

Each scenario works on open books through the production functions alone; `done` is called when a step has returned,
which is when its effect may be shown or answered to a device.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from controller.books.opening import opened_books
from controller.features.archive import archiving
from controller.features.copies import clearing
from controller.features.copies.clearing import Order
from controller.features.copies.rebuilding import copy_to_rebuild_from, rebuild
from controller.journal import money, payouts, rounds
from controller.journal.hard_meters import Noted, begin_batch, end_batch, settle_cut_pulses
from controller.journal.schema import MIGRATIONS, Migration
from controller.journal.store import Store
from controller.keys import identity
from controller.rounds.draws import seeded_source
from controller.rounds.engine import Round, stake_of, wager_on
from gamekit.catalogue import load
from gamekit.play import Game
from tests.rigs.books import give_pulses
from tests.rigs.later_schema import LATER
from ui.protocol.values import Bet

UNITS = {"coin_in": 10, "coin_out": 10, "drop": 10, "hand_pay": 10, "games": 1}
SEEDS = range(5000)

Done = Callable[[Store], None]
Scenario = Callable[["Cabinet", Done], None]


class Cabinet:
    """The books of one cabinet in `folder`: the journal, its key, and its second copy where it has one.

    `migrations` are those of the program that opens them.
    """

    def __init__(
        self, folder: Path, *, second_copy: bool = False, migrations: Sequence[Migration] = MIGRATIONS
    ) -> None:
        self.folder = folder
        self.journal = folder / "journal.sqlite"
        self.key = folder / "journal.sqlite.key"
        self.copy = folder / "second-copy" if second_copy else None
        self.migrations = migrations

    def opened(self, *, create: bool = False, archives: archiving.Archiving | None = None) -> Store:
        """Open the books as a start does."""
        store = opened_books(
            self.journal,
            self.key,
            lambda: 0,
            simulated=True,
            create=create,
            second_copy=self.copy,
            archives=archives,
            migrations=self.migrations,
        )
        store.transact(lambda tx: settle_cut_pulses(tx, UNITS, store.pulses_noted))
        return store


def prepared(cabinet: Cabinet) -> None:
    """Books with money on the credit: where each scenario begins."""
    with closing(cabinet.opened(create=True)) as store:
        for counter in range(1, 11):
            _coin(store, counter)


def note(cabinet: Cabinet, done: Done) -> None:
    """Two notes: into escrow, stacked and credited, acknowledged; the second goes back."""
    with closing(cabinet.opened()) as store:
        for act in (
            lambda tx: money.note_stacking(tx, 2000),
            lambda tx: money.note_stacked(tx, 2000),
            money.note_acknowledged,
            lambda tx: money.note_stacking(tx, 500),
            lambda tx: money.note_returned(tx, "pulled back"),
        ):
            store.transact(act)
            done(store)


def coin(cabinet: Cabinet, done: Done) -> None:
    """Coins, one poll after the other, the event counter with each."""
    with closing(cabinet.opened()) as store:
        for counter in range(11, 19):
            _coin(store, counter)
            done(store)


def spin(cabinet: Cabinet, done: Done) -> None:
    """Rounds that end at once, each staked, drawn and paid in one transaction."""
    with closing(cabinet.opened()) as store:
        for seed in range(6):
            _play(store, "neptune", seed, done)


def feature(cabinet: Cabinet, done: Done) -> None:
    """A round with a feature, each of its parts drawn after its own answer."""
    with closing(cabinet.opened()) as store:
        _play(store, "neptune", _seed_with("neptune", gamble=False), done)


def gamble(cabinet: Cabinet, done: Done) -> None:
    """A win that is gambled until it is lost or may be gambled no more."""
    with closing(cabinet.opened()) as store:
        _play(store, "bewitched", _seed_with("bewitched", gamble=True), done)


def hopper(cabinet: Cabinet, done: Done) -> None:
    """A cash-out by the hopper: every coin is booked as it passes."""
    with closing(cabinet.opened()) as store:
        store.transact(lambda tx: payouts.begin_payout(tx, "hopper", 800, 100))
        done(store)
        store.transact(lambda tx: payouts.dispensing(tx, 7, 1, 100))
        done(store)
        for paid in range(1, 9):
            store.transact(lambda tx: payouts.coin_paid(tx, paid))  # noqa: B023 - run at once
            done(store)
        store.transact(lambda tx: payouts.end_hopper_payout(tx, "done"))
        done(store)


def hand_pay(cabinet: Cabinet, done: Done) -> None:
    """The whole credit by hand: asked for, and confirmed with the key."""
    with closing(cabinet.opened()) as store:
        store.transact(lambda tx: payouts.begin_payout(tx, "hand_pay", store.credit_cents))
        done(store)
        store.transact(payouts.confirm_hand_pay)
        done(store)


def pulses(cabinet: Cabinet, done: Done) -> None:
    """The hard meters get what they are owed, in batches of four; each pulse is noted before and after it."""
    with closing(cabinet.opened()) as store:
        for _ in range(4):
            batch = store.transact(lambda tx: begin_batch(tx, UNITS, list(UNITS), 4))
            assert batch is not None
            done(store)
            given: dict[str, int] = {}
            for pulse in range(1, 5):
                begun = {name: min(pulse, pulses) for name, pulses in batch.pulses.items()}
                store.note_pulses(Noted(batch.number, begun, given))
                done(store)
                store.note_pulses(Noted(batch.number, begun, begun))
                given = begun
            store.transact(lambda tx: end_batch(tx, UNITS, batch, given))  # noqa: B023 - run at once
            done(store)


def full_clear(cabinet: Cabinet, done: Done) -> None:
    """Everything is paid and pulsed, then the books are cleared, and opened anew."""
    with closing(cabinet.opened()) as store:
        store.transact(lambda tx: payouts.begin_payout(tx, "hand_pay", store.credit_cents))
        store.transact(payouts.confirm_hand_pay)
        while store.transact(lambda tx: give_pulses(tx, UNITS)):
            pass
        done(store)
        own = identity.read_identity(cabinet.key)
        assert own is not None
        order = Order("technician", "new installation", "Cabinet 1")
        ready = clearing.prepare(store.path, own, order, lambda: 0)
        done(store)
        store.transact(lambda tx: clearing.decide(tx, ready, UNITS))
        done(store)
    with closing(cabinet.opened()) as store:
        done(store)
        _coin(store, 1)
        done(store)


def archive(cabinet: Cabinet, done: Done) -> None:
    """The past is archived at a start, twice, with play and money in between; the second time it was sealed before."""
    for counter, archives in ((11, archiving.Archiving(1, fewest_rows=0)), (12, None)):
        with closing(cabinet.opened()) as store:
            _play(store, "neptune", counter, done)
            if archives is None:
                store.transact(lambda tx: archiving.decide(tx, cabinet.folder / "archive", "a scenario"))
                done(store)
        with closing(cabinet.opened(archives=archives)) as store:
            done(store)
            _coin(store, counter)
            done(store)


def upgrade(cabinet: Cabinet, done: Done) -> None:
    """A program with a newer schema opens the books of an older one, and plays on."""
    with closing(cabinet.opened()) as store:
        done(store)
        _coin(store, 11)
        done(store)


def second_copy(cabinet: Cabinet, done: Done) -> None:
    """A second copy is begun beside the books and follows them."""
    with closing(Cabinet(cabinet.folder, second_copy=True).opened()) as store:
        done(store)
        for counter in range(11, 15):
            _coin(store, counter)
            done(store)


def rebuilding(cabinet: Cabinet, done: Done) -> None:
    """Books that rotted are made anew from their second copy, which no cut may touch."""
    own = identity.read_identity(cabinet.key)
    with_copy = Cabinet(cabinet.folder, second_copy=True)
    assert own is not None
    assert with_copy.copy is not None
    kept = copy_to_rebuild_from(with_copy.copy, own)
    rebuild(cabinet.journal, kept, own, "rot", wall_ms=lambda: 0)
    with closing(with_copy.opened()) as store:
        done(store)


def with_rotten_journal(cabinet: Cabinet) -> None:
    """Books with a second copy, of which the journal has rotted."""
    with closing(Cabinet(cabinet.folder, second_copy=True).opened(create=True)) as store:
        for counter in range(1, 4):
            _coin(store, counter)
    cabinet.journal.write_bytes(b"rot" * 20_000)


class Tale(NamedTuple):
    """A scenario: how its books begin, what is done with them, and whether a cut may ask for another rebuild.

    `migrations` are those of the program that goes on with them.
    """

    begins: Callable[[Cabinet], None]
    goes_on: Scenario
    rebuilt: bool = False
    migrations: Sequence[Migration] = MIGRATIONS


TALES = {
    "note": Tale(prepared, note),
    "coin": Tale(prepared, coin),
    "spin": Tale(prepared, spin),
    "feature": Tale(prepared, feature),
    "gamble": Tale(prepared, gamble),
    "hopper": Tale(prepared, hopper),
    "hand-pay": Tale(prepared, hand_pay),
    "hard-meter pulses": Tale(prepared, pulses),
    "full clear": Tale(prepared, full_clear),
    "archive": Tale(prepared, archive),
    "upgrade": Tale(prepared, upgrade, migrations=LATER),
    "second copy": Tale(prepared, second_copy),
    "rebuild": Tale(with_rotten_journal, rebuilding, rebuilt=True),
}


def _coin(store: Store, counter: int) -> None:
    store.transact(lambda tx: money.coins_taken(tx, 1, counter, (200,), 0))


def _bet(game: Game) -> Bet:
    return Bet(lines=game.line_counts[-1], coins_per_line=game.coins_per_line[0], coin_value_cents=1)


def _play(store: Store, name: str, seed: int, done: Done) -> None:
    """Play one round to its end, each segment committed before it counts, with the last choice of every offer."""
    game = load(name)
    wager, draws = wager_on(game, _bet(game), gamble_cap_cents=game.gamble_cap_cents), seeded_source(seed)
    played = Round(game, stake_of(wager), "null")
    segment = played.advance(None, draws(1, 0))
    number = store.transact(lambda tx: rounds.begin(tx, wager, "null", segment))
    done(store)
    while played.offer is not None:
        going_on = played.advance(played.offer.choices[-1], draws(1, played.segments))
        store.transact(lambda tx: rounds.proceed(tx, number, going_on))  # noqa: B023 - run at once
        done(store)
    store.transact(lambda tx: rounds.record_shown(tx, number), durable=False)


def _seed_with(name: str, *, gamble: bool) -> int:
    """Return the first seed whose round asks something: to gamble its win, or for a feature."""
    game = load(name)
    for seed in SEEDS:
        played = Round(game, stake_of(wager_on(game, _bet(game), gamble_cap_cents=game.gamble_cap_cents)), "null")
        played.advance(None, seeded_source(seed)(1, 0))
        if played.offer is not None and played.offer.gamble is gamble:
            return seed
    raise AssertionError(f"no round of {name} in {SEEDS} does that")
