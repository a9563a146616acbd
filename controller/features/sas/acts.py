"""What a host may do at this cabinet. Each act is logged as an event with the host as the actor (docs/host-port.md).

No act changes a round or the credit: an open round pauses and continues when the machine is enabled again.
"""

from collections.abc import Callable
from datetime import datetime
from enum import IntEnum
from typing import Final, TypeVar

from controller.features.sas import notes
from controller.features.sas import queue as host_queue
from controller.features.sas.answers import Answer, Handlers, Plain, Report, accepted, refused
from controller.features.sas.hosted import Hosted
from controller.features.sas.reading import game_in
from controller.features.sas.reminders import Reminder
from controller.features.sas.state import (
    change_state,
    choose_reset,
    host_at,
    record_act,
    resets_to_credit,
    switch_game,
)
from controller.journal import payouts
from controller.journal.actor import acting
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.receipt import Receipt
from controller.journal.transaction import Transaction
from controller.system.clock_watch import utc_text
from drivers.sas.exceptions import Code
from drivers.sas.frames import Poll, answer
from drivers.sas.numbers import bcd
from gamekit.catalogue import name_of

T = TypeVar("T")


class Undone(IntEnum):
    """Why the polls 94 and A8 changed nothing (sas.md, section 3)."""

    UNABLE = 0x01
    NO_HAND_PAY = 0x02


_DONE: Final = 0x00
"""The answer code of 94 and A8 after a change."""
_BY_HAND, _TO_CREDIT = 0x00, 0x01
_HAND_PAY: Final = 0x1B
_BCD_DATE_TIME: Final = "%m%d%Y%H%M%S"

SWITCHES: Final = {
    0x01: ("machine", "machine_off", {"machine_off": True}),
    0x02: ("machine", "machine_on", {"machine_off": False}),
    0x03: ("sound", "sound_off", {"sound_off": True}),
    0x04: ("sound", "sound_on", {"sound_off": False}),
    0x06: ("notes", "notes_on", {"notes_off": False}),
    0x07: ("notes", "notes_off", {"notes_off": True}),
    0x0A: ("maintenance", "maintenance_on", {"maintenance": True}),
    0x0B: ("maintenance", "maintenance_off", {"maintenance": False}),
}
"""The polls that switch something: the permission that the host needs, what is logged, and the changed fields."""


