"""One session with an SSP bill validator that has an escrow (protocols.md §2.2, requirements.md, B).

Decisions where the sources leave a choice:

- Any poll after a note was read makes the device stack it. So the device is not polled while the verdict is awaited:
  HOLD is sent instead. REJECT is sent before the first poll of a session without a note in hand.
- A device forgets a credit with its next reply. So while a note is in hand the flag of each poll is journaled before
  the poll is sent. A session that starts with a note in hand repeats the poll with that flag and gets the reply that
  the previous session may have lost.
- A poll is journaled with the device's serial number: another device reports nothing about that note. The question for
  the number makes the device forget its last reply too, so that reply is journaled before the number is asked for.
- A device that supports the poll with acknowledgement is polled with it: it repeats a credit until the event-ack, which
  is sent when the credit is durable. A credit in the very next reply, even after a reset, is the same one. Many devices
  offer this only with encryption and otherwise refuse (F2, or FA for "no key"): then only the flag protects the credit.
- In eSSP the key ends with the session, and the last reply with it. If a note in hand was polled encrypted and with
  acknowledgement, the next session sends a new poll: the device repeats a credit until it is acknowledged. If it was
  polled encrypted without acknowledgement, the note is settled when the device is at rest.
- Event E5 (validated) is to a ticket what "read" is to a note, and D1 (acknowledged) what "credit" is. If an event
  about a ticket was lost, "barcode data" is requested when the device is at rest: the answer says where the newest
  ticket is, and its number whether it is the ticket in hand, whose number is journaled with the flag. Whether D1 needs
  an event-ack is not public: one is sent.
- "Stacked" is not a credit: the credit event is, and so is a note cleared to the cash box by a reset.
- A device does not report its self-test (P8). A device that stays disabled although it was enabled has failed it.
"""

import asyncio
import logging
import os
import re
from typing import Final

from drivers.capabilities import BILL_VALIDATOR, BillListener, Verdict
from drivers.clock import Clock
from drivers.currency import Currency
from drivers.errors import IdentityError, WireError
from drivers.link_faults import found
from drivers.note_alarms import Back, NoteAlarms
from drivers.note_fate import NoteFate
from drivers.port import Port
from drivers.ssp.desk import RecyclerDesk
from drivers.ssp.exchange import Randomness
from drivers.ssp.key import fixed_key
from drivers.ssp.link import SYNC_ATTEMPTS, Answer, SspLink
from drivers.ssp.payout_events import ACKNOWLEDGED, PayoutEvent
from drivers.ssp.protocol import Barcode, Command, Event, PolledEvent, Reply, TicketState, barcode, events
from drivers.ssp.rejects import OF_ESCROW, last_reject
from drivers.ssp.setup import SspSetup
from drivers.validator_faults import ValidatorFaults
from drivers.wiring import BillValidator as Settings

_log = logging.getLogger(__name__)

LEAST_POLL_S: Final = 0.2
SETTLE_S: Final = 3.0
HOLD_S: Final = 2.0
"""Interval of HOLD: the device returns a held note after ten seconds."""

FAULTS: Final = {
    Event.STACKER_FULL: ("stacker_full", "the cash box is full"),
    Event.CASHBOX_REMOVED: ("stacker_open", "the cash box is out"),
    Event.UNSAFE_JAM: ("acceptor_jam", "a note is jammed where a hand can reach it"),
    Event.SAFE_JAM: ("stacker_jam", "a note is jammed where no hand can reach it"),
    Event.FRAUD: ("cheated", "the validator saw an attempt to draw a note out"),
    Event.NOTE_PATH_OPEN: ("failure", "its note path is open"),
}
"""Fault code and description by event."""

_STAYS_DISABLED: Final = ("failure", "it takes no notes though it was enabled: switch it off and on")
_BUSY: Final = frozenset(
    {
        Event.READ,
        Event.BARCODE_VALIDATED,
        Event.STACKING,
        Event.REJECTING,
        Event.UNSAFE_JAM,
        Event.SAFE_JAM,
        Event.INITIALISING,
        Event.RESET,
        PayoutEvent.DISPENSING,
        PayoutEvent.FLOATING,
        PayoutEvent.EMPTYING,
        PayoutEvent.SMART_EMPTYING,
        PayoutEvent.JAM_RECOVERY,
        PayoutEvent.HELD_IN_BEZEL,
    }
)
"""Events that others will follow: the device is busy."""

