"""A simulated ID-003 bill validator with escrow and a barcode reader (protocols.md §2.1).

Behaviour that the protocol leaves open is set in `Habits`, so that a test can choose the other reading. The country
bytes of its currency table are those of `drivers.currency`.
"""

import asyncio
import random
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, ClassVar, Final

import msgspec

from drivers.currency import EURO, Currency
from drivers.simulated.id003 import barcode
from drivers.simulated.id003.fault_model import ROWS
from drivers.simulated.id003.frames import (
    ACK,
    ENQ,
    REJECT_DENOMINATION,
    REJECT_INHIBITED,
    REJECT_RESIDUE,
    Command,
    Frame,
    FrameParser,
    Status,
    encode,
)
from drivers.simulated.id003.host_settings import HostSettings
from drivers.simulated.line import Line
from drivers.simulated.note_path import AT_THE_END, NoteTimers, Paper, PaperPath
from drivers.simulated.whereabouts import Spot
from drivers.wiring import BillValidator as Settings

NOTES: Final = {500: (0x61, 5, 0), 1000: (0x62, 1, 1), 2000: (0x63, 2, 1), 5000: (0x64, 5, 1)}
"""Escrow code, value and decimal exponent of each note, by its value in cents."""

VERSION: Final = b"CABINET(EUR)SIM-00 ID003-05 V100-01 20JAN26 0000"
BOOT_VERSION: Final = b"B01"

FAULTS: Final = {
    "stacker_full": Status.STACKER_FULL,
    "stacker_open": Status.STACKER_OPEN,
    "acceptor_jam": Status.ACCEPTOR_JAM,
    "stacker_jam": Status.STACKER_JAM,
    "pause": Status.PAUSE,
    "cheated": Status.CHEATED,
    "failure": Status.FAILURE,
}
_FAILURE_STACK_MOTOR = b"\xa2"

_POWER_UP: Final = (Status.POWER_UP, Status.POWER_UP_IN_ACCEPTOR, Status.POWER_UP_IN_STACKER)
_WAITING: Final = (Status.ESCROW, Status.HOLDING)
_SETTINGS: Final = range(Command.SET_DENOMINATIONS, Command.SET_BARCODE_INHIBIT + 1)


class Habits(msgspec.Struct, frozen=True, kw_only=True):
    """Times in seconds, and behaviours in which real validators differ.

    `power_recovery`: an unacknowledged vend valid is repeated after a power cut if the host has set that option;
    without it the device goes on silently. `returns_after_cut`: a note found in the acceptor at power-up is returned at
    the reset, else stacked. `rest_before_repeat_s`: how long a device with a note in its stacker reports rest after the
    reset before it continues with that note. `reader`: it has a barcode reader; without one it supports no barcode
    command. `unset_bar_inhibit`: its bar inhibit after each reset. `bars_notes`: the bar inhibit inhibits notes as well
    as tickets. `names_stacked`: vend valid repeats the escrow data.
    """

    power_recovery: bool = True
    returns_after_cut: bool = True
    reader: bool = True
    unset_bar_inhibit: barcode.Inhibit = barcode.Inhibit.TICKETS
    bars_notes: bool = True
    names_stacked: bool = False
    accept_s: float = 0.4
    stack_s: float = 0.5
    stacked_s: float = 0.25
    return_s: float = 0.6
    initialize_s: float = 1.0
    escrow_s: float = 10.0
    silence_s: float = 3.0
    acknowledge_s: float = 60.0
    cheated_s: float = 1.0
    byte_gap_s: float = 0.2
    rest_before_repeat_s: float = 0.0


class Position(Enum):
    """The place of the note; it is non-volatile, as is whether its vend valid was acknowledged."""

    NOWHERE = Status.POWER_UP
    ACCEPTOR = Status.POWER_UP_IN_ACCEPTOR
    STACKER = Status.POWER_UP_IN_STACKER


