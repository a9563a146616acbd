"""`make venue-demo`, `python -m venue.demo`: a demo venue on this machine that is removed when it ends."""

import argparse
import contextlib
import json
import math
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import psycopg

from common.error_words import error_words
from venue.codes import make_code
from venue.demo import own_server
from venue.demo.own_server import OwnServer
from venue.demo.past import report_past
from venue.setting_up import Site

SITE = Site("Demo venue", "Europe/Berlin", "EUR")
CABINETS = {"Bar": "bewitched", "Window": "mona_lisa_jewels", "Stairs": "bewitched"}
"""Names of the cabinets and the game that each opens first; two of them play for the same jackpot."""

COINS = (1, 2, 5, 10, 20, 50, 100)
"""Coin values in cents that a cabinet offers by default."""

LOGIN = BY = "demo"
_LOOK_S = 0.5
_OPEN_NOW = """
    UPDATE venue.alarm_rule r SET hours_from = (h.clock + interval '12 hours')::time,
                                  hours_to = (h.clock + interval '13 hours')::time
    FROM (SELECT now() AT TIME ZONE timezone AS clock FROM venue.site) h WHERE r.code = 'door_out_of_hours'
"""
"""Sets the closed hours to half a day away, so that an opened door raises no out-of-hours alarm."""


def main() -> int:
    """Run the demo until Ctrl-C, SIGTERM or `--seconds`; return 1 if it cannot run or one of its processes ends."""
    parser = argparse.ArgumentParser(prog="python -m venue.demo", description="A venue to try.")
    parser.add_argument("--port", type=int, default=8080, help="the page's port; the next free one is taken")
    parser.add_argument("--seconds", type=float, help="end by itself after so long")
    parser.add_argument("--baked", type=Path, default=Path("build/baked"), help="the baked art")
    arguments = parser.parse_args()
    # A threading.Event would deadlock if a signal handler set it while this thread waits for it or sets it.
    ending: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda came, _frame: ending.append(came))
    try:
        with own_server.running(SITE, COINS, BY) as server, tempfile.TemporaryDirectory(prefix="venue-") as files:
            return _run(server, Path(files), arguments, ending)
    except (own_server.NoPostgresError, TimeoutError) as error:
        _say(f"venue demo: {error_words(error)}")
        return 1


def _run(server: OwnServer, files: Path, arguments: argparse.Namespace, ending: Sequence[int]) -> int:
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as admin:
        report_past(admin, BY, datetime.now(UTC))
        admin.execute(_OPEN_NOW)
        codes = [make_code(admin, BY) for _ in CABINETS]
    password = secrets.token_urlsafe(12)
    # The processes import nothing from the current folder, like those of the systemd units.
    environment = os.environ | {
        "PYTHONSAFEPATH": "1",
        "VENUE_PAGE": str(_configuration(server, files, arguments.baked)),
    }
    _manage(environment, "migrate", "--verbosity=0")
    _manage(environment, "add_account", LOGIN, "--role=administrator", given=f"{password}\n")
    port = own_server.free_port(arguments.port)
    cabinets = {
        name: [
            *("controller", "demo", "--unattended", "--name", name, "--game", game, "--baked", str(arguments.baked)),
            *("--venue", f"localhost:{server.port}", "--code", code, "--run", str(files / name)),
        ]
        for (name, game), code in zip(CABINETS.items(), codes, strict=True)
    }
    with _processes(files, environment, {**_page(port), **cabinets}) as processes:
        _say(f"\n  The page:  http://127.0.0.1:{port}/\n  The wall:  http://127.0.0.1:{port}/wall/")
        _say(f"  Login:     {LOGIN}\n  Password:  {password}\n\n  Ctrl-C ends it and removes everything.")
        until = time.monotonic() + (arguments.seconds or math.inf)
        while not ending and time.monotonic() < until:
            time.sleep(_LOOK_S)
            ended = [name for name, process in processes.items() if process.poll() is not None]
            for name in ended:
                _say(f"venue demo: {name} has ended:\n{(files / f'{name}.log').read_text(errors='replace')[-2000:]}")
            if ended:
                return 1
    return 0


def _configuration(server: OwnServer, files: Path, baked: Path) -> Path:
    secret, path = files / "secret", files / "page.toml"
    secret.write_text(secrets.token_urlsafe(48))
    values = {
        "database": server.dsn("venue_page"),
        "secret_file": str(secret),
        "hosts": ["127.0.0.1", "localhost"],
        "https": False,
        "second_factor": False,
        "name": SITE.name,
        "timezone": SITE.timezone,
        "currency": SITE.currency,
        "spool": str(files / "rounds"),
        "display": [sys.executable, "-P", "-m", "ui.redraw", "--baked", str(baked.resolve())] if baked.is_dir() else [],
    }
    # JSON strings, lists and booleans are also valid TOML.
    path.write_text("\n".join(["[page]", *(f"{key} = {json.dumps(value)}" for key, value in values.items()), ""]))
    return path


def _manage(environment: dict[str, str], *arguments: str, given: str = "") -> None:
    command = [sys.executable, "-m", "venue.page", *arguments]
    subprocess.run(command, env=environment, input=given, text=True, check=True)  # noqa: S603 - this program


def _page(port: int) -> dict[str, list[str]]:
    """Return the commands that run the page and its alarm worker."""
    settings = ["--config", "python:venue.page.gunicorn_settings", "--log-level", "warning"]
    page = ["gunicorn", *settings, "--bind", f"127.0.0.1:{port}", "venue.page.wsgi"]
    return {"page": page, "alarms": ["venue.page", "run_alarms"]}


@contextlib.contextmanager
def _processes(
    files: Path, environment: dict[str, str], commands: Mapping[str, Sequence[str]]
) -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """Run Python modules as processes, each with a log file; yield them by name and end them on exit."""
    started: dict[str, subprocess.Popen[bytes]] = {}
    try:
        for name, command in commands.items():
            with (files / f"{name}.log").open("ab") as log:
                # With a session of its own, no process gets Ctrl-C; this process ends them in order.
                started[name] = subprocess.Popen(  # noqa: S603 - this project's programs
                    [sys.executable, "-m", *command],
                    env=environment,
                    start_new_session=True,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                )
        yield started
    finally:
        for process in reversed(started.values()):
            process.terminate()
        for process in started.values():
            process.wait(30)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
