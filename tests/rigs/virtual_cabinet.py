"""A whole cabinet in one process on virtual time: real supervisor and drivers, simulated devices.

Only the display is missing; the cabinet plays on without one.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Protocol

import msgspec
from gpiozero.pins.mock import MockFactory, MockPin
from msgspec.structs import replace

from controller.configuration.cabinet_toml import Config, parse
from controller.hardware.wires import HostLine, Wires
from controller.journal.journal import Journal
from controller.journal.open_items import COINS_FORGOTTEN, OpenItem
from controller.journal.settings import stored_settings
from controller.journal.store import Store
from controller.monitors.storage import Room, room_at
from controller.rounds.draws import DrawSource, seeded_source
from controller.supervisor import Supervisor
from controller.system.notify import Notifier
from controller.system.peers import BOUNDS
from drivers.clock import LoopClock
from drivers.currency import EURO, Currency
from drivers.pins.header import PinHeader
from drivers.sas.line import Line, TimedLine
from drivers.simulated.cctalk.coin_acceptor import SimulatedCoinAcceptor
from drivers.simulated.cctalk.hopper import SimulatedHopper
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.note_path import Paper
from drivers.simulated.validators import fitted_validator
from drivers.wiring import Money
from tests.rigs.books import laid
from tests.rigs.paths import SAMPLE
from tests.rigs.people import CHEAP, typed_at

PRESS_S = 0.08


class ContactPin(MockPin):  # type: ignore[misc]  # gpiozero publishes no types
    """A mock pin whose contact is stronger than its pull-up, as in copper: `closed` names the pins to ground.

    Outputs that are `broken` can be driven no more.
    """

    closed: ClassVar[set[int]]
    broken: ClassVar[set[int]]

    @property
    def _bcm(self) -> int:
        return int(self.info.name.removeprefix("GPIO"))

    def _set_state(self, value: float) -> None:
        if self._bcm in self.broken:
            raise OSError("the pin burnt out")
        super()._set_state(value)

    def _set_pull(self, value: str) -> None:
        super()._set_pull(value)
        if self._bcm in self.closed:
            self.drive_low()


class Powered(Protocol):
    """A device on the mains."""

    def power(self, *, on: bool) -> None:
        """Switch it on or off."""


class VirtualCabinet:
    """Devices that live on, and a supervisor that can be killed and started again on the same journal.

    The devices are made for `currency`; `money` is `[cabinet.money]` where it is not the sample's.
    """

    fit: Callable[[Supervisor], None] | None = None
    """Fits something else to the next supervisor before it runs."""
    pin_class: ClassVar[type[ContactPin]] = ContactPin
    bounds = BOUNDS
    """How much the next supervisor bears from the peers at its sockets."""

    def __init__(
        self,
        folder: Path,
        *,
        draws: DrawSource | None = None,
        store: type[Store] = Store,
        protocol: str = "id003",
        games: Sequence[str] = ("neptune",),
        currency: Currency = EURO,
        money: Money | None = None,
    ) -> None:
        self.folder = folder
        config = only(folder, *games)
        if money is not None:
            config = replace(config, cabinet=replace(config.cabinet, money=money))
        assert config.bill_validator is not None
        bills = replace(config.bill_validator, protocol=protocol)
        self.config = replace(config, bill_validator=bills)
        self.draws = draws or seeded_source(1)
        self._store = store
        self.returned_cents = 0
        self.stacked_cents = 0
        self.returned_tickets: list[str] = []
        self.stacked_tickets: list[str] = []
        self.tray_cents = 0
        self.coins = SimulatedCoinAcceptor(country=currency.country, returned=self._coin_returned)
        self.bills = fitted_validator(
            bills, currency=currency, returned=self._note_returned, stacked=self._note_stacked
        )
        self.hopper = SimulatedHopper(value_cents=100, country=currency.country, stock=1000, coin_out=self._coin_out)
        self.lines = {
            path: MemoryLine(device, path=path)
            for path, device in (("coin", self.coins), ("bill", self.bills), ("hopper", self.hopper))
        }
        self.closed = {door.pin for door in self.config.pins.doors.values()}
        self.broken: set[int] = set()
        self.wired: dict[str, Any] = {"closed": self.closed, "broken": self.broken}
        self.fit_pins()
        self.powered = False
        self.clock = LoopClock()
        self.boots = 0
        self.boot = "boot 0"
        self.notifier = Notifier()
        self.supervisor: Supervisor | None = None
        self._task: asyncio.Task[None] | None = None

    def fit_pins(self) -> None:
        """Make the header, whose pins share what is `wired` to them."""
        self.factory = MockFactory(pin_class=type("WiredPin", (self.pin_class,), self.wired))

    @property
    def devices(self) -> tuple[Powered, ...]:
        """What hangs on the mains."""
        return (self.coins, self.bills, self.hopper)

    def _coin_returned(self, cents: int) -> None:
        self.returned_cents += cents

    def _note_returned(self, paper: Paper) -> None:
        if isinstance(paper, str):
            self.returned_tickets.append(paper)
        else:
            self.returned_cents += paper

    def _note_stacked(self, paper: Paper) -> None:
        if isinstance(paper, str):
            self.stacked_tickets.append(paper)
        else:
            self.stacked_cents += paper

    def _coin_out(self, cents: int) -> None:
        self.tray_cents += cents

    def mains(self, *, on: bool) -> None:
        """Switch the devices' power; where no supervisor runs, the computer's too, which then is started anew."""
        if not on and self._task is None:
            self.boots_anew()
        self.devices_power(on=on)

    def devices_power(self, *, on: bool) -> None:
        """Switch the devices' power alone."""
        self.powered = on
        for device in self.devices:
            device.power(on=on)

    def boots_anew(self) -> None:
        """Have the computer alone start anew, where no supervisor runs."""
        self.boots += 1
        self.boot = f"boot {self.boots}"

    def header(self) -> PinHeader:
        """The pins as a supervisor opens them."""
        return PinHeader(lambda: self.factory)

    def wires(self) -> Wires:
        """The pins and lines as a supervisor opens them."""
        return Wires(
            self.header(),
            lambda path, _parity, _stop_bits: self.lines[path].port,
            self._host_line,
            lambda printer: self.lines[printer.port].port,
        )

    async def start(self, *, was_full: bool = False) -> Supervisor:
        """Start a supervisor on the journal and return it; `was_full` where it goes on after a full disk."""
        if not self.powered:
            self.mains(on=True)
        return await self.start_program(was_full=was_full)

    async def start_program(self, *, was_full: bool = False) -> Supervisor:
        """Start a supervisor as `start` does, whatever power the devices have."""
        self.factory.reset()
        path = Path(self.config.cabinet.journal)
        journal = Journal(lambda: self._opened(path), thread=self._writer())
        settings = await journal.do(stored_settings)
        supervisor = Supervisor(
            self.config,
            journal,
            draws=self.draws,
            clock=self.clock,
            wires=self.wires(),
            settings=settings,
            bounds=self.bounds,
            pin_cost=CHEAP,
            boot=self.boot,
            was_full=was_full,
            room=self.room,
        )
        if self.fit is not None:
            self.fit(supervisor)
        self.supervisor = supervisor
        self._task = asyncio.create_task(supervisor.run(self.notifier))
        return supervisor

    def _opened(self, path: Path) -> Store:
        """Open the books, on the journal's own thread."""
        return self._store(laid(path), lambda: 0, simulated=True)

    def room(self, path: Path) -> Room:
        """Return the free space where the supervisor looks for it."""
        return room_at(path)

    def _writer(self) -> Executor | None:
        """Return what takes the place of the journal's thread, None for that."""
        return None

    def _host_line(self, settings: HostLine) -> Line:
        """Return the line to a host in memory: it has no wake-up bit."""
        return TimedLine(self.lines[settings.port].port)

    @property
    def running(self) -> bool:
        """Whether the supervisor has not ended."""
        return self._task is not None and not self._task.done()

    async def kill(self) -> None:
        """End the supervisor wherever it is; what was not committed is lost, the devices go on."""
        assert self.supervisor is not None
        await self._cancel()
        self.supervisor.journal.close()

    async def stop(self) -> None:
        """End the supervisor in order."""
        assert self.supervisor is not None
        assert self._task is not None
        self.supervisor.stop()
        with suppress(asyncio.CancelledError):
            await self._task
        self._task = None
        await self.supervisor.journal.do(self.supervisor.record_stop)
        self.supervisor.journal.close()

    async def _cancel(self) -> None:
        assert self._task is not None
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        self._task = None

    async def ended(self) -> BaseException | None:
        """Wait until the supervisor has ended by itself, and return what it raised."""
        assert self.supervisor is not None
        assert self._task is not None
        [left] = await asyncio.gather(self._task, return_exceptions=True)
        self._task = None
        self.supervisor.journal.close()
        return left

    async def crash(self) -> None:
        """End the supervisor as SIGKILL does: nothing more is said on any wire, the devices go on."""
        for line in self.lines.values():
            line.port.close()
        await self.kill()

    async def tap(self, button: str) -> None:
        """Press and release a button of the panel."""
        pin = self.factory.pin(self.config.pins.buttons[button].pin)
        pin.drive_low()
        await asyncio.sleep(PRESS_S)
        pin.drive_high()
        await asyncio.sleep(PRESS_S)

    def key(self, name: str, *, is_on: bool) -> None:
        """Turn a key and leave it so; it stays so whatever becomes of the supervisor."""
        number = self.config.pins.keys[name].pin
        if is_on:
            self.closed.add(number)
            self.factory.pin(number).drive_low()
        else:
            self.closed.discard(number)
            self.factory.pin(number).drive_high()

    async def turn_key(self, key: str) -> None:
        """Turn a key and turn it back; the technician's with the PIN, which is chosen the first time."""
        pin = self.factory.pin(self.config.pins.keys[key].pin)
        pin.drive_low()
        await asyncio.sleep(PRESS_S)
        if key == "technician":
            await self.type_pin()
        pin.drive_high()
        await asyncio.sleep(PRESS_S)

    async def collect_and_give_up_hopper(self) -> None:
        """Begin a payout, pull the hopper's line within it, and give the hopper up with the attendant's key.

        `payout.hopper_away_s` is 5 seconds here: the key's first turn comes before them, and its second after them.
        """
        await self.tap("collect")
        await asyncio.sleep(1.3)
        self.lines["hopper"].unplug()
        for wait_s in (4.0, 6.0):
            await asyncio.sleep(wait_s)
            await self.turn_key("attendant")
        await asyncio.sleep(6.0)

    async def type_pin(self) -> None:
        """Type the PIN as far as the menu asks for one: it may be locked out."""
        assert self.supervisor is not None
        machine, service = self.supervisor.machine, self.supervisor.service
        while machine.journal.lock is None and (page := service.page) is not None and page.entry:
            for control in typed_at(page):
                machine.states.press(control)
                await asyncio.sleep(PRESS_S)
            await self.until(lambda: service.at_rest or machine.journal.lock is not None)

    def door(self, name: str, *, is_open: bool) -> None:
        """Open or shut a door; it stays so whatever becomes of the supervisor."""
        number = self.config.pins.doors[name].pin
        if is_open:
            self.closed.discard(number)
            self.factory.pin(number).drive_high()
        else:
            self.closed.add(number)
            self.factory.pin(number).drive_low()

    async def until(self, holds: Callable[[], bool], seconds: float = 120.0) -> None:
        """Let time pass until `holds()`; fail after `seconds` of it, or at once where the supervisor has died."""
        assert self._task is not None
        for _ in range(int(seconds / 0.05)):
            if holds():
                return
            if self._task.done():
                self._task.result()
            await asyncio.sleep(0.05)
        assert self.supervisor is not None
        machine = self.supervisor.machine
        raise AssertionError(
            f"still {machine.states.state} (over it {machine.conditions.overlay}) "
            f"with credit {machine.journal.credit_cents}"
        )

    async def until_fast(self, holds: Callable[[], bool], seconds: float = 1.0) -> None:
        """As `until`, for what is over within a few milliseconds."""
        for _ in range(int(seconds / 0.002)):
            if holds():
                return
            await asyncio.sleep(0.002)
        raise AssertionError(f"it has not happened within {seconds} s")

    @property
    def credit(self) -> int:
        """The credit meter of the running supervisor."""
        assert self.supervisor is not None
        return self.supervisor.journal.credit_cents

    @property
    def state(self) -> str:
        """The machine's state."""
        assert self.supervisor is not None
        return self.supervisor.machine.states.state

    async def insert_note(self, cents: int) -> None:
        """Push a note in, wait for its credit."""
        before = self.credit
        self.bills.insert(cents)
        await self.until(lambda: self.credit == before + cents)


