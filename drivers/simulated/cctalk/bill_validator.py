"""A ccTalk bill validator with escrow, from the device's side (protocols.md, 1, "Bill validator over ccTalk")."""

from collections import deque
from collections.abc import Callable
from typing import ClassVar, Final

import msgspec

from drivers.currency import EURO
from drivers.simulated.cctalk.device import CctalkDevice, Identity, Refusal
from drivers.simulated.cctalk.frames import Framing, Header
from drivers.simulated.note_path import NOTE_NUMBERS, NotePath, Paper, Place

EMPTY_BILL_ID: Final = b"......."
BILL_TYPES: Final = 16
BUFFERED_EVENTS: Final = 5
LAST_COUNTER: Final = 255
SCALING: Final = bytes((100, 0, 2))
CATEGORIES: Final = (b"Bill Acceptor", b"Bill Validator")
"""What such a device is called: in the worked dialogue of part 3 (page 52), and in the table of categories (part 1)."""
IDENTITY: Final = Identity(category=CATEGORIES[0], product=b"SIMBILL", build=b"V01", serial=4811)

HAS_STACKER, HAS_ESCROW = 0b01, 0b10
"""Bits of the option flags (213) and of the operating mode (152, 153)."""
CURRENCY_REVISION: Final = b"001"
NEVER_UPGRADED: Final = bytes(1)
VARIABLES: Final = bytes((BILL_TYPES, 1))
"""How many types of bill and how many banks of them it has (247)."""

COUPON: Final = 255
"""The bill type of every ticket (part 3, pages 55 and 58)."""

RETURNED, NOT_RECOGNISED, INHIBITED, PULLED_BACK, MASTER_INHIBIT_ACTIVE = 1, 2, 4, 8, 0
BARCODE_SEEN: Final = 20
ESCROW_EMPTY: Final = bytes((254,))
FAULTS: Final = {
    "acceptor_jam": (6, None),
    "stacker_jam": (15, 10),
    "stacker_full": (14, 10),
    "stacker_open": (11, 12),
    "cheated": (17, None),
    "failure": (13, None),
}
"""The event with which a fault begins, and the one with which it ends, if one does."""

SELF_CHECK: Final = {"acceptor_jam": 39, "stacker_jam": 39, "stacker_full": 45, "stacker_open": 44, "failure": 36}
"""What the self-check says while a fault lasts."""


class BillHabits(msgspec.Struct, frozen=True, kw_only=True):
    """Times in seconds, what becomes of a note that a power cut catches on its way to the stacker, and what it knows.

    `self_checks`: it knows the request for a self-check. `reads_tickets`: it has a barcode reader. With
    `inhibits_when_full` a full stacker sets its master inhibit, which the host lifts (part 3, page 58).
    """

    returns_after_cut: bool = True
    self_checks: bool = True
    reads_tickets: bool = True
    inhibits_when_full: bool = False
    read_s: float = 0.4
    stack_s: float = 0.5
    return_s: float = 0.6
    escrow_s: float = 30.0
    silence_s: float = 5.0


