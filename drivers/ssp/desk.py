"""Where a validator's conversation and its note recycler meet: both speak to one device over one link.

The conversation polls, and passes on what each answer says; the recycler's commands take turns with it. A note that is
stored while a payout is open would change the levels by which that is counted: so none is taken before the recycler
says that every payout is accounted for. What the device says of a payout is acknowledged when the recycler has it in
the books, and not before: a second power cut would take it along.
"""

import asyncio
from typing import Final

from drivers.errors import NoReplyError
from drivers.ssp.link import SspLink
from drivers.ssp.payout_events import ACKNOWLEDGED
from drivers.ssp.protocol import PolledEvent

FORGET_S: Final = 2.0
"""Within this the conversation has polled and acknowledged, unless the device has said something new."""


class RecyclerDesk:
    """One device with a recycler. `takes_notes` is the recycler's leave; `at_rest` what the conversation last saw.

    `still` is whether no note was on its way then; `at_rest` says besides that none is taken. `repeats` is whether the
    device repeats what it says until it is acknowledged.
    """

    def __init__(self, path: str) -> None:
        self.link: SspLink | None = None
        self.serial = 0
        self.takes_notes = False
        self.at_rest = False
        self.still = False
        self._path = path
        self._unread: list[PolledEvent] = []
        self._owed: list[PolledEvent] = []
        self._booked: list[PolledEvent] = []
        self._forgotten = False
        self.repeats = False
        self._forgets = asyncio.Event()
        self._waiting: set[asyncio.Future[tuple[PolledEvent, ...]]] = set()

    def __repr__(self) -> str:
        return f"<RecyclerDesk {self._path} {'open' if self.link else 'closed'}>"

    def joined(self, link: SspLink, serial: int) -> None:
        """The conversation knows who answers, and has a key with it."""
        self.link, self.serial = link, serial

    def left(self) -> None:
        """The conversation is over: whoever waits for a poll hears of it."""
        if self.link is not None:
            self.link.drop()
        self.link = None
        self.takes_notes = self.at_rest = self.still = False
        self._owed, self._booked, self._forgotten = [], [], False
        self._forgets.set()
        for each in self._waiting:
            if not each.done():
                each.set_exception(self.away())
        self._waiting.clear()

    def away(self) -> NoReplyError:
        """Return what to raise while nobody speaks with the device."""
        return NoReplyError(f"{self._path}: the bill validator does not answer, and so neither does its recycler")

    def polled(self, events: tuple[PolledEvent, ...]) -> None:
        """Pass on what a poll's answer said; while nobody waits it is kept.

        What a device repeats until it is acknowledged is passed on once.
        """
        known = [*self._booked, *self._owed, *self._unread]
        fresh = []
        for one in events:
            if one in known:
                known.remove(one)
            else:
                fresh.append(one)
        events = (*self._unread, *fresh)
        repeated = [one for one in events if one.event in ACKNOWLEDGED]
        if self._waiting:
            self._owed += repeated
            self._unread = []
        else:
            self._unread = repeated
        for each in self._waiting:
            if not each.done():
                each.set_result(events)
        self._waiting.clear()
        if self._forgotten:  # what was said just now was repeated for the last time
            self._forgotten, self._owed, self._booked = False, [], []

    async def booked(self) -> bool:
        """All that was passed on of payouts is in the books; return whether the device has its acknowledgement."""
        self._booked += self._owed
        self._owed = []
        if self._booked and self.repeats:
            self._forgets.clear()
            try:
                async with asyncio.timeout(FORGET_S):
                    await self._forgets.wait()
            except TimeoutError:
                return False
        return self.link is not None

    def may_forget(self, events: tuple[PolledEvent, ...]) -> bool:
        """Return whether the device need not repeat `events` for the recycler's sake."""
        return all(one in self._booked for one in events if one.event in ACKNOWLEDGED)

    def forgotten(self) -> None:
        """The device will repeat nothing of what it said now: what the next poll says is new."""
        self._forgotten = True
        self._forgets.set()

    async def next_poll(self) -> tuple[PolledEvent, ...]:
        """Return what the next poll's answer says; raise `NoReplyError` where the conversation ends before it."""
        if self.link is None:
            raise self.away()
        waiting: asyncio.Future[tuple[PolledEvent, ...]] = asyncio.get_running_loop().create_future()
        self._waiting.add(waiting)
        try:
            return await waiting
        finally:
            self._waiting.discard(waiting)
