"""Interfaces between drivers and their users.

A money driver awaits its listener before it acknowledges to its device: when `coins`, `bill_stacked`, `ticket_stacked`
or `coin_paid` returns, the report is committed to the journal, and only then the ACK is sent.
"""

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple, Protocol

import msgspec

from drivers.event_buffer import Events


class Driver(Protocol):
    """One device's task."""

    name: str

    async def run(self) -> None:
        """Serve the device until cancelled; raise a `DriverError` when it is lost."""

    def stop(self) -> None:
        """Switch every output off at once; called on every path, and may be called twice."""


class Faults(Protocol):
    """Receives the faults that a person must see."""

    async def device_fault(self, device: str, code: str, *, present: bool, detail: str = "") -> None:
        """Raise (`present`) or clear fault `code` of `device`; repeated reports of the same change nothing."""


class DeviceLog(Faults, Protocol):
    """Receives the identities of money devices."""

    async def device_found(self, device: str, identity: str) -> None:
        """Record the identity of `device`, after each opening of its port; a change is logged."""


class CoinWay(Enum):
    """Where an accepted coin fell; `UNKNOWN` if that is uncertain."""

    CASH_BOX = "cash_box"
    HOPPER = "hopper"
    UNKNOWN = "unknown"


class CoinMemory(msgspec.Struct, frozen=True, kw_only=True):
    """A coin acceptor's state in the journal: its event counter, and the events in its buffer then, if stored.

    `power_lost` is true if the computer has restarted since, so that the cabinet's power was or may have been off.
    `at_rest` is true if the acceptor was inhibited and read and has accepted no coin since. `window` is when it was
    read and inhibited, None if unknown. `dearest_cents` is the highest coin value, 0 if it was not stored.
    """

    counter: int
    events: Events | None = None
    power_lost: bool = False
    at_rest: bool = False
    window: "CoinWindow | None" = None
    dearest_cents: int = 0


class CoinWindow(msgspec.Struct, frozen=True, kw_only=True):
    """When an acceptor was last read and inhibited, in the clock's seconds.

    All coins accepted up to `read_at` are booked; None if that time is unknown. It acknowledged the inhibit at
    `shut_at`, None if it may accept coins. The answer to the poll at `asked_at` is not booked yet.
    """

    read_at: float | None
    shut_at: float | None
    asked_at: float | None = None


class CoinReport(msgspec.Struct, frozen=True, kw_only=True):
    """The events that one read of a coin acceptor's buffer added."""

    serial: int
    counter: int
    """The device's event counter after these events."""
    events: Events = ()
    """The content of its buffer."""
    values_cents: tuple[int, ...] = ()
    """The accepted coins, oldest first."""
    ways: tuple[CoinWay, ...] = ()
    """Where each of them fell; empty if all fell into the cash box."""
    lost: int = 0
    """How many events left the buffer unread."""
    lost_cents: int | None = None
    """The maximum value of the lost events, None if unknown."""
    reset: bool = False
    """Whether the device lost power or was reset since the last read."""
    forgot: bool = False
    """Whether it may have forgotten accepted coins."""
    forgot_cents: int | None = None
    """The maximum value of the forgotten coins, None if unknown."""
    events_words: str = "-"
    """The events in its buffer, in words."""
    previous_events_words: str = "-"
    """The events of the previous read, in words."""
    rejects: tuple[int, ...] = ()
    """The error codes to be logged (`drivers.cctalk.coin_codes`)."""
    positions: tuple[int, ...] = ()
    """The positions of the accepted coins in the device."""


class WayBooks(Protocol):
    """Stores the state of a coin diverter; each call returns when it is durable."""

    async def coin_way(self) -> CoinWay:
        """Return the last stored way of coins, the cash box if none was stored."""

    async def coins_fall(self, way: CoinWay) -> None:
        """Record that coins fall `way` from this point; the diverter moves only after this returns."""


class CoinDiagnosticBooks(Protocol):
    """Stores the test for which a coin acceptor's coins are accepted; each call returns when it is durable."""

    async def coin_diagnostic(self, serial: int) -> str:
        """Return the test for which that device's newest coins are accepted, empty if they are credited."""

    async def set_coin_diagnostic(self, serial: int, test: str) -> None:
        """Record that coins of that device are accepted for `test` from this point, or credited if it is empty."""


