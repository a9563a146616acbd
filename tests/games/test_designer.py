"""A designer's figures: laws, sessions, droughts, near misses, sensitivities, held against what is enumerated."""

import csv
import io
import json
import random
import re
import shutil
import sys
from contextlib import redirect_stdout
from decimal import Decimal
from fractions import Fraction
from io import StringIO
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from controller.features.designer.par import par
from controller.features.designer.par_files import print_comparison
from gamekit import charts
from gamekit.catalogue import folder_of, names
from gamekit.charts import Axis, Cell, Series
from gamekit.chunks import Run
from gamekit.designer.comparing import Row, compare
from gamekit.designer.figures import DesignSheet
from gamekit.designer.law import NoLawError, PlayLaw, exact_law, lasting, quantile
from gamekit.designer.sample import Sample, recorded
from gamekit.designer.sensitivity import sensitivity
from gamekit.designer.variants import changed, strips_of, weights_of, with_strips
from gamekit.designer.working_out import interval
from gamekit.exact.near_misses import line_miss, window_miss
from gamekit.maths import KnowsMean, KnowsMisses, load_maths
from gamekit.par import ParSheet, percent
from gamekit.reels import Reels
from gamekit.simulate import play_rounds, seeded_draw
from gamekit.tuning.measure import on_reels
from games.neptune.maths import MATHS as NEPTUNE
from games.neptune.pays import CHEST_TABLE
from games.neptune.strips import REELS
from tests.games.sheet_pages import Page

LAW = PlayLaw(2, np.array([0.5, 0.2, 0.1, 0.1, 0.0, 0.0, 0.0, 0.1]))


def outcomes(plays: int) -> dict[tuple[int, ...], float]:
    """Every row of wins, with its chance."""
    wins = {coins: float(chance) for coins, chance in enumerate(LAW.chances) if chance}
    return {row: float(np.prod([wins[coins] for coins in row])) for row in product(wins, repeat=plays)}


def test_a_session_is_the_sum_of_its_plays() -> None:
    """The law of four plays is that of all rows of four wins."""
    sums = LAW.sum_of(4)
    for coins in range(30):
        assert sums[coins] == pytest.approx(
            sum(chance for row, chance in outcomes(4).items() if sum(row) == coins), abs=1e-12
        )
    assert quantile(sums, 0.5) == 5


def test_a_budget_lasts_as_long_as_it_pays_for_the_next_play() -> None:
    """A budget of two bets, followed over all rows of five plays; one that pays for all of them lasts."""
    lasts = lasting(LAW, 2, 5)
    for plays in range(6):
        expected = 0.0
        for row, chance in outcomes(5).items():
            balance, played = 4, 0
            for coins in row:
                if balance < LAW.bet:
                    break
                balance, played = balance - LAW.bet + coins, played + 1
            expected += chance * (played >= plays)
        assert lasts[plays] == pytest.approx(expected, abs=1e-12)
    assert set(lasting(LAW, 5, 5)) == {1.0}


def test_the_law_of_a_play_is_the_maths_own() -> None:
    """Neptune's has the exact mean and sigma; a game with a memory, or whose law leaves wins out, has none."""
    stake = NEPTUNE.stakes[0]
    figures = NEPTUNE.figures(stake, "")
    law = exact_law(NEPTUNE, stake, figures.mean)
    assert law.mean == pytest.approx(float(figures.mean), rel=1e-6)
    assert figures.variance is not None
    assert law.sigma**2 == pytest.approx(float(figures.variance), rel=1e-4)
    with pytest.raises(NoLawError, match="returns"):
        exact_law(NEPTUNE, stake, 2 * figures.mean)
    for name, why in (("witch_feature", "memory"), ("mona_lisa_jewels", "leaves out queens")):
        maths = load_maths(name)
        with pytest.raises(NoLawError, match=why):
            exact_law(maths, maths.stakes[0], Fraction(1))


