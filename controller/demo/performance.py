"""A demo from start to end: at the bench window, or played by the script and then audited."""

import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from controller.configuration.cabinet_toml import Config as Configuration
from controller.configuration.cabinet_toml import ConfigurationError, load
from controller.demo import script
from controller.demo.books import Books
from controller.demo.launcher import Cabinet, Plan, screen_exists
from controller.demo.processes import GivenUpError, spawn
from controller.demo.scripted_player import ScriptedPlayer, StoryError
from controller.demo.seed_search import find_story
from controller.demo.settings import RunDirectory
from drivers.simulated.bench.frame_mirror import NoFrameError
from drivers.simulated.front_client import FrontClient, FrontLostError, FrontRefusedError
from games import catalogue
from games.play import Stake

Report = Callable[[str], None]

_STORY_ERRORS = (StoryError, FrontLostError, FrontRefusedError, NoFrameError, TimeoutError, sqlite3.Error)
_JOIN_S = 5.0


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options of the command line (`controller.commands.demo`)."""

    headless: bool
    run: Path | None
    seed: int | None
    fast: bool
    baked: Path
    pictures: Path
    shape: str = "wide"


def run_demo(options: Options, report: Report) -> int:
    """Run a demo and return its exit code: 0 if all went well, else 1 with the reason printed."""
    if not options.baked.is_dir():
        report(f"{options.baked} does not exist: run `cabinet bake` first, or name the baked art with --baked")
        return 1
    run = RunDirectory.made(options.run)
    try:
        configuration = load(run.write_configuration(options.baked.resolve(), catalogue.NAMES))
    except ConfigurationError as error:
        report(f"{error}\nname another directory with --run")
        return 1
    bench = not options.headless and screen_exists()
    seed = options.seed if bench or options.seed is not None else _chosen_seed(configuration, run)
    plan = Plan(run=run, baked=options.baked.resolve(), seed=seed, shape=options.shape, bench=bench)
    report(f"The cabinet lives in {run.path}: journal, sockets, logs.")
    with _signals() as stopped:
        code = _at_the_bench(plan, stopped, report) if bench else _scripted(plan, options, stopped, report)
    if code == 0 and not bench:
        code = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-m", "controller", "audit", str(run.journal)], check=False
        ).returncode
    return code


def _chosen_seed(configuration: Configuration, run: RunDirectory) -> int:
    """Return a seed that makes a good story at the bet that a new game starts with."""
    game = catalogue.load(configuration.games.default)
    stake = Stake(lines=game.line_counts[-1], coins_per_line=game.coins_per_line[0])
    return find_story(game, stake, Books(run.journal).rounds_played).seed


@contextmanager
def _signals() -> Iterator[threading.Event]:
    """Turn SIGINT and SIGTERM into an event, so that every way of ending is the same."""
    stopped = threading.Event()
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda _number, _frame: stopped.set()) for number in numbers]
    try:
        yield stopped
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


@contextmanager
def _running(plan: Plan) -> Iterator[Cabinet]:
    cabinet = Cabinet(plan, FrontClient(plan.run.hardware_socket), spawn=spawn, now=time.monotonic)
    try:
        cabinet.start()
        yield cabinet
    finally:
        cabinet.stop()


def _at_the_bench(plan: Plan, stopped: threading.Event, report: Report) -> int:
    """Keep the cabinet running until the bench window is closed or the launcher is stopped."""
    report("Close the window, or press Ctrl-C, to switch the cabinet off.")
    try:
        with _running(plan) as cabinet:
            while not stopped.is_set() and cabinet.step():
                pass
    except GivenUpError as error:
        report(str(error))
        return 1
    return 0


def _scripted(plan: Plan, options: Options, stopped: threading.Event, report: Report) -> int:
    """Run the script in a thread while this one keeps the cabinet running."""
    options.pictures.mkdir(parents=True, exist_ok=True)
    failures: list[str] = []
    try:
        with _running(plan) as cabinet:
            play = threading.Thread(target=_play, args=(plan.run, options, stopped, report, failures), daemon=True)
            play.start()
            try:
                while play.is_alive() and not stopped.is_set() and cabinet.step():
                    pass
            finally:
                interrupted = play.is_alive()
                stopped.set()
                play.join(_JOIN_S)
    except GivenUpError as error:
        report(str(error))
        return 1
    if interrupted:
        report("The demo was interrupted.")
        return 1
    for failure in failures:
        report(f"The demo failed: {failure}")
    return 1 if failures else 0


def _play(run: RunDirectory, options: Options, stopped: threading.Event, report: Report, failures: list[str]) -> None:
    def pause(seconds: float) -> None:
        if stopped.wait(seconds):
            raise StoryError("the demo is being stopped")

    try:
        with FrontClient(run.hardware_socket) as client:
            script.play(
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
        failures.append(f"{error} ({type(error).__name__}); the logs are in {run.path}")
