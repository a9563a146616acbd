"""A conversation with a bill validator with escrow that speaks MDB (MDB/ICP 4.3, section 6; requirements.md, B).

Decisions where the sources leave a choice:

- "Bill stacked" (POLL 8x) is the credit, with the kind that the same byte names; a kind other than the one that was
  ordered to be stacked is not guessed about. It comes once: the bridge acknowledges it on the bus before we have it.
- So the number of bills in the cash box (STACKER) is read before a bill is ordered to be stacked, and is journaled with
  the order. Where an answer was lost, or the program was, a number that has risen by one since is the proof that the
  bill was stacked: nothing else is taken meanwhile. A number that has not risen proves nothing, since a validator may
  count before it reports: the bill becomes an open item unless the validator says that it returned it.
- A bill takes longer than `AGAIN_S` to be stacked and followed by another: one of the same kind in escrow within that
  time after the order is the same report again, and later it is another bill.
- After a start of ours a bill may lie in escrow: a validator names it once. It is ordered to be returned, which a
  validator whose escrow is empty answers with "invalid escrow request", and which cannot recall what is being stacked.
- The order to stack is sent again only while no answer was lost since the bill was seen in escrow.
- A validator has 30 s to say what became of an order (section 6.3, ESCROW).
- A fault is reported once (section 6.3), and its end is not. While there is one nothing is taken, and the validator is
  reset (RESET) now and then, when nothing is in hand: what it does not report again after that is over.
- Recycling is not switched on, tickets are not read.
"""

import asyncio
import logging
import re
from typing import Final

from drivers.capabilities import BILL_VALIDATOR, BillListener, Verdict
from drivers.clock import Clock
from drivers.currency import Currency
from drivers.errors import IdentityError
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
"""How long a validator may take to say what became of an order about the bill in escrow."""
REPEAT_S: Final = 3.0
"""After so long an order of which nothing was heard is sent again."""
ASK_COUNT_S: Final = 1.0
"""How often the cash box is asked for its number while a bill's fate is in doubt."""
AGAIN_S: Final = 1.0
SAY_S: Final = 1.0
"""How long a validator that has stacked a bill may take to say so."""
RETEST_S: Final = 20.0
"""How often a validator with a fault is reset."""
OVER_S: Final = 5.0
"""A fault that is not reported again for so long after a reset is over."""
CHECK_BOX_S: Final = 60.0
"""How often the cash box is asked whether it is full."""
MOST_WAITING: Final = 16
"""Polls until a validator that was left alone has said all that it kept."""

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
"""Fault codes, and what each says."""

_DIALOGUE: Final = re.compile(r"mdb(\d{1,2}) (\d{1,5}) (\d{1,10})")
"""What the listener keeps: the bill's kind, the cash box's number, and the validator's own."""


class _Order:
    """A bill that was ordered to be stacked, `bills` being in the cash box before, or to be returned: None.

    It is `doubted` where the device may have said what became of it, and we have not heard it.
    """

    def __init__(self, kind: int, bills: int | None, at: float, data: bytes, *, doubted: bool) -> None:
        self.kind = kind
        self.bills = bills
        self.since = self.sent_at = at
        self.data = data
        self.doubted = doubted
        self.asked_at = float("-inf")

    def shows_in(self, bills: int) -> bool:
        """Whether a cash box with so many bills proves that this one was stacked."""
        return self.bills is not None and bills == self.bills + 1


