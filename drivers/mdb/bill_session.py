"""One session with an MDB bill validator that has an escrow (MDB/ICP 4.3, section 6; requirements.md, B).

Decisions where the sources leave a choice:

- "Bill stacked" (POLL 8x) is the credit; its low bits name the bill type. If that is another type than the one that was
  ordered to be stacked, no value is guessed. The event comes once: the bridge acknowledges it on the bus before the
  driver receives it.
- So the number of bills in the cash box (STACKER) is read before a stack order and journaled with it. If an answer was
  lost or the program ended, a number that is higher by one proves that the bill was stacked, because no other bill is
  accepted meanwhile. An unchanged number proves nothing, since a validator may count before it reports: the bill
  becomes an open item unless the validator reports that it returned the bill. The number is journaled after each bill
  as well: a bill that the validator stacked by itself and did not report, at a start of its own, is an open item too.
  A report of a returned bill of another type is about another bill, and one that a higher number contradicts makes the
  bill in hand an open item.
- Stacking a bill and inserting the next takes longer than `AGAIN_S`: an escrow event of the same type within that time
  after the order is a repeated report; a later one is another bill.
- When the driver starts, a bill may be in escrow, and a validator reports it only once. The driver therefore orders a
  return. A validator with an empty escrow answers with "invalid escrow request"; a bill that is being stacked is not
  recalled.
- A stack order is repeated only if no answer was lost since the bill was reported in escrow.
- A validator has 30 s to report the result of an order (section 6.3, ESCROW).
- A validator reports the start of a fault once (section 6.3), and not its end. During a fault no bill is accepted, and
  without a bill in hand the validator is reset (RESET) every `RETEST_S`: a fault that it does not report again is over.
- Recycling is not enabled, and tickets are not read.
"""

import asyncio
import logging
import re
from typing import Final

from drivers.capabilities import BILL_VALIDATOR, BillListener, Verdict
from drivers.clock import Clock
from drivers.currency import Currency
from drivers.errors import IdentityError
from drivers.link_faults import found
from drivers.mdb import protocol
from drivers.mdb.bill_setup import MdbBillSetup
from drivers.mdb.bridge import AnswerLostError, BridgeLostError
from drivers.mdb.link import MdbLink, unless_done
from drivers.mdb.protocol import RETURN, STACK, Bill, BillEvent, BillState, Moved, Routing, Tried
from drivers.note_alarms import Back, NoteAlarms
from drivers.note_fate import Note, NoteFate
from drivers.port import Port
from drivers.validator_faults import ValidatorFaults
from drivers.wiring import BillValidator as Settings

_log = logging.getLogger(__name__)

ORDER_S: Final = 30.0
"""How long a validator may take to report the result of an escrow order."""
REPEAT_S: Final = 3.0
"""An order without a reported result is repeated after this time."""
ASK_COUNT_S: Final = 1.0
"""How often the cash box's bill count is read while a bill's fate is in doubt."""
AGAIN_S: Final = 1.0
SAY_S: Final = 1.0
"""How long a validator may take to report a bill that it has stacked."""
RETEST_S: Final = 20.0
"""How often a validator with a fault is reset."""
OVER_S: Final = 5.0
"""A fault that is not reported again within this time after a reset is over."""
CHECK_BOX_S: Final = 60.0
"""How often the cash box is read: whether it is full, and how many bills it holds."""
COUNTS_S: Final = 120.0
"""How long a validator may take to count a bill that it has reported; a lower number then is an emptied cash box."""
MOST_WAITING: Final = 16
"""Maximum number of polls to read the events that a validator kept while it was not polled."""

_POLL: Final = bytes((Bill.POLL,))
_STACKER: Final = bytes((Bill.STACKER,))

STATES: Final = {
    BillState.MOTOR: ("failure", "one of its motors has failed"),
    BillState.SENSOR: ("failure", "one of its sensors has failed"),
    BillState.CHECKSUM: ("failure", "its program is damaged"),
    BillState.JAMMED: ("acceptor_jam", "its path is blocked"),
    BillState.REMOVED: ("cheated", "a bill was taken out of it that it had taken"),
    BillState.CREDIT_REMOVAL: ("cheated", "somebody tried to take out a bill that was credited"),
    BillState.BOX_OUT: ("stacker_open", "the cash box is out"),
}
_BOX_FULL: Final = ("stacker_full", "the cash box is full")
FAULTS: Final = (*STATES.values(), _BOX_FULL)
"""Fault codes with their descriptions."""

_DIALOGUE: Final = re.compile(r"mdb(\d{1,2}) (\d{1,5}) (\d{1,10})")
"""The journaled text: the bill type, the cash box's bill count and the validator's serial number."""
_HEARD: Final = re.compile(r"mdb(\d{1,10}) (\d{1,5})")
"""The journaled text: the validator's serial number, and the cash box's bill count with every reported bill.

The count is missing while a bill in doubt may still be counted.
"""


