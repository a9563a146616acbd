"""One host port: answers the link's polls from the journal's figures and the machine (a `drivers.sas.link.Desk`)."""

import logging
from collections.abc import Callable
from typing import Final

from common.error_words import error_words
from controller.errors import LockingError
from controller.features.sas import queue as host_queue
from controller.features.sas.acts import Acts
from controller.features.sas.answers import Answer, Handlers, Plain, Readers, Report
from controller.features.sas.cashless import Cashless
from controller.features.sas.events import HostEvent
from controller.features.sas.hosted import Hosted
from controller.features.sas.identity import Identity
from controller.features.sas.reading import Reading
from controller.features.sas.reminders import NUMBER, Reminders
from controller.features.sas.reported import outside_real_time
from controller.features.sas.ticketing import Ticketing
from controller.journal.errors import RefusedError
from controller.machine.tickets import Tickets
from drivers.sas.denominations import (
    CODES,
    DENOMINATED,
    ERROR_BASE,
    MALFORMED,
    NOT_IN_THIS_FORM,
    NOT_PLAYED,
    NOT_SUPPORTED,
    Denominated,
    read_denominated,
)
from drivers.sas.exceptions import PRIORITY
from drivers.sas.frames import CRC_BYTES, HEAD, Poll, is_whole, masked_frame
from drivers.sas.link import Pending, Reply
from drivers.sas.tickets import ELEMENTS, TERMS, TEXT

_log = logging.getLogger(__name__)

AWARE: Final = frozenset({0x09, 0x11, 0x12, 0x14, 0x15, 0x16, 0x17, 0x2F, 0x56, 0x6F, 0xAF, 0xB5})
"""The polls that accept a denomination (sas.md, section 5.4)."""
SET_CLOCK: Final = 0x7F
BROADCAST: Final = frozenset({SET_CLOCK, TERMS, ELEMENTS, TEXT})
"""The broadcasts that are carried out; all others are ignored. No broadcast is answered."""


class Desk:
    """Answers one host. Real time is off after each start, until the host asks for it (0E)."""

    def __init__(self, hosted: Hosted, look: Callable[[], None], tickets: Tickets) -> None:
        self.hosted = hosted
        self.cashless = Cashless(hosted, look)
        self.ticketing = Ticketing(hosted, tickets)
        acts = Acts(hosted, self._set_real_time)
        self.reminders = (*self.ticketing.reminders, *self.cashless.reminders, *acts.reminders)
        self._reminders = Reminders(hosted.clock, self.reminders)
        self.readers: Readers = {**Reading(hosted).readers, **Identity(hosted).readers}
        self.handlers: Handlers = {
            **acts.handlers,
            **self.cashless.handlers,
            **self.ticketing.handlers,
            DENOMINATED: self._denominated,
        }

    @property
    def real_time(self) -> bool:
        """Whether the host wants exceptions in the answer to any poll."""
        return self.hosted.name in self.hosted.observer.in_real_time

    def _set_real_time(self, on: bool) -> None:  # noqa: FBT001 - a callback's only argument
        if on:
            self.hosted.observer.in_real_time.add(self.hosted.name)
        else:
            self.hosted.observer.in_real_time.discard(self.hosted.name)

    def pending(self) -> Pending | None:
        """Return the next exception: the first of the queue, or a reminder that is due.

        A reminder with priority goes before the exceptions without: a host that never empties its queue needs it too.
        """
        queue = self.hosted.now.queues.get(self.hosted.name, ())
        if not queue:
            return self._reminders.due()
        waiting = queue[0]
        if waiting.code not in PRIORITY and (reminder := self._reminders.due(has_priority=True)) is not None:
            return reminder
        code = waiting.code if self.real_time else outside_real_time(waiting.code, waiting.data)
        return Pending(waiting.number, code, waiting.data)

    async def acknowledged(self, exception: Pending) -> None:
        """Remove an acknowledged exception from the queue durably; a reminder is not in the queue."""
        name = self.hosted.name
        self._reminders.reported(exception.code)
        if exception.number != NUMBER:
            await self.hosted.parts.journal.attempt(lambda tx: host_queue.acknowledge(tx, name, exception.number))

    async def answer(self, poll: Poll) -> Reply | None:
        """Return the answer to a long poll, None for silence."""
        answer = await self._answer(poll)
        if answer is not None:
            self._reminders.asked(poll.command)
        return None if answer is None else Reply(answer.frame, answer.arrived)

    async def _answer(self, poll: Poll) -> Answer | None:
        if (read := self.readers.get(poll.command)) is not None:
            frame = read(poll)
            return None if frame is None else Plain(frame)
        if (handle := self.handlers.get(poll.command)) is not None:
            return await handle(poll)
        return None

    async def broadcast(self, poll: Poll) -> None:
        """Carry out a broadcast of the clock or of ticket terms, and ignore all others."""
        handle = self.handlers.get(poll.command)
        if poll.command in BROADCAST and handle is not None:
            await handle(poll)

    def failed(self, poll: Poll, error: Exception) -> None:
        """Log a poll that stays unanswered after a program error or a refused change.

        Raise any other `LockingError`, which locks the cabinet.
        """
        if isinstance(error, LockingError) and not isinstance(error, RefusedError):
            raise error
        name = self.hosted.name
        _log.error("%s: no answer to %s", name, poll, exc_info=error)
        self.hosted.parts.journal.remark(
            HostEvent.HOST_UNANSWERED,
            place=name,
            command=f"{poll.command:02X}",
            reason=error_words(error),
            frame=masked_frame(poll.raw),
        )

    def link(self, *, up: bool, why: str) -> None:
        """Log that the host started or stopped polling."""
        name, journal = self.hosted.name, self.hosted.parts.journal
        self.ticketing.link_up = up
        if up:
            journal.remark(HostEvent.HOST_THERE, place=name)
        else:
            journal.remark(HostEvent.HOST_GONE, place=name, reason=why)

    async def _denominated(self, poll: Poll) -> Answer:
        """Answer a poll for the accounting denomination (0 means this one) and refuse other denominations."""
        asked = read_denominated(poll.raw)
        settings = self.hosted.settings
        own = CODES.get(settings.denomination_cents, 0)
        played = {CODES.get(cents, 0) for cents in self.hosted.config.games.coin_values_cents}
        error = 0
        if asked.base not in AWARE:
            error = NOT_SUPPORTED
        elif asked.denomination not in {0, own}:
            error = NOT_IN_THIS_FORM if asked.denomination in played else NOT_PLAYED
        elif not is_whole(asked.base, asked.data):
            error = MALFORMED
        answer = None if error else await self._answer(Poll(settings.address, asked.base, asked.data))
        if answer is None:
            code = bytes((error or NOT_SUPPORTED,))
            return Plain(Denominated(settings.address, asked.denomination, ERROR_BASE, code).encode())
        inner = answer.frame[HEAD:-CRC_BYTES] if len(answer.frame) > HEAD else answer.frame
        frame = Denominated(settings.address, own, asked.base, inner).encode()
        return Report(frame, answer.receipt) if isinstance(answer, Report) else Plain(frame)
