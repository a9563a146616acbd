"""The machine and its flows on virtual time, with a screen, a front and a hopper that keep what they are given.

Everything that decides is the real one: journal, machine, rounds, payouts, listener. What a device's driver would
say is said to `listener`, what a finger would do to `machine`.
"""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import msgspec

from controller import feature
from controller.configuration.cabinet_toml import Config
from controller.faults import Clears, explain
from controller.hardware.coin_windows import CoinWindows
from controller.hardware.money_listener import MoneyListener
from controller.journal.errors import RefusedError
from controller.journal.journal import Journal
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from controller.machine.machine import Machine
from controller.machine.view import MachineParts
from controller.monitors.uptime import count_minutes, end_retest, keep_clock
from controller.play.cashing_out import CashingOut
from controller.play.player import Player
from controller.play.playing import Playing
from controller.play.showing import Shows
from controller.play.tiles import keep_tiles
from controller.rounds.draws import DrawSource, seeded_source
from controller.supervisor import build_service, build_settling
from controller.system.host import Departure
from drivers.capabilities import (
    TICKET_PRINTER,
    Level,
    PayoutEnd,
    PayoutListener,
    PayoutOrder,
    PayoutOutcome,
    PendingBooks,
    PrintEnd,
    Slip,
    Verdict,
)
from drivers.clock import LoopClock
from drivers.errors import DriverError
from drivers.pins.lamps import LampPattern
from drivers.pins.tower_light import LightPattern
from tests.rigs.books import laid
from tests.rigs.logged_events import words_of
from tests.rigs.people import CHEAP, typed_at
from tests.rigs.slow_books import SlowWriter
from tests.rigs.virtual_cabinet import configuration
from ui.protocol.messages import View

COIN_S = 0.2
SERIAL = 815
_METER = "SELECT coalesce(sum(value), 0) FROM meters WHERE name = ?"


class WatchedScreen:
    """A display that is always there; a show lasts `show_s` seconds, or for ever where that is None."""

    def __init__(self, acknowledge: Callable[[int], None]) -> None:
        self.connected = True
        self.show_s: float | None = 1.0
        self.views: list[View] = []
        self.shows: list[tuple[msgspec.Raw, ...]] = []
        self.hurried: list[int] = []
        self.turbo: list[bool] = []
        self.plain: list[bool] = []
        self.turn = 0
        self._acknowledge = acknowledge
        self._showing_turn = 0

    def publish(self, view: View, *, turn: int) -> None:
        """Keep the view."""
        self.views.append(view)
        self.turn = turn

    def show(
        self,
        steps: Sequence[msgspec.Raw],
        *,
        credit_cents: int,
        win_cents: int,
        turbo: bool = False,
        plain: bool = False,
    ) -> int:
        """Keep the show, and acknowledge it when it is over; a view of another turn withdraws it before."""
        del credit_cents, win_cents
        self.shows.append(tuple(steps))
        self.turbo.append(turbo)
        self.plain.append(plain)
        number, turn = len(self.shows), self.turn
        if self.show_s is not None and self.connected:
            asyncio.get_running_loop().call_later(self.show_s, self._over, number, turn)
        return number

    def hurry(self, number: int) -> None:
        """Keep what was hurried, and end it."""
        self.hurried.append(number)
        self._acknowledge(number)

    def _over(self, number: int, turn: int) -> None:
        if turn == self.turn:
            self._acknowledge(number)

    @property
    def view(self) -> View:
        """What is shown now."""
        return self.views[-1]


class WatchedFront:
    """Outputs that keep their last commands."""

    def __init__(self) -> None:
        self.lit: Mapping[str, LampPattern] = {}
        self.light: Mapping[str, LightPattern] = {}
        self.coins = False
        self.notes: frozenset[int] = frozenset()

    def lamps(self, patterns: Mapping[str, LampPattern]) -> None:
        """Keep the lamps."""
        self.lit = patterns

    def tower(self, patterns: Mapping[str, LightPattern]) -> None:
        """Keep the tower light."""
        self.light = patterns

    def take_money(self, *, coins: bool, notes_cents: frozenset[int]) -> None:
        """Keep which money is taken."""
        self.coins, self.notes = coins, notes_cents


