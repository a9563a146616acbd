"""The computer for the supervisor: its clock, and how the program ends (U.1, U.10)."""

import logging
import shutil
import subprocess
import time
from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from common.error_words import error_words
from controller.journal.errors import RefusedError

_log = logging.getLogger(__name__)

EXIT_RESTART = 75
"""The exit code that asks the service manager to start the supervisor again (sysexits' EX_TEMPFAIL)."""

_PATIENCE_S = 10.0
_SYNCHRONISED = "synchronization"


class Departure(StrEnum):
    """The ways in which the supervisor can end in order."""

    RESTART = "restart"
    REBOOT = "reboot"
    POWER_OFF = "power off"


class Host(Protocol):
    """The computer for the machine."""

    def lead_ms(self) -> int:
        """Return the lead of the system clock over the monotonic clock in milliseconds."""

    def set_clock(self, wall_ms: int) -> None:
        """Set the clock, in milliseconds since 1970; raise `RefusedError` if the system does not allow it."""

    def leave(self, way: Departure) -> None:
        """End the supervisor in order, and the computer too if `way` says so."""


class _Leaving:
    """Records whether and how the supervisor must end."""

    def __init__(self) -> None:
        self.departure: Departure | None = None
        self._end: Callable[[], object] = lambda: None

    def lead_ms(self) -> int:
        """Return the lead of the wall clock over the monotonic one."""
        return (time.time_ns() - time.monotonic_ns()) // 1_000_000

    def leave(self, way: Departure) -> None:
        """Record the way, and end the supervisor."""
        self.departure = way
        self._end()

    def ends_with(self, end: Callable[[], object]) -> None:
        """Set the function that ends the supervisor."""
        self._end = end

    def end(self) -> int:
        """Finish the departure once everything is closed; return the exit code."""
        return 0 if self.departure is None else EXIT_RESTART


class DemoHost(_Leaving):
    """The computer of a demo: it is never switched off, and its clock is not changed."""

    def set_clock(self, wall_ms: int) -> None:  # noqa: ARG002 - the host's signature
        """Raise `RefusedError`."""
        raise RefusedError("A demo leaves the clock of its computer alone")


class SystemHost(_Leaving):
    """The cabinet's own computer, with systemd if available."""

    def set_clock(self, wall_ms: int) -> None:
        """Set the clock with `timedatectl`, which also sets the battery-backed clock, or else by the system call."""
        if shutil.which("timedatectl") is not None:
            moment = datetime.fromtimestamp(wall_ms / 1000).strftime("%Y-%m-%d %H:%M:%S")  # noqa: DTZ006 - local time
            done = _run("timedatectl", "set-time", moment)
            if done.returncode == 0:
                return
            if _SYNCHRONISED in done.stderr:
                raise RefusedError("The network sets the clock: switch that off first")
        try:
            time.clock_settime(time.CLOCK_REALTIME, wall_ms / 1000)
        except OSError as error:
            raise RefusedError("The system does not let this program set the clock") from error

    def end(self) -> int:
        """Reboot or power off the computer through systemd; return the exit code."""
        verb = {Departure.REBOOT: "reboot", Departure.POWER_OFF: "poweroff"}.get(self.departure or Departure.RESTART)
        if verb is None:
            return super().end()
        done = _run("systemctl", verb)
        if done.returncode:
            _log.error("systemctl %s: %s", verb, done.stderr.strip())
        return done.returncode


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603 - two programs of the system, with our own arguments
            command, check=False, capture_output=True, text=True, timeout=_PATIENCE_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 1, "", error_words(error))
