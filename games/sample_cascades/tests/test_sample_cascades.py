"""Sample Game passes its check, and its play agrees with its exact mathematics."""

import random
from pathlib import Path

from gamekit import catalogue

catalogue.look_in(Path(__file__).parents[2])

from gamekit.agreement import judge
from gamekit.checking import faults
from gamekit.maths import load_maths
from gamekit.simulate import play_rounds, seeded_draw
from games.sample_cascades.maths import MATHS
from games.sample_cascades.pays import BET_COINS, CASCADES, SCATTER_PAYS

NAME = "sample_cascades"


def test_its_tables_play_scene_maths_and_figures_pass() -> None:
    """Nothing is missing, and the figures kept are those of this maths."""
    assert faults(NAME) == []


def test_every_count_of_stars_that_can_come_pays_and_no_chain_reaches_the_limit() -> None:
    """Over all combinations of stops: stars gather in cascades, and chains end by themselves."""
    spins = MATHS.spins
    law = spins.law(free=False, lines=BET_COINS)
    assert {spins.tags.scatters(tag) for tag in law.by_tag()} <= {0, 1, 2, *SCATTER_PAYS}
    assert spins.falls < CASCADES.most


def test_its_simulation_agrees_part_by_part() -> None:
    """Twenty thousand rounds of the play lie inside the jointly 99.99 % intervals of the exact figures."""
    maths = load_maths(NAME)
    stake = maths.stakes[-1]
    tally = play_rounds(maths, stake, seeded_draw(random.Random(3)), 20_000)
    assert [part.name for part in judge(maths, stake, tally, seed=3).parts if part.alarm] == []
