"""A conversation with a bill validator with escrow that speaks EBDS (protocols.md §2.3, requirements.md, B).

Decisions where the sources leave a choice:

- "Stacked" is the credit, with what the same answer says of the note. It comes once: a device that was answered under
  the next ACK bit does not say it again. So while a note is in hand the ACK bit of each poll is journaled before the
  poll goes out, and a conversation that begins with a note in hand polls again under that bit: it gets the very answer
  that may have been lost with us.
- What that repeated answer says of the device's state is old: only its events count.
- "Stacked" without a value is no credit: the device pushes notes it does not vouch for into the cash box. For a ticket
  there is no value to say, so the number seen in escrow holds.
- "Stacked" without a value is no note where none was in hand and the power, the cassette or the conversation has just
  changed: devices say so then ("blank stack"). At any other time it is a note, and an open item.
- The order to stack or to return is repeated while the note lies in escrow. A note that still lies there when an
  earlier conversation had ordered it to be stacked was not, and is asked about anew.
- A rejection names no note: of one that was ordered to be stacked it decides nothing.
- A note that a power cut catches on its way is stacked and not reported (policy A), and becomes an open item.
- Nothing is reset, and no fault is tested anew: the device says when it is over.
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
from drivers.ebds.protocol import Condition, Frame, Mode, State, Status, Trouble, status, ticket_number
from drivers.ebds.setup import NO_ORDER, EbdsSetup
from drivers.errors import WireError
from drivers.note_alarms import Back, NoteAlarms
from drivers.note_fate import NoteFate
from drivers.port import Port
from drivers.validator_faults import ValidatorFaults
from drivers.wiring import BillValidator as Settings

_log = logging.getLogger(__name__)

SETTLE_S: Final = 3.0
LINGER_S: Final = 2.0
"""How long a note may lie in escrow that was ordered to be stacked before us, or of which nothing is said."""
BLANK_S: Final = 60.0
"""How long after a change of power or cassette a device may report a note that was never there."""
OUT_OF_SERVICE_S: Final = 5.0
START_S: Final = 60.0
"""How long a device may take to be ready when it was switched on."""

TICKET_CODE: Final = -1
"""What a ticket has in the place of a note's value."""

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
"""Fault codes, and what each says."""

_MOVING: Final = State.ACCEPTING | State.ESCROWED | State.STACKING | State.RETURNING

_DIALOGUE: Final = re.compile(r"ebds([01])(?:t([0-9]*))?")
"""What the listener keeps of the dialogue: the poll's ACK bit, and the number of a ticket in hand."""


