"""Witch Feature's sigma: mean squares held against plain counting, and against the rounds played."""

from fractions import Fraction
from itertools import product
from math import sqrt

import pytest

from gamekit.agreement import judge
from gamekit.chunks import simulate
from gamekit.lines import LineEvaluator
from gamekit.reels import Reels
from games.witch_feature.features import CELLS, MEGA_WILDS
from games.witch_feature.known_squares import SQUARES
from games.witch_feature.maths import MATHS
from games.witch_feature.pays import LINE_RULES, LINES
from games.witch_feature.potions import WitchMemory
from games.witch_feature.squares import all_squares, marked_square, mega_wild_square, strip_square, window_square
from games.witch_feature.states import STATES
from games.witch_feature.variance import round_variance
from tests.games.witch_table import STAKE, B

SMALL = Reels(
    [["wild", "witch", "ace", "ace"], ["ace", "wild", "jack", "cat"], *[["ace", "cat", "jack", "wild"]] * 3], 4
)


def counted(cells: tuple[tuple[int, int], ...], symbol: str) -> int:
    """Return the sum over all windows of the small reels of the square of what they pay with `symbol` in `cells`."""
    lines = LineEvaluator(SMALL, LINES, LINE_RULES)
    total = 0
    for stops in product(range(4), repeat=5):
        window = [list(column) for column in SMALL.window(stops)]
        for reel, row in cells:
            window[reel][row] = symbol
        total += sum(hit.pay for hit in lines.hits_in(window, 50)) ** 2
    return total


def test_plain_windows_have_the_mean_square_that_counting_finds() -> None:
    """By rows and by distances of rows alike, on all 1,024 windows of small reels."""
    expected = Fraction(counted((), ""), 4**5)
    assert expected == window_square(SMALL)
    assert expected == strip_square(SMALL)


@pytest.mark.parametrize("symbol", ["wild", "cat"])
def test_marked_windows_have_the_mean_square_that_counting_finds(symbol: str) -> None:
    """With one mark on any of the twenty cells; with all twenty marked only the symbol shows."""
    total = sum(counted((cell,), symbol) for cell in CELLS)
    assert Fraction(total, 20 * 4**5) == marked_square(SMALL, symbol, 1)
    assert Fraction(counted(CELLS, symbol), 4**5) == marked_square(SMALL, symbol, 20)


@pytest.mark.proof
def test_mega_wilds_have_the_mean_square_that_counting_finds() -> None:
    """Over both kinds and all their places."""
    expected = sum(
        Fraction(counted(cells, "wild"), 2 * len(places) * 4**5) for places in MEGA_WILDS for cells in places
    )
    assert expected == mega_wild_square(SMALL)


@pytest.mark.proof
def test_the_sigma_played_is_the_exact_one() -> None:
    """Over a hundred thousand rounds each part's sigma lies near the exact one where its events are many."""
    tally = simulate("witch_feature", STAKE, 100_000, seed=3, jobs=1)
    report = judge(MATHS, STAKE, tally, seed=3)
    assert report.exact_sigma is not None
    assert abs(report.sigma / report.exact_sigma - 1) < 0.15
    for part in report.parts:
        assert part.exact_sigma is not None
        if part.events > 1000:
            assert abs(part.sigma / part.exact_sigma - 1) < 0.3


@pytest.mark.proof
def test_sigma_hangs_on_the_state() -> None:
    """A bet that is about to complete a combination varies more than one that carries nothing."""
    sigmas = {memory: sqrt(round_variance(memory)) / STAKE.coins for memory in STATES}
    for unlocked in range(4):
        assert sigmas[WitchMemory((B, B), unlocked)] > 1.5 * sigmas[WitchMemory((), unlocked)]


@pytest.mark.proof
def test_the_mean_squares_kept_are_those_worked_out() -> None:
    """What the repository keeps, because it takes a minute to work out, is what is worked out."""
    assert all_squares() == SQUARES
