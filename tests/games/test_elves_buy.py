"""The bought Hold and Win: a spin from exactly those stops that trigger, each as likely as any other."""

import msgspec
import pytest

from gamekit.beats import ReelsLanded
from gamekit.bought_spin import TriggeringStops
from gamekit.reels import Reels
from games.mystery_elves import GAME
from games.mystery_elves.pays import (
    BUY_PRICE,
)
from games.mystery_elves.play import TRIGGERS
from tests.games.elves_table import (
    BOUGHT,
    STAKE,
    carry,
    cells_of,
    misses,
    play_round,
)
from tests.games.table import Script


def test_a_bought_spin_costs_70_bets_and_is_drawn_from_the_triggering_stops() -> None:
    """One draw below the number of triggering combinations gives the stops, which show six bonus symbols or more."""
    assert BUY_PRICE == 70
    for rank in range(0, TRIGGERS.total, 9973):
        draw = Script([rank])
        play = GAME.play(BOUGHT, draw, None)
        landed = next(play)
        assert isinstance(landed, ReelsLanded)
        assert [TRIGGERS.total] == draw.bounds
        assert len(cells_of(landed.stops)) >= 6


def test_a_bought_spin_plays_like_the_same_spin_paid() -> None:
    """From the same stops on, lines and Hold and Win go the same way."""
    stops = TRIGGERS.at(4711)
    held = len(cells_of(stops))
    rest = [*carry(*[3] * held), *misses(*[15 - held] * 3)]
    assert play_round(stops, rest) == play_round([4711], rest, stake=BOUGHT)


def test_triggering_stops_are_all_of_them_and_each_once() -> None:
    """On small reels every combination that shows enough, and no other, has a rank of its own."""
    reels = Reels(["baab", "bbbaa", "abaaaa"], 3)
    for least in range(1, 7):
        every = {
            (a, b, c)
            for a in range(4)
            for b in range(5)
            for c in range(6)
            if sum(column.count("b") for column in reels.window((a, b, c))) >= least
        }
        found = TriggeringStops(reels, "b", least)
        ranked = [found.at(rank) for rank in range(found.total)]
        assert len(every) == found.total
        assert every == set(ranked)
        assert ranked == list(found)
        for rank in (-1, found.total):
            with pytest.raises(IndexError, match="no triggering combination"):
                found.at(rank)
    with pytest.raises(ValueError, match="nothing can be bought"):
        TriggeringStops(reels, "b", 7)


def test_nothing_is_sold_at_another_price() -> None:
    """A price that is neither one bet nor seventy is refused before anything is drawn."""
    draw = Script([])
    with pytest.raises(ValueError, match="nothing is sold for 69"):
        next(GAME.play(msgspec.structs.replace(STAKE, price=69), draw, None))
    assert draw.bounds == []
