"""Any sequence of play, money, faults, restarts and archives leaves the same books as without the archives."""

import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.books.audit import audit, prove_archives
from controller.features.archive.archiving import decide, finish
from controller.features.archive.carry_over import Retention
from controller.journal import demo_mode, faults, hard_meters, key_value, money, payouts, periods, rounds
from controller.journal.accounts import account
from controller.journal.errors import RefusedError
from controller.journal.open_items import open_items
from controller.journal.store import Store
from controller.journal.totals import by_bet, days, games_since, win_sizes
from controller.journal.transaction import Transaction
from tests.rigs.books import laid, segment, wager

FEW = Retention(rounds=3, events=4, of_each=2, stretch=1_000)
"""So little stays that most of each past is left behind."""
UNITS = {"coin_in": 10, "coin_out": 10, "drop": 10, "hand_pay": 10, "games": 1}
ARCHIVE, RESTART = "archive", "restart"

Do = Callable[[Transaction], object]


def _play(stake: int, win: int, steps: int) -> list[Do]:
    """A round of so many segments, all in order or none where it is refused."""

    def go_on(tx: Transaction, *, last: bool) -> None:
        (number,) = tx.execute("SELECT id FROM rounds WHERE state = 'open'").fetchone() or (0,)
        rounds.proceed(tx, number, segment(win, ends=last, answer=0))

    began: Do = lambda tx: rounds.begin(tx, wager(stake), "null", segment(win, ends=steps == 0))  # noqa: E731
    return [began, *((lambda tx, last=at == steps - 1: go_on(tx, last=last)) for at in range(steps))]


def _hopper(coins: int) -> list[Do]:
    def pay(number: int) -> Do:
        return lambda tx: payouts.coin_paid(tx, number)

    return [
        lambda tx: payouts.begin_payout(tx, "hopper", coins * 100, 100),
        lambda tx: payouts.dispensing(tx, 7, 1, 100),
        *map(pay, range(1, coins + 1)),
        lambda tx: payouts.end_hopper_payout(tx, "done"),
    ]


def _coins(values: list[int]) -> list[Do]:
    def take(tx: Transaction) -> None:
        counter = money.coin_counter(tx, 1) or 0
        money.coins_taken(tx, 1, (counter + len(values)) % 255 + 1, tuple(values), 0)

    return [take]


def _batch_ends(tx: Transaction) -> None:
    batch = hard_meters.in_flight(tx)
    if batch is not None:
        hard_meters.end_batch(tx, UNITS, batch, batch.pulses)


_fault = st.sampled_from(("hopper_low", "no_reply"))
ACTS = st.one_of(
    st.builds(_coins, st.lists(st.sampled_from((10, 100, 200)), max_size=4)),
    st.builds(_play, st.sampled_from((100, 250)), st.sampled_from((0, 100, 700)), st.integers(0, 2)),
    st.builds(_hopper, st.integers(1, 4)),
    st.sampled_from((500, 2000)).map(lambda value: [lambda tx: money.note_stacking(tx, value)]),
    st.just([lambda tx: money.note_stacked(tx, None), money.note_acknowledged]),
    st.just([lambda tx: money.note_unknown(tx, "gone")]),
    st.just([lambda tx: payouts.begin_payout(tx, "hand_pay", tx.credit_cents), payouts.confirm_hand_pay]),
    _fault.map(lambda code: [lambda tx: faults.record_fault(tx, code, "hopper", "so", meters={"faults": 1})]),
    _fault.map(lambda code: [lambda tx: faults.clear_fault(tx, code, "hopper", "itself")]),
    st.just([lambda tx: hard_meters.begin_batch(tx, UNITS, list(UNITS), 7)]),
    st.just([_batch_ends]),
    st.just([lambda tx: periods.close_period(tx, "attendant")]),
    st.just([lambda tx: tx.log("power_up", "so", meters={"power_ups": 1})]),
    st.integers(0, 9).map(lambda value: [lambda tx: key_value.SETTINGS.store(tx, "session", str(value))]),
    st.just(RESTART),
    st.just(ARCHIVE),
)


class Books:
    """The books in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.path = laid(folder / "journal.sqlite")
        self.store = self._opened()

    def _opened(self) -> Store:
        return Store(self.path, lambda: 0, simulated=True)

    def restart(self) -> None:
        """End and start again."""
        self.store.close()
        self.store = self._opened()

    def archive(self) -> None:
        """Archive them, where nothing is under way."""
        with suppress(RefusedError):
            self.store.transact(lambda tx: decide(tx, self.path.parent / "archive", "so"))
        self.store.close()
        finish(self.path, lambda: 0, retained=FEW)
        self.store = self._opened()

    def do(self, acts: list[Do]) -> list[str]:
        """Do acts until one is refused, and return what was said."""
        refusals: list[str] = []
        for act in acts:
            try:
                self.store.transact(act)
            except RefusedError as error:
                refusals.append(error.template)
                break
        return refusals


def snapshot_of(tx: Transaction) -> list[object]:
    """All that counts, however much of the past is at hand: money, meters, devices, faults, open things, totals."""
    tx.audit()
    tx.prove()
    newest = [past.id for past in rounds.ended_rounds(tx, FEW.rounds)]
    return [
        tx.credit_cents,
        periods.lifetime(tx),
        periods.since_collection(tx),
        [period.meters for period in periods.periods(tx, 50)],
        tx.execute(
            "SELECT name, owed, given, given_units, in_flight, doubtful FROM hard_meters ORDER BY name"
        ).fetchall(),
        key_value.DEVICE_STATE.under(tx),
        tx.execute("SELECT * FROM settings ORDER BY name").fetchall(),
        [(fault.code, fault.present) for fault in faults.active_faults(tx)],
        open_items(tx),
        money.note_in_hand(tx),
        payouts.open_payout(tx),
        payouts.paid_since_play(tx),
        by_bet(tx),
        days(tx, 9),
        win_sizes(tx),
        games_since(tx, "power_up", ""),
        demo_mode.is_on(tx),
        [account(tx, number) for number in newest],
        [rounds.recorded_round(tx, number) for number in newest],
    ]


@settings(max_examples=60)
@given(st.lists(ACTS, max_size=40))
def test_archives_change_nothing_that_counts(tale: list[object]) -> None:
    """The same acts on books that are archived now and then and on books that never are: refusals and all are alike."""
    folder = Path(tempfile.mkdtemp(prefix="archiving"))
    try:
        for name in ("plain", "archived"):
            (folder / name).mkdir()
        plain, often = Books(folder / "plain"), Books(folder / "archived")
        for act in tale:
            if act == ARCHIVE:
                often.archive()
            elif act == RESTART:
                plain.restart()
                often.restart()
            else:
                assert isinstance(act, list)
                assert often.do(act) == plain.do(act)
            assert often.store.transact(snapshot_of) == plain.store.transact(snapshot_of)
        plain.store.close()
        often.store.close()
        proof = audit(often.path, lambda *_: None)
        prove_archives(often.path, proof, whole=lambda *_: None)
        assert [failure for failure in proof.failures if "no game" not in failure] == []
    finally:
        shutil.rmtree(folder)