class EbdsSession:
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
        self._link = EbdsLink(port, clock, settings.poll_ms / 1000, even_parity=settings.parity == "even")
        self._clock = clock
        self._listener = listener
        self._setup = EbdsSetup(self._link, currency)
        self._fate = NoteFate(listener, alarms, clock)
        self._faults = ValidatorFaults(listener, {code for code, _ in FAULTS})
        self._present: frozenset[tuple[str, str]] = frozenset()
        self._in_hand = False
        self._credited = False
        self._ticket: str | None = None
        self._escrow_since: float | None = None
        self._left: Status | None = None
        self._busy_at = self._changed_at = clock.now()
        self._has_cassette: bool | None = None
        self._served_at = self._ready_at = clock.now()

    async def begin(self) -> None:
        """Open the port, ask again for the answer that an earlier conversation may have lost."""
        await self._link.open()
        dialogue = await self._listener.bill_dialogue()
        words = _DIALOGUE.fullmatch(dialogue or "")
        if words is not None:
            self._in_hand, self._ticket = True, words[2]
            self._link.flag = words[1] == "1"
        first = await self._link.poll(self._setup.poll_data(), attempts=FIRST_ATTEMPTS)
        if dialogue is None:
            await self._fate.stack_never_ordered()
        elif words is None:
            await self._fate.left_by_other_protocol()
        await self._listener.device_fault(BILL_VALIDATOR, "no_reply", present=False)
        await self._repeated(first)

    async def _repeated(self, answer: Frame) -> None:
        """Take in the events of an answer that may be an old one."""
        said = self._read(answer)
        if said is not None:
            await self._news(said)

    def _read(self, answer: Frame) -> Status | None:
        """Return what an answer says that nothing hangs on, None for nothing."""
        try:
            return status(answer)
        except ValueError as error:
            _log.warning("%s: %s", self._link.path, error)
            return None

    async def step(self, accepted: frozenset[int]) -> None:
        """Poll once and do what the answer asks for."""
        said = await self._poll(self._order())
        if said is None:
            return
        await self._take(said)
        if not self._resting(said):
            if self._fate.overdue:
                await self._fate.at_rest()
                self._forget()
            return
        if not self._fate.known:
            await self._fate.at_rest()
            self._forget()
        if not self._setup.known:
            await self._identify(said)
        await self._setup.apply(frozenset() if self._present else accepted)
        await self._answered_aside()

    async def _identify(self, said: Status) -> None:
        identity = await self._setup.identify(said)
        _log.info("%s found: %s", BILL_VALIDATOR, identity)
        await self._listener.device_found(BILL_VALIDATOR, identity)
        for code in ("wrong_device", "wrong_currency"):
            await self._listener.device_fault(BILL_VALIDATOR, code, present=False)

    async def _answered_aside(self) -> None:
        """Take in the events of the answers to other questions; a note they describe is one of the table."""
        while self._link.heard:
            said = self._read(self._link.heard.pop(0))
            if said is not None and said.has_news:
                await self._news(msgspec.structs.replace(said, note=None, barcode=None))

    # Polling.

    def _order(self) -> Mode:
        """What the next poll says to the note in escrow."""
        note = self._fate.note
        if self._escrow_since is None or note is None or note.verdict is None:
            return NO_ORDER
        return Mode.STACK if note.verdict is Verdict.STACK else Mode.RETURN

    async def _poll(self, order: Mode) -> Status | None:
        """Poll and return what the answer says, None for one that says nothing of the device's state.

        Raise `NoReplyError`, or `WireError` where it makes no sense.
        """
        if self._in_hand:
            words = f"ebds{int(self._link.flag)}" + ("" if self._ticket is None else f"t{self._ticket}")
            await self._listener.bill_dialogue_at(words)
        answer = await self._link.poll(self._setup.poll_data(order))
        try:
            return status(answer)
        except ValueError as error:
            raise WireError(f"{self._link.path}: {error}: nothing of it is guessed") from error

    def _resting(self, said: Status) -> bool:
        """Whether nothing moves in the device, and nothing more is to be expected of a note in hand."""
        if said.state & _MOVING or said.trouble & Trouble.POWER_UP:
            return False
        if not said.state & State.IDLING and self._present:
            return False
        return not self._in_hand or self._clock.now() - self._busy_at >= SETTLE_S

    async def _take(self, said: Status) -> None:
        """Take in a new answer: its events, then the state that the device is in."""
        escrowed = bool(said.state & State.ESCROWED)
        anew = escrowed and self._escrow_since is None
        if not escrowed:
            self._escrow_since = None
        elif self._escrow_since is None:
            self._escrow_since = self._clock.now()
        await self._news(said)
        if escrowed:
            await self._escrow(said, anew=anew)

    async def _news(self, said: Status) -> None:
        """Take in the events and faults of an answer."""
        if self._credited and not said.state & State.STACKED:
            # It answered under the next ACK bit and does not repeat the credit that was committed before.
            await self._fate.gone_on()
            self._forget()
        if said.state & _MOVING or said.has_news:
            self._busy_at = self._clock.now()
        has_cassette = bool(said.condition & Condition.CASSETTE_PRESENT)
        if said.trouble & Trouble.POWER_UP or has_cassette is not self._has_cassette:
            self._changed_at, self._has_cassette = self._clock.now(), has_cassette
        if said.trouble & Trouble.POWER_UP:
            self._fate.restarted(in_acceptor=False)
            self._setup.forget()
        await self._report_faults(said)
        if said.state & State.STACKED:
            await self._stacked(said)
        elif said.state & State.RETURNED:
            await self._returned()
        elif said.condition & Condition.REJECTED:
            note = self._fate.note
            certain = note is not None and not note.stack_ordered
            await self._fate.going_back("the validator did not recognise it", how=Back.REJECTED, certain=certain)

    def _forget(self) -> None:
        """Nothing is in hand any more."""
        self._in_hand = self._credited = False
        self._ticket = None

    # The note.

    async def _escrow(self, said: Status, *, anew: bool) -> None:
        since = self._escrow_since
        lingers = since is not None and self._clock.now() - since >= LINGER_S
        unsaid = said.note is None and said.barcode is None and not said.denomination
        if anew and self._fate.note is not None and self._fate.note.stack_ordered:
            await self._fate.another_in_escrow()
            self._forget()
        if self._fate.note is not None and unsaid:
            return  # the order goes out with the next poll
        if self._fate.note is None and (self._in_hand or unsaid) and not lingers:
            return
        ticket = ticket_number(said.barcode) if said.barcode is not None else ""
        cents = None if said.barcode is not None else self._setup.value_cents(said)
        code = TICKET_CODE if said.barcode is not None else cents or 0
        before = self._fate.note
        note = await self._fate.in_escrow(code, cents, ticket=ticket)
        if note is not before:
            self._forget()
        asked = await self._fate.judge(note, self._hold_until)
        if asked and self._left is not None:
            # It left while its verdict was awaited, and was never ordered to be stacked.
            left, self._left = self._left, None
            await self._take(left)
        elif note.verdict is Verdict.STACK and not note.stack_ordered:
            self._fate.stacking(note)
            self._in_hand, self._ticket = True, ticket or None

    async def _hold_until(self, asking: asyncio.Future[Verdict]) -> None:
        """Keep polling while the note lies in escrow; an answer that says more is kept for the verdict's end."""
        self._left = None
        await asyncio.wait({asking}, timeout=self._link.gap_s)
        while not asking.done():
            said = await self._poll(NO_ORDER)
            if said is not None and (said.has_news or not said.state & State.ESCROWED):
                self._left = said
                await asyncio.wait({asking})

    async def _stacked(self, said: Status) -> None:
        cents = self._setup.value_cents(said)
        if self._is_ticket(said):
            await self._fate.ticket_stacked()
        elif cents is not None:
            await self._fate.vend_valid(cents)
        elif said.denomination and not self._setup.known:
            # What its denominations are worth is not known yet: the note in hand was asked about before.
            await self._fate.vend_valid(None)
        elif self._is_blank(said):
            _log.info("%s: 'stacked' without a note, after a change of power or cassette", self._link.path)
            return
        else:
            await self._fate.stacked_unrecognised("the validator stacked it and does not say what it is worth")
        self._in_hand = self._credited = True

    def _is_blank(self, said: Status) -> bool:
        """Whether what is said to be stacked was never there: no note was in hand, and the device was just touched."""
        unsaid = said.barcode is None and not said.denomination and (said.note is None or not said.note.cents)
        untouched = self._clock.now() - self._changed_at >= BLANK_S
        return unsaid and not untouched and not self._in_hand and self._fate.note is None

    def _is_ticket(self, said: Status) -> bool:
        """Whether what was stacked is the ticket in hand, or a ticket where none is."""
        if said.barcode is None:
            return self._ticket is not None and said.note is None and not said.denomination
        return self._ticket in {None, ticket_number(said.barcode)}

    async def _returned(self) -> None:
        note = self._fate.note
        refused = note is not None and note.verdict is Verdict.RETURN
        if note is None and self._in_hand and not self._credited:
            # Nothing is taken before the note of an earlier conversation is settled, so this is that one.
            self._fate.restarted(in_acceptor=True)
        reason = "it was not taken" if refused else "the validator gave it back by itself"
        await self._fate.going_back(reason, how=Back.REFUSED if refused else Back.RETURNED)
        if self._fate.known:
            self._forget()

    # Faults.

    async def _report_faults(self, said: Status) -> None:
        """Raise and clear what the answer says; a device that starts says nothing of its faults yet."""
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
        self._present = frozenset(found)
        await self._faults.are(self._present)
