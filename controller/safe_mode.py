"""A cabinet that cannot be played from the start: nothing is staked or overwritten, and the screen shows the reason."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from controller.configuration.cabinet_toml import Config, Site
from controller.display.link import DisplayLink
from controller.errors import LockingError
from controller.faults import DOOR_OPEN, in_words
from controller.fitting import LockedCabinet, tasks_of_locked
from controller.hardware.coin_acceptors import coin_acceptor_of
from controller.hardware.coin_windows import CoinWindows
from controller.hardware.driver_tasks import keep_running
from controller.hardware.wires import bridge_port
from controller.journal.actor import Role
from controller.journal.errors import JournalStorageError
from controller.journal.event_catalogue import EventKind
from controller.journal.event_words import in_english
from controller.journal.money import coin_acceptor
from controller.journal.readings import MODES, opened
from controller.journal.settings import stored_settings
from controller.journal.transaction import Transaction
from controller.machine.states import State
from controller.machine.view import fault_notice, locale_of, lock_notice
from controller.monitors.storage import leave_with_room
from controller.service.locked import NONSENSE, LockedMenu
from controller.settings.settings import fitted
from controller.system.notify import Notifier
from controller.system.starts import boot_id
from drivers.capabilities import CoinMemory, CoinReport, CoinTaker, CoinWay, CoinWindow, Driver, Faults
from drivers.clock import Clock
from drivers.errors import DriverError
from drivers.pin_names import expander_pin
from drivers.pins.button_panel import ButtonPanel
from drivers.pins.expander import Expander
from drivers.pins.header import PinHeader
from drivers.pins.switches import Switches
from drivers.port import Port
from drivers.serial_port import Parity, StopBits
from drivers.wiring import CoinAcceptor as CoinSettings
from ui.protocol.messages import OpenPages, View

_log = logging.getLogger(__name__)


class ClosedBooks:
    """The books for a money driver without a journal: they can record nothing, which ends the driver.

    `windows` stores that its device takes no coins from now on.
    """

    def __init__(self, error: LockingError, windows: CoinWindows) -> None:
        self._error = error
        self._windows = windows

    async def coin_memory(self, serial: int) -> CoinMemory | None:  # noqa: ARG002 - the listener's signature
        """Raise the lock's reason: the device's state is unknown."""
        raise self._error

    def coins_unread(self, serial: int, window: CoinWindow) -> None:
        """Store nothing: the times of an earlier program stay valid."""

    def coins_shut(self, serial: int, at: float) -> None:
        """Store that the acceptor takes nothing from `at` on, if possible."""
        with suppress(OSError):
            self._windows.shut(coin_acceptor(serial), at)

    async def coins_wanted(self, serial: int) -> None:  # noqa: ARG002 - the listener's signature
        """Raise the lock's reason: nothing can be recorded, so nothing is enabled."""
        raise self._error

    async def coins_at_rest(self, serial: int) -> None:  # noqa: ARG002 - the listener's signature
        """Raise the lock's reason: nothing can be recorded."""
        raise self._error

    async def coins(self, report: CoinReport) -> None:  # noqa: ARG002 - the listener's signature
        """Raise the lock's reason: nothing can be credited, so the coins stay in the device's buffer."""
        raise self._error

    async def device_found(self, device: str, identity: str) -> None:
        """Record nothing: there are no books."""

    async def coin_way(self) -> CoinWay:
        """Raise the lock's reason: the diverter's state is unknown."""
        raise self._error

    async def coins_fall(self, way: CoinWay) -> None:  # noqa: ARG002 - the listener's signature
        """Raise the lock's reason: nothing can be recorded, so nothing is diverted."""
        raise self._error

    async def coin_diagnostic(self, serial: int) -> str:  # noqa: ARG002 - the listener's signature
        """Raise the lock's reason: no test is known."""
        raise self._error

    async def set_coin_diagnostic(self, serial: int, test: str) -> None:  # noqa: ARG002 - the listener's signature
        """Raise the lock's reason: nothing can be recorded."""
        raise self._error

    async def device_fault(self, device: str, code: str, *, present: bool, detail: str = "") -> None:
        """Record nothing: the screen already shows the lock's reason."""


