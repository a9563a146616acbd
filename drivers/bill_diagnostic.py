"""Service test of a bill validator: a listener that returns every note during the test (M12)."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Literal, NamedTuple

from drivers.capabilities import BillListener, Verdict

HOLD_S: Final = 3.0
"""How long a test holds a note in escrow; every validator allows a longer time (protocols.md, 1 and 2)."""


class NoteSight(NamedTuple):
    """An event of a note in a test: its value if known, what became of it, and `detail` in words.

    `ticket` is the barcode number of a ticket in escrow.
    """

    what: Literal["escrow", "returned", "stacked"]
    value_cents: int | None = None
    detail: str = ""
    ticket: str = ""


class BillDiagnostic:
    """The listener of a validator's sessions: forwards to the cabinet's listener, but decides itself while `testing`.

    In a test a note in escrow is held, reported to `on_sight`, and returned; it is not journaled as money. All other
    reports are forwarded: a note that was ordered to be stacked before is credited as usual, and a note that the device
    stacks against its orders becomes an open item. `identity` is the device's reported identity.
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
        """Whether a test is running."""
        return not self._over.is_set()

    def test(self, *, on: bool) -> None:
        """Start or end the test; at its end a held note is returned at once."""
        if on:
            self._over.clear()
        else:
            self._over.set()

    async def bill_in_escrow(self, value_cents: int) -> Verdict:
        """Ask the listener for a verdict; in a test hold the note for `HOLD_S` and return it."""
        if not self.testing:
            return await self._listener.bill_in_escrow(value_cents)
        return await self._hold(NoteSight("escrow", value_cents))

    async def ticket_in_escrow(self, number: str) -> Verdict:
        """Ask the listener for a verdict; in a test hold the ticket for `HOLD_S` and return it."""
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
        """Close the open escrow without credit; in a test there is none."""
        await self._listener.bill_never_ordered()

    async def bill_stacked(self, value_cents: int | None) -> None:
        """Credit the note of the open escrow once; in a test there is no open escrow."""
        await self._listener.bill_stacked(value_cents)
        if self.testing:
            self.on_sight(NoteSight("stacked", value_cents))

    async def ticket_stacked(self) -> None:
        """Redeem the ticket of the open escrow once; in a test there is no open escrow."""
        await self._listener.ticket_stacked()
        if self.testing:
            self.on_sight(NoteSight("stacked"))

    async def bill_dialogue(self) -> str | None:
        """Return the journaled text of the driver about the note in hand."""
        return await self._listener.bill_dialogue()

    async def bill_dialogue_at(self, words: str) -> None:
        """Journal the driver's text about the note in hand."""
        await self._listener.bill_dialogue_at(words)

    async def bills_heard(self) -> str | None:
        """Return the journaled text of the driver about the device's last reports."""
        return await self._listener.bills_heard()

    async def bills_heard_at(self, words: str) -> None:
        """Journal the driver's text about the device's last reports."""
        await self._listener.bills_heard_at(words)

    async def bill_acknowledged(self) -> None:
        """Record that the device went on after its ACK."""
        await self._listener.bill_acknowledged()

    async def bill_unknown(self, reason: str) -> None:
        """Turn the open escrow, if any, into an open item."""
        await self._listener.bill_unknown(reason)

    async def device_found(self, device: str, identity: str) -> None:
        """Forward and store the device's identity."""
        await self._listener.device_found(device, identity)
        self.identity = identity

    async def device_fault(self, device: str, code: str, *, present: bool, detail: str = "") -> None:
        """Raise a fault, or report that it is over."""
        await self._listener.device_fault(device, code, present=present, detail=detail)
