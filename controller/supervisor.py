"""The supervisor: the process that owns the money, the rounds and the hardware.

`python -m controller.supervisor CABINET_TOML [--simulated [--seed N]]` runs one. It prints nothing during normal
operation, ends cleanly on SIGTERM and SIGINT with all outputs off, and exits with 1 and a plain reason if it must not
start.
"""

import gc

if __name__ == "__main__":
    gc.disable()  # otherwise it would scan all loaded modules again and again

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from controller import feature
from controller.books.anchors import keep_signed
from controller.books.opening import Archiving, opened_books
from controller.books.second_copy import miss_unnamed
from controller.configuration.advice import advice
from controller.configuration.cabinet_toml import Config, ConfigurationError, load
from controller.configuration.cut_wires import unnoticed
from controller.configuration.exposed import exposed_pin
from controller.display.deaf_display import end_display
from controller.display.link import DisplayLink
from controller.errors import LockingError
from controller.fitting import Cabinet, Task, parts_of
from controller.hardware.coin_windows import CoinWindows
from controller.hardware.driver_tasks import Resting, keep_running
from controller.hardware.hardware import Hardware
from controller.hardware.money_listener import MoneyListener
from controller.hardware.outputs import Outputs
from controller.hardware.payout_settling import PayoutSettling
from controller.hardware.pulsing import Pulsing
from controller.hardware.wires import Wires, real_wires, serial_port
from controller.journal.errors import JournalBusyError, JournalError, JournalStorageError, SimulatedJournalError
from controller.journal.event_catalogue import Event
from controller.journal.hard_meters import MOST_IN_BATCH
from controller.journal.journal import Journal
from controller.journal.settings import stored_settings
from controller.journal.store import PRAGMAS, quick_check
from controller.journal.transaction import Transaction
from controller.keys.identity import read_identity
from controller.keys.pins import COST, Cost
from controller.machine.communication import Communication
from controller.machine.machine import Machine
from controller.media.stick_request import ask_for_sticks, watch_sticks
from controller.media.sticks import sticks
from controller.monitors.storage import DiskSpaceAgain, Room, StorageWatch, leave_with_room, room_at
from controller.monitors.uptime import count_minutes, end_retest, end_waiting_for_notes, keep_clock, keep_settled
from controller.play.cashing_out import CashingOut
from controller.play.player import Player
from controller.play.playing import Playing
from controller.play.showing import Shows
from controller.play.tiles import keep_tiles
from controller.rounds.draws import DrawSource, seeded_source, system_source
from controller.safe_mode import serve_locked_screen
from controller.service.locked import LockedMenu
from controller.service.menu import ServiceMenu
from controller.service.serviced_machine import ServicedMachine
from controller.service.tree import pages
from controller.settings.settings import fitted
from controller.settings.unfit_settings import unfit_of
from controller.system.host import DemoHost, Host, SystemHost
from controller.system.notify import Notifier
from controller.system.peers import BOUNDS, Bounds
from controller.system.starts import KERNEL, boot_id, record_stop
from controller.system.temperature import temperature_c
from controller.system.watchdog import WatchdogFeeder
from drivers.capabilities import Dispenser, Driver
from drivers.clock import Clock, LoopClock
from drivers.errors import DriverError
from drivers.gpio import open_header
from drivers.pins.hard_meter import HardMeter
from drivers.pins.header import PinHeader
from drivers.waiting import run_unless
from gamekit.checking import withdraw_unfit
from ui.protocol.messages import Frames, Touch

_log = logging.getLogger(__name__)