class LockedScreen(LockedMenu):
    """The screen of a cabinet that is locked from the start: the reason, and with a key the meters (C5).

    It is the locked menu with its own display, buttons and keys, and also the console's menu. A key that is already
    turned at the start opens nothing. An open door sounds its alarm until it is shut or a key is turned.
    """

    def __init__(self, config: Config, error: LockingError, clock: Clock) -> None:
        self.turn = 0
        self.locked = str(error)
        site = _site(config)
        self.money = site.written_money
        self._locale = locale_of(site)
        self._notice = lock_notice(error)
        self._keys: dict[str, bool] = {}
        self._open_doors: list[str] = []
        self._heard_doors: set[str] = set()
        """The open doors whose alarm somebody with a key has silenced."""
        super().__init__(Path(config.cabinet.journal), error, self._show)
        self.link = DisplayLink(
            config.cabinet.display_socket,
            on_press=self._press,
            on_ack=lambda _number: None,
            on_frames=lambda _frames: None,
            on_deaf=lambda _pid: None,
            clock=clock,
        )
        self._show()

    @property
    def live(self) -> frozenset[str]:
        """The live controls: only the menu's."""
        return self.controls if self.is_open else frozenset()

    async def recorded(self) -> LockingError:
        """Return the lock: the books accept nothing."""
        return self._error

    def record(self, event: EventKind, by: str, /, **figures: str) -> None:
        """Log the event, because the books accept nothing."""
        _log.warning("%s %s: %s", by, event.code, in_english(event, figures))

    def key_switch(self, name: str, *, turned: bool) -> None:
        """Process the position of a key switch."""
        was_off = self._keys.get(name) is False
        self._keys[name] = turned
        self._hear()
        if was_off or not turned:
            self.key(Role(name), turned=turned)

    def door(self, name: str, *, is_open: bool) -> None:
        """Process the position of a door."""
        if is_open:
            self._open_doors.append(name)
            _log.warning("%s", in_words(DOOR_OPEN, name))
        elif name in self._open_doors:
            self._open_doors.remove(name)
            self._heard_doors.discard(name)
        self._hear()

    def _hear(self) -> None:
        if any(self._keys.values()):
            self._heard_doors = set(self._open_doors)
        self._show()

    def _press(self, control: str) -> None:
        if control in self.live:
            self.press(control)

    def _show(self) -> None:
        self.turn += 1
        view = View(
            state=State.SERVICE_MENU if self.is_open else State.LOCKED,
            controls=tuple(sorted(self.live)),
            notices=(
                self._notice,
                *(fault_notice(DOOR_OPEN, door, silenced=door in self._heard_doors) for door in self._open_doors),
            ),
            locale=self._locale,
            pages=OpenPages(service=self.page),
        )
        self.link.publish(view, turn=self.turn)

    def inputs(self, config: Config, header: PinHeader, clock: Clock, faults: Faults) -> list[Driver]:
        """Return the drivers of doors, key switches and buttons, and of the expanders that they are wired to."""
        pins = config.pins
        doors = Switches(
            "doors",
            pins.doors,
            header,
            clock,
            debounce_ms=pins.debounce_ms,
            on_change=lambda name, active: self.door(name, is_open=active),
        )
        keys = Switches(
            "keys",
            pins.keys,
            header,
            clock,
            debounce_ms=pins.debounce_ms,
            on_change=lambda name, active: self.key_switch(name, turned=active),
        )
        buttons = ButtonPanel(
            {name: button.pin for name, button in pins.buttons.items()},
            header,
            clock,
            debounce_ms=pins.debounce_ms,
            on_press=lambda name, _at: self._press(name),
            on_release=lambda _name, _at: None,
            faults=faults,
        )
        wired = [button.pin for button in pins.buttons.values()] + [key.pin for key in pins.keys.values()]
        needed = {named.expander for pin in wired if (named := expander_pin(pin)) is not None}
        chips = [Expander(header.chips[name], pins.expanders[name], header, clock) for name in sorted(needed)]
        return [*chips, doors, keys, buttons]