_DISABLED: Final = frozenset({Event.DISABLED, Event.DISABLED_CHANNELS})

_CREDITS: Final = frozenset({Event.CREDIT, Event.CLEARED_TO_CASHBOX, Event.BARCODE_ACKNOWLEDGED})

_CLEARED_AT_RESET: Final = frozenset({PayoutEvent.INTO_STACKER_AT_RESET, PayoutEvent.INTO_STORE_AT_RESET})
"""Where a note went that was moving during a power cut; the same may be reported of a note being paid out."""

_ACKNOWLEDGED: Final = _CREDITS | ACKNOWLEDGED | {Event.FRAUD, Event.CLEARED_FROM_FRONT}
"""Events that may be repeated until the event-ack; an unnecessary event-ack is refused (F5) and does nothing."""

_FLAG: Final = "1"
_WITH_ACK: Final = "a"
_SEALED: Final = "e"
_TICKET: Final = "t"
_ANSWER: Final = " answer "
_DIALOGUE: Final = re.compile(
    f"({_FLAG}?)({_WITH_ACK}?)({_SEALED}?)(?:{_TICKET}([0-9]+))? serial ([0-9]+)(?:{_ANSWER}([0-9a-f]*))?"
)
"""The journaled text of a poll: flag 1, acknowledgement, encryption and a ticket's number, each only if present.

Then the serial number of the polled device and, as hexadecimal digits, the poll's answer if it is known.
"""

TICKET_CODE: Final = 256
"""The escrow code of a ticket, used in place of a note's channel."""


def _with_answer(words: str, answer: Answer) -> str:
    """Return the journaled text of a poll whose answer is known."""
    return f"{words}{_ANSWER}{answer.data.hex()}"


