"""What `make demo` and `make test` say while they set up, and that pip installs where the Makefile says."""

import io
import os
import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from controller.features.demo.step import bar, run, span
from tests.rigs.needing import needs_tools
from tests.rigs.paths import ROOT

pytestmark = pytest.mark.processes

ELSEWHERE = {
    "PIP_USER": "yes",
    "PIP_TARGET": "/elsewhere",
    "PIP_PREFIX": "/elsewhere",
    "PIP_ROOT": "/elsewhere",
    "PIP_PYTHON": "/elsewhere/python",
    "PIP_DRY_RUN": "1",
    "PIP_NO_DEPS": "1",
    "PIP_REQUIRE_HASHES": "1",
    "PIP_REQUIREMENT": "/elsewhere/requirements.txt",
    "PIP_CONSTRAINT": "/elsewhere/constraints.txt",
    "PIP_EDITABLE": "/elsewhere",
    "PIP_NO_BUILD_ISOLATION": "0",
    "PIP_PLATFORM": "any",
    "PIP_PYTHON_VERSION": "3.9",
    "PIP_IMPLEMENTATION": "py",
    "PIP_ABI": "none",
    "PYTHONHOME": "/elsewhere",
    "PYTHONPATH": "/elsewhere",
}
"""Settings with which pip or Python would install elsewhere, something else, or not at all."""
KEPT = {"PIP_INDEX_URL": "https://mirror.example/simple", "PIP_NO_INDEX": "1", "PIP_CERT": "/etc/own.pem"}
"""Where a user has packages from."""
PYTHON = """#!/bin/sh
case "$*" in
    "-I controller/features/demo/step.py"*) exec {python} "$@" ;;
    *"-m venv"*) mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
    *"pip_install.py cabinet"*) env > environment; echo "$@" > words ;;
esac
"""
"""Stands for Python: makes an environment of itself, and writes down how pip was called."""


def test_a_step_says_what_it_does_and_how_long_it_takes() -> None:
    """With the expected time before, lines meanwhile where there is no terminal, and its own time at the end."""
    out, seconds = io.StringIO(), count(step=6.0)
    code = run("Libraries", 130, [sys.executable, "-c", "input()"], out, now=lambda: next(seconds))
    assert code == 1
    assert out.getvalue().splitlines()[0] == "Libraries: about 2 min"
    assert out.getvalue().splitlines()[-1].startswith("  failed after ")


def test_a_long_step_is_never_silent() -> None:
    """Each ten seconds of its time are a line."""
    out, seconds = io.StringIO(), count(step=6.0)
    waiting = "import time; time.sleep(1.2)"
    assert run("Libraries", 60, [sys.executable, "-c", waiting], out, now=lambda: next(seconds)) == 0
    said = out.getvalue().splitlines()
    assert said[0] == "Libraries: about 60 s"
    assert len(said) > 2
    assert all(line.endswith(" s") for line in said[1:])
    assert said[-1].startswith("  done in ")


class Terminal(io.StringIO):
    """A terminal that keeps what is written."""

    def isatty(self) -> bool:
        """It is one."""
        return True


@pytest.mark.parametrize("draws", [False, True])
def test_a_terminal_shows_a_bar(*, draws: bool) -> None:
    """It is gone when the step is done; one that draws itself has the terminal to itself."""
    out = Terminal()
    assert run("Libraries", 60, [sys.executable, "-c", "import time; time.sleep(1.2)"], out, draws=draws) == 0
    assert ("[" in out.getvalue()) is not draws
    assert out.getvalue().split("\r")[-1].startswith("  done in ")


@pytest.mark.parametrize(("passed_s", "full"), [(0, 0), (30, 15), (60, 30), (600, 30)])
def test_a_bar_is_full_when_the_expected_time_is_over(passed_s: float, full: int) -> None:
    """And stays full: how long it takes is not known better."""
    assert bar(passed_s, 60) == f"  [{'#' * full}{'.' * (30 - full)}] {span(passed_s)} of about 60 s"


def test_make_forgets_the_settings_that_would_install_elsewhere() -> None:
    """Those of `ELSEWHERE`; the scripts have `pip_install.py` forget them (test_pip_install.py)."""
    lines = (ROOT / "Makefile").read_text("utf-8").splitlines()
    assert {name for line in lines if line.startswith("unexport ") for name in line.split()[1:]} == ELSEWHERE.keys()


@needs_tools("make")
@pytest.mark.parametrize("goal", [".venv/.ready-to-play", ".venv/.ready"])
def test_pip_installs_into_the_environment_whatever_is_set_for_it(goal: str, tmp_path: Path) -> None:
    """Of what the user has set for pip only that reaches it where packages come from; and it is not silent."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "controller/features/demo/step.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ("ui", "games"):
        (tmp_path / name).mkdir()
    python = tmp_path / "python"
    python.write_text(PYTHON.format(python=sys.executable), "utf-8")
    python.chmod(0o755)
    made = subprocess.run(
        ["make", f"PYTHON={python}", goal],
        cwd=tmp_path,
        env=os.environ | ELSEWHERE | KEPT,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = (tmp_path / "environment").read_text("utf-8").splitlines()
    seen = dict(line.partition("=")[::2] for line in lines if "=" in line)
    assert seen.keys() & ELSEWHERE.keys() == set()
    assert seen.items() >= KEPT.items()
    assert "--constraint constraints.txt" in (tmp_path / "words").read_text("utf-8")
    assert "MB of disk" in made.stdout
    assert "Libraries" in made.stdout
    assert (tmp_path / goal).exists()