def _site(config: Config) -> Site:
    """Return `[cabinet]` with the settings in the books, as far as they can be read."""
    for mode in MODES:
        with suppress(*NONSENSE), opened(Path(config.cabinet.journal), mode) as connection:
            stored = stored_settings(Transaction(connection, 0))
            own = {key: value for key, value in stored.items() if key.startswith("cabinet.")}
            return fitted(config, own).config.cabinet
    return config.cabinet


async def serve_locked_screen(
    config: Config,
    error: LockingError,
    notifier: Notifier,
    clock: Clock,
    port: Callable[[str, Parity, StopBits], Port],
    *,
    header: Callable[[], PinHeader] | None = None,
    is_proved: Callable[[], Awaitable[bool]] | None = None,
) -> None:
    """Show the reason until cancelled, and the meters while a key is turned; every output is off.

    Of the pins, only those of doors, key switches and buttons are opened, on the `header`, as inputs. An earlier
    supervisor may have been killed with the coin acceptor enabled, which would continue to take coins: it is inhibited
    through `port`. A bill validator that is not polled returns its notes by itself. The lock is reported to a venue
    unless `is_proved` returns that the program is not as it was signed. After a full disk, `DiskSpaceAgain` is raised
    in a group once there is space.
    """
    screen = LockedScreen(config, error, clock)
    books = ClosedBooks(error, CoinWindows(Path(config.cabinet.run_dir), boot_id()))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(screen.link.run())
        for task in tasks_of_locked(
            LockedCabinet(config=config, menu=screen, clock=clock, error=error, is_proved=is_proved)
        ):
            tasks.create_task(task.work, name=task.name)
        if config.coin_acceptor is not None:
            acceptor = coin_acceptor_of(config.coin_acceptor, config, _line(config.coin_acceptor, port), clock, books)
            tasks.create_task(_inhibit(acceptor, books, clock))
        if isinstance(error, JournalStorageError) and error.full_at is not None:
            tasks.create_task(leave_with_room(error.full_at, config.storage, clock))
        tasks.create_task(_read_keys(screen, config, header, clock, books))
        notifier.ready()
        while True:
            notifier.watchdog()
            await clock.sleep((notifier.watchdog_s or 10.0) / 3)


async def _read_keys(
    screen: LockedScreen,
    config: Config,
    header: Callable[[], PinHeader] | None,
    clock: Clock,
    books: ClosedBooks,
) -> None:
    """Run the drivers of doors, keys and buttons; if the pins cannot be used, the reason stays on the screen."""
    if header is None:
        return
    opened = None
    try:
        opened = header()
        async with asyncio.TaskGroup() as tasks:
            for driver in screen.inputs(config, opened, clock, books):
                tasks.create_task(keep_running(driver, books, clock))
    except DriverError as error:
        _log.warning("no key can be read while the cabinet is locked: %s", error)
    finally:
        if opened is not None:
            opened.close()


def _line(settings: CoinSettings, port: Callable[[str, Parity, StopBits], Port]) -> Port:
    """Return the coin acceptor's line."""
    return bridge_port(settings.port) if settings.protocol == "mdb" else port(settings.port, "none", 1)


async def _inhibit(acceptor: CoinTaker, books: ClosedBooks, clock: Clock) -> None:
    """Run the driver until it gets through: it inhibits its device before it asks the journal for its record."""
    with suppress(LockingError):
        await keep_running(acceptor, books, clock)
