"""Witch Feature's mathematics: 94.02 % in each of forty states, and exact figures held against plain counting."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import pytest

from gamekit.agreement import judge
from gamekit.chunks import simulate
from gamekit.lines import LineEvaluator
from gamekit.par import ParSheet, par_sheet
from gamekit.reels import Reels
from games.witch_feature import GAME
from games.witch_feature.features import CELLS, MEGA_WILDS
from games.witch_feature.highest import FULL_SCREEN, full_screen_chance, full_with_marks, largest_feature
from games.witch_feature.maths import MATHS, POTION_FEATURES, free_spins_per_round
from games.witch_feature.pays import LINE_RULES, LINES, LOCKED_CHANCES
from games.witch_feature.potions import FEATURE_OF, WitchMemory, won_by
from games.witch_feature.states import CARRIED, STATES, combination_mean, outcomes, potion_values, state_name
from games.witch_feature.strips import RESPIN_REELS
from games.witch_feature.worth import (
    feature_mean,
    lines_mean,
    losing_ways,
    marked_mean,
    spread_of_cells,
    spread_of_mega_wilds,
    win_chance,
)
from tests.games.witch_table import STAKE, B, G, R

SMALL = Reels(
    [["wild", "witch", "ace", "ace"], ["ace", "wild", "jack", "cat"], *[["ace", "cat", "jack", "wild"]] * 3], 4
)


@cache
def sheet() -> ParSheet:
    return par_sheet(MATHS)


@cache
def small_lines() -> LineEvaluator:
    return LineEvaluator(SMALL, LINES, LINE_RULES)


def small_total(cells: tuple[tuple[int, int], ...], symbol: str) -> int:
    """Return what all windows of the small reels pay together with `symbol` in `cells`."""
    total = 0
    for stops in product(range(4), repeat=5):
        window = [list(column) for column in SMALL.window(stops)]
        for reel, row in cells:
            window[reel][row] = symbol
        total += sum(hit.pay for hit in small_lines().hits_in(window, 50))
    return total


@pytest.mark.proof
def test_every_state_returns_94_02_percent() -> None:
    """Win and change of the carried potions' worth together are 94.020000 % in each of the forty states."""
    assert {state_name(WitchMemory(carried, unlocked)) for carried, unlocked in product(CARRIED, range(4))} == {
        bet.state for bet in sheet().bets
    }
    assert len(sheet().bets) == 40
    assert {"94.020000"} == {bet.rtp_percent for bet in sheet().bets}


def test_the_forty_returns_are_one_fraction() -> None:
    """Not rounded alike but equal: the forty means are the same fraction, within a ten-millionth of 94.02 %."""
    (mean,) = {MATHS.mean(STAKE, state) for state in MATHS.states}
    assert abs(mean / STAKE.coins - Fraction(9402, 10000)) < Fraction(1, 10**9)


@pytest.mark.proof
def test_the_parts_of_each_state_have_that_return() -> None:
    """The figures, whose variances take a minute, add up to the same forty fractions."""
    for state in MATHS.states:
        assert MATHS.figures(STAKE, state).mean == MATHS.mean(STAKE, state)


def test_what_the_carried_potions_are_worth_hangs_together() -> None:
    """One table of ten worths: what potions win plus the change of worth is the same mean from each of them."""
    worth, mean = potion_values()
    assert set(CARRIED) == set(worth)
    assert worth[()] == 0
    for unlocked, carried in product(range(4), CARRIED):
        gained = sum(
            chance
            * (
                worth[outcome.carried]
                - worth[carried]
                + (combination_mean(outcome.combination, unlocked) if outcome.combination else 0)
            )
            for outcome, chance in outcomes(carried).items()
        )
        assert mean == gained


def test_every_triple_is_worth_the_same_in_every_unlock_state() -> None:
    """A locked triple explodes exactly as often as makes up for its feature; the six others always alike."""
    triples = {tuple(sorted(triple)) for triple in product((R, B, G), repeat=3)}
    assert len(triples) == 10
    for triple in triples:
        assert len({combination_mean(triple, unlocked) for unlocked in range(4)}) == 1
    explosion = feature_mean(("explosion",))
    for feature, chance in LOCKED_CHANCES.items():
        assert feature_mean((feature,)) / explosion == chance <= 1
    assert len({won_by(triple, u)[1] for triple in triples - set(FEATURE_OF) for u in range(4)}) == 1


def test_the_explosion_is_worth_at_least_as_much_as_what_may_be_locked() -> None:
    """Else a locked triple could not be worth as much as its feature."""
    explosion = feature_mean(("explosion",))
    assert all(feature_mean((feature,)) <= explosion for feature in LOCKED_CHANCES)


@pytest.mark.proof
def test_the_parts_add_up_and_the_spin_s_own_return_is_shown() -> None:
    """The parts add up to the return; without the potions' part they are the state's own, from 79 % to 144 %."""
    owns = []
    for bet in sheet().bets:
        parts = {name: Fraction(share) for name, share in bet.parts.items()}
        assert abs(sum(parts.values()) - Fraction("94.02")) < Fraction(1, 10**5)
        owns.append(float(sum(parts.values()) - parts["potions_carried"]))
    assert (int(min(owns)), int(max(owns))) == (79, 143)
    # The own return hangs on the potions alone, not on what is unlocked.
    for number in range(10):
        assert max(owns[number::10]) - min(owns[number::10]) < 1e-4


