"""Wins by ways, cascades and their chains, as acts: what falls where, how long, and what is shown of it."""

from collections.abc import Sequence
from math import prod

import pytest

from gamekit.beats import CascadeFell, Cell, FreeSpinsWon, ReelsLanded, ScatterWin, WaysWin
from gamekit.cascades import Falling
from gamekit.play import Stake, Step
from gamekit.ways import WaysEvaluator
from games.star_quarry import GAME
from games.star_quarry.display.theme import THEME
from games.star_quarry.pays import WAYS_RULES
from games.star_quarry.strips import REELS
from ui.acts import HURRIED_S, Act, FreeSpinsAct, SpinAct, WinsAct
from ui.cascade_acts import BURST_S, CascadeAct, ChainAct, WaysAct, pieces
from ui.performance import acts_of
from ui.scenes.paytable import examples_of_ways
from ui.ways_theme import WaysTheme

STAKE = Stake(lines=20, coins_per_line=1)
STOPS = (0, 0, 0, 0, 0)
FIRST: tuple[Cell, ...] = ((0, 1), (1, 0), (1, 2), (2, 1))
SECOND: tuple[Cell, ...] = ((0, 2), (1, 1), (2, 2))


def win(cells: Sequence[Cell], coins: int, symbol: str = "amber", multiplier: int = 1) -> WaysWin:
    """Return a win of `coins` in these cells."""
    return WaysWin(symbol, 3, 2, tuple(cells), multiplier, coins=coins)


def chain(*wins: list[WaysWin]) -> list[Step]:
    """Return the steps of a spin whose windows win these in turn, each followed by its fall."""
    falling = Falling(REELS, STOPS)
    steps: list[Step] = [ReelsLanded(STOPS)]
    for number, window in enumerate(wins, start=1):
        cells = sorted({cell for one in window for cell in one.cells})
        falling.fall(cells)
        steps += [*window, CascadeFell(number, tuple(cells), falling.window, (2, 3, 5)[number - 1])]
    return steps


def acts(steps: list[Step]) -> list[Act]:
    """Return the acts that show these steps."""
    return acts_of(THEME, GAME.idle, STAKE, steps)[0]


def cascade(steps: list[Step]) -> CascadeAct:
    """Return the first cascade of these steps, begun at 0."""
    act = next(act for act in acts(steps) if isinstance(act, CascadeAct))
    act.begin(0.0, turbo=False)
    return act


def test_symbols_fall_in_their_order_and_new_ones_follow_from_above() -> None:
    """Where two of three vanish, the one that is left falls under two that come from above the window."""
    after = (("new", "newer", "left"), ("a", "b", "c"))
    assert [(piece.symbol, piece.origin, piece.row) for piece in pieces(after, [(0, 0), (0, 2)])] == [
        ("new", -2, 0),
        ("newer", -1, 1),
        ("left", 1, 2),
        ("a", 0, 0),
        ("b", 1, 1),
        ("c", 2, 2),
    ]


def test_a_cascade_begins_with_the_window_before_and_ends_with_the_one_after() -> None:
    """No symbol jumps: each starts where it was and rests where the engine says."""
    act = cascade(chain([win(FIRST, 4)]))
    before, after = act.picture.window, act.lands.window
    for piece in act.pieces:
        assert act.fallen(piece, 0.0) == piece.origin
        assert act.fallen(piece, act.ends_at()) == piece.row
        assert after[piece.reel][piece.row] == piece.symbol
        assert piece.origin < 0 or before[piece.reel][piece.origin] == piece.symbol


def test_nothing_falls_before_the_winning_symbols_have_burst() -> None:
    """They are seen bursting where they have won."""
    act = cascade(chain([win(FIRST, 4)]))
    assert all(act.fallen(piece, BURST_S) == piece.origin for piece in act.pieces)


