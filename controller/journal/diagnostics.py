"""Service tests of coin acceptor, hopper, hard meters and watchdog, as the books record them (M11, M12).

Each test has a record in `device_state` from before its device acts until the outcome is known, so that the start after
a power cut can settle it. Its events record what it did. No credit moves, and the only meters that rise are the counts
of test pulses.
"""

import re
from collections import Counter
from enum import StrEnum
from typing import Any, Final

import msgspec

from controller.journal import hoppers, money
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event, EventKind
from controller.journal.key_value import DEVICE_STATE, Stored
from controller.journal.periods import lifetime
from controller.journal.transaction import InPlay, Transaction
from drivers.capabilities import CoinReport, CoinWay, PayoutOrder
from drivers.cctalk.hopper_wire import LIFETIME_SPAN


class CoinDiagnostic:
    """Coins that a test takes: they advance only the acceptor's event counter (T.8)."""

    place: Final = "coin acceptor"
    _record = re.compile(r"coin_acceptor\.\d+\.test")

    def running(self, tx: Transaction, serial: int) -> str:
        """Return the code of the test that takes this acceptor's coins, or an empty string if they are credited."""
        return DEVICE_STATE.get(tx, f"coin_acceptor.{serial}.test") or ""

    def take_for(self, tx: Transaction, serial: int, test: str) -> None:
        """Assign the acceptor's next coins to `test`; with an empty `test` they are credited again."""
        if test:
            DEVICE_STATE.store(tx, f"coin_acceptor.{serial}.test", test)
        else:
            DEVICE_STATE.remove(tx, f"coin_acceptor.{serial}.test")

    def end_all(self, tx: Transaction) -> None:
        """End the tests of all acceptors."""
        for device in DEVICE_STATE.under(tx, "coin_acceptor."):
            if self._record.fullmatch(device):
                DEVICE_STATE.remove(tx, device)

    def coins_tested(self, tx: Transaction, report: CoinReport, test: str, boot: str = "") -> None:
        """Record a test's coins with their event counter; coins of the hopper test count as returned to the hopper.

        `boot` names this start of the computer.
        """
        money.set_coin_counter(tx, report.serial, report.counter, report.events, boot)
        if not report.values_cents and not report.lost:
            return
        counted = Counter(report.values_cents)
        words = [f"{count} x {value // 100}.{value % 100:02}" for value, count in sorted(counted.items())]
        words += [f"{report.lost} event(s) not read in time"] if report.lost else []
        tx.event(
            Event.COIN_TESTED,
            place=self.place,
            test=test,
            coins=", ".join(words),
            serial=report.serial,
            counter=report.counter,
            values=list(report.values_cents),
            ways=[way.value for way in report.ways],
        )
        if test == hopper_diagnostic.code:
            hopper_diagnostic.coins_came(tx, report.values_cents, report.ways)


class Dispense(msgspec.Struct, frozen=True, kw_only=True):
    """An unfinished dispense of a test; the fields are those of `drivers.capabilities.PayoutOrder`."""

    coins: int
    value_cents: int
    serial: int | None = None
    event_counter: int | None = None
    lifetime: int | None = None
    paid_before: int = 0
    paid: int = 0

    @property
    def order(self) -> PayoutOrder:
        """The order for the hopper's driver to resume."""
        return PayoutOrder(
            coins=self.coins,
            serial=self.serial,
            event_counter=self.event_counter,
            lifetime=self.lifetime,
            paid_before=self.paid_before,
            paid=self.paid,
        )


class CoinsOut(msgspec.Struct, frozen=True, kw_only=True):
    """The coins of all tests that are missing from the hopper: `missing` coins of `value_cents` each."""

    missing: int = 0
    value_cents: int = 0


