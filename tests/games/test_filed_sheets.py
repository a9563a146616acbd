"""The sheet that regulators are given: from its own text, as HTML and PDF, every return is worked out again."""

import json
from html import escape
from math import sqrt
from pathlib import Path
from statistics import NormalDist

import pytest
from click.testing import CliRunner

from controller.features.designer.par import par
from gamekit.catalogue import folder_of, names
from gamekit.designer.regulator import Heading, Text, rules_and_returns
from gamekit.designer.regulator_html import as_html
from gamekit.designer.regulator_pdf import LetterError, as_pdf
from tests.games import from_filed_sheet, from_sheet, star_quarry_from_sheet, witch_from_sheet
from tests.games.from_filed_sheet import Filed, UnreadableError, constants, tables_of_html, tables_of_pdf
from tests.games.recomputed import RECOMPUTED, filed, kept
from tests.games.sheet_pages import imported_by, percent

pytestmark = pytest.mark.sampled(3)

LONG = {"mona_lisa_jewels", "witch_feature"}
"""Games whose PDF takes more than three seconds of the processor to write and read."""


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
    """Its sentences and tables give every return that it prints."""
    sheet = Filed(filed(name))
    returned = RECOMPUTED[name](sheet)
    assert [percent(returned(row)) for row in sheet.returns] == [row["return %"] for row in sheet.returns]


def test_every_game_s_sheet_is_recomputed() -> None:
    """A new game's too."""
    assert {*RECOMPUTED} == {*names()}


@pytest.mark.parametrize("name", RECOMPUTED)
def test_each_rule_has_its_sentence_and_each_sentence_its_rule(name: str) -> None:
    """Without any one of the steps, and with one more, the sheet cannot be read."""
    steps = kept(name).order
    for place, step in enumerate(steps):
        with pytest.raises(UnreadableError):
            RECOMPUTED[name](Filed(filed(name).replace(f"<td>{escape(step)}</td>", f"<td>{place}</td>")))
    with pytest.raises(UnreadableError):
        RECOMPUTED[name](Filed(filed(name).replace(escape(steps[-1]), f"{escape(steps[-1])} Or else.")))


@pytest.mark.parametrize("name", names())
def test_the_sheet_says_how_far_the_return_of_so_many_plays_lies_from_it(name: str) -> None:
    """The highest bet's, by the normal law from its sigma, and at each bet how often a spin wins more than it.

    Of a game whose plays leave something to the next no such law is said.
    """
    sheet, tables = kept(name), dict(tables_of_html(filed(name)))
    head, *rows = tables["Hit frequency, volatility and largest win of every bet and state"]
    at = head.index("above the bet %")
    assert [row[at] for row in rows] == [f"{100 * bet.above_bet:.6f}" for bet in sheet.bets]
    bands = "Return of so many plays at the highest bet"
    highest = max((bet for bet in sheet.bets if bet.price == 1), key=lambda bet: bet.stake)
    assert (bands in tables) is (not highest.state)
    if highest.state:
        return
    assert highest.sigma is not None
    head, *rows = tables[bands]
    assert head == ["plays", "90 % of the time", "99 % of the time"]
    assert [int(plays.replace(",", "")) for plays, *_ in rows] == [10**power for power in range(3, 8)]
    for plays, *told in rows:
        law = NormalDist(float(highest.rtp_percent), 100 * highest.sigma / sqrt(int(plays.replace(",", ""))))
        for band, share in zip(told, (0.05, 0.005), strict=True):
            low, high = (float(edge) for edge in band.split(" to "))
            assert (low, high) == pytest.approx((max(0, law.inv_cdf(share)), law.inv_cdf(1 - share)), abs=2e-3)


@pytest.mark.parametrize(
    ("name", "said", "read_otherwise", "returns"),
    [
        ("mystery_elves", "each further one counts as MAJOR", "each further one counts as GRAND", "95.012079"),
        ("mystery_elves", "added and not multiplied", "added and multiplied", "96."),
        ("neptune", "give 3, 4, 5 picks", "give 1, 1, 1 picks", ""),
        ("neptune", "drawn from CHEST_TABLE", "drawn from CHESTS_TABLE", None),
        ("mona_lisa_jewels", "for all jewel spins", "for the first alone", ""),
        ("mona_lisa_jewels", "for the ones after it", "for none after it", ""),
        ("mona_lisa_jewels", "stays does not count", "stays counts", ""),
        ("bewitched", "pays as itself too", "pays nothing as itself", ""),
    ],
)
def test_who_reads_a_sentence_otherwise_works_out_another_return(
    name: str, said: str, read_otherwise: str, returns: str | None
) -> None:
    """The sentences are what the returns are worked out from."""
    text = filed(name)
    assert text.count(said) == 1
    sheet = Filed(text.replace(said, read_otherwise))
    if returns is None:
        with pytest.raises(KeyError):
            RECOMPUTED[name](sheet)
        return
    other = percent(RECOMPUTED[name](sheet)(sheet.returns[-1]))
    assert other != sheet.returns[-1]["return %"]
    assert other.startswith(returns)


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
    readers = (from_filed_sheet, from_sheet, witch_from_sheet, star_quarry_from_sheet)
    imported = {name for module in readers for name in imported_by(module)}
    assert {
        name for name in imported if name.split(".")[0] in {"games", "gamekit", "controller", "drivers", "ui", "venue"}
    } == set()
    own = {f"tests.games.{name}" for name in ("from_filed_sheet", "from_sheet")}
    assert {name for name in imported if name.startswith("tests")} <= own


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
