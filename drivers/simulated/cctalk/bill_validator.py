"""A simulated ccTalk bill validator with escrow (protocols.md, 1, "Bill validator over ccTalk")."""

import random
from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

import msgspec

from drivers.currency import EURO, Currency
from drivers.simulated.cctalk.bill_rows import ROWS
from drivers.simulated.cctalk.device import COUNT_BYTES, CctalkDevice, Identity, Refusal
from drivers.simulated.cctalk.encryption import FrameKey
from drivers.simulated.cctalk.frames import Framing, Header
from drivers.simulated.note_path import NOTE_NUMBERS, NotePath, NoteTimers, Paper, Place
from drivers.simulated.whereabouts import Spot
from drivers.wiring import BillValidator as Settings
from drivers.wiring import at_first

EMPTY_BILL_ID: Final = b"......."
BILL_TYPES: Final = 16
BUFFERED_EVENTS: Final = 5
LAST_COUNTER: Final = 255
SCALING: Final = bytes((100, 0, 2))
CATEGORIES: Final = (b"Bill Validator", b"Bill Acceptor")
"""The equipment categories of bill validators: from the table of part 1, and from the dialogue of part 3 (page 52)."""
IDENTITY: Final = Identity(category=CATEGORIES[0], product=b"SIMBILL", build=b"V01", serial=4811)

HAS_STACKER, HAS_ESCROW = 0b01, 0b10
"""Bits of the option flags (213) and of the operating mode (152, 153)."""
CURRENCY_REVISION: Final = b"001"
NEVER_UPGRADED: Final = bytes(1)
VARIABLES: Final = bytes((BILL_TYPES, 1))
"""The number of bill types and of bill banks (247)."""
POLL_EACH_200_MS: Final = bytes((2, 20))
"""A unit of 10 ms, and 20 of them (249; Innovative Technology, NV9 USB, its ccTalk table)."""

COUPON: Final = 255
"""The bill type of every ticket (part 3, pages 55 and 58)."""

RETURNED, NOT_RECOGNISED, INHIBITED, PULLED_BACK, MASTER_INHIBIT_ACTIVE = 1, 2, 4, 8, 0
STRING_SEEN: Final = 18
BARCODE_SEEN, UNKNOWN_STACKED = 20, 21
ESCROW_EMPTY, ROUTE_FAILED = bytes((254,)), bytes((255,))
FAULTS: Final = {
    "acceptor_jam": (6, None),
    "stacker_jam": (15, 10),
    "stacker_full": (14, 10),
    "stacker_open": (11, 12),
    "cheated": (17, None),
    "failure": (13, None),
}
"""The events that begin and end a fault; not every fault has an end event (part 3, table 7)."""

OTHER_FAULTS: Final = {
    "safe_jam": (16, None),
    "throat_jam": (7, None),
    "tampered": (9, None),
    "transport": (3, None),
    "string_guard": (19, None),
}
"""The rest of that table: a jam out of reach, one on the way into the stacker, and three that keep no note."""

_EVENTS: Final = FAULTS | OTHER_FAULTS

SELF_CHECK: Final = {
    "acceptor_jam": 39,
    "safe_jam": 39,
    "throat_jam": 39,
    "stacker_jam": 39,
    "stacker_full": 45,
    "stacker_open": 44,
    "transport": 37,
    "string_guard": 41,
    "failure": 36,
}
"""The self-check's answer while a fault lasts (part 3, table 3)."""


