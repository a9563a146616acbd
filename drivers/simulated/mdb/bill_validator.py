"""A simulated MDB bill validator with escrow (MDB/ICP 4.3, section 6).

A power cut clears the events it has not reported; the place of the paper inside and the stacker's bill count are
non-volatile. Behaviour that the specification leaves open is set in `BillHabits`.
"""

import asyncio
import random
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

import msgspec

from drivers.currency import EURO, Currency
from drivers.simulated.front import NOTES_CENTS
from drivers.simulated.mdb.bill_rows import ROWS
from drivers.simulated.mdb.codes import (
    ATTEMPTS,
    MOST_ATTEMPTS,
    STACKER_FULL,
    TYPES,
    VALIDATOR,
    BillRoute,
    Bills,
    BillStatus,
    currency_code,
)
from drivers.simulated.mdb.peripheral import Identity, MdbPeripheral
from drivers.simulated.note_path import NotePath, NoteTimers, NoTickets, Paper, Place
from drivers.simulated.whereabouts import Spot
from drivers.wiring import BillValidator as Settings

DECIMALS: Final = 2
SCALING_CENTS: Final = 100
IDENTITY: Final = Identity(manufacturer="JCM", serial=7, model="DBVSIM", version=0x0100)
ESCROW_YES: Final = 0xFF
FAULTS: Final[dict[str, BillStatus | None]] = {
    "stacker_full": None,
    "stacker_open": BillStatus.CASH_BOX_OUT_OF_POSITION,
    "acceptor_jam": BillStatus.JAMMED,
    "stacker_jam": BillStatus.JAMMED,
    "failure": BillStatus.DEFECTIVE_MOTOR,
    "sensor": BillStatus.SENSOR_PROBLEM,
    "rom": BillStatus.ROM_CHECKSUM_ERROR,
    "cheated": BillStatus.POSSIBLE_CREDITED_BILL_REMOVAL,
    "busy": BillStatus.BUSY,
    "dead": None,
}
"""The faults and their POLL status; a full stacker is reported only by STACKER, a dead unit does not answer."""
Answerer = Callable[[bytes], bytes | None]


class BillHabits(msgspec.Struct, frozen=True, kw_only=True):
    """Times in seconds, and behaviours in which real validators differ.

    `level` 2 supports features and the second identification. `repeats_faults`: a fault is reported in every POLL while
    it lasts, not once. `reports_busy`: "busy" while a bill moves. `finishes_reported`: a bill that a power cut caught
    on its way into the stacker is reported as stacked after the start. `keeps_count`: the stacker's count outlasts a
    power cut; opening the box resets it to 0. `late_count_s` is the delay of a late count. `short_setup`: SETUP ends
    after the last bill type.
    """

    level: int = 1
    capacity: int = 300
    read_s: float = 0.4
    stack_s: float = 0.5
    return_s: float = 0.6
    repeats_faults: bool = False
    reports_busy: bool = False
    finishes_reported: bool = False
    keeps_count: bool = True
    late_count_s: float = 45.0
    short_setup: bool = False


