"""One session with an ID-003 bill validator that has an escrow (protocols.md §2.1, requirements.md, B).

Decisions where the sources leave a choice:

- Notes are stacked with stack-2: its "vend valid" means "stored", as B1 requires; with stack-1 it comes when the note
  passes the lever.
- A status is accepted when two polls in a row agree. ID-003 has no sequence numbers, and important statuses are
  repeated until they are acknowledged or for several polls; a single late or damaged status moves no money.
- A command is repeated if the status shows that it had no effect, never because its ACK is missing.
- The device is never reset while a note is moving. A reset is sent at power-up (40, 41, 42), during a lasting fault,
  and to a device that answers nothing right after the start (a device whose power-up is not acknowledged for a minute
  ignores every other command).
- The escrow status carries a ticket's number, but "vend valid" does not tell a ticket from a note. So the journaled
  text records which of them was ordered to be stacked.
- After a power cut or reset with a note inside, and after a start with a disabled device (an earlier run may just have
  reset it), the device must be at rest for `SETTLE_S` before the fate of a note is decided; notes stay inhibited until
  then.
"""

import asyncio
import logging
from typing import Final

from drivers.capabilities import BILL_VALIDATOR, BillListener, Verdict
from drivers.clock import Clock
from drivers.currency import Currency
from drivers.errors import NoReplyError
from drivers.id003.link import Id003Link
from drivers.id003.protocol import (
    REJECT_IN_STACKER,
    REJECT_INHIBITED,
    REJECT_REASONS,
    TICKET,
    TICKET_DIGITS,
    Command,
    Frame,
    Status,
    failure_in_words,
    ticket_number,
)
from drivers.id003.setup import ValidatorSetup
from drivers.link_faults import LOST, found
from drivers.note_alarms import Back, NoteAlarms
from drivers.note_fate import Note, NoteFate
from drivers.port import Port
from drivers.wiring import BillValidator as Settings

_log = logging.getLogger(__name__)

BELIEVED_POLLS: Final = 2
UNANSWERED_POLLS: Final = 10
SETTLE_S: Final = 3.0
HOLD_AFTER_S: Final = 3.0
RESET_FAULT_AFTER_S: Final = 30.0

FAULTS: Final = {
    Status.STACKER_FULL: "stacker_full",
    Status.STACKER_OPEN: "stacker_open",
    Status.ACCEPTOR_JAM: "acceptor_jam",
    Status.STACKER_JAM: "stacker_jam",
    Status.CHEATED: "cheated",
    Status.FAILURE: "failure",
    Status.COMM_ERROR: "comm_error",
    Status.INVALID_COMMAND: "comm_error",
}
"""Fault codes by status. PAUSE is not a fault: the validator waits for a second note to be pulled out."""

_NOTE_STACKED: Final = "id003"
_TICKET_STACKED: Final = "id003t"
"""The journaled text when a note or a ticket is ordered to be stacked."""

FRESH_S: Final = 1.0
"""A note that was seen in escrow this long ago is looked at again before it is ordered to be stacked."""