class BillHabits(msgspec.Struct, frozen=True, kw_only=True):
    """Times in seconds, the fate of a note that a power cut catches on its way to the stacker, and known requests.

    `self_checks`: it supports the self-check request. `reads_tickets`: it has a barcode reader. With
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
    """The device; a power cut clears its event counter and buffer, the note's place is non-volatile.

    `returned` and `stacked` are called with a note or a ticket when it is back in the player's hand or in the cash box,
    `changed` whenever `slot`, `escrow_cents` or `escrow_ticket` may have changed. The next `unreadable` notes and
    tickets are not recognised, with event `reject_code`.
    """

    kind: ClassVar = "ccTalk bill validator"
    habits: BillHabits
    faults: ClassVar = tuple(_EVENTS)
    halting: ClassVar = frozenset(
        ("acceptor_jam", "safe_jam", "throat_jam", "stacker_jam", "stacker_open", "transport", "failure")
    )
    jams: ClassVar[Mapping[str, str]] = {
        "jam_in_reach": "acceptor_jam",
        "jam_on_the_way": "safe_jam",
        "jam_in_stacker": "throat_jam",
        "stacker_jams": "stacker_jam",
    }

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
        chance: random.Random | None = None,
    ) -> None:
        super().__init__(address, identity, echo=echo, framing=framing, chance=chance)
        self._fit(ROWS, returned=returned, stacked=stacked, changed=changed, chance=chance)
        self.habits = habits if habits is not None else BillHabits()
        self.country = country
        self.bill_ids = [f"{country}{cents // 100:04}A".encode() for cents in NOTE_NUMBERS]
        self.counter = 0
        self.mode = HAS_STACKER | HAS_ESCROW
        self.currency_revision = CURRENCY_REVISION
        self.unreadable = 0
        self.reject_code = NOT_RECOGNISED
        self._enabled = False
        self._mask = 0
        self._place = Place.NOWHERE
        self._timers = NoteTimers()
        self._bank = 1
        self._security: dict[int, int] = {}
        self._counts: Counter[int] = Counter()
        self._accepted: Counter[int] = Counter()
        self._errors: Counter[int] = Counter()
        self._events: deque[tuple[int, int]] = deque(maxlen=BUFFERED_EVENTS)

    # Physical actions on the device.

    def _push(self, paper: Paper) -> None:
        # No inhibit mask covers bill type 255 (part 3 names none): only the master inhibit keeps tickets out.
        if not self.powered or not self._enabled or self._faults or self._note_cents is not None:
            self._refuse(paper)
            return
        self._take_in(paper)
        self._counts[Header.INSERTION_COUNT] += 1
        if isinstance(paper, str):
            self._go(Place.READ, after=self.habits.read_s / 2, then=self._see_barcode)
        else:
            self._go(Place.READ, after=self.habits.read_s, then=self._recognise)

    def pull_back(self) -> None:
        """Pull paper that is in escrow, or jammed within reach, back out of the slot."""
        if self.powered and self._place is Place.ESCROW:
            self._report_pulled()
            self._go(Place.RETURNING, after=self.habits.return_s, then=self._gone)
        elif self._note_cents is not None and "acceptor_jam" in self._faults:
            self._report_pulled()
            self.clear_jam(Spot.RETURNED)

    def set_fault(self, name: str, on: bool) -> None:  # noqa: FBT001 - the agreed signature of all simulated devices
        """Begin or end one of `faults`."""
        if not self._switch_fault(name, on=on):
            return
        code = _EVENTS[name][0 if on else 1]
        if code is not None and self.powered:
            self._record(0, code)
        if self.powered:
            self._arm()
        if on and name == "stacker_full" and self.habits.inhibits_when_full and self._enabled:
            self._inhibit()

    def _become_another(self) -> None:
        self.identity = self.identity._replace(serial=self.identity.serial + 1)
        for counts in (self._counts, self._accepted, self._errors):
            counts.clear()

    # The line.

    def started(self) -> None:
        """Start with counter 0, an empty buffer and every note inhibited; clear paper caught by a power cut."""
        self.counter = 0
        self._enabled, self._mask = False, 0
        self.mode = HAS_STACKER | HAS_ESCROW
        self._events.clear()
        if self._note_cents is None:
            return
        sent = self._start_sends()
        stacks = self._place is Place.STACKING and not self.habits.returns_after_cut
        if sent is Spot.CASH_BOX or (sent is None and (stacks or self._credited)):
            self._go(Place.STACKING, after=self.habits.stack_s, then=self._store)
        else:
            self._give_back()
        # jams are detected again
        for name in sorted(self.jammed):
            self._record(0, _EVENTS[name][0])

    def cancel(self) -> None:
        """Cancel every pending action, the note's move included."""
        super().cancel()
        self._timers.cancel()

    def answer(self, header: int, data: bytes) -> bytes | Refusal:
        """Answer the bill validator's own requests."""
        self._watch_silence()
        replies = self._replies(data)
        if header in replies:
            return replies[header]
        match header:
            case Header.INHIBITS if data:
                self._mask = int.from_bytes(data, "little")
            case Header.MASTER_INHIBIT if len(data) == 1:
                self._enabled = bool(data[0] & 1)
            case Header.ROUTE_BILL if len(data) == 1:
                return self._route(data[0])
            case _ if header in _SET_UP:
                return self._set_up(header, data)
            case _:
                return super().answer(header, data)
        return b""

    def _set_up(self, header: int, data: bytes) -> bytes | Refusal:
        """Store a setting, or test a part without visible effect; stay silent on unfit data."""
        match header, len(data):
            case Header.BILL_MODE, 1:
                self.mode = data[0]
            case Header.BANK, 1:
                self._bank = data[0]
            case Header.SECURITY, 2 if 1 <= data[0] <= BILL_TYPES:
                self._security[data[0]] = data[1]
            case Header.STACKER_CYCLE, 0 if self._note_cents is None:
                pass
            case (Header.TEST_OUTPUTS | Header.LATCH_OUTPUTS | Header.OPERATE_MOTORS, 1) | (Header.TEST_LAMPS, 2):
                pass
            case _:
                return Refusal.SILENCE
        return b""

    def _replies(self, data: bytes) -> dict[int, bytes]:
        """Return the answers to queries by header; one that cannot be answered with such data is missing."""
        pairs = [byte for event in reversed(self._events) for byte in event]
        replies: dict[int, bytes] = {
            Header.READ_BILLS: bytes((self.counter, *pairs)).ljust(1 + 2 * BUFFERED_EVENTS, b"\0"),
            Header.READ_INHIBITS: (self._mask & (1 << BILL_TYPES) - 1).to_bytes(BILL_TYPES // 8, "little"),
            Header.READ_MASTER_INHIBIT: bytes((self._enabled,)),
            Header.BILL_MODE_READ: bytes((self.mode,)),
            Header.OPTION_FLAGS: bytes((HAS_STACKER | HAS_ESCROW,)),
            Header.FIRMWARE_UPGRADE: NEVER_UPGRADED,
            Header.VARIABLES: VARIABLES,
            Header.POLLING_PRIORITY: POLL_EACH_200_MS,
            Header.OPTO_STATES: bytes((self._note_cents is not None,)),
            Header.INPUT_LINES: bytes(1),
            Header.REQUEST_BANK: bytes((self._bank,)),
            **{counted: self._count_of(self._counts, counted) for counted in _COUNTED},
        }
        if len(data) == 1 and 1 <= data[0] <= BILL_TYPES:
            replies[Header.REQUEST_SECURITY] = bytes((self._security.get(data[0], 0),))
            replies[Header.ACCEPT_COUNT_OF] = self._count_of(self._accepted, data[0])
            replies[Header.ERROR_COUNT_OF] = self._count_of(self._errors, data[0])
            replies[Header.BILL_ID] = self.bill_ids[data[0] - 1] if data[0] <= len(self.bill_ids) else EMPTY_BILL_ID
        if data == self.country.encode():
            replies[Header.COUNTRY_SCALING] = SCALING
            replies[Header.BILL_POSITION] = ((1 << len(self.bill_ids)) - 1).to_bytes(BILL_TYPES // 8, "little")
        if data in {b"", self.country.encode()}:
            replies[Header.CURRENCY_REVISION] = self.currency_revision
        if self.habits.reads_tickets and not data:
            replies[Header.READ_BARCODE] = self.escrow_ticket.encode()
        if self.habits.self_checks:
            codes = [code for name, code in SELF_CHECK.items() if name in self._faults]
            replies[Header.SELF_CHECK] = bytes((codes[0] if codes else 0,))
        return replies

    @staticmethod
    def _count_of(counts: Counter[int], what: int) -> bytes:
        return (counts[what] % (1 << 8 * COUNT_BYTES)).to_bytes(COUNT_BYTES, "little")

    def _route(self, way: int) -> bytes | Refusal:
        if self._place is not Place.ESCROW or self.jammed:
            return ESCROW_EMPTY
        refusal = self.mishaps.which("order_refused", "order_nak", "order_ignored")
        if refusal == "order_nak":
            return Refusal.NAK
        if refusal:
            return ROUTE_FAILED if refusal == "order_refused" else b""
        match way:
            case 0 if not self.mishaps.happens("stacked_in_spite"):
                self._give_back()
            case 0 | 1:
                self._stack()
            case _:
                self._wait_in_escrow()
        return b""

    def _watch_silence(self) -> None:
        self._timers.heard(self.habits.silence_s, self._unheard)

    def _unheard(self) -> None:
        if self._enabled:
            self._inhibit()

    def _inhibit(self) -> None:
        self._enabled = False
        self._record(0, MASTER_INHIBIT_ACTIVE)

    # The note's movement.

    def _see_barcode(self) -> None:
        if self.habits.reads_tickets:
            self._record(0, BARCODE_SEEN)
        self._go(Place.READ, after=self.habits.read_s / 2, then=self._recognise)

    def _recognise(self) -> None:
        if self.mishaps.happens("string_seen"):
            self._record(0, STRING_SEEN)
            self._give_back()
        elif self._spoilt() or (self._ticket and not self.habits.reads_tickets):
            self._record(0, self.reject_code)
            self._give_back()
        elif not (self._ticket or self._mask >> (self._bill_type - 1) & 1):
            self._record(0, INHIBITED)
            self._give_back()
        elif not self.mode & HAS_ESCROW:
            self._stack()
        else:
            self._record(self._bill_type, 1)
            self._wait_in_escrow()

    def _wait_in_escrow(self) -> None:
        self._go(Place.ESCROW, after=self.habits.escrow_s, then=self._give_back)

    @property
    def _bill_type(self) -> int:
        return COUPON if self._ticket else NOTE_NUMBERS[self._note_cents or 0]

    def _give_back(self) -> None:
        self._go(Place.RETURNING, after=self.habits.return_s, then=self._given_back)

    def _given_back(self) -> None:
        if not self.mishaps.happens("return_unreported"):
            self._record(0, RETURNED)
        self._gone()

    def _report_stacked(self) -> None:
        if self.mishaps.happens("unknown_type_stacked"):
            self._record(0, UNKNOWN_STACKED)
        else:
            self._record(self._bill_type, 0)
        if self.mishaps.happens("buffer_overflow"):
            for _ in range(BUFFERED_EVENTS):
                self._record(0, NOT_RECOGNISED)

    def _report_pulled(self) -> None:
        self._record(0, PULLED_BACK)

    def _record(self, first: int, second: int) -> None:
        # The counter is 0 only after a start: it wraps from 255 to 1.
        self.counter = self.counter % LAST_COUNTER + 1
        self._events.append((first, second))
        if first and not second:
            self._counts[Header.ACCEPT_COUNT] += 1
            self._accepted[first] += 1
        elif not first:
            self._errors[second] += 1
            self._counts[_COUNTED_AS.get(second, Header.ACK)] += 1


_COUNTED: Final = (Header.INSERTION_COUNT, Header.ACCEPT_COUNT, Header.REJECT_COUNT, Header.FRAUD_COUNT)
_COUNTED_AS: Final = {
    NOT_RECOGNISED: Header.REJECT_COUNT,
    PULLED_BACK: Header.FRAUD_COUNT,
    17: Header.FRAUD_COUNT,
    STRING_SEEN: Header.FRAUD_COUNT,
}
"""The counter that an event increments (part 2, headers 194 and 193)."""
_SET_UP: Final = frozenset(
    (
        Header.BILL_MODE,
        Header.BANK,
        Header.SECURITY,
        Header.STACKER_CYCLE,
        Header.TEST_OUTPUTS,
        Header.LATCH_OUTPUTS,
        Header.OPERATE_MOTORS,
        Header.TEST_LAMPS,
    )
)


def fitted(settings: Settings, currency: Currency, **callbacks: Any) -> SimulatedCctalkBills:
    """Return the device that `cabinet.toml` expects; it reports by these callbacks."""
    device = SimulatedCctalkBills(
        **callbacks,
        country=currency.country,
        address=at_first(settings.address, 40),
        identity=IDENTITY._replace(serial=settings.serial or IDENTITY.serial),
    )
    device.key = FrameKey(settings.cctalk_key) if settings.cctalk_key else None
    return device
