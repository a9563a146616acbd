"""A conversation with a bill validator with escrow that speaks SSP (protocols.md §2.2, requirements.md, B).

Decisions where the sources leave a choice:

- Any poll after a note was read makes the device stack it. So nothing is polled while the verdict is awaited:
  HOLD goes out instead, and REJECT before the first poll of a conversation without a note in hand.
- A credit that was replied once is gone with the device's next reply. So while a note is in hand the flag of each
  poll is journaled before it goes out, and a conversation that begins with a note in hand asks again under that
  flag: it gets the very reply that may have been lost with us.
- A device that knows the poll with acknowledgement is polled with that: it repeats a credit until the event-ack,
  which goes out when the credit is durable. A credit in the very next reply, even after a reset, is the same one.
  Many devices want encryption before they offer it, and refuse (F2, or FA for "no key"): then the flag has to do.
- In eSSP the key dies with the conversation, and so does the last reply. A conversation that begins with a note in hand
  that was polled sealed and with acknowledgement asks anew instead: a credit is repeated until it is acknowledged.
  One that was polled sealed without acknowledgement is settled when the device rests.
- A ticket is validated (E5) as a note is read, and acknowledged (D1) as a note is credited. What was said of it and not
  heard is asked for at rest: the answer to "barcode data" says where the newest ticket is, and its number whether that
  is the one in hand, which is kept beside the flag. Whether D1 waits for an event-ack is not public: one is sent.
- "Stacked" credits nothing: the credit event does, and a note cleared to the cash box by a reset.
- A device says nothing of its self-test (P8). One that stays disabled though it was enabled has failed it.
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
"""A held note is given back after ten seconds."""

FAULTS: Final = {
    Event.STACKER_FULL: ("stacker_full", "the cash box is full"),
    Event.CASHBOX_REMOVED: ("stacker_open", "the cash box is out"),
    Event.UNSAFE_JAM: ("acceptor_jam", "a note is jammed where a hand can reach it"),
    Event.SAFE_JAM: ("stacker_jam", "a note is jammed where no hand can reach it"),
    Event.FRAUD: ("cheated", "the validator saw an attempt to draw a note out"),
    Event.NOTE_PATH_OPEN: ("failure", "its note path is open"),
}
"""Fault codes by event, and what that one says."""

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
"""Events after which more is to come."""

_DISABLED: Final = frozenset({Event.DISABLED, Event.DISABLED_CHANNELS})

_CREDITS: Final = frozenset({Event.CREDIT, Event.CLEARED_TO_CASHBOX, Event.BARCODE_ACKNOWLEDGED})

_CLEARED_AT_RESET: Final = frozenset({PayoutEvent.INTO_STACKER_AT_RESET, PayoutEvent.INTO_STORE_AT_RESET})
"""Where a note that a power cut caught was carried; one that was being paid out may be carried there too."""

_ACKNOWLEDGED: Final = _CREDITS | ACKNOWLEDGED | {Event.FRAUD, Event.CLEARED_FROM_FRONT}
"""Events that may be repeated until the event-ack; where none has to be, that is refused (F5) and does nothing."""

_FLAG: Final = "1"
_WITH_ACK: Final = "a"
_SEALED: Final = "e"
_TICKET: Final = "t"
_DIALOGUE: Final = re.compile(f"({_FLAG}?)({_WITH_ACK}?)({_SEALED}?)(?:{_TICKET}([0-9]+))?")
"""What the listener keeps of the dialogue: the poll's flag where it is 1, whether it has an ack, whether it was sealed,
a ticket's number."""

TICKET_CODE: Final = 256
"""What a ticket has in the place of a note's channel."""


