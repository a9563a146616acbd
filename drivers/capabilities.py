"""What drivers offer and what they ask of whoever uses them.

A money driver awaits its listener before it answers its device: when `coins`, `bill_stacked`,
`ticket_stacked` or `coin_paid` returns, what it reports is committed to the journal, and only then goes the ACK out.
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
        """De-energise every output, at once and on every path; may be called twice."""


class Faults(Protocol):
    """Where drivers report what a person must see."""

    async def device_fault(self, device: str, code: str, *, present: bool, detail: str = "") -> None:
        """Raise (`present`) or clear fault `code` of `device`; repeated reports of the same change nothing."""


class DeviceLog(Faults, Protocol):
    """Where drivers of money devices report which device they found."""

    async def device_found(self, device: str, identity: str) -> None:
        """Note who answers as `device`, after each opening of its port; another one than the last time is logged."""


class CoinWay(Enum):
    """Where an accepted coin fell; `UNKNOWN` where nobody can say beyond doubt."""

    CASH_BOX = "cash_box"
    HOPPER = "hopper"
    UNKNOWN = "unknown"


class CoinMemory(msgspec.Struct, frozen=True, kw_only=True):
    """What the journal remembers of a coin acceptor: its event counter, and the events it held then, if they are kept.

    `power_lost` where the computer has been started anew since, by which the cabinet's power was off or may have been.
    `at_rest` where the acceptor has been inhibited since it was last read: it has taken no coin since. `window` is when
    it was read and inhibited, None where nobody knows. `dearest_cents` is what one coin was worth at the most, 0 where
    that was not kept.
    """

    counter: int
    events: Events | None = None
    power_lost: bool = False
    at_rest: bool = False
    window: "CoinWindow | None" = None
    dearest_cents: int = 0


class CoinWindow(msgspec.Struct, frozen=True, kw_only=True):
    """When an acceptor was last read, and since when it takes no coins, in the clock's seconds.

    What it had taken at `read_at` is booked, None where nobody knows when that was. It obeyed the order to take no more
    at `shut_at`, None where it may be taking coins. What it was asked for at `asked_at` is not booked yet.
    """

    read_at: float | None
    shut_at: float | None
    asked_at: float | None = None


class CoinReport(msgspec.Struct, frozen=True, kw_only=True):
    """What one read of a coin acceptor's event buffer added.

    `counter` is the device's event counter after these events and `events` what its buffer holds, `values_cents` the
    accepted coins oldest first and `ways` where each of them fell (all into the cash box where it is empty). `lost` is
    how many events fell out of the buffer unread and `lost_cents` what they can be worth at the most (None where nobody
    knows). `reset` says whether the device had lost power or was reset since the last read; where it may have taken
    coins before that it `forgot`, worth `forgot_cents` at the most (None where nobody knows). `holds` are the events in
    its buffer and `held` those remembered from before, in words. `rejects` are the error codes seen that are to be
    logged (`drivers.cctalk.coin_codes`). `positions` are the coins' numbers in the device.
    """

    serial: int
    counter: int
    events: Events = ()
    values_cents: tuple[int, ...] = ()
    ways: tuple[CoinWay, ...] = ()
    lost: int = 0
    lost_cents: int | None = None
    reset: bool = False
    forgot: bool = False
    forgot_cents: int | None = None
    holds: str = "-"
    held: str = "-"
    rejects: tuple[int, ...] = ()
    positions: tuple[int, ...] = ()


class WayBooks(Protocol):
    """Where the state of a coin diverter is kept; each call returns when it is durable."""

    async def coin_way(self) -> CoinWay:
        """Return where coins were last said to fall, the cash box where nothing was ever said."""

    async def coins_fall(self, way: CoinWay) -> None:
        """From now on coins fall `way`; never diverted before this returns."""


class CoinDiagnosticBooks(Protocol):
    """Where it is kept which test a coin acceptor's coins are taken for; each call returns when it is durable."""

    async def coin_diagnostic(self, serial: int) -> str:
        """Return the test that the newest coins of that device are taken for, empty where they are credited."""

    async def set_coin_diagnostic(self, serial: int, test: str) -> None:
        """From now on coins of that device are taken for `test`, or credited where it is empty."""


