"""Chosen stops judged by the production play: what a round with these very draws would show and pay (T.17)."""

import random

import pytest

from controller.play.combination import BEGINS, combination, reel_lengths, widest_stake
from gamekit.beats import CascadeFell, LineWin, ReelsLanded, ScatterWin, WaysWin
from gamekit.catalogue import load, names
from gamekit.play import Game, Offer


def really(game: Game, stops: tuple[int, ...], extra: int) -> tuple[list[object], int]:
    """Play a real round whose reels stop there; return what it wins up to its first offer, and the coins.

    By ways only the wins of the first window are returned; the coins are those of all windows.
    """
    drawn = 0

    def draw(bound: int, /) -> int:
        nonlocal drawn
        drawn += 1
        return stops[drawn - 1] if drawn <= len(stops) else extra % bound

    wins: list[object] = []
    landed = coins = 0
    fallen = False
    for step in game.play(widest_stake(game), draw, None):
        landed += isinstance(step, ReelsLanded)
        if isinstance(step, Offer) or landed > 1 or type(step).__name__ in BEGINS:
            break
        fallen = fallen or isinstance(step, CascadeFell)
        if isinstance(step, LineWin | ScatterWin) or (isinstance(step, WaysWin) and not fallen):
            wins.append(step)
        coins += step.coins if isinstance(step, LineWin | ScatterWin | WaysWin) else 0
    return wins, coins


@pytest.mark.parametrize("name", names())
def test_a_chosen_combination_is_judged_as_in_play(name: str) -> None:
    """For many stops of every game: the same lines, the same scatter, the same stops on the reels."""
    game = load(name)
    lengths = reel_lengths(game)
    assert len(lengths) == game.reels
    chance = random.Random(17)
    features = wins = 0
    for _ in range(400):
        stops = tuple(chance.randrange(length) for length in lengths)
        judged = combination(game, stops, widest_stake(game))
        paid, coins = really(game, stops, chance.randrange(1000))
        assert [*judged.lines, *judged.ways, *([judged.scatter] if judged.scatter else [])] == paid
        assert judged.coins == coins
        assert judged.scene.stops == stops  # type: ignore[attr-defined]
        features += judged.feature
        wins += bool(paid)
    assert wins > 0
    assert features > 0


@pytest.mark.parametrize("name", names())
def test_no_chance_is_asked_for(name: str) -> None:
    """The same stops give the same, however often they are judged."""
    game = load(name)
    stops = tuple(length - 1 for length in reel_lengths(game))
    assert combination(game, stops, widest_stake(game)) == combination(game, stops, widest_stake(game))


def test_stops_that_no_reel_has_are_refused() -> None:
    """In words that name the reel."""
    game = load("neptune")
    lengths = reel_lengths(game)
    with pytest.raises(ValueError, match="reel 1 has the stops 0 to"):
        combination(game, (lengths[0], *[0] * 4), widest_stake(game))


def test_what_begins_something_is_known_to_the_games() -> None:
    """Every name is a step of some game: a step that is renamed must be renamed here."""
    kinds = {kind.__name__ for name in names() for kind in load(name).step_type.__args__}  # type: ignore[union-attr]
    assert kinds >= BEGINS