class Supervisor:
    """Everything that one cabinet's supervisor runs, wired together.

    `config` is the content of `cabinet.toml`, and `settings` the overrides in the journal for drivers that read them
    once. `unfit` are the games that fail the check at the start (`gamekit.checking.withdraw_unfit`), with the reason.
    `bounds` limit the peers at its sockets. While art is being baked (`baking`), games are offered as they become
    complete. `pin_cost` is the cost of storing or trying a new PIN. `was_full` means that the program continues after
    its disk was full. `room` returns the free space of a path's file system.
    """

    def __init__(
        self,
        config: Config,
        journal: Journal,
        *,
        draws: DrawSource,
        clock: Clock,
        wires: Wires,
        settings: Mapping[str, str] | None = None,
        unfit: Mapping[str, str] | None = None,
        host: Host | None = None,
        archiving: Archiving | None = None,
        bounds: Bounds = BOUNDS,
        pin_cost: Cost = COST,
        boot: str = "",
        baking: bool = False,
        was_full: bool = False,
        room: Callable[[Path], Room] = room_at,
    ) -> None:
        self.config = config
        self._was_full = was_full
        self._room = room
        self.boot = boot
        self._unfit_at_start = unfit or {}
        self.journal = journal
        self.clock = clock
        self.run_dir = Path(config.cabinet.run_dir)
        self.books_proved_ms: int | None = None
        """The time at which the whole file of the books was proved since the start."""
        self.link = DisplayLink(
            config.cabinet.display_socket,
            on_press=self._press,
            on_ack=self._ack,
            on_frames=self._frames,
            on_touch=self._touch,
            on_deaf=lambda pid: end_display(pid, self.run_dir),
            on_refused=self._refused,
            on_unfit=self._unfit,
            clock=clock,
            patience_s=config.timing.display_deaf_ms / 1000,
            bounds=bounds,
        )
        self.outputs = outputs = Outputs()
        self.machine = Machine(config, journal, self.link, outputs, clock, host=host or DemoHost(), pin_cost=pin_cost)
        self.service = build_service(self.machine)
        parts = self.machine.parts
        self.communication = Communication(parts.conditions, parts.states)
        if baking:
            from controller.play.worlds import is_whole  # noqa: PLC0415 - only a demo's worlds are baked beside it

            parts.settings.await_games([name for name in config.games.enabled if not is_whole(config, name)])
        self.listener = MoneyListener(
            parts.journal,
            parts.settings,
            parts.states,
            self.machine.tickets,
            boot=boot,
            windows=CoinWindows(self.run_dir, boot),
        )
        self.hardware = Hardware(
            fitted(config, settings or {}).config,
            self.machine.parts,
            self.listener,
            keys=self.machine.keys,
            clock=clock,
            wires=wires,
        )
        self.resting = Resting()
        self.service.machine.started_with = self.hardware.config
        if self.hardware.bill_validator is not None:
            self.service.machine.give_note_up = self.hardware.bill_validator.give_up
        outputs.connect(self.hardware)
        self.service.machine.thermometer = temperature_c
        shows = Shows(parts, self.link, clock)
        self.player = Player(
            parts,
            shows,
            Playing(parts, shows, clock, draws, self.machine.jackpots),
            CashingOut(
                parts,
                clock,
                self.listener,
                self.hardware.hopper,
                tickets=self.machine.tickets,
                printer=self.hardware.ticket_printer,
            ),
            clock,
        )

        self.parts = list(
            parts_of(
                Cabinet(
                    machine=self.machine,
                    serviced=self.service.machine,
                    hardware=self.hardware,
                    wires=wires,
                    clock=clock,
                    archiving=archiving or build_archiving(config),
                    bounds=bounds,
                    serve=self._serve_line,
                    communication=self.communication,
                    menu=self.service,
                    outputs=outputs,
                    listener=self.listener,
                    boot=boot,
                    resting=self.resting,
                    books_proved_ms=lambda: self.books_proved_ms,
                )
            )
        )
        pins = config.pins
        self.pulsing = build_pulsing(self.machine, self.hardware.meters, pins.meter_unit_cents, pins.meter_batch)
        self._serving: asyncio.Task[None] | None = None
        self._stopping: asyncio.Task[None] | None = None

    def stop(self) -> None:
        """End in order: finish the pulses in flight and wait for coins in transit; a second call ends at once."""
        if self._stopping is None:
            self._stopping = asyncio.create_task(self._stop(), name="stop")
        elif self._serving is not None:
            self._serving.cancel()

    async def _stop(self) -> None:
        await self.pulsing.rest()
        with self.outputs.held("money"):
            await self.hardware.money_rests()
            if self._serving is not None:
                self._serving.cancel()

    def record_stop(self, tx: Transaction) -> None:
        """Record a stop in order."""
        record_stop(tx)

    def _press(self, control: str) -> None:
        self.machine.states.press(control)

    def _ack(self, number: int) -> None:
        self.machine.states.shown(number)

    def _refused(self, user: int, pid: int, reason: str) -> None:
        self.machine.journal.remark(Event.DISPLAY_REFUSED, place="display", by=str(user), reason=reason, process=pid)

    def _unfit(self, game: str, reason: str) -> None:
        self.machine.withdraw(game, reason)

    def _record_unfit(self, tx: Transaction) -> None:
        for game, reason in self._unfit_at_start.items():
            tx.event(Event.GAME_UNFIT, game=game, reason=reason)

    def _record_risks(self, tx: Transaction) -> None:
        """Record risks of this configuration: books in only one place, and switches whose cut wire goes unnoticed."""
        if self.config.cabinet.second_copy_file is None:
            tx.event(Event.COPY_NONE, place="second_copy")
            miss_unnamed(tx)
        for wire in unnoticed(self.config.pins):
            tx.event(wire.event, place=wire.place, setting=wire.key)

    def _frames(self, frames: Frames) -> None:
        self.service.frames(frames)

    def _touch(self, touch: Touch) -> None:
        self.service.touch(touch)

    async def run(self, notifier: Notifier) -> None:
        """Serve until cancelled; then all outputs are off.

        Raises `DiskSpaceAgain` in a group once a full disk has space.
        """
        self._serving = asyncio.current_task()
        at_start = (self._record_unfit, self._record_risks)
        await self._unless_locked(self.machine.power_up(self.boot, at_start=at_start, was_full=self._was_full))
        try:
            async with asyncio.TaskGroup() as tasks:
                self.machine.task_monitor.begin()
                critical = [self._start(tasks, task) for task in self._critical_tasks()]
                for task in self._other_tasks():
                    self._start(tasks, task)
                tasks.create_task(self._watch(critical).run(notifier), name="watchdog")
                await self.machine.states.up.wait()
                notifier.ready()
        finally:
            self.hardware.close()

    def _start(self, tasks: asyncio.TaskGroup, task: Task) -> asyncio.Task[None]:
        work = task.work if task.while_locked else self._unless_locked(task.work)
        return tasks.create_task(work, name=task.name)

    def _critical_tasks(self) -> Iterator[Task]:
        """Yield the tasks that the watchdog requires to go on."""
        yield Task("display link", self.link.run(), while_locked=True)
        yield Task("player", self.player.run(), while_locked=True)
        yield Task("posts", self.machine.journal.run_posts())
        yield Task("service menu", self.service.run())
        yield Task("hard meters", self.pulsing.run())

    def _other_tasks(self) -> Iterator[Task]:
        """Yield all other tasks except the watchdog, in the order in which they are started."""
        machine, journal, clock, hardware = self.machine, self.machine.journal, self.clock, self.hardware
        yield Task("retest", end_retest(journal, machine.conditions, clock))
        yield Task("powered minutes", count_minutes(journal, clock))
        yield Task("notes", end_waiting_for_notes(journal, clock))
        yield Task("clock", keep_clock(machine.parts, machine.host, clock))
        yield Task("settled books", keep_settled(journal, clock))
        yield Task("clock watch", machine.clock_watch.run())
        tiles = keep_tiles(journal, machine.settings, machine.play, machine.states, clock, jackpots=machine.jackpots)
        yield Task("tiles", tiles)
        yield Task("quick check", self._finish_start(), while_locked=True)
        yield Task("signed anchors", keep_signed(journal.do, self.config.cabinet.key_file, clock))
        if machine.settings.awaited:
            from controller.play.worlds import admit_baked  # noqa: PLC0415 - only a demo's worlds are baked beside it

            yield Task("awaited games", admit_baked(machine, clock))
        for part in self.parts:
            yield from part.tasks()
        storage = StorageWatch(journal, clock, self.config.storage, partial(self._room, journal.path))
        yield Task("storage watch", storage.run())
        yield Task("room", self._leave_with_room(), while_locked=True)
        if hardware.hopper is not None:
            yield Task("held payouts", build_settling(machine, self.listener, hardware.hopper).run())
        yield Task("driver log", hardware.driver_log.run(), while_locked=True)
        for driver in hardware.drivers:
            yield Task(driver.name, keep_running(driver, self.listener, clock, self.resting))
        yield from self._stick_tasks()

    async def _serve_line(self, line: Driver) -> None:
        """Serve an outside line while the cabinet may communicate, until it is locked."""
        serving = self.communication.while_open(lambda: keep_running(line, self.listener, self.clock, self.resting))
        await run_unless(self.machine.journal.locked, serving)

    def _stick_tasks(self) -> Iterator[Task]:
        """Yield the tasks that request and watch USB sticks while the menu is open; a demo's sticks are folders."""
        if not self.config.simulated:
            asking = ask_for_sticks(lambda: self.service.is_open, self.run_dir, self.clock)
            yield Task("USB sticks", asking, while_locked=True)
        there = partial(sticks, self.config.export.roots, simulated=self.config.simulated)
        watching = watch_sticks(lambda: self.service.is_open, there, self.service.look, self.clock)
        yield Task("stick watch", watching, while_locked=True)

    def _watch(self, critical: Sequence[asyncio.Task[None]]) -> WatchdogFeeder:
        return WatchdogFeeder(
            self.machine.task_monitor,
            {task.get_name(): task for task in critical},
            journal_turns=self.journal.turns,
            locked=lambda: self.machine.journal.lock is not None,
            clock=self.clock,
        )

    async def _unless_locked(self, task: Coroutine[object, object, None]) -> None:
        """Run a task that ends quietly once a locking error occurs; the screen shows the reason."""
        try:
            await task
        except LockingError as error:
            self.machine.journal.lock_up(error)

    async def _leave_with_room(self) -> None:
        """Raise `DiskSpaceAgain` once a lock caused by a full disk is over; other locks last until a restart."""
        await self.machine.journal.locked.wait()
        lock = self.machine.journal.lock
        if isinstance(lock, JournalStorageError) and lock.full_at is not None:
            await leave_with_room(lock.full_at, self.config.storage, self.clock, self._room)

    async def _finish_start(self) -> None:
        """Do the deferred work of a start: load the menu's pages, and check the whole file of the books."""
        # the time to read the whole file grows with the journal, and must not delay a start
        await self.machine.states.up.wait()
        await asyncio.to_thread(pages)  # loads the menu's pages, which the start has deferred
        try:
            await asyncio.to_thread(quick_check, self.journal.path)
            await asyncio.to_thread(self._prove_key)
        except LockingError as error:
            self.machine.journal.lock_up(error)
            return
        self.books_proved_ms = self.clock.wall_ms()

    def _prove_key(self) -> None:
        own = read_identity(self.config.cabinet.key_file)
        if own is not None:
            own.prove()


