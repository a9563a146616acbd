"""A scripted EBDS validator for the driver's tests: it says what a test has written down, answer by answer.

It keeps the protocol's one rule, that a message under the ACK bit of the last one is answered by the last answer.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from drivers.ebds.protocol import (
    Auxiliary,
    Condition,
    Extended,
    Frame,
    FrameParser,
    Mode,
    State,
    Trouble,
    Type,
    encode,
)
from drivers.simulated.line import Line
from drivers.simulated.misbehaviour import Misbehaviour
from tests.rigs.bill_rig import NOTE, DeviceRig

TICKET: Final = "001234567890123456"
NOTES: Final = ((b"EUR", 500), (b"EUR", 1000), (b"EUR", NOTE), (b"EUR", 5000), (b"GBP", 500))


def with_parity(data: bytes) -> bytes:
    """Return seven-bit bytes as eight bits that are even."""
    return bytes(byte | (byte.bit_count() % 2) << 7 for byte in data)


def described(index: int, currency: bytes, cents: int, classification: int = 0) -> bytes:
    """What an extended note message says after the state."""
    return bytes((index,)) + currency + f"{cents // 100:03}+00".encode() + b"\0AABA" + bytes((classification, 0, 0))


class Say(msgspec.Struct, frozen=True, kw_only=True):
    """One answer of a script; the next one comes with the next new poll, or with the first that bears `until`.

    `cents` and `ticket` are described in an extended message, `denomination` in the state. `does` is what happens to
    the paper at that moment: `stacked` or `returned`.
    """

    state: State = State.IDLING
    condition: Condition = Condition.CASSETTE_PRESENT
    trouble: Trouble = Trouble(0)
    other: int = 0
    denomination: int = 0
    cents: int = 0
    classification: int = 0
    ticket: str = ""
    raw: bytes = b""
    until: Mode = Mode(0)
    does: str = ""

    def frame(self, ack: int) -> bytes:
        """The whole frame."""
        trouble = int(self.trouble) | self.denomination << 3
        said = bytes((self.state, self.condition, trouble, self.other, 0x54, 0x21))
        if self.raw:
            return encode(Type.EXTENDED | ack, bytes((Extended.NOTE,)) + said + self.raw)
        if self.cents:
            note = described(0, b"EUR", self.cents, self.classification)
            return encode(Type.EXTENDED | ack, bytes((Extended.NOTE,)) + said + note)
        if self.ticket:
            code = self.ticket.encode().ljust(28, b"\0")
            return encode(Type.EXTENDED | ack, bytes((Extended.BARCODE,)) + said + code)
        return encode(Type.OMNIBUS_REPLY | ack, said)


IDLE: Final = Say()
ACCEPTING: Final = Say(state=State.ACCEPTING)
STACKING: Final = Say(state=State.STACKING)
RETURNING: Final = Say(state=State.RETURNING)
POWER_UP: Final = Say(state=State(0), condition=Condition(0), trouble=Trouble.POWER_UP)


def taken(**said: int | str) -> list[Say]:
    """The life of a note or a ticket that is ordered to be stacked and is."""
    escrow = Say(state=State.ESCROWED, until=Mode.STACK, **said)  # type: ignore[arg-type]
    stacked = Say(state=State.IDLING | State.STACKED, does="stacked", **said)  # type: ignore[arg-type]
    return [ACCEPTING, ACCEPTING, escrow, STACKING, STACKING, stacked]


def refused(**said: int | str) -> list[Say]:
    """The life of a note or a ticket that is ordered to be returned and is."""
    escrow = Say(state=State.ESCROWED, until=Mode.RETURN, **said)  # type: ignore[arg-type]
    return [ACCEPTING, escrow, RETURNING, Say(state=State.IDLING | State.RETURNED, does="returned")]


class ScriptedEbds:
    """The device's end of a line. `orders` are the orders that it was given, `polls` the data of its new polls.

    `loses` and `misses` say how many answers and how many questions are lost, by auxiliary question. A device that does
    have `names_itself_first` answers those only after `POWER_UP`.
    """

    faults = ()

    def __init__(self, returned: Callable[[int], None], stacked: Callable[[int], None]) -> None:
        self.script: list[Say] = []
        self.rest = IDLE
        self.notes: Sequence[tuple[bytes, int]] = NOTES
        self.table: Sequence[tuple[bytes, int]] = ()
        self.inhibit_bytes = 19
        self.loses: dict[int, int] = {}
        self.misses: dict[int, int] = {}
        self.knows_aux = self.names_itself_first = True
        self.serial = b"20 4711 A\0\0"
        self.powered = False
        self.polls: list[bytes] = []
        self.orders: list[Mode] = []
        self.inhibits: list[bytes] = []
        self._done = {"returned": returned, "stacked": stacked}
        self._paper = NOTE
        self._line: Line | None = None
        self._parser = FrameParser()
        self._ack: bool | None = None
        self._last = b""

    def insert(self, cents: int) -> None:
        """A note that is taken."""
        self._paper = cents
        self.script = taken(cents=cents)

    def play(self, script: Sequence[Say], paper: int = NOTE) -> None:
        """Say this from the next poll on."""
        self._paper = paper
        self.script = list(script)

    @property
    def slot(self) -> str:
        """What the paper does."""
        return "stacking" if self.script and self.script[0] is STACKING else "busy" if self.script else ""

    def connect(self, line: Line) -> None:
        """Remember where to answer."""
        self._line = line

    def power(self, *, on: bool) -> None:
        """Switch the mains; a device that starts has forgotten its last answer."""
        self.powered = on
        self._ack = None

    def receive(self, data: bytes) -> None:
        """Answer whole frames, spoilt ones not; noise costs only the frame that it is in."""
        if not self.powered or self._line is None:
            return
        seven = bytes(byte & 0x7F if byte.bit_count() % 2 == 0 else 0xFF for byte in data)
        frames = self._parser.feed(seven) + self._parser.flush()
        for frame in frames:
            if frame.type == Type.AUXILIARY and self.misses.get(frame.data[2]):
                self.misses[frame.data[2]] -= 1
                continue
            if frame.ack != self._ack or not self._last:
                self._ack = frame.ack
                self._last = with_parity(self._answer(frame))
            if frame.type == Type.AUXILIARY and self.loses.get(frame.data[2]):
                self.loses[frame.data[2]] -= 1
            else:
                self._line.send(self._last)

    def _answer(self, frame: Frame) -> bytes:
        ack = int(frame.ack)
        if frame.type == Type.AUXILIARY and not self.names_itself_first and self.script[:1] == [POWER_UP]:
            return POWER_UP.frame(ack)
        if frame.type == Type.AUXILIARY:
            words = {
                Auxiliary.APPLICATION_PART_NUMBER: b"286000123",
                Auxiliary.VARIANT_NAME: b"EURO\0\0",
                Auxiliary.SERIAL_NUMBER: self.serial,
            }
            return encode(frame.head, words[Auxiliary(frame.data[2])]) if self.knows_aux else self._refuse(ack)
        if frame.type == Type.EXTENDED:
            return self._extended(frame, ack)
        self.polls.append(frame.data)
        order = Mode(frame.data[1]) & (Mode.STACK | Mode.RETURN)
        if order:
            self.orders.append(order)
        if not self.script:
            return self.rest.frame(ack)
        said = self.script[0]
        if not said.until or order == said.until:
            self.script.pop(0)
        if said.does:
            self._done[said.does](self._paper)
        return said.frame(ack)

    def _extended(self, frame: Frame, ack: int) -> bytes:
        subtype, said = frame.data[0], bytes((State.IDLING, Condition.CASSETTE_PRESENT, 0, 0, 0x54, 0x21))
        if subtype == Extended.NOTE and self.notes:
            index = frame.data[4]
            note = described(index, *self.notes[index - 1]) if index <= len(self.notes) else bytes(18)
            return encode(Type.EXTENDED | ack, bytes((subtype,)) + said + note)
        if subtype == Extended.VALUE_TABLE and self.table:
            notes = [*self.table, *[(b"", 0)] * (7 - len(self.table))]
            entries = [
                described(at, *note)[:10] if note[0] else bytes((at, *bytes(9))) for at, note in enumerate(notes, 1)
            ]
            return encode(Type.EXTENDED | ack, bytes((subtype,)) + said + b"".join(entries))
        if subtype == Extended.NOTE_INHIBITS and len(frame.data) == 4 + self.inhibit_bytes:
            self.inhibits.append(frame.data[4:])
            return encode(Type.EXTENDED | ack, bytes((subtype,)) + said)
        return self._refuse(ack)

    def _refuse(self, ack: int) -> bytes:
        return Say(trouble=Trouble.INVALID_COMMAND).frame(ack)


def ebds_rig(misbehaviour: Misbehaviour | None = None) -> DeviceRig[Any]:
    """The surroundings of a scripted validator."""
    build: Any = ScriptedEbds
    return DeviceRig("ebds", build, misbehaviour)
