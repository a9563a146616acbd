"""Runs a demo from start to end: at the bench window, played by the script and then audited, or unattended."""

import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

import msgspec

from controller.configuration.cabinet_toml import Config as Configuration
from controller.configuration.cabinet_toml import ConfigurationError, load
from controller.features.console.client import ConsoleError
from controller.features.demo import script
from controller.features.demo.baking import Baking
from controller.features.demo.books import Books
from controller.features.demo.enrolment import enrol
from controller.features.demo.guest import Guest
from controller.features.demo.launcher import Cabinet, Plan, Web, screen_exists
from controller.features.demo.processes import GivenUpError, spawn
from controller.features.demo.scripted_player import ScriptedPlayer, StoryError
from controller.features.demo.seed_search import find_story
from controller.features.demo.settings import DEVICES, RunDirectory, RunDirectoryBusyError, VenueServer
from controller.system.extras import missing
from drivers.simulated.bench.frame_mirror import NoFrameError
from drivers.simulated.front_client import FrontClient, FrontLostError, FrontRefusedError
from gamekit import catalogue
from gamekit.play import Stake

Report = Callable[[str], None]
Script = Callable[[ScriptedPlayer], None]

_STORY_ERRORS = (StoryError, ConsoleError, FrontLostError, FrontRefusedError, NoFrameError, TimeoutError, sqlite3.Error)
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_JOIN_S = 5.0
_BETWEEN_ACTS_S = 0.4


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options of the command line (`controller.features.demo.command`)."""

    headless: bool
    web: bool = False
    place: Web = Web()
    run: Path | None
    seed: int | None
    fast: bool
    baked: Path
    pictures: Path
    shape: str = "wide"
    game: str = ""
    unattended: bool = False
    name: str = "Demo"
    venue: VenueServer | None = None
    code: str = ""
    devices: str = DEVICES[0]
    tickets: bool = False
    bake: bool = False


def run_demo(options: Options, report: Report) -> int:
    """Run a demo and return its exit code: 0 if all went well, else 1 with the reason printed."""
    if not options.baked.is_dir() and not options.bake:
        report(f"{options.baked} does not exist: run `cabinet bake` first, or name the baked art with --baked")
        return 1
    wanted = {"bake": options.bake, "printer": options.tickets, "web": options.web}
    for words in (missing(extra) for extra, is_wanted in wanted.items() if is_wanted):
        if words:
            report(words)
            return 1
    run = RunDirectory.made(options.run)
    try:
        with run.taken():
            return _run_in(run, options, report)
    except RunDirectoryBusyError as error:
        report(str(error))
        return 1


def _run_in(run: RunDirectory, options: Options, report: Report) -> int:
    """Run a demo in its exclusive directory; return its exit code."""
    games = sorted(catalogue.names(), key=lambda game: game != options.game)
    written = run.write_configuration(
        options.baked.resolve(),
        games,
        name=options.name,
        venue=options.venue,
        devices=options.devices,
        tickets=options.tickets,
    )
    try:
        configuration = load(written)
    except ConfigurationError as error:
        report(f"{error}\nname another directory with --run")
        return 1
    if options.unattended:
        return _unattended(options, run, configuration, report)
    return (_shown_while_baking if options.bake else _shown)(options, run, configuration, report)


def _shown_while_baking(options: Options, run: RunDirectory, configuration: Configuration, report: Report) -> int:
    """Run a demo once its first game is baked, while the others are baked beside it; return its exit code.

    On a terminal the bake shows a bar, elsewhere lines of text.
    """
    game, log = configuration.games.default, run.log("bake")
    say: Report = (lambda _line: None) if sys.stderr.isatty() else report
    try:
        with ended_by_signals() as stopped, Baking(options.baked.resolve(), game, log) as baking:
            whole = baking.wait(stopped.is_set, say)
            if whole:
                return _shown(options, run, configuration, report, beside=lambda: baking.look(report))
    except GivenUpError as error:
        report(str(error))
        return 1
    report("The demo was interrupted.")
    return 1


def _shown(
    options: Options,
    run: RunDirectory,
    configuration: Configuration,
    report: Report,
    *,
    beside: Callable[[], None] = lambda: None,
) -> int:
    """Run a demo with a screen, at the bench window or played by the script; return its exit code.

    `beside` is called regularly while it runs.
    """
    window = not (options.headless or options.web) and screen_exists()
    web = None if options.headless or window else _web(options, report)
    bench = window or web is not None
    seed = options.seed if bench or options.seed is not None else _chosen_seed(configuration, run)
    plan = Plan(
        run=run,
        baked=options.baked.resolve(),
        seed=seed,
        shape=options.shape,
        bench=bench,
        web=web,
        baking=options.bake,
    )
    report(f"The cabinet lives in {run.path}: journal, sockets, logs.")
    with ended_by_signals() as stopped:
        if bench:
            code = _at_the_bench(plan, stopped, report, beside)
        else:
            options.pictures.mkdir(parents=True, exist_ok=True)
            code = _played(plan, script.play, options, stopped, report, interrupted=1, beside=beside)
    if code == 0 and not bench:
        code = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-m", "controller", "audit", str(run.journal)], check=False
        ).returncode
    return code


def _web(options: Options, report: Report) -> Web | None:
    """Return where the bench's page is served, None if it cannot be."""
    if words := missing("web"):
        report(f"There is no screen, and the bench cannot be shown in a browser: {words}")
        return None
    return options.place


