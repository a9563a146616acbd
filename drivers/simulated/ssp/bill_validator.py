"""An SSP bill validator with escrow, from the device's side (protocols.md §2.2).

What it does where the protocol's facts leave room is in `SspHabits`, so that a test can ask for the other reading.
"""

from collections.abc import Callable
from typing import ClassVar, Final

import msgspec

from drivers.currency import EURO
from drivers.simulated.line import Line
from drivers.simulated.note_path import NOTE_NUMBERS, NotePath, NoteTimers, Place, require_note
from drivers.ssp.protocol import FLAG, WITH_CHANNEL, Command, Event, Frame, FrameParser, Reply, Told, encode

SERIAL: Final = 1_873_452
FIRMWARE: Final = b"SIM00100"
REJECTED_INHIBITED, REJECTED_BY_HOST, NOT_RECOGNISED, PULLED_BACK, TIMED_OUT = 0x06, 0x08, 0x02, 0x0E, 0x13
PROTOCOLS: Final = range(1, 9)

STANDING: Final = {
    "stacker_full": Event.STACKER_FULL,
    "acceptor_jam": Event.UNSAFE_JAM,
    "stacker_jam": Event.SAFE_JAM,
    "failure": Event.NOTE_PATH_OPEN,
}
"""Faults that each poll tells as long as they last."""

PASSING: Final = {
    "stacker_open": (Told(Event.CASHBOX_REMOVED), Told(Event.CASHBOX_REPLACED)),
    "cheated": (Told(Event.FRAUD, 1), None),
}
"""Faults that are told once when they begin, and some once when they end."""

FAULTS: Final = (*STANDING, *PASSING)


class SspHabits(msgspec.Struct, frozen=True, kw_only=True):
    """Times in seconds, and the behaviours that real validators differ in.

    `acknowledges`: it knows the poll with acknowledgement; else it answers that question with `refusal`.
    `self_test_fails`: it never leaves the disabled state. `returns_after_cut`: a note found in the acceptor at
    power-up is returned, else it goes to the cash box; either is told by the polls that follow.
    """

    acknowledges: bool = False
    refusal: int = Reply.UNKNOWN_COMMAND
    self_test_fails: bool = False
    returns_after_cut: bool = True
    read_s: float = 0.4
    stack_s: float = 0.5
    return_s: float = 0.6
    escrow_s: float = 10.0
    silence_s: float = 10.0