class _Order:
    """An escrow order: stack, with `bills` in the cash box before it, or return, with None.

    It is `doubted` if the device may have reported its result in an answer that was lost.
    """

    def __init__(self, kind: int, bills: int | None, at: float, data: bytes, *, doubted: bool) -> None:
        self.kind = kind
        self.bills = bills
        self.since = self.sent_at = at
        self.data = data
        self.doubted = doubted
        self.asked_at = float("-inf")

    def shows_in(self, bills: int) -> bool:
        """Return whether a cash box with `bills` bills proves that this one was stacked."""
        return self.bills is not None and bills == self.bills + 1


class MdbBillSession:
    """One session with the device, from joining the bridge to losing it."""

    def __init__(
        self,
        port: Port,
        clock: Clock,
        listener: BillListener,
        settings: Settings,
        alarms: NoteAlarms,
        *,
        currency: Currency,
    ) -> None:
        self._link = MdbLink(port, clock, "bill validator")
        self._clock = clock
        self._gap_s = settings.poll_ms / 1000
        self._listener = listener
        self._setup = MdbBillSetup(self._link, currency, serial=settings.serial)
        self._fate = NoteFate(listener, alarms, clock)
        self._faults = ValidatorFaults(listener, {code for code, _ in FAULTS})
        self._faults_seen_at: dict[tuple[str, str], float] = {}
        self._reset_at = self._retest_at = float("-inf")
        self._box_full = False
        self._box_read_at = float("-inf")
        self._box_count: int | None = None
        self._counts_until = clock.now() + COUNTS_S
        self._order: _Order | None = None
        self._credited_by_count: int | None = None
        self._events_during_verdict: list[BillEvent] = []

    async def begin(self) -> None:
        """Join the bridge, inhibit the device, and read the events that it kept since the last session."""
        await self._link.open()
        identity = await self._setup.identify()
        await self._setup.inhibit()
        await found(BILL_VALIDATOR, identity, self._listener)
        heard = _HEARD.fullmatch(await self._listener.bills_heard() or "")
        if heard is not None and int(heard[1]) == self._setup.number:
            self._box_count = int(heard[2])
        await self._restore_order(await self._listener.bill_dialogue())
        await self._read_kept_events()
        await self._settle()
        await self._empty_escrow()

    async def _restore_order(self, dialogue: str | None) -> None:
        """Restore the bill in hand from the journaled text of an earlier session."""
        words = _DIALOGUE.fullmatch(dialogue or "")
        if dialogue is None:
            await self._fate.stack_never_ordered()
        elif words is None or int(words[3]) != self._setup.number:
            # The order went to another device: this device's cash box proves nothing.
            await self._fate.left_by_other_validator()
        else:
            self._order = _Order(int(words[1]), int(words[2]), self._clock.now(), RETURN, doubted=True)

    async def _read_kept_events(self) -> None:
        """Poll until the device has no older events left."""
        for _ in range(MOST_WAITING):
            events = await self._poll()
            await self._handle_events(events)
            if not events:
                return

    async def _empty_escrow(self) -> None:
        """Return an unknown bill from escrow; a validator reports it once, and that report may be lost."""
        await self._link.order(bytes((Bill.ESCROW,)) + RETURN)

    async def step(self, accepted: frozenset[int]) -> None:
        """Poll once, handle the events, then settle the bill, report faults and set inhibits."""
        await self._clock.sleep(self._gap_s)
        await self._handle_events(await self._poll())
        await self._settle()
        await self._report_faults()
        if self._order is not None:
            return
        if not self._fate.settled:
            await self._fate.at_rest()
        if not self._setup.known:
            await self._setup.identify()
            await self._setup.inhibit()
            await self._empty_escrow()
        elif self._clock.now() - self._box_read_at >= CHECK_BOX_S:
            await self._check_box()
        else:
            await self._setup.apply(frozenset() if self._present_faults else accepted)
            await self._retest_faults()

    # Polling.

    async def _poll(self) -> list[BillEvent]:
        """Poll and return the device's events; after a lost or invalid answer the open order is doubted."""
        try:
            said = await self._link.ask(_POLL)
            return protocol.bill_events(said) if said else []
        except (BridgeLostError, IdentityError):
            raise
        except AnswerLostError:
            self._doubt_order()
        except ValueError as error:
            _log.warning("%s: %s", self._link.path, error)
            self._doubt_order()
        return []

    def _doubt_order(self) -> None:
        """Mark the order as doubted: the lost answer may have reported the bill's fate or a reset."""
        if self._order is not None:
            self._order.doubted = True
        self._setup.forget()

    async def _handle_events(self, events: list[BillEvent]) -> None:
        for event in events:
            if isinstance(event, Moved):
                await self._handle_moved(event)
            elif isinstance(event, Tried):
                _log.info("%s: %s bills were put in while none was taken", self._link.path, event.number)
            else:
                await self._handle_state(event)

    async def _handle_state(self, state: BillState) -> None:
        if state in STATES:
            self._faults_seen_at[STATES[state]] = self._clock.now()
        if state is BillState.RESET:
            self._reset_at = self._clock.now()
            self._box_read_at = float("-inf")
            self._setup.forget()
            self._fate.restarted(in_acceptor=False)
            if self._order is not None:
                self._order.doubted = True
                self._order.since = self._clock.now()
        elif state is BillState.REJECTED:
            note = self._fate.note
            certain = note is not None and not note.stack_ordered
            await self._fate.going_back("the validator did not recognise it", how=Back.REJECTED, certain=certain)
        elif state is BillState.INVALID_ESCROW and self._order is not None:
            # The escrow is empty: the cash box's count shows what became of the bill.
            self._order.doubted = True

    async def _handle_moved(self, event: Moved) -> None:
        if event.routing is Routing.ESCROW:
            self._faults_seen_at.clear()
            await self._handle_escrow(event.kind)
        elif event.routing in {Routing.STACKED, Routing.RECYCLER}:
            await self._handle_stacked(event.kind)
        elif event.routing is Routing.RETURNED:
            await self._handle_returned(event.kind)
        elif event.routing is Routing.REJECTED_DISABLED:
            await self._fate.going_back("such bills are not taken now", how=Back.REFUSED, certain=self._order is None)
        else:
            _log.warning("%s: bills of kind %s: %s", self._link.path, event.kind, event.routing.name.lower())

    # The bill.

    async def _handle_escrow(self, kind: int) -> None:
        order = self._order
        if order is not None and order.kind == kind and self._clock.now() - order.since < AGAIN_S:
            return  # a repeated report: the order is sent again
        if order is not None:
            await self._give_up(order)
        self._credited_by_count = None
        await self._fate.another_in_escrow()
        note = await self._fate.in_escrow(kind, self._setup.values_cents.get(kind))
        await self._fate.judge(note, self._hold_until)
        left, self._events_during_verdict = self._events_during_verdict, []
        if any(event is BillState.RESET or isinstance(event, Moved) for event in left):
            # The bill left the escrow while its verdict was awaited, and was never ordered to be stacked.
            await self._handle_events(left)
            return
        if note.verdict is Verdict.STACK:
            await self._stack(note)
        else:
            self._order = _Order(kind, None, self._clock.now(), RETURN, doubted=False)
            await self._send(RETURN)
        await self._handle_events(left)

    async def _hold_until(self, asking: asyncio.Future[Verdict]) -> None:
        """Keep polling while the bill is in escrow; store the events until the verdict is known."""
        self._events_during_verdict = []
        while await unless_done(asking, self._gap_s):
            self._events_during_verdict += await self._poll()

    async def _stack(self, note: Note) -> None:
        """Journal the cash box's bill count, then order the bill to be stacked."""
        bills = await self._read_box_count()
        await self._restart_count(bills)
        doubted = not self._setup.known  # an answer was lost while its verdict was awaited
        order = _Order(note.escrow_code, bills, self._clock.now(), STACK, doubted=doubted)
        await self._listener.bill_dialogue_at(f"mdb{note.escrow_code} {bills} {self._setup.number}")
        self._fate.stacking(note)
        self._order = order
        await self._send(STACK)

    async def _send(self, data: bytes) -> None:
        """Send an escrow order once; its result is reported by polls."""
        try:
            await self._link.ask(bytes((Bill.ESCROW,)) + data)
        except BridgeLostError:
            raise
        except AnswerLostError:
            # The device may have carried out the order; a later poll reports the result.
            _log.info("%s: no answer to an order about the bill in escrow", self._link.path)

    async def _read_box_count(self) -> int:
        """Read how many bills the cash box holds and whether it is full; return the count."""
        found = await self._link.agreed(_STACKER, protocol.stacker)
        self._box_read_at = self._clock.now()
        self._box_full = found.full
        return found.bills

    async def _check_box(self) -> None:
        """Read the cash box's count; a bill in it that nobody reported becomes an open item."""
        bills = await self._read_box_count()
        if self._box_count is not None and bills > self._box_count:
            await self._credit(None)
            await self._journal_count(bills)
        else:
            await self._restart_count(bills)

    async def _restart_count(self, bills: int) -> None:
        """Journal a first number, or a lower one unless a reported bill may still be counted."""
        if self._box_count is None or (bills < self._box_count and self._clock.now() >= self._counts_until):
            await self._journal_count(bills)

    async def _journal_count(self, bills: int | None) -> None:
        """Journal the cash box's count with every reported bill, None while a bill in doubt may still be counted."""
        if bills != self._box_count:
            self._box_count = bills
            await self._listener.bills_heard_at(f"mdb{self._setup.number} {'' if bills is None else bills}")

    async def _add_reported_bill(self) -> None:
        """Journal that the box holds one bill more, before that bill is credited."""
        self._counts_until = self._clock.now() + COUNTS_S
        if self._box_count is not None:
            await self._journal_count(self._box_count + 1)

    async def _handle_stacked(self, kind: int) -> None:
        order, self._order = self._order, None
        if self._credited_by_count == kind:
            self._credited_by_count = None  # credited before this report, by the cash box's count
            return
        await self._add_reported_bill()
        cents = self._setup.values_cents.get(kind)
        if cents is None or (order is not None and order.kind != kind):
            await self._fate.stacked_unrecognised(f"the validator stacked a bill of kind {kind}, which was not in hand")
            return
        await self._credit(cents)

    async def _credit(self, cents: int | None) -> None:
        """Credit the bill and close it at once: a validator does not repeat that it was stacked."""
        await self._fate.vend_valid(cents)
        await self._fate.device_continued()

    async def _handle_returned(self, kind: int) -> None:
        """Handle a returned bill: the one in hand, unless its type or the cash box's count contradicts that."""
        note, order = self._fate.note, self._order
        if order is not None and order.kind != kind:
            _log.warning("%s: a bill of kind %s came back, which was not in hand", self._link.path, kind)
            order.doubted = True  # the other bill's escrow was not reported either
            return
        if order is not None and order.doubted and await self._count_proves_stacked(order):
            self._order = None
            await self._end_in_doubt()
            return
        refused = note is not None and note.verdict is Verdict.RETURN
        if note is None and order is not None:
            # No bill is accepted before the one of an earlier session is settled, so this is that bill.
            self._fate.restarted(in_acceptor=True)
        reason = "it was not taken" if refused else "the validator gave it back by itself"
        await self._fate.going_back(reason, how=Back.REFUSED if refused else Back.RETURNED)
        self._order = None

    async def _settle(self) -> None:
        """Settle the bill in hand by the cash box's count or by timeout, or repeat its order."""
        order = self._order
        if order is None:
            return
        now = self._clock.now()
        if order.doubted and now - order.asked_at >= ASK_COUNT_S:
            order.asked_at = now
            if await self._count_proves_stacked(order):
                await self._await_report(order)
                return
        if now - order.since >= ORDER_S or self._fate.overdue:
            await self._give_up(order)
        elif now - order.sent_at >= REPEAT_S and (order.data == RETURN or not order.doubted):
            order.sent_at = now
            await self._send(order.data)

    async def _count_proves_stacked(self, order: _Order) -> bool:
        """Return whether the cash box holds one bill more than before the stack order."""
        return order.bills is not None and order.shows_in(await self._read_box_count())

    async def _await_report(self, order: _Order) -> None:
        """Give the device `SAY_S` to report a bill that is in the cash box, then credit the bill."""
        until = self._clock.now() + SAY_S
        while self._clock.now() < until:
            await self._clock.sleep(self._gap_s)
            await self._handle_events(await self._poll())
            if self._order is not order:
                return
        self._order = None
        await self._credit_counted(order.kind)

    async def _credit_counted(self, kind: int) -> None:
        """Credit a bill of which the cash box's count tells before any report."""
        self._credited_by_count = kind
        await self._add_reported_bill()
        await self._credit(self._setup.values_cents.get(kind))

    async def _end_in_doubt(self) -> None:
        """Make the bill in hand an open item; the cash box may still count it."""
        await self._journal_count(None)
        await self._fate.at_rest()

    async def _give_up(self, order: _Order) -> None:
        """Settle a bill whose result the device did not report in time."""
        self._order = None
        note = self._fate.note
        if note is not None and not note.stack_ordered:
            await self._fate.at_rest()
        elif await self._count_proves_stacked(order):
            await self._credit_counted(order.kind)
        else:
            await self._end_in_doubt()

    # Faults.

    @property
    def _present_faults(self) -> frozenset[tuple[str, str]]:
        return frozenset((*self._faults_seen_at, *((_BOX_FULL,) if self._box_full else ())))

    async def _report_faults(self) -> None:
        now, reset_at = self._clock.now(), self._reset_at
        if now - reset_at >= OVER_S:
            self._faults_seen_at = {fault: at for fault, at in self._faults_seen_at.items() if at >= reset_at}
        await self._faults.are(self._present_faults)

    async def _retest_faults(self) -> None:
        """Reset a validator with a fault; only called without a bill in hand."""
        now = self._clock.now()
        if self._faults_seen_at and now - max(self._retest_at, *self._faults_seen_at.values()) >= RETEST_S:
            self._retest_at = now
            await self._link.order(bytes((Bill.RESET,)))
