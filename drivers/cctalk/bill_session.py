"""A conversation with a bill validator with escrow that speaks ccTalk (protocols.md, 1; requirements.md, B).

Decisions where the sources leave a choice:

- Events are buffered and numbered as a coin acceptor's are, so reading them again is safe. A note is stacked only on
  our word (154), and before that word goes out what was read is journaled: whoever comes next reads on from there.
- With no note in hand nothing in the buffer is ours to credit, so a conversation begins at the counter it finds.
- Faults begin with events, and few events say that one is over: the device's self-check does, at the start (P8), while
  a fault is present, and now and then. Nothing is enabled while one is.
- A ticket is read (129) while it lies in escrow, twice alike; one that cannot be read goes back unasked. The event that
  it is in the cash box has no number: it is the ticket in hand, for the device takes nothing else meanwhile.
- A jam holds the note in hand where nobody knows what becomes of it: nothing is taken meanwhile, and after
  `STUCK_S` the note is an open item. Each escrow is an event of its own, so one after the order to stack is another
  note.
- Five events are kept. Where more have passed with a note in hand, or the device was reset, nobody guesses what became
  of the note: it is settled when the device rests.
"""

import asyncio
from typing import Final

from drivers import event_buffer
from drivers.capabilities import BILL_VALIDATOR, BillListener, Verdict
from drivers.cctalk import bill_events
from drivers.cctalk.bill_events import BILL_ID_SIZE, BILL_TYPES, COUPON, SCALING_SIZE, Meaning
from drivers.cctalk.bus import Bus
from drivers.cctalk.link import found, identity_of, reached, refuse_other_kind
from drivers.cctalk.protocol import Header
from drivers.cctalk.scan import Finder
from drivers.cctalk.self_check import SelfCheck, self_check
from drivers.clock import Clock
from drivers.currency import Currency, by_country, foreign
from drivers.errors import IdentityError, NoReplyError, WireError
from drivers.event_buffer import READING_SIZE, Reading
from drivers.note_alarms import Back, NoteAlarms
from drivers.note_fate import Note, NoteFate
from drivers.port import Port
from drivers.wiring import BillValidator as Settings

CATEGORY: Final = "Bill Validator"
SETTLE_S: Final = 3.0
REAPPLY_S: Final = 5.0
EXTEND_S: Final = 10.0
"""A note in escrow is given back after 30 seconds at the least."""

_RETURN, _STACK, _EXTEND = b"\x00", b"\x01", b"\xff"
_STACKER_AND_ESCROW = b"\x03"
_KEYS: Final = "currency or country"
_OVER: Final = frozenset({Meaning.CREDIT, Meaning.REDEEM, Meaning.UNRECOGNISED, Meaning.BACK})
"""What a note's stay in escrow ends with."""