class HopperDiagnostic:
    """Coins that a test takes out of the hopper, until they are back in it (T.10).

    A test's dispense is recorded with the hopper's counters like a payout, and each coin advances the lifetime count
    that the journal keeps of the hopper. So coins that leave without an order are still detected.
    """

    code: Final = "T.10"
    """The test's place in the menu, and its code at the coin acceptor."""
    place: Final = "hopper"
    _dispense = Stored(DEVICE_STATE, "hopper.test", Dispense)
    _out = Stored(DEVICE_STATE, "hopper.test_coins", CoinsOut)

    def running(self, tx: Transaction) -> Dispense | None:
        """Return the unfinished dispense, or None."""
        return self._dispense.read(tx)

    def coins_out(self, tx: Transaction) -> CoinsOut:
        """Return the coins that must still be put back."""
        return self._out.read(tx) or CoinsOut()

    def begin(self, tx: Transaction, coins: int, value_cents: int) -> Dispense:
        """Begin a dispense; raise `RefusedError` while coins are missing or a payout or another dispense is open."""
        tx.refuse_in_play(InPlay.PAYOUT)
        if self.running(tx) is not None:
            raise RefusedError("The dispense before has not ended")
        if self.coins_out(tx).missing:
            raise RefusedError("Put the coins back first")
        begun = Dispense(coins=coins, value_cents=value_cents)
        self._dispense.write(tx, begun)
        self._event(tx, Event.HOPPER_TEST_BEGUN, coins=coins, value_cents=value_cents)
        return begun

    def announced(self, tx: Transaction, serial: int, event_counter: int, lifetime: int) -> None:
        """Record the hopper and its counters before the dispense is sent."""
        running = self._required(tx)
        self._dispense.write(
            tx,
            msgspec.structs.replace(
                running, serial=serial, event_counter=event_counter, lifetime=lifetime, paid_before=running.paid
            ),
        )

    def coin_passed(self, tx: Transaction, paid: int) -> None:
        """Count the `paid`-th coin of the dispense as out; a coin that is already counted changes nothing."""
        running = self._required(tx)
        if paid <= running.paid:
            return
        if paid != running.paid + 1 or running.serial is None:
            raise RefusedError(
                "Coin {number} of the test cannot follow coin {before}", number=paid, before=running.paid
            )
        hoppers.moved_on(tx, running.serial, 1)
        self._went_out(tx, running, 1)

    def end(self, tx: Transaction, how: str, *, recount: bool = False) -> None:
        """End the dispense; with `recount` the hopper's next lifetime count is accepted as it is."""
        running = self._required(tx)
        if recount and running.serial is not None:
            hoppers.forget(tx, running.serial)
        self._dispense.remove(tx)
        self._event(tx, Event.HOPPER_TEST_ENDED, given=running.paid, coins=running.coins, how=how)

    def runs_on(self, tx: Transaction, serial: int) -> bool:
        """Whether the unfinished dispense belongs to this hopper."""
        running = self.running(tx)
        return running is not None and running.serial == serial

    def overtaken(self, tx: Transaction, serial: int, lifetime: int) -> None:
        """End an interrupted dispense because its hopper is about to pay; later coins belong to the test.

        `lifetime` is the hopper's current count. At most the coins that the test ordered are attributed to it.
        """
        running = self.running(tx)
        known = hoppers.known(tx, serial)
        if running is None or running.serial != serial or known is None:
            return
        coins = min((lifetime - known) % LIFETIME_SPAN, running.coins - running.paid)
        if coins > 0:
            hoppers.moved_on(tx, serial, coins)
            self._went_out(tx, running, coins)
        self.end(tx, "cut off")

    def coins_came(self, tx: Transaction, values_cents: tuple[int, ...], ways: tuple[CoinWay, ...]) -> None:
        """Count the hopper's coins that fell back into it through the coin acceptor.

        Coins that fell into the cash box or an unknown way are not back: somebody must carry them to the hopper.
        """
        out = self.coins_out(tx)
        fell = sum(
            value == out.value_cents and way is CoinWay.HOPPER for value, way in zip(values_cents, ways, strict=True)
        )
        back = min(out.missing, fell)
        if back:
            self._came_back(tx, out, back, Event.COINS_BACK)

    def put_back(self, tx: Transaction, coins: int, who: str) -> None:
        """Record that `who` has put coins back into the hopper; raise `RefusedError` for more than are missing."""
        out = self.coins_out(tx)
        if not 0 < coins <= out.missing:
            raise RefusedError("So many coins are not missing")
        self._came_back(tx, out, coins, Event.COINS_PUT_BACK, who=who)

    def _came_back(self, tx: Transaction, out: CoinsOut, coins: int, event: EventKind, **figures: str) -> None:
        left = msgspec.structs.replace(out, missing=out.missing - coins)
        if left.missing:
            self._out.write(tx, left)
        else:
            self._out.remove(tx)
        self._event(tx, event, back=coins, missing=left.missing, **figures)

    def _went_out(self, tx: Transaction, running: Dispense, coins: int) -> None:
        self._dispense.write(tx, msgspec.structs.replace(running, paid=running.paid + coins))
        missing = self.coins_out(tx).missing + coins
        self._out.write(tx, CoinsOut(missing=missing, value_cents=running.value_cents))

    def _event(self, tx: Transaction, event: EventKind, **figures: Any) -> None:
        tx.event(event, place=self.place, test=self.code, **figures)

    def _required(self, tx: Transaction) -> Dispense:
        running = self.running(tx)
        if running is None:
            raise RefusedError("No dispense of a test is in progress")
        return running


