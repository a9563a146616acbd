"""What is known of the note or the ticket in a bill validator, and when it is reported; a note is either here.

The rules, with the requirements of requirements.md, B behind them:

- A note is credited on the device's vend valid (B1: we stack with stack-2, whose vend valid comes when the
  note is stored). A "stacked" without it credits only a note that this session saw in escrow and ordered
  to be stacked (B2: never the first message). After a restart of ours "stacked" alone credits nothing.
- A note that was ordered to be stacked and then is neither reported stacked nor seen going back is unknown: the
  listener makes an open item of it. This is decided only when the device rests, when it has taken too long, or when
  another note comes into escrow. Only ID-003 repeats its vend valid until it is acknowledged and goes no further
  before that, so that there a note in escrow means that the one before it was returned.
- A note that was not ordered to be stacked has been returned, whatever was missed of it.
- Right after a start nothing is known: the device may hold a note that an earlier run had credited, or one
  whose fate that run did not learn. The listener's journal knows which, so both are reported: first that the
  device went on (which ends a credited note), then that the fate is unknown (which ends an uncredited one).
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from drivers.capabilities import BillListener, Verdict
from drivers.clock import Clock
from drivers.note_alarms import Back, NoteAlarms

STUCK_S: Final = 300.0
"""How long the end of a note that was ordered to be stacked is waited for: time for an attendant to clear a jam."""


class Note(msgspec.Struct):
    """A note in escrow, or the ticket with the barcode `ticket`, which has no value here.

    `stack_ordered` is set before the command goes out: from then on its fate is open.
    """

    escrow_code: int
    value_cents: int | None
    ticket: str = ""
    verdict: Verdict | None = None
    stack_ordered: bool = False


class NoteFate:
    """The note's way as one session of the driver saw it."""

    def __init__(self, listener: BillListener, alarms: NoteAlarms, clock: Clock) -> None:
        self._clock = clock
        self._ordered_at = clock.now()
        self._listener = listener
        self._alarms = alarms
        self.note: Note | None = None
        self._credited = False
        self._may_be_unacknowledged = True
        self._may_be_stacked = True
        self._found_in_acceptor = False
        self._cut = False

    def __repr__(self) -> str:
        return f"<NoteFate note={self.note} credited={self._credited}>"

    @property
    def known(self) -> bool:
        """Whether nothing is left to be decided once the device rests."""
        return self.note is None and not self._may_be_unacknowledged and not self._may_be_stacked

    @property
    def overdue(self) -> bool:
        """Whether the end of a note that was ordered to be stacked was waited for too long, or was given up."""
        waited = self._clock.now() - self._ordered_at >= STUCK_S
        return self._may_be_stacked and (waited or self._alarms.given_up_at >= self._ordered_at)

    def restarted(self, *, in_acceptor: bool) -> None:
        """The device had a power cut or a reset; `in_acceptor` where it says that the note is not in the stacker."""
        self._found_in_acceptor = in_acceptor
        self._credited = False
        self._cut = True

    def stacking(self, note: Note) -> None:
        """The stack command is about to go out."""
        if not note.stack_ordered:
            self._ordered_at = self._clock.now()
        note.stack_ordered = True
        self._may_be_stacked = True

    async def stack_never_ordered(self) -> None:
        """Any note that the listener still has open was not ordered to be stacked, so the player has it."""
        await self.gone_on()
        await self._listener.bill_never_ordered()
        self._may_be_stacked = False

    async def left_by_other_protocol(self) -> None:
        """A validator of another protocol was ordered to stack the note in hand: its fate is unknown here."""
        self.restarted(in_acceptor=False)
        await self.at_rest()

    async def gone_on(self) -> None:
        """The device shows that it is past its last vend valid."""
        self._credited = False
        if self._may_be_unacknowledged:
            await self._listener.bill_acknowledged()
            self._may_be_unacknowledged = False

    async def another_in_escrow(self) -> None:
        """Another note has come into escrow, whatever its kind: nobody knows the end of one that was to be stacked."""
        await self.gone_on()
        if self._may_be_stacked:
            await self._listener.bill_unknown("another note came into escrow before its end was reported")
        elif self.note is not None:
            await self._listener.bill_returned("another note is in escrow, and it was never ordered to be stacked")
        self.note = None
        self._may_be_stacked = False

    async def in_escrow(self, escrow_code: int, value_cents: int | None, *, ticket: str = "") -> Note:
        """The note in escrow: the one already known, or a new one; `ticket` is the barcode of a ticket, digits.

        A note that an earlier escrow left open is not in the stacker: its vend valid would still be repeated, since
        the device goes no further before our ACK, and after a power cut we enable nothing before all is settled. Where
        a device does not repeat it, `another_in_escrow` comes first.
        """
        await self.gone_on()
        if self.note is not None and (self.note.escrow_code, self.note.ticket) == (escrow_code, ticket):
            return self.note
        if self.note is not None or self._may_be_stacked:
            await self._listener.bill_returned("a note is in escrow, so the one before it was not stacked")
            self._may_be_stacked = False
        self.note = Note(escrow_code, value_cents, ticket)
        self._found_in_acceptor = self._cut = False
        return self.note

    async def judge(self, note: Note, hold_until: Callable[[asyncio.Future[Verdict]], Awaitable[None]]) -> bool:
        """Give `note` its verdict where it has none yet: what has no value and no number goes back, else it is asked.

        `hold_until` keeps the device from going on until the listener's answer is there. Return whether it was asked.
        """
        if note.verdict is not None:
            return False
        if note.ticket:
            asking = asyncio.ensure_future(self._listener.ticket_in_escrow(note.ticket))
        elif note.value_cents is not None:
            asking = asyncio.ensure_future(self._listener.bill_in_escrow(note.value_cents))
        else:
            note.verdict = Verdict.RETURN
            return False
        try:
            await hold_until(asking)
            note.verdict = await asking
        finally:
            if asking.cancel():
                await asyncio.wait({asking})
        return True

    async def vend_valid(self, value_cents: int | None) -> None:
        """Have the note credited; when this returns the device may have its ACK.

        `value_cents` is what the message itself says; without it what was seen in escrow holds, a ticket too.
        """
        if value_cents is None and self.note is not None and self.note.ticket:
            await self.ticket_stacked()
            return
        if value_cents is None and self.note is not None:
            value_cents = self.note.value_cents
        await self._listener.bill_stacked(value_cents)
        self._in_the_box()

    async def ticket_stacked(self) -> None:
        """Have the ticket redeemed; the device says that it lies in the cash box, which is its vend valid."""
        await self._listener.ticket_stacked()
        self._in_the_box()

    def _in_the_box(self) -> None:
        """Record that the listener has the end of what was in hand."""
        self.note = None
        self._credited = True
        self._may_be_stacked = False
        self._may_be_unacknowledged = True

    async def stacked(self) -> None:
        """The note lies in the cash box."""
        if self.note is not None and self.note.stack_ordered and self._may_be_stacked:
            await self.vend_valid(None)
        await self.gone_on()

    async def stacked_unrecognised(self, reason: str) -> None:
        """A note of which the device does not say what it is lies in the cash box: nobody guesses that it is ours."""
        await self.gone_on()
        if self._may_be_stacked:
            await self._listener.bill_unknown(reason)
        else:
            await self._listener.bill_stacked(None)
        self.note = None
        self._may_be_stacked = False
        self._may_be_unacknowledged = True
        await self.gone_on()

    async def going_back(self, reason: str, *, how: Back, certain: bool = True) -> None:
        """A note is on its way to the player; not `certain` where the reason leaves the stacker possible.

        Where this session knows neither the note nor where a power cut caught it, the note going back need not
        be the one in the journal: that is then settled when the device rests.
        """
        if self._credited:
            await self.gone_on()
        known = self.note is not None or self._found_in_acceptor
        if self._may_be_stacked and not (known and certain):
            return
        await self._listener.bill_returned(reason)
        from_escrow = self._left_escrow()
        self.note = None
        self._may_be_stacked = False
        await self._alarms.came_back(how, from_escrow=from_escrow, reason=reason)

    def _left_escrow(self) -> bool:
        """Whether the note that comes back lay in escrow and neither the cabinet nor a power cut gives it back."""
        return self.note is not None and self.note.verdict is not Verdict.RETURN and not self._cut

    async def at_rest(self) -> None:
        """The device rests, and nothing more will come of the last note."""
        await self.gone_on()
        if self._may_be_stacked:
            await self._listener.bill_unknown("the validator rests and reported neither its stacking nor its return")
        elif self.note is not None:
            reason = "it left the escrow, and was never ordered to be stacked"
            await self._listener.bill_returned(reason)
            await self._alarms.came_back(Back.RETURNED, from_escrow=self._left_escrow(), reason=reason)
        self.note = None
        self._may_be_stacked = False
        self._found_in_acceptor = self._cut = False
