"""One session with a ccTalk bill validator that has an escrow (protocols.md, 1; requirements.md, B).

Decisions where the sources leave a choice:

- The device buffers and numbers events as a coin acceptor does, so they can be read again safely. It stacks a note only
  on request 154. The event buffer is journaled before that request is sent, so the next session can continue from it.
- A buffer is journaled with the serial number of its device: another device reports nothing about that note.
- Without a note in hand no buffered event can be credited. The last handled buffer is journaled, so a note that the
  device stacked by itself since then, at a start of its own, becomes an open item.
- An event reports the start of a fault, but few events report its end. The self-check does; it is requested at the
  start (P8) and every `REAPPLY_S` seconds. Notes stay inhibited while a fault is present.
- A ticket's barcode is read (request 129) while the ticket is in escrow, until two reads agree. A ticket that cannot be
  read is returned without asking. The event for "ticket in the cash box" carries no number: it means the ticket in
  hand, because the device accepts nothing else meanwhile.
- During a jam the fate of the note in hand is unknown: nothing is accepted, and after `STUCK_S` the note becomes an
  open item. Each escrow is an event of its own, so an escrow event after the stack request is another note.
- The buffer holds five events. If more events than that passed while a note was in hand, or the device was reset, the
  fate of the note is not guessed: it is settled when the device is at rest.
"""

import asyncio
import re
from typing import Final

from drivers import event_buffer
from drivers.capabilities import BILL_VALIDATOR, BillListener, Verdict
from drivers.cctalk import bill_events
from drivers.cctalk.bill_events import BILL_ID_SIZE, BILL_TYPES, COUPON, SCALING_SIZE, Meaning
from drivers.cctalk.bus import Bus
from drivers.cctalk.link import identity_of, reached, refuse_other_kind, require_same
from drivers.cctalk.protocol import Header
from drivers.cctalk.scan import Finder
from drivers.cctalk.self_check import SelfCheck, self_check
from drivers.clock import Clock
from drivers.currency import Currency, by_country, foreign
from drivers.errors import IdentityError, NoReplyError, WireError
from drivers.event_buffer import READING_SIZE, Reading
from drivers.link_faults import found
from drivers.note_alarms import Back, NoteAlarms
from drivers.note_fate import Note, NoteFate
from drivers.port import Port
from drivers.wiring import BillValidator as Settings

CATEGORY: Final = "Bill Validator"
SETTLE_S: Final = 3.0
REAPPLY_S: Final = 5.0
EXTEND_S: Final = 10.0
"""How often the escrow time is extended: a device may return a note in escrow after 30 seconds."""

_RETURN, _STACK, _EXTEND = b"\x00", b"\x01", b"\xff"
_STACKER_AND_ESCROW = b"\x03"
_READING: Final = re.compile(r"cctalk(\d{1,8}) ([0-9a-f]{22})")
"""The journaled text of a buffer, before a stack request or with handled events: the serial number comes first."""
_KEYS: Final = "currency or country"
_OVER: Final = frozenset({Meaning.CREDIT, Meaning.REDEEM, Meaning.UNRECOGNISED, Meaning.BACK})
"""Events that end a note's time in escrow."""


