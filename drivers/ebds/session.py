"""One session with an EBDS bill validator that has an escrow (protocols.md §2.3, requirements.md, B).

Decisions where the sources leave a choice:

- "Stacked" is the credit, together with the note's description in the same answer. It comes once: after a message with
  the next ACK bit the device does not repeat it. So while a note is in hand the ACK bit of each poll is journaled
  before the poll is sent. A session that starts with a note in hand polls with that bit and gets the answer that the
  previous session may have lost.
- A poll is journaled with the device's serial number, if it reports one: another device reports nothing about that
  note. The question for the number acknowledges the last answer, so that answer is journaled before it is asked; so
  are answers that come in place of the number. A device that starts is asked again when it is ready or reports a note,
  because it may not answer before.
- The device state in that repeated answer is old: only its events count.
- "Stacked" without a value is no credit: the device moves notes that it does not recognise as genuine into the cash
  box. A ticket has no value; its number from escrow is used.
- "Stacked" without a value is ignored if no note was in hand and power, cassette or session has just changed: devices
  report such a "blank stack" then. At any other time it is a note and becomes an open item.
- The stack or return order is repeated while the note is in escrow. A note that an earlier session ordered to be
  stacked and that is still in escrow was not stacked; a new verdict is requested for it.
- A reject event names no note: it does not settle a note that was ordered to be stacked. Nor does "returned" settle one
  that an earlier session ordered: the device may have taken and returned another note meanwhile, and of "stacked" and
  "returned" it reports only the newest. After a power-up that this session saw it does settle it: a device that starts
  takes no other note until it is enabled.
- A note that is moving during a power cut is stacked and not reported (policy A), and becomes an open item.
- The device is never reset and faults are not retested: the device reports when a fault is over.
"""

import asyncio
import logging
import re
from typing import Final

import msgspec

from drivers.capabilities import BILL_VALIDATOR, BillListener, Verdict
from drivers.clock import Clock
from drivers.currency import Currency
from drivers.ebds.link import FIRST_ATTEMPTS, EbdsLink
from drivers.ebds.protocol import (
    STATUS_BYTES,
    Condition,
    Extended,
    Frame,
    Mode,
    State,
    Status,
    Trouble,
    Type,
    status,
    ticket_number,
)
from drivers.ebds.setup import NO_ORDER, UNKNOWN, EbdsSetup
from drivers.errors import WireError
from drivers.link_faults import answered, found
from drivers.note_alarms import Back, NoteAlarms
from drivers.note_fate import NoteFate
from drivers.port import Port
from drivers.validator_faults import ValidatorFaults
from drivers.wiring import BillValidator as Settings

_log = logging.getLogger(__name__)

SETTLE_S: Final = 3.0
LINGER_S: Final = 2.0
"""How long to wait for a note in escrow that an earlier session ordered to be stacked or that has no description."""
BLANK_S: Final = 60.0
"""How long after a change of power or cassette a device may report a "blank stack"."""
OUT_OF_SERVICE_S: Final = 5.0
START_S: Final = 60.0
"""How long a device may take to get ready after power-up."""

TICKET_CODE: Final = -1
"""The escrow code of a ticket, used in place of a note's value."""

CONDITIONS: Final = {
    Condition.JAMMED: ("acceptor_jam", "its path is blocked"),
    Condition.STACKER_FULL: ("stacker_full", "the cash box is full"),
    Condition.CHEATED: ("cheated", "the validator saw an attempt to cheat it"),
    Condition.CALIBRATION: ("failure", "it waits to be calibrated"),
}
TROUBLES: Final = {
    Trouble.FAILURE: ("failure", "it says that it is out of order"),
    Trouble.PATH_OPEN: ("failure", "its note path is open"),
}
_BOX_OUT: Final = ("stacker_open", "the cash box is out")
_STALLED: Final = ("stacker_jam", "a note is stuck in its path")
_SILENT_FAILURE: Final = ("failure", "it is out of service and does not say why: switch it off and on")
_NEVER_READY: Final = ("failure", "it does not get ready: switch it off and on")

FAULTS: Final = (*CONDITIONS.values(), *TROUBLES.values(), _BOX_OUT, _STALLED, _SILENT_FAILURE, _NEVER_READY)
"""Fault codes with their descriptions."""

_ENDS: Final = State.STACKED | State.RETURNED
_MOVING: Final = State.ACCEPTING | State.ESCROWED | State.STACKING | State.RETURNING

_ANSWER: Final = " answer "
_TICKET: Final = "t"
_DIALOGUE: Final = re.compile(
    f"ebds([01])(?:{_TICKET}([0-9]*))?(?: serial ([0-9a-f]+))?((?:{_ANSWER}[0-9a-f{_TICKET}]+)*)"
)
"""The journaled text: the poll's ACK bit, the number of a ticket in hand, the device's serial number, and answers.

Serial number and answers are in hexadecimal digits; an answer has `t` in place of the number of the ticket in hand.
Answers are kept while the serial number is asked for; the ACK bit is then that of the next message.
"""


