"""Checks what the display lacks for a game; its screens are drawn in a separate process."""

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from controller.play.processor_limit import LimitError, run
from gamekit.checking import Fault

LONGEST_S = 600.0
"""The maximum processor time in seconds for drawing a game."""
IDLE_S = 300.0
"""The maximum time in seconds without any processor time."""


def faults_of_display(
    name: str,
    baked: Path,
    *,
    shapes: Sequence[str],
    scales: Sequence[str],
    languages: Sequence[str],
    pictures: Path | None = None,
    longest_s: float = LONGEST_S,
) -> list[Fault]:
    """Return what the display lacks for a game; a display that crashes is a fault like any other.

    So is one that takes more than `longest_s` seconds of processor time.
    """
    command = [sys.executable, "-m", "ui.check_game", name, "--baked", str(baked)]
    command += [word for shape in shapes for word in ("--shape", shape)]
    command += [word for scale in scales for word in ("--scale", scale.removesuffix("x"))]
    command += [word for language in languages for word in ("--language", language)]
    command += [] if pictures is None else ["--pictures", str(pictures)]
    try:
        done = run(command, longest_s=longest_s, idle_s=IDLE_S)
        return msgspec.json.decode(done.stdout, type=list[Fault])
    except LimitError as error:
        reason = f"{error} when it was ended"
    except msgspec.MsgspecError:
        reason = f"ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()[-500:]}"
    return [Fault(f"games/{name}/display", f"drawing its screens {reason}")]
