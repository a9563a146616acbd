"""One payout by an SSP hopper or recycler: book what left it and order the rest.

The device's levels are authoritative: the units paid by the newest announced order are what the levels have lost since.
During the payout the device's reports of the value paid are booked, so that each coin is metered as it leaves; when the
device is idle, levels, reports and bookings must agree. An order is sent once: after a lost reply it is repeated with
the same sequence flag, and a restarted device has no key and refuses it. A new order is sent only when every unit of
the previous one is booked.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from drivers.capabilities import PayoutEnd, PayoutListener, PayoutOrder, PayoutOutcome
from drivers.clock import Clock
from drivers.errors import WireError
from drivers.ssp.payout_events import PayoutEvent
from drivers.ssp.payout_wire import BUSY, LACKS, REFUSALS, PayoutWire
from drivers.ssp.protocol import Event, PolledEvent
from drivers.ssp.stock import LIFETIME_SPAN, Stock

STALL_S: Final = 30.0
"""No progress for this long, and the device has not stopped by itself."""

POLL_S: Final = 0.2
QUIET_POLLS: Final = 2
"""Polls in a row without a payout event; the first poll may be answered before the payout starts."""

TRIES: Final = 3
START_S: Final = 1.0
"""Pause before the next check of a device that clears notes or coins after a power cut."""

RECHECK_S: Final = 5.0
"""How long the device's levels may contradict its reports."""

BUSY_S: Final = 15.0
"""How long a starting device may be busy."""

MOST_OVERPAID: Final = 255

_PAYING: Final = frozenset(
    {
        PayoutEvent.DISPENSING,
        PayoutEvent.HELD_IN_BEZEL,
        PayoutEvent.JAM_RECOVERY,
        PayoutEvent.FLOATING,
        PayoutEvent.EMPTYING,
        PayoutEvent.SMART_EMPTYING,
    }
)
_PROGRESS: Final = frozenset({PayoutEvent.DISPENSING, PayoutEvent.DISPENSED})
_ENDS: Final = {
    PayoutEvent.DISPENSED: (None, "", ""),
    PayoutEvent.HALTED: (None, "", ""),
    PayoutEvent.INCOMPLETE_PAYOUT: (None, "", ""),
    PayoutEvent.HOPPER_JAMMED: (PayoutEnd.JAMMED, "hopper_jam", "it is jammed"),
    PayoutEvent.TIMED_OUT: (PayoutEnd.EMPTY, "hopper_empty", "it found no coin in time"),
    PayoutEvent.ERROR_DURING_PAYOUT: (PayoutEnd.JAMMED, "hopper_jam", "a note was moved wrongly, or is jammed"),
    PayoutEvent.OUT_OF_SERVICE: (PayoutEnd.STOPPED, "hopper_motor", "its payout is out of service"),
    PayoutEvent.CALIBRATION_FAILED: (PayoutEnd.STOPPED, "hopper_sensor", "its calibration failed"),
    PayoutEvent.NOTE_FLOAT_REMOVED: (PayoutEnd.STOPPED, "hopper_motor", "its note store is removed"),
    Event.FRAUD: (PayoutEnd.UNDECIDED, "hopper_sensor", "it saw an attempt to draw coins out"),
    Event.UNSAFE_JAM: (PayoutEnd.JAMMED, "hopper_jam", "a note is jammed where a hand can reach it"),
    Event.SAFE_JAM: (PayoutEnd.JAMMED, "hopper_jam", "a note is jammed where no hand can reach it"),
}
"""The end that an event means (None if the payout continues or is done), its fault code and words."""

_BOXED: Final[frozenset[Event | PayoutEvent]] = frozenset(
    {PayoutEvent.INTO_STACKER_AT_RESET, PayoutEvent.TRANSFERRED_TO_STACKER}
)
"""Notes or coins that were moving out during a power cut and went into the cash box: they left the store unpaid."""

_AFTER_CUT: Final = _BOXED | {PayoutEvent.DISPENSED_AT_RESET}
_OF_A_CUT: Final = _AFTER_CUT | {PayoutEvent.INCOMPLETE_PAYOUT}

_SAYS_PAID: Final = frozenset(
    {
        PayoutEvent.DISPENSED,
        PayoutEvent.HALTED,
        PayoutEvent.INCOMPLETE_PAYOUT,
        PayoutEvent.HOPPER_JAMMED,
        PayoutEvent.TIMED_OUT,
    }
)


def note_ends(news: list[PolledEvent], events: Sequence[PolledEvent]) -> None:
    """Add the events to `news` that report the end of a payout or its result after a power cut.

    A repeated event is added once; two equal events in one answer are two notes.
    """
    for one in dict.fromkeys(events):
        if one.event in _ENDS or one.event in _AFTER_CUT:
            news += [one] * (events.count(one) - news.count(one))