class CctalkBillSession:
    """One conversation with the device, from opening the port to losing it."""

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
        self._scan_for: int | None = None
        self._poll_s = settings.poll_ms / 1000
        self._clock = clock
        self._listener = listener
        self._fate = NoteFate(listener, alarms, clock)
        self._cents: dict[int, int] = {}
        self._last = 0
        self._seen: event_buffer.Events | None = None
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
        """Read what the device holds and have it take nothing; then learn who it is, and read on where the journal is.

        The first exchanges are: serial number, buffered events, inhibit.
        """
        self._address = address = await self._finder.open()
        number = await reached(self._bus, address, category=CATEGORY, serial=self._serial)
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
            self._scan_for = number  # not while a note is on its way
        identity = await identity_of(self._bus, address, category=CATEGORY, number=number)
        await self._learn_notes()
        await found(BILL_VALIDATOR, identity, self._listener)
        await self._ask(Header.BILL_MODE, _STACKER_AND_ESCROW)
        await self._check()
        if dialogue is None:
            await self._route(_RETURN)
            self._last, self._seen = await self._read_twice()
            await self._fate.stack_never_ordered()
            return
        self._in_hand = True
        self._bus.moving(on=True)
        # Events are read on without a gap, so the first note that goes back is the one in hand. Those seen before show
        # a device that was reset and has counted to the same figure again.
        try:
            self._last, self._seen = Reading.parse(bytes.fromhex(dialogue))
        except (ValueError, WireError):
            self._last, self._seen = await self._read_twice()
            await self._fate.left_by_other_protocol()
            self._in_hand = False
            return
        self._fate.restarted(in_acceptor=True)
        if not await self._look(waiting):
            # No event since the note was to be stacked: the order may not have arrived.
            await self._route(_STACK)

    async def step(self, accepted: frozenset[int]) -> None:
        """Poll once and do what the events ask for."""
        await self._clock.sleep(self._poll_s)
        await self._look()
        with_note = self._in_hand or self._fate.note is not None
        if self._caught and not self._fate.overdue:
            await self._apply(frozenset())
            return
        if with_note and self._clock.now() - self._busy_at < SETTLE_S:
            return
        self._caught = False
        if not self._fate.known:
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
        """Learn the notes of the cabinet's currency.

        Raise `CurrencyError` where the device knows notes of other countries only, `IdentityError` where it knows none.
        """
        ours = self._currency.country
        bill_ids = {
            number: await self._ask(Header.BILL_ID, bytes((number,)), size=BILL_ID_SIZE)
            for number in range(1, BILL_TYPES + 1)
        }
        countries = {bill_events.bill_country(bill_id) for bill_id in bill_ids.values()} - {""}
        if not countries:
            raise IdentityError(f"{self._bus}: the bill validator knows no note: have it programmed, or replace it")
        if ours not in countries:
            raise foreign(
                self._bus, [f"notes of {by_country(country)}" for country in sorted(countries)], self._currency, _KEYS
            )
        scaling = await self._ask(Header.COUNTRY_SCALING, ours.encode(), size=SCALING_SIZE)
        values = {number: bill_events.bill_value(bill_id, ours, scaling) for number, bill_id in bill_ids.items()}
        self._cents = {number: value for number, value in values.items() if value is not None}
        if not self._cents:
            raise IdentityError(
                f"{self._bus}: the bill validator knows no value of its notes of '{ours}': have it programmed, or "
                "replace it"
            )

    async def _apply(self, accepted_cents: frozenset[int]) -> None:
        """Let the device take exactly these notes, now and then again: it inhibits itself when it is not polled."""
        now = self._clock.now()
        wanted = accepted_cents & frozenset(self._cents.values())
        if wanted == self._applied and now < self._apply_again_at:
            return
        if wanted:
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
        """Take in what is new in the event buffer, or in what was `waiting` there; whether anything was."""
        reading = waiting or Reading.parse(await self._ask(Header.READ_BILLS, size=READING_SIZE))
        if event_buffer.progress(self._last, reading, self._seen) == event_buffer.NOTHING:
            self._last, self._seen = reading
            return False
        # A checksum of eight bits lets one error in 256 pass, and this may be money.
        reading = waiting or await self._read_twice()
        added = event_buffer.progress(self._last, reading, self._seen)
        if added.doubtful:
            # A reset, or more events than are kept. What still comes is of the note in hand: the device takes no other.
            self._fate.restarted(in_acceptor=self._in_hand)
            self._applied, self._caught = None, False
            for code in tuple(self._faults):
                await self._fault_gone(code)
            self._check_again_at = 0.0
            self._overflowed = added.lost > 0
        self._last, self._seen = reading
        self._busy_at = self._clock.now()
        await self._take(list(reversed(reading.events[: added.fresh])), reading)
        return added != event_buffer.NOTHING

    async def _read_twice(self) -> Reading:
        sizes = range(READING_SIZE, READING_SIZE + 1)
        return Reading.parse(await self._bus.agreed(self._address, Header.READ_BILLS, sizes=sizes))

    async def _take(self, events: list[tuple[int, int]], reading: Reading) -> None:
        """Take in events, oldest first; only a note whose escrow is the last word on notes is still held."""
        for place, (first, second) in enumerate(events):
            later = {bill_events.meaning(*event) for event in events[place + 1 :]}
            await self._report_fault(first, second)
            if first:
                self._rejected = False
            match bill_events.meaning(first, second):
                case Meaning.CREDIT if first in self._cents:
                    await self._fate.vend_valid(self._cents[first])
                    await self._fate.gone_on()
                    self._in_hand = self._caught = False
                case Meaning.REDEEM:
                    await self._fate.ticket_stacked()
                    await self._fate.gone_on()
                    self._in_hand = self._caught = False
                case Meaning.CREDIT | Meaning.UNRECOGNISED:
                    await self._fate.stacked_unrecognised("the validator stacked something of which it knows no value")
                    self._in_hand = self._caught = False
                case Meaning.ESCROW if not later & _OVER:
                    await self._escrow(first, reading)
                case Meaning.BACK:
                    await self._goes_back(second)
                case Meaning.BUSY:
                    self._caught = self._in_hand
                case _:
                    pass

    async def _goes_back(self, second: int) -> None:
        """Take in that a note goes back, the one in hand or another.

        A note is rejected before it comes into escrow: that says nothing of one that was ordered to be stacked, nor
        does the "returned" that some devices report after it. Where events fell out unread, neither does any other.
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
        if self._fate.known:
            self._in_hand = self._caught = False

    # Faults.

    async def _report_fault(self, first: int, second: int) -> None:
        """Raise the fault of an event, and clear those that it ends; a device that takes notes again has no jam."""
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
        """Have the device check itself: raise what it says, and clear what it no longer says.

        One that knows no such request clears by its events, by taking a note or by being switched off and on; an
        attempt to cheat is over at the next check in any case.
        """
        said = await self_check(self._bus, self._address) if self._knows_self_check else None
        self._knows_self_check = said is not None
        self._check_again_at = self._clock.now() + REAPPLY_S
        now = bill_events.checked_fault(said.fault, self._faults) if said is not None else None
        if not self._checked:
            # What an earlier run had raised is not known here.
            for code in (*(code for code, _ in bill_events.FAULTS.values()), "failure"):
                await self._fault_gone(code)
            self._checked = True
        for code in [code for code in self._faults if code != now and self._is_over(code, said)]:
            await self._fault_gone(code)
        self._confirmed = {now}
        if now is not None and now not in self._faults:
            await self._raise(now, str(said))

    def _is_over(self, code: str, said: SelfCheck | None) -> bool:
        """Whether a self-check that does not name `code` means that it is over."""
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
            # A note that an earlier conversation had stacked was never heard of again.
            await self._fate.at_rest()
            self._in_hand = False
        ticket = await self._barcode() if number == COUPON else ""
        await self._fate.another_in_escrow()
        note = await self._fate.in_escrow(number, None if number == COUPON else self._cents.get(number), ticket=ticket)
        await self._fate.judge(note, self._hold_until)
        await self._carry_out(note, reading)

    async def _barcode(self) -> str:
        """Return the number of the ticket in escrow, empty where it cannot be read."""
        try:
            return bill_events.barcode_number(
                await self._bus.agreed(self._address, Header.READ_BARCODE, sizes=bill_events.BARCODE_SIZES)
            )
        except (NoReplyError, WireError):
            return ""

    async def _carry_out(self, note: Note, reading: Reading) -> None:
        if note.verdict is Verdict.STACK:
            await self._listener.bill_dialogue_at(reading.data.hex())
            self._in_hand = True
            self._fate.stacking(note)
        await self._route(_STACK if note.verdict is Verdict.STACK else _RETURN)
        self._busy_at = self._clock.now()

    async def _hold_until(self, asking: asyncio.Future[Verdict]) -> None:
        """Poll on (unpolled for 5 s the device inhibits itself) and extend."""
        extend_at = self._clock.now() + EXTEND_S
        while not (await asyncio.wait({asking}, timeout=1.0))[0]:
            await self._ask(Header.READ_BILLS, size=READING_SIZE)
            if self._clock.now() >= extend_at:
                await self._route(_EXTEND)
                extend_at = self._clock.now() + EXTEND_S

    async def _route(self, way: bytes) -> None:
        """Route the note in escrow; a device whose escrow is empty answers so, and nothing else happens."""
        await self._bus.request(self._address, Header.ROUTE_BILL, way, sizes=range(2))

    async def _ask(self, header: Header, data: bytes = b"", *, size: int = 0) -> bytes:
        return await self._bus.request(self._address, header, data, sizes=range(size, size + 1))