class CoinListener(DeviceLog, WayBooks, CoinDiagnosticBooks, Protocol):
    """What a coin acceptor needs of its user."""

    async def coin_memory(self, serial: int) -> CoinMemory | None:
        """Return what the journal remembers of that device, None for one never seen."""

    def coins_unread(self, serial: int, window: CoinWindow) -> None:
        """Keep when that device was read and inhibited, at once, for the computer's next program."""

    def coins_shut(self, serial: int, at: float) -> None:
        """Keep, as `coins_unread` does, that the device takes no coins from then on; before anything is asked of it."""

    async def coins_wanted(self, serial: int) -> None:
        """From now on that device may take coins; it is enabled when this returns."""

    async def coins_at_rest(self, serial: int) -> None:
        """That device has been inhibited since it was last read: whatever it loses now, it loses no coin."""

    async def coins(self, report: CoinReport) -> None:
        """Commit the counter and the credit it means in one transaction; returns when durable.

        Coins that are taken for a test (`set_coin_diagnostic`) move the counter and nothing else.
        """


class PulseReport(msgspec.Struct, frozen=True, kw_only=True):
    """A burst of a pulse acceptor that has ended.

    `value_cents` is what its `pulses` are worth on that `channel`, for a `note` or a coin; None where they stand for
    nothing, or are no proof. Then it is worth `most_cents` at the most (None where nobody knows). `unasked` where it
    began long after the acceptor was inhibited.
    """

    device: str
    note: bool
    channel: str
    pulses: int
    value_cents: int | None
    most_cents: int | None
    unasked: bool


class PulseListener(Faults, Protocol):
    """What a pulse acceptor needs of its user; each call returns when its meaning is durable."""

    async def pulse_memory(self, device: str) -> CoinMemory | None:
        """Return what is known of that acceptor, None for one that was never served; its counter says nothing."""

    def pulses_unread(self, device: str, window: CoinWindow) -> None:
        """Keep when it was read and inhibited, at once, for the computer's next program."""

    async def pulses_rest(self, device: str, *, rest: bool, dearest_cents: int) -> None:
        """From now on it gives no pulses, or may, of coins worth up to that; it takes money when this has returned."""

    async def pulses_missed(self, device: str, most_cents: int | None) -> None:
        """Open an item for what it may have taken while nobody counted, None where nobody knows how much."""

    async def pulses_cut(self, device: str, most_cents: Mapping[str, int]) -> None:
        """Turn each burst of `device` that has begun and never ended into an open item.

        `most_cents` is what a burst is worth at the most, by channel. Called before anything is counted.
        """

    async def pulses_begin(self, device: str, channel: str, most_cents: int) -> None:
        """Keep that a burst has begun on that channel, worth `most_cents` at the most."""

    async def pulses(self, report: PulseReport) -> None:
        """Credit a burst, or open an item for one that is no proof; it is under way no more."""


class Verdict(Enum):
    """What to do with a note in escrow."""

    STACK = "stack"
    RETURN = "return"


BILL_VALIDATOR = "bill_validator"
"""The name under which a bill validator reports its faults, whatever its protocol."""


