"""Neptune's PAR sheet: the required return at every bet, and figures that hang together."""

import re
from fractions import Fraction
from functools import cache

import pytest

from gamekit import catalogue
from gamekit.identity import maths_hash
from gamekit.maths import load_maths
from gamekit.par import ParSheet, par_sheet
from games.neptune import GAME
from games.neptune.maths import MATHS


@cache
def sheet() -> ParSheet:
    return par_sheet(load_maths("neptune"))


def test_every_bet_returns_96_56_percent() -> None:
    """Each of the 75 bets returns 96.560000 %, and its parts add up to it within their rounding."""
    assert [(stake.lines, stake.coins_per_line, stake.coins) for stake in GAME.stakes()] == [
        (bet.lines, bet.coins_per_line, bet.stake) for bet in sheet().bets
    ]
    assert {"96.560000"} == {bet.rtp_percent for bet in sheet().bets}
    for bet in sheet().bets:
        assert abs(sum(map(Fraction, bet.parts.values())) - Fraction("96.56")) < Fraction(4, 10**6)


def test_the_parts_have_their_names() -> None:
    """Lines, scatter and treasure of the paid spin, and the same in free spins."""
    names = ["lines", "scatter", "treasure", "free_lines", "free_scatter", "free_treasure"]
    assert names == list(sheet().bets[0].parts)


def test_the_return_is_a_fraction_of_integers() -> None:
    """The whole return is exact: parts and total agree as fractions, with no rounding at all."""
    figures = MATHS.analysis.round_figures(15)
    assert figures.total.mean == sum(part.mean for part in figures.parts())
    assert abs(figures.total.mean / 15 - Fraction(9656, 10000)) < Fraction(1, 10**9)


def test_more_lines_hit_more_often_and_vary_less() -> None:
    """With each further line the hit frequency rises and sigma, in whole bets, falls."""
    by_lines = [bet for bet in sheet().bets if bet.coins_per_line == 1]
    hits = [bet.hit_frequency for bet in by_lines]
    sigmas = [bet.sigma for bet in by_lines]
    assert sorted(hits) == hits
    assert sorted(sigmas, reverse=True) == sigmas
    assert len(set(hits)) == len(set(sigmas)) == 15


def test_the_largest_win_scales_with_the_coins() -> None:
    """At one line the largest win is five Neptunes; five coins pay five times what one pays, at the same odds."""
    one, *_, five = sheet().bets[:5]
    assert (one.max_win, five.max_win) == (7500, 37500)
    assert one.max_win_odds == five.max_win_odds
    # Two Neptunes on each of reels 1 to 3, one on reels 4 and 5.
    assert str(Fraction(8, 38 * 40 * 38 * 41 * 36)) == one.max_win_odds_exact


def test_the_sheet_repeats_the_highest_bet() -> None:
    """The figures beside the bets are those of fifteen lines at five coins."""
    highest = sheet().bets[-1]
    assert (highest.lines, highest.coins_per_line) == (15, 5)
    assert (highest.hit_frequency, highest.sigma, highest.max_win) == (
        sheet().hit_frequency,
        sheet().sigma,
        sheet().max_win,
    )
    assert highest.volatility_index_90 == pytest.approx(1.645 * highest.sigma)
    assert {"free_spins", "treasure"} == set(sheet().triggers)


def test_the_hash_names_the_maths() -> None:
    """The hash is a SHA-256 which does not depend on the order of keys, and changes with any number."""
    assert re.fullmatch(r"[0-9a-f]{64}", GAME.maths_hash)
    assert GAME.maths_hash == sheet().maths_hash
    assert maths_hash(a={2: 5, 3: 6}, b=1) == maths_hash(b=1, a={3: 6, 2: 5})
    assert maths_hash(a={2: 5}) != maths_hash(a={2: 6})


def test_this_maths_version_has_this_hash() -> None:
    """Changing strips, pays, lines or chests needs a new maths version: recorded rounds are replayed by it."""
    assert (
        GAME.maths_version,
        GAME.maths_hash,
    ) == (1, "d4d9f7f034fb896c0d20b22775a3de7334e921257dc09b386a6757426f1e1581")


def test_an_unknown_game_is_refused() -> None:
    """The PAR of a game that is not there names those that are."""
    with pytest.raises(catalogue.UnknownGameError, match="the games are: neptune"):
        load_maths("atlantis")
