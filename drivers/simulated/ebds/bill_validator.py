"""A simulated EBDS bill validator with escrow and a barcode reader (protocols.md §2.3; ebds.tsv).

The host's ACK bit marks new messages. A message with the same bit as the one before is a retry: the device repeats its
last reply and carries out nothing. A new message also acknowledges the last reply: an event (stacked, returned,
rejected, cheated) is reported until then and not again.

Behaviour that the protocol leaves open is set in `EbdsHabits`, so that a test can choose the other reading.
"""

import asyncio
import random
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, ClassVar, Final

import msgspec

from drivers.currency import EURO, Currency
from drivers.simulated.ebds.fault_model import ROWS
from drivers.simulated.ebds.frames import (
    NOTE_BYTES,
    VALUES,
    Auxiliary,
    Condition,
    Frame,
    FrameParser,
    Kind,
    Mode,
    Orders,
    Policy,
    Report,
    Setting,
    State,
    Status,
    Subtype,
    barcode_data,
    encode,
    note_row,
    parity,
    value_row,
)
from drivers.simulated.line import Line
from drivers.simulated.note_path import (
    NOTE_NUMBERS,
    NotePath,
    NoteTimers,
    Paper,
    Place,
)
from drivers.simulated.whereabouts import Spot
from drivers.wiring import BillValidator as Settings

INHIBIT_BYTES: Final = (19, 8)
"""For up to 128 notes, or up to 50 (crate `ebds`): public hosts send either length to every model."""
MODEL, REVISION = ord("T"), 0x21
"""A Cashflow SC (crate `ebds`, `ModelNumber`)."""
PART_NUMBER: Final = b"286000123"
VARIANT: Final = "SIM {code}"
VARIANT_NAME_BYTES: Final = 32
TYPE, SERIAL = b"SIMSC66", 815
TEXT_BYTES: Final = 20
"""The maximum length of its type and its serial number; a byte that is no character ends them (MPOST)."""
NIBBLES: Final = 6
"""The number of nibbles, one a byte and highest first, of its cash box total and its start count (MPOST)."""
NOT_SUPPORTED: Final = 0
"""The refusal of an extended command for something this device lacks (ebds.tsv, `note_retrieved`)."""


class Event(Enum):
    """An event, reported until the host acknowledges it; the first three exclude each other (crate `ebds`)."""

    STACKED = State.STACKED
    RETURNED = State.RETURNED
    REJECTED = Status.REJECTED
    CHEATED = Status.CHEATED


FAULTS: Final = {
    "stacker_full": Status.STACKER_FULL,
    "stacker_open": Status.CASSETTE,
    "acceptor_jam": Status.JAMMED,
    "stacker_jam": Status.JAMMED,
    "failure": Condition.FAILURE,
    "pause": Status.PAUSED,
    "calibration": Status.CALIBRATION,
    "cheated": Status.CHEATED,
}
_OUT_OF_SERVICE: Final = frozenset(("stacker_full", "acceptor_jam", "stacker_jam", "failure"))
"""Faults during which no state bit is set (ebds.tsv)."""

_FINE: Final = Condition(0)
_STATES: Final = {
    Place.NOWHERE: State.IDLING,
    Place.READ: State.ACCEPTING,
    Place.ESCROW: State.ESCROWED,
    Place.STACKING: State.STACKING,
    Place.RETURNING: State.RETURNING,
}


class EbdsHabits(msgspec.Struct, frozen=True, kw_only=True):
    """Times in seconds, and behaviours in which real validators differ.

    `reader`: it has a barcode reader. `filler`: the character that pads a barcode to 28 characters; MPOST reads up to a
    `(`. `stacked_names_ticket`: "stacked" repeats a ticket's barcode. `extended`: it reports extended notes and
    supports their commands. `value_table`: it supports the query for its seven denominations. `inhibit_bytes`: the
    allowed lengths of its note inhibits; any other length is an invalid command. `answers_inhibits`: it answers them
    with an extended reply. `reports_uncredited`: a note stacked without its value being reported is still reported as
    stacked. `classification`: its classification of notes.
    """

    reader: bool = True
    filler: bytes = b"("
    stacked_names_ticket: bool = True
    extended: bool = True
    value_table: bool = True
    inhibit_bytes: tuple[int, ...] = INHIBIT_BYTES
    answers_inhibits: bool = False
    reports_uncredited: bool = False
    classification: int = 0
    model: int = MODEL
    revision: int = REVISION
    read_s: float = 0.4
    stack_s: float = 0.5
    return_s: float = 0.6
    initialize_s: float = 1.0
    reset_s: float = 1.0
    silence_s: float = 5.0
    byte_gap_s: float = 0.05


