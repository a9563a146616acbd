"""Mona Lisa Jewels' return: the required figures at every bet, and figures that the production play bears out."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from gamekit.agreement import judge
from gamekit.exact.definition import PickRules, ScatterRules, SpinDefinition, count_symbols
from gamekit.exact.moments import SpinAnalysis
from gamekit.exact.runs import START, Runs, State
from gamekit.lines import LineRules
from gamekit.maths import BeatRules
from gamekit.par import bet_sheet, percent, square_root
from gamekit.play import Stake
from gamekit.reels import Reels
from gamekit.simulate import play_rounds, seeded_draw
from games.mona_lisa_jewels import GAME
from games.mona_lisa_jewels.extremes import held_columns, largest_with_jewel_spins
from games.mona_lisa_jewels.jewels import TRIGGERS, holdable, overlay
from games.mona_lisa_jewels.maths import MATHS, held_counts, locked_rows
from games.mona_lisa_jewels.moments import LockedMoments
from games.mona_lisa_jewels.pays import JEWEL, LINE_PAYS, LINES, MONA_LISA, PALETTE_PAYS
from games.mona_lisa_jewels.strips import REELS

HIGHEST = Stake(lines=25, coins_per_line=10)


@pytest.mark.proof
def test_every_bet_below_the_highest_returns_94_30_percent() -> None:
    """All 249 bets below the highest return the same 94.299614 %, whatever lines and coins."""
    below = [stake for stake in GAME.stakes() if stake != HIGHEST]
    returns = {sum((part.mean for part in MATHS.part_figures(stake)), Fraction(0)) / stake.coins for stake in below}
    assert len(below) == 249
    assert [percent(share) for share in returns] == ["94.299614"]


def test_the_highest_bet_returns_94_60_percent_with_the_pool_at_its_seed() -> None:
    """25 lines of ten coins return 94.596995 %, and 0.50 % more with the growth of a pool of such bets."""
    sheet = bet_sheet(MATHS, HIGHEST, "")
    assert (sheet.rtp_percent, sheet.rtp_with_growth_percent) == ("94.596995", "95.096995")


def test_a_bet_that_cannot_win_the_pool_returns_none_of_its_growth() -> None:
    """Below the highest bet the return with growth is the return without it."""
    sheet = bet_sheet(MATHS, Stake(lines=2, coins_per_line=10), "")
    assert sheet.rtp_percent == sheet.rtp_with_growth_percent == "94.299614"
    assert list(sheet.parts) == [part.name for part in MATHS.parts]


def test_the_jackpot_by_bet() -> None:
    """At the highest bet the pool falls once in 61,873 rounds; below it is not among the triggers."""
    assert round(1 / MATHS.figures(HIGHEST, "").triggers["pool"]) == 61_873
    assert "pool" not in MATHS.figures(Stake(lines=1, coins_per_line=10), "").triggers


@pytest.mark.parametrize("reel", [1, 2, 3, 4])
@pytest.mark.parametrize("row", [0, 1, 2])
def test_held_cells_are_counted_as_they_fall(reel: int, row: int) -> None:
    """Over all triples of stops, a cell of the jewel spins shows what the closed form says, in every row."""
    length = REELS.lengths[reel]
    columns = [REELS.column(reel, stop) for stop in range(length)]
    empty = ("",) * REELS.rows
    first: Counter[str] = Counter()
    second: Counter[str] = Counter()
    landed = Counter(columns)
    for base in columns:
        after = Counter(overlay((empty, column), holdable((empty, base)))[1] for column in columns)
        for column, ways in after.items():
            first[column[row]] += ways
            held = holdable((empty, column))
            for last, stops in landed.items():
                second[overlay((empty, last), held)[1][row]] += ways * stops
    counts = count_symbols(REELS)[reel]
    assert first == held_counts(counts, 1)
    assert second == held_counts(counts, 2)


def test_every_row_of_the_locked_reel_is_worth_the_same() -> None:
    """The row rule, on which equal returns at every number of lines rest."""
    assert locked_rows()[0] == locked_rows()[1] == locked_rows()[2]


def test_wilds_in_a_run_are_counted_exactly() -> None:
    """The automaton's worth of a line with multiplying wilds is that of the line read cell by cell."""
    rules = LineRules(pays={"A": {2: 1, 3: 10}, "B": {3: 5}}, wild="W")
    runs = Runs(rules, rules.pays, "ABWX", (2, 3))
    for cells in product("ABX", "ABWX", "ABWX"):
        run = next((n for n in range(1, 3) if cells[n] not in {cells[0], "W"}), 3)
        multiplier = (1, 2, 3)[min(cells[:run].count("W"), 2)]
        expected = rules.pays.get(cells[0], {}).get(run, 0) * multiplier
        state: State = START
        length = 0
        for cell in cells:
            after = runs.step(state, cell)
            if after is None:
                break
            state, length = after, length + 1
        assert expected == runs.worth(state, length)


