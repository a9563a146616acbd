"""State shared by a validator's session and its note recycler's driver: both use one device over one link.

The session polls and passes on the events; the recycler's commands take turns with the polls. A note that is stored
while a payout is open would change the levels by which the payout is counted, so notes stay inhibited until the
recycler reports that every payout is accounted for. Payout events are acknowledged only after the recycler has booked
them: a second power cut would lose them.
"""

import asyncio
from typing import Final

from drivers.errors import NoReplyError
from drivers.ssp.link import SspLink
from drivers.ssp.payout_events import ACKNOWLEDGED
from drivers.ssp.protocol import PolledEvent

FORGET_S: Final = 2.0
"""Timeout for the session to poll and acknowledge; it takes longer only if the device reports new events."""


class RecyclerDesk:
    """One device with a recycler, shared by its two drivers.

    `takes_notes` is set by the recycler to allow notes. The session sets the rest after each poll: `still` if no note
    is moving, `at_rest` if notes are inhibited too, `repeats` if the device repeats events until they are acknowledged.
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
        """Publish the link; called by the session when the device is identified and a key is negotiated."""
        self.link, self.serial = link, serial

    def left(self) -> None:
        """Withdraw the link at the session's end; pending waits for a poll raise `NoReplyError`."""
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
        """Return the error to raise while there is no session with the device."""
        return NoReplyError(f"{self._path}: the bill validator does not answer, and so neither does its recycler")

    def polled(self, events: tuple[PolledEvent, ...]) -> None:
        """Pass on a poll's events; while nobody waits, keep those that need an acknowledgement.

        An event that the device repeats until it is acknowledged is passed on once.
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
        if self._forgotten:  # the acknowledged events were in this answer for the last time
            self._forgotten, self._owed, self._booked = False, [], []

    async def booked(self) -> bool:
        """Report that all payout events passed on are booked; return whether the device got its acknowledgement."""
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
        """Return whether the recycler has booked all of `events` that need an acknowledgement."""
        return all(one in self._booked for one in events if one.event in ACKNOWLEDGED)

    def forgotten(self) -> None:
        """Record that the session acknowledged the last events: the next poll's events are new."""
        self._forgotten = True
        self._forgets.set()

    async def next_poll(self) -> tuple[PolledEvent, ...]:
        """Wait for the next poll and return its events; raise `NoReplyError` if the session ends first."""
        if self.link is None:
            raise self.away()
        waiting: asyncio.Future[tuple[PolledEvent, ...]] = asyncio.get_running_loop().create_future()
        self._waiting.add(waiting)
        try:
            return await waiting
        finally:
            self._waiting.discard(waiting)
