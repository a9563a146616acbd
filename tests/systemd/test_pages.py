"""The pages for operators cover everything that can happen (issue 7)."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from controller.faults import LOCKS, known_faults

pytestmark = pytest.mark.requirement("D10")

MODULE = re.compile(r"(?:-m |from )(controller[\w.]*)")
RECOVER = Path("docs/recover.md").read_text(encoding="utf-8")
FAULTS = Path("docs/faults.md").read_text(encoding="utf-8")
CLEARS = {"next play": "next game"}
"""Who clears a fault, where docs/faults.md has other words than the catalogue."""


def remedies(code: str) -> list[str]:
    """Return what the page says to do about `code`, once for each place."""
    return re.findall(rf"^- `{code}`: (.+)$", RECOVER, re.MULTILINE)


@pytest.mark.parametrize("code", sorted(LOCKS))
def test_the_pages_name_each_lock_in_the_screens_words_and_what_to_do(code: str) -> None:
    """A locked cabinet is the worst that a technician meets: its words lead to the code, the code to what helps."""
    assert f"- `{code}`: {LOCKS[code]}\n" in FAULTS
    assert len(remedies(code)) == 1


@pytest.mark.parametrize("code", sorted(known_faults()))
def test_the_pages_say_of_each_fault_who_clears_it_and_what_to_do(code: str) -> None:
    """Every entry of the catalogue: its words and who clears it on one page, what to do on the other."""
    fault = known_faults()[code]
    said = fault.text.format(place="…")
    assert f"| `{code}` | {said} | {CLEARS.get(fault.clears, fault.clears)} |" in FAULTS
    assert remedies(code)


def test_the_page_says_what_to_do_about_no_other_code() -> None:
    """A fault that there is no more leaves no line behind."""
    named = set(re.findall(r"^- `([a-z_]+)`: ", RECOVER, re.MULTILINE))
    assert named == known_faults().keys() | LOCKS.keys()


def test_modules_that_a_script_runs_are_there() -> None:
    """`python -m` and `-c` of the scripts name modules of the program, which type checkers do not see there."""
    scripts = [path for path in Path("systemd").iterdir() if path.is_file() and path.suffix != ".py"]
    named = {name for path in scripts for name in MODULE.findall(path.read_text("utf-8"))}
    assert "controller.features.update.updating" in named
    assert [name for name in sorted(named) if find_spec(name) is None] == []