def test_rounds_are_counted_as_they_were_played() -> None:
    """Sessions, budgets and waits of rounds that are written down; waits go on over the end of a chunk."""
    sample = Sample(2)
    rows = np.array([(0, 0), (7, 1), (0, 0), (0, 2), (0, 0), (1, 1)])
    sample.add(rows, (2, 3), 1, 2)
    sample.add(rows, (2, 3), 1, 2)
    assert sample.rounds == 12
    assert sample.wins == {0: 8, 1: 2, 7: 2}
    assert sample.sessions == {2: [7, 0, 1] * 2, 3: [7, 1] * 2}
    assert sample.lasted == [1, 1, 1, 1]
    assert sample.waits == {0: [4, 2, 4], 1: [6]}


def test_the_production_code_is_recorded_round_by_round() -> None:
    """The rows of a chunk add up to its tally."""
    run = Run.of("neptune", NEPTUNE.stakes[-1], 4, None)
    rows = recorded(run, 0, None, 500)
    assert rows.shape == (500, 2)
    seen: list[tuple[int, int]] = []
    source = random.Random("4:0")
    tally = play_rounds(
        NEPTUNE, run.stake, seeded_draw(source), 500, each=lambda coins, shown: seen.append((coins, shown))
    )
    assert rows.tolist() == [list(row) for row in seen]
    assert rows[:, 0].sum() == sum(tally.sums)
    assert [(rows[:, 1] >> place & 1).sum() for place in range(2)] == tally.triggers


EVERY_GAME = [pytest.param(name, marks=pytest.mark.proof) if name == "star_quarry" else name for name in names()]
"""Star Quarry's full cycle takes nine seconds; small games of cascades are in `test_declared_games.py`."""


@pytest.mark.parametrize("name", EVERY_GAME)
def test_a_mean_is_that_of_the_sheet(name: str) -> None:
    """What sensitivities are worked out from gives the kept sheet's return at every bet and state."""
    maths = load_maths(name)
    sheet = msgspec.json.decode((folder_of(name) / "par.json").read_bytes(), type=ParSheet)
    assert isinstance(maths, KnowsMean)
    every = [(stake, state) for stake in maths.stakes for state in maths.states]
    for (stake, state), bet in zip(every, sheet.bets, strict=True):
        if stake.price == 1 and state == maths.states[0] and stake.coins_per_line in {1, 10}:
            assert percent(maths.mean(stake, state) / stake.coins) == bet.rtp_percent


@pytest.mark.parametrize("name", EVERY_GAME)
def test_a_feature_is_met_as_often_as_the_sheet_says(name: str) -> None:
    """Where windows alone decide, near misses and triggers are of the same spins."""
    maths = load_maths(name)
    assert isinstance(maths, KnowsMisses)
    triggers = json.loads((folder_of(name) / "par.json").read_text())["triggers"]
    for miss in maths.near_misses(maths.stakes[-1]):
        assert 0 < miss.missed < 1
        # Mona Lisa's jewel spins win free spins too; five jackpots on two lines at once count twice.
        if (name, miss.name) not in {("mona_lisa_jewels", "free_spins"), ("mona_lisa_jewels", "five_jackpots")}:
            assert float(miss.met) == pytest.approx(triggers[miss.name], rel=1e-12)


def test_near_misses_are_those_of_all_windows() -> None:
    """Every combination of stops of small reels is looked at."""
    reels = Reels([list("abacc"), list("abcab"), list("bcacc")], 2)
    miss = window_miss("a", reels, "a", 3)
    stops = list(product(*map(range, reels.lengths)))
    shown = [sum(column.count("a") for column in reels.window(stop)) for stop in stops]
    assert miss.met == Fraction(sum(count >= 3 for count in shown), len(stops))
    assert miss.missed == Fraction(sum(count == 2 for count in shown), len(stops))
    before = [sum(column.count("a") for column in reels.window(stop)[:2]) for stop in stops]
    assert miss.suspense == Fraction(sum(count == 2 for count in before), len(stops))


def test_a_line_misses_by_one() -> None:
    """Two treasures from reel 1 on one line of Neptune, and no third: by the strips' own counts."""
    spin = NEPTUNE.base
    chances = [Fraction(strip.count("treasure"), len(strip)) for strip in REELS.strips]
    miss = line_miss("treasure", spin, "treasure", 3, 1)
    assert miss.met == chances[0] * chances[1] * chances[2]
    assert miss.missed == chances[0] * chances[1] * (1 - chances[2])


