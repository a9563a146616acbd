"""A scripted ID-003 validator for the driver's tests: it says what a test has written down, status by status.

What it knows of barcode tickets is what `tests/drivers/id003_ticket_vectors.tsv` has.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from drivers.currency import EURO
from drivers.id003.protocol import ACK, Command, Frame, FrameParser, Status, encode
from drivers.simulated.line import Line
from drivers.simulated.misbehaviour import Misbehaviour
from tests.rigs.bill_rig import DeviceRig

NOTES: Final = {500: 0x61, 1000: 0x63, 2000: 0x64, 5000: 0x65}
TICKET_CODE: Final = b"\x6f"
INTERLEAVED_18: Final = bytes.fromhex("01 12")
NO_NOTES, NO_TICKETS = 1, 2
ESCROW_S: Final = 10.0
"""How long a note lies in escrow without an order."""


class Say(msgspec.Struct, frozen=True, kw_only=True):
    """One status of a script, for so many `polls`, or until the command `until` comes.

    `does` is what happens to the paper when it is said first: `stacked` or `returned`.
    """

    status: int
    data: bytes = b""
    polls: int = 3
    until: int | None = None
    does: str = ""


POWER_UP: Final = Say(status=Status.POWER_UP, until=Command.RESET)
INITIALIZE: Final = Say(status=Status.INITIALIZE, polls=6)
ACCEPTING: Final = Say(status=Status.ACCEPTING)
STACKING: Final = Say(status=Status.STACKING, polls=4)
STACKED: Final = Say(status=Status.STACKED)
VEND_VALID: Final = Say(status=Status.VEND_VALID, until=Command.ACK, does="stacked")
RETURNING: Final = Say(status=Status.RETURNING, does="returned")


def escrow(data: bytes) -> Say:
    """In escrow until it is stacked; another order, or none for a while, gives it back."""
    return Say(status=Status.ESCROW, data=data, until=Command.STACK_2)


def taken(data: bytes) -> list[Say]:
    """The life of what is ordered to be stacked and is."""
    return [ACCEPTING, escrow(data), STACKING, VEND_VALID, STACKED]


class ScriptedId003:
    """The device's end of a line.

    `settings` are what was set since its last reset, `orders` the commands about what lies in escrow. It does not know
    the commands that it `refuses`. What a power cut caught on its way to the stacker it stacks at the next start, and
    says so where it `says_so`.
    """

    faults = ()

    def __init__(self, returned: Callable[[Any], None], stacked: Callable[[Any], None]) -> None:
        self.script: list[Say] = []
        self.settings: dict[int, bytes] = {}
        self.orders: list[int] = []
        self.refuses: frozenset[int] = frozenset()
        self.says_so = True
        self.powered = False
        self._done = {"returned": returned, "stacked": stacked}
        self._paper: object = None
        self._said = 0
        self._since = 0.0
        self._line: Line | None = None
        self._parser = FrameParser()

    def insert(self, cents: int) -> None:
        """A note that is ordered to be stacked is; one that is not taken is rejected."""
        inhibited = self._barcode_inhibit & NO_NOTES
        self.play([ACCEPTING, _rejected(0x79)] if inhibited else taken(bytes((NOTES[cents],))), cents)

    def insert_ticket(self, code: str) -> None:
        """The same of a ticket with that barcode, as it is set up to read them."""
        if self.settings.get(Command.SET_BARCODE) != INTERLEAVED_18:
            self.play([ACCEPTING, _rejected(0x91)], code)
        elif self._barcode_inhibit & NO_TICKETS:
            self.play([ACCEPTING, _rejected(0x79)], code)
        else:
            self.play(taken(TICKET_CODE + code.encode()), code)

    @property
    def _barcode_inhibit(self) -> int:
        return self.settings.get(Command.SET_BARCODE_INHIBIT, b"\0")[0]

    def play(self, script: Iterable[Say], paper: object = None) -> None:
        """Say this from the next poll on."""
        self._paper = paper
        self._go_on(script)

    def _go_on(self, script: Iterable[Say]) -> None:
        self.script, self._said = list(script), 0

    @property
    def slot(self) -> str:
        """Where the paper is."""
        if not self.script:
            return ""
        return "stacking" if self.script[0].status == Status.STACKING else "busy"

    def connect(self, line: Line) -> None:
        """Remember where to answer."""
        self._line = line

    def power(self, *, on: bool) -> None:
        """Switch the mains: what is in front of the stacker comes back, what is behind is stacked."""
        self.powered, self.settings = on, {}
        if not on:
            return
        at = self.script[0].status if self.script else None
        if at == Status.STACKING:
            ends = [VEND_VALID, STACKED] if self.says_so else [Say(status=Status.INITIALIZE, does="stacked")]
            self._go_on([self._power_up(Status.POWER_UP_IN_STACKER), INITIALIZE, *ends])
        elif at == Status.VEND_VALID and self.says_so:
            again = msgspec.structs.replace(VEND_VALID, does="" if self._said else "stacked")
            self._go_on([self._power_up(Status.POWER_UP_IN_STACKER), INITIALIZE, again, STACKED])
        elif at in {Status.ACCEPTING, Status.ESCROW, Status.RETURNING} and not (self._said and self.script[0].does):
            self._go_on([self._power_up(Status.POWER_UP_IN_ACCEPTOR), INITIALIZE, RETURNING])
        else:
            if self.script and self.script[0].does and not self._said:
                self._done[self.script[0].does](self._paper)
            self._go_on([POWER_UP, INITIALIZE])

    @staticmethod
    def _power_up(status: Status) -> Say:
        return msgspec.structs.replace(POWER_UP, status=status)

    def receive(self, data: bytes) -> None:
        """Answer whole frames; noise costs only the frame that it is in."""
        if not self.powered or self._line is None:
            return
        for frame in self._parser.feed(data) + self._parser.flush():
            answer = self._answer(frame)
            if answer:
                self._line.send(answer)

    def _answer(self, frame: Frame) -> bytes:
        match frame.code:
            case code if code in self.refuses:
                answer = encode(Status.INVALID_COMMAND)
            case Command.POLL:
                answer = self._status()
            case Command.GET_VERSION:
                answer = encode(Command.GET_VERSION, b"i(EUR)-UBA-10-SS ID003-03V001-01 01JAN20")
            case Command.GET_CURRENCIES:
                table = b"".join(bytes((code, EURO.id003 or 0, cents // 100, 0)) for cents, code in NOTES.items())
                answer = encode(Command.GET_CURRENCIES, table)
            case code if Command.SET_DENOMINATIONS <= code <= Command.SET_BARCODE_INHIBIT:
                self.settings[code] = frame.data
                answer = encode(code, frame.data)
            case code:
                self._ordered(code)
                answer = b"" if code == Command.ACK else encode(ACK)
        return answer

    def _ordered(self, code: int) -> None:
        if code == Command.RESET:
            self.settings = {}
        elif code != Command.ACK:
            self.orders.append(code)
        if not self.script:
            return
        at = self.script[0]
        if at.until == code and self._said:
            self._next()
        elif at.status == Status.ESCROW and at.until is not None and code == Command.RETURN:
            self._go_on([RETURNING])
        elif code == Command.HOLD:
            self._since = asyncio.get_running_loop().time()

    def _next(self) -> None:
        self._go_on(self.script[1:])

    def _status(self) -> bytes:
        now = asyncio.get_running_loop().time()
        if self.script and self._said:
            at = self.script[0]
            if at.until is None and self._said >= at.polls:
                self._next()
            elif at.status == Status.ESCROW and now - self._since >= ESCROW_S:
                self._go_on([RETURNING])
        if not self.script:
            enabled = self.settings.get(Command.SET_INHIBIT) == b"\0"
            return encode(Status.IDLE if enabled else Status.DISABLED)
        at = self.script[0]
        if not self._said:
            self._since = now
            if at.does:
                self._done[at.does](self._paper)
        self._said += 1
        return encode(at.status, at.data)


def _rejected(reason: int) -> Say:
    return Say(status=Status.REJECTING, data=bytes((reason,)), does="returned")


def id003_rig(misbehaviour: Misbehaviour | None = None) -> DeviceRig[Any]:
    """The surroundings of a scripted validator."""
    build: Any = ScriptedId003
    return DeviceRig("id003", build, misbehaviour)
