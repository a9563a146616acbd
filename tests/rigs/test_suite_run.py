"""What a run of the suite says and limits: pytest over a small folder of tests, with the suite's hooks."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.rigs.paths import ROOT

pytestmark = pytest.mark.processes

HOOKS = "from tests.conftest import pytest_addoption, pytest_configure, pytest_sessionstart"
SKIPPING = """
from tests.rigs.needing import needs_tools, skip

@needs_tools("no-such-tool", packages="some-package")
def test_marked(): ...

def test_running():
    skip("there is no moon", "run it by night")

def test_twice():
    skip("there is no moon", "run it by night")
"""
BUSY = """
import time

def test_waits():
    time.sleep(1.5)

def test_never_ends():
    while True:
        pass

def test_is_run():
    assert True
"""


def run(folder: Path, tests: str, *words: str) -> str:
    (folder / "conftest.py").write_text(HOOKS)
    (folder / "test_small.py").write_text(tests)
    command = [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml", "--rootdir", folder, *words, folder]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("words", [(), ("-n", "2")], ids=["alone", "with workers"])
def test_what_was_skipped_is_listed_at_the_end(words: tuple[str, ...], tmp_path: Path) -> None:
    """Where, how many, why, and how to have it run, once for those that have it in common."""
    said = run(tmp_path, SKIPPING, *words)
    assert "3 tests were skipped: where, why, and how to have them run" in said
    assert "   1 test_small.py: no-such-tool not installed: apt-get install some-package\n" in said
    assert "   2 test_small.py: there is no moon: run it by night\n" in said


def test_something_is_said_while_workers_collect(tmp_path: Path) -> None:
    """Before the first test ends: how many import the tests, and how many tests they have found."""
    said = run(tmp_path, BUSY, "-n", "2", "-k", "is_run")
    assert said.index("2 workers import and collect") < said.index("1 tests collected") < said.index("1 passed")


def test_a_test_that_never_ends_is_named_by_its_processor_time(tmp_path: Path) -> None:
    """One that waits longer than the limit uses nothing and passes, and those behind the endless one are run."""
    said = run(tmp_path, BUSY, "--processor-limit", "1")
    assert "it has used 1 s of processor time (--processor-limit)" in said
    assert "test_small.py::test_never_ends" in said
    assert "1 failed, 2 passed" in said