class MeterDiagnostic:
    """Pulses that a test gives to the hard meters, counted on their own meters (M11).

    These pulses are not owed by any posting: a hard meter shows the pulses of the books plus the pulses of tests. A
    pulse is in flight from before its coil is driven. If a start finds one in flight, it was cut and counts as
    doubtful.
    """

    _IN_FLIGHT = "test pulse"
    _GIVEN = "test_pulses_"
    _DOUBTFUL = "doubtful_test_pulses_"

    def pulses(self, tx: Transaction) -> dict[str, int]:
        """Return how many test pulses each hard meter was given, including doubtful ones."""
        return self._counted(tx, self._GIVEN)

    def doubtful_pulses(self, tx: Transaction) -> dict[str, int]:
        """Return, for each hard meter, the number of test pulses that it may not have registered."""
        return self._counted(tx, self._DOUBTFUL)

    def _counted(self, tx: Transaction, prefix: str) -> dict[str, int]:
        return {name.removeprefix(prefix): value for name, value in lifetime(tx).items() if name.startswith(prefix)}

    def begin(self, tx: Transaction, meter: str) -> None:
        """Record that the coil of `meter` is about to be driven."""
        DEVICE_STATE.store(tx, self._IN_FLIGHT, meter)

    def pulse_given(self, tx: Transaction, meter: str, *, doubt: str = "") -> None:
        """Count the pulse as given; `doubt` is the reason why the meter may not have stepped."""
        if doubt:
            self._count(tx, meter, Event.TEST_PULSE_DOUBTFUL, reason=doubt)
        else:
            self._count(tx, meter, Event.TEST_PULSE)

    def take_back(self, tx: Transaction) -> None:
        """Discard the pulse without counting it, because no current flowed."""
        DEVICE_STATE.remove(tx, self._IN_FLIGHT)

    def settle_cut(self, tx: Transaction) -> None:
        """Count, at a start, a test pulse that was interrupted by a power cut."""
        meter = DEVICE_STATE.get(tx, self._IN_FLIGHT)
        if meter is not None:
            self._count(tx, meter, Event.TEST_PULSE_CUT)

    def _count(self, tx: Transaction, meter: str, event: EventKind, **figures: Any) -> None:
        DEVICE_STATE.remove(tx, self._IN_FLIGHT)
        meters = {f"{self._GIVEN}{meter}": 1}
        if event is not Event.TEST_PULSE:
            meters[f"{self._DOUBTFUL}{meter}"] = 1
        tx.event(event, place=meter, meters=meters, **figures)


class Outcome(StrEnum):
    """How the newest test of the watchdog ended."""

    PENDING = "the feeding has stopped"
    ACTED = "the service manager started the program anew"
    FAILED = "nobody acted: the program was still running"
    LEFT = "it was left before the service manager had to act"
    POWER = "the power was off meanwhile: nothing is proved"
    STOPPED = "the program was stopped in order meanwhile: nothing is proved"


class WatchdogResult(msgspec.Struct, frozen=True, kw_only=True):
    """The newest test of the watchdog: when it began, its outcome, and its duration in seconds by the wall clock."""

    at_ms: int
    outcome: Outcome
    after_s: float = 0.0


class WatchdogDiagnostic:
    """The deliberate stop of the watchdog feeding; the next start settles it (T.16)."""

    place: Final = "watchdog"
    _newest = Stored(DEVICE_STATE, "watchdog", WatchdogResult)

    def newest(self, tx: Transaction) -> WatchdogResult | None:
        """Return the newest test, or None if there was none."""
        return self._newest.read(tx)

    def running(self, tx: Transaction) -> WatchdogResult | None:
        """Return the test whose outcome is not known yet, or None."""
        newest = self.newest(tx)
        return newest if newest is not None and newest.outcome is Outcome.PENDING else None

    def begin(self, tx: Transaction, who: str, watchdog_s: float | None) -> None:
        """Record that the feeding stops now; raise `RefusedError` without a watchdog or while money is at risk."""
        if watchdog_s is None:
            raise RefusedError("No watchdog is set: nobody would start the program anew")
        if tx.credit_cents:
            raise RefusedError("There is credit on the machine: pay it out first")
        tx.refuse_in_play()
        if money.note_in_hand(tx) is not None:
            raise RefusedError("A note is on its way: wait until it is settled")
        self._newest.write(tx, WatchdogResult(at_ms=tx.at_ms, outcome=Outcome.PENDING))
        tx.event(Event.WATCHDOG_STARVED, place=self.place, who=who, seconds=f"{watchdog_s:g}")

    def settle(self, tx: Transaction, outcome: Outcome) -> None:
        """Record the outcome of the running test, if there is one."""
        running = self.running(tx)
        if running is None:
            return
        after_s = max(0, tx.at_ms - running.at_ms) / 1000
        self._newest.write(tx, msgspec.structs.replace(running, outcome=outcome, after_s=after_s))
        tx.event(Event.WATCHDOG_ENDED, place=self.place, outcome=outcome, seconds=round(after_s))


coin_diagnostic: Final = CoinDiagnostic()
hopper_diagnostic: Final = HopperDiagnostic()
meter_diagnostic: Final = MeterDiagnostic()
watchdog_diagnostic: Final = WatchdogDiagnostic()
