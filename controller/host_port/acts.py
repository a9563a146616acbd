"""What a host may do at this cabinet: each act is an event with the host as the person (docs/host-port.md).

None of it touches a round or the credit: an open round stands still, and goes on when the machine is enabled again.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from controller.host_port import notes
from controller.host_port.hosted import Handlers, Hosted
from controller.host_port.reading import game_in
from controller.host_port.state import (
    change_state,
    choose_reset,
    host_at,
    record_act,
    resets_to_credit,
    switch_game,
)
from controller.journal import host_queue
from controller.journal.actor import acting
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.transaction import Transaction
from controller.machine.ports import Input
from controller.machine.states import State
from controller.system.clock_watch import utc_text
from drivers.sas.exceptions import Code
from drivers.sas.frames import Poll, ack, answer, nack
from drivers.sas.numbers import bcd
from games.catalogue import name_of

_DONE, _UNABLE, _NO_HAND_PAY = 0x00, 0x01, 0x02
"""The answers to 94 and A8 (sas.md, section 3)."""
_BY_HAND, _TO_CREDIT = 0x00, 0x01
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
"""The polls that switch something: what a host must be allowed, what is logged, and what changes."""


class Acts:
    """One host's acts. A host that may not do something gets a NACK; what is asked for twice is done once."""

    def __init__(self, hosted: Hosted, set_real_time: Callable[[bool], None]) -> None:
        self._hosted = hosted
        self._set_real_time = set_real_time
        self.handlers: Handlers = {
            **dict.fromkeys(SWITCHES, self._switch),
            0x05: self._reel_sound,
            0x08: self._bills,
            0x09: self._game,
            0x0E: self._real_time,
            0x1B: self._hand_pay,
            0x7F: self._clock,
            0x94: self._reset_hand_pay,
            0xA8: self._reset_method,
        }

    async def _do(self, act: Callable[[Transaction], object]) -> None:
        """Run an act whose ledger rows carry the host, and have the machine look at what it has changed."""
        hosted = self._hosted
        with acting(host_at(hosted.name)):
            await hosted.parts.journal.attempt(act)

    async def _switch(self, poll: Poll) -> bytes:
        hosted = self._hosted
        allowed, what, changes = SWITCHES[poll.command]
        if not hosted.may(allowed):
            return nack(hosted.address)
        await self._do(lambda tx: change_state(tx, hosted.name, what, **changes))
        return ack(hosted.address)

    async def _reel_sound(self, _poll: Poll) -> bytes:
        """Refuse: the reels have no sound of their own that could be switched off alone."""
        return nack(self._hosted.address)

    async def _bills(self, poll: Poll) -> bytes:
        """Take only the notes whose bits are set; the flag for the time after the next note is not known here."""
        hosted = self._hosted
        if not hosted.may("notes"):
            return nack(hosted.address)
        mask = int.from_bytes(poll.data[:4], "little")
        taken = tuple(units * 100 for code, units in enumerate(notes.VALUES) if mask >> code & 1)
        await self._do(lambda tx: change_state(tx, hosted.name, "bills", bills=taken))
        return ack(hosted.address)

    async def _game(self, poll: Poll) -> bytes | None:
        hosted, game = self._hosted, game_in(poll)
        name = name_of(game)
        if name is None:
            return None
        if not hosted.may("games"):
            return nack(hosted.address)
        on = bool(poll.data[2])
        await self._do(lambda tx: switch_game(tx, hosted.name, name, on=on))
        return ack(hosted.address)

    async def _real_time(self, poll: Poll) -> bytes:
        """Switch real time on or off; what it has no form for is forgotten."""
        hosted, on = self._hosted, bool(poll.data[0])
        self._set_real_time(on)
        if on:
            await hosted.parts.journal.attempt(lambda tx: host_queue.drop(tx, hosted.name, Code.GAME_STARTED))
        return ack(hosted.address)

    async def _clock(self, poll: Poll) -> bytes:
        """Set the clock; to a broadcast nobody answers."""
        hosted = self._hosted
        if not hosted.may("clock"):
            return nack(hosted.address)
        try:
            wall_ms = int(datetime.strptime(poll.data.hex(), _BCD_DATE_TIME).astimezone().timestamp() * 1000)
        except ValueError:
            return nack(hosted.address)

        def intend(tx: Transaction) -> None:
            before, after = utc_text(tx.at_ms), utc_text(wall_ms)
            tx.event(Event.CLOCK_SET, who=hosted.name, before=before, after=after, from_ms=tx.at_ms, to_ms=wall_ms)

        await self._do(intend)
        try:
            hosted.computer.set_clock(wall_ms)
        except RefusedError as error:
            reason = str(error)
            await self._do(lambda tx: tx.event(Event.CLOCK_NOT_SET, reason=reason))
            return nack(hosted.address)
        hosted.clock_watch.settle()
        return ack(hosted.address)

    @property
    def _hand_pay_cents(self) -> int:
        """The hand-pay that waits for an attendant now, 0 for none."""
        parts = self._hosted.parts
        payout = parts.play.payout
        waits = parts.states.state is State.HANDPAY and payout is not None and payout.paid_cents < payout.amount_cents
        return payout.amount_cents if waits and payout is not None else 0

    async def _hand_pay(self, poll: Poll) -> bytes:
        """Answer with the hand-pay that waits; the values of level and reset id are not public, and are 0."""
        amount = bcd(self._hand_pay_cents, 5)
        return answer(self._hosted.address, poll.command, bytes(2) + amount + bytes(2) + bytes(1) + bytes(10))

    async def _reset_hand_pay(self, poll: Poll) -> bytes:
        """Confirm the hand-pay that waits, or give it back to the credit where the host has asked for that."""
        return self._code(poll, await self._reset())

    async def _reset(self) -> int:
        hosted, parts = self._hosted, self._hosted.parts
        to_credit = await parts.journal.attempt(resets_to_credit)
        if not self._hand_pay_cents:
            return _NO_HAND_PAY
        if not hosted.may("hand_pay") or parts.conditions.overlay is not None or not parts.states.is_idle:
            return _UNABLE
        press = Input("press", "collect", turn=parts.states.turn, by=host_at(hosted.name))
        key = Input("key", "attendant", turn=parts.states.turn, by=host_at(hosted.name))
        parts.states.take(press if to_credit else key)
        what = "hand_pay_to_credit" if to_credit else "hand_pay_reset"
        parts.journal.post(lambda tx: record_act(tx, hosted.name, what))
        return _DONE

    async def _reset_method(self, poll: Poll) -> bytes:
        hosted = self._hosted
        if not self._hand_pay_cents:
            return self._code(poll, _NO_HAND_PAY)
        if not hosted.may("hand_pay") or poll.data[0] not in (_BY_HAND, _TO_CREDIT):
            return self._code(poll, _UNABLE)
        to_credit = poll.data[0] == _TO_CREDIT
        waits = await hosted.parts.journal.attempt(lambda tx: choose_reset(tx, to_credit=to_credit))
        return self._code(poll, _DONE if waits else _NO_HAND_PAY)

    def _code(self, poll: Poll, code: int) -> bytes:
        return answer(self._hosted.address, poll.command, bytes((code,)))
