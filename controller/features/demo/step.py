"""A step of the set-up that is never silent.

`python3 -I controller/features/demo/step.py [--draws] WHAT SECONDS COMMAND...` runs it.
The Makefile runs it with the machine's own Python, before anything is installed. WHAT is shown with the expected
SECONDS; while COMMAND runs, the seconds that have passed, as a bar on a terminal, unless it draws one of its own
(`--draws`). COMMAND's exit code is this one's.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import TextIO

LOOK_S = 10.0
"""How often a line is said where no terminal shows a bar."""
_TURN_S = 0.5
_BAR = 30
_MINUTES_FROM_S = 120


def span(seconds: float) -> str:
    """Return a time as it is said: seconds, or from two minutes on minutes."""
    return f"{seconds:.0f} s" if seconds < _MINUTES_FROM_S else f"{seconds / 60:.0f} min"


def bar(passed_s: float, expected_s: float) -> str:
    """Return the bar of a step; one that takes longer than expected stays full."""
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
    """Run a step's command, which `draws` on a terminal or not; return its exit code, 130 where it was interrupted."""
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
            except KeyboardInterrupt:  # the command has had it too
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
