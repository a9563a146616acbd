"""A game that a test writes as docs/adding-a-game.md says, from docs/examples/echo: new files, and changed ones."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from click.testing import CliRunner

from controller.cli import main
from tests.rigs.game_folders import look_out_of
from tests.rigs.paths import ROOT

EXAMPLE = ROOT / "docs" / "examples" / "echo"
CHANGES = EXAMPLE / "changes.diff"


def write_echo(folder: Path) -> None:
    """Write the example's files into the folder of a new game of lines, Lagoon, and change those that it has."""
    for file in EXAMPLE.rglob("*.py"):
        (folder / file.relative_to(EXAMPLE)).write_text(file.read_text("utf-8"), "utf-8")
    for part in re.split(r"^--- ", CHANGES.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        name, *hunks = re.split(r"\n@@\n", part.rstrip("\n"))
        for hunk in hunks:
            change(folder / name.strip(), hunk)


def change(file: Path, hunk: str) -> None:
    """Put a hunk's new lines in the place of its old ones, which must be in the file once."""
    lines = hunk.split("\n")
    old = "".join(f"{line[1:]}\n" for line in lines if line[:1] != "+")
    new = "".join(f"{line[1:]}\n" for line in lines if line[:1] != "-")
    text = file.read_text("utf-8")
    assert text.count(old) == 1, (file, old)
    file.write_text(text.replace(old, new), "utf-8")


@contextmanager
def lagoon(folder: Path, kind: str = "lines") -> Iterator[Path]:
    """Write a new game, Lagoon, into `folder`, and give its own folder; afterwards it is not found any more."""
    made = CliRunner().invoke(main, ["new-game", "lagoon", "--kind", kind, "--in", str(folder)])
    try:
        assert made.exit_code == 0, made.output
        yield folder / "lagoon"
    finally:
        look_out_of(folder)
        for module in [name for name in sys.modules if name.startswith("games.lagoon")]:
            del sys.modules[module]
