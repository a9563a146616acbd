"""The sheet that regulators are given: from its own text, as HTML and PDF, every return is worked out again."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from controller.commands.par import par
from games.catalogue import folder_of, names
from games.designer.regulator import Heading, Text, rules_and_returns
from games.designer.regulator_html import as_html
from games.designer.regulator_pdf import LetterError, as_pdf
from games.par import ParSheet
from tests.games import from_filed_sheet
from tests.games.from_filed_sheet import constants, returns, tables_of_html, tables_of_pdf
from tests.games.from_sheet import MonaLisa, MysteryElves, Sheet, bewitched, neptune
from tests.games.sheet_pages import imported_by, percent
from tests.games.star_quarry_from_sheet import StarQuarry
from tests.games.witch_from_sheet import WitchFeature

Recomputed = Callable[[Sheet, list[dict[str, str]]], list[Fraction]]

LONG = {"mona_lisa_jewels", "witch_feature"}
"""Games whose PDF takes more than three seconds of the processor to write and read."""


def kept(name: str) -> ParSheet:
    return msgspec.json.decode((folder_of(name) / "par.json").read_bytes(), type=ParSheet)


def by_lines(returned: Callable[[Sheet], Callable[[int, int], Fraction]]) -> Recomputed:
    """Rows whose return goes by their lines and coins."""

    def work_out(sheet: Sheet, rows: list[dict[str, str]]) -> list[Fraction]:
        by_bet = returned(sheet)
        return [by_bet(int(row["lines"]), int(row["coins"])) for row in rows]

    return work_out


def mystery_elves(sheet: Sheet, rows: list[dict[str, str]]) -> list[Fraction]:
    """Rows whose return goes by the price of the spin."""
    elves = MysteryElves(sheet)
    return [elves.returned(int(row["price"])) for row in rows]


RECOMPUTED: dict[str, Recomputed] = {
    "neptune": by_lines(neptune),
    "bewitched": by_lines(bewitched),
    "mona_lisa_jewels": by_lines(lambda sheet: MonaLisa(sheet).returned()),
    "witch_feature": lambda sheet, rows: [WitchFeature(sheet).in_the_long_run()] * len(rows),
    "mystery_elves": mystery_elves,
    "star_quarry": lambda sheet, rows: [StarQuarry(sheet).returned()] * len(rows),
}
"""What each row of a sheet returns by the rules and tables in it, written once more for the test."""


@pytest.mark.parametrize("name", names())
def test_the_sheet_s_own_text_holds_every_constant(name: str) -> None:
    """Its tables, read back, are those of the game."""
    read = constants(tables_of_html(as_html(rules_and_returns(kept(name)))))
    assert read == json.loads((folder_of(name) / "par.json").read_text())["constants"]


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.proof) if name == "star_quarry" else name for name in RECOMPUTED],
)
def test_the_returns_come_out_of_the_sheet_s_own_text(name: str) -> None:
    """Its tables give every return that it prints."""
    tables = tables_of_html(as_html(rules_and_returns(kept(name))))
    rows = returns(tables)
    worked_out = RECOMPUTED[name]({"constants": constants(tables)}, rows)
    assert [percent(one) for one in worked_out] == [row["return %"] for row in rows]


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.proof) if name in LONG else name for name in names()],
)
def test_the_pdf_holds_the_same_tables(name: str) -> None:
    """Every constant is read back from the places of its texts."""
    read = constants(tables_of_pdf(as_pdf(rules_and_returns(kept(name)))))
    assert read == json.loads((folder_of(name) / "par.json").read_text())["constants"]


def test_only_the_sheet_is_read() -> None:
    """No code of the games takes part in reading it."""
    assert {name for name in imported_by(from_filed_sheet) if name.split(".")[0] in {"games", "controller"}} == set()


def test_the_command_writes_html_and_pdf(tmp_path: Path) -> None:
    """Identity, strips, order, odds, near misses, the simulation; another ending than these two is refused."""
    page, filed = tmp_path / "neptune.html", tmp_path / "neptune.pdf"
    for file in (page, filed):
        result = CliRunner().invoke(par, ["neptune", "--sheet", str(file)])
        assert result.exit_code == 0, result.output
        assert result.output == f"wrote {file}\n"
    text = page.read_text()
    sheet = kept("neptune")
    for part in (
        sheet.maths_hash,
        "REELS: window of 3 rows",
        "Near misses",
        "10,000,000 rounds",
        "85,253,760",
        *sheet.order,
    ):
        assert part in text
    assert "http" not in text
    assert filed.read_bytes().startswith(b"%PDF-")
    refused = CliRunner().invoke(par, ["neptune", "--sheet", str(tmp_path / "neptune.doc")])
    assert refused.exit_code == 2
    assert "neither .html nor .pdf" in " ".join(refused.output.split())


def test_the_same_sheet_is_the_same_pdf_and_strange_letters_are_refused() -> None:
    """Its hash may be filed; what its fonts lack is not replaced by something else."""
    blocks = [Heading(1, "A sheet"), Text("words")]
    assert as_pdf(blocks) == as_pdf(blocks)
    with pytest.raises(LetterError, match="write the sheet as HTML"):
        as_pdf([Text("\N{SNOWMAN}")])