def build_pulsing(
    machine: Machine, meters: Mapping[str, HardMeter], unit_cents: int, most: int = MOST_IN_BATCH
) -> Pulsing:
    """Build the task that pulses the hard meters of a machine."""
    monitor, clock = machine.task_monitor, machine.clock
    return Pulsing(machine.journal, machine.conditions, clock, monitor, meters=meters, unit_cents=unit_cents, most=most)


def build_settling(machine: Machine, listener: MoneyListener, hopper: Dispenser) -> PayoutSettling:
    """Build the task that settles the held payouts of a machine."""
    states, clock = machine.states, machine.clock
    return PayoutSettling(machine.journal, machine.conditions, states, clock, listener=listener, hopper=hopper)


def build_service(machine: Machine) -> ServiceMenu:
    """Build the service menu of a machine, with what features add to it, and connect them."""
    journal, conditions, states, clock = machine.journal, machine.conditions, machine.states, machine.clock
    serviced = ServicedMachine(
        journal=journal,
        settings=machine.settings,
        conditions=conditions,
        play=machine.play,
        states=states,
        keys=machine.keys,
        screen=machine.screen,
        clock=clock,
        host=machine.host,
        pins=machine.pins,
        clock_watch=machine.clock_watch,
        task_monitor=machine.task_monitor,
    )
    for add in feature.imported(lambda one: one.extend_menu):
        add(serviced)
    menu = ServiceMenu(serviced)
    conditions.connect(menu, lambda error: LockedMenu(journal.path, error, states.new_turn))
    return menu


