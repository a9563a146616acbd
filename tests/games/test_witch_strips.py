"""Witch Feature's strips, lines and tables: what the rules need of them."""

from itertools import pairwise

import pytest

from gamekit.reels import Reels
from games.witch_feature import GAME
from games.witch_feature.features import CELLS, MEGA_WILDS
from games.witch_feature.pays import (
    FREE_SPINS,
    HIGH_SYMBOLS,
    LINE_PAYS,
    LINES,
    LOW_SYMBOLS,
    MULTIPLIER_TABLE,
    POTIONS,
    ROWS,
    WILD,
)
from games.witch_feature.play import PAID_REELS
from games.witch_feature.potions import PotionReels
from games.witch_feature.strips import FREE_REELS, HIGH_REELS, PAID_STRIPS, RESPIN_REELS
from tests.games.views import most_in_view


def test_fifty_lines_of_adjacent_cells() -> None:
    """Fifty different lines, on each of which neighbours are in the same row or in rows next to each other."""
    assert 50 == len(set(LINES)) == len(LINES)
    for line in LINES:
        assert len(line) == 5
        assert all(0 <= row < ROWS for row in line)
        assert all(abs(a - b) <= 1 for a, b in pairwise(line))


def test_all_lines_are_always_played() -> None:
    """There is one bet: a coin, a fiftieth of it, on each of the fifty lines."""
    assert [(stake.lines, stake.coins_per_line, stake.coins) for stake in GAME.stakes()] == [(50, 1, 50)]


def test_five_reels_of_four_rows() -> None:
    """The window is 5 x 4 in paid spins, free spins and respins."""
    assert (GAME.reels, GAME.rows) == (5, 4)
    for reels in (PAID_REELS, FREE_REELS, RESPIN_REELS, HIGH_REELS):
        assert (len(reels.strips), reels.rows) == (5, 4)


def test_potions_stand_on_reels_two_to_four_alone() -> None:
    """Reels 1 and 5 hold no potion; each other reel does, and every colour is on some reel."""
    assert [any(p in strip for p in POTIONS) for strip in PAID_STRIPS] == [False, True, True, True, False]
    assert set(POTIONS) <= {symbol for strip in PAID_STRIPS for symbol in strip}


def test_five_stops_in_a_row_hold_at_most_one_potion() -> None:
    """Whatever the stop, one potion at most shows, and none enters after it has been collected."""
    for strip in PAID_STRIPS:
        loop = [*strip, *strip[:4]]
        assert all(sum(symbol in POTIONS for symbol in loop[at : at + 5]) <= 1 for at in range(len(strip)))


def test_strips_on_which_a_potion_would_fall_into_view_are_refused() -> None:
    """Two potions within five stops are an error when the reels are built."""
    strip = [POTIONS[0], "ace", "king", "ace", POTIONS[1], "king", "ace", "king", "ace", "king"]
    with pytest.raises(ValueError, match="five consecutive stops hold 2 potions"):
        PotionReels([strip], ROWS)


def test_free_spins_symbols_stand_on_reels_one_and_five_alone() -> None:
    """In paid and in free spins, and never two of a reel in view."""
    for reels in (PAID_REELS, FREE_REELS):
        assert [most_in_view(strip, FREE_SPINS, ROWS) for strip in reels.strips] == [1, 0, 0, 0, 1]


def test_free_spins_show_no_potion() -> None:
    """The strips of free spins are the paid ones without their potions."""
    for paid, free in zip(PAID_STRIPS, FREE_REELS.strips, strict=True):
        assert tuple(symbol for symbol in paid if symbol not in POTIONS) == free


@pytest.mark.parametrize(
    ("reels", "symbols"),
    [
        (RESPIN_REELS, {WILD, *HIGH_SYMBOLS, *LOW_SYMBOLS}),
        (HIGH_REELS, {WILD, *HIGH_SYMBOLS}),
    ],
)
def test_respins_show_neither_potions_nor_free_spins(reels: Reels, symbols: set[str]) -> None:
    """Respin strips hold all that pays; those of High Symbols wild and the five high symbols alone."""
    for strip in reels.strips:
        assert symbols == set(strip)


@pytest.mark.parametrize("reels", [RESPIN_REELS, HIGH_REELS])
def test_respins_can_show_nothing_but_wilds(reels: Reels) -> None:
    """Each respin strip holds four wilds in a row, once."""
    for reel, length in enumerate(reels.lengths):
        assert sum(set(reels.column(reel, stop)) == {WILD} for stop in range(length)) == 1


def test_the_high_symbols_pay_differently() -> None:
    """Wild, witch, cat, owl, book and broom each have pays of their own, above those of the low symbols."""
    by_count = [[LINE_PAYS[symbol][count] for symbol in (WILD, *HIGH_SYMBOLS)] for count in (3, 4, 5)]
    for pays, count in zip(by_count, (3, 4, 5), strict=True):
        assert sorted(set(pays), reverse=True) == pays
        assert all(LINE_PAYS[symbol][count] < pays[-1] for symbol in LOW_SYMBOLS)


def test_every_symbol_pays_from_three_on() -> None:
    """So that reels 1 to 3 decide whether a spin wins, which the exact chance of a win relies on."""
    assert all({3, 4, 5} == set(pays) for pays in LINE_PAYS.values())


def test_the_multipliers_are_those_of_the_rules() -> None:
    """x2, x3, x5, x8 and x10."""
    assert list(MULTIPLIER_TABLE.weights) == [2, 3, 5, 8, 10]


def test_mega_wilds_are_one_large_or_two_small_squares() -> None:
    """Six places of 3x3, and 37 unordered pairs of 2x2 that don't overlap; all inside the window and all different."""
    large, small = MEGA_WILDS
    assert (len({frozenset(cells) for cells in large}), len({frozenset(cells) for cells in small})) == (6, 37)
    assert {9} == {len(set(cells)) for cells in large}
    assert {8} == {len(set(cells)) for cells in small}
    assert all(set(cells) <= set(CELLS) for cells in (*large, *small))