class CoinListener(DeviceLog, WayBooks, CoinDiagnosticBooks, Protocol):
    """What a coin acceptor's driver calls."""

    async def coin_memory(self, serial: int) -> CoinMemory | None:
        """Return that device's state in the journal, None for a device never seen."""

    def coins_unread(self, serial: int, window: CoinWindow) -> None:
        """Store immediately when that device was read and inhibited, so that the next program start can read it."""

    def coins_shut(self, serial: int, at: float) -> None:
        """Store, as `coins_unread` does, that the device accepts no coins from `at` on; called before `coin_memory`."""

    async def coins_wanted(self, serial: int) -> None:
        """Record that the device may accept coins; the driver enables it when this returns."""

    async def coins_at_rest(self, serial: int) -> None:
        """Record that the device is inhibited and all its coins are read: a later reset loses no coin."""

    async def coins(self, report: CoinReport) -> None:
        """Commit counter and credit in one transaction; return when it is durable.

        Coins that are accepted for a test (`set_coin_diagnostic`) change only the counter.
        """


class PulseReport(msgspec.Struct, frozen=True, kw_only=True):
    """A complete burst of a pulse acceptor.

    `value_cents` is the value of its `pulses` on that `channel`, for a `note` or a coin; None if they have no value or
    are doubtful. Then it is worth at most `most_cents` (None if unknown). `unasked` is true if it started long after
    the acceptor was inhibited.
    """

    device: str
    note: bool
    channel: str
    pulses: int
    value_cents: int | None
    most_cents: int | None
    unasked: bool


class PulseListener(Faults, Protocol):
    """What a pulse acceptor's driver calls; each call returns when it is durable."""

    async def pulse_memory(self, device: str) -> CoinMemory | None:
        """Return that acceptor's stored state, None for one that was never served; its counter is unused."""

    def pulses_unread(self, device: str, window: CoinWindow) -> None:
        """Store immediately when it was read and inhibited, so that the next program start can read it."""

    async def pulses_rest(self, device: str, *, rest: bool, dearest_cents: int) -> None:
        """Record that it sends no pulses (`rest`) or may send some; it is enabled only after this returns."""

    async def pulses_missed(self, device: str, most_cents: int | None) -> None:
        """Create an open item for money that it may have accepted while nothing was counted.

        None for an unknown amount.
        """

    async def pulses_cut(self, device: str, most_cents: Mapping[str, int]) -> None:
        """Turn each burst of `device` that started and never ended into an open item.

        `most_cents` is the maximum value of a burst, by channel. Called before counting starts.
        """

    async def pulses_begin(self, device: str, channel: str, most_cents: int) -> None:
        """Record that a burst has started on that channel, worth at most `most_cents`."""

    async def pulses(self, report: PulseReport) -> None:
        """Credit a complete burst, or create an open item for a doubtful one."""


class Verdict(Enum):
    """What to do with a note in escrow."""

    STACK = "stack"
    RETURN = "return"


BILL_VALIDATOR = "bill_validator"
"""The device name of bill validators in fault reports, for all protocols."""