class SspSession:
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
        desk: RecyclerDesk | None = None,
        random: Randomness = os.urandom,
    ) -> None:
        self._port = port
        self._link = SspLink(port, clock, max(settings.poll_ms / 1000, LEAST_POLL_S), random=random)
        self._encryption = settings.encryption
        self._fixed = fixed_key(settings.ssp_key)
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
        """Open the port, ask again for the reply that an earlier conversation may have lost, find out who answers.

        Credits come first of all, since any other question would make the device forget its last reply; then the
        serial number, and the inhibit where no note is in hand.
        """
        await self._port.open()
        dialogue = await self._listener.bill_dialogue()
        words = None if dialogue is None else _DIALOGUE.fullmatch(dialogue)
        if words is not None and not words[3]:
            await self._take_up(flag=bool(words[1]), with_ack=bool(words[2]), ticket=words[4] or "")
        else:
            await self._link.sync()
        await self._encrypt()
        if words is not None and words[3]:
            self._resume(with_ack=bool(words[2]), ticket=words[4] or "")
        elif words is None:
            await self._link.command(Command.REJECT)
            await (self._fate.stack_never_ordered() if dialogue is None else self._fate.left_by_other_protocol())
        await self._setup.reach()
        if not self._in_hand:
            await self._setup.inhibit()
        identity = await self._setup.identify()
        identity += ", encrypted" if self._link.sealed else ""
        _log.info("%s found: %s", BILL_VALIDATOR, identity)
        await self._listener.device_found(BILL_VALIDATOR, identity)
        for code in ("wrong_device", "wrong_currency", "no_reply"):
            await self._listener.device_fault(BILL_VALIDATOR, code, present=False)
        if not self._in_hand:
            await self._ask_for_acknowledged_polls()
        if self._desk is not None and self._link.sealed:
            self._desk.joined(self._link, self._setup.number)

    async def _encrypt(self) -> None:
        """Agree on a key where the settings want one; raise `IdentityError` where they insist and there is none."""
        if self._encryption == "off" or await self._link.negotiate(self._fixed) or self._encryption == "auto":
            return
        raise IdentityError(
            f"{self._link.path}: the bill validator knows no encryption (eSSP), and [bill_validator] encryption is "
            '"on": set it to "auto" or "off", or fit one that does'
        )

    def _resume(self, *, with_ack: bool, ticket: str) -> None:
        """Go on with a note in hand that was polled sealed: a credit is repeated, and no other note comes before it."""
        self._in_hand, self._ticket = True, ticket
        self._setup.repeats_until_acknowledged = self._resumed = with_ack and self._link.sealed
        if self._resumed:
            self._fate.restarted(in_acceptor=True)

    async def _take_up(self, *, flag: bool, with_ack: bool, ticket: str) -> None:
        """Go on with a note in hand: its last poll once more, under its own flag, or anew where that is forgotten."""
        self._in_hand = True
        self._ticket = ticket
        self._link.flag = flag
        self._setup.repeats_until_acknowledged = with_ack
        answer = await self._link.ask(self._poll_command, attempts=SYNC_ATTEMPTS)
        if answer is None or not answer.ok:
            await self._link.sync()
            return
        # Nothing of the dialogue is missing, so what goes back now is the note in hand.
        self._fate.restarted(in_acceptor=True)
        try:
            await self._handle_events(answer)
        except WireError:
            # It would be asked for the same unreadable answer for ever: what became of the note is settled at rest.
            await self._link.sync()

    async def step(self, accepted: frozenset[int]) -> None:
        """Poll once and do what the events ask for."""
        await self._handle_events(await self._polled())
        if self._desk is not None:
            self._desk.still = self._resting and self._fate.known
            self._desk.at_rest = self._desk.still and not self._setup.takes
            self._desk.repeats = self._setup.repeats_until_acknowledged
            self._desk.polled(self._events)
        if not self._resting and not self._fate.overdue:
            return
        if not self._fate.known:
            await self._settle()
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
        """Whether nothing moves in the device, and nothing more is to be expected of a note in hand."""
        if any(one.event in _BUSY for one in self._events):
            return False
        return not self._in_hand or self._clock.now() - self._busy_at >= SETTLE_S

    async def _polled(self) -> Answer:
        command = self._poll_command
        if self._in_hand:
            words = (_FLAG if self._link.flag else "") + (_WITH_ACK if command is Command.POLL_WITH_ACK else "")
            words += _SEALED if self._link.sealed else ""
            words += _TICKET + self._ticket if self._ticket else ""
            await self._listener.bill_dialogue_at(words)
        answer = await self._link.command(command)
        if not answer.ok:
            mend = "switch it off and on"
            if answer.reply == Reply.KEY_NOT_SET:
                mend = 'it wants encryption: set [bill_validator] encryption to "auto", or switch it off in the device'
            raise WireError(f"{self._link.path}: the validator answers {answer.reply:02X} to a poll: {mend}")
        return answer

    async def _ask_for_acknowledged_polls(self) -> None:
        """Find out whether the device knows them; devices that want encryption for it refuse."""
        self._asked_for_acks = True
        answer = await self._link.command(Command.POLL_WITH_ACK)
        self._setup.repeats_until_acknowledged = answer.ok
        if answer.ok:
            await self._handle_events(answer)
            if self._desk is not None:
                # the first poll after a power cut is this one: what became of a payout is heard once
                self._desk.polled(self._events)

    async def _handle_events(self, answer: Answer) -> None:
        """Take in the events of a poll, oldest first."""
        try:
            self._events = tuple(events(answer.data))
        except ValueError as error:
            raise WireError(
                f"{self._link.path}: {error}: nothing of it is guessed; look it up in the manual"
            ) from error
        if self._credited and not any(one.event in _CREDITS for one in self._events):
            await self._gone_on()
        if any(one.event in _BUSY for one in self._events):
            self._busy_at = self._clock.now()
        await self._report_faults()
        for one in self._events:
            await self._obey(one)
        # All that was reported is durable: it need not be repeated.
        repeats = self._setup.repeats_until_acknowledged and any(one.event in _ACKNOWLEDGED for one in self._events)
        if repeats and not self._recycler_owes:
            await self._link.command(Command.EVENT_ACK)
            if self._desk is not None:
                self._desk.forgotten()

    @property
    def _recycler_owes(self) -> bool:
        """Whether the recycler has yet to book what the last poll said of a payout; a credit is not held up by it."""
        if self._desk is None or any(one.event in _CREDITS for one in self._events):
            return False
        return not self._desk.may_forget(self._events)

    async def _gone_on(self) -> None:
        """It answered under the next flag and does not repeat the credit that was committed before."""
        await self._fate.gone_on()
        self._forget()

    def _forget(self) -> None:
        """Nothing is in hand any more."""
        self._in_hand = self._credited = self._reads_another = False
        self._ticket = ""

    async def _settle(self) -> None:
        """Decide about what is in hand: the device rests, or has another note, and says no more of it by itself."""
        if self._ticket and not self._credited:
            await self._ask_where_the_ticket_is()
        await self._fate.at_rest()
        self._forget()

    async def _obey(self, one: PolledEvent) -> None:
        match one.event:
            case Event.READ if one.channel:
                await self._escrow(one.channel, self._setup.value_cents(one.channel))
            case Event.READ:
                self._reads_another = self._in_hand
            case Event.BARCODE_VALIDATED:
                await self._escrow(TICKET_CODE, None, ticket=await self._ticket_in_escrow())
            case Event() as event if event in _CREDITS:
                await self._credit(event, self._setup.value_cents(one.channel or 0), named=bool(one.channel))
            case event if event in _CLEARED_AT_RESET and self._in_hand:
                cents = one.amounts[0].cents if one.amounts else None
                await self._credit(Event.CLEARED_TO_CASHBOX, cents, named=cents is not None)
            case Event.REJECTED:
                await self._rejected()
            case Event.CLEARED_FROM_FRONT:
                await self._end_of_a_credited_note()
                self._fate.restarted(in_acceptor=True)
                await self._fate.going_back("the validator gave it back when it was switched on", how=Back.REFUSED)
                self._forget()
            case Event.RESET:
                self._fate.restarted(in_acceptor=False)
                self._setup.forget()
            case _:
                # Stacking, stacked, rejecting, disabled and the faults: what they mean is in `_events`.
                pass

    # The note.

    async def _escrow(self, code: int, value_cents: int | None, *, ticket: str = "") -> None:
        if self._in_hand and self._fate.note is None:
            # A note that an earlier conversation had stacked was never heard of again.
            await self._settle()
        await self._fate.another_in_escrow()
        note = await self._fate.in_escrow(code, value_cents, ticket=ticket)
        await self._fate.judge(note, self._hold_until)
        if note.verdict is Verdict.STACK:
            self._fate.stacking(note)
            self._reads_another = False
            self._in_hand, self._ticket = True, ticket  # the next poll makes the device stack it
        else:
            await self._link.command(Command.REJECT)

    async def _hold_until(self, asking: asyncio.Future[Verdict]) -> None:
        """HOLD again and again; nothing is polled meanwhile."""
        while not (await asyncio.wait({asking}, timeout=HOLD_S))[0]:
            await self._link.command(Command.HOLD)

    async def _barcode(self) -> Barcode | None:
        """Return what the device knows of the newest ticket, None where it does not say."""
        answer = await self._link.command(Command.BARCODE_DATA)
        try:
            return barcode(answer.data) if answer.ok else None
        except ValueError as error:
            _log.warning("%s: %s", self._link.path, error)
            return None

    async def _ticket_in_escrow(self) -> str:
        """Return the number of the ticket in escrow, empty for one that has none."""
        found = await self._barcode()
        return found.number if found is not None and found.state is TicketState.IN_ESCROW else ""

    async def _ask_where_the_ticket_is(self) -> None:
        """Have the ticket in hand redeemed or released where the device still knows what became of it."""
        found = await self._barcode()
        if found is None or found.number != self._ticket:
            return
        if found.state is TicketState.STACKED:
            await self._fate.ticket_stacked()
        elif found.state is TicketState.REJECTED:
            self._fate.restarted(in_acceptor=True)
            await self._fate.going_back("the validator says that it rejected the ticket", how=Back.REFUSED)

    async def _credit(self, event: Event, cents: int | None, *, named: bool) -> None:
        """Have the note or the ticket in hand credited; `named` where the device says which note it was."""
        cleared = event is Event.CLEARED_TO_CASHBOX and not named and self._ticket
        if event is Event.BARCODE_ACKNOWLEDGED or cleared:
            await self._fate.ticket_stacked()
        else:
            await self._fate.vend_valid(cents)
        self._in_hand = self._credited = True

    async def _end_of_a_credited_note(self) -> None:
        """What goes back is not the note that an earlier conversation had credited and acknowledged, if it had."""
        if self._resumed:
            self._resumed = False
            await self._fate.gone_on()

    async def _rejected(self) -> None:
        """Take in that a note was rejected: the one in escrow, or another after the one that was to be stacked."""
        await self._end_of_a_credited_note()
        note, certain = self._fate.note, True
        how, reason = Back.REFUSED, "it was not taken"
        if note is None or note.verdict is not Verdict.RETURN:
            answer = await self._link.command(Command.LAST_REJECT)
            code = answer.data[0] if answer.ok and answer.data else None
            how, reason = last_reject(code)
            certain = not self._in_hand or (code in OF_ESCROW and not self._reads_another)
        await self._fate.going_back(reason, how=how, certain=certain)
        self._in_hand = not self._fate.known
        self._ticket = self._ticket if self._in_hand else ""

    # Faults.

    async def _report_faults(self) -> None:
        """Raise the faults in the poll's events and clear those that are gone, at first an earlier run's as well."""
        reported = {one.event for one in self._events}
        if reported & {Event.CASHBOX_REMOVED, Event.CASHBOX_REPLACED}:
            self._box_removed = Event.CASHBOX_REPLACED not in reported
        stays = {_STAYS_DISABLED} if self._setup.stays_disabled else set()
        await self._faults.are(frozenset(self._present_faults() | stays))

    def _present_faults(self) -> set[tuple[str, str]]:
        """Return the faults that are present by the last poll, with their details."""
        box_out = {FAULTS[Event.CASHBOX_REMOVED]} if self._box_removed else set()
        return box_out | {
            FAULTS[one.event] for one in self._events if isinstance(one.event, Event) and one.event in FAULTS
        }
