"""PAR sheets as pages, tables and from definition files, as a user asks for them."""

import csv
import io
import json
from fractions import Fraction
from html import escape
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result

from controller.features.designer.par import par
from gamekit.agreement import KEPT
from gamekit.catalogue import folder_of
from gamekit.plots import bars, curve
from games.neptune.maths import MATHS as NEPTUNE
from games.neptune.strips import REELS
from tests.games.sheet_pages import Page

GOLDEN = Path(__file__).parents[2] / "docs" / "par" / "golden.toml"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(par, arguments)


def test_the_page_holds_figures_strips_plots_and_the_simulation() -> None:
    """`--format html` is one well-formed page: order, every bet, strips as played, five plots, the played rounds."""
    result = run("neptune", "--format", "html", "--rounds", "2000")
    assert result.exit_code == 0
    page = Page(result.stdout)
    assert page.open == []
    assert page.plots == 5
    # The return, and what the round itself pays, which is the same where no memory is kept.
    assert page.cells.count("96.560000") == 2 * 75
    assert all(escape(step) in result.stdout for step in NEPTUNE.order)
    assert f"over all {NEPTUNE.base.combinations:,} combinations of stops" in result.stdout
    assert all(" ".join(strip) in page.cells for strip in REELS.strips)
    assert "The play, 2,000 rounds" in result.stdout
    assert 'src="' not in result.stdout


def test_a_page_can_do_without_the_simulation() -> None:
    """With no rounds the page holds the exact figures alone."""
    result = run("neptune", "--format", "html", "--rounds", "0")
    assert result.exit_code == 0
    assert Page(result.stdout).plots == 4
    assert "The play, " not in result.stdout


def test_the_simulation_that_is_kept_stands_on_the_page() -> None:
    """Without `--rounds` the rounds that the folder keeps are beside the exact figures, in HTML, JSON and CSV."""
    page = run("neptune", "--format", "html").stdout
    assert "The play, 10,000,000 rounds" in page
    sheet = json.loads(run("neptune", "--format", "json").stdout)
    kept = json.loads((folder_of("neptune") / KEPT).read_text())
    assert kept["report"] == sheet["played"]
    assert sum(band["ways"] for band in sheet["round_wins"]) == 10_000_000
    played = [row for row in csv.DictReader(io.StringIO(run("neptune", "--format", "csv").stdout)) if row["rounds"]]
    assert [(row["lines"], row["coins_per_line"], row["rounds"]) for row in played] == [("15", "1", "10000000")]
    assert [str(part["simulated"]) for part in sheet["played"]["parts"]] == [
        played[0][f"simulated {part['name']}"] for part in sheet["played"]["parts"]
    ]


def test_what_one_spin_wins_is_printed_by_bands() -> None:
    """The sheet holds the whole cycle for each number of lines, band by band; the CSV has each bet's chances."""
    sheet = json.loads(run("neptune", "--format", "json", "--rounds", "0").stdout)
    assert sheet["played"] is sheet["round_wins"] is None
    assert sheet["constants"]["REELS"]["strips"] == [" ".join(strip) for strip in REELS.strips]
    assert sheet["constants"]["LINE_PAYS"]["neptune"] == [[2, 5], [3, 200], [4, 2000], [5, 7500]]
    assert list(range(1, 16)) == [law["lines"] for law in sheet["spin_wins"]]
    for law in sheet["spin_wins"]:
        assert sum(band["ways"] for band in law["bands"]) == law["combinations"] == NEPTUNE.base.combinations
        edges = [(band["above"], band["up_to"]) for band in law["bands"]]
        assert edges[:4] == [(None, 0), (0, 1), (1, 2), (2, 5)]
        assert edges[-1] == (1000, None)
        returned = sum(Fraction(band["return_percent"]) for band in law["bands"])
        assert abs(returned - Fraction("71.558937")) < Fraction(1, 10**5)
        assert sum(band["chance"] for band in law["bands"][2:]) == pytest.approx(law["above_bet"])
    rows = list(csv.DictReader(io.StringIO(run("neptune", "--format", "csv", "--rounds", "0").stdout)))
    for row, bet in zip(rows, sheet["bets"], strict=True):
        law = sheet["spin_wins"][bet["lines"] - 1]
        assert str(law["bands"][3]["chance"]) == row["spin up to 5 bets"]
        assert str(bet["above_bet"]) == str(law["above_bet"]) == row["above_bet"]