def build_archiving(config: Config) -> Archiving | None:
    """Return what archives this cabinet's books, None without that feature."""
    return next((build(config.storage) for build in feature.imported(lambda one: one.archiving)), None)


async def _settings_in(journal: Journal) -> dict[str, str]:
    """Return the settings of the service menu; after an error the journal is closed, and the error is raised."""
    try:
        return await journal.do(stored_settings)
    except BaseException:
        journal.close()
        raise


async def supervise(
    config: Config,
    *,
    draws: Callable[[], DrawSource],
    simulated: bool,
    host: DemoHost | SystemHost,
    boot: Path = KERNEL,
    pragmas: Mapping[str, str | int] = PRAGMAS,
    bounds: Bounds = BOUNDS,
    baking: bool = False,
) -> None:
    """Open the journal and serve until SIGTERM, SIGINT, or a request of the service menu.

    A journal that cannot be used leads to a locked screen, and so does a generator that cannot be trusted; `draws`
    creates the source. After a full disk, everything starts again once there is space: the books are opened and proved,
    and the devices' own counters show what left them meanwhile.

    Raises `JournalBusyError` and `SimulatedJournalError`, with which nothing may start at all, and `DriverError` for
    pins that cannot be used.
    """
    notifier, was_full = Notifier.from_environment(), False
    try:
        while await _ended_by_free_space(
            _serve(
                config,
                notifier,
                draws=draws,
                simulated=simulated,
                host=host,
                boot=boot,
                pragmas=pragmas,
                bounds=bounds,
                baking=baking,
                was_full=was_full,
            )
        ):
            was_full = True
            notifier.status("there is room again")
            notifier.starting_again()
    finally:
        notifier.stopping()