def test_a_changed_strip_is_played_by_the_whole_game() -> None:
    """The variant's return is that of a line game on such reels; afterwards the modules are those of before."""
    ((constant, strips),) = strips_of("neptune")
    assert [one.name for one, _ in weights_of("neptune")] == ["CHEST_TABLE"]
    shorter = [strips[0][1:], *strips[1:]]
    before = {name: module for name, module in sys.modules.items() if name.startswith("games.neptune")}
    with changed("neptune", constant, with_strips(constant, shorter)) as maths:
        assert isinstance(maths, KnowsMean)
        stake = maths.stakes[-1]
        assert maths.mean(stake, "") == on_reels(NEPTUNE, Reels(shorter, REELS.rows)).mean(stake, "")
    assert {name: module for name, module in sys.modules.items() if name.startswith("games.neptune")} == before
    assert load_maths("neptune") is NEPTUNE


def test_strips_of_witch_feature_are_changed_where_they_are_written() -> None:
    """Free and paid windows follow from the paid strips: those are changed, not what is made of them."""
    assert [one.name for one, _ in strips_of("witch_feature")] == ["PAID_STRIPS", "RESPIN_REELS", "HIGH_REELS"]
    found = [one.name for one, _ in weights_of("bewitched")]
    assert found == ["MONEY_WEIGHTS", "SPINS_WEIGHTS"]


def test_what_takes_too_long_is_left_out_and_named() -> None:
    """Without time only the tables' first figures are worked out, and none is shown."""
    found = sensitivity(NEPTUNE, 0.0)
    (strips,), (table,) = found.strips, found.tables
    assert strips.stops == table.weights == []
    assert strips.left_out.startswith("stops removed: ")
    assert "weights at" in table.left_out


def test_one_more_of_a_weight_changes_the_mean_of_its_table() -> None:
    """Neptune's chests: the return changes as the chests' mean does."""
    table = sensitivity(NEPTUNE, 1.0).tables[0]
    own = CHEST_TABLE.mean
    share = NEPTUNE.figures(NEPTUNE.stakes[-1], "").parts
    chests = (share[2].mean + share[5].mean) / NEPTUNE.stakes[-1].coins
    for row in table.weights:
        amount = int(row.amount)
        more = (own * CHEST_TABLE.total + amount) / (CHEST_TABLE.total + 1)
        assert row.change == pytest.approx(float(100 * chests * (more - own) / own), rel=1e-9)


def test_an_interval_holds_what_was_counted() -> None:
    """Wilson's, and none around an exact chance."""
    assert interval(0.5, 0).low is None
    found = interval(0.0, 100)
    assert found.low == pytest.approx(0, abs=1e-15)
    assert found.high == pytest.approx(0.0370, abs=1e-4)


def written(place: Path) -> Path:
    """Write Neptune's page beside another version, whose reel 1 has a ten for a jack, without sensitivities."""
    other = place / "old" / "games" / "neptune"
    shutil.copytree(folder_of("neptune"), other, ignore=shutil.ignore_patterns("display", "__pycache__"))
    strips = other / "strips.py"
    strips.write_text(strips.read_text().replace("QXAKXTNKBCKJQXJ", "QXAKXTNKBCKJQXX"))
    page = place / "page.html"
    arguments = ["neptune", "--html", str(page), "--limit", "0", "--against", str(place / "old")]
    result = CliRunner().invoke(par, arguments)
    assert result.exit_code == 0, result.output
    assert str(page.with_suffix(".csv")) in result.output
    return page


@pytest.mark.proof
def test_the_page_holds_two_versions_and_needs_nothing_from_outside(tmp_path: Path) -> None:
    """Well-formed, plots with captions, differences marked; JSON and CSV have the plots' points; JSON compares too."""
    page = written(tmp_path)
    whole(page.read_text())
    files_agree(page)
    refused_and_equal(page)


def whole(text: str) -> None:
    """The page has no address in it; every plot of its own has a caption; what differs is marked."""
    page = Page(text)
    assert page.open == []
    # Those of the plain sheet: spins and rounds by size.
    assert page.plots == text.count("<figcaption>") + 2
    assert "http" not in text
    assert "src=" not in text
    assert "Exact, from the strips." in text
    assert "left out: stops removed" in text
    for marked in ("96.560000", "96.727326", "-0.167326", "+1"):
        assert f"<mark>{marked}</mark>" in text
    assert "REELS, reel 1, number of jack" in text
    assert "return of all 75 bets and states, %" in text


