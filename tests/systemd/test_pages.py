"""The pages for operators cover everything that can happen (issue 7, D10)."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from controller.faults import CATALOGUE, LOCKS

MODULE = re.compile(r"(?:-m |from )(controller[\w.]*)")
RECOVER = Path("docs/recover.md").read_text(encoding="utf-8")


def row(code: str) -> list[str]:
    """Return the cells of the page's line about `code`."""
    line = next((line for line in RECOVER.splitlines() if line.startswith(f"| `{code}` |")), "")
    assert line, f"docs/recover.md has no line that says what to do about `{code}`"
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[2:-1]]


@pytest.mark.parametrize("code", sorted(LOCKS))
def test_the_page_names_each_lock_in_the_screens_words_and_what_to_do(code: str) -> None:
    """A locked cabinet is the worst that a technician meets: its words lead to the line that helps."""
    said, happened, do = row(code)
    assert said == LOCKS[code]
    assert happened
    assert do


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_the_page_says_of_each_fault_who_clears_it_and_what_to_do(code: str) -> None:
    """Every entry of the catalogue, in its words."""
    fault = CATALOGUE[code]
    said, clears, do = row(code)
    assert said == fault.text.format(place="…")
    assert clears == {"next play": "play"}.get(fault.clears, fault.clears)
    assert do


@pytest.mark.parametrize("page", ["install", "operate", "recover", "security"])
def test_links_and_files_that_a_page_names_are_there(page: str) -> None:
    """No link leads nowhere, and no file of ours is named that is not."""
    text = Path(f"docs/{page}.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        assert target.startswith("https://") or Path("docs", target).exists(), target
    for named in re.findall(r"`((?:systemd|controller|tests|drivers)/[\w./-]+)`", text):
        assert Path(named).exists(), named


def test_modules_that_a_script_runs_are_there() -> None:
    """`python -m` and `-c` of the scripts name modules of the program, which type checkers do not see there."""
    scripts = [path for path in Path("systemd").iterdir() if path.is_file() and path.suffix != ".py"]
    named = {name for path in scripts for name in MODULE.findall(path.read_text("utf-8"))}
    assert "controller.features.update.updating" in named
    assert [name for name in sorted(named) if find_spec(name) is None] == []
