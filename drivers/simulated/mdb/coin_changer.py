"""A simulated MDB coin changer of level 3 (MDB/ICP 4.3, section 5).

It keeps POLL events until the master acknowledges them and loses them without power; its tubes' counts are
non-volatile. Behaviour that the specification leaves open is set in `ChangerHabits`.
"""

import asyncio
import random
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final

import msgspec

from drivers.currency import EURO
from drivers.simulated.fault_model.rows import befalling
from drivers.simulated.front import COINS_CENTS
from drivers.simulated.mdb.changer_rows import ROWS
from drivers.simulated.mdb.codes import (
    CHANGER,
    DEPOSITED,
    DISPENSED_BY_HAND,
    MOST_BY_HAND,
    MOST_SLUGS,
    SLUGS,
    TYPES,
    Changer,
    ChangerStatus,
    Diagnosis,
    Feature,
    Route,
    currency_code,
)
from drivers.simulated.mdb.peripheral import Identity, MdbPeripheral
from drivers.simulated.mdb.tubes import TubeHabits, Tubes
from drivers.simulated.mishaps import Mishaps
from drivers.simulated.whereabouts import Piece, Spot, Whereabouts, together

LEVEL: Final = 3
DECIMALS: Final = 2
ALL_TYPES: Final = (1 << TYPES) - 1
IDENTITY: Final = Identity(manufacturer="MEI", serial=42, model="CF7900SIM", version=0x0127)
SUPPORTED: Final = Feature.ALTERNATIVE_PAYOUT | Feature.EXTENDED_DIAGNOSTIC | Feature.MANUAL_FILL

Answerer = Callable[[bytes], bytes | None]


class ChangerHabits(msgspec.Struct, frozen=True, kw_only=True):
    """Times in seconds, and behaviours in which real changers differ.

    `scaling_cents` is its scaling factor. For `settle_s` after a reset it answers no TUBE STATUS. `travel_s` is a
    coin's travel time from the gate to the credit sensor, `obeys_after_s` the delay of a command that is carried out
    late. `reports_rejects`: a coin of a type that is not enabled is reported with the routing "reject". `features`: the
    optional features it has. `short_status`: PAYOUT STATUS ends at the highest type that has a tube. `keeps_payout`: a
    payout's result outlasts a power cut.
    """

    scaling_cents: int = 10
    settle_s: float = 0.5
    travel_s: float = 0.15
    obeys_after_s: float = 0.3
    reports_rejects: bool = True
    features: Feature = SUPPORTED
    short_status: bool = False
    keeps_payout: bool = False
    tubes: TubeHabits = TubeHabits()


def _ignore(_value_cents: int) -> None:
    """Ignore the notification: the default callback."""