class Id003Session:
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
        link = self._link = Id003Link(port, clock, settings.poll_ms / 1000)
        self._clock = clock
        self._listener = listener
        self._setup = ValidatorSetup(link, currency)
        self._fate = NoteFate(listener, alarms, clock)
        self._last_frame: Frame | None = None
        self._answered_at = clock.now()
        self._escrow_frame: Frame | None = None
        self._agreeing_polls = 0
        self._handled = False
        self._unanswered_polls = 0
        self._started = False
        self._reset_tried = False
        self._status_since = clock.now()
        self._settle_s = SETTLE_S
        self._never_ordered = self._ticket_ordered = False
        self._reported_fault: str | None = None
        self._faults_reported = False

    async def begin(self) -> None:
        """Open the port and load the journaled text; the first request is a poll, which shows the device's state."""
        await self._link.open()
        dialogue = await self._listener.bill_dialogue()
        self._never_ordered = dialogue is None
        self._ticket_ordered = dialogue == _TICKET_STACKED
        if dialogue not in (None, _NOTE_STACKED, _TICKET_STACKED):
            await self._fate.left_by_other_validator()

    async def step(self, accepted: frozenset[int]) -> None:
        """Poll once and act on a status that two polls in a row agree on."""
        frame = await self._link.poll()
        if frame is None:
            await self._no_answer()
            return
        self._unanswered_polls = 0
        self._track_status(frame)
        if self._agreeing_polls < BELIEVED_POLLS:
            return
        status = Status(frame.code)
        await self._report_faults(status, frame)
        await self._handle_status(status, frame, accepted)
        self._started = self._handled = True
        if self._fate.overdue and not self._never_ordered:
            await self._fate.at_rest()

    def _track_status(self, frame: Frame) -> None:
        self._answered_at = self._clock.now()
        if frame != self._escrow_frame and frame.code != Status.HOLDING:
            self._escrow_frame = None
        if frame == self._last_frame:
            self._agreeing_polls += 1
        else:
            self._last_frame, self._agreeing_polls, self._handled, self._status_since = (
                frame,
                1,
                False,
                self._clock.now(),
            )

    async def _no_answer(self) -> None:
        self._unanswered_polls += 1
        if self._unanswered_polls < UNANSWERED_POLLS:
            return
        if not self._started and not self._reset_tried:
            self._reset_tried = True
            if await self._reset():
                self._unanswered_polls = 0
                return
        raise NoReplyError(f"{self._link.path}: the bill validator does not answer: check its power and its cable")

    async def _handle_status(self, status: Status, frame: Frame, accepted: frozenset[int]) -> None:
        match status:
            case Status.IDLE | Status.DISABLED:
                await self._handle_rest(accepted, enabled=status is Status.IDLE)
            case Status.ESCROW:
                await self._handle_escrow(frame)
            case Status.HOLDING:
                await self._carry_out(self._fate.note)
            case Status.VEND_VALID:
                await self._vend_valid(frame.data)
                await self._link.acknowledge()
            case Status.STACKED:
                await self._fate.stacked()
            case Status.REJECTING | Status.RETURNING:
                await self._handle_return(status, frame)
            case Status.INITIALIZE:
                await self._initialize()
            case Status.POWER_UP | Status.POWER_UP_IN_ACCEPTOR | Status.POWER_UP_IN_STACKER:
                await self._power_up(status)
            case _ if status in FAULTS and self._clock.now() - self._status_since > RESET_FAULT_AFTER_S:
                # Jams and failures persist until a reset retests the device (P5).
                self._status_since = self._clock.now()
                await self._reset()
            case _:
                # Accepting, stacking, pause: the device is busy and repeats the status until it needs the host.
                pass

    # Starting.

    async def _power_up(self, status: Status) -> None:
        await self._identify()
        self._fate.restarted(in_acceptor=status is Status.POWER_UP_IN_ACCEPTOR)
        self._setup.forget()
        self._settle_s = 0.0 if status is Status.POWER_UP else SETTLE_S
        await self._link.command(Command.RESET)

    async def _reset(self) -> bool:
        self._fate.restarted(in_acceptor=False)
        self._setup.forget()
        self._settle_s = SETTLE_S
        return await self._link.command(Command.RESET)

    async def _initialize(self) -> None:
        if not self._setup.configured:
            await self._setup.configure()

    async def _identify(self) -> None:
        await self._setup.identify()
        await found(BILL_VALIDATOR, self._setup.version, self._listener)

    async def _handle_rest(self, accepted: frozenset[int], *, enabled: bool) -> None:
        if enabled and not self._started:
            # The previous run enabled it, so no note was left unsettled.
            self._settle_s = 0.0
        if self._clock.now() - self._status_since < self._settle_s:
            return
        self._settle_s = 0.0
        if self._never_ordered and self._fate.note is None:
            self._never_ordered = False
            await self._fate.stack_never_ordered()
        elif not self._fate.settled:
            await self._fate.at_rest()
        if not self._setup.table:
            # The previous run may have left it enabled.
            await self._setup.inhibit()
            await self._identify()
        if not self._setup.configured:
            await self._setup.configure()
        await self._setup.apply(accepted, enabled=enabled)

    # The note.

    async def _handle_escrow(self, frame: Frame) -> None:
        if not self._setup.table:
            # This takes seconds, in which the device may return the note and read another one: look again.
            await self._identify()
            return
        self._escrow_frame, data = frame, frame.data
        code, before = data[0], self._fate.note
        ticket = ticket_number(data) if code == TICKET else ""
        note = await self._fate.in_escrow(code, self._setup.value_cents(code), ticket=ticket)
        if code == TICKET and not ticket and note is not before:
            _log.warning("%s: a ticket goes back: its barcode is not of %d digits", self._link.path, TICKET_DIGITS)
        self._settle_s = 0.0
        await self._fate.judge(note, self._hold_until)
        if await self._in_escrow_still():
            await self._carry_out(note)

    async def _in_escrow_still(self) -> bool:
        """Whether the note has been in escrow all the time; otherwise it was never ordered to be stacked."""
        if self._clock.now() - self._answered_at >= FRESH_S:
            frame = await self._link.poll()
            if frame is None:
                return False
            self._track_status(frame)
        return self._escrow_frame is not None

    async def _carry_out(self, note: Note | None) -> None:
        """Send the order for the verdict, again if needed.

        The device returns a held note of an earlier session by itself.
        """
        if note is None or note.verdict is None:
            return
        if note.verdict is Verdict.STACK:
            if not note.stack_ordered:
                self._never_ordered, self._ticket_ordered = False, bool(note.ticket)
                await self._listener.bill_dialogue_at(_TICKET_STACKED if note.ticket else _NOTE_STACKED)
                if not await self._in_escrow_still():
                    return
            self._fate.stacking(note)
            await self._link.command(Command.STACK_2)
        else:
            await self._link.command(Command.RETURN)

    async def _vend_valid(self, data: bytes) -> None:
        """Credit the note or the ticket; some devices report its escrow code."""
        value = self._setup.value_cents(data[0]) if data else None
        unnamed_ticket = value is None and self._fate.note is None and self._ticket_ordered
        if data[:1] == bytes((TICKET,)) or unnamed_ticket:
            await self._fate.ticket_stacked()
        else:
            await self._fate.vend_valid(value)

    async def _hold_until(self, asking: asyncio.Future[Verdict]) -> None:
        """Keep polling (the device returns the note after 3 s without a poll), and send HOLD."""
        hold_at = self._clock.now() + HOLD_AFTER_S
        # Wait briefly for the usual, quick verdict; the link keeps its own gap between polls.
        await asyncio.wait({asking}, timeout=HOLD_AFTER_S / 10)
        while not asking.done():
            frame = await self._link.poll()
            if frame is not None:
                self._track_status(frame)
            if self._clock.now() >= hold_at and self._escrow_frame is not None:
                await self._link.command(Command.HOLD)
                hold_at = self._clock.now() + HOLD_AFTER_S

    async def _handle_return(self, status: Status, frame: Frame) -> None:
        if self._handled:
            return
        if status is Status.REJECTING:
            code = frame.data[0]
            reason = f"the validator rejected it: {REJECT_REASONS.get(code, f'reason {code:02X}')}"
            how = Back.REFUSED if code == REJECT_INHIBITED else Back.REJECTED
            await self._fate.going_back(reason, how=how, certain=code != REJECT_IN_STACKER)
            return
        note = self._fate.note
        refused = note is not None and note.verdict is Verdict.RETURN
        reason = "it was not taken" if refused else "the validator gave it back by itself"
        await self._fate.going_back(reason, how=Back.REFUSED if refused else Back.RETURNED)

    # Faults.

    async def _report_faults(self, status: Status, frame: Frame) -> None:
        """Raise the status's fault and clear the previous one; the first call clears all faults of an earlier run."""
        fault = FAULTS.get(status)
        if self._faults_reported and fault == self._reported_fault:
            return
        gone = {self._reported_fault} if self._faults_reported else {*LOST, *FAULTS.values()}
        for code in sorted(code for code in gone - {fault} if code is not None):
            await self._listener.device_fault(BILL_VALIDATOR, code, present=False)
        if fault is not None:
            detail = failure_in_words(frame.data) if status is Status.FAILURE else ""
            await self._listener.device_fault(BILL_VALIDATOR, fault, present=True, detail=detail)
        self._reported_fault, self._faults_reported = fault, True
