"""A feature can be taken away: a real supervisor without its folder plays a round, and the books add up."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.feature import features
from tests.rigs.display_client import DisplayClient
from tests.rigs.real_cabinet import RealCabinet

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parents[1]
FEATURES = "controller/features"
NAMES = sorted(path.name for path in (ROOT / FEATURES).iterdir() if (path / "__init__.py").exists())


def tree_without(name: str, folder: Path) -> Path:
    """Return a tree of this program in which the folder of the feature `name` is missing."""
    tree = folder / "tree"
    (tree / FEATURES).mkdir(parents=True)
    for path in (ROOT / "controller").iterdir():
        if path.name not in {"features", "__pycache__"}:
            (tree / "controller" / path.name).symlink_to(path)
    for path in (ROOT / FEATURES).iterdir():
        if path.name not in {name, "__pycache__"}:
            (tree / FEATURES / path.name).symlink_to(path)
    for other in ("build", "common", "drivers", "gamekit", "games", "ui", "venue"):
        (tree / other).symlink_to(ROOT / other)
    return tree


def without_tables(text: str, tables: set[str]) -> str:
    """Return a `cabinet.toml` without these tables."""
    kept = [part for part in re.split(r"(?m)^(?=\[)", text) if part.partition("]")[0].strip("[") not in tables]
    return "".join(kept)


_NAMES = "from controller.feature import features; print(*features())"
_AUDIT = """
import sys
from pathlib import Path
from controller.books.audit import audit
print(audit(Path(sys.argv[1]), lambda what, done, total: None).failures)
"""


def said_in(tree: Path, script: str, *arguments: str) -> str:
    """Return what a script prints that runs in the program of that tree."""
    command = [sys.executable, "-c", script, *arguments]
    said = subprocess.run(
        command, cwd=tree, env={**os.environ, "PYTHONPATH": str(tree)}, capture_output=True, text=True, check=True
    )
    return said.stdout


@pytest.mark.parametrize("name", NAMES)
def test_a_cabinet_without_the_feature_plays(name: str, tmp_path: Path) -> None:
    """A note, a round, a clean end: neither the core nor another feature needs it."""
    tree, tables = tree_without(name, tmp_path), set(features()[name].tables) if name in features() else set()
    assert said_in(tree, _NAMES).split() == [other for other in features() if other != name]
    with RealCabinet(tmp_path / "run", seed=7, tree=tree) as cabinet:
        file = cabinet.run.configuration
        file.write_text(without_tables(file.read_text(), tables))
        display = DisplayClient(cabinet.run.display_socket)
        process = cabinet.supervisor()

        def until(holds: Callable[[], bool]) -> None:
            display.serve_until(lambda: process.poll() is not None or holds())
            assert process.poll() is None, cabinet.run.log("supervisor").read_text()

        try:
            until(lambda: display.state == "attract")
            cabinet.do("note 20")
            until(cabinet.note_is_credited)
            until(lambda: (display.state, display.credit_cents) == ("idle", 2000))
            cabinet.do("tap spin")
            until(lambda: cabinet.books.last_round is not None and display.state == "idle")
        finally:
            display.close()
            process.terminate()
            process.wait(20.0)
        assert process.returncode == 0
        assert said_in(tree, _AUDIT, str(cabinet.run.journal)) == "[]\n"