def files_agree(page: Path) -> None:
    """Neptune's sessions and droughts; both files hold the same points."""
    sheet = msgspec.json.decode(page.with_suffix(".json").read_bytes(), type=DesignSheet)
    assert [session.plays for session in sheet.sessions] == [100, 500, 2000]
    assert sheet.wins.exact
    assert sum(band.chance.chance for band in sheet.wins.bands) == pytest.approx(1)
    assert sum(band.return_percent for band in sheet.wins.bands) == pytest.approx(96.56, abs=1e-4)
    free = next(one for one in sheet.droughts if one.name == "free_spins")
    chance = sheet.par.triggers["free_spins"]
    assert (1 - chance) ** free.quantiles["90"] <= 0.1 < (1 - chance) ** (free.quantiles["90"] - 1)
    rows = list(csv.DictReader(io.StringIO(page.with_suffix(".csv").read_text())))
    tail = [float(row["y"]) for row in rows if row["plot"] == "chance to win so many bets or more"]
    assert tail == [point.reached.chance for point in sheet.wins.tail]
    assert {row["maths_hash"] for row in rows} == {sheet.par.maths_hash}


def refused_and_equal(page: Path) -> None:
    """A version's own JSON differs in nothing, as text; a JSON of another game, or of none, is refused."""
    result = CliRunner().invoke(par, ["neptune", "--against", str(page.with_suffix(".json"))])
    assert result.exit_code == 0
    assert result.output.splitlines()[-1].startswith("0 of the ")
    for place, why in ((folder_of("bewitched") / "par.json", "is of bewitched"), (page, "is no PAR sheet")):
        refused = CliRunner().invoke(par, ["neptune", "--against", str(place)])
        assert refused.exit_code == 2
        assert why in " ".join(refused.output.split())


def test_games_of_different_parts_are_compared() -> None:
    """What only one of them has is shown with a dash."""
    one, two = (
        msgspec.json.decode((folder_of(name) / "par.json").read_bytes(), type=ParSheet)
        for name in ("neptune", "bewitched")
    )
    rows = {row.what: row for row in compare("other", one, two, None, None).rows}
    assert rows["merlin, one in"].this == "-"
    assert rows["CHEST_TABLE, weight of 100"].other == "-"


def test_every_entry_of_every_constant_is_compared_whole(tmp_path: Path) -> None:
    """One number changed in any constant of any game is a row of its own, marked and counted, as is nothing else."""
    for name in names():
        sheet = (folder_of(name) / "par.json").read_bytes()
        one = msgspec.json.decode(sheet, type=ParSheet)
        entries = numbers(one.constants)
        assert entries
        for number, place in enumerate(entries):
            other = msgspec.json.decode(sheet, type=ParSheet)
            at: Any = other.constants
            for key in place[:-1]:
                at = at[key]
            at[place[-1]] += 1
            (row,) = [row for row in compare("other", one, other, None, None).rows if row.different]
            assert row.what.startswith(str(place[0])), row
            assert row.this != row.other
            if number == 0:
                file = tmp_path / f"{name}.json"
                file.write_bytes(msgspec.json.encode(other))
    result = CliRunner().invoke(par, ["neptune", "--against", str(tmp_path / "neptune.json")])
    assert result.output.splitlines()[-1].startswith("1 of the ")


def test_entries_in_another_order_are_a_difference() -> None:
    """The order in which a table is drawn from is part of the maths: it is a row, though each entry is the same."""
    sheet = (folder_of("neptune") / "par.json").read_bytes()
    one, other = (msgspec.json.decode(sheet, type=ParSheet) for _ in range(2))
    table: Any = other.constants["CHEST_TABLE"]
    table["weights"].reverse()
    (row,) = [row for row in compare("other", one, other, None, None).rows if row.different]
    assert row.what == "CHEST_TABLE, order of entries"


