"""The callbacks of the money devices' drivers; each returns when its booking is durable."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import msgspec

from common.error_words import error_words
from controller.hardware import hopper_books
from controller.hardware.coin_windows import CoinWindows
from controller.hardware.hoppers import is_recycler
from controller.journal import devices, money, payouts, pulses, refills, stored_money
from controller.journal.diagnostics import coin_diagnostic
from controller.journal.event_catalogue import Event
from controller.journal.faults import fault_over, raise_fault
from controller.journal.transaction import Transaction
from controller.machine.journal_port import JournalPort
from controller.machine.settings_store import SettingsStore
from controller.machine.snapshot import Snapshot, read_snapshot
from controller.machine.state_machine import StateMachine
from controller.machine.tickets import Tickets
from drivers.capabilities import (
    CoinMemory,
    CoinReport,
    CoinWay,
    CoinWindow,
    PulseReport,
    StockCount,
    Stocktaking,
    Verdict,
)
from drivers.cctalk import coin_codes
from drivers.errors import PortError


@contextmanager
def _kept() -> Iterator[None]:
    """Restart a driver whose times could not be stored; it takes no money meanwhile."""
    try:
        yield
    except OSError as error:
        raise PortError(f"the times of money cannot be kept: {error_words(error)}; make room in run_dir") from error


class MoneyListener:
    """Books coins, notes, payouts and device faults in the journal, and updates the machine.

    `boot` is the computer's boot id, empty if unknown; `windows` stores when coin acceptors were read.
    """

    def __init__(
        self,
        journal: JournalPort,
        settings: SettingsStore,
        states: StateMachine,
        tickets: Tickets,
        *,
        boot: str,
        windows: CoinWindows,
    ) -> None:
        self._journal = journal
        self._settings = settings
        self._states = states
        self._tickets = tickets
        self._boot = boot
        self._windows = windows
        self.on_coin_paid: Callable[[int], None] | None = None

    async def coin_memory(self, serial: int) -> CoinMemory | None:
        """Return the stored state of a coin acceptor, and when it was last read."""
        memory = await self._journal.do(lambda tx: money.coin_memory(tx, serial, self._boot))
        return self._with_window(memory, money.coin_acceptor(serial))

    def coins_unread(self, serial: int, window: CoinWindow) -> None:
        """Store when the coin acceptor was read and inhibited; raise `PortError` if that fails."""
        with _kept():
            self._windows.keep(money.coin_acceptor(serial), window)

    def coins_shut(self, serial: int, at: float) -> None:
        """Store that the coin acceptor takes nothing from `at` on; raise as `coins_unread` does."""
        with _kept():
            self._windows.shut(money.coin_acceptor(serial), at)

    async def coins_wanted(self, serial: int) -> None:
        """Record that the coin acceptor may take coins from now on."""
        await self._journal.do(lambda tx: money.coins_rest(tx, serial, rest=False))

    async def coins_at_rest(self, serial: int) -> None:
        """Record that the coin acceptor has taken no coin since it was read."""
        await self._journal.do(lambda tx: money.coins_rest(tx, serial, rest=True))

    async def coin_diagnostic(self, serial: int) -> str:
        """Return the test that the newest coins of the device belong to."""
        return await self._journal.do(lambda tx: coin_diagnostic.running(tx, serial))

    async def set_coin_diagnostic(self, serial: int, test: str) -> None:
        """Record which test the next coins belong to."""
        await self._journal.do(lambda tx: coin_diagnostic.take_for(tx, serial, test))

    async def coins(self, report: CoinReport) -> None:
        """Credit coins with their event counter; coins that came while none were accepted raise a fault (D4).

        Coins taken by a test are recorded as such, and only that counter moves (M12).
        """
        unexpected = bool(report.values_cents) and self._states.up.is_set() and not self._states.takes_coins

        def take(tx: Transaction) -> None:
            test = coin_diagnostic.running(tx, report.serial)
            if test:
                coin_diagnostic.coins_tested(tx, report, test, self._boot)
            else:
                money.book_coins(tx, report, self._boot)
            if report.reset:
                tx.event(Event.COIN_ACCEPTOR_RESET, place="coin acceptor")
            for code in report.rejects:
                reason = coin_codes.explain(code).text
                tx.event(Event.COIN_REJECTED, place="coin acceptor", reason=reason, reject=code)
            if unexpected and not test:
                raise_fault(tx, "coin_unexpected", "coin_acceptor")

        await self.book(take)
        self._states.money_came()

    async def pulse_memory(self, device: str) -> CoinMemory | None:
        """Return whether the pulse acceptor rests, and when it was last read."""
        memory = await self._journal.do(lambda tx: pulses.memory(tx, device, self._boot))
        return self._with_window(memory, device)

    def _with_window(self, memory: CoinMemory | None, acceptor: str) -> CoinMemory | None:
        """Add the times of the last read and inhibit, which a power loss erases."""
        if memory is None or memory.power_lost:
            return memory
        return msgspec.structs.replace(memory, window=self._windows.of(acceptor))

    def pulses_unread(self, device: str, window: CoinWindow) -> None:
        """Store when the pulse acceptor was read and inhibited; raise as `coins_unread` does."""
        with _kept():
            self._windows.keep(device, window)

    async def pulses_rest(self, device: str, *, rest: bool, dearest_cents: int) -> None:
        """Record whether the pulse acceptor gives no pulses from now on."""
        await self._journal.do(lambda tx: pulses.rests(tx, device, self._boot, rest=rest, dearest_cents=dearest_cents))

    async def pulses_missed(self, device: str, most_cents: int | None) -> None:
        """Open an item for money that was not counted."""
        await self.book(lambda tx: pulses.missed(tx, device, most_cents))

    async def pulses_cut(self, device: str, most_cents: Mapping[str, int]) -> None:
        """Open items for bursts of a pulse acceptor that never ended."""
        await self.book(lambda tx: pulses.cut(tx, device, most_cents))

    async def pulses_begin(self, device: str, channel: str, most_cents: int) -> None:
        """Record that a burst has begun."""
        await self._journal.do(lambda tx: pulses.begin(tx, device, channel, most_cents))

    async def pulses(self, report: PulseReport) -> None:
        """Credit a burst; one that came long after its acceptor was inhibited also raises a fault (D4)."""

        def take(tx: Transaction) -> None:
            pulses.book(tx, report)
            if report.unasked:
                raise_fault(tx, "coin_unexpected", report.device)

        await self.book(take)
        self._states.money_came()

    async def coin_way(self) -> CoinWay:
        """Return the last recorded way of the diverter."""
        return await self._journal.do(money.coin_way)

    async def coins_fall(self, way: CoinWay) -> None:
        """Record where the diverter is about to send coins."""
        await self._journal.do(lambda tx: money.coins_fall(tx, way))

    async def bill_dialogue(self) -> str | None:
        """Return the stored state of the driver's dialogue about the note in hand."""
        return await self._journal.do(money.dialogue)

    async def bill_dialogue_at(self, words: str) -> None:
        """Store the state of the driver's dialogue about the note in hand."""
        await self._journal.do(lambda tx: money.dialogue_at(tx, words))

    async def bills_heard(self) -> str | None:
        """Return the driver's stored text about the validator's last reports."""
        return await self._journal.do(money.bills_heard)

    async def bills_heard_at(self, words: str) -> None:
        """Store the driver's text about the validator's last reports."""
        await self._journal.do(lambda tx: money.bills_heard_at(tx, words))

    async def bill_in_escrow(self, value_cents: int) -> Verdict:
        """Accept the note if notes of its value are accepted now; the intent is durable before this returns."""
        if not self._states.takes_notes or value_cents not in self._settings.config.limits.notes_cents:
            return Verdict.RETURN
        await self._journal.do(lambda tx: money.note_stacking(tx, value_cents))
        return Verdict.STACK

    async def ticket_in_escrow(self, number: str) -> Verdict:
        """Accept the ticket if it is valid now; the intent is durable before this returns."""
        return await self._tickets.in_escrow(number)

    async def bill_stacked(self, value_cents: int | None) -> None:
        """Credit the note in hand, once."""
        recycles = self._recycles
        await self.book(lambda tx: money.note_stacked(tx, value_cents, recycles=recycles))
        self._states.money_came()

    async def ticket_stacked(self) -> None:
        """Redeem the ticket in hand and credit it, once."""
        await self.book(money.ticket_stacked)
        self._states.money_came()

    async def bill_acknowledged(self) -> None:
        """Complete the record of the credited note."""
        await self._journal.do(money.note_acknowledged)

    async def bill_returned(self, reason: str) -> None:
        """End the escrow without credit."""
        await self.book(lambda tx: money.note_returned(tx, reason))

    async def bill_never_ordered(self) -> None:
        """End the escrow of a note that was never ordered to be stacked, without credit."""
        await self.book(money.note_never_ordered)

    async def bill_unknown(self, reason: str) -> None:
        """Open an item for a note whose end is unknown."""
        await self.book(lambda tx: money.note_given_up(tx, reason))

    async def dispensing(self, serial: int, event_counter: int, lifetime: int) -> None:
        """Record the hopper and its counters before a dispense is sent; this reveals earlier unordered coins."""
        value, by_level = self._hopper_coin_cents, self.counts_by_level
        await self.book(
            lambda tx: hopper_books.dispensing(tx, serial, event_counter, lifetime, value, by_level=by_level)
        )

    async def hopper_counted(self, serial: int, lifetime: int) -> bool:
        """Compare and store a hopper's lifetime count, unless it must finish an announced payout first."""
        value = self._hopper_coin_cents
        settled: list[bool] = []
        await self.book(lambda tx: settled.append(hopper_books.counted(tx, serial, lifetime, value)))
        return settled == [True]

    async def stock_counted(self, found: StockCount) -> Stocktaking:
        """Compare and store the hopper's content, unless it must finish an announced payout first."""
        value, recycles = self._hopper_coin_cents, self._recycles
        taken: list[Stocktaking] = []
        await self.book(lambda tx: taken.append(hopper_books.stock_counted(tx, found, value, recycles=recycles)))
        return taken[0]

    async def stock_moving(self, serial: int, boxed: dict[int, int] | None) -> None:
        """Record the hopper's report of its newest operation; the requested move comes after it."""
        await self.book(lambda tx: stored_money.moving(tx, serial, boxed or {}))

    async def stock_moved(self, found: StockCount, refusal: str) -> None:
        """Book the money that the requested move took out of the hopper, and the end of the move."""
        value, recycles = self._hopper_coin_cents, self._recycles

        def moved(tx: Transaction) -> None:
            if hopper_books.stock_counted(tx, found, value, recycles=recycles, moved=True).settled:
                stored_money.move_ended(tx, refusal)

        await self.book(moved)

    async def coins_boxed(self, serial: int, lifetime: int, coins: int) -> int:
        """Book the coins of a dispense that fell into the cash box."""
        value, recycles = self._hopper_coin_cents, self._recycles
        booked: list[int] = []
        await self.book(
            lambda tx: booked.append(stored_money.coins_boxed(tx, serial, lifetime, coins, value, recycles=recycles))
        )
        return booked[0]

    async def boxes_acknowledged(self, serial: int, lifetime: int) -> None:
        """Record that the coins in the cash box were acknowledged."""
        await self.book(lambda tx: stored_money.boxes_acknowledged(tx, serial, lifetime))

    @property
    def _recycles(self) -> bool:
        return is_recycler(self._settings.file_config)

    async def coins_put_in(self, serial: int) -> int:
        """Return the coins that were booked as put into the hopper since the last call."""
        value = self._hopper_coin_cents
        return await self._journal.do(lambda tx: refills.put_in_since(tx, serial, value))

    @property
    def _hopper_coin_cents(self) -> int:
        wired = self._settings.config.hopper
        return wired.coin_value_cents if wired else 0

    @property
    def counts_by_level(self) -> bool:
        """Whether the hopper's lifetime count is computed from its content, like that of an SSP hopper or a changer."""
        wired = self._settings.config.hopper
        return wired is not None and wired.protocol in hopper_books.BY_LEVEL

    async def coin_paid(self, paid: int) -> None:
        """Take a coin that has passed the hopper's exit off the credit."""
        await self.book(lambda tx: payouts.coin_paid(tx, paid))
        if self.on_coin_paid is not None:
            self.on_coin_paid(paid)

    async def book(self, act: Callable[[Transaction], None]) -> None:
        """Run a transaction that may open an item or raise a fault, and update the machine."""

        def book(tx: Transaction) -> Snapshot:
            act(tx)
            return read_snapshot(tx)

        self._states.apply_if_changed(await self._journal.do(book))

    async def device_found(self, device: str, identity: str) -> None:
        """Record the identity of `device`; a change is logged."""
        await self._journal.do(lambda tx: devices.found(tx, device, identity))

    async def device_fault(self, device: str, code: str, *, present: bool, detail: str = "") -> None:
        """Raise a fault, or record that its cause is gone, which clears a self-clearing fault."""

        def record(tx: Transaction) -> bool:
            return raise_fault(tx, code, device, detail) if present else fault_over(tx, code, device)

        if await self._journal.do(record):
            await self._journal.reload()
