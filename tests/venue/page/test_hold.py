"""The band of a hold: 999 of 1,000 cabinets with fair play lie inside, from the fewest rounds that are judged on."""

import random

import pytest

from games.catalogue import NAMES
from games.maths import cost, load_maths
from games.simulate import play_rounds, seeded_draw
from venue.page.expectations import FEWEST, Judged, judge, known
from venue.page.templatetags.page import band


def fair(game: str, rounds: int, cabinets: int, *, usual: bool) -> int:
    """Return how many of `cabinets` that play fairly are marked, at the highest bet or at the most volatile one.

    Played with the production code; nothing of the band's own making is used.
    """
    maths = load_maths(game)
    stake = maths.stakes[-1 if usual else 0]
    draw, bad = seeded_draw(random.Random(f"{game} {rounds}")), ("outside", "edge") if usual else ("outside",)
    staked = rounds * cost(stake)
    marked = 0
    for _ in range(cabinets):
        wins = sum(play_rounds(maths, stake, draw, rounds).sums)
        marked += judge(game, rounds, staked, wins, float(cost(stake) ** 2 * rounds)).verdict in bad
    return marked


def test_fair_play_is_not_marked() -> None:
    """The game with the longest tail, at the fewest rounds: 7 of 488 were once marked, 3 are too many by far."""
    assert fair("mystery_elves", FEWEST, 488, usual=True) <= 2


@pytest.mark.proof
@pytest.mark.parametrize("rounds", [500, 750, 3000, 20_000])
@pytest.mark.parametrize("game", NAMES)
def test_fair_play_of_every_game_is_not_marked(game: str, rounds: int) -> None:
    """Of so many cabinets one in a thousand may be marked; more than chance allows (1 in 100,000) may not."""
    cabinets = max(50, 1_500_000 // rounds)
    assert fair(game, rounds, cabinets, usual=True) <= 3 + cabinets // 250
    assert game == "witch_feature" or fair(game, rounds, cabinets // 2, usual=False) <= 3 + cabinets // 500


@pytest.mark.parametrize("game", NAMES)
def test_a_cabinet_that_pays_nothing_or_twice_is_marked(game: str) -> None:
    """The bands are no excuse: after 100,000 rounds wrong returns are outside."""
    rounds, stake = 100_000, 100
    for returned in (0.0, 2.0):
        assert judge(game, rounds, rounds * stake, int(returned * rounds * stake), None).verdict == "outside"


@pytest.mark.parametrize("game", NAMES)
def test_bands_narrow_with_the_rounds_and_hold_the_expectation(game: str) -> None:
    """Between stored numbers of rounds the band is as wide as the wider of both; beyond the last it narrows on."""
    expected = known()[game]
    assert expected.usual[0].rounds == FEWEST
    before: tuple[float, float] | None = None
    for rounds in (500, 5_000, 50_000, 500_000, 5_000_000, 50_000_000, 500_000_000):
        low, high = expected.band(expected.usual, rounds)
        wide = expected.band(expected.wide, rounds)
        assert wide[0] <= low < expected.least <= expected.most < high <= wide[1]
        assert before is None or (before[0] <= low and high < before[1])
        before = low, high
    assert high - low < expected.most - expected.least + 0.01


def test_few_rounds_are_not_judged() -> None:
    """Below the fewest rounds nothing is said; a single large bet among small ones counts as few rounds."""
    assert judge("neptune", FEWEST - 1, 1000, 0, None).verdict == "few"
    assert judge("neptune", 10_000, 100_000, 0, float(90_000**2)).verdict == "few"
    assert judge("chess", 10_000, 100_000, 0, None).verdict == "unknown"


def test_the_picture_of_a_band_holds_its_hold() -> None:
    """A hold inside of its band is drawn inside of it."""
    judged = judge("neptune", 10_000, 1_000_000, 965_600, None)
    assert judged.verdict == "inside"
    assert "svg" in band(judged)
    assert band(Judged(None, None, None, None, None, "few")) == ""