class CctalkBillSession:
    """One session with the device, from opening the port to losing it."""

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
        self._currency = currency
        self._bus = Bus(port, clock, key=settings.cctalk_key)
        self._finder = Finder(
            self._bus,
            clock,
            device=BILL_VALIDATOR,
            address=settings.address,
            category=CATEGORY,
            encrypted=bool(settings.cctalk_key),
        )
        self._address, self._serial = self._finder.usual, settings.serial
        self._number = 0
        self._scan_for: int | None = None
        self._poll_s = settings.poll_ms / 1000
        self._clock = clock
        self._listener = listener
        self._fate = NoteFate(listener, alarms, clock)
        self._cents: dict[int, int] = {}
        self._last_counter = 0
        self._last_events: event_buffer.Events | None = None
        self._in_hand = False
        self._busy_at = clock.now()
        self._caught = self._overflowed = False
        self._rejected = False
        self._applied: frozenset[int] | None = None
        self._apply_again_at = 0.0
        self._faults: dict[str, str] = {}
        self._confirmed: set[str | None] = set()
        self._checked = False
        self._knows_self_check = True
        self._check_again_at = 0.0

    async def begin(self) -> None:
        """Inhibit the device, identify it, then read events from the journal's last counter.

        The first exchanges are: serial number, buffered events, inhibit.
        """
        self._address = address = await self._finder.open()
        self._number = number = await reached(self._bus, address, category=CATEGORY, serial=self._serial)
        try:
            waiting = await self._read_twice()
            await self._inhibit()
        except (NoReplyError, WireError):
            await refuse_other_kind(self._bus, address, CATEGORY)
            raise
        dialogue = await self._listener.bill_dialogue()
        if dialogue is None:
            await self._finder.require_alone(address, number)
        else:
            self._scan_for = number  # scan later: a note may still be moving
        identity = await identity_of(self._bus, address, category=CATEGORY, number=number)
        await self._learn_notes()
        await found(BILL_VALIDATOR, str(identity), self._listener)
        await self._ask(Header.BILL_MODE, _STACKER_AND_ESCROW)
        await self._check()
        if dialogue is None:
            await self._route(_RETURN)
            await self._fate.stack_never_ordered()
            await self._hear_out(waiting)
            return
        self._in_hand = True
        self._bus.moving(on=True)
        # Events are read without a gap, so the first note that is returned is the note in hand. Comparing the journaled
        # events with the buffer also detects a device that was reset and reached the same counter again.
        words = _READING.fullmatch(dialogue)
        if words is not None and int(words[1]) == number:
            self._last_counter, self._last_events = Reading.parse(bytes.fromhex(words[2]))
        else:
            # The order went to another device: what this one reports is about other notes.
            self._last_counter, self._last_events = await self._read_twice()
            await self._fate.left_by_other_validator()
            self._in_hand = False
            return
        self._fate.restarted(in_acceptor=True)
        if not await self._look(waiting):
            # No event since the stack request was journaled: the device may not have received it.
            await self._route(_STACK)

    async def _hear_out(self, waiting: Reading) -> None:
        """Handle what this device did between the last session and `waiting`; a note in escrow is returned."""
        self._last_counter, self._last_events = waiting
        heard = _READING.fullmatch(await self._listener.bills_heard() or "")
        if heard is not None and int(heard[1]) == self._number:
            last, seen = Reading.parse(bytes.fromhex(heard[2]))
            fresh = waiting.events[: event_buffer.progress(last, waiting, seen).fresh]
            events = [event for event in reversed(fresh) if bill_events.meaning(*event) is not Meaning.ESCROW]
            await self._handle_events(events, waiting)
        await self._heard(waiting)

    async def _heard(self, reading: Reading) -> None:
        """Journal the buffer whose events are handled, or belong to the note in hand."""
        await self._listener.bills_heard_at(self._words(reading))

    def _words(self, reading: Reading) -> str:
        """Return the text that is journaled for a buffer of this device."""
        return f"cctalk{self._number} {reading.data.hex()}"

    async def step(self, accepted: frozenset[int]) -> None:
        """Poll once, act on the events, then apply faults and inhibits."""
        await self._clock.sleep(self._poll_s)
        await self._look()
        with_note = self._in_hand or self._fate.note is not None
        if self._caught and not self._fate.overdue:
            await self._apply(frozenset())
            return
        if with_note and self._clock.now() - self._busy_at < SETTLE_S:
            return
        self._caught = False
        if not self._fate.settled:
            await self._fate.at_rest()
            self._in_hand = self._overflowed = False
        self._bus.moving(on=False)
        if self._scan_for is not None:
            await self._finder.require_alone(self._address, self._scan_for)
            self._scan_for = None
        if self._clock.now() >= self._check_again_at:
            await self._check()
        await self._apply(frozenset() if self._faults else accepted)

    # Setting up.

    async def _learn_notes(self) -> None:
        """Read the bill ids and values of the cabinet's currency.

        Raise `CurrencyError` if the device knows only notes of other countries, `IdentityError` if it knows none.
        """
        ours = self._currency.country
        bill_ids = {
            number: await self._agreed(Header.BILL_ID, bytes((number,)), size=BILL_ID_SIZE)
            for number in range(1, BILL_TYPES + 1)
        }
        countries = {bill_events.bill_country(bill_id) for bill_id in bill_ids.values()} - {""}
        if not countries:
            raise IdentityError(f"{self._bus}: the bill validator knows no note: have it programmed, or replace it")
        if ours not in countries:
            raise foreign(
                self._bus, [f"notes of {by_country(country)}" for country in sorted(countries)], self._currency, _KEYS
            )
        scaling = await self._agreed(Header.COUNTRY_SCALING, ours.encode(), size=SCALING_SIZE)
        values = {number: bill_events.bill_value(bill_id, ours, scaling) for number, bill_id in bill_ids.items()}
        self._cents = {number: value for number, value in values.items() if value is not None}
        if not self._cents:
            raise IdentityError(
                f"{self._bus}: the bill validator knows no value of its notes of '{ours}': have it programmed, or "
                "replace it"
            )

    async def _apply(self, accepted_cents: frozenset[int]) -> None:
        """Enable exactly these notes, again every `REAPPLY_S`: a device that is not polled inhibits itself.

        Raise `WireError` if another device is in its place, whose numbers are other notes.
        """
        now = self._clock.now()
        wanted = accepted_cents & frozenset(self._cents.values())
        if wanted == self._applied and now < self._apply_again_at:
            return
        if wanted:
            await require_same(self._bus, self._address, self._number)
            mask = sum(1 << (number - 1) for number, cents in self._cents.items() if cents in wanted)
            await self._ask(Header.INHIBITS, mask.to_bytes(8, "little"))
            await self._ask(Header.MASTER_INHIBIT, b"\x01")
        else:
            await self._inhibit()
        self._applied, self._apply_again_at = wanted, now + REAPPLY_S

    async def _inhibit(self) -> None:
        await self._ask(Header.MASTER_INHIBIT, b"\x00")
        self._applied = None

    # Reading events.

    async def _look(self, waiting: Reading | None = None) -> bool:
        """Handle new events in the buffer, or in `waiting` if it was read already; return whether there were any."""
        reading = waiting or Reading.parse(await self._ask(Header.READ_BILLS, size=READING_SIZE))
        if event_buffer.progress(self._last_counter, reading, self._last_events) == event_buffer.NOTHING:
            self._last_counter, self._last_events = reading
            return False
        # Read twice: an eight-bit checksum misses one error in 256, and this may be money.
        reading = waiting or await self._read_twice()
        added = event_buffer.progress(self._last_counter, reading, self._last_events)
        if added.doubtful:
            # The device was reset, or events were lost. Later events belong to the note in hand: no other is accepted.
            self._fate.restarted(in_acceptor=self._in_hand)
            self._applied, self._caught = None, False
            for code in tuple(self._faults):
                await self._fault_gone(code)
            self._check_again_at = 0.0
            self._overflowed = added.lost > 0
        self._last_counter, self._last_events = reading
        self._busy_at = self._clock.now()
        events = list(reversed(reading.events[: added.fresh]))
        if self._in_hand:
            # Until that note ends, the next session continues from its own reading.
            await self._heard(reading)
            await self._handle_events(events, reading)
        else:
            await self._handle_events(events, reading)
            await self._heard(reading)
        return added != event_buffer.NOTHING

    async def _read_twice(self) -> Reading:
        return Reading.parse(await self._agreed(Header.READ_BILLS, size=READING_SIZE))

    async def _handle_events(self, events: list[tuple[int, int]], reading: Reading) -> None:
        """Handle events, oldest first; a note is still in escrow only if no later event ends its stay."""
        for place, (first, second) in enumerate(events):
            later = {bill_events.meaning(*event) for event in events[place + 1 :]}
            await self._report_fault(first, second)
            if first:
                self._rejected = False
            match bill_events.meaning(first, second):
                case Meaning.CREDIT if first in self._cents:
                    await self._fate.vend_valid(self._cents[first])
                    await self._fate.device_continued()
                    self._in_hand = self._caught = False
                case Meaning.REDEEM:
                    await self._fate.ticket_stacked()
                    await self._fate.device_continued()
                    self._in_hand = self._caught = False
                case Meaning.CREDIT | Meaning.UNRECOGNISED:
                    await self._fate.stacked_unrecognised("the validator stacked something of which it knows no value")
                    self._in_hand = self._caught = False
                case Meaning.ESCROW if not later & _OVER:
                    await self._escrow(first, reading)
                case Meaning.ESCROW:
                    await self._came_and_went()
                case Meaning.BACK:
                    await self._goes_back(second)
                case Meaning.BUSY:
                    self._caught = self._in_hand
                case _:
                    pass

    async def _came_and_went(self) -> None:
        """Record that another note was in escrow and left it before this was read: no event names the one in hand."""
        if self._in_hand:
            await self._fate.another_in_escrow()
            self._in_hand = self._caught = False

    async def _goes_back(self, second: int) -> None:
        """Record that a note is returned: the note in hand or another one.

        A note is rejected before it reaches escrow, so a reject says nothing about a note that was ordered to be
        stacked. The same holds for the "returned" event that some devices report after a reject, and for every return
        event after events were lost.
        """
        note, rejected = self._fate.note, second in bill_events.REJECTS
        is_another = self._in_hand or note is None
        if self._rejected and second == bill_events.RETURNED and is_another:
            self._rejected = False
            return
        self._rejected = rejected and is_another
        refused = note is not None and note.verdict is Verdict.RETURN
        how = Back.REFUSED if refused else bill_events.HOW_BACK[second]
        reason = "it was not taken" if refused else bill_events.BACK[second]
        certain = not self._overflowed and not (rejected and self._in_hand)
        await self._fate.going_back(reason, how=how, certain=certain)
        if self._fate.no_note_in_path:
            self._in_hand = self._caught = False

    # Faults.

    async def _report_fault(self, first: int, second: int) -> None:
        """Report an event's fault, and clear the faults that it ends; a stacked note ends all of them."""
        if first:
            gone = tuple(self._faults) if second == bill_events.STACKED else ()
        else:
            gone = bill_events.MENDED.get(second, ())
        for code in gone:
            await self._fault_gone(code)
        if not first and second in bill_events.FAULTS:
            await self._raise(*bill_events.FAULTS[second])
            self._check_again_at = 0.0

    async def _check(self) -> None:
        """Request a self-check, raise the fault it names and clear those that are over.

        For a device that does not support the request, events, a stacked note or a reset clear faults. The fault
        `cheated` ends at the next check in any case.
        """
        said = await self_check(self._bus, self._address) if self._knows_self_check else None
        self._knows_self_check = said is not None
        self._check_again_at = self._clock.now() + REAPPLY_S
        now = bill_events.checked_fault(said.fault, self._faults) if said is not None else None
        if not self._checked:
            # Faults that an earlier session raised are unknown here: clear all of them.
            for code in (*(code for code, _ in bill_events.FAULTS.values()), "failure"):
                await self._fault_gone(code)
            self._checked = True
        for code in [code for code in self._faults if code != now and self._is_over(code, said)]:
            await self._fault_gone(code)
        self._confirmed = {now}
        if now is not None and now not in self._faults:
            await self._raise(now, str(said))

    def _is_over(self, code: str, said: SelfCheck | None) -> bool:
        """Return whether a self-check that does not name `code` means that this fault is over."""
        return code == "cheated" or (said is not None and (code not in bill_events.BOX or code in self._confirmed))

    async def _raise(self, code: str, detail: str) -> None:
        if self._faults.get(code) != detail:
            self._faults[code] = detail
            await self._listener.device_fault(BILL_VALIDATOR, code, present=True, detail=detail)

    async def _fault_gone(self, code: str) -> None:
        self._faults.pop(code, None)
        await self._listener.device_fault(BILL_VALIDATOR, code, present=False)

    # The note.

    async def _escrow(self, number: int, reading: Reading) -> None:
        self._bus.moving(on=True)
        if self._in_hand and self._fate.note is None:
            # An earlier session ordered a note to be stacked, and no event ever told what became of it.
            await self._fate.at_rest()
            self._in_hand = False
        ticket = await self._barcode() if number == COUPON else ""
        await self._fate.another_in_escrow()
        note = await self._fate.in_escrow(number, None if number == COUPON else self._cents.get(number), ticket=ticket)
        await self._fate.judge(note, self._hold_until)
        await self._carry_out(note, reading)

    async def _barcode(self) -> str:
        """Return the number of the ticket in escrow, empty if it cannot be read."""
        try:
            return bill_events.barcode_number(
                await self._bus.agreed(self._address, Header.READ_BARCODE, sizes=bill_events.BARCODE_SIZES)
            )
        except (NoReplyError, WireError):
            return ""

    async def _carry_out(self, note: Note, reading: Reading) -> None:
        if note.verdict is Verdict.STACK:
            await self._listener.bill_dialogue_at(self._words(reading))
            self._in_hand = True
            self._fate.stacking(note)
        await self._route(_STACK if note.verdict is Verdict.STACK else _RETURN)
        self._busy_at = self._clock.now()

    async def _hold_until(self, asking: asyncio.Future[Verdict]) -> None:
        """Keep polling (the device inhibits itself after 5 s without a poll) and extend the escrow time."""
        extend_at = self._clock.now() + EXTEND_S
        while not (await asyncio.wait({asking}, timeout=1.0))[0]:
            await self._ask(Header.READ_BILLS, size=READING_SIZE)
            if self._clock.now() >= extend_at:
                await self._route(_EXTEND)
                extend_at = self._clock.now() + EXTEND_S

    async def _route(self, way: bytes) -> None:
        """Route the note in escrow; a device with an empty escrow answers with one byte, which is ignored."""
        await self._bus.request(self._address, Header.ROUTE_BILL, way, sizes=range(2))

    async def _ask(self, header: Header, data: bytes = b"", *, size: int = 0) -> bytes:
        return await self._bus.request(self._address, header, data, sizes=range(size, size + 1))

    async def _agreed(self, header: Header, data: bytes = b"", *, size: int) -> bytes:
        """Read until two answers agree: a late reply to the request before it has the same size."""
        return await self._bus.agreed(self._address, header, data, sizes=range(size, size + 1))