@pytest.mark.parametrize("memory", STATES[::7])
def test_states_have_names_that_lead_back(memory: WitchMemory) -> None:
    """A state's name leads to a memory in that state."""
    assert memory == MATHS.memory(state_name(memory))
    assert state_name(memory) == MATHS.state(memory)


def test_plain_windows_are_worth_what_counting_finds() -> None:
    """On small reels the mean of all lines and the chance of a win are those of all 1,024 windows."""
    assert Fraction(small_total((), ""), 4**5) == lines_mean(SMALL)
    losing = sum(not small_lines().hits(stops, 50) for stops in product(range(4), repeat=5))
    assert losing == losing_ways(SMALL).total() * 16
    assert Fraction(4**5 - losing, 4**5) == win_chance(SMALL)


def test_marked_windows_are_worth_what_counting_finds() -> None:
    """On small reels one mark on any of twenty cells, and some Mega Wilds, are worth what all windows pay."""
    total = sum(small_total((cell,), "cat") for cell in CELLS)
    assert Fraction(total, 20 * 4**5) == marked_mean(SMALL, spread_of_cells(1), "cat")
    total = sum(small_total(cells, "wild") for cells in MEGA_WILDS[0])
    large = {
        covered: Fraction(lines, 6)
        for covered, lines in Counter(
            tuple(reel for reel, row in enumerate(line) if (reel, row) in cells)
            for cells in MEGA_WILDS[0]
            for line in LINES
        ).items()
    }
    assert Fraction(total, 6 * 4**5) == marked_mean(SMALL, large, "wild")


@pytest.mark.parametrize("count", [1, 3, 12])
def test_marks_cover_each_line_as_often_as_they_should(count: int) -> None:
    """Fifty lines of five cells each see count / 20 of their cells marked; Mega Wilds as often as the places say."""
    spread = spread_of_cells(count)
    assert sum(spread.values()) == 50
    assert sum(len(covered) * lines for covered, lines in spread.items()) == Fraction(50 * 5 * count, 20)
    mega = spread_of_mega_wilds()
    assert sum(mega.values()) == 50
    crossed = Counter((reel, row) for line in LINES for reel, row in enumerate(line))
    expected = sum(
        Fraction(crossed[cell], 2 * len(places)) for places in MEGA_WILDS for cells in places for cell in cells
    )
    assert expected == sum(len(covered) * lines for covered, lines in mega.items())


def test_full_screens_are_counted_in_closed_form() -> None:
    """On small reels the ways to show wilds alone with two marks are those found by trying all marks and windows."""
    found = 0
    for stops in product(range(4), repeat=5):
        window = SMALL.window(stops)
        others = {(reel, row) for reel, row in CELLS if window[reel][row] != "wild"}
        found += sum(others <= set(marks) for marks in combinations(CELLS, 2))
    assert found == full_with_marks(SMALL)[2] == 0
    # Each small reel shows one wild: with fifteen marks on the other cells every window is full.
    assert full_with_marks(SMALL)[15] == 4**5


def test_the_top_award_is_a_full_screen_of_wilds() -> None:
    """Four wilds in a row on each respin strip: one window in the product of the strips' lengths."""
    assert Fraction(1, 30**5) == full_screen_chance("high_symbols")
    assert Fraction(1, 60**5) == full_screen_chance("multiplier")
    assert all(0 < full_screen_chance(feature) < Fraction(1, 10**5) for feature in POTION_FEATURES)
    assert FULL_SCREEN == 50 * 200
    best = largest_feature(("multiplier",))
    assert best.coins == 10 * FULL_SCREEN
    assert Fraction(4, 100) * Fraction(1, 60**5) == best.chance * win_chance(RESPIN_REELS)


@pytest.mark.proof
def test_free_spins_solve_their_retrigger_equation() -> None:
    """Ten spins at one paid spin in 144; each wins 2/9 of a spin more on average."""
    per_round = Fraction(10, 144) / (1 - Fraction(2, 9))
    assert per_round == free_spins_per_round()
    assert float(per_round) == sheet().free_spin.per_round


@pytest.mark.proof
def test_the_played_game_agrees_with_the_exact_one() -> None:
    """Twenty thousand rounds with the memory carried over lie inside the jointly 99.99 % intervals, part by part."""
    tally = simulate("witch_feature", STAKE, 20_000, seed=1, jobs=1)
    report = judge(MATHS, STAKE, tally, seed=1)
    assert [part.name for part in report.parts if part.alarm] == []
    assert {"0:none", "3:none", "3:blue+green"} <= set(tally.states) <= set(MATHS.states)


def test_this_maths_version_has_this_hash() -> None:
    """Changing strips, pays, lines, tables or chances needs a new maths version: rounds are replayed by it."""
    assert (GAME.maths_version, GAME.maths_hash) == (
        2,
        "15c6d3ef5ca390856fe47fc00098c0c82994065739513e0e9a6f44435cfd0c33",
    )
