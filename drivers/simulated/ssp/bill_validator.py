"""A simulated SSP bill validator with escrow and a barcode reader (protocols.md §2.2; ssp_ga138.tsv).

A ticket is drawn in and held like a note: `BARCODE_VALIDATED` reports it in escrow, the next poll makes the device
stack it, and `BARCODE_ACKNOWLEDGED` reports it in the stacker; neither event has data. The host requests the barcode.

Behaviour that the protocol leaves open is set in `SspHabits`, so that a test can choose the other reading.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final

import msgspec

from drivers.currency import EURO, Currency
from drivers.simulated.fault_model.rows import Row
from drivers.simulated.note_path import (
    NOTE_NUMBERS,
    TICKET_DIGITS,
    NotePath,
    NoteTimers,
    Paper,
    Place,
)
from drivers.simulated.ssp.bill_rows import ROWS
from drivers.simulated.ssp.device import SspDevice
from drivers.simulated.ssp.encryption import FIXED_KEY, Encryption
from drivers.simulated.ssp.frames import WITH_CHANNEL, Command, Event, PolledEvent, Reply
from drivers.simulated.whereabouts import Spot
from drivers.wiring import BillValidator as Settings

ADDRESS: Final = 0
SERIAL: Final = 1_873_452
FIRMWARE: Final = b"SIM2000333000000"
"""Sixteen characters (GA138, page 69)."""
REJECTED_INHIBITED, REJECTED_BY_HOST, NOT_RECOGNISED, PULLED_BACK, TIMED_OUT = 0x06, 0x08, 0x02, 0x0E, 0x13
PROTOCOLS: Final = range(1, 9)
LATEST_PROTOCOL: Final = 6
"""The protocol version until a host sets another (06)."""
EXPANDED: Final = 6
"""The first protocol version in which channels have currencies and values of four bytes (GA138, Channel Value Data)."""
SECURITY: Final = 2
"""The security of every channel: standard (GA138, Channel Security Data)."""
BEZEL_BYTES: Final = range(4, 6)
"""The bezel's colour and whether to store it (GA138, page 88); some hosts add the kind of light."""
COUNTERS: Final = 5
"""Notes stacked, stored, dispensed, moved from the store to the stacker, and rejected (GA138, Get Counters)."""

NOTES_INHIBITED, BARCODES_INHIBITED, NO_BARCODES = 0b01, 0b10, 0xFE
"""The inhibit bits, and their byte after a start: notes are read, barcodes are not (page 85)."""
BOTH_READERS, INTERLEAVED_2_OF_5 = 3, 1
NO_DATA, IN_ESCROW, IN_STACKER, GIVEN_BACK = range(4)
"""The state in the barcode data (27; page 87)."""
NO_CHANNEL: Final = 0

LASTING: Final = {
    "stacker_full": Event.STACKER_FULL,
    "acceptor_jam": Event.UNSAFE_JAM,
    "stacker_jam": Event.SAFE_JAM,
    "failure": Event.NOTE_PATH_OPEN,
}
"""Faults that every poll reports while they last."""

PASSING: Final = {
    "stacker_open": (PolledEvent(Event.CASHBOX_REMOVED), PolledEvent(Event.CASHBOX_REPLACED)),
    "cheated": (PolledEvent(Event.FRAUD, 1), None),
}
"""Faults that are reported once when they begin; some also once when they end."""

_OF_READER: Final = (
    Command.BARCODE_READERS,
    Command.SET_BARCODE_READERS,
    Command.SET_BARCODE_INHIBIT,
    Command.BARCODE_DATA,
)

_OWED: Final = frozenset({Event.CREDIT, Event.BARCODE_ACKNOWLEDGED, Event.CLEARED_TO_CASHBOX})
"""The events that report a note or ticket as stacked."""

FAULTS: Final = (*LASTING, *PASSING)

_MOVING: Final = {Place.STACKING: Event.STACKING, Place.RETURNING: Event.REJECTING}


