"""Samples of code that mypy must refuse, because they report something before its commit."""

import re
import subprocess
import sys
from pathlib import Path

from tests.rigs.paths import ROOT

EARLY = "# early"
"""Ends each line of a sample that is wrong."""


def early(code: str) -> list[str]:
    """Return the wrong lines of `code`."""
    return [line for line in code.splitlines() if line.endswith(EARLY)]


def refused(code: str, folder: Path) -> list[str]:
    """Return the lines of `code` in which mypy, set up as for the product, finds an argument of the wrong type."""
    sample = folder / "sample.py"
    sample.write_text(code, "utf-8")
    command = [sys.executable, "-m", "mypy", "--no-error-summary", str(sample)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode < 2, done.stdout + done.stderr  # it could not check anything
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    # mypy's cache knows a sample of these words by the folder of an earlier run.
    found = [re.fullmatch(r".*/sample\.py:(\d+): error: .*\[arg-type\]", line) for line in errors]
    assert None not in found, done.stdout
    return [code.splitlines()[int(line[1]) - 1] for line in found if line is not None]