class SspSession:
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
        desk: RecyclerDesk | None = None,
        random: Randomness = os.urandom,
    ) -> None:
        self._port = port
        self._link = SspLink(port, clock, max(settings.poll_ms / 1000, LEAST_POLL_S), random=random)
        self._encryption = settings.encryption
        self._fixed_key = fixed_key(settings.ssp_key)
        self._desk = desk
        self._clock = clock
        self._listener = listener
        self._setup = SspSetup(self._link, currency, settings.serial)
        self._fate = NoteFate(listener, alarms, clock)
        self._events: tuple[PolledEvent, ...] = ()
        self._busy_at = clock.now()
        self._in_hand = False
        self._credited = False
        self._reads_another = False
        self._ticket = ""
        self._asked_for_acks = False
        self._resumed = False
        self._faults = ValidatorFaults(listener, {code for code, _ in (*FAULTS.values(), _STAYS_DISABLED)})
        self._box_removed = False

    async def begin(self) -> None:
        """Open the port, request again the reply that an earlier session may have lost, and identify the device.

        Credits come first, because any other command would make the device forget its last reply; then the serial
        number, and the inhibit if no note is in hand.
        """
        await self._port.open()
        dialogue = await self._listener.bill_dialogue()
        words = None if dialogue is None else _DIALOGUE.fullmatch(dialogue)
        answer = None
        if words is None or words[3]:
            await self._link.sync()
        else:
            answer = await self._last_answer(words)
        await self._encrypt()
        if words is None:
            await self._link.command(Command.REJECT)
            await (self._fate.stack_never_ordered() if dialogue is None else self._fate.left_by_other_validator())
        await self._reach(words)
        if words is not None:
            await self._continue(words, answer)
        if not self._in_hand:
            await self._setup.inhibit()
        identity = await self._setup.identify()
        identity += ", encrypted" if self._link.sealed else ""
        await found(BILL_VALIDATOR, identity, self._listener)
        if not self._in_hand:
            await self._ask_for_acknowledged_polls()
        if self._desk is not None and self._link.sealed:
            self._desk.joined(self._link, self._setup.number)

    async def _encrypt(self) -> None:
        """Negotiate a key unless encryption is "off"; raise `IdentityError` if it is "on" and the device refuses."""
        if self._encryption == "off" or await self._link.negotiate(self._fixed_key) or self._encryption == "auto":
            return
        raise IdentityError(
            f"{self._link.path}: the bill validator knows no encryption (eSSP), and [bill_validator] encryption is "
            '"on": set it to "auto" or "off", or fit one that does'
        )

    async def _last_answer(self, words: re.Match[str]) -> Answer | None:
        """Return the answer to the poll that was journaled as `words`, None if the device does not repeat it.

        The answer is durable before any other command is sent. If there is none, the dialogue begins anew with SYNC.
        """
        if words[6] is not None:
            await self._link.sync()
            return Answer(Reply.OK, bytes.fromhex(words[6]))
        self._link.flag = bool(words[1])
        poll = Command.POLL_WITH_ACK if words[2] else Command.POLL
        answer = await self._link.ask(poll, attempts=SYNC_ATTEMPTS)
        if answer is None or not answer.ok:
            await self._link.sync()
            return None
        await self._listener.bill_dialogue_at(_with_answer(words[0], answer))
        return answer

    async def _reach(self, words: re.Match[str] | None) -> None:
        """Read the serial number; raise `IdentityError` if the device is not the configured one.

        The answer that such a device gave to the poll that was journaled as `words` is dropped from the journal: the
        device that was polled then may be put back.
        """
        try:
            await self._setup.reach()
        except IdentityError:
            if words is not None and self._setup.is_other_than(int(words[5])):
                await self._listener.bill_dialogue_at(words[0].partition(_ANSWER)[0])
            raise

    async def _continue(self, words: re.Match[str], answer: Answer | None) -> None:
        """Continue with the note in hand that was polled as `words`, and with that poll's answer if it is known."""
        sealed, with_ack = bool(words[3]), bool(words[2])
        if self._setup.is_other_than(int(words[5])):
            self._setup.repeats_until_acknowledged = with_ack and answer is not None
            await self._fate.left_by_other_validator()
        else:
            self._in_hand, self._ticket = True, words[4] or ""
            self._setup.repeats_until_acknowledged = with_ack and (self._link.sealed or not sealed)
            self._resumed = sealed and self._setup.repeats_until_acknowledged
            if self._resumed or answer is not None:
                # No event is missing, so a note that is returned next is the note in hand.
                self._fate.restarted(in_acceptor=True)
        if answer is None:
            return
        try:
            await self._handle_events(answer)
        except WireError:
            # A repeat would get the same invalid answer forever: the note is settled when the device is at rest.
            await self._link.sync()

    async def step(self, accepted: frozenset[int]) -> None:
        """Poll once, handle the events, then settle the note and set inhibits."""
        await self._handle_poll(await self._poll())
        if self._desk is not None:
            self._desk.still = self._resting and self._fate.settled
            self._desk.at_rest = self._desk.still and not self._setup.takes
            self._desk.repeats = self._setup.repeats_until_acknowledged
            self._desk.polled(self._events)
        if not self._resting and not self._fate.overdue:
            return
        if not self._fate.settled:
            await self._settle_note()
        if self._link.sealed and not self._asked_for_acks and not self._in_hand:
            await self._ask_for_acknowledged_polls()
        if self._present_faults() or (self._desk is not None and not self._desk.takes_notes):
            accepted = frozenset()
        disabled = any(one.event in _DISABLED for one in self._events)
        await self._setup.apply(accepted, disabled=disabled)

    # Polling.

    @property
    def _poll_command(self) -> Command:
        return Command.POLL_WITH_ACK if self._setup.repeats_until_acknowledged else Command.POLL

    @property
    def _resting(self) -> bool:
        """Whether nothing moves in the device and no event about a note in hand is expected."""
        if any(one.event in _BUSY for one in self._events):
            return False
        return not self._in_hand or self._clock.now() - self._busy_at >= SETTLE_S

    async def _poll(self) -> Answer:
        command = self._poll_command
        if self._in_hand:
            await self._listener.bill_dialogue_at(self._words(command))
        answer = await self._link.command(command)
        if not answer.ok:
            mend = "switch it off and on"
            if answer.reply == Reply.KEY_NOT_SET:
                mend = 'it wants encryption: set [bill_validator] encryption to "auto", or switch it off in the device'
            raise WireError(f"{self._link.path}: the validator answers {answer.reply:02X} to a poll: {mend}")
        return answer

    def _words(self, command: Command) -> str:
        """Return the text that is journaled for a poll before it is sent."""
        words = (_FLAG if self._link.flag else "") + (_WITH_ACK if command is Command.POLL_WITH_ACK else "")
        words += _SEALED if self._link.sealed else ""
        words += _TICKET + self._ticket if self._ticket else ""
        return f"{words} serial {self._setup.number}"

    async def _ask_for_acknowledged_polls(self) -> None:
        """Test whether the device supports the poll with acknowledgement; some refuse it without encryption."""
        self._asked_for_acks = True
        answer = await self._link.command(Command.POLL_WITH_ACK)
        self._setup.repeats_until_acknowledged = answer.ok
        if answer.ok:
            await self._handle_events(answer)
            if self._desk is not None:
                # this may be the first poll after a power cut, which reports a payout's result once
                self._desk.polled(self._events)

    def _parsed(self, answer: Answer) -> tuple[PolledEvent, ...]:
        """Return the events of a poll; raise `WireError` if one is unknown."""
        try:
            return tuple(events(answer.data))
        except ValueError as error:
            raise WireError(
                f"{self._link.path}: {error}: nothing of it is guessed; look it up in the manual"
            ) from error

    async def _handle_poll(self, answer: Answer) -> None:
        """Handle the events of a poll; after a reset another device may be in this one's place.

        With a note in hand the number is asked for first, and the answer is durable before that. A device that lost its
        key begins a new session instead.
        """
        started = not self._link.sealed and any(one.event is Event.RESET for one in self._parsed(answer))
        with_note = self._in_hand
        if started and with_note:
            await self._listener.bill_dialogue_at(_with_answer(self._words(self._poll_command), answer))
            await self._setup.require_same()
        await self._handle_events(answer)
        if started and not with_note:
            await self._setup.require_same()

    async def _handle_events(self, answer: Answer) -> None:
        """Handle the events of a poll, oldest first."""
        self._events = self._parsed(answer)
        if self._credited and not any(one.event in _CREDITS for one in self._events):
            await self._close_credited_note()
        if any(one.event in _BUSY for one in self._events):
            self._busy_at = self._clock.now()
        await self._report_faults()
        for one in self._events:
            await self._handle_event(one)
        # All reported events are durable: acknowledge them.
        repeats = self._setup.repeats_until_acknowledged and any(one.event in _ACKNOWLEDGED for one in self._events)
        if repeats and not self._recycler_owes:
            await self._link.command(Command.EVENT_ACK)
            if self._desk is not None:
                self._desk.forgotten()

    @property
    def _recycler_owes(self) -> bool:
        """Whether the recycler still has to book payout events of the last poll; a credit does not wait for that."""
        if self._desk is None or any(one.event in _CREDITS for one in self._events):
            return False
        return not self._desk.may_forget(self._events)

    async def _close_credited_note(self) -> None:
        """Close the credited note: the device answered with the next flag and does not repeat the credit."""
        await self._fate.device_continued()
        self._forget_note()

    def _forget_note(self) -> None:
        """Reset the state: no note is in hand."""
        self._in_hand = self._credited = self._reads_another = False
        self._ticket = ""

    async def _settle_note(self) -> None:
        """Settle the note in hand: the device is at rest or has another note, and will report nothing more about it."""
        if self._ticket and not self._credited:
            await self._ask_where_the_ticket_is()
        await self._fate.at_rest()
        self._forget_note()

    async def _handle_event(self, one: PolledEvent) -> None:
        match one.event:
            case Event.READ if one.channel:
                await self._handle_escrow(one.channel, self._setup.value_cents(one.channel))
            case Event.READ:
                self._reads_another = self._in_hand
            case Event.BARCODE_VALIDATED:
                await self._handle_escrow(TICKET_CODE, None, ticket=await self._ticket_in_escrow())
            case Event() as event if event in _CREDITS:
                await self._credit(event, self._setup.value_cents(one.channel or 0), named=bool(one.channel))
            case event if event in _CLEARED_AT_RESET and self._in_hand:
                cents = one.amounts[0].cents if one.amounts else None
                await self._credit(Event.CLEARED_TO_CASHBOX, cents, named=cents is not None)
            case Event.REJECTED:
                await self._handle_rejected()
            case Event.CLEARED_FROM_FRONT:
                await self._end_of_a_credited_note()
                self._fate.restarted(in_acceptor=True)
                await self._fate.going_back("the validator gave it back when it was switched on", how=Back.REFUSED)
                self._forget_note()
            case Event.RESET:
                self._fate.restarted(in_acceptor=False)
                self._setup.forget()
            case _:
                # Stacking, stacked, rejecting, disabled and the faults are evaluated from `_events`.
                pass

    # The note.

    async def _handle_escrow(self, code: int, value_cents: int | None, *, ticket: str = "") -> None:
        if self._in_hand and self._fate.note is None:
            # An earlier session ordered a note to be stacked, and no event ever told what became of it.
            await self._settle_note()
        await self._fate.another_in_escrow()
        note = await self._fate.in_escrow(code, value_cents, ticket=ticket)
        await self._fate.judge(note, self._hold_until)
        if note.verdict is Verdict.STACK:
            self._fate.stacking(note)
            self._reads_another = False
            self._in_hand, self._ticket = True, ticket  # the next poll makes the device stack the note
        else:
            await self._link.command(Command.REJECT)

    async def _hold_until(self, asking: asyncio.Future[Verdict]) -> None:
        """Send HOLD every `HOLD_S` seconds, and do not poll meanwhile."""
        while not (await asyncio.wait({asking}, timeout=HOLD_S))[0]:
            await self._link.command(Command.HOLD)

    async def _newest_ticket(self) -> Barcode | None:
        """Request the newest ticket's data; return None if the device does not report it."""
        answer = await self._link.command(Command.BARCODE_DATA)
        try:
            return barcode(answer.data) if answer.ok else None
        except ValueError as error:
            _log.warning("%s: %s", self._link.path, error)
            return None

    async def _ticket_in_escrow(self) -> str:
        """Return the number of the ticket in escrow, empty if it has none."""
        found = await self._newest_ticket()
        return found.number if found is not None and found.state is TicketState.IN_ESCROW else ""

    async def _ask_where_the_ticket_is(self) -> None:
        """Redeem or release the ticket in hand if the device still reports what became of it."""
        found = await self._newest_ticket()
        if found is None or found.number != self._ticket:
            return
        if found.state is TicketState.STACKED:
            await self._fate.ticket_stacked()
        elif found.state is TicketState.REJECTED:
            self._fate.restarted(in_acceptor=True)
            await self._fate.going_back("the validator says that it rejected the ticket", how=Back.REFUSED)

    async def _credit(self, event: Event, cents: int | None, *, named: bool) -> None:
        """Credit the note or ticket in hand; `named` says whether the device reported which note it was."""
        cleared = event is Event.CLEARED_TO_CASHBOX and not named and self._ticket
        if event is Event.BARCODE_ACKNOWLEDGED or cleared:
            await self._fate.ticket_stacked()
        else:
            await self._fate.vend_valid(cents)
        self._in_hand = self._credited = True

    async def _end_of_a_credited_note(self) -> None:
        """Close a note that an earlier session may have credited: the note being returned is another one."""
        if self._resumed:
            self._resumed = False
            await self._fate.device_continued()

    async def _handle_rejected(self) -> None:
        """Handle a rejected note: the one in escrow, or another one inserted after a stack order."""
        await self._end_of_a_credited_note()
        note, certain = self._fate.note, True
        how, reason = Back.REFUSED, "it was not taken"
        if note is None or note.verdict is not Verdict.RETURN:
            answer = await self._link.command(Command.LAST_REJECT)
            code = answer.data[0] if answer.ok and answer.data else None
            how, reason = last_reject(code)
            certain = not self._in_hand or (code in OF_ESCROW and not self._reads_another)
        await self._fate.going_back(reason, how=how, certain=certain)
        self._in_hand = not self._fate.settled
        self._ticket = self._ticket if self._in_hand else ""

    # Faults.

    async def _report_faults(self) -> None:
        """Report the faults in the poll's events and clear those that are over.

        The first call also clears older ones.
        """
        reported = {one.event for one in self._events}
        if reported & {Event.CASHBOX_REMOVED, Event.CASHBOX_REPLACED}:
            self._box_removed = Event.CASHBOX_REPLACED not in reported
        stays = {_STAYS_DISABLED} if self._setup.stays_disabled else set()
        await self._faults.are(frozenset(self._present_faults() | stays))

    def _present_faults(self) -> set[tuple[str, str]]:
        """Return the faults that the last poll reported, with their details."""
        box_out = {FAULTS[Event.CASHBOX_REMOVED]} if self._box_removed else set()
        return box_out | {
            FAULTS[one.event] for one in self._events if isinstance(one.event, Event) and one.event in FAULTS
        }
