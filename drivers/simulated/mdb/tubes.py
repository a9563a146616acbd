"""The tubes and the cash box of a coin changer, and the motor that pays out of the tubes.

The changer's own count (`counted`) is non-volatile. The coins that physically lie in each tube, in the cash box and in
the player's tray are tracked separately (`held`, `boxed`, `paid_out`).
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence

import msgspec

from drivers.simulated.mishaps import Mishaps
from drivers.simulated.whereabouts import Piece, Spot


class TubeHabits(msgspec.Struct, frozen=True, kw_only=True):
    """The capacity of a tube in coins, and the times in seconds of a coin's way out of it.

    With a `count_s` above 0 a power cut can come between a coin's fall and its count. `late_count_s` is the delay of a
    late count.
    """

    capacity: int = 60
    grip_s: float = 0.1
    count_s: float = 0.0
    late_count_s: float = 45.0


class Tubes:
    """Tubes for the coin types `tubed` of `values_cents`, holding and having counted `stock`, by value.

    `coin_out(cents)` and `boxed_in(cents)` are called for each coin that falls into the tray or the cash box, `failed`
    with a type whose tube dispenses nothing. `mishaps` are their mishaps.
    """

    def __init__(
        self,
        values_cents: Sequence[int],
        tubed: Sequence[int],
        stock: Mapping[int, int],
        *,
        coin_out: Callable[[int], None],
        boxed_in: Callable[[int], None],
        failed: Callable[[int], None],
        mishaps: Mishaps,
        habits: TubeHabits | None = None,
    ) -> None:
        self.mishaps = mishaps
        self.values_cents = tuple(values_cents)
        self.tubed = tuple(tubed)
        self.habits = habits if habits is not None else TubeHabits()
        self.held: Counter[int] = Counter({kind: stock.get(values_cents[kind], 0) for kind in tubed})
        self.counted: Counter[int] = Counter(self.held)
        self.boxed: Counter[int] = Counter()
        self.paid_out: Counter[int] = Counter()
        self.jammed: set[int] = set()
        """Tubes in which a coin is stuck; the changer finds out when it pays."""
        self.found: set[int] = set()
        """The stuck tubes that the changer has found."""
        self.blind: set[int] = set()
        """Tubes whose sensor fails."""
        self._coin_out = coin_out
        self._boxed_in = boxed_in
        self._failed = failed
        self._paying: deque[int] = deque()
        self._counting: tuple[int, Callable[[int], None]] | None = None
        self._done: Callable[[int], None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._late: set[asyncio.TimerHandle] = set()

    @property
    def bad(self) -> set[int]:
        """The tubes that neither take nor pay coins."""
        return self.found | self.blind

    @property
    def full(self) -> set[int]:
        """The tubes that take no more coins."""
        return {kind for kind in self.tubed if self.counted[kind] >= self.habits.capacity}

    @property
    def busy(self) -> bool:
        """Whether a payout is running."""
        return self._timer is not None

    def money(self) -> dict[Spot, Counter[Piece]]:
        """Return the coins in the tubes, in the cash box and paid out, by value, independent of the count."""
        by_spot = {Spot.STORE: self.held, Spot.CASH_BOX: self.boxed, Spot.PAID: self.paid_out}
        return {
            spot: Counter({self.values_cents[kind]: coins for kind, coins in kinds.items() if coins})
            for spot, kinds in by_spot.items()
        }

    def known(self, kind: int) -> int:
        """Return how many coins of a type the changer reports: 0 for a tube that fails (5.3, TUBE STATUS)."""
        return 0 if kind in self.bad else min(255, self.counted[kind])

    def drop(self, kind: int, *, astray: bool = False, counted: bool = False) -> bool:
        """Drop a coin into its tube, or into the cash box if the tube takes none; return whether a tube took it.

        A coin that was `counted` on its way is not counted again.
        """
        if kind in self.tubed and kind not in self.full | self.bad and not astray:
            self.held[kind] += 1
            befalls = "early" if counted else self.mishaps.which("counted_late", "counted_never")
            if befalls == "counted_late":
                self._late.add(asyncio.get_running_loop().call_later(self.habits.late_count_s, self._count_in, kind))
            elif not befalls:
                self._count_in(kind)
            return True
        self.boxed[kind] += 1
        self._boxed_in(self.values_cents[kind])
        return False

    def _count_in(self, kind: int) -> None:
        self.counted[kind] += 1

    def jam(self, kind: int, *, stuck: bool) -> None:
        """Jam a coin in a tube, or free it."""
        if stuck:
            self.jammed.add(kind)
        else:
            self.jammed.discard(kind)
            self.found.discard(kind)

    def fill(self, kind: int, coins: int) -> None:
        """Put coins into a tube by hand, or take them out; the changer counts them."""
        self.held[kind] = max(0, self.held[kind] + coins)
        self.counted[kind] = self.held[kind]

    def pay(self, kinds: Sequence[int], counted: Callable[[int], None]) -> None:
        """Pay coins of these types one after the other; call `counted(kind)` when each is counted."""
        self._paying.extend(kinds)
        self._done = counted
        if self._timer is None and self._paying:
            self._arm(self.habits.grip_s, self._release)

    def choose(self, amount_cents: int) -> list[int]:
        """Return coins worth `amount_cents`, largest first, or less if they do not add up to it."""
        chosen: list[int] = []
        for kind in sorted(self.tubed, key=lambda one: -self.values_cents[one]):
            value = self.values_cents[kind]
            coins = min(self.known(kind), amount_cents // value)
            chosen += [kind] * coins
            amount_cents -= coins * value
        return chosen

    def halt(self) -> None:
        """Stop the payout; a coin that has left its tube is still counted."""
        self._paying.clear()

    def cut(self) -> None:
        """Lose power: stop the motor; a fallen coin not yet counted stays uncounted."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._counting = None
        self._paying.clear()
        for timer in self._late:
            timer.cancel()
        self._late.clear()

    def _arm(self, seconds: float, then: Callable[[], None]) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, then)

    def _release(self) -> None:
        if not self._paying:
            self._timer = None
            return
        kind = self._paying.popleft()
        if kind in self.bad | self.jammed or not self.held[kind]:
            if kind in self.jammed:
                self.found.add(kind)
            elif not self.held[kind]:
                self.counted[kind] = 0
            self._paying.clear()
            self._timer = None
            self._failed(kind)
            return
        befalls = self.mishaps.which("falls_uncounted", "counts_without_fall")
        if befalls == "counts_without_fall":
            self._counted(kind)
            self._next()
            return
        self.held[kind] -= 1
        self.paid_out[kind] += 1
        if befalls:
            # the sensor misses it, so the changer pays another coin for the one it still owes
            self._coin_out(self.values_cents[kind])
            self._paying.appendleft(kind)
            self._next()
        elif self.habits.count_s and self._done is not None:
            self._coin_out(self.values_cents[kind])
            self._counting = (kind, self._done)
            self._arm(self.habits.count_s, self._count)
        else:
            self._counted(kind)
            self._coin_out(self.values_cents[kind])
            self._next()

    def _count(self) -> None:
        if self._counting is not None:
            self._counted(self._counting[0])
        self._counting = None
        self._next()

    def _counted(self, kind: int) -> None:
        self.counted[kind] = max(0, self.counted[kind] - 1)
        if self._done is not None:
            self._done(kind)

    def _next(self) -> None:
        self._timer = None
        if self._paying:
            self._arm(self.habits.grip_s, self._release)
