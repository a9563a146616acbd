"""What the display misses of a game: its screens are drawn in a process of the display's own."""

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from controller.play.processor_limit import LimitError, run
from gamekit.checking import Fault

LONGEST_S = 600.0
"""Seconds of the processor that drawing a game may take."""
IDLE_S = 300.0
"""Seconds in which it may get none."""


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
    """Return what the display misses of a game; a display that ends within it is a fault like any other.

    So is one that takes more than `longest_s` seconds of the processor.
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
