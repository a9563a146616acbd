"""The fate of the note or ticket in a bill validator, and when it is reported; "note" here means both.

The rules, from requirements.md, B:

- A note is credited on the device's "vend valid" (B1: notes are stacked with stack-2, whose "vend valid" comes when the
  note is stored). "Stacked" alone credits only a note that this session saw in escrow and ordered to be stacked (B2:
  never the first message). After a program restart "stacked" alone credits nothing.
- A note that was ordered to be stacked and is reported neither as stacked nor as returned is unknown: the listener
  makes an open item of it. This is decided only when the device is at rest, after a timeout, or when another note comes
  into escrow. Only ID-003 repeats its "vend valid" until it is acknowledged and does not continue before that, so there
  a new note in escrow means that the previous one was returned.
- A note that was not ordered to be stacked was returned, even if events were missed.
- After a start the state is unknown: the device may hold a note that an earlier run credited, or one whose fate that
  run did not learn. The journal tells which, so both are reported: first that the device continued (which ends a
  credited note), then that the fate is unknown (which ends an uncredited one).
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from drivers.capabilities import BillListener, Verdict
from drivers.clock import Clock
from drivers.note_alarms import Back, NoteAlarms

STUCK_S: Final = 300.0
"""Timeout for the end of a note that was ordered to be stacked; it gives an attendant time to clear a jam."""


class Note(msgspec.Struct):
    """A note in escrow, or the ticket with the barcode `ticket`, which has no value here.

    `stack_ordered` is set before the stack command is sent: from then on its fate is open.
    """

    escrow_code: int
    value_cents: int | None
    ticket: str = ""
    verdict: Verdict | None = None
    stack_ordered: bool = False


class NoteFate:
    """Tracks the note as one session of the driver sees it."""

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
        self._power_was_cut = False

    def __repr__(self) -> str:
        return f"<NoteFate note={self.note} credited={self._credited}>"

    @property
    def settled(self) -> bool:
        """Whether no note is left to settle when the device is at rest."""
        return self.no_note_in_path and not self._may_be_unacknowledged

    @property
    def no_note_in_path(self) -> bool:
        """Whether no note is in escrow, and none is on its way to the stacker."""
        return self.note is None and not self._may_be_stacked

    @property
    def overdue(self) -> bool:
        """Whether a note that was ordered to be stacked has timed out or was given up."""
        waited = self._clock.now() - self._ordered_at >= STUCK_S
        return self._may_be_stacked and (waited or self._alarms.given_up_at >= self._ordered_at)

    def restarted(self, *, in_acceptor: bool) -> None:
        """Record a power cut or reset; `in_acceptor` says that the note is known not to be in the stacker."""
        self._found_in_acceptor = in_acceptor
        self._credited = False
        self._power_was_cut = True

    def stacking(self, note: Note) -> None:
        """Record that the stack command is about to be sent."""
        if not note.stack_ordered:
            self._ordered_at = self._clock.now()
        note.stack_ordered = True
        self._may_be_stacked = True

    async def stack_never_ordered(self) -> None:
        """Close the listener's open note, if any: it was never ordered to be stacked, so the player has it."""
        await self.device_continued()
        await self._listener.bill_never_ordered()
        self._may_be_stacked = False

    async def left_by_other_validator(self) -> None:
        """Settle a note whose stack order went to another validator or by another protocol: its fate is unknown."""
        self.restarted(in_acceptor=False)
        await self.at_rest()

    async def device_continued(self) -> None:
        """Record that the device has continued after its last "vend valid"."""
        self._credited = False
        if self._may_be_unacknowledged:
            await self._listener.bill_acknowledged()
            self._may_be_unacknowledged = False

    async def another_in_escrow(self) -> None:
        """Record that another note is in escrow: one that was ordered to be stacked becomes unknown."""
        await self.device_continued()
        if self._may_be_stacked:
            await self._listener.bill_unknown("another note came into escrow before its end was reported")
        elif self.note is not None:
            await self._listener.bill_returned("another note is in escrow, and it was never ordered to be stacked")
        self.note = None
        self._may_be_stacked = False

    async def in_escrow(self, escrow_code: int, value_cents: int | None, *, ticket: str = "") -> Note:
        """Return the note in escrow, the known one or a new one; `ticket` is a ticket's barcode number.

        An open note from an earlier escrow is not in the stacker: the device would still repeat its "vend valid",
        because it does not continue before the ACK, and after a power cut notes stay inhibited until all is settled.
        For a device that does not repeat it, call `another_in_escrow` first.
        """
        await self.device_continued()
        if self.note is not None and (self.note.escrow_code, self.note.ticket) == (escrow_code, ticket):
            return self.note
        if self.note is not None or self._may_be_stacked:
            await self._listener.bill_returned("a note is in escrow, so the one before it was not stacked")
            self._may_be_stacked = False
        self.note = Note(escrow_code, value_cents, ticket)
        self._found_in_acceptor = self._power_was_cut = False
        return self.note

    async def judge(self, note: Note, hold_until: Callable[[asyncio.Future[Verdict]], Awaitable[None]]) -> bool:
        """Get the verdict for `note` unless it has one; a note without value and number is returned without asking.

        `hold_until` holds the note in escrow until the listener answers. Return whether the listener was asked.
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
        """Credit the note; when this returns the device may be acknowledged.

        `value_cents` is the value in the message; without it the note or ticket seen in escrow is used.
        """
        if value_cents is None and self.note is not None and self.note.ticket:
            await self.ticket_stacked()
            return
        if value_cents is None and self.note is not None:
            value_cents = self.note.value_cents
        await self._listener.bill_stacked(value_cents)
        self._note_end_reported()

    async def ticket_stacked(self) -> None:
        """Redeem the ticket: the device reports that it is in the cash box."""
        await self._listener.ticket_stacked()
        self._note_end_reported()

    def _note_end_reported(self) -> None:
        """Record that the device reported the note in hand as stored."""
        self.note = None
        self._credited = True
        self._may_be_stacked = False
        self._may_be_unacknowledged = True

    async def stacked(self) -> None:
        """Handle "stacked": the note is in the cash box."""
        if self.note is not None and self.note.stack_ordered and self._may_be_stacked:
            await self.vend_valid(None)
        await self.device_continued()

    async def stacked_unrecognised(self, reason: str) -> None:
        """Record that a note without a reported value is in the cash box; it is not assumed to be the note in hand."""
        await self.device_continued()
        if self._may_be_stacked:
            await self._listener.bill_unknown(reason)
        else:
            await self._listener.bill_stacked(None)
        self.note = None
        self._may_be_stacked = False
        self._may_be_unacknowledged = True
        await self.device_continued()

    async def going_back(self, reason: str, *, how: Back, certain: bool = True) -> None:
        """Record that a note is being returned; `certain` is False if the note in hand may still be in the stacker.

        If this session knows neither the note nor its place after a power cut, the returned note may not be the one in
        the journal, which is then settled when the device is at rest.
        """
        if self._credited:
            await self.device_continued()
        known = self.note is not None or self._found_in_acceptor
        if self._may_be_stacked and not (known and certain):
            return
        await self._listener.bill_returned(reason)
        from_escrow = self._left_escrow()
        self.note = None
        self._may_be_stacked = False
        await self._alarms.came_back(how, from_escrow=from_escrow, reason=reason)

    def _left_escrow(self) -> bool:
        """Return whether the returned note was in escrow and neither the cabinet nor a power cut caused its return."""
        return self.note is not None and self.note.verdict is not Verdict.RETURN and not self._power_was_cut

    async def at_rest(self) -> None:
        """Settle the last note: the device is at rest and will report nothing more about it."""
        await self.device_continued()
        if self._may_be_stacked:
            await self._listener.bill_unknown("the validator rests and reported neither its stacking nor its return")
        elif self.note is not None:
            reason = "it left the escrow, and was never ordered to be stacked"
            await self._listener.bill_returned(reason)
            await self._alarms.came_back(Back.RETURNED, from_escrow=self._left_escrow(), reason=reason)
        self.note = None
        self._may_be_stacked = False
        self._found_in_acceptor = self._power_was_cut = False