class MdbBillSession:
    """One conversation with the device, from joining the bridge to losing it."""

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
        self._seen: dict[tuple[str, str], float] = {}
        self._reset_at = self._retest_at = float("-inf")
        self._full = False
        self._box_at = float("-inf")
        self._order: _Order | None = None
        self._late: int | None = None
        self._left: list[BillEvent] = []

    async def begin(self) -> None:
        """Join the bridge, have the device take nothing, and hear what it has kept of an earlier conversation."""
        await self._link.open()
        identity = await self._setup.identify()
        await self._setup.inhibit()
        _log.info("%s found: %s", BILL_VALIDATOR, identity)
        await self._listener.device_found(BILL_VALIDATOR, identity)
        for code in ("no_reply", "wrong_device", "wrong_currency"):
            await self._listener.device_fault(BILL_VALIDATOR, code, present=False)
        await self._take_up(await self._listener.bill_dialogue())
        await self._hear_all()
        await self._settle()
        await self._empty_escrow()

    async def _take_up(self, dialogue: str | None) -> None:
        """Go on where an earlier conversation left the bill in hand."""
        words = _DIALOGUE.fullmatch(dialogue or "")
        if dialogue is None:
            await self._fate.stack_never_ordered()
        elif words is None or int(words[3]) != self._setup.number:
            # Another device was ordered to stack it: this one's cash box proves nothing.
            await self._fate.left_by_other_protocol()
        else:
            self._order = _Order(int(words[1]), int(words[2]), self._clock.now(), RETURN, doubted=True)

    async def _hear_all(self) -> None:
        """Take in what the device has still to say of the past."""
        for _ in range(MOST_WAITING):
            events = await self._poll()
            await self._take(events)
            if not events:
                return

    async def _empty_escrow(self) -> None:
        """Have a bill returned of which we know nothing; a validator names it once, and that was perhaps not heard."""
        await self._link.order(bytes((Bill.ESCROW,)) + RETURN)

    async def step(self, accepted: frozenset[int]) -> None:
        """Poll once and do what the answer asks for."""
        await self._clock.sleep(self._gap_s)
        await self._take(await self._poll())
        await self._settle()
        await self._report_faults()
        if self._order is not None:
            return
        if not self._fate.known:
            await self._fate.at_rest()
        if not self._setup.known:
            await self._setup.identify()
            await self._setup.inhibit()
            await self._empty_escrow()
        elif self._clock.now() - self._box_at >= CHECK_BOX_S:
            await self._bills()
        else:
            await self._setup.apply(frozenset() if self._present else accepted)
            await self._test_again()

    # Polling.

    async def _poll(self) -> list[BillEvent]:
        """Poll and return what the device reports; what was lost on the way is doubted."""
        try:
            said = await self._link.ask(_POLL)
            return protocol.bill_events(said) if said else []
        except (BridgeLostError, IdentityError):
            raise
        except AnswerLostError:
            self._doubt()
        except ValueError as error:
            _log.warning("%s: %s", self._link.path, error)
            self._doubt()
        return []

    def _doubt(self) -> None:
        """The device may have said anything: about the bill in hand, or that it was reset."""
        if self._order is not None:
            self._order.doubted = True
        self._setup.forget()

    async def _take(self, events: list[BillEvent]) -> None:
        for event in events:
            if isinstance(event, Moved):
                await self._moved(event)
            elif isinstance(event, Tried):
                _log.info("%s: %s bills were put in while none was taken", self._link.path, event.number)
            else:
                await self._state(event)

    async def _state(self, state: BillState) -> None:
        if state in STATES:
            self._seen[STATES[state]] = self._clock.now()
        if state is BillState.RESET:
            self._reset_at = self._clock.now()
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
            # Nothing lies in escrow: what became of it shows in the cash box.
            self._order.doubted = True

    async def _moved(self, event: Moved) -> None:
        if event.routing is Routing.ESCROW:
            self._seen.clear()
            await self._escrow(event.kind)
        elif event.routing in {Routing.STACKED, Routing.RECYCLER}:
            await self._stacked(event.kind)
        elif event.routing is Routing.RETURNED:
            await self._returned()
        elif event.routing is Routing.REJECTED_DISABLED:
            await self._fate.going_back("such bills are not taken now", how=Back.REFUSED, certain=self._order is None)
        else:
            _log.warning("%s: bills of kind %s: %s", self._link.path, event.kind, event.routing.name.lower())

    # The bill.

    async def _escrow(self, kind: int) -> None:
        order = self._order
        if order is not None and order.kind == kind and self._clock.now() - order.since < AGAIN_S:
            return  # it says again what it said before: the order goes out again
        if order is not None:
            await self._give_up(order)
        self._late = None
        await self._fate.another_in_escrow()
        note = await self._fate.in_escrow(kind, self._setup.values_cents.get(kind))
        await self._fate.judge(note, self._hold_until)
        left, self._left = self._left, []
        if any(event is BillState.RESET or isinstance(event, Moved) for event in left):
            # It left while its verdict was awaited, and was never ordered to be stacked.
            await self._take(left)
            return
        if note.verdict is Verdict.STACK:
            await self._stack(note)
        else:
            self._order = _Order(kind, None, self._clock.now(), RETURN, doubted=False)
            await self._send(RETURN)
        await self._take(left)

    async def _hold_until(self, asking: asyncio.Future[Verdict]) -> None:
        """Keep polling while the bill lies in escrow; what is reported meanwhile is kept for the verdict's end."""
        self._left = []
        while await unless_done(asking, self._gap_s):
            self._left += await self._poll()

    async def _stack(self, note: Note) -> None:
        """Have the number in the cash box journaled, then order the bill to be stacked."""
        bills = await self._bills()
        doubted = not self._setup.known  # an answer was lost while its verdict was awaited
        order = _Order(note.escrow_code, bills, self._clock.now(), STACK, doubted=doubted)
        await self._listener.bill_dialogue_at(f"mdb{note.escrow_code} {bills} {self._setup.number}")
        self._fate.stacking(note)
        self._order = order
        await self._send(STACK)

    async def _send(self, data: bytes) -> None:
        """Send an order about the bill in escrow once; what became of it is for polls to say."""
        try:
            await self._link.ask(bytes((Bill.ESCROW,)) + data)
        except BridgeLostError:
            raise
        except AnswerLostError:
            # It may have been obeyed, and says so itself: a poll's answer is not lost with it.
            _log.info("%s: no answer to an order about the bill in escrow", self._link.path)

    async def _bills(self) -> int:
        """Return how many bills the cash box holds, and note whether it is full."""
        found = await self._link.question(_STACKER, protocol.stacker)
        self._box_at = self._clock.now()
        self._full = found.full
        return found.bills

    async def _stacked(self, kind: int) -> None:
        order, self._order = self._order, None
        if self._late == kind:
            self._late = None  # credited by the cash box's number before it was said
            return
        cents = self._setup.values_cents.get(kind)
        if cents is None or (order is not None and order.kind != kind):
            await self._fate.stacked_unrecognised(f"the validator stacked a bill of kind {kind}, which was not in hand")
            return
        await self._credit(cents)

    async def _credit(self, cents: int | None) -> None:
        """Have the bill credited; a validator does not repeat that it was stacked, and so has gone on."""
        await self._fate.vend_valid(cents)
        await self._fate.gone_on()

    async def _returned(self) -> None:
        note, order = self._fate.note, self._order
        refused = note is not None and note.verdict is Verdict.RETURN
        if note is None and order is not None:
            # Nothing is taken before the bill of an earlier conversation is settled, so this is that one.
            self._fate.restarted(in_acceptor=True)
        reason = "it was not taken" if refused else "the validator gave it back by itself"
        await self._fate.going_back(reason, how=Back.REFUSED if refused else Back.RETURNED)
        self._order = None

    async def _settle(self) -> None:
        """Find out what became of the bill in hand where the device does not say it, or send its order again."""
        order = self._order
        if order is None:
            return
        now = self._clock.now()
        if order.doubted and now - order.asked_at >= ASK_COUNT_S:
            order.asked_at = now
            if await self._in_the_box(order):
                await self._hear_out(order)
                return
        if now - order.since >= ORDER_S or self._fate.overdue:
            await self._give_up(order)
        elif now - order.sent_at >= REPEAT_S and (order.data == RETURN or not order.doubted):
            order.sent_at = now
            await self._send(order.data)

    async def _in_the_box(self, order: _Order) -> bool:
        """Whether the cash box holds one bill more than before the order to stack one."""
        return order.bills is not None and order.shows_in(await self._bills())

    async def _hear_out(self, order: _Order) -> None:
        """Credit a bill that is in the cash box, once the device had the time to say so itself."""
        until = self._clock.now() + SAY_S
        while self._clock.now() < until:
            await self._clock.sleep(self._gap_s)
            await self._take(await self._poll())
            if self._order is not order:
                return
        self._order, self._late = None, order.kind
        await self._credit(self._setup.values_cents.get(order.kind))

    async def _give_up(self, order: _Order) -> None:
        """End a bill of which the device says nothing more."""
        self._order = None
        note = self._fate.note
        if note is not None and not note.stack_ordered:
            await self._fate.at_rest()
        elif await self._in_the_box(order):
            self._late = order.kind
            await self._credit(self._setup.values_cents.get(order.kind))
        else:
            await self._fate.at_rest()

    # Faults.

    @property
    def _present(self) -> frozenset[tuple[str, str]]:
        return frozenset((*self._seen, *((_BOX_FULL,) if self._full else ())))

    async def _report_faults(self) -> None:
        now, reset_at = self._clock.now(), self._reset_at
        if now - reset_at >= OVER_S:
            self._seen = {fault: at for fault, at in self._seen.items() if at >= reset_at}
        await self._faults.are(self._present)

    async def _test_again(self) -> None:
        """Reset a validator with a fault, in which nothing is in hand."""
        now = self._clock.now()
        if self._seen and now - max(self._retest_at, *self._seen.values()) >= RETEST_S:
            self._retest_at = now
            await self._link.order(bytes((Bill.RESET,)))
