"""A game that a test writes as docs/adding-a-game.md says: new files whole, changed ones by what is added to them."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from click.testing import CliRunner

from controller.cli import main
from gamekit import catalogue

PAGE = Path(__file__).parents[2] / "docs" / "adding-a-game.md"
HEADING = "## A rule of one's own"


def section() -> str:
    """Return the page's section about a rule of one's own."""
    return PAGE.read_text("utf-8").partition(f"{HEADING}\n")[2].partition("\n## ")[0]


def write_echo(folder: Path) -> None:
    """Write into the folder of a new game of lines, Lagoon, what the section shows."""
    text = section()
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        head, _, code = block.partition("\n")
        name, _, where = head.removeprefix("# ").partition(",")
        file = folder / name
        file.write_text(f"{file.read_text('utf-8')}\n{code}" if where else code, "utf-8")
    (changes,) = re.findall(r"```diff\n(.*?)```", text, re.DOTALL)
    for part in re.split(r"^--- ", changes, flags=re.MULTILINE)[1:]:
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
        catalogue.look_out_of(folder)
        for module in [name for name in sys.modules if name.startswith("games.lagoon")]:
            del sys.modules[module]
