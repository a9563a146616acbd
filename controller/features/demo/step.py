"""Runs a step of the set-up with a progress display.

Run as `python3 -I controller/features/demo/step.py [--draws] WHAT SECONDS COMMAND...`.

The Makefile runs it with the machine's own Python, before anything is installed. WHAT is shown with the expected
SECONDS. While COMMAND runs, the elapsed seconds are shown, as a bar on a terminal unless COMMAND draws its own
(`--draws`). The exit code is that of COMMAND.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import TextIO

LOOK_S = 10.0
"""The interval, in seconds, of a progress line if there is no terminal for a bar."""
_TURN_S = 0.5
_BAR = 30
_MINUTES_FROM_S = 120


def span(seconds: float) -> str:
    """Return a time as text: in seconds, or in minutes from two minutes on."""
    return f"{seconds:.0f} s" if seconds < _MINUTES_FROM_S else f"{seconds / 60:.0f} min"


def bar(passed_s: float, expected_s: float) -> str:
    """Return the bar of a step; a step that takes longer than expected shows a full bar."""
    full = min(_BAR, int(_BAR * passed_s / expected_s))
    return f"  [{'#' * full}{'.' * (_BAR - full)}] {span(passed_s)} of about {span(expected_s)}"


def run(
    what: str,
    expected_s: float,
    command: Sequence[str],
    out: TextIO,
    *,
    draws: bool = False,
    now: Callable[[], float] = time.monotonic,
) -> int:
    """Run a step's command, which `draws` on a terminal or not; return its exit code, or 130 if interrupted."""
    began_s = now()
    terminal = out.isatty()
    out.write(f"{what}: about {span(expected_s)}\n")
    out.flush()
    with subprocess.Popen(command) as process:  # noqa: S603 - the Makefile names the command
        said_s = began_s
        while True:
            try:
                code = process.wait(_TURN_S)
                break
            except subprocess.TimeoutExpired:
                if (terminal and not draws) or (not terminal and now() - said_s >= LOOK_S):
                    said_s = now()
                    out.write(f"\r{bar(now() - began_s, expected_s)}" if terminal else f"  {span(now() - began_s)}\n")
                    out.flush()
            except KeyboardInterrupt:  # the command has received it too
                process.wait()
                code = 130
                break
    if terminal:
        out.write("\r" + " " * 70 + "\r")
    out.write(f"  {'failed after' if code else 'done in'} {span(now() - began_s)}\n")
    return code


if __name__ == "__main__":
    draws = sys.argv[1] == "--draws"
    what, seconds, *command = sys.argv[1 + draws :]
    sys.exit(run(what, float(seconds), command, sys.stdout, draws=draws))