def test_csv_has_a_row_for_each_bet() -> None:
    """`--format csv` is a head and 75 rows of the same length, the return among them."""
    rows = list(csv.DictReader(io.StringIO(run("neptune", "--format", "csv").stdout)))
    assert len(rows) == 75
    assert {row["rtp_percent"] for row in rows} == {"96.560000"}
    assert {row["game"] for row in rows} == {"neptune"}
    assert rows[-1]["stake"] == "75"
    assert None not in rows[0]


def test_the_golden_case_comes_out_of_its_definition_file() -> None:
    """Lines 66.46999, bonus 19.13737, scatter 10.64514, together 96.25251 %, by the command line."""
    result = run("--definition", str(GOLDEN), "--format", "json")
    assert result.exit_code == 0
    sheet = json.loads(result.stdout)
    assert sheet["rtp_percent"] == "96.252505"
    assert sheet["parts"] == {"lines": "66.469989", "bonus": "19.137373", "scatter": "10.645143"}
    assert sheet["combinations"] == 47 * 46 * 48 * 50 * 50
    assert "total: 96.252505 %" in run("--definition", str(GOLDEN)).stdout


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('mean = "331"', 'mean = "many"', "bonus.mean"),
        ("gull = [5, 6, 5, 6, 6]", "gull = [5, 6]", "give every symbol a number for each reel"),
        ("gull = [5, 6, 5, 6, 6]", "", "gull pays or counts but is on no reel"),
        ("rows = 3", 'rows = "three"', "rows"),
        ("rows = 3", "rows = 3\nlines = 15", "lines"),
    ],
)
def test_a_wrong_definition_says_what_is_wrong(tmp_path: Path, old: str, new: str, message: str) -> None:
    """A file that is no definition is refused with its name and the key."""
    path = tmp_path / "wrong.toml"
    path.write_text(GOLDEN.read_text().replace(old, new, 1))
    result = run("--definition", str(path))
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert "wrong.toml" in result.stderr


@pytest.mark.parametrize(
    "arguments", [(), ("neptune", "--definition", str(GOLDEN)), ("--definition", str(GOLDEN), "--format", "html")]
)
def test_one_game_or_one_definition(arguments: tuple[str, ...]) -> None:
    """Neither nothing nor both can be proved, and a definition has no page."""
    assert run(*arguments).exit_code == 2


def test_bars_are_as_long_as_their_values() -> None:
    """A value half as large has a bar half as long; names are escaped; nothing below 0 is drawn."""
    drawn = ET.fromstring(bars("a < b", [("one & two", 2.0), ("half", 1.0), ("less", -1.0)]))  # noqa: S314  # our own
    widths = [float(rect.attrib["width"]) for rect in drawn.iter("rect")]
    assert widths[0] == 2 * widths[1] > 0
    assert widths[2] == 0
    assert [text.text for text in drawn.iter("text")][:2] == ["a < b", "one & two"]


def test_a_curve_rises_with_its_points() -> None:
    """Higher values are higher, which is a smaller y; a curve through nothing is refused."""
    drawn = ET.fromstring(curve("c", [(1.0, 1.0), (2.0, 3.0), (3.0, 2.0)], "x", "y"))  # noqa: S314  # our own
    (line,) = drawn.iter("polyline")
    heights = [float(point.split(",")[1]) for point in line.attrib["points"].split()]
    assert heights[1] < heights[2] < heights[0]
    with pytest.raises(ValueError, match="needs a point"):
        curve("c", [], "x", "y")


def test_a_terminal_sees_how_far_a_sheet_is() -> None:
    """A bar for the rounds played, the distributions and the bets, beside the sheet and not in it; none in a pipe."""
    arguments = ["neptune", "--format", "csv", "--rounds", "2000"]
    seen = CliRunner(env={"FORCE_COLOR": "1", "TERM": "xterm"}).invoke(par, arguments)
    assert seen.exit_code == 0
    for step in ("rounds played", "distributions of one spin", "bets and states"):
        assert step in seen.stderr
        assert step not in seen.stdout
    piped = run(*arguments)
    assert piped.stdout == seen.stdout
    assert piped.stderr == ""
