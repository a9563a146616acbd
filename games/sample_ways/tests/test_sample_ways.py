"""Sample Game passes its check, and its play agrees with its exact mathematics."""

import random
from pathlib import Path

from gamekit import catalogue

catalogue.look_in(Path(__file__).parents[2])

from gamekit.agreement import judge
from gamekit.checking import faults
from gamekit.maths import load_maths
from gamekit.reels import Reels
from gamekit.simulate import play_rounds, seeded_draw
from games.sample_ways.pays import SCATTER
from games.sample_ways.strips import REELS

NAME = "sample_ways"


def test_its_tables_play_scene_maths_and_figures_pass() -> None:
    """Nothing is missing, and the figures kept are those of this maths."""
    assert faults(NAME) == []


def test_no_star_is_twice_in_a_window() -> None:
    """So five stars are the most there can be, and each count has its pay."""
    assert _most(REELS, SCATTER) == 1


def _most(reels: Reels, symbol: str) -> int:
    """Return the most of a symbol that one reel shows at once."""
    return max(
        reels.column(reel, stop).count(symbol) for reel, length in enumerate(reels.lengths) for stop in range(length)
    )


def test_its_simulation_agrees_part_by_part() -> None:
    """Twenty thousand rounds of the play lie inside the jointly 99.99 % intervals of the exact figures."""
    maths = load_maths(NAME)
    stake = maths.stakes[-1]
    tally = play_rounds(maths, stake, seeded_draw(random.Random(3)), 20_000)
    assert [part.name for part in judge(maths, stake, tally, seed=3).parts if part.alarm] == []