class SspHabits(msgspec.Struct, frozen=True, kw_only=True):
    """Times in seconds, and behaviours in which real validators differ.

    `acknowledges`: it supports the poll with acknowledgement; else it answers that command with `refusal`.
    `self_test_fails`: it never leaves the disabled state. `returns_after_cut`: a note found in the acceptor at power-up
    is returned, else it goes to the cash box; the next polls report either.

    `encrypts`: it supports eSSP, and then polls with acknowledgement only encrypted.

    `reader`: it has a barcode reader; without one it supports no barcode command. `repeats_tickets`: with
    acknowledgement, `BARCODE_ACKNOWLEDGED` is repeated until it is acknowledged, as a credit is. `keeps_barcode`: the
    data of the last barcode are non-volatile.
    """

    reader: bool = True
    repeats_tickets: bool = False
    keeps_barcode: bool = False

    encrypts: bool = False
    acknowledges: bool = False
    refusal: int = Reply.UNKNOWN_COMMAND
    self_test_fails: bool = False
    returns_after_cut: bool = True
    read_s: float = 0.4
    stack_s: float = 0.5
    return_s: float = 0.6
    escrow_s: float = 10.0
    silence_s: float = 10.0


class SimulatedSspValidator(NotePath, SspDevice):
    """The device; off until `power(on=True)`, driven by the event loop's timers.

    `returned` and `stacked` are called with a note's value or a ticket's number when it is back in the player's hand or
    in the cash box, `changed` whenever `slot` or `escrow_cents` may have changed. The next `unreadable` notes or
    tickets are not recognised. `currency` is the dataset's, `channels` are the currencies of its notes.
    """

    kind: ClassVar = "SSP bill validator"
    habits: SspHabits
    faults: ClassVar = FAULTS
    halting: ClassVar = frozenset(("acceptor_jam", "stacker_jam", "stacker_open", "failure"))
    jams: ClassVar[Mapping[str, str]] = {
        "jam_in_reach": "acceptor_jam",
        "jam_on_the_way": "stacker_jam",
        "jam_in_stacker": "stacker_jam",
    }
    unit_type: ClassVar = 0x00
    first_protocol: ClassVar = LATEST_PROTOCOL
    rows: ClassVar[Sequence[Row]] = ROWS

    def __init__(
        self,
        *,
        returned: Callable[[Paper], None],
        stacked: Callable[[Paper], None],
        changed: Callable[[], None] | None = None,
        habits: SspHabits | None = None,
        serial: int = SERIAL,
        currency: str = EURO.code,
        encryption: Encryption | None = None,
        chance: random.Random | None = None,
    ) -> None:
        self._fit(self.rows, returned=returned, stacked=stacked, changed=changed, chance=chance)
        self.habits = habits if habits is not None else SspHabits()
        super().__init__(ADDRESS, encryption or Encryption() if self.habits.encrypts else None)
        self.serial = serial
        self.currency = currency
        self.channels = [currency] * len(NOTE_NUMBERS)
        self.protocol = self.first_protocol
        self._counters = [0] * COUNTERS
        self._enabled = False
        self._inhibits = 0
        self._barcode_inhibits = NO_BARCODES
        self._readers = bytes((BOTH_READERS, INTERLEAVED_2_OF_5, 18))
        self._barcode = (NO_DATA, "")
        self._place = Place.NOWHERE
        self.unreadable = 0
        self._events: list[PolledEvent] = []
        self._unacknowledged: list[PolledEvent] = []
        self._credit_reported = True
        self._owed: Paper = 0
        self._timers = NoteTimers()
        self._last_reject = 0

    # Physical actions on the device.

    def _push(self, paper: Paper) -> None:
        jammed = self._faults & LASTING.keys()
        blocked = self._unacknowledged or jammed or self._note_cents is not None
        if not self.powered or not self._enabled or not self._inhibits or blocked:
            self._refuse(paper)
            return
        self._take_in(paper)
        self._go(Place.READ, after=self.habits.read_s, then=self._recognise)

    def pull_back(self) -> None:
        """Pull a note held in escrow back out of the note slot."""
        if self.powered and self._place is Place.ESCROW:
            self._give_back(PULLED_BACK)
        elif self._note_cents is not None and "acceptor_jam" in self._faults:
            self.clear_jam(Spot.RETURNED)

    def set_fault(self, name: str, on: bool) -> None:  # noqa: FBT001 - the agreed signature of all simulated devices
        """Begin or end a fault of `LASTING` or `PASSING`."""
        if not self._switch_fault(name, on=on):
            return
        event = PASSING.get(name, (None, None))[0 if on else 1]
        if event is not None and self.powered:
            self._events.append(event)
        if self.powered:
            self._arm()

    def power(self, *, on: bool) -> None:
        """Switch the mains. The note's place and whether its credit was reported are non-volatile."""
        if on == self.powered:
            return
        self.powered = on
        self._forget_talk()
        self.protocol = self.first_protocol
        self._enabled, self._inhibits = False, 0
        self._barcode_inhibits = NO_BARCODES
        if not self.habits.keeps_barcode:
            self._barcode = (NO_DATA, "")
        self._events, self._unacknowledged = [], []
        self._timers.cancel()
        if on:
            self._start()
        elif self._changed is not None:
            self._changed()

    def _become_another(self) -> None:
        self.serial += 1
        self._credit_reported, self._owed = True, 0
        self._counters = [0] * COUNTERS

    # The line.

    def _heard(self) -> None:
        self._watch_silence()

    def _obey(self, command: int, data: bytes) -> bytes:
        of_reader = self.habits.reader and command in {Command.BARCODE_INHIBIT, *_OF_READER}
        return self._of_reader(command, data) if of_reader else self._carry_out(command, data)

    def _carry_out(self, command: int, data: bytes) -> bytes:
        answer = self._answer_to(command)
        if answer is not None:
            return bytes((Reply.OK,)) + answer
        match command:
            case Command.REJECT | Command.HOLD:
                return bytes((self._decide(command),))
            case Command.EVENT_ACK if self.habits.acknowledges:
                self._credit_reported = self._credit_reported or bool(self._unacknowledged)
                self._unacknowledged = []
            case Command.POLL_WITH_ACK | Command.EVENT_ACK:
                return bytes((self.habits.refusal,))
            case Command.RESET:
                self.power(on=False)
                self.power(on=True)
            case _:
                return bytes((self._set_up(command, data),))
        return bytes((Reply.OK,))

    def _set_up(self, command: int, data: bytes) -> int:
        """Store a setting, or switch a part without visible effect; return the reply."""
        match command:
            case Command.PROTOCOL_VERSION if not data or data[0] not in PROTOCOLS:
                return Reply.FAIL
            case Command.PROTOCOL_VERSION:
                self.protocol = data[0]
            case Command.SET_INHIBITS:
                self._inhibits = int.from_bytes(data[:2], "little")
            case Command.ENABLE | Command.DISABLE:
                self._enabled = command == Command.ENABLE and not self.habits.self_test_fails
            case Command.RESET_COUNTERS:
                self._counters = [0] * COUNTERS
            case Command.BEZEL if len(data) not in BEZEL_BYTES:
                return Reply.WRONG_PARAMETERS
            case Command.DISPLAY_ON | Command.DISPLAY_OFF | Command.BEZEL | Command.HIGHER_PROTOCOL:
                pass
            case _:
                return Reply.UNKNOWN_COMMAND
        return Reply.OK

    def _of_reader(self, command: int, data: bytes) -> bytes:
        """Answer a barcode reader command (pages 83 to 87)."""
        known = bytes((Reply.OK,))
        match command:
            case Command.BARCODE_READERS:
                return known + bytes((BOTH_READERS,)) + self._readers
            case Command.BARCODE_DATA:
                state, number = self._barcode
                return known + bytes((state, len(number))) + number.encode()
            case Command.SET_BARCODE_READERS if len(data) == len(self._readers):
                enabled, kind, characters = data
                if enabled > BOTH_READERS or kind != INTERLEAVED_2_OF_5 or characters not in TICKET_DIGITS:
                    return bytes((Reply.OUT_OF_RANGE,))
                self._readers = data
            case Command.SET_BARCODE_INHIBIT if len(data) == 1:
                self._barcode_inhibits = data[0]
            case Command.SET_BARCODE_READERS | Command.SET_BARCODE_INHIBIT:
                return bytes((Reply.WRONG_PARAMETERS,))
            case _:
                return known + bytes((self._barcode_inhibits,))
        return known

    def _decide(self, command: int) -> int:
        """Return the note in escrow, or hold it; return the reply."""
        if self._place is not Place.ESCROW or self.mishaps.happens("order_refused"):
            return Reply.CANNOT_BE_PROCESSED
        if command == Command.REJECT:
            if self.mishaps.happens("stacked_in_spite"):
                self._stack()
            elif not self.mishaps.happens("order_ignored"):
                self._give_back(REJECTED_BY_HOST)
        else:
            self._go(Place.ESCROW, after=self.habits.escrow_s, then=self._give_back)
        return Reply.OK

    def _answer_to(self, command: int) -> bytes | None:
        """Return the data that answer a query, None for any other command."""
        if command == Command.POLL:
            return self._poll()
        if command == Command.POLL_WITH_ACK and self.habits.acknowledges:
            return self._poll(keep=True)
        answers = {
            Command.SETUP: self._setup(),
            Command.SERIAL_NUMBER: self.serial.to_bytes(4, "big"),
            Command.LAST_REJECT: bytes((self._last_reject,)),
            Command.UNIT_DATA: self._unit_data(),
            Command.CHANNEL_VALUES: self._channel_values(),
            Command.CHANNEL_SECURITY: bytes((len(NOTE_NUMBERS), *[SECURITY] * len(NOTE_NUMBERS))),
            Command.CHANNEL_RE_TEACH: bytes((len(NOTE_NUMBERS), *[0] * len(NOTE_NUMBERS))),
            Command.BUILD_REVISION: bytes((self.unit_type, 0, 1)),
            Command.COUNTERS: bytes((COUNTERS,)) + b"".join(one.to_bytes(4, "little") for one in self._counters),
            Command.FIRMWARE: FIRMWARE,
            Command.DATASET: f"{self.currency}01610".encode(),
        }
        return next((answer for question, answer in answers.items() if question == command), None)

    def _setup(self) -> bytes:
        count = len(NOTE_NUMBERS)
        values = [cents // 100 for cents in NOTE_NUMBERS]
        return b"".join(
            (
                self._unit() + b"\x00\x00\x01",
                bytes((count, *values, *[SECURITY] * count)),
                b"\x00\x00\x64" + bytes((self.protocol,)),
                self._expanded() if self.protocol >= EXPANDED else b"",
            )
        )

    def _unit(self) -> bytes:
        """Type, firmware and currency."""
        return bytes((self.unit_type,)) + b"0333" + self.currency.encode()

    def _unit_data(self) -> bytes:
        """Return the unit data, with the value multiplier as in the manual's example, and the protocol version."""
        return self._unit() + b"\x01\x00\x00" + bytes((self.protocol,))

    def _channel_values(self) -> bytes:
        """Return a value for each channel; from protocol 6 on zeros, then the currencies and the full values."""
        count = len(NOTE_NUMBERS)
        if self.protocol >= EXPANDED:
            return bytes((count, *[0] * count)) + self._expanded()
        return bytes((count, *(cents // 100 for cents in NOTE_NUMBERS)))

    def _expanded(self) -> bytes:
        values = b"".join((cents // 100).to_bytes(4, "little") for cents in NOTE_NUMBERS)
        return "".join(self.channels).encode() + values

    def _poll(self, *, keep: bool = False) -> bytes:
        """Return the events since the last poll and the lasting faults, and stack a note in escrow."""
        polled = [*self._unacknowledged, *self._events]
        reported = [one for one in polled if one.event in _OWED]
        self._credits = bool(reported)
        kept = [one for one in reported if one.event is not Event.BARCODE_ACKNOWLEDGED or self.habits.repeats_tickets]
        self._events = []
        if keep:
            self._unacknowledged = kept
        if reported and not (keep and kept):
            self._credit_reported = True
        match self._place:
            case Place.READ:
                polled.append(PolledEvent(Event.READ, 0))
            case Place.ESCROW if not any(one.event in {Event.READ, Event.BARCODE_VALIDATED} for one in polled):
                self._stack()
                polled.append(PolledEvent(_MOVING[self._place]))
            case Place.STACKING:
                polled.append(PolledEvent(Event.STACKING))
            case Place.RETURNING:
                polled.append(PolledEvent(Event.REJECTING))
            case Place.NOWHERE:
                if not self._enabled:
                    polled.append(PolledEvent(Event.DISABLED))
        polled += [PolledEvent(event) for name, event in LASTING.items() if name in self._faults]
        return b"".join(
            bytes((one.event, *([one.channel or 0] if one.event in WITH_CHANNEL else []))) for one in polled
        )

    # The note's movement.

    def _watch_silence(self) -> None:
        self._timers.heard(self.habits.silence_s, self._unheard)

    def _unheard(self) -> None:
        self._enabled = False

    def _recognise(self) -> None:
        if self._inhibited():
            self._give_back(REJECTED_INHIBITED)
            return
        if self._spoilt() or not self._readable():
            self._give_back(NOT_RECOGNISED)
            return
        self._go(Place.ESCROW, after=self.habits.escrow_s, then=self._give_back)
        if self._ticket:
            self._barcode = (IN_ESCROW, self._ticket)
            self._events.append(PolledEvent(Event.BARCODE_VALIDATED))
        else:
            self._events.append(PolledEvent(Event.READ, NOTE_NUMBERS[self._note_cents or 0]))

    def _inhibited(self) -> bool:
        """Return whether the host inhibits the note inside; False for a ticket, which `_readable` checks."""
        if self._ticket:
            return False
        channel = NOTE_NUMBERS[self._note_cents or 0]
        return bool(self._barcode_inhibits & NOTES_INHIBITED) or not self._inhibits >> (channel - 1) & 1

    def _readable(self) -> bool:
        """Return whether the reader is set up for a ticket's barcode; True for a note."""
        if not self._ticket:
            return True
        enabled, _kind, characters = self._readers
        reads = self.habits.reader and enabled and not self._barcode_inhibits & BARCODES_INHIBITED
        return bool(reads) and len(self._ticket) == characters

    def _give_back(self, reject: int = TIMED_OUT) -> None:
        self._last_reject = reject
        if self._barcode[0] == IN_ESCROW:
            self._barcode = (GIVEN_BACK, self._barcode[1])
        self._go(Place.RETURNING, after=self.habits.return_s, then=self._given_back)

    def _given_back(self) -> None:
        self._counters[4] += 1
        if not self.mishaps.happens("return_unreported"):
            self._events.append(PolledEvent(Event.REJECTED))
        self._gone()

    def _report_stacked(self) -> None:
        self._credit_reported = False
        self._owed = self._paper
        if isinstance(self._owed, str):
            self._barcode = (IN_STACKER, self._owed)
            self._events.append(PolledEvent(Event.BARCODE_ACKNOWLEDGED))
        else:
            self._events.append(PolledEvent(Event.CREDIT, NOTE_NUMBERS[self._owed]))

    def _report_pulled(self) -> None:
        self._last_reject = PULLED_BACK
        self._events.append(PolledEvent(Event.FRAUD, _channel(self._paper)))

    def _land(self, *, said: bool) -> None:
        kept = isinstance(self._paper, int) and self._keep(self._paper)
        if kept:
            self._forget_paper()
        else:
            super()._land(said=said)
        self._counters[1 if kept else 0] += 1
        if said:
            self._events.append(PolledEvent(Event.STORED if kept else Event.STACKED))

    def _keep(self, note_cents: int) -> bool:
        """Move the note into a payout store; return whether there is one for it."""
        del note_cents
        return False

    def _start(self) -> None:
        """Power up: clear paper that the power cut caught, and report it with the first poll; jammed paper stays."""
        self._events = [PolledEvent(Event.RESET)]
        if not self._credit_reported:
            self._events.append(PolledEvent(Event.CLEARED_TO_CASHBOX, self._known(self._owed)))
        if self._note_cents is None:
            self._go(Place.NOWHERE)
            return
        sent = self._start_sends()
        stacks = self._credited or (self._place is Place.STACKING and not self.habits.returns_after_cut)
        back = not stacks if sent is None else sent is Spot.RETURNED
        if self._faults & self.halting:
            self._go(self._place, after=self.habits.return_s, then=lambda: self._clear_path(back=back))
        else:
            self._clear_path(back=back)

    def _clear_path(self, *, back: bool) -> None:
        """Return the paper inside or send it into the cash box, and report it unless it was reported before."""
        credited, channel = self._credited, self._known(self._paper)
        if back:
            self._events.append(PolledEvent(Event.CLEARED_FROM_FRONT, channel))
            self._leave_at(Spot.RETURNED)
        else:
            owed = self._leave_at(Spot.CASH_BOX)
            if not credited:
                self._events.append(PolledEvent(Event.CLEARED_TO_CASHBOX, channel))
                self._owed = owed
                self._credit_reported = False

    def _known(self, paper: Paper) -> int:
        """Return the channel reported with a cleared note: 0 if the device has lost it."""
        return NO_CHANNEL if self.mishaps.happens("channel_unknown") else _channel(paper)


def _channel(paper: Paper) -> int:
    """Return the channel of a note, 0 for a ticket, which has none: a device reports the channel "if known"."""
    return NO_CHANNEL if isinstance(paper, str) else NOTE_NUMBERS[paper]


def encryption_of(key: str) -> Encryption:
    """Return the encryption with the fixed key of that many hex digits, the maker's if it is empty."""
    return Encryption(int(key, 16) if key else FIXED_KEY)


def fitted(settings: Settings, currency: Currency, **callbacks: Any) -> SimulatedSspValidator:
    """Return the device that `cabinet.toml` expects; it reports by these callbacks."""
    knows = settings.encryption != "off"
    return SimulatedSspValidator(
        **callbacks,
        habits=SspHabits(encrypts=knows, acknowledges=knows),
        encryption=encryption_of(settings.ssp_key) if knows else None,
        serial=settings.serial or SERIAL,
        currency=currency.code,
    )