class BillListener(DeviceLog, Protocol):
    """What a bill validator needs of its user; each call returns when its meaning is durable."""

    async def bill_dialogue(self) -> str | None:
        """Return the last words given to `bill_dialogue_at` for the note that is still in hand, None for none."""

    async def bill_dialogue_at(self, words: str) -> None:
        """Keep the driver's own words on how far the dialogue about the note in hand has come.

        They are forgotten with the note, and when another begins.
        """

    async def bill_in_escrow(self, value_cents: int) -> Verdict:
        """Decide about a recognised note; on `STACK` the intent is durable before this returns."""

    async def ticket_in_escrow(self, number: str) -> Verdict:
        """Decide about a ticket with that barcode; on `STACK` it is reserved, and that is durable before this returns.

        From then on it is the open escrow, with `bill_dialogue_at` and all that ends one: `ticket_stacked` redeems it,
        `bill_returned` releases it, `bill_unknown` keeps it reserved for an open item.
        """

    async def ticket_stacked(self) -> None:
        """Redeem the ticket of the open escrow and credit it, once.

        Called for every sight of the device's message that a ticket is in the cash box, repeated ones too: the second
        one for the same escrow does nothing. Where a note is the open escrow, or nothing is, it becomes an open item.
        """

    async def bill_stacked(self, value_cents: int | None) -> None:
        """Credit the note of the open escrow, once; None where the device does not say which note.

        Called for every sight of the device's credit message, repeated ones too: the second one for the same
        escrow credits nothing. One without an open escrow becomes an open item, and so does a ticket that is the open
        escrow: what the device says of a note is not about that.
        """

    async def bill_acknowledged(self) -> None:
        """Record that the device went on after its ACK: the next credit message is another note's.

        Ends a credited escrow only. Also called, before `bill_unknown`, at the first rest after every start, when
        the driver cannot know whether there is one.
        """

    async def bill_returned(self, reason: str) -> None:
        """Close the open escrow without credit: the device gives the note back."""

    async def bill_never_ordered(self) -> None:
        """Close the open escrow, if any, without credit: the device was not ordered to stack, and says nothing."""

    async def bill_unknown(self, reason: str) -> None:
        """Turn the open escrow, if any, into an open item: nobody can say where the note went.

        Ends an escrow without credit only.
        """


class BillAcceptor(Driver, Protocol):
    """A bill validator with escrow."""

    def accept(self, values_cents: frozenset[int]) -> None:
        """Take only these notes from now on; none at all for an empty set. The driver applies it when it can."""


class CoinTaker(Driver, Protocol):
    """A coin acceptor."""

    def accept(self, *, enabled: bool) -> None:
        """Take coins, or return them all."""


