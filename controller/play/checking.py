"""Whether a game passes: its tables and maths here, its screens in a process of the display's own, which draws them."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from games import checking
from games.checking import Fault

LONGEST_S = 600.0


def faults_of(
    name: str,
    baked: Path,
    *,
    shapes: Sequence[str],
    scales: Sequence[str],
    languages: Sequence[str],
    pictures: Path | None = None,
) -> list[Fault]:
    """Return all that a game lacks on a cabinet with these monitors and languages."""
    found = checking.faults(name)
    return found or faults_of_display(name, baked, shapes=shapes, scales=scales, languages=languages, pictures=pictures)


def faults_of_display(
    name: str,
    baked: Path,
    *,
    shapes: Sequence[str],
    scales: Sequence[str],
    languages: Sequence[str],
    pictures: Path | None = None,
) -> list[Fault]:
    """Return what the display misses of a game; a display that ends within it is a fault like any other."""
    command = [sys.executable, "-m", "ui.check_game", name, "--baked", str(baked)]
    command += [word for shape in shapes for word in ("--shape", shape)]
    command += [word for scale in scales for word in ("--scale", scale.removesuffix("x"))]
    command += [word for language in languages for word in ("--language", language)]
    command += [] if pictures is None else ["--pictures", str(pictures)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=LONGEST_S, check=False)  # noqa: S603 - our own
        return msgspec.json.decode(done.stdout, type=list[Fault])
    except subprocess.TimeoutExpired:
        reason = f"was not done after {LONGEST_S:.0f} s"
    except msgspec.MsgspecError:
        reason = f"ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()[-500:]}"
    return [Fault(f"games/{name}/display", f"drawing its screens {reason}")]