class SimulatedChanger(MdbPeripheral):
    """The device: accepts coins of `values_cents`; those of `tubed_cents` have tubes, which hold `stock`, by value.

    `returned(cents)`, `coin_out(cents)` and `boxed(cents)` are called for each coin that falls into the return, the
    tray or the cash box, `changed()` when its visible state may have changed. `value_cents` is the coin that is filled
    in by hand, and `lifetime` the number of coins it has paid.
    """

    kind: ClassVar = "MDB coin changer"

    def __init__(
        self,
        *,
        stock: Mapping[int, int] | None = None,
        values_cents: Sequence[int] = COINS_CENTS,
        tubed_cents: Sequence[int] = COINS_CENTS[:-1],
        currency: str = EURO.code,
        identity: Identity = IDENTITY,
        habits: ChangerHabits | None = None,
        value_cents: int = 100,
        returned: Callable[[int], None] = _ignore,
        coin_out: Callable[[int], None] = _ignore,
        boxed: Callable[[int], None] = _ignore,
        changed: Callable[[], None] | None = None,
        chance: random.Random | None = None,
    ) -> None:
        super().__init__(CHANGER)
        self.mishaps = Mishaps(befalling(ROWS), chance)
        self.where = Whereabouts()
        self.habits = habits if habits is not None else ChangerHabits()
        self.values_cents = tuple(values_cents)
        self.currency = currency
        self.identity = identity
        self.value_cents = value_cents
        self.lifetime = 0
        self._give_back = returned
        self._boxed = boxed
        self._coin_out = coin_out
        self._changed = changed
        self._tubed_cents = tuple(tubed_cents)
        self.tubes = self._fitted_tubes(stock or {})
        self.enabled = 0
        self.by_hand = ALL_TYPES
        self._features = Feature(0)
        self._settled_at = 0.0
        self._lasting: set[ChangerStatus] = set()
        self._jammed = False
        self._travelling: deque[tuple[int, asyncio.TimerHandle]] = deque()
        self._payout: Counter[int] = Counter()
        self._since_poll_cents = 0
        self._filled: Counter[int] = Counter()
        self._handed: Counter[int] = Counter()
        self._aside: Counter[int] = Counter()
        self._stuck: list[int] = []
        self._early: Counter[int] = Counter()
        self._obeying: asyncio.TimerHandle | None = None
        self._answers: dict[int, Answerer] = {
            Changer.RESET: self._obey_reset,
            Changer.SETUP: self._without_data(self._setup),
            Changer.TUBE_STATUS: self._without_data(self._tube_status),
            Changer.POLL: self._without_data(self._poll),
            Changer.COIN_TYPE: self._coin_type,
            Changer.DISPENSE: self._dispense,
            Changer.IDENTIFICATION: self._without_data(self._identification),
            Changer.FEATURE_ENABLE: self._feature_enable,
            Changer.PAYOUT: self._pay_value,
            Changer.PAYOUT_STATUS: self._without_data(self._payout_status),
            Changer.PAYOUT_VALUE_POLL: self._without_data(self._value_poll),
            Changer.DIAGNOSTIC_STATUS: self._without_data(self._diagnosis),
            Changer.MANUAL_FILL_REPORT: self._without_data(lambda: self._report_of(self._filled)),
            Changer.MANUAL_PAYOUT_REPORT: self._without_data(lambda: self._report_of(self._handed)),
        }

    def __repr__(self) -> str:
        return f"<SimulatedChanger {dict(self.tubes.held)} {'on' if self.powered else 'off'}>"

    def _fitted_tubes(self, stock: Mapping[int, int]) -> Tubes:
        return Tubes(
            self.values_cents,
            [self.values_cents.index(value) for value in self._tubed_cents],
            stock,
            coin_out=self._paid,
            boxed_in=self._boxed,
            failed=self._failed,
            mishaps=self.mishaps,
            habits=self.habits.tubes,
        )

    # Physical actions on the device.

    def insert(self, value_cents: int) -> bool:
        """Insert a coin and return whether the gate let it in; a coin of unknown value is a slug."""
        blocked = not self.powered or self.dead or self._jammed or self._full
        if blocked or ChangerStatus.ACCEPTOR_UNPLUGGED in self._lasting or value_cents not in self.values_cents:
            if not blocked and ChangerStatus.ACCEPTOR_UNPLUGGED not in self._lasting:
                self.slug()
            self._returned(value_cents)
            return False
        kind = self.values_cents.index(value_cents)
        if not self.enabled >> kind & 1:
            if self.habits.reports_rejects:
                self._deposited(Route.REJECT, kind)
            self._returned(value_cents)
            return False
        if kind in self.tubes.tubed and self.mishaps.happens("counted_early"):
            self.tubes.counted[kind] += 1
            self._early[kind] += 1
        timer = asyncio.get_running_loop().call_later(self.habits.travel_s, self._arrive)
        self._travelling.append((kind, timer))
        return True

    def slug(self, coins: int = 1) -> None:
        """Drop slugs through into the return; they are only counted."""
        for _ in range(coins):
            last = self.events[-1] if len(self.events) > self._reported else b""
            if last and last[0] & ~MOST_SLUGS == SLUGS and last[0] & MOST_SLUGS < MOST_SLUGS:
                self.events[-1] = bytes((last[0] + 1,))
            else:
                self._report(SLUGS | 1)

    def insert_together(self, *values_cents: int) -> None:
        """Insert coins too close together to be told apart: all are returned, unless one is kept uncredited."""
        if self.powered and not self.dead:
            self._flag(ChangerStatus.DOUBLE_ARRIVAL)
        kept = 1 if self.powered and self.mishaps.happens("double_arrival_keeps_one") else 0
        for value in values_cents[:kept]:
            self._swallow(value)
        for value in values_cents[kept:]:
            self._returned(value)

    def press_lever(self) -> None:
        """Press the escrow lever: the customer wants the money back."""
        self._flag(ChangerStatus.ESCROW_REQUEST)

    def dispense_by_hand(self, value_cents: int, coins: int = 1) -> None:
        """Press an inventory switch: dispense coins of a type that the master allows into the tray."""
        kind = self.values_cents.index(value_cents)
        coins = min(coins, self.tubes.held[kind], MOST_BY_HAND)
        if not self.powered or not self.by_hand >> kind & 1 or self.tubes.busy or coins < 1:
            return
        self.tubes.fill(kind, -coins)
        self.tubes.paid_out[kind] += coins
        self._handed[kind] += coins
        self._report(DISPENSED_BY_HAND | coins << 4 | kind, self.tubes.known(kind))
        for _ in range(coins):
            self._paid(value_cents)

    @property
    def stock(self) -> int:
        """The number of coins in its tubes; setting it fills in coins of `value_cents`, as many as fit."""
        return self.tubes.held.total()

    @stock.setter
    def stock(self, coins: int) -> None:
        kind = self.values_cents.index(self.value_cents)
        more = min(coins - self.stock, self.habits.tubes.capacity - self.tubes.held[kind])
        self.tubes.fill(kind, more)
        self._filled[kind] += max(0, more)

    @property
    def held(self) -> dict[int, int]:
        """The coins in its tubes, by value."""
        return {self.values_cents[kind]: coins for kind, coins in self.tubes.held.items()}

    @property
    def kept(self) -> dict[int, int]:
        """The coins in its tubes, or beside it while the tubes are emptied, by value."""
        return {value: coins + self._aside[value] for value, coins in self.held.items()}

    # Faults.

    def troubles(self) -> dict[str, Callable[[int], None]]:
        """Return the faults that can be triggered: a count, or 1 to begin and 0 to end; tube 1 is the first type's."""
        return {
            **self.mishaps.orders(),
            "swapped": lambda much: self.swap(much or self.habits.scaling_cents),
            "brown_out": lambda _much: self.bus_reset(),
            "stuck_to_box": lambda _much: self.free_stuck(Spot.CASH_BOX),
            "stuck_to_return": lambda _much: self.free_stuck(Spot.RETURNED),
            "stuck_to_hand": lambda _much: self.free_stuck(Spot.TAKEN),
            "slugs": self.slug,
            "double_arrival": lambda _much: self.insert_together(self.value_cents, self.value_cents),
            "escrow_lever": lambda _much: self.press_lever(),
            "by_hand": lambda much: self.dispense_by_hand(self.value_cents, much),
            "coin_jam": lambda much: self.jam(on=bool(much)),
            "tube_jam": self._jam_tube,
            "tube_sensor": self._blind_tube,
            "coin_removal": lambda _much: self._flag(ChangerStatus.POSSIBLE_CREDITED_COIN_REMOVAL),
            "rom": lambda _much: self._flag(ChangerStatus.ROM_CHECKSUM_ERROR),
            "acceptor_unplugged": lambda much: self._last_while(ChangerStatus.ACCEPTOR_UNPLUGGED, on=bool(much)),
            "busy": lambda much: self._last_while(ChangerStatus.BUSY, on=bool(much)),
            "empty": lambda much: self.empty(on=bool(much)),
            "dead": lambda much: setattr(self, "dead", bool(much)),
        }

    def empty(self, *, on: bool) -> None:
        """Take all coins out of the tubes, or put them back; the changer notices it."""
        for kind in self.tubes.tubed:
            value = self.values_cents[kind]
            coins = -self.tubes.held[kind] if on else self._aside[value]
            self.tubes.fill(kind, coins)
            self._aside[value] -= coins

    def swap(self, scaling_cents: int, serial: int | None = None, stock: Mapping[int, int] | None = None) -> None:
        """Replace it by another changer of that scaling factor; the old one is removed with its money."""
        powered = self.powered
        self.power(on=False)
        for value, coins in self.kept.items():
            self.where.put(value, Spot.TAKEN, coins)
        for spot in (Spot.CASH_BOX, Spot.PAID):
            for piece, coins in self.tubes.money()[spot].items():
                self.where.put(piece, spot, coins)
        self._aside.clear()
        self.habits = msgspec.structs.replace(self.habits, scaling_cents=scaling_cents)
        number = self.identity.serial + 1 if serial is None else serial
        self.identity = msgspec.structs.replace(self.identity, serial=number)
        self.tubes = self._fitted_tubes({} if stock is None else stock)
        self.lifetime = 0
        self.power(on=powered)

    def free_stuck(self, spot: Spot) -> None:
        """Free the jammed coins, put them at `spot` and end the jam."""
        stuck, self._stuck = self._stuck, []
        for value in stuck:
            if spot is Spot.RETURNED:
                self._returned(value)
            elif spot is Spot.CASH_BOX:
                self._swallow(value)
            else:
                self.where.put(value, spot)
        self.jam(on=False)

    def money(self) -> dict[Spot, Counter[Piece]]:
        """Return what physically lies at each spot, independent of the device's counts and reports."""
        inside = Counter[Piece]([self.values_cents[kind] for kind, _timer in self._travelling] + self._stuck)
        aside = Counter[Piece](+self._aside)
        return together(
            self.where.money(),
            self.tubes.money(),
            {spot: pieces for spot, pieces in ((Spot.PATH, inside), (Spot.TAKEN, aside)) if pieces},
        )

    def _returned(self, value_cents: int) -> None:
        self.where.put(value_cents, Spot.RETURNED)
        self._give_back(value_cents)

    def _swallow(self, value_cents: int) -> None:
        """Drop a coin into the cash box without a report."""
        self.where.put(value_cents, Spot.CASH_BOX)
        self._boxed(value_cents)

    def jam(self, *, on: bool) -> None:
        """Jam a coin in the acceptance path, or free it; while jammed the changer accepts nothing."""
        if on and not self._jammed:
            self._flag(ChangerStatus.COIN_JAM)
        self._jammed = on

    def _jam_tube(self, number: int) -> None:
        for kind in self.tubes.tubed:
            self.tubes.jam(kind, stuck=kind + 1 == number)

    def _blind_tube(self, number: int) -> None:
        self.tubes.blind = {number - 1} & set(self.tubes.tubed)
        if self.tubes.blind:
            self._flag(ChangerStatus.DEFECTIVE_TUBE_SENSOR)

    def _last_while(self, status: ChangerStatus, *, on: bool) -> None:
        (self._lasting.add if on else self._lasting.discard)(status)

    # The coins' movement.

    def _arrive(self) -> None:
        kind, _timer = self._travelling.popleft()
        value = self.values_cents[kind]
        if befalls := self.mishaps.which(*_UNCREDITED):
            self._lose(value, befalls)
        else:
            self._credit(kind)
        if self._changed is not None:
            self._changed()

    def _lose(self, value_cents: int, befalls: str) -> None:
        """Apply a mishap that leaves a coin uncredited."""
        kind = self.values_cents.index(value_cents)
        if befalls in {"no_credit", "no_credit_kept"}:
            (self._returned if befalls == "no_credit" else self._swallow)(value_cents)
            self._flag(ChangerStatus.NO_CREDIT)
        elif befalls == "routing_error":
            self.tubes.drop(kind, astray=True)
            self._flag(ChangerStatus.COIN_ROUTING_ERROR)
        elif befalls == "deposit_unreported":
            self.tubes.drop(kind)
        else:
            self._stuck.append(value_cents)
            self.jam(on=True)

    def _credit(self, kind: int) -> None:
        """Sort a coin and report it, then apply a mishap after the credit."""
        befalls = self.mishaps.which("removed_after_credit", "reset_after_deposit")
        if befalls == "removed_after_credit":
            self._deposited(Route.CASH_BOX, kind)
            self._flag(ChangerStatus.POSSIBLE_CREDITED_COIN_REMOVAL)
            self._returned(self.values_cents[kind])
            return
        counted = self._early[kind] > 0
        self._early[kind] -= counted
        tubed = self.tubes.drop(kind, counted=counted)
        self._deposited(Route.TUBE if tubed else Route.CASH_BOX, kind)
        if befalls:
            self.bus_reset()

    def _deposited(self, route: Route, kind: int) -> None:
        self._report(DEPOSITED | route << 4 | kind, self.tubes.known(kind))

    def _paid(self, value_cents: int) -> None:
        self.lifetime += 1
        self._coin_out(value_cents)
        if self._changed is not None:
            self._changed()

    def _counted_out(self, kind: int) -> None:
        self._payout[kind] += 1
        self._since_poll_cents += self.values_cents[kind]
        befalls = self.mishaps.which("reset_in_payout", "breaks_off")
        if befalls == "reset_in_payout":
            self.bus_reset()
        elif befalls:
            self.tubes.halt()
            self._flag(ChangerStatus.DEFECTIVE_TUBE_SENSOR)
            self._flag(ChangerStatus.TUBE_JAM)
            self._payout.clear()

    def _failed(self, kind: int) -> None:
        if kind in self.tubes.bad:
            self._flag(ChangerStatus.TUBE_JAM)

    # Power and reset.

    def _start(self) -> None:
        self._begin_anew()

    def _stop(self) -> None:
        while self._travelling:
            kind, timer = self._travelling.popleft()
            timer.cancel()
            kept = self.mishaps.happens("kept_at_cut")
            (self._swallow if kept else self._returned)(self.values_cents[kind])
        self.tubes.cut()
        if not self.habits.keeps_payout:
            self._payout.clear()
        self._filled.clear()
        self._handed.clear()

    def _reset(self) -> None:
        self.tubes.halt()
        self.events.clear()
        self._payout.clear()
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._obey_nothing_more()
        self.enabled, self.by_hand = 0, ALL_TYPES
        self._features = Feature(0)
        self._since_poll_cents = 0
        self._settled_at = asyncio.get_running_loop().time() + self.habits.settle_s
        self._flag(ChangerStatus.WAS_RESET)

    # The bus.

    def _answer(self, command: int, data: bytes) -> bytes | None:
        if command not in self._answers:
            return None
        if ChangerStatus.BUSY in self._lasting and command not in {Changer.POLL, Changer.RESET}:
            return None
        return self._answers[command](data)

    @staticmethod
    def _without_data(answer: Callable[[], bytes | None]) -> Answerer:
        return lambda data: None if data else answer()

    def _obey_reset(self, data: bytes) -> bytes | None:
        if data:
            return None
        self._reset()
        return b""

    def _setup(self) -> bytes:
        tubed = sum(1 << kind for kind in self.tubes.tubed)
        units = bytes(value // self.habits.scaling_cents for value in self.values_cents)
        head = bytes((LEVEL,)) + currency_code(self.currency) + bytes((self.habits.scaling_cents, DECIMALS))
        return head + tubed.to_bytes(2, "big") + units.ljust(TYPES, b"\0")

    def _tube_status(self) -> bytes | None:
        if asyncio.get_running_loop().time() < self._settled_at:
            return None
        full = sum(1 << kind for kind in self.tubes.full | self.tubes.bad)
        return full.to_bytes(2, "big") + bytes(self.tubes.known(kind) for kind in range(TYPES))

    def _poll(self) -> bytes:
        lasting = set(self._lasting)
        if self.tubes.busy:
            lasting.add(ChangerStatus.PAYOUT_BUSY)
        return self._polled(bytes(sorted(lasting)))

    def _coin_type(self, data: bytes) -> bytes | None:
        if len(data) != 4:  # noqa: PLR2004 - two words of 16 types
            return None

        def obey() -> None:
            self.enabled = int.from_bytes(data[:2], "big")
            self.by_hand = int.from_bytes(data[2:], "big")

        self._obey_nothing_more()
        if self.mishaps.happens("obeys_late"):
            self._obeying = asyncio.get_running_loop().call_later(self.habits.obeys_after_s, obey)
        else:
            obey()
        return b""

    def _obey_nothing_more(self) -> None:
        if self._obeying is not None:
            self._obeying.cancel()

    def _dispense(self, data: bytes) -> bytes | None:
        if len(data) != 1 or self.tubes.busy:
            return None
        coins, kind = divmod(data[0], TYPES)
        if kind not in self.tubes.tubed:
            return None
        self.tubes.pay([kind] * coins, self._counted_out)
        return b""

    def _identification(self) -> bytes:
        return self.identity.data() + int(self.habits.features).to_bytes(4, "big")

    def _feature_enable(self, data: bytes) -> bytes | None:
        if len(data) != 4:  # noqa: PLR2004 - a word of 32 features
            return None
        self._features = Feature(int.from_bytes(data, "big") & self.habits.features)
        return b""

    def _pay_value(self, data: bytes) -> bytes | None:
        if len(data) != 1 or self.tubes.busy or Feature.ALTERNATIVE_PAYOUT not in self._features:
            return None
        self._payout.clear()
        self._since_poll_cents = 0
        self.tubes.pay(self.tubes.choose(data[0] * self.habits.scaling_cents), self._counted_out)
        return b""

    def _payout_status(self) -> bytes | None:
        if Feature.ALTERNATIVE_PAYOUT not in self._features:
            return None
        if self.tubes.busy:
            return b""
        self._once_heard(self._payout.clear)
        types = max(self.tubes.tubed, default=0) + 1 if self.habits.short_status else TYPES
        return bytes(min(255, self._payout[kind]) for kind in range(types))

    def _value_poll(self) -> bytes | None:
        if Feature.ALTERNATIVE_PAYOUT not in self._features:
            return None
        reported = self._since_poll_cents
        if not self.tubes.busy and not reported:
            return b""
        self._once_heard(lambda: self._value_heard(reported))
        return bytes((min(255, reported // self.habits.scaling_cents),))

    def _value_heard(self, cents: int) -> None:
        self._since_poll_cents -= cents

    def _diagnosis(self) -> bytes | None:
        if Feature.EXTENDED_DIAGNOSTIC not in self.habits.features:
            return None
        found: list[int] = []
        if self._jammed:
            found.append(Diagnosis.COIN_JAM_IN_SENSOR)
        if ChangerStatus.ACCEPTOR_UNPLUGGED in self._lasting:
            found.append(Diagnosis.DISCRIMINATOR_ERROR)
        if self.tubes.found:
            found.append(Diagnosis.DISPENSER_ERROR)
        if self.tubes.blind:
            found.append(Diagnosis.CASSETTE_ERROR)
        if not found:
            found.append(Diagnosis.OK if self.enabled else Diagnosis.INHIBITED)
        return b"".join(code.to_bytes(2, "big") for code in found)

    def _report_of(self, coins: Counter[int]) -> bytes | None:
        """Return a report of coins filled or paid by hand, and clear it once the master has acknowledged it."""
        if Feature.MANUAL_FILL not in self._features:
            return None
        self._once_heard(coins.clear)
        return bytes(min(255, coins[kind]) for kind in range(TYPES))


_UNCREDITED: Final = ("no_credit", "no_credit_kept", "routing_error", "deposit_unreported", "jams")