async def _ended_by_free_space(serving: Coroutine[object, object, None]) -> bool:
    """Return whether `serving` ended because a full disk has space again; other exceptions are raised."""
    has_room = False
    try:
        await serving
    except* DiskSpaceAgain:
        has_room = True
    return has_room


async def _serve(
    config: Config,
    notifier: Notifier,
    *,
    draws: Callable[[], DrawSource],
    simulated: bool,
    host: DemoHost | SystemHost,
    boot: Path,
    pragmas: Mapping[str, str | int],
    bounds: Bounds,
    baking: bool,
    was_full: bool,
) -> None:
    """Serve like `supervise`, or raise `DiskSpaceAgain` in a group."""
    clock = LoopClock()
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - a coroutine that runs has a task
    _end_with(host, task.cancel)
    run_dir = Path(config.cabinet.run_dir)
    pins_socket = run_dir / "pins.sock" if simulated else None

    def header() -> PinHeader:
        return open_header(config.pins.factory, pins_socket, config.pins.expanders)

    try:
        source = draws()
        archiving = build_archiving(config)
        path = Path(config.cabinet.journal)
        site, is_on_trial = config.cabinet, any(is_so() for is_so in feature.imported(lambda one: one.is_on_trial))
        journal = Journal(
            lambda: opened_books(
                path,
                site.key_file,
                clock.wall_ms,
                simulated=simulated,
                create=simulated,
                pragmas=pragmas,
                second_copy=None if is_on_trial else site.second_copy_file,  # the books may be rolled back
                copy_required=site.copy_locks,
                archives=None if is_on_trial else archiving,
            )
        )
        settings = await _settings_in(journal)
        for problem in unfit_of(config, settings):
            _log.warning("%s: %s", problem.key, problem.text)
    except (JournalBusyError, SimulatedJournalError):
        raise
    except LockingError as error:
        notifier.status(f"locked: {error}")
        await serve_locked_screen(
            config, error, notifier, clock, serial_port, header=header, is_proved=partial(_is_proved, config)
        )
        return
    supervisor = None
    try:
        wires = real_wires(config, pins_socket)
        supervisor = Supervisor(
            config,
            journal,
            draws=source,
            clock=clock,
            wires=wires,
            settings=settings,
            unfit=withdraw_unfit(),
            host=host,
            archiving=archiving,
            bounds=bounds,
            boot=boot_id(boot),
            baking=baking,
            was_full=was_full,
        )
        _end_with(host, supervisor.stop)
        await supervisor.run(notifier)
    except asyncio.CancelledError:
        left = () if supervisor is None else supervisor.machine.journal.posts.rest()
        with suppress(JournalError):  # a journal that cannot be written has already reported it
            await journal.do(lambda tx: [post(tx) for post in left])
            await journal.do(record_stop if supervisor is None else supervisor.record_stop)
        raise
    finally:
        journal.close()


