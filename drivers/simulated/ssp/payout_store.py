"""What of a payout device pays: the money in it, its counters, and the way of each coin or note out of it.

Non-volatile are the levels that it counts, the routes, and how far an operation had come. What really left it is
counted apart (`paid_out`, `boxed`), as somebody who stands before it would: no figure of the device goes into that.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

import msgspec

from drivers.simulated.ssp.frames import Event

TO_PAYOUT, TO_CASHBOX = 0, 1
"""Routes of a denomination (GA138, page 92)."""


class Kind(Enum):
    """What a payout device is at: the events while, at the end of and after a cut in such an operation."""

    PAYOUT = (Event.DISPENSING, Event.DISPENSED, Event.INCOMPLETE_PAYOUT)
    FLOAT = (Event.FLOATING, Event.FLOATED, Event.INCOMPLETE_FLOAT)
    EMPTY = (Event.EMPTYING, Event.EMPTIED, None)
    SMART_EMPTY = (Event.SMART_EMPTYING, Event.SMART_EMPTIED, None)


class Step(Enum):
    """Where the piece on its way is."""

    IN_STORE = "in the store"
    ON_ITS_WAY = "on its way"
    OUT_UNCOUNTED = "out, not counted"


class StoreHabits(msgspec.Struct, frozen=True, kw_only=True):
    """Times in seconds of a piece's way: out of the store, through the exit, into the counters.

    With a `count_s` a power cut can come between a coin's fall and its being counted. `after_cut` is what becomes of a
    piece that a cut has caught on its way, in the next start: it is `back` in the store, `out` or in the `cashbox`; one
    that went `out` or to the `cashbox` is reported by an event of its own, whose value the incomplete payout before it
    contains only with `counts_at_reset`.
    """

    grip_s: float = 0.05
    exit_s: float = 0.05
    count_s: float = 0.0
    timeout_s: float = 3.0
    after_cut: str = "back"
    counts_at_reset: bool = False


class Happening(NamedTuple):
    """An event of the payout: an amount in cents, for an incomplete operation the one that was requested, too."""

    event: Event
    cents: int | None = None
    requested_cents: int | None = None


class Operation:
    """One operation: the pieces still to move, what has moved, in cents, and the piece on its way."""

    def __init__(self, kind: Kind, pieces: Sequence[int], requested_cents: int) -> None:
        self.kind = kind
        self.pieces = deque(pieces)
        self.requested_cents = requested_cents
        self.moved_cents = 0
        self.boxed_cents = 0
        self.step = Step.IN_STORE
        self.halting = False


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
    """The store of denominations `values_cents`, `stock` of which it holds and has counted.

    `paid(cents)` and `boxed_in(cents)` are called for each piece that falls to the player or into the cash box,
    `changed()` when anything may be seen. `happened` takes its events.
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
    ) -> None:
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
        self._happened = happened
        self._paid = paid
        self._boxed_in = boxed_in
        self._changed = changed
        self._timer: asyncio.TimerHandle | None = None

    def __repr__(self) -> str:
        return f"<PayoutStore {dict(self.held)} {self.operation.kind.name if self.operation else 'idle'}>"

    @property
    def stock(self) -> int:
        """How many pieces are in it, counted or not."""
        return self.held.total()

    def payable(self) -> dict[int, int]:
        """What it counts for payouts, by value."""
        return {value: self.levels[value] for value in self.values_cents if self.routes[value] == TO_PAYOUT}

    def add(self, value_cents: int, count: int = 1) -> None:
        """Put pieces in, and count them."""
        self.held[value_cents] += count
        self.levels[value_cents] += count
        self._show()

    def lay_aside(self, much: int) -> None:
        """Take all pieces out, counted as they are, or (0) put them back."""
        taken = self.held if much else Counter[int]()
        self.held = Counter(dict.fromkeys(self.values_cents, 0)) if much else self.held + self._aside
        self._aside = self._aside + taken if much else Counter()
        self._show()

    def lose_count(self, count: int = 1) -> None:
        """Hold so many pieces fewer than it has counted, the dearest first."""
        for _ in range(min(count, self.stock)):
            self.held[self._dearest()] -= 1

    def slip(self, count: int = 1) -> None:
        """Let pieces fall out that nobody ordered and nothing counts, the dearest first."""
        for _ in range(min(count, self.stock)):
            value = self._dearest()
            self.held[value] -= 1
            self._pay(value)

    def troubles(self) -> dict[str, Callable[[int], None]]:
        """What a hand can bring about, by name: 1 begins it, 0 ends it; `slip` and `uncounted` are so many pieces."""

        def jam(much: int) -> None:
            self.jammed = bool(much)

        return {"empty": self.lay_aside, "jam": jam, "slip": self.slip, "uncounted": self.lose_count}

    def refill(self, value_cents: int, pieces: int) -> None:
        """Hold `pieces` in all: put in, and count, pieces of that value, or take out the dearest."""
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
        """Lose power: nothing moves any more; what falls back falls."""
        self._later(0.0, None)
        operation = self.operation
        if operation is not None and operation.step is Step.ON_ITS_WAY and self.habits.after_cut == "back":
            self.held[operation.pieces[0]] += 1
            operation.step = Step.IN_STORE

    def start(self) -> list[Happening]:
        """Clear the way after a start, and return what is to be reported of an operation that a cut ended."""
        operation, self.operation = self.operation, None
        if operation is None:
            return []
        moved, report = self._clear(operation)
        if operation.kind.value[2] is None:
            return report
        counted = operation.moved_cents + (moved if self.habits.counts_at_reset else 0)
        return [Happening(operation.kind.value[2], counted, operation.requested_cents), *report]

    def _clear(self, operation: Operation) -> tuple[int, list[Happening]]:
        if operation.step is not Step.ON_ITS_WAY:
            return 0, []
        value = operation.pieces[0]
        self.levels[value] -= 1
        if self.habits.after_cut == "out":
            self._pay(value)
            return value, [Happening(Event.DISPENSED_AT_RESET, value)]
        self._box(value)
        return 0, [Happening(Event.TO_STACKER_AT_RESET, value)]

    def _later(self, seconds: float, then: Callable[[], None] | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if then is None else asyncio.get_running_loop().call_later(seconds, then)

    def _next(self) -> None:
        """Grip the next piece, or end."""
        operation = self._running()
        if operation.halting:
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
        self.held[operation.pieces[0]] -= 1
        operation.step = Step.ON_ITS_WAY
        self._later(self.habits.exit_s, self._fall)

    def _sort_out(self, operation: Operation) -> None:
        """Send a piece that is routed to the cash box there, if one comes by in a payout."""
        astray = [value for value in self.values_cents if self.routes[value] == TO_CASHBOX and self.held[value]]
        if astray and operation.kind is Kind.PAYOUT:
            self.held[astray[0]] -= 1
            self.levels[astray[0]] = max(0, self.levels[astray[0]] - 1)
            operation.boxed_cents += astray[0]
            self._box(astray[0])

    def _fall(self) -> None:
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
        self._happened(Happening(event, None if event is Event.EMPTIED else operation.moved_cents))
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