def test_multiplying_wilds_may_not_pay_of_their_own() -> None:
    """Which of a line's wins would be multiplied is not defined, so such rules are refused."""
    rules = LineRules(pays={"W": {3: 5}, "A": {3: 1}}, wild="W")
    with pytest.raises(ValueError, match="pays of its own"):
        Runs(rules, rules.pays, "AW", (2,))


def every_win_of_one_line(*, free: bool) -> Counter[int]:
    """Return the ways to each win of one line with its palettes, over a spin that locks reel 1 and its jewel spins."""
    wins: Counter[int] = Counter()
    for stop in TRIGGERS:
        symbol = REELS.column(0, stop)[LINES[0][0]]
        # For each spin: cells run through, wilds in them, whether the run has ended, palettes.
        states: Counter[tuple[tuple[int, int, bool, int], ...]] = Counter({((1, 0, False, 0),) * 3: 1})
        for reel in range(1, 5):
            going: Counter[tuple[tuple[int, int, bool, int], ...]] = Counter()
            shown: Counter[tuple[tuple[str, int], ...]] = Counter()
            for columns, ways in held_columns(reel).items():
                shown[tuple((column[LINES[0][reel]], column.count("palette")) for column in columns)] += ways
            for state, ways in states.items():
                for cells, stops in shown.items():
                    after = []
                    for (length, wilds, ended, seen), (cell, palettes) in zip(state, cells, strict=True):
                        goes_on = not ended and cell in {symbol, MONA_LISA}
                        run = (length + goes_on, wilds + (goes_on and cell == MONA_LISA), not goes_on)
                        after.append((*run, seen + palettes))
                    going[tuple(after)] += ways * stops
            states = going
        for state, ways in states.items():
            win = 0
            for spin, (length, wilds, _, palettes) in enumerate(state):
                times = (1, 2, 4, 8, 8)[wilds] if free and not spin else 1
                win += LINE_PAYS[symbol].get(length, 0) * times + PALETTE_PAYS.get(palettes, 0)
            wins[win] += ways
    return wins


@pytest.mark.proof
@pytest.mark.parametrize(("free", "most"), [(False, 800), (True, 2550)])
def test_the_largest_win_of_one_line_is_found(*, free: bool, most: int) -> None:
    """The search finds what trying every way of reels 2 to 5 through three spins finds, and as often."""
    wins = every_win_of_one_line(free=free)
    found = largest_with_jewel_spins(1, free=free)
    assert most == max(wins) == found.coins
    assert Fraction(wins[most], 35 * 35**12) == found.chance


def test_the_best_free_spin_is_named() -> None:
    """At the highest bet it is one with jewel spins: 140,000 coins, more than any without and any paid spin."""
    best = MATHS.best_free_spin(HIGHEST)
    assert best.coins == 140_000
    assert 0 < best.chance < Fraction(1, 10**17)


@pytest.mark.parametrize("spins", [(0, 1), (1, 2), (2, 2)])
def test_the_products_of_locked_spins_are_those_of_the_full_cycle(spins: tuple[int, int]) -> None:
    """On payline 1, the product of its wins in two spins is that of all triples of stops of each reel, one by one."""
    ways: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter(
        ((REELS.column(0, stop)[1],),) * 2 for stop in TRIGGERS
    )
    for reel in range(1, 5):
        shown = cells_in_spins(reel, spins)
        going: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter()
        for (left, right), count in ways.items():
            for (a, b), stops in shown.items():
                going[(*left, a), (*right, b)] += count * stops
        ways = going
    total = sum(
        count * plain_win(left, multiplied=spins[0] == 0) * plain_win(right, multiplied=spins[1] == 0)
        for (left, right), count in ways.items()
    )
    assert Fraction(total, 35 * 35**12) == LockedMoments(1, free=True).lines(*spins)


