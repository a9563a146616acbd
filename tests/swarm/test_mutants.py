"""The table of mutants fits the code, a mutant that does harm is noticed, and one that does not is told from it."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.rigs.paths import ROOT
from tests.swarm.mutant_table import Mutant, changed, mutants

TABLE = """
[[files]]
path = "drivers/note_fate.py"
validators = ["id003"]
parts = ["bills"]

[[files.mutants]]
name = "{name}"
before = '''{before}'''
after = '''{after}'''
wrong = "it is {name}"
"""
CREDIT = "await self._listener.bill_stacked(value_cents)"


def judged(folder: Path, *, name: str, before: str, after: str, seconds: str = "0.9") -> tuple[int, str]:
    """Run the command with a table of one mutant; return its exit status and what it printed."""
    table = folder / "table.toml"
    table.write_text(TABLE.format(name=name, before=before, after=after), encoding="utf-8")
    command = [sys.executable, "-m", "tests.swarm.mutants", "--processes", "1", "--seconds", seconds, "--table", table]
    ran = subprocess.run([*command, "--only", name], cwd=ROOT, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout + ran.stderr


def test_each_mutant_changes_one_place_of_a_file_that_still_compiles() -> None:
    """A table of a hundred and more, in which no name is there twice."""
    placed = list(mutants())
    for mutant in placed:
        compile(mutant.source, mutant.name, "exec")
        assert mutant.source != mutant.path.read_text("utf-8")
        assert mutant.cabinets
    assert len(placed) >= 100
    assert [name for name, times in Counter(mutant.name for mutant in placed).items() if times > 1] == []


@pytest.mark.parametrize("source", ["x = 2\n", "x = 1\nif x:\n    x = 1\n"])
def test_a_mutant_whose_lines_are_not_there_once_is_refused(source: str) -> None:
    """With its name."""
    with pytest.raises(ValueError, match=r"m: its lines are found [02] times"):
        changed(source, Mutant("m", "x = 1", "x = 3", "it is three"))


def test_lines_are_found_at_any_depth_and_put_back_at_it() -> None:
    """Two lines of a block change places."""
    mutant = Mutant("m", "a()\nb()", "b()\na()", "b comes first")
    assert changed("def f():\n    a()\n    b()\n", mutant) == "def f():\n    b()\n    a()\n"


def test_a_device_that_the_swarm_has_not_is_refused(tmp_path: Path) -> None:
    """No cabinet would have it, so no life would be played."""
    table = tmp_path / "table.toml"
    words = TABLE.format(name="m", before=CREDIT, after="pass")
    table.write_text(words.replace('["id003"]', '["id004"]'), encoding="utf-8")
    with pytest.raises(ValueError, match=r"drivers/note_fate\.py: the swarm has no id004"):
        list(mutants(table))


def test_a_mutant_that_loses_a_note_is_killed(tmp_path: Path) -> None:
    """The first life fails, and its script is printed."""
    status, said = judged(tmp_path, name="silent", before=CREDIT, after="pass", seconds="30")
    assert (status, "1 of 1 killed" in said, "WrongError: " in said, "note " in said) == (0, True, True, True)


def test_a_mutant_that_changes_nothing_survives(tmp_path: Path) -> None:
    """It is played until its time is over."""
    status, said = judged(tmp_path, name="harmless", before=CREDIT, after=f"{CREDIT}\npass")
    assert (status, "0 of 1 killed, 1 survived, 0 in error" in said) == (0, True)


def test_a_mutant_that_cannot_be_imported_is_in_error(tmp_path: Path) -> None:
    """It counts as a mistake of the table and not as killed."""
    before = "STUCK_S: Final = 300.0"
    status, said = judged(tmp_path, name="broken", before=before, after="STUCK_S = nobody")
    assert (status, "it cannot be imported: NameError: name 'nobody' is not defined" in said) == (1, True)
    assert "0 of 1 killed, 0 survived, 1 in error" in said