class SimulatedMdbBills(NotePath, MdbPeripheral):
    """The device; `returned` and `stacked` are called with a note's value when it is out again or in the cash box.

    `changed` is called whenever `slot` or `escrow_cents` may have changed. The next `unreadable` notes are not
    recognised. `in_stacker` is its own count of the bills in the box.
    """

    kind: ClassVar = "MDB bill validator"
    habits: BillHabits
    faults: ClassVar = tuple(FAULTS)
    halting: ClassVar = frozenset(("stacker_open", "acceptor_jam", "stacker_jam", "failure", "sensor", "rom"))
    """Faults that halt every move, and for which the unit reports itself disabled."""
    jams: ClassVar[Mapping[str, str]] = {"jam_on_the_way": "acceptor_jam", "jam_in_stacker": "stacker_jam"}

    def __init__(
        self,
        *,
        returned: Callable[[Paper], None],
        stacked: Callable[[Paper], None],
        changed: Callable[[], None] | None = None,
        currency: str = EURO.code,
        identity: Identity = IDENTITY,
        habits: BillHabits | None = None,
        chance: random.Random | None = None,
    ) -> None:
        MdbPeripheral.__init__(self, VALIDATOR)
        self._fit(ROWS, returned=returned, stacked=stacked, changed=changed, chance=chance)
        self.habits = habits if habits is not None else BillHabits()
        self.currency = currency
        self.identity = identity
        self.unreadable = 0
        self.in_stacker = 0
        self.enabled = self.escrowed = self.security = 0
        self._place = Place.NOWHERE
        self._timers = NoteTimers()
        self._counted = False
        self._counting: set[asyncio.TimerHandle] = set()
        self._answers: dict[int, Answerer] = {
            Bills.RESET: lambda data: None if data else self._obey_reset(),
            Bills.SETUP: lambda data: None if data else self._setup(),
            Bills.SECURITY: self._obey_security,
            Bills.POLL: lambda data: None if data else self._poll(),
            Bills.BILL_TYPE: self._bill_type,
            Bills.ESCROW: self._escrow,
            Bills.STACKER: lambda data: None if data else self._stacker(),
            Bills.IDENTIFICATION_1: lambda data: None if data else self.identity.data(),
        }
        if self.habits.level > 1:
            self._answers[Bills.FEATURE_ENABLE] = lambda data: b"" if len(data) == 4 else None  # noqa: PLR2004 - 32 features
            self._answers[Bills.IDENTIFICATION_2] = lambda data: None if data else self.identity.data() + bytes(4)

    def __repr__(self) -> str:
        return f"<SimulatedMdbBills {self.slot or 'empty'} {'on' if self.powered else 'off'}>"

    # Physical actions on the device.

    def insert_ticket(self, number: str) -> None:
        """Raise `ValueError`: the bill validator commands have no barcodes."""
        NoTickets.insert_ticket(self, number)

    def _push(self, paper: Paper) -> None:
        shut = not self.enabled or self._out_of_order
        if not self.powered or self.dead or shut or self._note_cents is not None or self._full:
            if self.powered and not self.dead and shut:
                self._attempted()
            self._refuse(paper)
            return
        self._take_in(paper)
        self._counted = False
        self._go(Place.READ, after=self.habits.read_s, then=self._recognise)

    def pull_back(self) -> None:
        """Pull a note held in escrow back out of the note slot."""
        if self.powered and self._place is Place.ESCROW:
            self._report_pulled()
            self._given_back(BillRoute.RETURNED)

    def set_fault(self, name: str, on: bool) -> None:  # noqa: FBT001 - the agreed signature of all simulated devices
        """Begin or end a fault of `FAULTS`: `cheated` is reported once, the others last."""
        if not self._switch_fault(name, on=on):
            return
        self.dead = "dead" in self._faults
        status = FAULTS[name]
        if on and status is not None and name != "busy":
            self._flag(status)
        if on and name == "stacker_open":
            self.in_stacker = 0
        if self.powered:
            self._arm()

    # Power and reset.

    def power(self, *, on: bool) -> None:
        """Switch the mains. The paper's place and the stacker's count are non-volatile."""
        super().power(on=on)
        if self._changed is not None:
            self._changed()

    def _stop(self) -> None:
        self._timers.cancel()
        self._move = (0.0, None)
        for timer in self._counting:
            timer.cancel()
        self._counting.clear()
        if not self.habits.keeps_count:
            self.in_stacker = 0

    def _start(self) -> None:
        self._begin_anew()
        if self._place is Place.STACKING:
            self._go(Place.STACKING, after=self.habits.stack_s, then=self._finish_stacking)

    def brown_out(self) -> None:
        """Reset: unreported events are lost, and "just reset" is reported instead."""
        self.bus_reset()

    def _reset(self) -> None:
        self.events.clear()
        self._begin_anew()

    def _begin_anew(self) -> None:
        """Report the reset and lasting faults; return a bill that is not being stacked (6.3, RESET)."""
        self.enabled = self.escrowed = self.security = 0
        sent = None if self._note_cents is None else self._start_sends()
        self._flag(BillStatus.WAS_RESET)
        for name in sorted(self._faults - {"cheated", "busy"}):
            status = FAULTS[name]
            if status is not None:
                self._flag(status)
        if sent is Spot.CASH_BOX:
            self._go(Place.STACKING, after=self.habits.stack_s, then=self._finish_stacking)
        elif sent is Spot.RETURNED or self._place not in {Place.NOWHERE, Place.STACKING}:
            self._give_back()

    def _become_another(self) -> None:
        self.identity = msgspec.structs.replace(self.identity, serial=self.identity.serial + 1)
        self.in_stacker = 0

    # The bus.

    def _answer(self, command: int, data: bytes) -> bytes | None:
        if command not in self._answers:
            return None
        if "busy" in self._faults and command not in {Bills.POLL, Bills.RESET}:
            return None
        return self._answers[command](data)

    def _obey_reset(self) -> bytes:
        self._reset()
        return b""

    def _setup(self) -> bytes:
        types = bytes(value // SCALING_CENTS for value in NOTES_CENTS)
        head = bytes((self.habits.level,)) + currency_code(self.currency) + SCALING_CENTS.to_bytes(2, "big")
        capacity = self.habits.capacity.to_bytes(2, "big")
        every = types if self.habits.short_setup else types.ljust(TYPES, b"\0")
        return head + bytes((DECIMALS,)) + capacity + bytes(2) + bytes((ESCROW_YES,)) + every

    def _obey_security(self, data: bytes) -> bytes | None:
        if len(data) != 2:  # noqa: PLR2004 - a word of 16 types
            return None
        self.security = int.from_bytes(data, "big")
        return b""

    def _bill_type(self, data: bytes) -> bytes | None:
        if len(data) != 4:  # noqa: PLR2004 - two words of 16 types
            return None
        self.enabled = int.from_bytes(data[:2], "big")
        self.escrowed = int.from_bytes(data[2:], "big")
        return b""

    def _escrow(self, data: bytes) -> bytes | None:
        if len(data) != 1:
            return None
        stops = self._place is not Place.ESCROW or self._faults & self.halting
        if stops or self.mishaps.happens("order_refused"):
            self._flag(BillStatus.INVALID_ESCROW_REQUEST)
        elif self.mishaps.happens("order_ignored"):
            pass
        elif data[0] or self.mishaps.happens("stacked_in_spite"):
            self._stack()
        else:
            self._give_back()
        return b""

    def _stacker(self) -> bytes:
        return (self.in_stacker | (STACKER_FULL if self._stacker_full else 0)).to_bytes(2, "big")

    def _poll(self) -> bytes:
        lasting = set()
        if "busy" in self._faults or (self.habits.reports_busy and self._place in {Place.READ, Place.STACKING}):
            lasting.add(BillStatus.BUSY)
        if not self.enabled or self._out_of_order:
            lasting.add(BillStatus.DISABLED)
        if self.habits.repeats_faults:
            lasting |= {status for name in self._faults & self.halting if (status := FAULTS[name]) is not None}
        return self._polled(bytes(sorted(lasting)))

    @property
    def _stacker_full(self) -> bool:
        return "stacker_full" in self._faults or self.in_stacker >= self.habits.capacity

    @property
    def _out_of_order(self) -> bool:
        """Whether the unit disables itself, regardless of what the master has enabled."""
        return bool(self._faults & self.halting) or self._stacker_full

    def _attempted(self) -> None:
        """Count a bill that was offered while the unit is disabled."""
        last = self.events[-1] if len(self.events) > self._reported else b""
        if last and last[0] & ~MOST_ATTEMPTS == ATTEMPTS and last[0] & MOST_ATTEMPTS < MOST_ATTEMPTS:
            self.events[-1] = bytes((last[0] + 1,))
        elif not self._full:
            self._report(ATTEMPTS | 1)

    # The paper's movement.

    @property
    def _kind(self) -> int:
        """The type of the bill inside."""
        return NOTES_CENTS.index(self._note_cents or 0)

    def _recognise(self) -> None:
        if self._spoilt():
            self._leave(lambda: self._given_back(BillStatus.BILL_REJECTED))
        elif not self.enabled >> self._kind & 1:
            self._leave(lambda: self._given_back(BillRoute.DISABLED_REJECTED))
        elif self.escrowed >> self._kind & 1:
            self._go(Place.ESCROW)
            for _ in range(1 + self.mishaps.happens("escrow_twice")):
                self._report(BillRoute.ESCROW | self._kind)
            if self.mishaps.happens("counted_early"):
                self._count()
        else:
            self._stack()

    def _leave(self, then: Callable[[], None]) -> None:
        self._go(Place.RETURNING, after=self.habits.return_s, then=then)

    def _give_back(self) -> None:
        self._leave(lambda: self._given_back(BillRoute.RETURNED))

    def _given_back(self, event: BillRoute | BillStatus) -> None:
        if not self.mishaps.happens("return_unreported"):
            self._report(event | self._kind if isinstance(event, BillRoute) else event)
        if self._counted:
            self.in_stacker -= 1
        self._gone()

    def _finish_stacking(self) -> None:
        """Stack a bill that a power cut caught on its way, and report it if the habits say so."""
        self._credited = self._credited or not self.habits.finishes_reported
        self._store()

    def _report_stacked(self) -> None:
        self._report(BillRoute.STACKED | self._kind)

    def _report_pulled(self) -> None:
        self._flag(BillStatus.POSSIBLE_CREDITED_BILL_REMOVAL if self._credited else BillStatus.BILL_REMOVED)

    def _land(self, *, said: bool) -> None:
        """Count the bill at once, later or never (6.3 sets no time for STACKER)."""
        super()._land(said=said)
        counted, self._counted = self._counted, False
        befalls = "" if counted else self.mishaps.which("counted_late", "counted_never")
        if befalls == "counted_late":
            self._counting.add(asyncio.get_running_loop().call_later(self.habits.late_count_s, self._count))
        elif not (counted or befalls):
            self._count()

    def _count(self) -> None:
        self._counted = self._note_cents is not None
        self.in_stacker += 1


def fitted(settings: Settings, currency: Currency, **callbacks: Any) -> SimulatedMdbBills:
    """Return the device that `cabinet.toml` expects; it reports by these callbacks."""
    identity = msgspec.structs.replace(IDENTITY, serial=settings.serial or IDENTITY.serial)
    return SimulatedMdbBills(**callbacks, currency=currency.code, identity=identity)