def cells_in_spins(reel: int, spins: tuple[int, int]) -> Counter[tuple[str, str]]:
    """Return what the middle cell of `reel` shows in two of the three spins, jewels and wilds by name."""
    columns = [REELS.column(reel, stop)[1] for stop in range(35)]
    tally: Counter[tuple[str, str]] = Counter()
    kept = {JEWEL, MONA_LISA}
    for stops in product(Counter(columns).items(), repeat=3):
        cells = [symbol for symbol, _ in stops]
        for spin in (1, 2):
            if cells[spin - 1] in kept:
                cells[spin] = cells[spin - 1]
        named = [cell if cell in kept | {"queen"} else "other" for cell in cells]
        tally[named[spins[0]], named[spins[1]]] += stops[0][1] * stops[1][1] * stops[2][1]
    return tally


def plain_win(cells: Sequence[str], *, multiplied: bool) -> int:
    """Return what a line that shows `cells` pays, read cell by cell."""
    run = next((n for n in range(1, 5) if cells[n] not in {cells[0], MONA_LISA}), 5)
    wilds = cells[:run].count(MONA_LISA)
    return LINE_PAYS[cells[0]].get(run, 0) * ((1, 2, 4, 8, 8)[wilds] if multiplied else 1)


def test_sigma_is_that_of_the_played_game() -> None:
    """At the highest bet a round's sigma is 4.1827 bets; the parts' means add up to the round's exactly."""
    figures = MATHS.round_figures(25, 5000)
    assert sum(part.mean for part in figures.parts()) == figures.total.mean
    assert f"{float(square_root(figures.total.variance)) / 25:.4f}" == "4.1827"


def test_no_beat_belongs_to_two_parts() -> None:
    """Every beat that pays has one part in each phase, and all four phases are known."""
    assert set(BeatRules.of(MATHS).rules) == {"base", "jewels", "free", "free_jewels"}


@pytest.mark.parametrize("stake", [HIGHEST, Stake(lines=3, coins_per_line=2)])
def test_the_played_game_agrees_with_the_exact_one(stake: Stake) -> None:
    """Forty thousand rounds of the production play lie inside the jointly 99.99 % intervals, part by part."""
    tally = play_rounds(MATHS, stake, seeded_draw(Random(7)), 40_000)
    report = judge(MATHS, stake, tally, seed=7)
    assert [part.name for part in report.parts if part.alarm] == []


def test_this_maths_version_has_this_hash() -> None:
    """Changing strips, pays, lines or jackpot needs a new maths version: recorded rounds are replayed by it."""
    assert (GAME.maths_version, GAME.maths_hash) == (
        1,
        "2acd0454110d33010b281c4dd234ba1e0797396d18aef675e1cac0e8a9ec4a39",
    )


def test_moments_with_multiplying_wilds_are_those_of_the_full_cycle() -> None:
    """Where wilds multiply, mean and square of two lines' wins equal those of all stop combinations played out."""
    reels = Reels([list("ABAAX"), list("AWBXA"), list("WABXW")], 3)
    rules = LineRules(pays={"A": {2: 1, 3: 10}, "B": {3: 5}}, wild="W")
    rows = ((1, 1, 1), (0, 1, 2))
    spin = SpinDefinition(
        counts=count_symbols(reels),
        rows=3,
        lines=rows,
        rules=rules,
        scatter=ScatterRules(symbol="S", pays={}),
        picks=PickRules(name="none", picks={}, mean=Fraction(0)),
        wild_multipliers=(2, 4),
        reels=reels,
    )
    wins = []
    for stops in product(range(5), repeat=3):
        win = 0
        for line in rows:
            cells = [column[row] for column, row in zip(reels.window(stops), line, strict=True)]
            run = next((n for n in range(1, 3) if cells[n] not in {cells[0], "W"}), 3)
            win += rules.pays.get(cells[0], {}).get(run, 0) * (1, 2, 4)[cells[:run].count("W")]
        wins.append(win)
    moments = SpinAnalysis(spin).at(2)
    assert Fraction(sum(wins), 125) == moments.mean[0]
    assert Fraction(sum(win**2 for win in wins), 125) == moments.product[0][0]