class PayoutOrder(msgspec.Struct, frozen=True, kw_only=True):
    """A payout as the journal knows it.

    `event_counter` and `lifetime` are the hopper's answers to 166 and 168 just before the dispense, or None
    while no dispense has been announced; `paid` the coins already booked, `paid_before` as many of them as were
    booked when that dispense was announced. So `lifetime now - lifetime` coins have left since, of which
    `paid - paid_before` are booked; that may be more than was ordered. `serial` is the announced dispense's hopper's.
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
    """How a payout ended, and the faults (code, what the device says) that whoever writes its end raises with it.

    `recount` where the lifetime counter contradicts the books: what it says next is a new beginning.
    """

    end: PayoutEnd
    faults: tuple[tuple[str, str], ...] = ()
    recount: bool = False


class PayoutListener(Protocol):
    """What a payout needs of its user; each call returns when its meaning is durable."""

    async def dispensing(self, serial: int, event_counter: int, lifetime: int) -> None:
        """A dispense by hopper `serial` is about to be sent; never sent before this returns."""

    async def coin_paid(self, paid: int) -> None:
        """`paid` coins of this order have passed the exit in all, `paid` strictly rising by one."""

    async def coins_boxed(self, serial: int, lifetime: int, coins: int) -> int:
        """Book that `coins` of the dispense announced at `lifetime` fell into the cash box; return how many are booked.

        They are booked once however often this is called, and the greatest number counts: `coins` are those that the
        device has reported since `boxes_acknowledged`.
        """

    async def boxes_acknowledged(self, serial: int, lifetime: int) -> None:
        """What was booked as fallen into the cash box was acknowledged: the next report is not of the same coins."""


class PendingBooks(PayoutListener, Protocol):
    """The books of an announced order that its user no longer pays and that its hopper has still to count."""

    async def pending(self) -> PayoutOrder | None:
        """Return the order as the books have it now, None where none is pending any more."""

    async def settled(self, outcome: PayoutOutcome) -> None:
        """Write how the order ended."""


class HopperListener(DeviceLog, Protocol):
    """What a hopper needs of its user between payouts."""

    async def hopper_counted(self, serial: int, lifetime: int) -> bool:
        """Compare the lifetime count of hopper `serial` with the journaled one and keep it.

        Coins between the two left the hopper unordered, while it was watched or not: a fault and an open item.
        Return False, having done nothing, where that hopper has an announced payout to finish: they are its coins.
        """


class StockCount(msgspec.Struct, frozen=True, kw_only=True):
    """What a hopper or recycler holds, counted while nothing moves in it.

    `lifetime` rises by one with each unit that leaves, and goes back with each that comes in; `pieces` are the coins or
    notes of each value in cents. `let_out` units have fallen to the player though they were on their way to the cash
    box, by what the device reports since it was last counted. `boxed` are the pieces of each value that its newest
    operation has sent into the cash box, by what it says of that; None where it says nothing, or was not asked.
    """

    serial: int
    lifetime: int
    pieces: dict[int, int]
    let_out: int = 0
    boxed: dict[int, int] | None = None


class Stocktaking(NamedTuple):
    """What the books make of a count: whether every payout is settled, and how many units are to be kept.

    All that is beyond `keep` is to be moved into the cash box; None where nothing is to be moved.
    """

    settled: bool
    keep: int | None = None


class StockListener(HopperListener, Protocol):
    """What a hopper that keeps count of what it holds needs of its user."""

    async def stock_counted(self, found: StockCount) -> Stocktaking:
        """Compare what a hopper holds with the journaled count and keep it, as `HopperListener.hopper_counted` does.

        What left it while a move was wanted is in the cash box. Where it has an announced payout to finish nothing is
        done.
        """

    async def stock_moving(self, serial: int, boxed: dict[int, int] | None) -> None:
        """The wanted move is about to be ordered: `boxed` is what hopper `serial` says of the operation before it.

        Called again with nothing in `boxed` once the hopper has begun: what it says from then on is of the move.
        """

    async def stock_moved(self, found: StockCount, refusal: str) -> None:
        """The wanted move is over: all of it, or as far as it came for the reason `refusal`.

        `found.boxed` is what it sent into the cash box; None where that is unknown or it never began.
        """

    async def coins_put_in(self, serial: int) -> int:
        """Return how many coins were booked as put into hopper `serial` since this was last asked, each once.

        That they were returned is durable first: a hopper that is cut off then counts too few, never too many.
        """


class Level(Enum):
    """How full a hopper is."""

    LOW = "low"
    NORMAL = "normal"
    FULL = "full"
    UNKNOWN = "unknown"


class Dispenser(Driver, Protocol):
    """A hopper, or a recycler that pays notes. `level` is `UNKNOWN` where it has no level sensors.

    It pays in steps of `coin_value_cents`, which the rest of this module calls coins: one that holds several kinds pays
    them as so many of these. `most_coins` and each order count them.
    """

    coin_value_cents: int
    ready: bool
    level: Level

    @property
    def identity(self) -> object | None:
        """Who answers, in its `str`; None before anybody has."""

    @property
    def serial(self) -> int | None:
        """The serial number of the device that answers, None where none does."""

    @property
    def most_coins(self) -> int:
        """How many coins a new order may have: what the driver was started with."""

    async def pay(self, order: PayoutOrder, listener: PayoutListener) -> PayoutOutcome:
        """Pay an order, or finish one that was interrupted, without ever sending a dispense twice.

        An order whose `event_counter` is set was announced before: what became of it is decided from the
        device's status and counters; what cannot be decided ends `UNDECIDED`.
        """

    async def settle(self, order: PayoutOrder, listener: PayoutListener) -> PayoutOutcome:
        """Stop an order that was announced and book the coins that it has given; nothing more of it is paid."""

    async def settle_pending(self, books: PendingBooks) -> PayoutOutcome | None:
        """Settle the order that `books` have pending, and have its end written; return None where there is none.

        From the question to the end nothing else uses the hopper: a payout that came first has settled it already.
        """


TICKET_PRINTER = "ticket_printer"
"""The name under which a ticket printer reports its faults, whatever its protocol."""


class PrintEnd(Enum):
    """What is known of a slip that was to be printed."""

    PRINTED = "printed"
    """The printer reported that all of it, with its cut, is printed."""
    NOT_PRINTED = "not_printed"
    """Nothing of it was sent."""
    UNKNOWN = "unknown"
    """It was sent, and the printer did not report that it is printed."""


class Slip(msgspec.Struct, frozen=True, kw_only=True):
    """A slip of paper: a title, lines of text, an amount that is printed largest, and what its barcode holds.

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
        """Whether it answers, has paper, and reports no error."""

    async def print(self, slip: Slip) -> PrintEnd:
        """Print `slip` once; it is never sent a second time by itself. Slips that come together take turns."""