class SspPayout:
    """An order being paid; `paid` units are booked. Call either `run` or `settle`, once.

    `news` are the device's end events, also from before this object was created; it is emptied when they are booked.
    """

    def __init__(
        self,
        order: PayoutOrder,
        listener: PayoutListener,
        *,
        unit_cents: int,
        currency: str,
        serial: int,
        wire: PayoutWire,
        clock: Clock,
        news: list[PolledEvent],
    ) -> None:
        self.paid = order.paid
        self._coins = order.coins
        self._asked = order.event_counter or 0
        self._lifetime = order.lifetime
        self._before = order.paid_before
        self._listener = listener
        self._unit_cents = unit_cents
        self._currency = currency
        self._serial = serial
        self._wire = wire
        self._clock = clock
        self._end_events = news
        self._boxed = 0
        self._resumed = order.lifetime is not None
        self._refused: int | None = None
        self._stalled = False
        self._faults: dict[str, str] = {}

    async def run(self) -> PayoutOutcome:
        """Pay the rest of the order, or return why that is impossible; raise what the link or the listener raises."""
        outcome = None if self._lifetime is None else await self._account()
        fruitless = 0
        while outcome is None and self.paid < self._coins:
            if fruitless == TRIES:
                why = REFUSALS.get(self._refused, f"reason {self._refused}") if self._refused is not None else "no word"
                return self._ended(
                    PayoutEnd.STOPPED, {"dispense_refused": f"{TRIES} orders in a row paid nothing: {why}"}
                )
            before = self.paid
            outcome = await self._dispense() or await self._account()
            fruitless = 0 if self.paid > before else fruitless + 1
        return outcome or self._ended(PayoutEnd.DONE)

    async def settle(self) -> PayoutOutcome:
        """Halt the announced order and book what it paid; order nothing more."""
        if self._lifetime is None:
            return self._ended(PayoutEnd.STOPPED)
        await self._wire.halt()
        return await self._account() or self._ended(PayoutEnd.STOPPED)

    async def _dispense(self) -> PayoutOutcome | None:
        """Announce and send one order for the rest, or return why nothing may be ordered."""
        await self._wire.enable()
        if any(one.event in _PAYING for one in await self._wire.poll()):
            # Coins of a foreign payout must not count for this order.
            await self._wire.halt()
            await self._stand_still(booking=False)
        await self._done_with_news()
        stock = await self._wire.stock()
        units = stock.payable(self._coins - self.paid)
        refusal = await self._refusal(units) if units else 0
        if refusal in LACKS:
            return self._ended(PayoutEnd.EMPTY, {"hopper_empty": f"of {self._missing()}: {REFUSALS[refusal]}"})
        if refusal is not None:
            words = REFUSALS.get(refusal, f"reason {refusal}")
            return self._ended(PayoutEnd.STOPPED, {"dispense_refused": f"it would pay nothing: {words}"})
        self._asked, self._before, self._lifetime = units, self.paid, stock.count
        self._boxed, self._resumed = 0, False
        await self._listener.dispensing(self._serial, units, stock.count)
        self._refused = await self._wire.dispense(units)
        return None

    async def _refusal(self, units: int) -> int | None:
        """Wait while the device is busy; return why it cannot pay `units` (`REFUSALS`), None if it can."""
        deadline = self._clock.now() + BUSY_S
        while (refusal := await self._wire.refusal(units)) == BUSY and self._clock.now() < deadline:
            await self._wire.poll()
            await self._clock.sleep(POLL_S)
        return refusal

    def _missing(self) -> str:
        return f"the {(self._coins - self.paid) * self._unit_cents} cents that are to be paid"

    async def _account(self) -> PayoutOutcome | None:
        """Follow the announced order to its end and book every unit; return None if more may be ordered."""
        if self._lifetime is None:
            return None  # nothing was announced: the device was not ready
        passed, contradiction = await self._agreed()
        if contradiction:
            return self._ended(PayoutEnd.UNDECIDED, {"hopper_memory": contradiction}, recount=True)
        await self._book(passed)
        if passed > self._coins:
            self._faults["hopper_runaway"] = f"{passed - self._coins} times its value more than was ordered"
        ends = [_ENDS[one.event] for one in self._end_events if one.event in _ENDS]
        await self._done_with_news()
        for end, code, words in ends:
            if code:
                self._faults[code] = words
            if end is PayoutEnd.UNDECIDED or (end and self.paid < self._coins):
                return self._ended(end)
        if self.paid >= self._coins:
            return self._ended(PayoutEnd.DONE)
        if self._stalled:
            return self._ended(PayoutEnd.JAMMED, {"hopper_jam": f"it neither paid nor gave up for {STALL_S:.0f} s"})
        return None

    async def _agreed(self) -> tuple[int, str]:
        """Wait until the device is idle and its levels and reports agree, then return the result of `_passed`."""
        await self._stand_still(booking=True)
        if any(one.event in _ENDS and _ENDS[one.event][0] for one in self._end_events):
            await self._wire.halt()  # a device that gave up must not start again by itself
            await self._stand_still(booking=True)
        if any(one.event in _OF_A_CUT for one in self._end_events):
            await self._book_boxed()
            await self._hear_more()
        deadline = self._clock.now() + RECHECK_S
        while True:
            await self._book_boxed()
            passed, contradiction = self._passed(await self._wire.stock())
            if not contradiction or self._clock.now() > deadline:
                return passed, contradiction
            await self._hear_more()

    async def _book_boxed(self) -> None:
        """Record what fell into the cash box before it is acknowledged: after a kill it would count as paid."""
        boxed = self._caught(_BOXED)
        if boxed or self._resumed:
            self._boxed = await self._listener.coins_boxed(self._serial, self._lifetime or 0, boxed)

    def _caught(self, how: Collection[Event | PayoutEvent]) -> int:
        """Return the units in the events of kind `how`: they were moving out during a power cut."""
        return (
            sum(amount.cents for one in self._end_events if one.event in how for amount in one.amounts)
            // self._unit_cents
        )

    def _passed(self, stock: Stock) -> tuple[int, str]:
        """Return the units paid according to `stock`, and why that is uncertain; empty if levels and reports agree.

        Units that fell into the cash box after a power cut left the store unpaid. The report of an incomplete payout
        may include or omit them.
        """
        boxed, let_out = self._boxed, self._caught({PayoutEvent.DISPENSED_AT_RESET})
        passed = self._before + (stock.count - (self._lifetime or 0) - boxed) % LIFETIME_SPAN
        if not self.paid <= passed <= self._coins + MOST_OVERPAID:
            return passed, f"it holds {stock.units} times its value, which contradicts the {self.paid} that were booked"
        for one in self._end_events:
            for amount in one.amounts:
                if amount.currency != self._currency or one.event not in _SAYS_PAID:
                    continue
                another = amount.requested_cents not in {None, self._asked * self._unit_cents}
                reported = self._before + amount.cents // self._unit_cents
                if not another and reported not in {passed, passed + boxed, passed - let_out}:
                    return passed, f"it reports {reported} times its value, its levels say {passed}"
        return passed, ""

    async def _hear_more(self) -> None:
        """Give a starting device time to clear notes after a power cut and to report them."""
        await self._acknowledge()  # repeated events hide later ones
        await self._clock.sleep(START_S)
        await self._stand_still(booking=True)

    async def _done_with_news(self) -> None:
        """Acknowledge and clear the events: all of them are booked."""
        await self._acknowledge()
        self._end_events.clear()

    async def _acknowledge(self) -> None:
        """Acknowledge the events; a note that falls into the cash box after this is another one."""
        if await self._wire.acknowledge() and any(one.event in _BOXED for one in self._end_events):
            await self._listener.boxes_acknowledged(self._serial, self._lifetime or 0)
            self._end_events[:] = [one for one in self._end_events if one.event not in _BOXED]

    async def _stand_still(self, *, booking: bool) -> None:
        """Book units as they are paid until the device is idle, and collect its end events.

        A device that neither pays nor gives up is halted; raise `WireError` if it continues even then.
        """
        quiet, newest, moved_at = 0, -1, self._clock.now()
        while quiet < QUIET_POLLS:
            events = await self._wire.poll()
            paying = any(one.event in _PAYING for one in events)
            note_ends(self._end_events, events)
            quiet = 0 if paying else QUIET_POLLS if any(one.event in _SAYS_PAID for one in events) else quiet + 1
            value = self._value(events)
            if value > newest:
                newest, moved_at = value, self._clock.now()
            if booking and value > 0:
                await self._book(self._before + min(value // self._unit_cents, self._asked))
            if paying and self._clock.now() - moved_at > STALL_S:
                if self._stalled:
                    raise WireError(
                        f"{self._wire}: it pays on though it was halted: take the note that waits, or switch it off"
                    )
                self._stalled, moved_at = True, self._clock.now()
                await self._wire.halt()
            if quiet < QUIET_POLLS:
                await self._clock.sleep(POLL_S)

    def _value(self, events: tuple[PolledEvent, ...]) -> int:
        """Return the cents paid according to the newest report, -1 for none."""
        values = [
            amount.cents
            for one in events
            if one.event in _PROGRESS
            for amount in one.amounts
            if amount.currency == self._currency
        ]
        return max(values, default=-1)

    async def _book(self, passed: int) -> None:
        while self.paid < passed:
            await self._listener.coin_paid(self.paid + 1)
            self.paid += 1

    def _ended(
        self, end: PayoutEnd, faults: Mapping[str, str] | None = None, *, recount: bool = False
    ) -> PayoutOutcome:
        """Return the outcome with all faults of this payout."""
        details = {**self._faults, **(faults or {})}
        unpaid = (self._coins - self.paid) * self._unit_cents
        words = {code: f"{text}; {unpaid} cents unpaid" if unpaid > 0 else text for code, text in details.items()}
        return PayoutOutcome(end=end, faults=tuple(words.items()), recount=recount)
