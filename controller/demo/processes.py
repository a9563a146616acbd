"""The demo's processes: none outlives the launcher, and each is restarted as systemd would.

GivenUpError (RuntimeError)   a process ends again and again
"""

import ctypes
import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

STEADY_S = 5.0
"""A process that runs for this long has started well: its next death begins a new count."""

PAUSES_S = (0.0, 0.1, 0.2, 0.5, 1.0)
"""The pauses before each restart of a process that ends early; after the last one it is given up."""

_TAIL_LINES = 20
_TAIL_BYTES = 1 << 16
_STOP_S = 5.0
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)


class GivenUpError(RuntimeError):
    """A process cannot be kept running."""


class Process(Protocol):
    """The part of `subprocess.Popen` that is used here."""

    def poll(self) -> int | None:
        """The exit code, None while it runs."""

    def kill(self) -> None:
        """SIGKILL."""

    def terminate(self) -> None:
        """SIGTERM."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end; raises `subprocess.TimeoutExpired`."""


Spawn = Callable[[Sequence[str], Path], Process]
"""Starts a command with its output appended to a log."""


def spawn(command: Sequence[str], log: Path, *, shown: bool = False) -> subprocess.Popen[bytes]:
    """Start `command` in a session of its own; it is killed when the launcher's main thread ends, however that ends.

    Call it from the main thread. Ctrl-C reaches only the launcher, which ends all processes in order. With `shown` the
    standard error is the launcher's and not in the log.
    """
    parent = os.getpid()

    def die_with_parent() -> None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # the launcher died before the line above
            os._exit(1)

    with log.open("ab") as output:
        return subprocess.Popen(  # noqa: S603 - the launcher names the commands, no user does
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=None if shown else subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=die_with_parent,  # noqa: PLW1509 - one prctl call, and the launcher forks from its main thread
        )


def end(process: Process) -> int:
    """Terminate `process`, kill it after five seconds, and return its exit code."""
    if process.poll() is None:
        process.terminate()
    try:
        return process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


class SupervisedProcess:
    """A process that is restarted when it ends, with growing pauses while it ends early.

    `look(now)` does all the work; `now` are monotonic seconds.
    """

    def __init__(self, name: str, command: Sequence[str], log: Path, spawn: Spawn) -> None:
        self.name = name
        self._command = tuple(command)
        self._log = log
        self._spawn = spawn
        self._process: Process | None = None
        self._due: float | None = 0.0
        self._since = 0.0
        self._young_deaths = 0

    def __repr__(self) -> str:
        return f"<SupervisedProcess {self.name} {'running' if self.running else 'down'}>"

    @property
    def running(self) -> bool:
        """Whether it was running at the last `look`."""
        return self._process is not None

    def look(self, now: float) -> None:
        """Notice the end of the process, and start it when due.

        Raises `GivenUpError`, with the end of its log, if it ended early too often.
        """
        if self._process is not None and (code := self._process.poll()) is not None:
            self._process = None
            self._young_deaths = self._young_deaths + 1 if now - self._since < STEADY_S else 0
            if self._young_deaths >= len(PAUSES_S):
                raise GivenUpError(f"{self.name} ended {self._young_deaths} times, last with {code}; {tail(self._log)}")
            self._due = now + PAUSES_S[self._young_deaths]
        if self._process is None and self._due is not None and now >= self._due:
            self._process = self._spawn(self._command, self._log)
            self._since = now

    def kill(self) -> None:
        """Kill it now, and keep it down until `start_at`."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self._due = None
        self._young_deaths = 0

    def start_at(self, when: float) -> None:
        """Start it at the first `look` from `when` on."""
        self._due = when

    def end(self) -> None:
        """Terminate it, and keep it down."""
        self._due = None
        if self._process is not None:
            end(self._process)
            self._process = None


def tail(log: Path) -> str:
    """Return the path and the end of the log, for an error message."""
    if not log.exists():
        return f"{log} was never written"
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        lines = file.read(_TAIL_BYTES).decode(errors="replace").splitlines()[-_TAIL_LINES:]
    return "\n".join((f"the end of {log}:", *(f"    {line}" for line in lines)))