class SimulatedBillValidator(PaperPath):
    """The device; off until `power(on=True)`, driven by the event loop's timers.

    `returned` and `stacked` are called with a note's value or a ticket's number when it is back in the player's hand or
    in the cash box, `changed` whenever `status`, `slot`, `escrow_cents` or `escrow_ticket` may have changed. The next
    `unreadable` notes or tickets are not recognised. `countries` are the country bytes of its notes, by their value in
    cents.
    """

    kind: ClassVar = "ID-003 bill validator"
    faults: ClassVar = tuple(FAULTS)
    jams: ClassVar[Mapping[str, str]] = {"jam_on_the_way": "acceptor_jam", "jam_in_stacker": "stacker_jam"}

    def __init__(
        self,
        *,
        returned: Callable[[Paper], None],
        stacked: Callable[[Paper], None],
        changed: Callable[[], None] | None = None,
        habits: Habits | None = None,
        currency: Currency = EURO,
        chance: random.Random | None = None,
    ) -> None:
        self._fit(ROWS, returned=returned, stacked=stacked, changed=changed, chance=chance)
        self.habits = habits if habits is not None else Habits()
        self.countries = dict.fromkeys(NOTES, currency.id003 or 0)
        self.powered = False
        self.wedged = False
        self.unreadable = 0
        self.status = Status.POWER_UP
        self.reject_code = REJECT_DENOMINATION
        self._line: Line | None = None
        self._data = b""
        self._parser = FrameParser()
        self._settings = HostSettings(self.habits.unset_bar_inhibit if self.habits.reader else None)
        self._position = Position.NOWHERE
        self._stored = False
        self._after_credit = ""
        self._timers = NoteTimers()
        self._heard_at = 0.0

    # Physical actions on the device.

    def _push(self, paper: Paper) -> None:
        if not self.powered or self.status is not Status.IDLE or self._note_cents is not None:
            self._refuse(paper)
            return
        self._take_in(paper)
        self._position = Position.ACCEPTOR
        self._stored = False
        self._go(Status.ACCEPTING, after=self.habits.accept_s, then=self._recognise)

    def pull_back(self) -> None:
        """Pull a note held in escrow back out of the note slot."""
        if self.powered and self.status in _WAITING:
            self._give_back()

    def set_fault(self, name: str, on: bool) -> None:  # noqa: FBT001 - the agreed signature of all simulated devices
        """Begin or end a fault of `FAULTS`; only a reset clears one that caught a note, a pause ends by itself."""
        if name not in FAULTS:
            raise ValueError(f"no such fault: {name}; there are {', '.join(FAULTS)}")
        (self._faults.add if on else self._faults.discard)(name)
        if not self.powered or self.status in (*_POWER_UP, Status.INITIALIZE):
            return
        if self._faults:
            self._show_fault()
        elif self._note_cents is None and self.status in FAULTS.values():
            self._rest()
        elif self.status is Status.PAUSE:
            self._go_on()

    def power(self, *, on: bool) -> None:
        """Switch the mains. Switching on starts at power-up 40, 41 or 42, by the note's place."""
        if on == self.powered:
            return
        self.powered = on
        self.wedged = False
        self._settings.forget()
        self._parser = FrameParser()
        self._timers.cancel()
        if on:
            self._go(self._position.value)
        elif self._changed is not None:
            self._changed()

    def _become_another(self) -> None:
        """Do nothing: it reports no serial number."""

    # Its visible state.

    @property
    def escrow_cents(self) -> int:
        """The value of the note held in escrow, 0 for none."""
        return self._note_cents or 0 if self._holds else 0

    @property
    def escrow_ticket(self) -> str:
        """The number of the ticket held in escrow, empty for none."""
        return self._ticket if self._holds else ""

    @property
    def _holds(self) -> bool:
        return self.powered and self.status in _WAITING

    @property
    def slot(self) -> str:
        """One word for the state of the paper in the device; empty when there is none."""
        if self._note_cents is None:
            return ""
        if not self.powered or self.status in _POWER_UP or self.status in FAULTS.values():
            return "stuck"
        return self.status.name.lower()

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
            self._parser = FrameParser()
        self._heard_at = now
        for frame in self._parser.feed(data):
            self._hear(frame)

    def _send(self, code: int, data: bytes = b"") -> None:
        if self._line is not None:
            self._line.send(encode(code, data))

    def _hear(self, frame: Frame) -> None:
        if self.wedged and frame.code != Command.RESET:
            return
        if self.status in _WAITING:
            self._watch_silence()
        match frame.code:
            case Command.POLL:
                self._send(self.status, self._data)
            case Command.RESET:
                self._reset()
            case Command.STACK_1 | Command.STACK_2 | Command.RETURN | Command.HOLD if self.status in _WAITING:
                self._decide(frame.code)
            case Command.WAIT:
                self._send(ACK)
            case Command.ACK:
                if self.status is Status.VEND_VALID:
                    self._acknowledged()
            case code if code in _SETTINGS:
                self._set(frame)
            case _:
                self._answer_request(frame.code)

    def _decide(self, command: int) -> None:
        """Carry out the host's decision on the paper in escrow, unless a mishap happens."""
        befalls = "" if command == Command.HOLD else self.mishaps.which("order_refused", "order_ignored")
        self._send(Status.COMMUNICATION_ERROR if befalls == "order_refused" else ACK)
        if not befalls:
            self._obey(command)

    def _answer_request(self, code: int) -> None:
        if code == Command.GET_VERSION:
            self._send(code, VERSION)
        elif code == Command.GET_BOOT_VERSION:
            self._send(code, BOOT_VERSION)
        elif code == Command.GET_CURRENCIES:
            rows = (bytes((note[0], self.countries[cents], *note[1:])) for cents, note in NOTES.items())
            self._send(code, b"".join(rows))
        elif (answer := self._settings.answer(code)) is not None:
            self._send(code, answer)
        else:
            self._send(Status.INVALID_COMMAND)

    def _set(self, frame: Frame) -> None:
        if self.status in _POWER_UP or not self._settings.keep(*frame):
            self._send(Status.INVALID_COMMAND)
            return
        self._send(frame.code, frame.data)
        if self.status in (Status.IDLE, Status.DISABLED) and self._note_cents is None:
            self._rest()
        elif self.status is Status.INITIALIZE and not self._timers.moving:
            self._initialized()

    # The note's movement.

    def _go(
        self, status: Status, data: bytes = b"", *, after: float = 0.0, then: Callable[[], None] | None = None
    ) -> None:
        """Set the status, and call `then` after `after` seconds unless another move comes first."""
        self._timers.cancel()
        moved = status is not self.status
        self.status, self._data = status, data
        self._timers.next(after, then)
        if status in _WAITING:
            self._watch_silence()
        if moved and self._settings.interrupts:
            self._send(ENQ)
        if self._changed is not None:
            self._changed()

    def _watch_silence(self) -> None:
        self._timers.heard(self.habits.silence_s, self._give_back)

    def _rest(self) -> None:
        """Become idle or disabled, as the host has set it, or report a lasting fault."""
        if self._faults:
            self._show_fault()
            return
        self._go(Status.DISABLED if self._settings.inhibited else Status.IDLE)

    def _show_fault(self) -> None:
        status = next(FAULTS[name] for name in FAULTS if name in self._faults)
        self._go(status, _FAILURE_STACK_MOTOR if status is Status.FAILURE else b"")

    def _go_on(self) -> None:
        """Continue with the note inside after the second note at the slot is gone."""
        if self._position is Position.ACCEPTOR:
            self._go(Status.ACCEPTING, after=self.habits.accept_s, then=self._recognise)
        else:
            self._pass_lever()

    def _recognise(self) -> None:
        refusal = self._refusal()
        if refusal is not None:
            self._reject(refusal)
        else:
            self._go(Status.ESCROW, self._escrow_data(), after=self.habits.escrow_s, then=self._reject)

    def _refusal(self) -> int | None:
        """Return why the paper in the device is rejected, None if it is accepted."""
        readable = not self._spoilt()
        if self._ticket:
            return self._settings.ticket_refusal(self._ticket, readable=readable)
        if not readable:
            return self.reject_code
        (escrow_code,) = self._escrow_data()
        barred = self.habits.bars_notes and self._settings.bars(barcode.Inhibit.NOTES)
        return REJECT_INHIBITED if barred or not self._settings.takes_note(escrow_code) else None

    def _escrow_data(self) -> bytes:
        """Return the escrow data: a note's code, or a ticket's code and its barcode."""
        return barcode.escrow_data(self._ticket) if self._ticket else bytes((NOTES[self._note_cents or 0][0],))

    def _obey(self, command: int) -> None:
        match command:
            case Command.RETURN if not self.mishaps.happens("stacked_in_spite"):
                self._give_back()
            case Command.HOLD:
                self._go(Status.HOLDING, after=self.habits.escrow_s, then=self._reject)
            case Command.STACK_1:
                self._stack(vend_valid_at_lever=True)
            case _:
                self._stack(vend_valid_at_lever=False)

    def _reject(self, reason: int = REJECT_INHIBITED) -> None:
        self._go(Status.REJECTING, bytes((reason,)), after=self.habits.return_s, then=self._given_back)

    def _give_back(self) -> None:
        self._go(Status.RETURNING, after=self.habits.return_s, then=self._given_back)

    def _given_back(self) -> None:
        # a return that the host missed shows as rest: this protocol has no event for it
        self._lay(Spot.RETURNED)
        self._rest()

    def _stack(self, *, vend_valid_at_lever: bool) -> None:
        """Move the note past the stacker lever; report vend valid there (stack-1) or once it is stored (stack-2)."""
        match self.mishaps.which("returned_in_spite", "residual_note"):
            case "returned_in_spite":
                self._give_back()
                return
            case "residual_note":
                self._reject(REJECT_RESIDUE)
                return
        befallen = {
            "pulled_on_the_way": self._pulled_out,
            "cassette_out_on_the_way": self._fall_beside,
            "jam_on_the_way": self._jam_before_lever,
            "jam_in_stacker": self._jam_past_lever,
        }
        usual = self._store if vend_valid_at_lever else self._pass_lever
        then = befallen.get(self.mishaps.which(*befallen), usual)
        self._go(Status.STACKING, after=self.habits.stack_s / 2, then=then)

    def _pass_lever(self) -> None:
        self._position = Position.STACKER
        self._go(Status.STACKING, after=self.habits.stack_s / 2, then=self._store)

    def _jam_before_lever(self) -> None:
        self.set_fault("acceptor_jam", on=True)

    def _jam_past_lever(self) -> None:
        self._position = Position.STACKER
        self.set_fault("stacker_jam", on=True)

    def _pulled_out(self) -> None:
        """Pull the note out on a string, and show that status for a moment."""
        self._lay(Spot.RETURNED)
        self._go(Status.CHEATED, after=self.habits.cheated_s, then=self._rest)

    def _fall_beside(self) -> None:
        """Drop the note beside the cassette, which was pulled out from under it."""
        self._lay(Spot.LOOSE)
        self.set_fault("stacker_open", on=True)

    def _store(self) -> None:
        self._position = Position.STACKER
        befalls = "" if self._stored or self._credited else self.mishaps.which(*AT_THE_END)
        if befalls == "end_unreported":
            self._lay(Spot.CASH_BOX)
            self._rest()
            return
        if befalls in {"jam_after_credit", "pulled_after_credit"}:
            self._credited = True
            self._after_credit = befalls
        elif not self._stored and not self._credited:
            self._stored = True
            self.where.put(self._paper, Spot.CASH_BOX)
            self._stacked(self._paper)
        data = self._escrow_data() if self.habits.names_stacked else b""
        self._go(Status.VEND_VALID, data, after=self.habits.acknowledge_s, then=self._wedge)
        if befalls == "reset_after_end":
            self.brown_out()

    def _wedge(self) -> None:
        self.wedged = True

    def _acknowledged(self) -> None:
        """Handle the ACK of vend valid: go on to "stacked", unless the note never gets there."""
        if self._credited and self._after_credit == "jam_after_credit":
            self._after_credit = ""
            self._jam_past_lever()
            return
        if self._credited and self._after_credit:
            self._go(Status.STACKED, after=self.habits.stacked_s, then=self._pulled_out)
            return
        self._lay(Spot.CASH_BOX)
        self._go(Status.STACKED, after=self.habits.stacked_s, then=self._rest)

    def _lay(self, spot: Spot) -> None:
        """Move the note to `spot`; one in the cash box stays there."""
        if self._inside() is None:
            self._forget_note()
        else:
            self._leave_at(spot)

    def _forget_note(self) -> Paper:
        return self._forget_paper()

    def _forget_paper(self) -> Paper:
        self._position, self._stored = Position.NOWHERE, False
        return super()._forget_paper()

    def _inside(self) -> Paper | None:
        return None if self._stored else super()._inside()

    # Starting again.

    def _reset(self) -> None:
        self._send(ACK)
        self.wedged = False
        self._settings.forget()
        self._go(Status.INITIALIZE, after=self.habits.initialize_s, then=self._initialized)

    def _initialized(self) -> None:
        """End the self-test; the device stays in INITIALIZE until the host has set the inhibit."""
        if Command.SET_INHIBIT not in self._settings:
            return
        sent = None if self._inside() is None else self._start_sends()
        if self._faults or self._position is Position.NOWHERE:
            self._rest()
        elif sent is Spot.RETURNED:
            self._give_back()
        elif self._position is Position.ACCEPTOR:
            if self.habits.returns_after_cut and sent is None:
                self._give_back()
            else:
                self._stack(vend_valid_at_lever=False)
        elif self.habits.rest_before_repeat_s:
            self._go(Status.DISABLED, after=self.habits.rest_before_repeat_s, then=self._finish_stacking)
        else:
            self._finish_stacking()

    def _finish_stacking(self) -> None:
        self._go(Status.STACKING, after=self.habits.stack_s / 2, then=self._stored_after_cut)

    def _stored_after_cut(self) -> None:
        if not self._credited and self.habits.power_recovery and self._settings.recovers:
            self._store()
            return
        self._lay(Spot.CASH_BOX)
        self._rest()


def fitted(_settings: Settings, currency: Currency, **callbacks: Any) -> SimulatedBillValidator:
    """Return the device that `cabinet.toml` expects; it reports by these callbacks."""
    return SimulatedBillValidator(**callbacks, currency=currency)
