"""Any order of money, rounds and meters over one journal."""

import shutil
import sqlite3
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from controller.journal import hard_meters, ledger, money, payouts, rounds
from controller.journal.errors import RefusedError
from controller.journal.held_payouts import DOUBT, REST, held_cents
from controller.journal.open_items import Resolution, open_items
from controller.journal.resolutions import resolve_item
from controller.journal.store import Store
from tests.rigs.books import laid, segment, wager

NOTES = st.sampled_from((500, 1000, 2000, 5000))


COINS = st.sampled_from((10, 20, 50, 100, 200))


UNITS = {"coin_in": 10, "coin_out": 10, "drop": 10, "hand_pay": 10, "games": 1}


class Books(RuleBasedStateMachine):
    """A journal beside a model that knows what it must hold."""

    @initialize()
    def open(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="books"))
        self.store = self._open()
        self.credit = 0
        self.money_in = 0
        self.money_out = 0
        self.items = 0
        self.note: tuple[int, str] | None = None
        self.counter = 0
        self.round: int | None = None
        self.stake = 0
        self.round_win = 0
        self.payout: tuple[str, int, int] | None = None
        self.held: list[tuple[int, bool]] = []
        """Cents of each payout that is held, and whether the machine was used since."""
        self.stepped: Counter[str] = Counter()
        self.cut_pulses: Counter[str] = Counter()

    def _open(self) -> Store:
        return Store(laid(self.folder / "journal.sqlite"), lambda: 0, simulated=True)

    def teardown(self) -> None:
        self.store.close()
        with closing(sqlite3.connect(self.folder / "journal.sqlite")) as connection:
            chain = ledger.from_genesis()
            chain.follow(connection)
            ledger.agree(connection, chain)
        shutil.rmtree(self.folder)

    @rule()
    def restart(self) -> None:
        self.store.close()
        self.store = self._open()

    @rule(values=st.lists(COINS, max_size=5), lost=st.integers(0, 2))
    def coins(self, values: list[int], lost: int) -> None:
        self.counter = (self.counter + len(values) + lost) % 255 + 1
        counter = self.counter
        self.store.transact(lambda tx: money.coins_taken(tx, 7, counter, tuple(values), lost))
        self.credit += sum(values)
        self.money_in += sum(values)
        if values:
            self._used()
        self.items += bool(lost)
        assert counter == self.store.transact(lambda tx: money.coin_counter(tx, 7))

    @rule(value=NOTES)
    def note_into_escrow(self, value: int) -> None:
        self.store.transact(lambda tx: money.note_stacking(tx, value))
        if self.note is not None and self.note[1] == "stacking":
            self.items += 1
        self.note = (value, "stacking")

    @precondition(lambda self: self.note is not None)
    @rule(says_value=st.booleans())
    def note_stacked(self, says_value: bool) -> None:  # noqa: FBT001 - hypothesis hands it over
        assert self.note is not None
        value, state = self.note
        self.store.transact(lambda tx: money.note_stacked(tx, value if says_value else None))
        if state == "stacking":
            self.credit += value
            self.money_in += value
            self._used()
            self.note = (value, "credited")

    @rule()
    def note_acknowledged(self) -> None:
        self.store.transact(money.note_acknowledged)
        if self.note is not None and self.note[1] == "credited":
            self.note = None

    @rule()
    def note_returned(self) -> None:
        self.store.transact(lambda tx: money.note_returned(tx, "returned"))
        if self.note is not None:
            self.items += self.note[1] == "credited"
            self.note = None

    @rule()
    def note_lost_sight_of(self) -> None:
        self.store.transact(lambda tx: money.note_unknown(tx, "power was cut"))
        if self.note is not None and self.note[1] == "stacking":
            self.items += 1
            self.note = None

    @rule(stake=st.integers(1, 800), win=st.integers(0, 2000), ends=st.booleans())
    def round_begins(self, stake: int, win: int, ends: bool) -> None:  # noqa: FBT001 - hypothesis hands it over
        allowed = self.round is None and self.payout is None and stake <= self.credit
        try:
            number = self.store.transact(lambda tx: rounds.begin(tx, wager(stake), "null", segment(win, ends=ends)))
        except RefusedError:
            assert not allowed
            return
        assert allowed
        self._used()
        self.credit += win - stake
        self.round, self.stake, self.round_win = (None, 0, 0) if ends else (number, stake, win)

    @precondition(lambda self: self.round is not None)
    @rule(win=st.integers(0, 2000), ends=st.booleans())
    def round_proceeds(self, win: int, ends: bool) -> None:  # noqa: FBT001 - hypothesis hands it over
        number = self.round
        assert number is not None
        self.store.transact(lambda tx: rounds.proceed(tx, number, segment(win, ends=ends, answer=0)))
        self.credit += win
        self.round_win += win
        if ends:
            self.round = None

    @precondition(lambda self: self.round is not None)
    @rule()
    def round_void(self) -> None:
        number = self.round
        assert number is not None
        self.store.transact(lambda tx: rounds.void(tx, number, "it could not be replayed"))
        self.credit += self.stake - self.round_win
        self.round = None

    @rule(kind=st.sampled_from(("hopper", "hand_pay")), coins=st.integers(1, 5))
    def payout_begins(self, kind: str, coins: int) -> None:
        amount = coins * 50
        allowed = self.round is None and self.payout is None and amount <= self.credit
        try:
            self.store.transact(lambda tx: payouts.begin_payout(tx, kind, amount, 50))
        except RefusedError:
            assert not allowed
            return
        assert allowed
        self.payout = (kind, coins, 0)

    @precondition(lambda self: self.payout is not None and self.payout[0] == "hopper")
    @rule(again=st.booleans())
    def coin_leaves(self, again: bool) -> None:  # noqa: FBT001 - hypothesis hands it over
        assert self.payout is not None
        kind, coins, paid = self.payout
        self.store.transact(lambda tx: payouts.coin_paid(tx, paid + 1))
        if again:
            self.store.transact(lambda tx: payouts.coin_paid(tx, paid + 1))
        self.payout = (kind, coins, paid + 1)
        if paid < coins:
            self.credit -= 50
            self.money_out += 50
        else:
            self.items += 1

    @precondition(lambda self: self.payout is not None)
    @rule(undecided=st.booleans())
    def payout_ends(self, undecided: bool) -> None:  # noqa: FBT001 - hypothesis hands it over
        assert self.payout is not None
        kind, coins, paid = self.payout
        if kind == "hand_pay":
            self.store.transact(payouts.cancel_hand_pay if undecided else payouts.confirm_hand_pay)
            if not undecided:
                self.credit -= coins * 50
                self.money_out += coins * 50
        else:
            state = "undecided" if undecided else "done" if paid >= coins else "short"
            self.store.transact(lambda tx: payouts.end_hopper_payout(tx, state))
            self.items += undecided
            if undecided and paid < coins:
                self.credit -= (coins - paid) * 50
                self.held.append(((coins - paid) * 50, False))
        self.payout = None

    @precondition(lambda self: self.held and self.payout is None and self.round is None)
    @rule(left=st.integers(0, 5), by_hand=st.booleans())
    def held_payout_decided(self, left: int, by_hand: bool) -> None:  # noqa: FBT001 - hypothesis hands it over
        """A technician says how many coins had left; the rest goes back, or is an item where others have played."""
        cents, used = self.held.pop(0)
        gone = min(left * 50, cents)
        item = next(item for item in self.store.transact(open_items) if item.kind == DOUBT)
        assert item.amount_cents == cents
        way = Resolution.LEFT if gone else Resolution.KEPT
        self.store.transact(lambda tx: resolve_item(tx, item.id, way, "technician", amount_cents=gone))
        self.money_out += gone
        self.items -= 1
        if not used or gone == cents:
            self.credit += cents - gone
            return
        (rest,) = [item for item in self.store.transact(open_items) if item.kind == REST]
        assert rest.amount_cents == cents - gone
        way = Resolution.PAID if by_hand else Resolution.CREDITED
        self.store.transact(lambda tx: resolve_item(tx, rest.id, way, "attendant", amount_cents=cents - gone))
        self.money_out += cents - gone if by_hand else 0
        self.credit += 0 if by_hand else cents - gone

    def _used(self) -> None:
        self.held = [(cents, True) for cents, _ in self.held]

    @rule(
        most=st.integers(1, 30),
        steps=st.integers(0, 30),
        ends=st.sampled_from(("in order", "killed", "power cut")),
        lost=st.integers(0, 30),
        stepped=st.booleans(),
    )
    def pulses(self, most: int, steps: int, ends: str, lost: int, *, stepped: bool) -> None:
        """A batch is begun and given up to some pulse; a power cut takes the `lost` newest notes along.

        A cut comes within the last pulse, which may have `stepped` the wheels.
        """
        batch = self.store.transact(lambda tx: hard_meters.begin_batch(tx, UNITS, list(UNITS), most))
        if batch is None:
            return
        notes = [hard_meters.Noted(batch.number, {}, {})]
        for step in range(1, steps + 1):
            given = notes[-1].given
            begun = {name: min(step, pulses) for name, pulses in batch.pulses.items()}
            notes.append(hard_meters.Noted(batch.number, begun, given))
            if step < steps or ends == "in order" or stepped:
                self.stepped.update(Counter(begun) - Counter(given))
            if step < steps or ends == "in order":
                notes.append(hard_meters.Noted(batch.number, begun, begun))
        if ends == "in order":
            self.store.transact(lambda tx: hard_meters.end_batch(tx, UNITS, batch, notes[-1].given))
            return
        power_was_on = ends == "killed"
        noted = notes[-1 if power_was_on else max(0, len(notes) - 1 - lost)]
        self.cut_pulses.update(Counter(noted.begun) - Counter(noted.given))
        self.store.note_pulses(noted)
        self.restart()
        assert self.store.pulses_noted == noted
        self.store.transact(lambda tx: hard_meters.settle_cut_pulses(tx, UNITS, noted, power_was_on=power_was_on))
        assert self.store.transact(hard_meters.in_flight) is None

    @invariant()
    def no_pulse_is_lost(self) -> None:
        """The books have given no more than the wheels were driven to, and no less but for what they call doubtful."""
        if not hasattr(self, "store"):
            return
        rows = self.store.transact(lambda tx: tx.execute("SELECT name, given, doubtful FROM hard_meters").fetchall())
        for name, given, doubtful in rows:
            assert given - self.cut_pulses[name] <= self.stepped[name] <= given + doubtful

    @invariant()
    def balanced(self) -> None:
        if not hasattr(self, "store"):
            return
        assert self.credit == self.store.credit_cents
        self.store.transact(lambda tx: tx.audit())
        assert sum(cents for cents, _ in self.held) == self.store.transact(held_cents)
        assert self.items == len(self.store.transact(open_items))
        figures = dict(self.store.transact(lambda tx: tx.execute("SELECT name, value FROM meters").fetchall()))
        assert self.money_in == figures.get("coins_in", 0) + figures.get("notes_in", 0)
        assert self.money_out == figures.get("hopper_out", 0) + figures.get("hand_pay", 0)
        for name, owed, given in self.store.transact(
            lambda tx: tx.execute("SELECT name, owed, given_units FROM hard_meters").fetchall()
        ):
            assert owed + given == sum(figures.get(soft, 0) for soft in SOFT[name])


SOFT = {
    "coin_in": ("stakes",),
    "coin_out": ("wins",),
    "drop": ("coins_in", "notes_in"),
    "hand_pay": ("hand_pay",),
    "games": ("games",),
}
