"""What every game's rules on the screen tell of fair play, whatever else they tell (docs/fair-play.md)."""

import json
from pathlib import Path

import pytest

from games.catalogue import load as load_game
from tests.ui.rehearsal import GAMES
from ui.scenes.neptune import rules as neptune_rules
from ui.worlds.look import load

PAR = Path(__file__).parents[2] / "docs" / "par"
DOUBLED = ("bewitched", "mystery_elves")
"""The games that have a double or gamble."""


def told(game: str) -> str:
    """Return all words of a game's rules."""
    return "\n".join(words for _, words in load(game).rules())


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_tell_of_fair_play(game: str) -> None:
    """When results are drawn, what a near miss is, that nothing adapts, what voids a play, and what returns."""
    words = told(game)
    for promise in ("is drawn", "near miss is only what the strips give", "before", "STOP, SKIP", "Malfunction voids"):
        assert promise in words
    assert "Fair play" in dict(load(game).rules())
    returns = {f"{float(bet['rtp_percent']):.2f}" for bet in json.loads((PAR / f"{game}.json").read_text())["bets"]}
    assert all(f"{percent} %" in words for percent in returns)


@pytest.mark.parametrize("game", DOUBLED)
def test_the_rules_call_the_cards_decoration(game: str) -> None:
    """Where cards are guessed the player reads that they decide nothing, at even odds."""
    assert "The cards shown decide nothing" in told(game)
    assert "exactly even odds" in told(game)


def test_only_these_games_have_cards() -> None:
    """A game whose play ends in a double is not forgotten above."""
    tags = {game: str(load_game(game).step_type) for game in GAMES}
    assert {game for game, steps in tags.items() if "double_up" in steps} == set(DOUBLED)


def test_neptune_s_chests_hold_nothing_before_they_are_opened() -> None:
    """The rules say when a chest's amount is drawn, and the return is the exact one."""
    assert "drawn when it is opened" in told("neptune")
    assert f"{neptune_rules.RTP} %" in told("neptune")
