"""An SSP bill validator with escrow, from the device's side (protocols.md §2.2).

What it does where the protocol's facts leave room is in `SspHabits`, so that a test can ask for the other reading.
"""

import asyncio
from collections.abc import Callable
from typing import ClassVar, Final

import msgspec

from drivers.simulated.line import Line
from drivers.simulated.note_path import NOTE_NUMBERS, NotePath, Place, require_note
from drivers.ssp import FLAG, WITH_CHANNEL, Command, Event, Frame, FrameParser, Reply, Told, encode

CURRENCY: Final = b"EUR"
SERIAL: Final = 1_873_452
PROTOCOLS: Final = range(1, 9)

STANDING: Final = {
    "stacker_full": Event.STACKER_FULL,
    "acceptor_jam": Event.UNSAFE_JAM,
    "stacker_jam": Event.SAFE_JAM,
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

    `acknowledges`: it knows the poll with acknowledgement. `returns_after_cut`: a note found in the acceptor at
    power-up is returned, else it goes to the cash box; either is told by the polls that follow.
    """

    acknowledges: bool = False
    returns_after_cut: bool = True
    read_s: float = 0.4
    stack_s: float = 0.5
    return_s: float = 0.6
    escrow_s: float = 10.0
    silence_s: float = 10.0


class SimulatedSspValidator(NotePath):
    """The device; switched off until `power(on=True)`, everything runs on the event loop's timers.

    `returned` and `stacked` are called with a note's value when it lies in the player's hand again or in the
    cash box, `changed` whenever `slot` or `escrow_cents` may read differently.
    """

    faults: ClassVar = FAULTS

    def __init__(
        self,
        *,
        returned: Callable[[int], None],
        stacked: Callable[[int], None],
        changed: Callable[[], None] | None = None,
        habits: SspHabits | None = None,
    ) -> None:
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
        self._events: list[Told] = []
        self._unacknowledged: list[Told] = []
        self._credit_told = True
        self._owed_cents = 0
        self._faults: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._silence: asyncio.TimerHandle | None = None

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
        self._cancel()
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
        reply = Reply.OK
        match command:
            case Command.PROTOCOL_VERSION:
                reply = Reply.OK if data[:1] and data[0] in PROTOCOLS else Reply.FAIL
            case Command.SET_INHIBITS:
                self._inhibits = int.from_bytes(data[:2], "little")
            case Command.ENABLE | Command.DISABLE:
                self._enabled = command == Command.ENABLE
            case Command.REJECT | Command.HOLD if self._place is not Place.ESCROW:
                reply = Reply.CANNOT_BE_PROCESSED
            case Command.REJECT:
                self._give_back()
            case Command.HOLD:
                self._go(Place.ESCROW, after=self.habits.escrow_s, then=self._give_back)
            case Command.EVENT_ACK if self.habits.acknowledges:
                self._credit_told = self._credit_told or bool(self._unacknowledged)
                self._unacknowledged = []
            case Command.RESET:
                self.power(on=False)
                self.power(on=True)
            case _:
                reply = Reply.UNKNOWN_COMMAND
        return bytes((reply,))

    def _told(self, command: int) -> bytes | None:
        """The data that answer a question, None for a command that is none."""
        match command:
            case Command.POLL:
                return self._poll()
            case Command.POLL_WITH_ACK if self.habits.acknowledges:
                return self._poll(keep=True)
            case Command.SETUP:
                return self._setup()
            case Command.SERIAL_NUMBER:
                return SERIAL.to_bytes(4, "big")
            case Command.LAST_REJECT:
                return b"\x00"
        return None

    def _setup(self) -> bytes:
        count = len(NOTE_NUMBERS)
        values = [cents // 100 for cents in NOTE_NUMBERS]
        return b"".join(
            (
                b"\x00" + b"0333" + CURRENCY + b"\x00\x00\x01",
                bytes((count, *values, *[2] * count)),
                b"\x00\x00\x64\x06",
                CURRENCY * count,
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
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        self._place = place
        if then is not None:
            self._timer = asyncio.get_running_loop().call_later(after, self._fire, then)
        if self._changed is not None:
            self._changed()

    def _fire(self, then: Callable[[], None]) -> None:
        self._timer = None
        then()

    def _cancel(self) -> None:
        for timer in (self._timer, self._silence):
            if timer is not None:
                timer.cancel()
        self._timer = self._silence = None

    def _watch_silence(self) -> None:
        if self._silence is not None:
            self._silence.cancel()
        self._silence = asyncio.get_running_loop().call_later(self.habits.silence_s, self._unheard)

    def _unheard(self) -> None:
        self._silence = None
        self._enabled = False

    def _recognise(self) -> None:
        channel = NOTE_NUMBERS[self._note_cents or 0]
        if not self._inhibits >> (channel - 1) & 1:
            self._give_back()
            return
        self._go(Place.ESCROW, after=self.habits.escrow_s, then=self._give_back)
        self._events.append(Told(Event.READ, channel))

    def _give_back(self) -> None:
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