def _chosen_seed(configuration: Configuration, run: RunDirectory) -> int:
    """Return a seed that makes a good story at the bet that a new game starts with."""
    game = catalogue.load(configuration.games.default)
    stake = Stake(lines=game.line_counts[-1], coins_per_line=game.coins_per_line[0])
    return find_story(game, stake, Books(run.journal).rounds_played).seed


@contextmanager
def ended_by_signals() -> Iterator[threading.Event]:
    """Turn SIGINT and SIGTERM into an event, so that every way of ending is the same, however many signals arrive.

    A handler that set the event itself would deadlock when it interrupts another handler, as a second signal does.
    """
    stopped = threading.Event()
    came: SimpleQueue[int | None] = SimpleQueue()

    def watch() -> None:
        if came.get() is not None:
            stopped.set()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda number, _frame: came.put(number)) for number in numbers]
    try:
        yield stopped
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
        came.put(None)
        watcher.join()


@contextmanager
def _running(plan: Plan, report: Report) -> Iterator[Cabinet]:
    link = FrontClient(plan.run.hardware_socket)
    cabinet = Cabinet(plan, link, spawn=spawn, now=time.monotonic, report=report)
    try:
        cabinet.start()
        yield cabinet
    finally:
        cabinet.stop()


def _at_the_bench(plan: Plan, stopped: threading.Event, report: Report, beside: Callable[[], None]) -> int:
    """Keep the cabinet running until the bench window is closed or the launcher is stopped."""
    page_starts = plan.web is not None
    if not page_starts:
        report("Close the window, or press Ctrl-C, to switch the cabinet off.")
    try:
        with _running(plan, report) as cabinet:
            while not stopped.is_set() and cabinet.step():
                page_starts = page_starts and not _page_reported(plan, report)
                beside()
    except GivenUpError as error:
        report(str(error))
        return 1
    return 0


def _page_reported(plan: Plan, report: Report) -> bool:
    """Report the address of the bench's page once it is served; return whether it is."""
    try:
        address = plan.run.bench_address.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return False
    if plan.web is not None and plan.web.host not in _LOOPBACK:
        report(
            "WARNING: the bench can be reached from other machines. Whoever has its address can play and read along:"
            " nothing is encrypted."
        )
    report(f"The bench, in a browser: {address}")
    report("Press Ctrl-C to switch the cabinet off.")
    return True


def _unattended(options: Options, run: RunDirectory, configuration: Configuration, report: Report) -> int:
    """Let a guest play until the launcher is stopped; enrol the cabinet first if there is a code."""

    def stay(player: ScriptedPlayer) -> None:
        if options.code:
            enrol(player, configuration.cabinet.console_socket, options.code)
        guest = Guest(player.client, player.books, random.Random(), now=time.monotonic, pause=player.pause)  # noqa: S311 - whims
        while True:
            try:
                guest.act()
            except FrontRefusedError as refusal:
                player.report(f"The front refuses: {refusal}")
            player.pause(_BETWEEN_ACTS_S)

    plan = Plan(
        run=run,
        baked=options.baked.resolve(),
        seed=options.seed,
        unattended=True,
        linked=options.venue is not None,
    )
    with ended_by_signals() as stopped:
        return _played(plan, stay, options, stopped, report, interrupted=0)


def _played(
    plan: Plan,
    play: Script,
    options: Options,
    stopped: threading.Event,
    report: Report,
    *,
    interrupted: int,
    beside: Callable[[], None] = lambda: None,
) -> int:
    """Run a script in a thread while this one keeps the cabinet running; return `interrupted` if it was stopped."""
    failures = ["its script broke off"]

    def run_script() -> None:
        failures[:] = _play(plan.run, play, options, stopped, report)

    try:
        with _running(plan, report) as cabinet:
            thread = threading.Thread(target=run_script, daemon=True)
            thread.start()
            try:
                while thread.is_alive() and not stopped.is_set() and cabinet.step():
                    beside()
            finally:
                stopped_before = stopped.is_set()
                stopped.set()
                thread.join(_JOIN_S)
    except GivenUpError as error:
        report(str(error))
        return 1
    if stopped_before:
        report("The demo was interrupted.")
        return interrupted
    for failure in failures:
        report(f"The demo failed: {failure}")
    return 1 if failures else 0


def _play(run: RunDirectory, play: Script, options: Options, stopped: threading.Event, report: Report) -> list[str]:
    """Play a script to its end; return what failed."""

    def pause(seconds: float) -> None:
        if stopped.wait(seconds):
            raise StoryError("the demo is being stopped")

    try:
        with FrontClient(run.hardware_socket) as client:
            play(
                ScriptedPlayer(
                    run,
                    client=client,
                    pictures=options.pictures,
                    report=report,
                    now=time.monotonic,
                    pause=pause,
                    hurry=options.fast,
                )
            )
    except _STORY_ERRORS as error:
        return [f"{error} ({type(error).__name__}); the logs are in {run.path}"]
    return []