class BillListener(DeviceLog, Protocol):
    """What a bill validator's driver calls; each call returns when it is durable."""

    async def bill_dialogue(self) -> str | None:
        """Return the last text given to `bill_dialogue_at` for the note still in hand, None for none."""

    async def bill_dialogue_at(self, words: str) -> None:
        """Store the driver's own text about the progress with the note in hand.

        It is deleted when the note ends or another one begins.
        """

    async def bills_heard(self) -> str | None:
        """Return the last text given to `bills_heard_at`, None for none."""

    async def bills_heard_at(self, words: str) -> None:
        """Store the driver's own text about the last reports of the device that it has handled.

        It is kept whether or not a note is in hand: what a device did meanwhile is compared with it at the next start.
        """

    async def bill_in_escrow(self, value_cents: int) -> Verdict:
        """Return the verdict for a recognised note; for `STACK` the intent is durable before this returns."""

    async def ticket_in_escrow(self, number: str) -> Verdict:
        """Return the verdict for a ticket with that barcode; for `STACK` its reservation is durable first.

        The ticket then is the open escrow: `bill_dialogue_at` applies to it, `ticket_stacked` redeems it,
        `bill_returned` releases it, and `bill_unknown` keeps it reserved for an open item.
        """

    async def ticket_stacked(self) -> None:
        """Redeem the ticket of the open escrow and credit it once.

        Called for every message that a ticket is in the cash box, including repeats: the second call for the same
        escrow does nothing. If the open escrow is a note, or there is none, the ticket becomes an open item.
        """

    async def bill_stacked(self, value_cents: int | None) -> None:
        """Credit the note of the open escrow once; `value_cents` is None if the device does not name the note.

        Called for every credit message of the device, including repeats: the second call for the same escrow credits
        nothing. Without an open escrow the note becomes an open item, and so does a ticket in the open escrow: a note's
        credit does not refer to it.
        """

    async def bill_acknowledged(self) -> None:
        """Record that the device continued after its ACK: the next credit message belongs to another note.

        This ends only a credited escrow. It is also called, before `bill_unknown`, when the device is first at rest
        after a start and the driver does not know whether there is one.
        """

    async def bill_returned(self, reason: str) -> None:
        """Close the open escrow without credit: the device returns the note."""

    async def bill_never_ordered(self) -> None:
        """Close the open escrow, if any, without credit: the device was never ordered to stack it."""

    async def bill_unknown(self, reason: str) -> None:
        """Turn the open escrow, if any, into an open item: the fate of the note is unknown.

        This ends only an escrow that was not credited.
        """


class CoinTaker(Driver, Protocol):
    """A coin acceptor."""

    def accept(self, *, enabled: bool) -> None:
        """Accept coins, or return them all."""