class SimulatedCctalkBills(NotePath, CctalkDevice):
    """The device; its counter and buffer live as long as its power, the note's place outlives it.

    `returned` and `stacked` are called with a note or a ticket when it lies in the player's hand again or in the cash
    box, `changed` whenever `slot`, `escrow_cents` or `escrow_ticket` may read differently. The next
    `unreadable` notes and tickets are not recognised, with event `reject_code`.
    """

    faults: ClassVar = tuple(FAULTS)

    def __init__(
        self,
        *,
        returned: Callable[[Paper], None],
        stacked: Callable[[Paper], None],
        changed: Callable[[], None] | None = None,
        habits: BillHabits | None = None,
        country: str = EURO.country,
        address: int = 40,
        identity: Identity = IDENTITY,
        echo: bool = False,
        framing: Framing = Framing.SIMPLE,
    ) -> None:
        super().__init__(address, identity, echo=echo, framing=framing)
        self.habits = habits if habits is not None else BillHabits()
        self.country = country
        self.bill_ids = [f"{country}{cents // 100:04}A".encode() for cents in NOTE_NUMBERS]
        self.counter = 0
        self.mode = HAS_STACKER | HAS_ESCROW
        self.currency_revision = CURRENCY_REVISION
        self.unreadable = 0
        self.reject_code = NOT_RECOGNISED
        self._returned = returned
        self._stacked = stacked
        self._changed = changed
        self._enabled = False
        self._mask = 0
        self._place = Place.NOWHERE
        self._note_cents: int | None = None
        self._move = 0
        self._heard = 0
        self._faults: set[str] = set()
        self._events: deque[tuple[int, int]] = deque(maxlen=BUFFERED_EVENTS)

    # What a hand does to it.

    def _push(self, paper: Paper) -> None:
        # No inhibit mask reaches bill type 255 (part 3 names none): only the master inhibit keeps tickets out.
        if not self.powered or not self._enabled or self._faults or self._note_cents is not None:
            self._returned(paper)
            return
        self._take_in(paper)
        if isinstance(paper, str):
            self._go(Place.READ, self.habits.read_s / 2, self._see_barcode)
        else:
            self._go(Place.READ, self.habits.read_s, self._recognise)

    def pull_back(self) -> None:
        """Draw what waits in escrow back out of the mouth."""
        if self.powered and self._place is Place.ESCROW:
            self._record(0, PULLED_BACK)
            self._go(Place.RETURNING, self.habits.return_s, self._gone)

    def set_fault(self, name: str, on: bool) -> None:  # noqa: FBT001 - the agreed signature of all simulated devices
        """Begin or end a fault of `FAULTS`."""
        if not self._switch_fault(name, on=on):
            return
        code = FAULTS[name][0 if on else 1]
        if code is not None and self.powered:
            self._record(0, code)
        if on and name == "stacker_full" and self.habits.inhibits_when_full and self._enabled:
            self._inhibit()

    # The wire.

    def started(self) -> None:
        """Start with counter 0, an empty buffer and every note inhibited, and clear what a power cut has caught."""
        self.counter = 0
        self._enabled, self._mask = False, 0
        self.mode = HAS_STACKER | HAS_ESCROW
        self._events.clear()
        if self._note_cents is None:
            return
        if self._place is Place.STACKING and not self.habits.returns_after_cut:
            self._go(Place.STACKING, self.habits.stack_s, self._store)
        else:
            self._give_back()

    def answer(self, header: int, data: bytes) -> bytes | Refusal:
        """Answer the bill validator's own requests."""
        self._watch_silence()
        replies = self._replies(data)
        if header in replies:
            return replies[header]
        match header:
            case Header.BILL_MODE if len(data) == 1:
                self.mode = data[0]
            case Header.INHIBITS if data:
                self._mask = int.from_bytes(data, "little")
            case Header.MASTER_INHIBIT if len(data) == 1:
                self._enabled = bool(data[0] & 1)
            case Header.ROUTE_BILL if len(data) == 1:
                return self._route(data[0])
            case _:
                return super().answer(header, data)
        return b""

    def _replies(self, data: bytes) -> dict[int, bytes]:
        """What it answers to questions now; one that cannot be answered with such data is not there."""
        pairs = [byte for event in reversed(self._events) for byte in event]
        replies: dict[int, bytes] = {
            Header.READ_BILLS: bytes((self.counter, *pairs)).ljust(1 + 2 * BUFFERED_EVENTS, b"\0"),
            Header.READ_INHIBITS: (self._mask & (1 << BILL_TYPES) - 1).to_bytes(BILL_TYPES // 8, "little"),
            Header.READ_MASTER_INHIBIT: bytes((self._enabled,)),
            Header.BILL_MODE_READ: bytes((self.mode,)),
            Header.OPTION_FLAGS: bytes((HAS_STACKER | HAS_ESCROW,)),
            Header.FIRMWARE_UPGRADE: NEVER_UPGRADED,
            Header.VARIABLES: VARIABLES,
        }
        if len(data) == 1 and 1 <= data[0] <= BILL_TYPES:
            replies[Header.BILL_ID] = self.bill_ids[data[0] - 1] if data[0] <= len(self.bill_ids) else EMPTY_BILL_ID
        if data == self.country.encode():
            replies[Header.COUNTRY_SCALING] = SCALING
        if data in {b"", self.country.encode()}:
            replies[Header.CURRENCY_REVISION] = self.currency_revision
        if self.habits.reads_tickets and not data:
            replies[Header.READ_BARCODE] = self.escrow_ticket.encode()
        if self.habits.self_checks:
            codes = [code for name, code in SELF_CHECK.items() if name in self._faults]
            replies[Header.SELF_CHECK] = bytes((codes[0] if codes else 0,))
        return replies

    def _route(self, way: int) -> bytes:
        if self._place is not Place.ESCROW:
            return ESCROW_EMPTY
        match way:
            case 0:
                self._give_back()
            case 1:
                self._go(Place.STACKING, self.habits.stack_s, self._store)
            case _:
                self._go(Place.ESCROW, self.habits.escrow_s, self._give_back)
        return b""

    def _watch_silence(self) -> None:
        self._heard += 1
        heard = self._heard

        def unheard() -> None:
            if heard == self._heard and self._enabled:
                self._inhibit()

        self.later(self.habits.silence_s, unheard)

    def _inhibit(self) -> None:
        self._enabled = False
        self._record(0, MASTER_INHIBIT_ACTIVE)

    # The note's way.

    def _go(self, place: Place, seconds: float, then: Callable[[], None]) -> None:
        """Be at `place` from now on, and do `then` after `seconds` unless the note has moved by then."""
        self._place = place
        self._move += 1
        move = self._move
        self.later(seconds, lambda: then() if move == self._move else None)
        if self._changed is not None:
            self._changed()

    def _see_barcode(self) -> None:
        if self.habits.reads_tickets:
            self._record(0, BARCODE_SEEN)
        self._go(Place.READ, self.habits.read_s / 2, self._recognise)

    def _recognise(self) -> None:
        if self.unreadable or (self._ticket and not self.habits.reads_tickets):
            self.unreadable = max(0, self.unreadable - 1)
            self._record(0, self.reject_code)
            self._give_back()
        elif not (self._ticket or self._mask >> (self._bill_type - 1) & 1):
            self._record(0, INHIBITED)
            self._give_back()
        elif not self.mode & HAS_ESCROW:
            self._go(Place.STACKING, self.habits.stack_s, self._store)
        else:
            self._record(self._bill_type, 1)
            self._go(Place.ESCROW, self.habits.escrow_s, self._give_back)

    @property
    def _bill_type(self) -> int:
        return COUPON if self._ticket else NOTE_NUMBERS[self._note_cents or 0]

    def _give_back(self) -> None:
        self._go(Place.RETURNING, self.habits.return_s, self._given_back)

    def _given_back(self) -> None:
        self._record(0, RETURNED)
        self._gone()

    def _gone(self) -> None:
        self._returned(self._forget_paper())

    def _store(self) -> None:
        bill_type = self._bill_type
        paper = self._forget_paper()
        self._record(bill_type, 0)
        self._stacked(paper)

    def _forget_paper(self) -> Paper:
        paper = super()._forget_paper()
        self._place = Place.NOWHERE
        self._move += 1
        if self._changed is not None:
            self._changed()
        return paper

    def _record(self, first: int, second: int) -> None:
        # 0 is the counter of a start only: it wraps from 255 to 1.
        self.counter = self.counter % LAST_COUNTER + 1
        self._events.append((first, second))
