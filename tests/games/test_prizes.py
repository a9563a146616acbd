"""How often each prize comes over the full cycle: the exact figures against other ways to work them out."""

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import msgspec
import pytest
from click.testing import CliRunner

from controller.features.designer.par import par
from gamekit.catalogue import folder_of, load, names
from gamekit.exact.prizes import LINES, SCATTER, WAYS, PrizeHits, line_prizes
from gamekit.lines import LineRules
from gamekit.maths import KnowsPrizes, load_maths
from gamekit.play import Stake
from gamekit.reels import Reels
from games.neptune.pays import LINE_PAYS, MERMAID
from games.star_quarry.pays import PAYS
from games.star_quarry.strips import REELS as QUARRY
from tests.games.sheet_pages import Page
from tests.rigs.draw_statistics import reels_of

NEPTUNE = reels_of("neptune")


def kept(name: str) -> list[PrizeHits]:
    """Return the prizes of the sheet that a game's folder keeps."""
    sheet = json.loads((folder_of(name) / "par.json").read_text("utf-8"))
    return msgspec.convert(sheet["prizes"], list[PrizeHits])


@pytest.mark.parametrize("name", names())
def test_the_kept_sheet_has_each_prize_and_its_hits(name: str) -> None:
    """Every game's maths know them, and what `par.json` has is what they give."""
    maths = load_maths(name)
    assert isinstance(maths, KnowsPrizes)
    assert [*maths.prizes()] == kept(name) != []


@pytest.mark.parametrize("name", [name for name in names() if name != "star_quarry"])
def test_hits_times_pays_are_all_that_a_cycle_pays(name: str) -> None:
    """The prizes add up to the coins of the distribution of a spin's win, which is worked out by other code."""
    maths, game = load_maths(name), load(name)
    stake = Stake(lines=game.line_counts[-1], coins_per_line=1)
    coins = sum(win * ways for win, ways in maths.spin_wins(stake).ways.items())
    paid = {LINES: 1, SCATTER: stake.lines}
    assert coins == sum(prize.hits * prize.pays * paid[prize.on] for prize in kept(name))


def plain_run(cells: tuple[str, ...], wild: str) -> tuple[int, str, int]:
    """Return pay, symbol and count of the best run of one line; of two that pay the same, the longer one."""
    best = (0, "", 0)
    for symbol, by_count in LINE_PAYS.items():
        run = len([*itertools.takewhile(lambda cell: cell in {symbol, wild}, cells)])  # noqa: B023 - called at once
        for count, pay in by_count.items():
            own = symbol if symbol != wild else wild
            if (
                count <= run
                and (pay, count) > (best[0], best[2])
                and (symbol != wild or all(cell == wild for cell in cells[:count]))
            ):
                best = (pay, own, count)
    return best


def test_neptune_s_hits_are_counted_from_its_strips() -> None:
    """By code of this test alone: every combination of five symbols on a line, and of Mermaids in five columns."""
    on_reel = [Counter(strip) for strip in NEPTUNE.strips]
    found: Counter[tuple[str, int]] = Counter()
    for cells in itertools.product(*on_reel):
        pay, symbol, count = plain_run(cells, "neptune")
        if not pay:
            continue
        combinations = 1
        for counts, cell in zip(on_reel, cells, strict=True):
            combinations *= counts[cell]
        found[symbol, count] += combinations * 15  # every row sees each symbol equally often, so lines are alike
    lines = {(prize.symbol, prize.count): prize.hits for prize in kept("neptune") if prize.on == LINES and prize.pays}
    assert found == lines
    shown: Counter[int] = Counter()
    columns = [
        Counter(sum(strip[(stop + row) % len(strip)] == MERMAID for row in range(3)) for stop in range(len(strip)))
        for strip in NEPTUNE.strips
    ]
    for counts in itertools.product(*columns):
        combinations = 1
        for column, count in zip(columns, counts, strict=True):
            combinations *= column[count]
        shown[sum(counts)] += combinations
    scatters = {prize.count: prize.hits for prize in kept("neptune") if prize.on == SCATTER}
    assert scatters == {count: shown[count] for count in scatters}
    assert list(scatters) == [2, 3, 4, 5]


def windows() -> Iterator[tuple[tuple[str, ...], ...]]:
    """Yield every window of a small game."""
    reels = small()
    for stops in itertools.product(*map(range, reels.lengths)):
        yield reels.window(stops)


def small() -> Reels:
    """Return reels of which all combinations can be looked at."""
    return Reels(["WAABB", "AWABC", "AABWC"], 2)


def test_a_small_game_is_counted_window_by_window() -> None:
    """Two lines, a wild that pays itself, and a feature's symbol: each line's highest win, over all windows."""
    rules = LineRules(pays={"W": {2: 9, 3: 50}, "A": {2: 2, 3: 10}, "B": {3: 20}}, wild="W", features={"C": 3})
    found = {(prize.symbol, prize.count): prize.hits for prize in line_prizes(small(), ((0, 0, 0), (1, 0, 1)), rules)}
    counted: Counter[tuple[str, int]] = Counter()
    for window in windows():
        for line in ((0, 0, 0), (1, 0, 1)):
            cells = [column[row] for column, row in zip(window, line, strict=True)]
            wins = [
                (pay, symbol, count)
                for symbol, pays in rules.pays.items()
                for count, pay in pays.items()
                if all(cell == symbol or (cell == "W" and symbol != "W") for cell in cells[:count])
            ]
            if wins:
                counted[max(wins)[1:]] += 1
    assert found == counted


def test_star_quarry_s_ways_are_counted_from_its_strips() -> None:
    """Each symbol's longest run in the window of the stops, way by way, reel by reel."""
    ways = {(prize.symbol, prize.count): prize.hits for prize in kept("star_quarry") if prize.on == WAYS}
    assert set(ways) == {(symbol, count) for symbol, pays in PAYS.items() for count in pays}
    for (symbol, count), hits in ways.items():
        expected = 1
        for reel in range(len(QUARRY.strips)):
            columns = [QUARRY.column(reel, stop) for stop in range(QUARRY.lengths[reel])]
            shown = [sum(cell in {symbol, "comet"} for cell in column) for column in columns]
            expected *= sum(shown) if reel < count else shown.count(0) if reel == count else len(columns)
        assert hits == expected


def test_star_quarry_s_hits_are_those_that_its_return_is_made_of() -> None:
    """The first window's ways, and the beacons of the last one, of which cascades bring more."""
    maths = load_maths("star_quarry")
    stake = maths.stakes[-1]
    parts = {part.name: figure for part, figure in zip(maths.parts, maths.figures(stake, "").parts, strict=True)}
    cycle = maths.spin_wins(stake).combinations
    for part, on, coins in (("ways", WAYS, stake.coins_per_line), ("scatter", SCATTER, stake.coins)):
        paid = sum(prize.hits * prize.pays for prize in kept("star_quarry") if prize.on == on)
        assert parts[part].mean == Fraction(paid * coins, cycle)


def test_the_page_has_the_hits() -> None:
    """Each prize has its row, with its hits as the exact figures have them."""
    page = CliRunner().invoke(par, ["neptune", "--format", "html", "--rounds", "0"]).stdout
    cells = Page(page).cells
    for prize in kept("neptune"):
        row = [prize.on, prize.symbol, str(prize.count), str(prize.pays), f"{prize.hits:,}"]
        assert row in [cells[place : place + 5] for place, cell in enumerate(cells) if cell == prize.on]