def numbers(value: object, place: tuple[int | str, ...] = ()) -> list[tuple[int | str, ...]]:
    """Return the places of all whole numbers in `value` but for keys of tables, rows of lines and sums."""
    found: list[tuple[int | str, ...]] = []
    if isinstance(value, dict):
        for key, entry in value.items():
            found += [(*place, key)] if type(entry) is int and key != "total" else numbers(entry, (*place, key))
    elif isinstance(value, list) and value and all(isinstance(entry, list) and len(entry) == 2 for entry in value):
        for index, (_, entry) in enumerate(value):
            found += [(*place, index, 1)] if type(entry) is int else numbers(entry, (*place, index, 1))
    return found


@pytest.mark.parametrize("name", names())
def test_a_comparison_can_be_read(name: str) -> None:
    """At most 120 columns, no cell cut, no decimals that mean nothing, and a difference of what from what."""
    one, two = (
        msgspec.json.decode((folder_of(game) / "par.json").read_bytes(), type=ParSheet) for game in (name, "neptune")
    )
    compared = compare("a version in a folder with a long name", one, two, None, None)
    with redirect_stdout(StringIO()) as said:
        print_comparison(compared)
    text = said.getvalue()
    assert max(map(len, text.splitlines())) <= 120
    assert "…" not in text
    assert "a difference is this version's figure less the other's" in text.splitlines()[0]
    for row in compared.rows:
        assert not re.search(r"\.0+$", f"{row.this} {row.other}") or "%" in row.what, row
        assert not row.difference or row.difference == difference(row)


def difference(row: Row) -> str:
    """Return what `row.this` less `row.other` is, with as many decimals as the row gives."""
    one, two = (Decimal(words.replace(",", "")) for words in (row.this, row.other))
    return f"{one - two:+,}"


def test_a_chart_has_axes_ticks_and_a_caption() -> None:
    """On a logarithmic axis equal factors are equally far apart; nothing to draw is refused."""
    drawn = charts.lines(
        "t < u",
        [Series("s", [(1, 1), (10, 0.1), (100, 0.01)])],
        Axis("bets", log=True),
        Axis("chance", log=True),
        "how",
    )
    figure = ET.fromstring(drawn)  # noqa: S314  # our own
    (line,) = figure.iter("polyline")
    places = [tuple(map(float, point.split(","))) for point in line.attrib["points"].split()]
    assert places[1][0] - places[0][0] == pytest.approx(places[2][0] - places[1][0], abs=0.2)
    assert places[0][1] < places[1][1] < places[2][1]
    texts = [text.text for text in figure.iter("text")]
    assert {"t < u", "bets", "chance", "1", "10", "100", "0.01"} <= set(texts)
    assert [caption.text for caption in figure.iter("figcaption")] == ["how"]
    with pytest.raises(ValueError, match="needs a point"):
        charts.lines("t", [Series("s", [])], Axis("x"), Axis("y"), "")


def test_bars_say_large_numbers_in_full_and_inside_the_plot() -> None:
    """Bewitched's jackpot waits 153,505 plays: no exponent, and nothing is cut off at the right."""
    drawn = charts.bars_beside("t", ["a", "b"], [("s", [153505.0, 4.69807])], " plays", "how")
    figure = ET.fromstring(drawn)  # noqa: S314  # our own
    shown = {text.text: float(text.attrib["x"]) for text in figure.iter("text") if "x" in text.attrib}
    assert {"153,505 plays", "4.6981 plays"} <= set(shown)
    (width,) = {drawing.attrib["viewBox"].split()[2] for drawing in figure.iter() if "viewBox" in drawing.attrib}
    assert shown["153,505 plays"] + 7 * len("153,505 plays") < float(width)


def test_a_heat_map_says_what_each_cell_is() -> None:
    """Up, down and unknown are told apart by class; long rows wrap; each cell has a hint."""
    cells = [Cell("a", 1.0, "up"), Cell("b", -0.5, "down"), Cell("c", None, "none"), *[Cell("d", 0.0, "same")] * 50]
    figure = ET.fromstring(charts.heat("h", [("reel 1", cells)], " points", "how"))  # noqa: S314  # our own
    kinds = [rect.attrib["class"] for rect in figure.iter("rect")][:3]
    assert kinds == ["heat up", "heat down", "heat none"]
    assert len({rect.attrib["y"] for rect in figure.iter("rect")}) == 3
    assert [title.text for title in figure.iter("title")][1:4] == ["up", "down", "none"]
