"""What a bill validator's driver asks of its user, with a service test in between: its notes are all returned (M12)."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Literal, NamedTuple

from drivers.capabilities import BillListener, Verdict

HOLD_S: Final = 3.0
"""How long a test holds a note in escrow; every validator waits longer by itself (protocols.md, 1 and 2)."""


class NoteSight(NamedTuple):
    """What was seen of a note in a test: its value where that is known, and what became of it, `detail` in words.

    A `ticket` is seen by the number in its barcode while it is in escrow.
    """

    what: Literal["escrow", "returned", "stacked"]
    value_cents: int | None = None
    detail: str = ""
    ticket: str = ""


class BillDiagnostic:
    """The listener of a validator's sessions: the cabinet's own, but for notes in escrow while `testing`.

    Such a note is held, reported to `on_sight`, and returned; nothing of it is journaled as money. Whatever else a
    session says goes on to the listener: a note that was ordered to be stacked before is credited as ever, and one that
    the device stacks against its orders is an open item. `identity` is what the device said it is.
    """

    def __init__(self, listener: BillListener) -> None:
        self.identity = ""
        self.on_sight: Callable[[NoteSight], None] = lambda _sight: None
        self._listener = listener
        self._over = asyncio.Event()
        self._over.set()

    def __repr__(self) -> str:
        return f"<BillDiagnostic {'testing' if self.testing else 'open'}>"

    @property
    def testing(self) -> bool:
        """Whether notes are a test's."""
        return not self._over.is_set()

    def test(self, *, on: bool) -> None:
        """Return every note from now on, or have the listener decide again; one that is held goes back at once."""
        if on:
            self._over.clear()
        else:
            self._over.set()

    async def bill_in_escrow(self, value_cents: int) -> Verdict:
        """Let the listener decide; in a test hold the note for a while and return it."""
        if not self.testing:
            return await self._listener.bill_in_escrow(value_cents)
        return await self._hold(NoteSight("escrow", value_cents))

    async def ticket_in_escrow(self, number: str) -> Verdict:
        """Let the listener decide; in a test hold the ticket for a while and return it."""
        if not self.testing:
            return await self._listener.ticket_in_escrow(number)
        return await self._hold(NoteSight("escrow", ticket=number))

    async def _hold(self, sight: NoteSight) -> Verdict:
        self.on_sight(sight)
        with suppress(TimeoutError):
            async with asyncio.timeout(HOLD_S):
                await self._over.wait()
        return Verdict.RETURN

    async def bill_returned(self, reason: str) -> None:
        """Close the open escrow without credit."""
        await self._listener.bill_returned(reason)
        if self.testing:
            self.on_sight(NoteSight("returned", detail=reason))

    async def bill_never_ordered(self) -> None:
        """Close the open escrow without credit; a test has none."""
        await self._listener.bill_never_ordered()

    async def bill_stacked(self, value_cents: int | None) -> None:
        """Credit the note of the open escrow, once; a test's note has none."""
        await self._listener.bill_stacked(value_cents)
        if self.testing:
            self.on_sight(NoteSight("stacked", value_cents))

    async def ticket_stacked(self) -> None:
        """Redeem the ticket of the open escrow, once; a test's ticket has none."""
        await self._listener.ticket_stacked()
        if self.testing:
            self.on_sight(NoteSight("stacked"))

    async def bill_dialogue(self) -> str | None:
        """Return the driver's last words on the note in hand."""
        return await self._listener.bill_dialogue()

    async def bill_dialogue_at(self, words: str) -> None:
        """Keep the driver's words on the note in hand."""
        await self._listener.bill_dialogue_at(words)

    async def bill_acknowledged(self) -> None:
        """Record that the device went on after its ACK."""
        await self._listener.bill_acknowledged()

    async def bill_unknown(self, reason: str) -> None:
        """Turn the open escrow, if any, into an open item."""
        await self._listener.bill_unknown(reason)

    async def device_found(self, device: str, identity: str) -> None:
        """Note who answers."""
        await self._listener.device_found(device, identity)
        self.identity = identity

    async def device_fault(self, device: str, code: str, *, present: bool, detail: str = "") -> None:
        """Raise a fault, or report that it is over."""
        await self._listener.device_fault(device, code, present=present, detail=detail)
