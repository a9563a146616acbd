"""`cabinet check-game`: one run names all that can be found, and says what has to wait."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli import main
from gamekit import figures, highlights
from tests.games.written_game import change, lagoon


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """The folder of a new game of lines, whose paytable prints another pay than it has for three jacks."""
    with lagoon(tmp_path / "studio") as written:
        pays = "        return LINE_PAYS.get(symbol, {})"
        change(
            written / "display" / "theme.py",
            f"+        if symbol == 'jack':\n+            return {{**LINE_PAYS[symbol], 3: 7}}\n {pays}",
        )
        yield written


def found(folder: Path) -> list[str]:
    """Return the lines that a check of Lagoon prints, whose art is nowhere."""
    nowhere = str(folder / "nowhere")
    result = CliRunner().invoke(main, ["check-game", "lagoon", "--baked", nowhere, "--shape", "wide"])
    assert result.exit_code == 1
    figures.forget()
    return result.output.splitlines()


def said(lines: list[str], words: str) -> int:
    """Return in how many lines these words are."""
    return sum(words in line for line in lines)


def test_stale_figures_and_highlights_hide_neither_art_nor_paytable(folder: Path) -> None:
    """All four in the same run, and that screens wait for their pictures."""
    change(folder / "pays.py", "-MATHS_VERSION = 1\n+MATHS_VERSION = 2")
    lines = found(folder)
    assert said(lines, "keeps the figures of another maths: run `cabinet figures lagoon`") == 1
    assert said(lines, "keeps the highlights of another maths: run `cabinet highlights lagoon`") == 1
    assert said(lines, "lagoon/1/manifest.json") == 1
    assert said(lines, "3 x jack pays 6 coins at 1 x 1, and the paytable prints 7") == 1
    assert said(lines, "its screens are not drawn where theme or pictures have faults") == 1


def test_without_figures_screens_and_rules_wait_and_all_else_is_named(folder: Path) -> None:
    """Both show figures: that is said, once, in place of a fault for each screen."""
    (folder / figures.FILE).unlink()
    (folder / highlights.FILE).unlink()
    figures.forget()
    lines = found(folder)
    assert said(lines, "figures.json cannot be read") == 1
    assert said(lines, "run `cabinet highlights lagoon`") == 1
    assert said(lines, "lagoon/1/manifest.json") == 1
    assert said(lines, "3 x jack pays 6 coins at 1 x 1, and the paytable prints 7") == 1
    assert said(lines, "its screens are not drawn and its rules not read") == 1
    assert said(lines, "drawing ") == 0


def test_without_maths_art_is_looked_at_and_what_is_held_against_it_waits(folder: Path) -> None:
    """What is left out is said."""
    (folder / "maths.py").write_text("MATHS = 1 / 0\n")
    lines = found(folder)
    assert said(lines, "MATHS cannot be loaded: ZeroDivisionError") == 1
    assert said(lines, "figures, kernel, paytable and rules are looked at once its maths can be loaded") == 1
    assert said(lines, "lagoon/1/manifest.json") == 1


def test_without_a_package_nothing_else_is_looked_at(folder: Path) -> None:
    """It is named, and that no more was done."""
    (folder / "__init__.py").write_text("GAME = 1 / 0\n")
    lines = found(folder)
    assert said(lines, "nothing else can be looked at before its package can be loaded") == 1
