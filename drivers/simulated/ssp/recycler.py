"""An NV200 with a SMART Payout: a bill validator that keeps notes and pays with them (GA138, "SMART Payout")."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Mapping
from typing import ClassVar, Final

from drivers.currency import EURO
from drivers.simulated.note_path import NOTE_NUMBERS, Paper
from drivers.simulated.ssp.bill_validator import SERIAL, SimulatedSspValidator, SspHabits
from drivers.simulated.ssp.encryption import Encryption
from drivers.simulated.ssp.fault_model import FAULT_MODEL
from drivers.simulated.ssp.frames import Command, Reply
from drivers.simulated.ssp.payout import FIRST_PROTOCOL, PayoutDevice
from drivers.simulated.ssp.payout_store import TO_PAYOUT, PayoutStore, StoreHabits
from drivers.simulated.whereabouts import Piece, Spot, together

UNIT_TYPE: Final = 0x06
BUILD: Final = bytes((0, 0, 1, UNIT_TYPE, 0, 1))
CAPACITY: Final = 80
"""Notes of a SMART Payout."""
MOVES_S: Final = 1.0
"""The time that a note not kept in the store takes to the cash box."""
REFILL: Final = bytes((0x05, 0x81, 0x10))
"""The first bytes of a refill mode command; 01 queries, 11 sets (GA138, page 120)."""
ASKS_REFILL, SETS_REFILL = 0x01, 0x11
NOTE_HABITS: Final = StoreHabits(grip_s=0.5, exit_s=1.0, after_cut="out")
HABITS: Final = SspHabits(encrypts=True, acknowledges=True)


class SimulatedRecycler(PayoutDevice, SimulatedSspValidator):
    """The device; `stored` are the notes in its payout store, by their value in cents.

    `note_out(cents)` is called for each note that it pays, `stacked(cents)` for each that reaches the cash box, from
    its note slot or from the store. It keeps notes while the payout is enabled (5C), by their routes, and while there
    is room. The refill mode can be set and queried without effect: no simulated note is unfit for the store.
    """

    kind: ClassVar = "SSP recycler"
    unit_type: ClassVar = UNIT_TYPE
    first_protocol: ClassVar = FIRST_PROTOCOL
    rows: ClassVar = FAULT_MODEL["SSP recycler"]

    def __init__(
        self,
        *,
        returned: Callable[[Paper], None],
        stacked: Callable[[Paper], None],
        note_out: Callable[[int], None],
        stored: Mapping[int, int] | None = None,
        changed: Callable[[], None] | None = None,
        habits: SspHabits | None = None,
        store_habits: StoreHabits | None = None,
        serial: int = SERIAL,
        currency: str = EURO.code,
        value_cents: int = 1000,
        encryption: Encryption | None = None,
        chance: random.Random | None = None,
    ) -> None:
        SimulatedSspValidator.__init__(
            self,
            returned=returned,
            stacked=stacked,
            changed=changed,
            habits=habits if habits is not None else HABITS,
            serial=serial,
            currency=currency,
            chance=chance,
        )
        PayoutDevice.__init__(self, self.address, encryption or Encryption(), currency)
        self.value_cents = value_cents
        self.lifetime = 0
        self._note_out = note_out
        self._payout_enabled = False
        self._refills = False
        self.store = PayoutStore(
            tuple(NOTE_NUMBERS),
            stored or {},
            happened=self.happened,
            paid=self._paid,
            boxed_in=stacked,
            changed=changed,
            habits=store_habits if store_habits is not None else NOTE_HABITS,
            mishaps=self.mishaps,
            notes=True,
        )
        self._moves: set[asyncio.TimerHandle] = set()
        # the factory setting routes every note to the cash box
        self.store.routes = {value: TO_PAYOUT if (stored or {}).get(value) else 1 for value in NOTE_NUMBERS}

    @property
    def stock(self) -> int:
        """The number of notes in its payout store; setting it adds counted notes of `value_cents`, as many as fit."""
        return self.store.stock

    @stock.setter
    def stock(self, notes: int) -> None:
        self.store.refill(self.value_cents, min(notes, CAPACITY))

    def power(self, *, on: bool) -> None:
        """Switch the mains; the non-volatile state of the validator and its store is kept."""
        if on == self.powered:
            return
        self._payout_enabled = False
        for timer in self._moves:
            timer.cancel()
        self._moves.clear()
        if not on:
            self._cut_payout()
        super().power(on=on)
        if on:
            self._start_payout()

    def _push(self, paper: Paper) -> None:
        if self.store.operation is not None:
            self._refuse(paper)
            return
        super()._push(paper)

    def _keep(self, note_cents: int) -> bool:
        room = self.store.stock < CAPACITY
        if not (self._payout_enabled and room and self.store.routes[note_cents] == TO_PAYOUT):
            return False
        self.store.add(note_cents)
        if self.store.mishaps.happens("moves_to_box"):
            timer = asyncio.get_running_loop().call_later(MOVES_S, self.store.transfer, note_cents)
            self._moves.add(timer)
        return True

    def _become_another(self) -> None:
        super()._become_another()
        self._happenings, self._reported = [], []
        self.store.swap({})
        self.lifetime = 0

    def money(self) -> dict[Spot, Counter[Piece]]:
        """Return what physically lies at each spot, in the note path and in the store."""
        return together(super().money(), self.store.money())

    def troubles(self) -> dict[str, Callable[[int], None]]:
        """Return what can be triggered in the note path and in the store."""
        return {**self.store.troubles(), **super().troubles()}

    def _paid(self, value_cents: int) -> None:
        self.lifetime += 1
        self._counters[2] += 1
        self._note_out(value_cents)

    def _may_pay(self) -> bool:
        return self._payout_enabled

    def _obey(self, command: int, data: bytes) -> bytes:
        reply = self._payout_command(command, data)
        if reply is not None:
            return reply
        match command:
            case Command.ENABLE_PAYOUT | Command.DISABLE_PAYOUT:
                self._payout_enabled = command == Command.ENABLE_PAYOUT
            case Command.REFILL_MODE if data[:3] == REFILL:
                return self._refill(data[3:])
            case Command.BUILD_REVISION:
                return bytes((Reply.OK,)) + BUILD
            case Command.EVENT_ACK:
                self._acknowledge_payout()
                return super()._obey(command, data)
            case _:
                return super()._obey(command, data)
        return bytes((Reply.OK,))

    def _refill(self, order: bytes) -> bytes:
        """Set or return the refill mode; ignore the bytes that follow (a public host's 52 F5)."""
        if order[:1] == bytes((ASKS_REFILL,)):
            return bytes((Reply.OK, self._refills))
        if len(order) < 2 or order[0] != SETS_REFILL:  # noqa: PLR2004 - the order and on or off
            return bytes((Reply.WRONG_PARAMETERS,))
        self._refills = bool(order[1])
        return bytes((Reply.OK,))

    def _poll(self, *, keep: bool = False) -> bytes:
        notes = super()._poll(keep=keep)
        return notes + self._payout_events(keep=keep)
