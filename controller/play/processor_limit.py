"""Runs a process with a limit on its processor time, not its wall time, so that a busy machine ends none."""

import os
import subprocess
from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import NamedTuple

_LOOK_S = 0.5
_TICKS_S = os.sysconf("SC_CLK_TCK")
_UTIME, _STIME = 11, 12
"""Field indexes after the name of the process in /proc/<pid>/stat."""


class LimitError(RuntimeError):
    """A process was ended because it took too much processor time, or none for a long time."""


class Ended(NamedTuple):
    """The result of a process that has ended by itself."""

    returncode: int
    stdout: bytes
    stderr: bytes


def run(command: Sequence[str], *, longest_s: float, idle_s: float) -> Ended:
    """Run `command` to its end.

    Raises `LimitError` after killing the process if it has taken `longest_s` seconds of processor time, or none during
    `idle_s` seconds; a process that waits for a busy processor still gets a little.
    """
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # noqa: S603 - our own
        used, idle = 0.0, 0.0
        while True:
            try:
                return Ended(0, *process.communicate(timeout=_LOOK_S))._replace(returncode=process.returncode)
            except subprocess.TimeoutExpired:
                now = _processor_s(process.pid)
                idle = 0.0 if now > used else idle + _LOOK_S
                used = now
            if used >= longest_s:
                process.kill()
                raise LimitError(f"had taken {ceil(used)} s of the processor")
            if idle >= idle_s:
                process.kill()
                raise LimitError(f"had stood still for {idle:.0f} s")


def _processor_s(pid: int) -> float:
    """Return the processor seconds that a process has taken, 0 if they cannot be read."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii", errors="replace").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[_UTIME]) + int(fields[_STIME])) / _TICKS_S
