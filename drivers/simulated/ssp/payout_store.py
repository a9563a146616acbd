"""The store of a payout device: the money in it, its counters, and each coin's or note's way out.

The counted levels, the routes and the progress of an operation are non-volatile. The money that physically left it is
tracked separately (`paid_out`, `boxed`), independent of the device's own figures.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple

import msgspec

from drivers.simulated.fault_model.rows import befalling
from drivers.simulated.mishaps import Mishaps
from drivers.simulated.ssp.frames import Event
from drivers.simulated.ssp.payout_rows import ROWS
from drivers.simulated.whereabouts import Piece, Spot

TO_PAYOUT, TO_CASHBOX = 0, 1
"""Routes of a denomination (GA138, page 92)."""
JAM: Final = 1
"""The reason of an aborted payout (GA138, Error During Payout): 0 a wrong piece was paid, 1 a jam."""


class Kind(Enum):
    """A kind of operation: its events while it runs, at its end, and after a power cut."""

    PAYOUT = (Event.DISPENSING, Event.DISPENSED, Event.INCOMPLETE_PAYOUT)
    FLOAT = (Event.FLOATING, Event.FLOATED, Event.INCOMPLETE_FLOAT)
    EMPTY = (Event.EMPTYING, Event.EMPTIED, None)
    SMART_EMPTY = (Event.SMART_EMPTYING, Event.SMART_EMPTIED, None)


class Step(Enum):
    """The place of the moving piece."""

    IN_STORE = "in the store"
    ON_ITS_WAY = "on its way"
    IN_BEZEL = "in the bezel"
    OUT_UNCOUNTED = "out, not counted"


class StoreHabits(msgspec.Struct, frozen=True, kw_only=True):
    """Times in seconds of a piece's way: out of the store, through the exit, into the counters.

    With a `count_s` above 0 a power cut can come between a coin's fall and its count. `after_cut` is where the next
    start sends a piece that the cut caught on its way: `back` into the store, `out` or into the `cashbox`. A piece that
    went `out` or to the `cashbox` is reported by a separate event; the incomplete payout before it includes its value
    only with `counts_at_reset`.
    """

    grip_s: float = 0.05
    exit_s: float = 0.05
    count_s: float = 0.0
    timeout_s: float = 3.0
    after_cut: str = "back"
    counts_at_reset: bool = False


class Happening(NamedTuple):
    """A payout event: an amount in cents, and for an incomplete operation the requested amount."""

    event: Event
    cents: int | None = None
    requested_cents: int | None = None
    code: int | None = None


class Operation:
    """One operation: the pieces still to move, the amount moved, in cents, and the moving piece."""

    def __init__(self, kind: Kind, pieces: Sequence[int], requested_cents: int) -> None:
        self.kind = kind
        self.pieces = deque(pieces)
        self.requested_cents = requested_cents
        self.moved_cents = 0
        self.boxed_cents = 0
        self.step = Step.IN_STORE
        self.halting = False
        self.fate = ""


def exactly(amount_cents: int, stock: Mapping[int, int]) -> list[int] | None:
    """Return pieces of `stock` (how many by value) worth exactly `amount_cents`, the largest first, or None."""
    reached: dict[int, tuple[int, int]] = {0: (0, 0)}
    for value in sorted((value for value, count in stock.items() if count > 0), reverse=True):
        for start in sorted(reached):
            for count in range(1, min(stock[value], (amount_cents - start) // value) + 1):
                if start + count * value in reached:
                    break
                reached[start + count * value] = (value, count)
    pieces: list[int] = []
    rest = amount_cents
    while rest in reached and rest:
        value, count = reached[rest]
        pieces += [value] * count
        rest -= value * count
    return None if rest else sorted(pieces, reverse=True)


class PayoutStore:
    """The store of denominations `values_cents`; it holds, and has counted, `stock`.

    `paid(cents)` and `boxed_in(cents)` are called for each piece that falls to the player or into the cash box,
    `changed()` when its visible state may have changed. `happened` takes its events, `mishaps` are its mishaps.
    `notes`: it pays through a bezel.
    """

    def __init__(
        self,
        values_cents: Sequence[int],
        stock: Mapping[int, int],
        *,
        happened: Callable[[Happening], None],
        paid: Callable[[int], None],
        boxed_in: Callable[[int], None],
        changed: Callable[[], None] | None = None,
        habits: StoreHabits | None = None,
        mishaps: Mishaps | None = None,
        notes: bool = False,
    ) -> None:
        self._notes = notes
        self.mishaps = mishaps if mishaps is not None else Mishaps(befalling(ROWS))
        self.values_cents = tuple(values_cents)
        self.habits = habits if habits is not None else StoreHabits()
        self.levels: Counter[int] = Counter({value: stock.get(value, 0) for value in values_cents})
        self.held: Counter[int] = Counter(self.levels)
        self.routes = dict.fromkeys(values_cents, TO_PAYOUT)
        self.paid_out: Counter[int] = Counter()
        self.boxed: Counter[int] = Counter()
        self.last_boxed: Counter[int] = Counter()
        self.jammed = False
        self.operation: Operation | None = None
        self._aside: Counter[int] = Counter()
        self._taken: Counter[int] = Counter()
        self._removed: Counter[int] | None = None
        self._happened = happened
        self._paid = paid
        self._boxed_in = boxed_in
        self._changed = changed
        self._timer: asyncio.TimerHandle | None = None

    def __repr__(self) -> str:
        return f"<PayoutStore {dict(self.held)} {self.operation.kind.name if self.operation else 'idle'}>"

    @property
    def stock(self) -> int:
        """The number of pieces in it, counted or not."""
        return self.held.total()

    def payable(self) -> dict[int, int]:
        """The counted pieces available for payouts, by value."""
        return {value: self.levels[value] for value in self.values_cents if self.routes[value] == TO_PAYOUT}

    def add(self, value_cents: int, count: int = 1) -> None:
        """Put pieces in, and count them."""
        self.held[value_cents] += count
        self.levels[value_cents] += count
        self._show()

    def lay_aside(self, much: int) -> None:
        """Take all pieces out without changing the count, or (0) put them back."""
        taken = self.held if much else Counter[int]()
        self.held = Counter(dict.fromkeys(self.values_cents, 0)) if much else self.held + self._aside
        self._aside = self._aside + taken if much else Counter()
        self._show()

    def lose_count(self, count: int = 1) -> None:
        """Remove that many pieces without changing the count, the highest values first."""
        for _ in range(min(count, self.stock)):
            self.held[self._dearest()] -= 1

    def forget_count(self, _much: int = 1) -> None:
        """Set all counts to 0 while the pieces stay in the store."""
        self.levels = Counter(dict.fromkeys(self.values_cents, 0))

    def remove(self, much: int) -> None:
        """Remove the store with its pieces and counts, or (0) attach it again; both are reported."""
        if much and self._removed is None:
            self._removed = self.held
            self._happened(Happening(Event.STORE_REMOVED))
        elif not much and self._removed is not None:
            self.held, self._removed = self._removed, None
            self._happened(Happening(Event.STORE_ATTACHED))
            self._show()
            return
        else:
            return
        self.held = Counter(dict.fromkeys(self.values_cents, 0))
        self._show()

    def swap(self, stock: Mapping[int, int]) -> None:
        """Replace it by another store with `stock`; the old one is removed with its content."""
        self.cut()
        self.operation = None
        self._taken.update(self.held)
        self.values_cents = tuple(sorted({*self.values_cents, *stock}))
        self.held = Counter({value: stock.get(value, 0) for value in self.values_cents})
        self.levels = Counter(self.held)
        self.routes = dict.fromkeys(self.values_cents, TO_PAYOUT)
        self._show()

    def transfer(self, value_cents: int) -> None:
        """Move a piece into the cash box by itself, and report it."""
        if self.operation is None and self.held[value_cents]:
            self.held[value_cents] -= 1
            self.levels[value_cents] = max(0, self.levels[value_cents] - 1)
            self._box(value_cents)
            self._happened(Happening(Event.TO_STACKER, value_cents))

    def take_from_bezel(self, _much: int = 1) -> None:
        """Take the piece held in the bezel, if any."""
        if self.operation is not None and self.operation.step is Step.IN_BEZEL:
            self._out()

    def money(self) -> dict[Spot, Counter[Piece]]:
        """Return what physically lies at each spot, independent of the device's counts and reports."""
        under_way = self.operation is not None and self.operation.step in {Step.ON_ITS_WAY, Step.IN_BEZEL}
        lies = {
            Spot.STORE: self.held,
            Spot.PATH: Counter([self._running().pieces[0]] if under_way else []),
            Spot.PAID: self.paid_out,
            Spot.CASH_BOX: self.boxed,
            Spot.TAKEN: self._aside + self._taken + (self._removed or Counter()),
        }
        return {spot: Counter[Piece](+pieces) for spot, pieces in lies.items() if +pieces}

    def slip(self, count: int = 1) -> None:
        """Drop pieces without a command and uncounted, the highest values first."""
        for _ in range(min(count, self.stock)):
            value = self._dearest()
            self.held[value] -= 1
            self._pay(value)

    def troubles(self) -> dict[str, Callable[[int], None]]:
        """Return what can be triggered, by name: 1 begins, 0 ends it; `slip` and `uncounted` take a count."""

        def jam(much: int) -> None:
            self.jammed = bool(much)

        return {
            **self.mishaps.orders(),
            "empty": self.lay_aside,
            "jam": jam,
            "slip": self.slip,
            "uncounted": self.lose_count,
            "count_reset": self.forget_count,
            **({"store_removed": self.remove, "bezel_taken": self.take_from_bezel} if self._notes else {}),
        }

    def refill(self, value_cents: int, pieces: int) -> None:
        """Set the total to `pieces`: add and count pieces of that value, or take out the highest values."""
        more = pieces - self.stock
        self.add(value_cents, max(more, 0))
        for _ in range(-more):
            self.add(self._dearest(), -1)

    def _dearest(self) -> int:
        return max(value for value, held in self.held.items() if held)

    # An operation.

    def begin(self, operation: Operation) -> None:
        """Start moving pieces."""
        self.operation = operation
        self.last_boxed = Counter()
        self._next()

    def halt(self) -> None:
        """Stop after the piece that is on its way."""
        if self.operation is not None:
            self.operation.halting = True
            if self.operation.step is Step.IN_STORE:
                self._next()

    def cut(self) -> None:
        """Lose power: stop all movement; a piece that falls back falls."""
        self._later(0.0, None)
        operation = self.operation
        if operation is None or operation.step is not Step.ON_ITS_WAY:
            return
        operation.fate = self.mishaps.which(*_AFTER_CUT) or self.habits.after_cut
        if operation.fate in {"back", "back_reported"}:
            self.held[operation.pieces[0]] += 1
            operation.step = Step.IN_STORE

    def start(self) -> list[Happening]:
        """Clear the payout path after a start; return the events of an operation that a power cut ended."""
        operation, self.operation = self.operation, None
        if operation is None:
            return []
        moved, report = self._clear(operation)
        if operation.kind.value[2] is None:
            return report
        counted = operation.moved_cents + (moved if self.habits.counts_at_reset else 0)
        return [Happening(operation.kind.value[2], counted, operation.requested_cents), *report]

    def _clear(self, operation: Operation) -> tuple[int, list[Happening]]:
        if operation.fate == "back_reported":
            return 0, [Happening(Event.TO_STORE_AT_RESET, operation.pieces[0])]
        if operation.step not in {Step.ON_ITS_WAY, Step.IN_BEZEL}:
            return 0, []
        value = operation.pieces[0]
        self.levels[value] = max(0, self.levels[value] - 1)
        if operation.step is Step.IN_BEZEL or operation.fate in {"out", "falls_at_start"}:
            self._pay(value)
            return value, [Happening(Event.DISPENSED_AT_RESET, value)]
        self._box(value)
        return 0, [Happening(Event.TO_STACKER_AT_RESET, value)]

    def _later(self, seconds: float, then: Callable[[], None] | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if then is None else asyncio.get_running_loop().call_later(seconds, then)

    def _next(self) -> None:
        """Grip the next piece, or end the operation."""
        operation = self._running()
        pays = operation.kind is Kind.PAYOUT and bool(operation.pieces)
        self.jammed = self.jammed or (pays and self.mishaps.happens("jams"))
        if pays and self.mishaps.happens("breaks_off"):
            self._end(Event.ERROR_IN_PAYOUT)
        elif operation.halting:
            self._end(Event.HALTED)
        elif not operation.pieces:
            self._end(operation.kind.value[1])
        elif self.jammed:
            self._later(self.habits.grip_s, lambda: self._end(Event.JAMMED))
        elif not self.held[operation.pieces[0]]:
            self._later(self.habits.timeout_s, lambda: self._end(Event.TIMED_OUT))
        else:
            self._later(self.habits.grip_s, self._grip)

    def _grip(self) -> None:
        operation = self._running()
        self._sort_out(operation)
        if not self.held[operation.pieces[0]]:
            # it has been taken out by hand meanwhile
            self._next()
            return
        self.held[operation.pieces[0]] -= 1
        operation.step = Step.ON_ITS_WAY
        self._later(self.habits.exit_s, self._fall)

    def _sort_out(self, operation: Operation) -> None:
        """Send a piece that is routed to the cash box there, if a payout meets one."""
        astray = [value for value in self.values_cents if self.routes[value] == TO_CASHBOX and self.held[value]]
        if astray and operation.kind is Kind.PAYOUT:
            self.held[astray[0]] -= 1
            self.levels[astray[0]] = max(0, self.levels[astray[0]] - 1)
            operation.boxed_cents += astray[0]
            self._box(astray[0])

    def _fall(self) -> None:
        operation = self._running()
        value = operation.pieces[0]
        possible = _IN_A_PAYOUT if self._notes else _IN_A_PAYOUT[:-1]
        befalls = self.mishaps.which(*possible) if operation.kind is Kind.PAYOUT else ""
        if befalls == "held_in_bezel":
            operation.step = Step.IN_BEZEL
        elif befalls == "counts_without_fall":
            self.held[value] += 1
            self._count()
        elif befalls == "falls_uncounted":
            # the sensor misses it, so another piece is paid for the one still owed
            operation.step = Step.IN_STORE
            self._pay(value)
            self._next()
        else:
            self._out()

    def _out(self) -> None:
        """Handle a piece that has left the store."""
        operation = self._running()
        operation.step = Step.OUT_UNCOUNTED
        (self._pay if operation.kind is Kind.PAYOUT else self._box)(operation.pieces[0])
        if self.habits.count_s:
            self._later(self.habits.count_s, self._count)
        else:
            self._count()

    def _count(self) -> None:
        operation = self._running()
        value = operation.pieces.popleft()
        self.levels[value] = max(0, self.levels[value] - 1)
        operation.moved_cents += value
        operation.step = Step.IN_STORE
        self._next()

    def _end(self, event: Event) -> None:
        operation = self._running()
        self.operation = None
        self._later(0.0, None)
        if operation.kind in {Kind.EMPTY, Kind.SMART_EMPTY} and event is operation.kind.value[1]:
            self.levels = Counter(dict.fromkeys(self.values_cents, 0))
        code = JAM if event is Event.ERROR_IN_PAYOUT else None
        self._happened(Happening(event, None if event is Event.EMPTIED else operation.moved_cents, code=code))
        if event is Event.DISPENSED and self.mishaps.happens("runs_on"):
            self.slip()
        if operation.boxed_cents:
            self._happened(Happening(Event.CASHBOX_PAID, operation.boxed_cents))
        self._show()

    def _running(self) -> Operation:
        if self.operation is None:
            raise AssertionError("a payout's timer outlived its operation")
        return self.operation

    def _pay(self, value_cents: int) -> None:
        self.paid_out[value_cents] += 1
        self._paid(value_cents)
        self._show()

    def _box(self, value_cents: int) -> None:
        self.boxed[value_cents] += 1
        self.last_boxed[value_cents] += 1
        self._boxed_in(value_cents)
        self._show()

    def _show(self) -> None:
        if self._changed is not None:
            self._changed()


_AFTER_CUT: Final = ("back_reported", "falls_at_start", "boxed_at_start")
_IN_A_PAYOUT: Final = ("falls_uncounted", "counts_without_fall", "held_in_bezel")