class Acts:
    """One host's acts. A host without the permission gets a NACK; a repeated request is carried out once."""

    def __init__(self, hosted: Hosted, set_real_time: Callable[[bool], None]) -> None:
        self._hosted = hosted
        self._set_real_time = set_real_time
        self.reminders = (Reminder(Code.HAND_PAY_PENDING, self._hand_pay_number, read_by=_HAND_PAY),)
        self.handlers: Handlers = {
            **dict.fromkeys(SWITCHES, self._switch),
            0x05: self._reel_sound,
            0x08: self._bills,
            0x09: self._game,
            0x0E: self._real_time,
            _HAND_PAY: self._hand_pay,
            0x7F: self._clock,
            0x94: self._reset_hand_pay,
            0xA8: self._reset_method,
        }

    async def _do(self, act: Callable[[Transaction], T]) -> Receipt[T]:
        """Commit an act whose ledger rows name the host as the actor."""
        hosted = self._hosted
        with acting(host_at(hosted.name)):
            return await hosted.parts.journal.commit(act)

    async def _switch(self, poll: Poll) -> Answer:
        hosted = self._hosted
        allowed, what, changes = SWITCHES[poll.command]
        if not hosted.may(allowed):
            return refused(hosted.address)
        done = await self._do(lambda tx: change_state(tx, hosted.name, what, **changes))
        return accepted(hosted.address, done)

    async def _reel_sound(self, _poll: Poll) -> Plain:
        """Refuse: the reels have no sound that could be switched off separately."""
        return refused(self._hosted.address)

    async def _bills(self, poll: Poll) -> Answer:
        """Accept only the notes whose bits are set; the flag for the behaviour after the next note is ignored."""
        hosted = self._hosted
        if not hosted.may("notes"):
            return refused(hosted.address)
        mask = int.from_bytes(poll.data[:4], "little")
        taken = tuple(units * 100 for code, units in enumerate(notes.VALUES) if mask >> code & 1)
        done = await self._do(lambda tx: change_state(tx, hosted.name, "bills", bills=taken))
        return accepted(hosted.address, done)

    async def _game(self, poll: Poll) -> Answer | None:
        hosted, game = self._hosted, game_in(poll)
        name = name_of(game)
        if name is None:
            return None
        if not hosted.may("games"):
            return refused(hosted.address)
        on = bool(poll.data[2])
        return accepted(hosted.address, await self._do(lambda tx: switch_game(tx, hosted.name, name, on=on)))

    async def _real_time(self, poll: Poll) -> Report:
        """Switch real-time reporting on or off; switching on drops queued exceptions without a real-time form."""
        hosted, on = self._hosted, bool(poll.data[0])
        self._set_real_time(on)

        def act(tx: Transaction) -> None:
            if on:
                host_queue.drop(tx, hosted.name, Code.GAME_STARTED)

        return accepted(hosted.address, await hosted.parts.journal.commit(act))

    async def _clock(self, poll: Poll) -> Answer:
        """Set the clock. The link sends no answer to a broadcast."""
        hosted = self._hosted
        if not hosted.may("clock"):
            return refused(hosted.address)
        try:
            wall_ms = int(datetime.strptime(poll.data.hex(), _BCD_DATE_TIME).astimezone().timestamp() * 1000)
        except ValueError:
            return refused(hosted.address)

        def intend(tx: Transaction) -> None:
            before, after = utc_text(tx.at_ms), utc_text(wall_ms)
            tx.event(Event.CLOCK_SET, who=hosted.name, before=before, after=after, from_ms=tx.at_ms, to_ms=wall_ms)

        done = await self._do(intend)
        try:
            hosted.computer.set_clock(wall_ms)
        except RefusedError as error:
            reason = str(error)
            await self._do(lambda tx: tx.event(Event.CLOCK_NOT_SET, reason=reason))
            return refused(hosted.address)
        hosted.clock_watch.settle()
        return accepted(hosted.address, done)

    def _hand_pay_number(self) -> int | None:
        waiting = self._hosted.now.hand_pay
        return None if waiting is None else waiting.id

    async def _hand_pay(self, poll: Poll) -> Plain:
        """Answer with the pending hand-pay. The values of level and reset id are not public and are sent as 0."""
        waiting = self._hosted.now.hand_pay
        amount = bcd(0 if waiting is None else waiting.amount_cents, 5)
        frame = answer(self._hosted.address, poll.command, bytes(2) + amount + bytes(2) + bytes(1) + bytes(10))
        return Plain(frame)

    async def _reset_hand_pay(self, poll: Poll) -> Answer:
        """Confirm the pending hand-pay, or return it to the credit if the host has chosen that (A8)."""
        hosted, parts = self._hosted, self._hosted.parts
        if hosted.now.hand_pay is None:
            return self._undone(poll, Undone.NO_HAND_PAY)
        if not hosted.may("hand_pay") or parts.conditions.overlay is not None:
            return self._undone(poll, Undone.UNABLE)
        done = await self._do(lambda tx: reset_hand_pay(tx, hosted.name))
        parts.states.money_came()
        return self._done(poll, done)

    async def _reset_method(self, poll: Poll) -> Answer:
        hosted = self._hosted
        if hosted.now.hand_pay is None:
            return self._undone(poll, Undone.NO_HAND_PAY)
        if not hosted.may("hand_pay") or poll.data[0] not in (_BY_HAND, _TO_CREDIT):
            return self._undone(poll, Undone.UNABLE)
        to_credit = poll.data[0] == _TO_CREDIT
        return self._done(poll, await self._do(lambda tx: choose_reset(tx, to_credit=to_credit)))

    def _done(self, poll: Poll, done: Receipt[bool]) -> Answer:
        """Return the answer to an act; NO_HAND_PAY if the hand-pay ended after the poll was checked."""
        if not done.result:
            return self._undone(poll, Undone.NO_HAND_PAY)
        return Report(answer(self._hosted.address, poll.command, bytes((_DONE,))), done)

    def _undone(self, poll: Poll, why: Undone) -> Plain:
        return Plain(answer(self._hosted.address, poll.command, bytes((why,))))


def reset_hand_pay(tx: Transaction, port: str) -> bool:
    """End the pending hand-pay as the host at `port` has chosen (A8) and log it; return False if none is pending."""
    if payouts.open_hand_pay(tx) is None:
        return False
    if resets_to_credit(tx):
        payouts.cancel_hand_pay(tx)
        record_act(tx, port, "hand_pay_to_credit")
    else:
        payouts.confirm_hand_pay(tx)
        record_act(tx, port, "hand_pay_reset")
    return True