def _kept(answer: Frame, ticket: str | None) -> str:
    """Return the journaled text of an answer without a ticket's number; `ticket` is the number of the one in hand."""
    data, number = answer.data, ticket or ""
    if answer.type == Type.EXTENDED and data[:1] == bytes((Extended.BARCODE,)):
        code = data[1 + STATUS_BYTES :]
        if not number or ticket_number(code) != number:
            data = data[: 1 + STATUS_BYTES]  # another ticket than the one in hand, whichever it is
    digits = f"{answer.head:02x}{data.hex()}"
    return _ANSWER + (digits.replace(number.encode().hex(), _TICKET) if number else digits)


def _answers(words: re.Match[str]) -> list[Frame]:
    """Return the answers in a journaled text."""
    number = (words[2] or "").encode().hex()
    texts = [bytes.fromhex(text.replace(_TICKET, number)) for text in words[4].split(_ANSWER)[1:]]
    return [Frame(text[0], text[1:]) for text in texts]


class EbdsSession:
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
        self._link = EbdsLink(port, clock, settings.poll_ms / 1000, even_parity=settings.parity == "even")
        self._clock = clock
        self._listener = listener
        self._setup = EbdsSetup(self._link, currency)
        self._fate = NoteFate(listener, alarms, clock)
        self._faults = ValidatorFaults(listener, {code for code, _ in FAULTS})
        self._present_faults: frozenset[tuple[str, str]] = frozenset()
        self._in_hand = False
        self._credited = False
        self._powered_up = False
        self._may_be_other = False
        self._answers: list[Frame] = []
        self._ticket: str | None = None
        self._escrow_since: float | None = None
        self._answer_during_verdict: Status | None = None
        self._busy_at = self._changed_at = clock.now()
        self._has_cassette: bool | None = None
        self._served_at = self._ready_at = clock.now()

    async def begin(self) -> None:
        """Open the port and request again the answer that an earlier session may have lost."""
        await self._link.open()
        dialogue = await self._listener.bill_dialogue()
        words = _DIALOGUE.fullmatch(dialogue or "")
        if words is not None:
            self._in_hand, self._ticket = True, words[2]
            self._link.flag = words[1] == "1"
            self._setup.serial = bytes.fromhex(words[3]).decode() if words[3] else UNKNOWN
        if words is not None and words[4]:
            self._answers = _answers(words)
        else:
            await self._keep(await self._link.poll(self._setup.poll_data(), attempts=FIRST_ATTEMPTS))
        if dialogue is None:
            await self._fate.stack_never_ordered()
        elif words is None or await self._setup.is_other(self._keep):
            await self._fate.left_by_other_validator()
            self._forget_note()
            self._setup.serial = UNKNOWN
        await answered(BILL_VALIDATOR, self._listener)
        while self._answers:
            await self._handle_old_answer(self._answers.pop(0))
        self._busy_at = self._clock.now()

    async def _keep(self, answer: Frame) -> None:
        """Keep an answer until it is handled, durably if a note is in hand: the next message acknowledges it."""
        self._answers.append(answer)
        if self._in_hand and self._setup.serial != UNKNOWN:
            answers = "".join(_kept(one, self._ticket) for one in self._answers)
            await self._listener.bill_dialogue_at(self._words() + answers)

    async def _handle_old_answer(self, answer: Frame) -> None:
        """Handle the events of an answer that may be a repeated one."""
        said = self._decoded(answer)
        if said is not None:
            self._may_be_other = self._may_be_other or bool(said.trouble & Trouble.POWER_UP)
            await self._handle_events(said)

    def _decoded(self, answer: Frame) -> Status | None:
        """Decode an answer; log an invalid one and return None."""
        try:
            return status(answer)
        except ValueError as error:
            _log.warning("%s: %s", self._link.path, error)
            return None

    async def step(self, accepted: frozenset[int]) -> None:
        """Poll once, handle the answer, then settle the note and set inhibits."""
        said = await self._poll(self._escrow_order())
        if said is None:
            return
        await self._handle_status(said)
        if not self._resting(said):
            if self._fate.overdue:
                await self._fate.at_rest()
                self._forget_note()
            return
        if not self._fate.settled:
            await self._fate.at_rest()
            self._forget_note()
        if not self._setup.known:
            await self._identify(said)
        await self._setup.apply(frozenset() if self._present_faults else accepted)
        await self._handle_extended_answers()

    async def _identify(self, said: Status) -> None:
        identity = await self._setup.identify(said)
        await found(BILL_VALIDATOR, identity, self._listener)

    async def _handle_extended_answers(self) -> None:
        """Handle the events in answers to extended requests; ignore the note description, which is a table entry."""
        while self._link.heard:
            said = self._decoded(self._link.heard.pop(0))
            if said is not None and said.has_news:
                await self._handle_events(msgspec.structs.replace(said, note=None, barcode=None))

    # Polling.

    def _escrow_order(self) -> Mode:
        """Return the order of the next poll for the note in escrow."""
        note = self._fate.note
        if self._escrow_since is None or note is None or note.verdict is None:
            return NO_ORDER
        return Mode.STACK if note.verdict is Verdict.STACK else Mode.RETURN

    async def _poll(self, order: Mode) -> Status | None:
        """Return the device's state in the next answer, None if it carries none; poll unless an answer is kept.

        Raise `NoReplyError`, or `WireError` if the answer is invalid or another device has started in this one's place.
        """
        if not self._answers:
            if self._in_hand:
                await self._listener.bill_dialogue_at(self._words())
            answer = await self._link.poll(self._setup.poll_data(order))
            said = self._state(answer)
            if not self._asks_who(said):
                return said
            await self._keep(answer)
            await self._require_same()
        return self._state(self._answers.pop(0))

    def _state(self, answer: Frame) -> Status | None:
        """Return the device's state in an answer, None if it carries none; raise `WireError` if it is invalid."""
        try:
            return status(answer)
        except ValueError as error:
            raise WireError(f"{self._link.path}: {error}: nothing of it is guessed") from error

    def _asks_who(self, said: Status | None) -> bool:
        """Return whether to ask for the serial number of a device that started, now that it is ready or has a note.

        Without a note in hand it is asked at rest: then no event waits for the answer.
        """
        if said is None:
            return False
        if not self._in_hand:
            self._may_be_other = False
            return False
        starts = bool(said.trouble & Trouble.POWER_UP)
        may_be_other = starts or self._may_be_other
        asks = may_be_other and (not starts or bool(said.state & _ENDS))
        self._may_be_other = may_be_other and not asks
        return asks

    def _words(self) -> str:
        """Return the text that is journaled for the next poll."""
        words = f"ebds{int(self._link.flag)}" + ("" if self._ticket is None else f"t{self._ticket}")
        serial = self._setup.serial
        return words if serial == UNKNOWN else f"{words} serial {serial.encode().hex()}"

    async def _require_same(self) -> None:
        """Raise `WireError` if another device has started in this one's place."""
        if await self._setup.is_other(self._keep):
            raise WireError(f"{self._link.path}: the validator with serial number {self._setup.serial} was replaced")
        self._busy_at = self._clock.now()

    def _resting(self, said: Status) -> bool:
        """Return whether nothing moves in the device and no event about a note in hand is expected."""
        if self._answers or said.state & _MOVING or said.trouble & Trouble.POWER_UP:
            return False
        if not said.state & State.IDLING and self._present_faults:
            return False
        return not self._in_hand or self._clock.now() - self._busy_at >= SETTLE_S

    async def _handle_status(self, said: Status) -> None:
        """Handle a new answer: its events, then the note in escrow."""
        escrowed = bool(said.state & State.ESCROWED)
        anew = escrowed and self._escrow_since is None
        if not escrowed:
            self._escrow_since = None
        elif self._escrow_since is None:
            self._escrow_since = self._clock.now()
        await self._handle_events(said)
        if escrowed:
            await self._handle_escrow(said, anew=anew)

    async def _handle_events(self, said: Status) -> None:
        """Handle the events and faults in an answer."""
        if self._credited and not said.state & State.STACKED:
            # The device answered with the next ACK bit and does not repeat the committed credit.
            await self._fate.device_continued()
            self._forget_note()
        if said.state & _MOVING or said.has_news:
            self._busy_at = self._clock.now()
        has_cassette = bool(said.condition & Condition.CASSETTE_PRESENT)
        if said.trouble & Trouble.POWER_UP or has_cassette is not self._has_cassette:
            self._changed_at, self._has_cassette = self._clock.now(), has_cassette
        if said.trouble & Trouble.POWER_UP:
            self._powered_up = True
            self._fate.restarted(in_acceptor=False)
            self._setup.forget()
        await self._report_faults(said)
        if said.state & State.STACKED:
            await self._handle_stacked(said)
        elif said.state & State.RETURNED:
            await self._handle_returned()
        elif said.condition & Condition.REJECTED:
            note = self._fate.note
            certain = note is not None and not note.stack_ordered
            await self._fate.going_back("the validator did not recognise it", how=Back.REJECTED, certain=certain)

    def _forget_note(self) -> None:
        """Reset the state: no note is in hand."""
        self._in_hand = self._credited = False
        self._ticket = None

    # The note.

    async def _handle_escrow(self, said: Status, *, anew: bool) -> None:
        since = self._escrow_since
        lingers = since is not None and self._clock.now() - since >= LINGER_S
        unsaid = said.note is None and said.barcode is None and not said.denomination
        if anew and self._fate.note is not None and self._fate.note.stack_ordered:
            await self._fate.another_in_escrow()
            self._forget_note()
        if self._fate.note is not None and unsaid:
            return  # the next poll carries the order
        if self._fate.note is None and (self._in_hand or unsaid) and not lingers:
            return
        ticket = ticket_number(said.barcode) if said.barcode is not None else ""
        cents = None if said.barcode is not None else self._setup.value_cents(said)
        code = TICKET_CODE if said.barcode is not None else cents or 0
        before = self._fate.note
        note = await self._fate.in_escrow(code, cents, ticket=ticket)
        if note is not before:
            self._forget_note()
        asked = await self._fate.judge(note, self._hold_until)
        if asked and self._answer_during_verdict is not None:
            # The note left the escrow while its verdict was awaited, and was never ordered to be stacked.
            left, self._answer_during_verdict = self._answer_during_verdict, None
            await self._handle_status(left)
        elif note.verdict is Verdict.STACK and not note.stack_ordered:
            self._fate.stacking(note)
            self._in_hand, self._ticket = True, ticket or None

    async def _hold_until(self, asking: asyncio.Future[Verdict]) -> None:
        """Keep polling while the note is in escrow; store the first answer that reports something else."""
        self._answer_during_verdict = None
        await asyncio.wait({asking}, timeout=self._link.gap_s)
        while not asking.done():
            said = await self._poll(NO_ORDER)
            if said is not None and (said.has_news or not said.state & State.ESCROWED):
                self._answer_during_verdict = said
                await asyncio.wait({asking})

    async def _handle_stacked(self, said: Status) -> None:
        cents = self._setup.value_cents(said)
        if self._is_ticket(said):
            await self._fate.ticket_stacked()
        elif cents is not None:
            await self._fate.vend_valid(cents)
        elif said.denomination and not self._setup.known:
            # The values of the denominations are not known yet: use the value of the note in hand.
            await self._fate.vend_valid(None)
        elif self._is_blank_stack(said):
            _log.info("%s: 'stacked' without a note, after a change of power or cassette", self._link.path)
            return
        else:
            await self._fate.stacked_unrecognised("the validator stacked it and does not say what it is worth")
        self._in_hand = self._credited = True

    def _is_blank_stack(self, said: Status) -> bool:
        """Return whether this is a "blank stack": no note was in hand, and power or cassette has just changed."""
        unsaid = said.barcode is None and not said.denomination and (said.note is None or not said.note.cents)
        untouched = self._clock.now() - self._changed_at >= BLANK_S
        return unsaid and not untouched and not self._in_hand and self._fate.note is None

    def _is_ticket(self, said: Status) -> bool:
        """Return whether the stacked item is the ticket in hand, or a ticket while no ticket is in hand."""
        if said.barcode is None:
            return self._ticket is not None and said.note is None and not said.denomination
        return self._ticket in {None, ticket_number(said.barcode)}

    async def _handle_returned(self) -> None:
        note = self._fate.note
        refused = note is not None and note.verdict is Verdict.RETURN
        if note is None and self._in_hand and self._powered_up and not self._credited:
            self._fate.restarted(in_acceptor=True)
        reason = "it was not taken" if refused else "the validator gave it back by itself"
        await self._fate.going_back(reason, how=Back.REFUSED if refused else Back.RETURNED)
        if self._fate.settled:
            self._forget_note()

    # Faults.

    async def _report_faults(self, said: Status) -> None:
        """Report the faults in an answer; a device that is powering up does not report its faults yet."""
        if said.trouble & Trouble.POWER_UP:
            if self._clock.now() - self._ready_at >= START_S:
                await self._faults.are(frozenset({_NEVER_READY}))
            return
        self._ready_at = self._clock.now()
        found = {fault for bit, fault in CONDITIONS.items() if said.condition & bit}
        found |= {fault for bit, fault in TROUBLES.items() if said.trouble & bit}
        if not said.condition & Condition.CASSETTE_PRESENT:
            found.add(_BOX_OUT)
        if said.stalled:
            found.add(_STALLED)
        if said.state or found or not self._setup.taken:
            self._served_at = self._clock.now()
        elif self._clock.now() - self._served_at >= OUT_OF_SERVICE_S:
            found.add(_SILENT_FAILURE)
        self._present_faults = frozenset(found)
        await self._faults.are(self._present_faults)