class WatchedHost:
    """A computer that keeps what it is asked for; with a `refusal` it lets nobody set its clock."""

    def __init__(self) -> None:
        self.lead = 0
        self.refusal = ""
        self.set_to: list[int] = []
        self.departures: list[Departure] = []

    def lead_ms(self) -> int:
        """Return the lead that was chosen."""
        return self.lead

    def set_clock(self, wall_ms: int) -> None:
        """Keep the moment, and jump."""
        if self.refusal:
            raise RefusedError(self.refusal)
        self.set_to.append(wall_ms)
        self.lead += 3_600_000

    def leave(self, way: Departure) -> None:
        """Keep the way."""
        self.departures.append(way)


class PlainHopper:
    """A hopper that pays a coin of 1.00 every `COIN_S`, and does not lose its tray with the supervisor.

    It gives `stock` coins and then ends with `end`; `breaks_after` coins its line fails once; `runaway` is how many
    coins slip out after an order's last one.
    """

    name = "hopper"
    coin_value_cents = 100
    most_coins = 255
    level = Level.UNKNOWN

    def __init__(self) -> None:
        self.ready = True
        self.tray = 0
        self.stock = 1000
        self.end = PayoutEnd.EMPTY
        self.breaks_after: int | None = None
        self.runaway = 0

    @property
    def serial(self) -> int | None:
        """Its number while it answers."""
        return SERIAL if self.ready else None

    async def run(self) -> None:
        """Nothing serves this hopper."""

    def stop(self) -> None:
        """Nothing drives this hopper."""

    async def pay(self, order: PayoutOrder, listener: PayoutListener) -> PayoutOutcome:
        """Pay the order from where the journal knows it."""
        before = self.tray if order.lifetime is None else order.lifetime
        if order.lifetime is None:
            await listener.dispensing(SERIAL, 1, before)
        paid = order.paid
        paid = await self._book(order, paid, before, listener)
        while paid < order.coins:
            if self.breaks_after == paid:
                self.breaks_after = None
                raise DriverError("the hopper's line failed")
            if not self.stock:
                return PayoutOutcome(end=self.end, faults=(("hopper_empty", "no coin came in time"),))
            await asyncio.sleep(COIN_S)
            self.stock -= 1
            self.tray += 1
            paid += 1
            await listener.coin_paid(paid)
        self.tray, self.runaway = self.tray + self.runaway, 0
        passed = await self._book(order, paid, before, listener)
        faults = (("hopper_runaway", "coins beyond the order"),) if passed > order.coins else ()
        return PayoutOutcome(end=PayoutEnd.DONE, faults=faults)

    async def settle(self, order: PayoutOrder, listener: PayoutListener) -> PayoutOutcome:
        """Report the coins that have left; no more is paid."""
        assert order.lifetime is not None
        await self._book(order, order.paid, order.lifetime, listener)
        return PayoutOutcome(end=PayoutEnd.STOPPED)

    async def settle_pending(self, books: PendingBooks) -> PayoutOutcome | None:
        """Settle what is pending."""
        order = await books.pending()
        if order is None:
            return None
        outcome = await self.settle(order, books)
        await books.settled(outcome)
        return outcome

    async def _book(self, order: PayoutOrder, paid: int, before: int, listener: PayoutListener) -> int:
        """Report the coins that left unreported; return how many left in all."""
        passed = order.paid_before + self.tray - before
        for coin in range(paid, passed):
            await listener.coin_paid(coin + 1)
        return max(paid, passed)


class PlainPrinter:
    """A ticket printer whose tray outlasts the supervisor; `ends` are how its next prints end, by default printed."""

    name = TICKET_PRINTER
    print_s = 1.0

    def __init__(self) -> None:
        self.ready = True
        self.tray: list[Slip] = []
        self.ends: list[PrintEnd] = []

    async def run(self) -> None:
        """Nothing serves this printer."""

    def stop(self) -> None:
        """Nothing drives this printer."""

    async def print(self, slip: Slip) -> PrintEnd:
        """Put the slip into the tray, unless nothing of it is sent."""
        end = self.ends.pop(0) if self.ends else PrintEnd.PRINTED
        await asyncio.sleep(self.print_s)
        if end is not PrintEnd.NOT_PRINTED:
            self.tray.append(slip)
        await asyncio.sleep(self.print_s)
        return end


class Fitted(NamedTuple):
    """What a feature has fitted to a machine: what it records at the start, and its tasks."""

    at_start: Sequence[Callable[[Transaction], None]] = ()
    tasks: Sequence[Callable[[], Coroutine[object, object, None]]] = ()