async def _is_proved(config: Config) -> bool:
    """Return whether this program is as it was signed; without a feature that verifies it, nothing can differ."""
    return all([await verify(config) for verify in feature.imported(lambda one: one.proof)])


def _end_with(host: DemoHost | SystemHost, end: Callable[[], object]) -> None:
    """Call `end` on SIGTERM, on SIGINT, and on a request of the service menu."""
    host.ends_with(end)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, end)


_OTHER_PINS = {
    False: "{file}: pins.factory: is simulated, which only `cabinet demo` may use; set it to lgpio",
    True: "{file}: pins.factory: is not simulated, as --simulated needs it",
}
_NO_RUN_DIR = "{file}: cabinet.run_dir: {folder} is no folder that can be written; make it, or name another one"


def main(arguments: list[str] | None = None) -> int:
    """Run a supervisor; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m controller.supervisor", description=__doc__.split("\n", 1)[0])
    parser.add_argument("config", type=Path, help="the cabinet.toml to run")
    parser.add_argument("--simulated", action="store_true", help="a demo: simulated pins, a journal marked so for ever")
    parser.add_argument("--seed", type=int, help="seeded draws; only with --simulated")
    parser.add_argument("--baking", action="store_true", help="offer games as they are baked; only with --simulated")
    parser.add_argument("--boot", type=Path, default=KERNEL, help="the file that names this start of the computer")
    options = parser.parse_args(arguments)
    if options.seed is not None and not options.simulated:
        parser.error("--seed needs --simulated: a real cabinet draws from the operating system only")
    if options.baking and not options.simulated:
        parser.error("--baking needs --simulated: a real cabinet is whole before it starts")
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    host = DemoHost() if options.simulated else SystemHost()
    try:
        config = load(options.config)
        if config.simulated != options.simulated:
            print(_OTHER_PINS[options.simulated].format(file=options.config), file=sys.stderr)  # noqa: T201 - as below
            return 1
        if not os.access(config.cabinet.run_dir, os.W_OK | os.X_OK):
            print(_NO_RUN_DIR.format(file=options.config, folder=config.cabinet.run_dir), file=sys.stderr)  # noqa: T201 - as below
            return 1
        if not config.simulated and (trouble := exposed_pin(options.config, config)):
            _log.warning("%s", trouble)
        for warning in () if config.simulated else advice(config):
            _log.warning("%s: %s: %s", options.config, warning.key, warning.text)
        draws = system_source if options.seed is None else partial(seeded_source, options.seed)
        serving = supervise(
            config,
            draws=draws,
            simulated=options.simulated,
            host=host,
            boot=options.boot,
            baking=options.baking,
        )
        asyncio.run(serving)
    except asyncio.CancelledError:
        return host.end()
    except (ConfigurationError, JournalError, DriverError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - printed for the caller of the process
        return 1
    return 0


if __name__ == "__main__":
    gc.freeze()  # modules are never freed
    gc.enable()
    sys.exit(main())