def but_coins(items: Iterable[OpenItem]) -> list[OpenItem]:
    """Return the items but that of each power cut: what an acceptor that was enabled may have taken meanwhile."""
    return [item for item in items if (item.kind, item.amount_cents) != (COINS_FORGOTTEN, None)]


def only(folder: Path, *names: str) -> Config:
    """The sample cabinet that offers these games, the first of them before the others."""
    config = _fitted(folder)
    games = msgspec.structs.replace(config.games, enabled=names, default=names[0])
    return msgspec.structs.replace(config, games=games)


def configuration(folder: Path) -> Config:
    """The sample cabinet with Neptune alone."""
    return only(folder, "neptune")


@cache
def _sample() -> Config:
    return parse(SAMPLE.read_text(), SAMPLE)


def _fitted(folder: Path) -> Config:
    """The sample configuration with its journal and sockets in `folder`, ports named as the lines are.

    The attendant's key does without a PIN.
    """
    config = _sample()
    assert config.coin_acceptor is not None
    assert config.bill_validator is not None
    assert config.hopper is not None
    replace = msgspec.structs.replace
    return replace(
        config,
        cabinet=replace(config.cabinet, run_dir=str(folder), journal=str(folder / "journal.sqlite")),
        pins=replace(config.pins, factory="simulated"),
        coin_acceptor=replace(config.coin_acceptor, port="coin"),
        bill_validator=replace(config.bill_validator, port="bill"),
        hopper=replace(config.hopper, port="hopper", coin_value_cents=100),
        service=replace(config.service, attendant_key_alone=True),
    )


def takes_coins(cabinet: VirtualCabinet) -> bool:
    """Whether the acceptor takes coins now."""
    return not cabinet.coins.inhibited and cabinet.coins.enabled_mask != 0 and cabinet.coins.let_in