def features() -> Iterator[Callable[["Rig"], Fitted]]:
    """Yield what fits each feature to a machine: `fit` of its `tests/features/NAME/rig.py`, if it has one."""
    for name in feature.features():
        rig = f"tests.features.{name}.rig"
        if find_spec(rig) is not None:
            yield import_module(rig).fit


class Rig:
    """A machine on the journal in `folder`, an asynchronous context manager; `restart` it as often as it takes."""

    store: Callable[..., Store] = Store
    """Opens the journal."""
    writer: SlowWriter | None = None
    """Takes the place of the journal's thread."""

    def __init__(
        self,
        folder: Path,
        *,
        draws: DrawSource | None = None,
        hopper: PlainHopper | None = None,
        printer: PlainPrinter | None = None,
        config: Config | None = None,
        simulated: bool = True,
        proof: Any = None,
    ) -> None:
        self.proof = proof
        """What proves the program, None for a source tree."""
        self.simulated = simulated
        self.path = folder / "journal.sqlite"
        self.config = config or configuration(folder)
        self.draws = draws or seeded_source(1)
        self.hopper = hopper
        self.printer = printer
        self.keeper_of: Callable[[MachineParts], Any] | None = None
        """Makes the keeper of linked jackpots at each start, None for the cabinet's own."""
        self.boot = ""
        self.wall_ms = 0
        self.host = WatchedHost()
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.kill()

    async def start(self, *, until: str | None = "attract", keys_on: Collection[str] = ()) -> None:
        """Start on the journal, and go on until the machine is in that state."""
        laid(self.path, simulated=self.simulated)
        self.journal = Journal(
            lambda: self.store(self.path, lambda: self.wall_ms, simulated=self.simulated), thread=self.writer
        )
        self.front = WatchedFront()
        self.screen = WatchedScreen(self._acknowledge)
        self.machine = Machine(
            self.config, self.journal, self.screen, self.front, LoopClock(), host=self.host, pin_cost=CHEAP
        )
        self.service = build_service(self.machine)
        parts, clock = self.machine.parts, self.machine.clock
        self.listener = MoneyListener(
            parts.journal,
            parts.settings,
            parts.states,
            self.machine.tickets,
            boot=self.boot,
            windows=CoinWindows(self.path.parent, self.boot),
        )
        fitted = [fit(self) for fit in features()]
        shows = Shows(parts, self.screen, clock)
        cashing_out = CashingOut(
            parts, clock, self.listener, self.hopper, tickets=self.machine.tickets, printer=self.printer
        )
        player = Player(
            parts, shows, Playing(parts, shows, clock, self.draws, self.machine.jackpots), cashing_out, clock
        )
        for switch in ("attendant", "technician"):
            self.machine.keys.take(switch, turned=switch in keys_on)
        more = self.fit()
        await self.machine.power_up(self.boot, at_start=[record for part in fitted for record in part.at_start])
        machine = self.machine
        flows = (player.run(), self.service.run(), count_minutes(machine.journal, machine.clock))
        tasks = (*flows, machine.journal.run_posts(), end_retest(machine.journal, machine.conditions, machine.clock))
        tiled = (machine.journal, machine.settings, machine.play, machine.states, machine.clock)
        tasks = (*tasks, keep_tiles(*tiled, jackpots=machine.jackpots))
        tasks = (*tasks, keep_clock(machine.parts, machine.host, machine.clock))
        tasks = (*tasks, *(task() for part in fitted for task in part.tasks))
        if self.hopper is not None:
            tasks = (*tasks, build_settling(machine, self.listener, self.hopper).run())
        self._tasks = [asyncio.create_task(task) for task in (*tasks, *more)]
        if until is not None:
            await self.until(until)

    def fit(self) -> Sequence[Coroutine[object, object, None]]:
        """Fit what else the machine has before its start; return the tasks that it runs then."""
        return ()

    def run(self, task: Coroutine[object, object, None]) -> None:
        """Run one more of the supervisor's tasks."""
        self._tasks.append(asyncio.create_task(task))

    async def kill(self) -> None:
        """End it wherever it is; what was not committed is lost."""
        if self.writer is not None:
            self.writer.hurry()
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task
        self.screen.turn = -1  # what it was showing is over without an answer
        self.journal.close()

    async def restart(self, *, until: str | None = None) -> None:
        """Kill it and start it again."""
        await self.kill()
        await self.start(until=until)

    async def until(self, state: str, seconds: float = 60.0) -> None:
        """Let time pass until the machine shows `state`; fail after `seconds` of it."""
        await self.until_true(lambda: self.machine.screen is self.screen and self.shown == state, seconds)

    async def until_true(self, holds: Callable[[], bool], seconds: float = 60.0) -> None:
        """Let time pass until `holds()`; fail after `seconds` of it, or at once where a flow has died."""
        for _ in range(int(seconds / 0.05)):
            if holds():
                return
            for task in self._tasks:
                if task.done():
                    task.result()
            await asyncio.sleep(0.05)
        raise AssertionError(f"still {self.shown} with credit {self.credit}")

    @property
    def shown(self) -> str:
        """The state on the screen."""
        return self.screen.view.state if self.screen.views else ""

    @property
    def credit(self) -> int:
        """The credit meter."""
        return self.journal.credit_cents

    async def press(self, control: str, seconds: float = 0.1) -> None:
        """Press a control, and let a little time pass."""
        self.machine.states.press(control)
        await asyncio.sleep(seconds)

    async def turn_key(self, name: str) -> None:
        """Turn a key, and turn it back; the technician's with the PIN, which is chosen the first time."""
        self.machine.keys.take(name, turned=True)
        await asyncio.sleep(0.1)
        if name == "technician" and self.machine.journal.lock is None:
            await self.type_pin()
        self.machine.keys.take(name, turned=False)
        await asyncio.sleep(0.1)

    async def type_pin(self) -> None:
        """Type the technician's PIN, after the name and twice where it is being chosen."""
        await self.until_true(lambda: self.screen.view.pages.service is not None)
        while (page := self.screen.view.pages.service) is not None and page.gate:
            for control in typed_at(page):
                await self.press(control)
        await self.until_true(lambda: bool(self.screen.view.pages.service and self.screen.view.pages.service.rows))

    async def door(self, *, is_open: bool, name: str = "main") -> None:
        """Open or shut a door, and let a little time pass."""
        self.machine.states.door(name, is_open=is_open)
        await asyncio.sleep(0.1)

    async def note(self, cents: int) -> bool:
        """Say what the bill validator's driver says about a note; return whether it was taken."""
        if await self.listener.bill_in_escrow(cents) is not Verdict.STACK:
            await self.listener.bill_returned("it was not taken")
            return False
        await self.listener.bill_stacked(cents)
        await self.listener.bill_acknowledged()
        await asyncio.sleep(0.1)
        return True

    async def ticket(self, number: str) -> bool:
        """Say what the bill validator's driver says about a ticket; return whether it was taken."""
        if await self.listener.ticket_in_escrow(number) is not Verdict.STACK:
            await self.listener.bill_returned("it was not taken")
            return False
        await self.listener.ticket_stacked()
        await self.listener.bill_acknowledged()
        await asyncio.sleep(0.1)
        return True

    async def game(self, cents: int) -> None:
        """Put notes of 50.00 and less in until the credit is `cents`, which opens the only game."""
        for value in (5000, 2000, 1000, 500):
            while self.credit + value <= cents:
                assert await self.note(value)
        await self.until_true(lambda: self.shown in ("witch", "idle"))
        if self.shown == "witch":
            await self.press("spin")
        await self.until("idle")

    async def rows(self, sql: str) -> list[tuple[object, ...]]:
        """Ask the journal."""
        return await self.journal.do(lambda tx: tx.execute(sql).fetchall())

    async def meter(self, name: str) -> int:
        """One meter's figure."""
        return await self.journal.do(lambda tx: tx.execute(_METER, (name,)).fetchone()[0])

    async def events(self, code: str) -> list[str]:
        """The English words of the events with that code, in order."""
        return await self.journal.do(lambda tx: words_of(tx.execute, code))

    async def cleared(self) -> list[str]:
        """Each fault that was cleared, by its code, and by whom, in order."""
        sql = (
            "SELECT data ->> '$.fault', data ->> '$.who' FROM events JOIN ledger USING (seq)"
            " WHERE code = 'fault_cleared' ORDER BY seq"
        )
        return [f"{fault} cleared by {who}" for fault, who in await self.rows(sql)]

    def _acknowledge(self, number: int) -> None:
        self.machine.states.shown(number)

    def notices(self) -> set[str]:
        """The codes of the notices on the screen that last beyond the next play."""
        return {notice.code for notice in self.screen.view.notices} - self.passing_notices()

    def passing_notices(self) -> set[str]:
        """The codes of the notices on the screen until the next play (D4)."""
        codes = (notice.code for notice in self.screen.view.notices)
        return {code for code in codes if explain(code).clears is Clears.NEXT_PLAY}
