"""The demo's processes: none outlives the launcher, and each is restarted as systemd would restart it.

GivenUpError (RuntimeError)   a process keeps ending
"""

import ctypes
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

STEADY_S = 5.0
"""Seconds for which a ready process must run to count as started well; its next end then starts a new count."""

PAUSES_S = (0.0, 0.1, 0.2, 0.5, 1.0)
"""The pauses, in seconds, before each restart of a process that ends early; after the last one it is given up."""

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


Spawn = Callable[[Sequence[str], Path, Mapping[str, str]], Process]
"""Starts a command with its output appended to a log, and with these variables in its environment."""


class Readiness(Protocol):
    """Where a process reports that it is ready, as to systemd (sd_notify(3)); `address` is its NOTIFY_SOCKET."""

    address: str

    def is_reported(self) -> bool:
        """Whether a process has reported that it is ready since the last call."""

    def close(self) -> None:
        """Stop listening."""


class ReadySocket:
    """The real `Readiness`: an abstract socket whose name the kernel chooses."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self._socket.bind("")
        self.address = "@" + self._socket.getsockname()[1:].decode("ascii")

    def is_reported(self) -> bool:
        """Whether `READY=1` has arrived since the last call."""
        reported = False
        while True:
            try:
                reported |= b"READY=1" in self._socket.recv(4096).split(b"\n")
            except BlockingIOError:
                return reported

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


def spawn(
    command: Sequence[str], log: Path, variables: Mapping[str, str] | None = None, *, shown: bool = False
) -> subprocess.Popen[bytes]:
    """Start `command` in its own session; it is killed when the launcher's main thread ends, however that ends.

    Call it from the main thread. Ctrl-C reaches only the launcher, which ends all processes in order. With `shown` the
    standard error goes to the launcher's and not to the log.
    """
    parent = os.getpid()

    def die_with_parent() -> None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # the launcher died before the line above
            os._exit(1)

    with log.open("ab") as output:
        return subprocess.Popen(  # noqa: S603 - the launcher names the commands, no user does
            command,
            env={**os.environ, **(variables or {})},
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
    """A process that is restarted when it ends, with growing pauses while it ends early, and a line for each end.

    It has ended early if it had not reported that it is ready, or had only just done so. Its ready time, not its start,
    counts, because the time until then depends on how busy the machine is. `look(now)` does all the work; `now` is in
    monotonic seconds.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        log: Path,
        *,
        spawn: Spawn,
        readiness: Readiness,
        report: Callable[[str], None],
    ) -> None:
        self.name = name
        self._command = tuple(command)
        self._log = log
        self._spawn = spawn
        self._readiness = readiness
        self._report = report
        self._process: Process | None = None
        self._due: float | None = 0.0
        self._ready_at: float | None = None
        self._early_ends = 0

    def __repr__(self) -> str:
        return f"<SupervisedProcess {self.name} {'running' if self.running else 'down'}>"

    @property
    def running(self) -> bool:
        """Whether it was running at the last `look`."""
        return self._process is not None

    def look(self, now: float) -> None:
        """Detect the end of the process, and start it when due.

        Raises `GivenUpError`, with the end of its log, if it ended early too often.
        """
        if self._readiness.is_reported() and self._ready_at is None:
            self._ready_at = now
        if self._process is not None and (code := self._process.poll()) is not None:
            self._process = None
            steady = self._ready_at is not None and now - self._ready_at >= STEADY_S
            self._early_ends = 0 if steady else self._early_ends + 1
            if self._early_ends >= len(PAUSES_S):
                raise GivenUpError(f"{self.name} ended {self._early_ends} times, last with {code}; {tail(self._log)}")
            self._report(f"{self.name} ended with {code} and is started again: {last_line(self._log)}")
            self._due = now + PAUSES_S[self._early_ends]
        if self._process is None and self._due is not None and now >= self._due:
            self._ready_at = None
            self._process = self._spawn(self._command, self._log, {"NOTIFY_SOCKET": self._readiness.address})

    def kill(self) -> None:
        """Kill it, and keep it stopped until `start_at`."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self._due = None
        self._early_ends = 0

    def start_at(self, when: float) -> None:
        """Start it at the first `look` at or after `when`."""
        self._due = when

    def end(self) -> None:
        """Terminate it permanently."""
        self._due = None
        if self._process is not None:
            end(self._process)
            self._process = None
        self._readiness.close()


def tail(log: Path) -> str:
    """Return the path and the end of the log, for an error message."""
    if not log.exists():
        return f"{log} was never written"
    return "\n".join((f"the end of {log}:", *(f"    {line}" for line in _last_lines(log))))


def _last_lines(log: Path) -> list[str]:
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        return file.read(_TAIL_BYTES).decode(errors="replace").splitlines()[-_TAIL_LINES:]


def last_line(log: Path) -> str:
    """Return the last line of the log that is not blank."""
    lines = [line for line in (_last_lines(log) if log.exists() else []) if line.strip()]
    return lines[-1].strip() if lines else f"it has written nothing to {log}"
