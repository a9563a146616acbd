"""The updater's access to the machine: its services, its system files, its journal."""

import subprocess
import time
from pathlib import Path
from typing import NamedTuple, Protocol

from common.error_words import error_words
from controller.features.update.orders import INBOX, Folders

SUPERVISOR, DISPLAY, SETTLE = "cabinet.service", "cabinet-display.service", "cabinet-settle.service"
CONFIGURATION = "/etc/cabinet/cabinet.toml"
_COPIES = "system/journal_copies.py"
_PATIENCE_S = 600.0


class SystemFailedError(Exception):
    """A command failed; the message has the command and its output."""


class JournalRefusedError(Exception):
    """The journal's rules forbid it: a game is open, or money would be lost."""


class Fare(NamedTuple):
    """The state of a service: whether it is up, its main process, and its automatic restarts."""

    active: bool
    pid: int
    restarts: int


class HostServices(Protocol):
    """The machine as the updater uses it; the real one or a test's."""

    def stop(self) -> None:
        """Stop supervisor and display in order."""

    def start(self) -> None:
        """Start supervisor and display, without waiting for them."""

    def settle(self) -> None:
        """Bring the system's files and set-up in line with the installed program."""

    def keep_journal(self, tree: Path, label: str) -> None:
        """Copy the journal with that tree's program; raise `JournalRefusedError` while a game is open."""

    def suit_journal(self, tree: Path, migrations: tuple[str, ...]) -> None:
        """Make the journal readable for a program with these migrations, or raise `JournalRefusedError`."""

    def migrations(self, tree: Path) -> tuple[str, ...]:
        """Return the journal migrations of that tree's program."""

    def fares(self) -> tuple[Fare, Fare]:
        """Return the state of supervisor and display."""

    def now(self) -> float:
        """Return the monotonic clock, in seconds."""

    def sleep(self, seconds: float) -> None:
        """Wait."""


class SystemdServices:
    """The cabinet's own machine, with systemd."""

    def __init__(self, folders: Folders) -> None:
        self._at = folders

    def inbox(self) -> Path:
        """Return the folder in which the supervisor puts bundles, beside the journal."""
        return self._journal().parent / INBOX

    def stop(self) -> None:
        """Stop both, and end repeated failing starts."""
        _run("systemctl", "stop", SUPERVISOR, DISPLAY)
        _run("systemctl", "reset-failed", SUPERVISOR, DISPLAY, fails=False)

    def start(self) -> None:
        """Start both."""
        _run("systemctl", "start", "--no-block", SUPERVISOR, DISPLAY)

    def settle(self) -> None:
        """Run the program's own scripts in a unit that may change the system."""
        _run("systemctl", "start", SETTLE)

    def keep_journal(self, tree: Path, label: str) -> None:
        """Copy the journal."""
        self._of_journal(tree, "keep", str(self._journal()), label)

    def suit_journal(self, tree: Path, migrations: tuple[str, ...]) -> None:
        """Replace the journal by an older copy, if needed and allowed."""
        self._of_journal(tree, "restore", str(self._journal()), "--known", *migrations)

    def migrations(self, tree: Path) -> tuple[str, ...]:
        """Run that program to list them."""
        script = "from controller.journal.schema import NAMES; print(*NAMES)"
        return tuple(_run(str(tree / "venv/bin/python"), "-P", "-B", "-c", script).split())

    def fares(self) -> tuple[Fare, Fare]:
        """Query the service manager."""
        return _fare(SUPERVISOR), _fare(DISPLAY)

    def now(self) -> float:
        """Return the clock that supervisor and updater share."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)

    def _journal(self) -> Path:
        script = self._at.program / _COPIES
        return Path(_run("/usr/bin/python3", "-I", str(script), "where", CONFIGURATION).strip())

    def _of_journal(self, tree: Path, *words: str) -> None:
        command = ["/usr/bin/python3", "-I", str(tree / _COPIES), *words]
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=_PATIENCE_S)  # noqa: S603
        if done.returncode == 1:
            raise JournalRefusedError(done.stderr.strip())
        if done.returncode:
            raise SystemFailedError(f"{' '.join(command)}: {done.stderr.strip()}")


def _fare(unit: str) -> Fare:
    said = _run("systemctl", "show", "--property=ActiveState,MainPID,NRestarts", unit)
    values = dict(line.partition("=")[::2] for line in said.splitlines())
    return Fare(
        values.get("ActiveState") == "active",
        int(values.get("MainPID") or 0),
        int(values.get("NRestarts") or 0) + (values.get("ActiveState") == "failed"),
    )


def _run(*command: str, fails: bool = True) -> str:
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=_PATIENCE_S)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SystemFailedError(f"{' '.join(command)}: {error_words(error)}") from error
    if done.returncode and fails:
        raise SystemFailedError(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")
    return done.stdout