@pytest.mark.parametrize("pressed", [0.0, 0.4, 0.9])
def test_a_hurried_cascade_is_over_at_once_and_skips_nothing(pressed: float) -> None:
    """From where it was it goes on faster, never back, and lands in the same window."""
    act = cascade(chain([win(FIRST, 4)]))
    seen = act.elapsed(pressed)
    act.hurry(pressed)
    assert act.ends_at() <= pressed + HURRIED_S + 1e-9
    assert act.elapsed(pressed) == pytest.approx(seen)
    moments = [act.elapsed(pressed + HURRIED_S * part / 10) for part in range(11)]
    assert moments == sorted(moments)
    assert all(act.fallen(piece, act.ends_at()) == piece.row for piece in act.pieces)


def test_each_window_shows_its_wins_then_falls_and_the_chain_is_summed_up() -> None:
    """Spin, wins, fall, wins, fall, sum: every coin is paid by exactly one act, and the sum pays none."""
    shown = acts(chain([win(FIRST, 4)], [win(SECOND, 6, multiplier=2)]))
    assert [type(act) for act in shown] == [SpinAct, WaysAct, CascadeAct, WaysAct, CascadeAct, ChainAct]
    assert [act.coins for act in shown] == [0, 4, 0, 6, 0, 0]
    last = shown[-1]
    assert isinstance(last, ChainAct)
    assert (last.total, last.falls, last.big) == (10, 2, False)


def test_a_single_window_is_not_summed_up_unless_it_is_big() -> None:
    """Its win has just been read; a big one is celebrated."""
    assert ChainAct not in map(type, acts(chain([win(FIRST, 4)])))
    big = acts(chain([win(FIRST, 20 * STAKE.coins)]))[-1]
    assert isinstance(big, ChainAct)
    assert big.big


def test_the_chain_is_summed_up_before_scatters_and_free_spins() -> None:
    """Beacons count when the cascades have ended, and are no part of the chain."""
    beacons = ScatterWin("beacon", 3, ((0, 0), (1, 0), (2, 0)), coins=40)
    steps = [*chain([win(FIRST, 4)], [win(SECOND, 6)]), beacons, FreeSpinsWon(10)]
    assert [type(act) for act in acts(steps)][-3:] == [ChainAct, WinsAct, FreeSpinsAct]


def test_the_symbols_of_a_window_light_up_one_after_another() -> None:
    """Each has the same time, the first first; the amount of all rolls up meanwhile."""
    wins = [win(FIRST, 4), win(SECOND, 6, "topaz"), win(SECOND, 2, "ruby")]
    act = next(act for act in acts(chain(wins)) if isinstance(act, WaysAct))
    act.begin(10.0, turbo=False)
    lasts = act.ends_at() - 10.0
    assert [act.win(10.0 + lasts * part).symbol for part in (0.0, 0.32, 0.34, 0.65, 0.68, 1.0)] == [
        "amber",
        "amber",
        "topaz",
        "topaz",
        "ruby",
        "ruby",
    ]
    assert (act.rolled(10.0), act.rolled(act.ends_at())) == (0, 12)


def test_the_next_step_of_the_ladder_lights_up_when_symbols_fall() -> None:
    """Before that the window that has won is seen, with what its wins have paid."""
    act = cascade(chain([win(FIRST, 4)]))
    assert [act.multiplier(moment) for moment in (0.0, BURST_S - 0.01, BURST_S, act.ends_at())] == [1, 1, 2, 2]


def test_a_theme_of_ways_has_no_lines_and_as_many_ways_as_its_window_gives() -> None:
    """Three rows on five reels: 243."""
    assert isinstance(THEME, WaysTheme)
    assert (tuple(THEME.lines), THEME.ways) == ((), 243)


@pytest.mark.parametrize("cells", examples_of_ways(GAME.reels, GAME.rows))
def test_the_examples_of_ways_are_counted_as_the_game_counts(cells: frozenset[Cell]) -> None:
    """What the paytable's page says of a window is what the game's own evaluator finds in it."""
    window = [["beacon"] * GAME.rows for _ in range(GAME.reels)]
    for reel, row in cells:
        window[reel][row] = "ruby"
    hits = WaysEvaluator(REELS, WAYS_RULES).hits(window)
    counts = [sum(at == reel for at, _ in cells) for reel in range(GAME.reels)]
    assert [(one.symbol, one.run, one.ways) for one in hits] == [
        ("ruby", sum(count > 0 for count in counts), prod(count for count in counts if count))
    ]