class SimulatedEbdsValidator(NotePath):
    """The device; off until `power(on=True)`, driven by the event loop's timers.

    `returned` and `stacked` are called with a note's value or a ticket's number when it is back in the player's hand or
    in the cash box, `changed` whenever `slot` or `escrow_cents` may have changed. The next `unreadable` notes or
    tickets are not recognised. `codes` are the currency codes of its notes. `even`: its line has even parity, in bit 7.
    """

    kind: ClassVar = "EBDS bill validator"
    habits: EbdsHabits
    faults: ClassVar = tuple(FAULTS)
    halting: ClassVar = frozenset(("stacker_open", "acceptor_jam", "stacker_jam", "failure", "pause", "calibration"))
    jams: ClassVar[Mapping[str, str]] = {"jam_on_the_way": "acceptor_jam", "jam_in_stacker": "stacker_jam"}

    def __init__(
        self,
        *,
        returned: Callable[[Paper], None],
        stacked: Callable[[Paper], None],
        changed: Callable[[], None] | None = None,
        habits: EbdsHabits | None = None,
        currency: str = EURO.code,
        even: bool = True,
        chance: random.Random | None = None,
    ) -> None:
        self._fit(ROWS, returned=returned, stacked=stacked, changed=changed, chance=chance)
        self.habits = habits if habits is not None else EbdsHabits()
        self.codes = [currency] * len(NOTE_NUMBERS)
        self.powered = False
        self.unreadable = 0
        self._line: Line | None = None
        self._even = even
        self._parser = FrameParser(even=even)
        self._heard_at = 0.0
        self._deaf_until = 0.0
        self._last: tuple[int, bytes] | None = None
        self._orders = Orders.of(bytes(3))
        self._inhibits = self._all_notes()
        self._timeouts = (0, 0)
        self._place = Place.NOWHERE
        self._owed: Paper | None = None
        self._starting = self._held = False
        self._events: list[Event] = []
        self._reported: list[Event] = []
        self._stacked_paper: Paper = 0
        self._barcode = ""
        self._timers = NoteTimers()
        self._total = self._starts = 0
        self._serial = SERIAL

    # Physical actions on the device.

    def _push(self, paper: Paper) -> None:
        blocked = self._starting or self._events or self._faults - {"cheated"} or self._note_cents is not None
        if not self.powered or blocked or not self._orders.denominations:
            self._refuse(paper)
            return
        self._take_in(paper)
        self._go(Place.READ, after=self.habits.read_s, then=self._recognise)

    def pull_back(self) -> None:
        """Pull a note held in escrow back out of the note slot."""
        if self.powered and self._place is Place.ESCROW:
            self._starting = self._held = False
            self._give_back()

    def set_fault(self, name: str, on: bool) -> None:  # noqa: FBT001 - the agreed signature of all simulated devices
        """Begin or end a fault of `FAULTS`: `cheated` is reported once, the others as long as they last."""
        if not self._switch_fault(name, on=on) or not self.powered:
            return
        if name == "cheated" and on:
            self._events.append(Event.CHEATED)
        if name == "stacker_open" and not on and self.mishaps.happens("blank_at_cassette"):
            self._report_blank()
        self._arm()

    def power(self, *, on: bool) -> None:
        """Switch the mains. The paper's place and unacknowledged stack events are non-volatile."""
        if on == self.powered:
            return
        self.powered = on
        self._parser = FrameParser(even=self._even)
        self._last = None
        self._orders = Orders.of(bytes(3))
        self._inhibits = self._all_notes()
        self._timeouts = (0, 0)
        self._events, self._reported = [], []
        self._stacked_paper, self._barcode = 0, ""
        self._timers.cancel()
        self._move = (0.0, None)
        self._starting, self._held = on, False
        self._deaf_until = 0.0
        self._starts += on
        if self._changed is not None:
            self._changed()

    def _become_another(self) -> None:
        self._serial += 1
        self._owed = None
        self._total = self._starts = 0

    @property
    def _initializing(self) -> bool:
        """Whether the self-test is running; after it a device with paper in escrow is still out of order."""
        return self._starting and not self._held

    # The line.

    def connect(self, line: Line) -> None:
        """Keep the line on which to answer."""
        self._line = line

    def receive(self, data: bytes) -> None:
        """Handle bytes from the host; an incomplete earlier frame is dropped."""
        if not self.powered:
            return
        now = asyncio.get_running_loop().time()
        if now - self._heard_at > self.habits.byte_gap_s:
            self._parser = FrameParser(even=self._even)
        self._heard_at = now
        for frame in self._parser.feed(data):
            if now >= self._deaf_until:
                self._hear(frame)

    def _hear(self, frame: Frame) -> None:
        if frame.kind not in {Kind.OMNIBUS, Kind.AUXILIARY, Kind.EXTENDED, Kind.DOWNLOAD}:
            return
        self._timers.heard(self.habits.silence_s, self._unheard)
        if frame.kind == Kind.AUXILIARY and frame.data == bytes((Auxiliary.RESET,)) * 3:
            self._reset()
            return
        if self._last is None or self._last[0] != frame.ack:
            self._last_was_heard()
            kind, data = self._carry_out(frame)
            reply = encode(kind | frame.ack, data)
            self._last = (frame.ack, parity(reply) if self._even else reply)
        if self._line is not None:
            self._line.send(self._last[1])

    def _last_was_heard(self) -> None:
        """Drop the events of the last reply, which the host has acknowledged."""
        self._events = [event for event in self._events if event not in self._reported]
        if Event.STACKED in self._reported:
            self._owed = None
        self._reported = []

    def _unheard(self) -> None:
        """Handle missing polls: accept no more paper, and return paper that awaits a decision."""
        self._orders = self._orders._replace(denominations=0)
        if self._place is Place.ESCROW and not self._starting:
            self._give_back()

    def _reset(self) -> None:
        """Restart without an answer, and ignore the line for a while."""
        self.power(on=False)
        self.power(on=True)
        self._deaf_until = asyncio.get_running_loop().time() + self.habits.reset_s

    # The host's messages.

    def _carry_out(self, frame: Frame) -> tuple[int, bytes]:
        """Carry out a new message; return the kind and the data of the reply."""
        match frame.kind:
            case Kind.OMNIBUS if len(frame.data) == len(Orders._fields) - 1:
                if Orders.of(frame.data).mode & (Mode.STACK | Mode.RETURN) and self.mishaps.happens("order_refused"):
                    return self._reply(Condition.INVALID_COMMAND)
                self._obey(frame.data)
                return self._reply()
            case Kind.AUXILIARY if frame.data == bytes((0, 0, Auxiliary.CLEAR_CASH_BOX_TOTAL)):
                self._total = 0
                return self._reply()
            case Kind.AUXILIARY if len(frame.data) == 3 and frame.data[2] in self._auxiliary():  # noqa: PLR2004 - two bytes and a command
                return Kind.AUXILIARY, self._auxiliary()[frame.data[2]]
            case Kind.EXTENDED if len(frame.data) >= len(Orders._fields):
                return self._extended(frame.data[0], frame.data[1:])
        return self._reply(Condition.INVALID_COMMAND)

    def _auxiliary(self) -> dict[int, bytes]:
        """Return the answers to auxiliary queries (crate `ebds`, `query_...`)."""
        name = VARIANT.format(code="_".join(dict.fromkeys(self.codes))).encode()
        return {
            Auxiliary.SOFTWARE_CRC: bytes((1, 2, 3, 4, 0, 0)),
            Auxiliary.CASH_BOX_TOTAL: _nibbles(self._total),
            Auxiliary.RESETS: _nibbles(self._starts),
            Auxiliary.TYPE: TYPE.ljust(TEXT_BYTES, b"\x00"),
            Auxiliary.SERIAL_NUMBER: f"SIM{self._serial:07}".encode().ljust(TEXT_BYTES, b"\x00"),
            Auxiliary.BOOT_PART: PART_NUMBER,
            Auxiliary.APPLICATION_PART: PART_NUMBER,
            Auxiliary.VARIANT_NAME: name.ljust(VARIANT_NAME_BYTES, b"\x00"),
            Auxiliary.VARIANT_PART: PART_NUMBER,
            Auxiliary.CAPABILITIES: bytes(6),
            Auxiliary.APPLICATION_ID: PART_NUMBER,
            Auxiliary.VARIANT_ID: PART_NUMBER,
        }

    def _obey(self, data: bytes) -> None:
        """Apply the host's orders, and move the paper in escrow if they say so."""
        self._orders = Orders.of(data)
        if self._initializing:
            if not self._timers.moving:
                self._timers.next(self.habits.initialize_s, self._initialized)
        elif self._place is Place.ESCROW and not self._faults & self.halting:
            self._decide(self._orders.mode & (Mode.STACK | Mode.RETURN))

    def _decide(self, order: int) -> None:
        """Stack the paper in escrow, or return it."""
        if order not in {Mode.STACK, Mode.RETURN} or self.mishaps.happens("order_ignored"):
            return
        self._starting = self._held = False
        if order == Mode.STACK or self.mishaps.happens("stacked_in_spite"):
            self._stack()
        else:
            self._give_back()

    def _extended(self, subtype: int, data: bytes) -> tuple[int, bytes]:
        """Answer an extended message: its subtype, the host's orders, and the query."""
        self._obey(data)
        asked = data[3:]
        if subtype == Subtype.INHIBITS and self.habits.extended and len(asked) in self.habits.inhibit_bytes:
            self._inhibits = asked
            return self._answer(subtype) if self.habits.answers_inhibits else self._reply()
        told = self._told(subtype, asked)
        return self._reply(Condition.INVALID_COMMAND) if told is None else self._answer(subtype, told)

    def _told(self, subtype: int, asked: bytes) -> bytes | None:
        """Return the extended data that answer a query, None for one that this device does not support."""
        match subtype:
            case Subtype.NOTE if self.habits.extended and len(asked) == 1:
                return self._table_row(asked[0])
            case Subtype.ESCROW_TIMEOUT if len(asked) == 2:  # noqa: PLR2004 - for notes, and for tickets
                self._timeouts = (asked[0], asked[1])
                return b""
            case Subtype.VALUE_TABLE if self.habits.value_table and not asked:
                return self._value_table()
            case Subtype.BARCODE if self.habits.reader and not asked:
                return barcode_data(self._barcode, self.habits.filler)
            case Subtype.NOTE_RETRIEVED | Subtype.BOOKMARK | Subtype.CLEAR_AUDIT:
                return bytes((NOT_SUPPORTED,))
        return None

    def _table_row(self, index: int) -> bytes:
        """Return a row of the note table, all zeros beyond its end (crate `ebds`, `is_null`)."""
        rows = dict(zip(NOTE_NUMBERS.values(), zip(self.codes, NOTE_NUMBERS, strict=True), strict=True))
        return note_row(index, *rows[index]) if index in rows else bytes(NOTE_BYTES)

    def _value_table(self) -> bytes:
        notes = dict(zip(NOTE_NUMBERS.values(), zip(self.codes, NOTE_NUMBERS, strict=True), strict=True))
        return b"".join(value_row(index, *notes.get(index, ("", 0))) for index in range(1, VALUES + 1))

    def _all_notes(self) -> bytes:
        return bytes((0x7F,)) * max(self.habits.inhibit_bytes)

    # Replies.

    def _report(self, events: list[Event], condition: Condition = _FINE, number: int = 0) -> bytes:
        """Return the six data bytes: the state, `events` and the lasting faults."""
        state = _STATES[Place.NOWHERE if self._initializing else self._place]
        status = Status.CASSETTE
        if self._faults & _OUT_OF_SERVICE:
            state = State(0)
        if self._starting:
            condition |= Condition.POWER_UP
        for name in self._faults - {"cheated"}:
            fault = FAULTS[name]
            if isinstance(fault, Condition):
                condition |= fault
            elif fault is Status.CASSETTE:
                status &= ~fault
            else:
                status |= fault
        for event in events:
            if isinstance(event.value, State):
                state |= event.value
            else:
                status |= event.value
        return Report(state, status, condition, number, self.habits.model, self.habits.revision).data()

    def _answer(self, subtype: int, data: bytes = b"") -> tuple[int, bytes]:
        """Return an extended reply to a query; events wait for the next poll."""
        return Kind.EXTENDED, bytes((subtype,)) + self._report([]) + data

    def _reply(self, condition: Condition = _FINE) -> tuple[int, bytes]:
        """Return the reply to a poll, about the paper in escrow or the paper that was stacked, if any."""
        papers = [event for event in self._events if event is not Event.CHEATED]
        events = papers[:1] + [event for event in self._events if event is Event.CHEATED]
        self._reported = events
        paper: Paper = 0
        if Event.STACKED in events:
            paper = self._stacked_paper
        elif self._place is Place.ESCROW and not self._initializing and not self._faults & _OUT_OF_SERVICE:
            paper = self._paper
        if isinstance(paper, str):
            if Event.STACKED in events and not self.habits.stacked_names_ticket:
                return Kind.REPLY, self._report(events, condition)
            barcode = barcode_data(paper, self.habits.filler)
            return Kind.EXTENDED, bytes((Subtype.BARCODE,)) + self._report(events, condition) + barcode
        if paper and self._reports_extended():
            row = note_row(0, self.codes[NOTE_NUMBERS[paper] - 1], paper, self.habits.classification)
            return Kind.EXTENDED, bytes((Subtype.NOTE,)) + self._report(events, condition) + row
        return Kind.REPLY, self._report(events, condition, NOTE_NUMBERS[paper] if paper else 0)

    def _reports_extended(self) -> bool:
        return self.habits.extended and bool(self._orders.setting & Setting.EXTENDED_NOTES)

    # The paper's movement.

    def _arm(self) -> None:
        if not self._starting:
            super()._arm()

    def _recognise(self) -> None:
        if self._spoilt() or not self._taken():
            self._go(Place.RETURNING, after=self.habits.return_s, then=self._rejected)
            return
        if not self._orders.mode & Mode.ESCROW:
            self._stack()
            return
        if self._ticket:
            self._barcode = self._ticket
        timeout = self._timeouts[1 if self._ticket else 0]
        self._go(Place.ESCROW, after=timeout, then=self._give_back if timeout else None)

    def _taken(self) -> bool:
        """Return whether the host enables such a note, or tickets."""
        if self._ticket:
            return self.habits.reader and bool(self._orders.setting & Setting.BARCODES)
        bit = NOTE_NUMBERS[self._note_cents or 0] - 1
        enabled = self._inhibits[0] if self._reports_extended() else self._orders.denominations
        return bool(enabled >> bit & 1)

    def _rejected(self) -> None:
        self._given_back(Event.REJECTED)

    def _give_back(self) -> None:
        self._go(Place.RETURNING, after=self.habits.return_s, then=self._given_back)

    def _given_back(self, event: Event = Event.RETURNED) -> None:
        if not self.mishaps.happens("return_unreported"):
            self._events.append(event)
        self._gone()

    def _land(self, *, said: bool) -> None:
        self._total += self._note_cents or 0
        super()._land(said=said)

    def _report_stacked(self) -> None:
        self._owed = self._stacked_paper = self._paper
        self._events.append(Event.STACKED)

    def _report_blank(self) -> None:
        """Report a note without value as stacked although there was none (as public drivers of the device describe)."""
        self._stacked_paper = 0
        self._events.append(Event.STACKED)

    def _report_pulled(self) -> None:
        self._events.append(Event.CHEATED)

    # Restart.

    def _initialized(self) -> None:
        """End the self-test: handle paper that the power cut caught by the host's power-up policy."""
        policy = self._orders.policy
        sent = None if self._note_cents is None else self._start_sends()
        if self._place is Place.ESCROW and policy is not Policy.A and sent is None:
            # out of order with paper in escrow, until the host decides where it goes
            self._held = True
            return
        self._starting = False
        if self._place is Place.NOWHERE:
            self._report_owed(policy)
            self._go(Place.NOWHERE)
        elif sent is Spot.RETURNED or (sent is None and self._place is not Place.STACKING):
            self._give_back()
        elif policy is Policy.B or self._credited:
            self._stack()
        else:
            self._go(Place.STACKING, after=self.habits.stack_s, then=self._store_uncredited)

    def _report_owed(self, policy: Policy) -> None:
        """Report an unacknowledged stacked note, if the policy says so."""
        if policy is not Policy.B:
            self._owed = None
        elif self._owed is not None:
            self._stacked_paper = self._owed
            self._events.append(Event.STACKED)
        if not self._events and self.mishaps.happens("blank_at_start"):
            self._report_blank()

    def _store_uncredited(self) -> None:
        self._leave_at(Spot.CASH_BOX)
        if self.habits.reports_uncredited:
            self._report_blank()


def _nibbles(number: int) -> bytes:
    """Return a number as the low halves of bytes, the highest first."""
    return bytes(number >> 4 * place & 0x0F for place in reversed(range(NIBBLES)))


def fitted(settings: Settings, currency: Currency, **callbacks: Any) -> SimulatedEbdsValidator:
    """Return the device that `cabinet.toml` expects; it reports by these callbacks."""
    return SimulatedEbdsValidator(**callbacks, currency=currency.code, even=settings.parity == "even")