class SimulatedSspValidator(NotePath):
    """The device; switched off until `power(on=True)`, everything runs on the event loop's timers.

    `returned` and `stacked` are called with a note's value when it lies in the player's hand again or in the
    cash box, `changed` whenever `slot` or `escrow_cents` may read differently. The next `unreadable` notes are not
    recognised. `currency` is the dataset's, `channels` are the currencies of its notes.
    """

    faults: ClassVar = FAULTS

    def __init__(
        self,
        *,
        returned: Callable[[int], None],
        stacked: Callable[[int], None],
        changed: Callable[[], None] | None = None,
        habits: SspHabits | None = None,
        serial: int = SERIAL,
        currency: str = EURO.code,
    ) -> None:
        self.serial = serial
        self.currency = currency
        self.channels = [currency] * len(NOTE_NUMBERS)
        self.habits = habits if habits is not None else SspHabits()
        self.powered = False
        self._returned = returned
        self._stacked = stacked
        self._changed = changed
        self._line: Line | None = None
        self._parser = FrameParser()
        self._last: tuple[int, bytes] | None = None
        self._enabled = False
        self._inhibits = 0
        self._place = Place.NOWHERE
        self._note_cents: int | None = None
        self.unreadable = 0
        self._events: list[Told] = []
        self._unacknowledged: list[Told] = []
        self._credit_told = True
        self._owed_cents = 0
        self._faults: set[str] = set()
        self._timers = NoteTimers()
        self._last_reject = 0

    # What a hand does to it.

    def insert(self, value_cents: int) -> None:
        """Push a note into the mouth; it is drawn in only by a validator that is enabled and idle.

        Raise `ValueError` for a value that is no note.
        """
        require_note(value_cents)
        jammed = self._faults & STANDING.keys()
        blocked = self._unacknowledged or jammed or self._note_cents is not None
        if not self.powered or not self._enabled or not self._inhibits or blocked:
            self._returned(value_cents)
            return
        self._note_cents = value_cents
        self._go(Place.READ, after=self.habits.read_s, then=self._recognise)

    def pull_back(self) -> None:
        """Draw a note that waits in escrow back out of the mouth."""
        if self.powered and self._place is Place.ESCROW:
            self._give_back(PULLED_BACK)

    def set_fault(self, name: str, on: bool) -> None:  # noqa: FBT001 - the agreed signature of all simulated devices
        """Begin or end a fault of `STANDING` or `PASSING`."""
        if name not in FAULTS:
            raise ValueError(f"no such fault: {name}; there are {', '.join(FAULTS)}")
        if on == (name in self._faults):
            return
        (self._faults.add if on else self._faults.discard)(name)
        told = PASSING.get(name, (None, None))[0 if on else 1]
        if told is not None and self.powered:
            self._events.append(told)

    def power(self, *, on: bool) -> None:
        """The mains switch. What is non-volatile: where the note is, and whether its credit was told."""
        if on == self.powered:
            return
        self.powered = on
        self._parser = FrameParser()
        self._last = None
        self._enabled, self._inhibits = False, 0
        self._events, self._unacknowledged = [], []
        self._timers.cancel()
        if on:
            self._start()
        elif self._changed is not None:
            self._changed()

    # The wire.

    def connect(self, line: Line) -> None:
        """Remember where to answer."""
        self._line = line

    def receive(self, data: bytes) -> None:
        """Bytes from the host have arrived."""
        if not self.powered:
            return
        for frame in self._parser.feed(data):
            if frame.address == 0 and frame.data:
                self._hear(frame)

    def _hear(self, frame: Frame) -> None:
        self._watch_silence()
        flag = frame.head & FLAG
        if frame.data[0] == Command.SYNC:
            self._answer(frame.head, bytes((Reply.OK,)))
            self._last = (FLAG, b"")
            return
        if self._last is not None and self._last[0] == flag and self._last[1]:
            self._send(frame.head, self._last[1])
            return
        self._answer(frame.head, self._carry_out(frame.data[0], frame.data[1:]))

    def _answer(self, head: int, data: bytes) -> None:
        self._last = (head & FLAG, data)
        self._send(head, data)

    def _send(self, head: int, data: bytes) -> None:
        if self._line is not None:
            self._line.send(encode(head, data))

    def _carry_out(self, command: int, data: bytes) -> bytes:
        answer = self._told(command)
        if answer is not None:
            return bytes((Reply.OK,)) + answer
        match command:
            case Command.REJECT | Command.HOLD:
                return bytes((self._decide(command),))
            case Command.PROTOCOL_VERSION if not data or data[0] not in PROTOCOLS:
                return bytes((Reply.FAIL,))
            case Command.PROTOCOL_VERSION:
                pass
            case Command.SET_INHIBITS:
                self._inhibits = int.from_bytes(data[:2], "little")
            case Command.ENABLE | Command.DISABLE:
                self._enabled = command == Command.ENABLE and not self.habits.self_test_fails
            case Command.EVENT_ACK if self.habits.acknowledges:
                self._credit_told = self._credit_told or bool(self._unacknowledged)
                self._unacknowledged = []
            case Command.POLL_WITH_ACK | Command.EVENT_ACK:
                return bytes((self.habits.refusal,))
            case Command.RESET:
                self.power(on=False)
                self.power(on=True)
            case _:
                return bytes((Reply.UNKNOWN_COMMAND,))
        return bytes((Reply.OK,))

    def _decide(self, command: int) -> int:
        """Give the note in escrow back, or hold it; return the reply."""
        if self._place is not Place.ESCROW:
            return Reply.CANNOT_BE_PROCESSED
        if command == Command.REJECT:
            self._give_back(REJECTED_BY_HOST)
        else:
            self._go(Place.ESCROW, after=self.habits.escrow_s, then=self._give_back)
        return Reply.OK

    def _told(self, command: int) -> bytes | None:
        """The data that answer a question, None for a command that is none."""
        if command == Command.POLL:
            return self._poll()
        if command == Command.POLL_WITH_ACK and self.habits.acknowledges:
            return self._poll(keep=True)
        answers = {
            Command.SETUP: self._setup(),
            Command.SERIAL_NUMBER: self.serial.to_bytes(4, "big"),
            Command.LAST_REJECT: bytes((self._last_reject,)),
            Command.FIRMWARE: FIRMWARE,
            Command.DATASET: f"{self.currency}01".encode(),
        }
        return next((answer for question, answer in answers.items() if question == command), None)

    def _setup(self) -> bytes:
        count = len(NOTE_NUMBERS)
        values = [cents // 100 for cents in NOTE_NUMBERS]
        return b"".join(
            (
                b"\x00" + b"0333" + self.currency.encode() + b"\x00\x00\x01",
                bytes((count, *values, *[2] * count)),
                b"\x00\x00\x64\x06",
                "".join(self.channels).encode(),
                *(value.to_bytes(4, "little") for value in values),
            )
        )

    def _poll(self, *, keep: bool = False) -> bytes:
        """The events since the last poll, and what stands. A note in escrow is told to be stacked by this."""
        told = [*self._unacknowledged, *self._events]
        credits_told = [one for one in told if one.event in {Event.CREDIT, Event.CLEARED_TO_CASHBOX}]
        self._events = []
        if keep:
            self._unacknowledged = credits_told
        elif credits_told:
            self._credit_told = True
        match self._place:
            case Place.READ:
                told.append(Told(Event.READ, 0))
            case Place.ESCROW if not any(one.event is Event.READ for one in told):
                self._go(Place.STACKING, after=self.habits.stack_s, then=self._store)
                told.append(Told(Event.STACKING))
            case Place.STACKING:
                told.append(Told(Event.STACKING))
            case Place.RETURNING:
                told.append(Told(Event.REJECTING))
            case Place.NOWHERE:
                if not self._enabled:
                    told.append(Told(Event.DISABLED))
        told += [Told(event) for name, event in STANDING.items() if name in self._faults]
        return b"".join(bytes((one.event, *([one.channel or 0] if one.event in WITH_CHANNEL else []))) for one in told)

    # The note's way.

    def _go(self, place: Place, *, after: float = 0.0, then: Callable[[], None] | None = None) -> None:
        """Be at `place` from now on, and do `then` `after` seconds unless something comes between."""
        self._place = place
        self._timers.next(after, then)
        if self._changed is not None:
            self._changed()

    def _watch_silence(self) -> None:
        self._timers.heard(self.habits.silence_s, self._unheard)

    def _unheard(self) -> None:
        self._enabled = False

    def _recognise(self) -> None:
        channel = NOTE_NUMBERS[self._note_cents or 0]
        if not self._inhibits >> (channel - 1) & 1:
            self._give_back(REJECTED_INHIBITED)
            return
        if self.unreadable:
            self.unreadable -= 1
            self._give_back(NOT_RECOGNISED)
            return
        self._go(Place.ESCROW, after=self.habits.escrow_s, then=self._give_back)
        self._events.append(Told(Event.READ, channel))

    def _give_back(self, reject: int = TIMED_OUT) -> None:
        self._last_reject = reject
        self._go(Place.RETURNING, after=self.habits.return_s, then=self._given_back)

    def _given_back(self) -> None:
        self._events.append(Told(Event.REJECTED))
        self._returned(self._forget_note())
        self._go(Place.NOWHERE)

    def _store(self) -> None:
        cents = self._forget_note()
        self._credit_told = False
        self._owed_cents = cents
        self._events += [Told(Event.CREDIT, NOTE_NUMBERS[cents]), Told(Event.STACKED)]
        self._stacked(cents)
        self._go(Place.NOWHERE)

    def _forget_note(self) -> int:
        cents, self._note_cents = self._note_cents or 0, None
        return cents

    def _start(self) -> None:
        """Power up: clear what the cut has caught, and tell it with the first poll."""
        self._events = [Told(Event.RESET)]
        if not self._credit_told:
            self._events.append(Told(Event.CLEARED_TO_CASHBOX, NOTE_NUMBERS[self._owed_cents]))
        elif self._note_cents is not None:
            channel = NOTE_NUMBERS[self._note_cents]
            goes_back = self._place is not Place.STACKING or self.habits.returns_after_cut
            if goes_back:
                self._events.append(Told(Event.CLEARED_FROM_FRONT, channel))
                self._returned(self._forget_note())
            else:
                self._events.append(Told(Event.CLEARED_TO_CASHBOX, channel))
                self._credit_told, self._owed_cents = False, self._note_cents
                self._stacked(self._forget_note())
        self._go(Place.NOWHERE)