class PayoutOrder(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a payout in the journal.

    `event_counter` and `lifetime` are the hopper's answers to requests 166 and 168 just before the dispense, or None
    while no dispense is announced. `paid` is the number of coins booked, `paid_before` their number when that dispense
    was announced. So `lifetime now - lifetime` coins have left since, of which `paid - paid_before` are booked; that
    may be more than was ordered. `serial` is the hopper of the announced dispense.
    """

    coins: int
    serial: int | None = None
    event_counter: int | None = None
    lifetime: int | None = None
    paid_before: int = 0
    paid: int = 0


class PayoutEnd(Enum):
    """How a payout ended."""

    DONE = "done"
    EMPTY = "empty"
    JAMMED = "jammed"
    STOPPED = "stopped"
    UNDECIDED = "undecided"


class PayoutOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a payout ended, and the faults (code, words) to raise together with its end.

    `recount` is true if the lifetime counter contradicts the books: its next value becomes the new baseline.
    """

    end: PayoutEnd
    faults: tuple[tuple[str, str], ...] = ()
    recount: bool = False


class PayoutListener(Protocol):
    """What a payout calls; each call returns when it is durable."""

    async def dispensing(self, serial: int, event_counter: int, lifetime: int) -> None:
        """Announce a dispense by hopper `serial`; it is sent only after this returns."""

    async def coin_paid(self, paid: int) -> None:
        """Book that `paid` coins of this order have passed the exit in total; each call is one higher."""

    async def coins_boxed(self, serial: int, lifetime: int, coins: int) -> int:
        """Book that `coins` of the dispense announced at `lifetime` fell into the cash box; return the number booked.

        Repeated calls book them once, and the highest number counts: `coins` are those that the device reported since
        `boxes_acknowledged`.
        """

    async def boxes_acknowledged(self, serial: int, lifetime: int) -> None:
        """Record that the booked cash box coins were acknowledged: the next report is about other coins."""


class PendingBooks(PayoutListener, Protocol):
    """The books of an announced order that is not paid further but still has to be counted."""

    async def pending(self) -> PayoutOrder | None:
        """Return the pending order from the books, None if none is pending."""

    async def settled(self, outcome: PayoutOutcome) -> None:
        """Book how the order ended."""


class HopperListener(DeviceLog, Protocol):
    """What a hopper's driver calls between payouts."""

    async def hopper_counted(self, serial: int, lifetime: int) -> bool:
        """Compare the lifetime count of hopper `serial` with the journaled one and store it.

        Coins between the two left the hopper without an order: that is a fault and an open item. If the hopper has an
        announced payout to finish, do nothing and return False: the coins belong to it.
        """


class StockCount(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of a hopper or recycler, counted while nothing moves in it.

    `lifetime` increases by one with each unit that leaves and decreases with each that comes in; `pieces` is the number
    of coins or notes by value in cents. `let_out` is how many units the player got after a power cut, as reported since
    the last count. `boxed` are the pieces by value that the newest operation moved into the cash box, as the device
    reports it; None if it does not report that or was not asked.
    """

    serial: int
    lifetime: int
    pieces: dict[int, int]
    let_out: int = 0
    boxed: dict[int, int] | None = None


class Stocktaking(NamedTuple):
    """The result of comparing a count with the books: whether every payout is settled, and how many units to keep.

    Everything beyond `keep` is to be moved into the cash box; None if nothing is to be moved.
    """

    settled: bool
    keep: int | None = None


class StockListener(HopperListener, Protocol):
    """What the driver of a hopper that counts its contents calls."""

    async def stock_counted(self, found: StockCount) -> Stocktaking:
        """Compare a hopper's contents with the journaled count and store it, as `HopperListener.hopper_counted` does.

        Units that left while a move was wanted are in the cash box. If the hopper has an announced payout to finish, do
        nothing.
        """

    async def stock_moving(self, serial: int, boxed: dict[int, int] | None) -> None:
        """Announce the wanted move; `boxed` is what hopper `serial` reports about its previous operation.

        Called again with an empty `boxed` when the hopper has started: its reports after that are about this move.
        """

    async def stock_moved(self, found: StockCount, refusal: str) -> None:
        """Record that the wanted move ended, completely or, if `refusal` names a reason, in part.

        `found.boxed` is what it moved into the cash box; None if that is unknown or the move never started.
        """

    async def coins_put_in(self, serial: int) -> int:
        """Return how many coins were booked as put into hopper `serial` since the last call.

        The call is durable before it returns: after an interruption the hopper counts too few coins, never too many.
        """


class Level(Enum):
    """How full a hopper is."""

    LOW = "low"
    NORMAL = "normal"
    FULL = "full"
    UNKNOWN = "unknown"


class Dispenser(Driver, Protocol):
    """A hopper, or a recycler that pays notes. `level` is `UNKNOWN` if it has no level sensors.

    It pays in steps of `coin_value_cents`, which this module calls coins: a device with several values pays multiples
    of it. `most_coins` and each order count these steps.
    """

    coin_value_cents: int
    ready: bool
    level: Level

    @property
    def identity(self) -> object | None:
        """The device's identity, readable with `str`; None before it is known."""

    @property
    def serial(self) -> int | None:
        """The serial number of the device that answers, None if none does."""

    @property
    def most_coins(self) -> int:
        """The maximum number of coins of a new order, from the driver's settings."""

    async def pay(self, order: PayoutOrder, listener: PayoutListener) -> PayoutOutcome:
        """Pay an order, or finish one that was interrupted, without ever sending a dispense twice.

        An order with `event_counter` was announced before: the device's status and counters decide what became of it;
        if they cannot, the payout ends `UNDECIDED`.
        """

    async def settle(self, order: PayoutOrder, listener: PayoutListener) -> PayoutOutcome:
        """Stop an announced order and book its coins; pay nothing more."""

    async def settle_pending(self, books: PendingBooks) -> PayoutOutcome | None:
        """Settle the pending order in `books` and book its end; return None if there is none.

        The hopper is locked meanwhile: an earlier payout may have settled the order already.
        """


TICKET_PRINTER = "ticket_printer"
"""The device name of ticket printers in fault reports, for all protocols."""


class PrintEnd(Enum):
    """The result of printing a slip."""

    PRINTED = "printed"
    """The printer reported that everything is printed and cut."""
    NOT_PRINTED = "not_printed"
    """Nothing of it was sent."""
    UNKNOWN = "unknown"
    """It was sent, and the printer did not confirm it."""


class Slip(msgspec.Struct, frozen=True, kw_only=True):
    """A slip of paper: title, lines of text, an amount in the largest type, and the barcode's content.

    `barcode` is an even number of digits, printed as Interleaved 2 of 5; empty for none.
    """

    title: str
    lines: tuple[str, ...] = ()
    amount: str = ""
    barcode: str = ""


class TicketPrinter(Driver, Protocol):
    """A printer that reports what it has printed."""

    @property
    def ready(self) -> bool:
        """Whether the printer answers, has paper and reports no error."""

    async def print(self, slip: Slip) -> PrintEnd:
        """Print `slip` once; it is never sent again automatically. Concurrent calls are queued."""
