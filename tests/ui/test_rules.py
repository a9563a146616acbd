"""What every game's rules on the screen say of fair play (docs/fair-play.md)."""

import json

import pytest

from gamekit.catalogue import folder_of
from gamekit.catalogue import load as load_game
from games.neptune.display import rules as neptune_rules
from tests.ui.rehearsal import GAMES, Rehearsal, game_view
from tests.ui.said import spoken
from ui import text
from ui.promises import NOT_DOUBLED
from ui.scenes.paytable import Paytable
from ui.theme import load

DOUBLED = ("bewitched", "mystery_elves")
"""The games that have a double or gamble."""


def rule_words(game: str) -> str:
    """Return all words of a game's rules."""
    return "\n".join(words for _, words in load(game).rules(load_game(game).gamble_cap_cents))


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_explain_fair_play(game: str) -> None:
    """When results are drawn, what a near miss is, that nothing adapts, what voids a play, and what returns."""
    words = rule_words(game)
    for promise in ("is drawn", "near miss is only what the strips give", "before", "STOP, SKIP", "Malfunction voids"):
        assert promise in words
    assert "Fair play" in dict(load(game).rules(load_game(game).gamble_cap_cents))
    returns = {
        f"{float(bet['rtp_percent']):.2f}" for bet in json.loads((folder_of(game) / "par.json").read_text())["bets"]
    }
    assert all(f"{percent} %" in words for percent in returns)


@pytest.mark.parametrize("game", DOUBLED)
def test_the_rules_call_the_cards_decoration(game: str) -> None:
    """Where cards are guessed the player reads that they decide nothing, at even odds."""
    assert "The cards shown decide nothing" in rule_words(game)
    assert "exactly even odds" in rule_words(game)


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("game", DOUBLED)
def test_the_rules_name_the_cap_in_force_or_promise_no_gamble(game: str, language: str) -> None:
    """The amount is written as the cabinet writes money; without a gamble nothing on these pages mentions one."""
    with spoken(language):
        with_cap, without = (dict(load(game).rules(cap)) for cap in (123_400, 0))
        own = "\n".join(words for heading, words in with_cap.items() if heading not in without)
        not_doubled = f"{text.say(NOT_DOUBLED)} "
        assert sum(not_doubled in words for words in with_cap.values()) == 1
        assert own.count(text.amount(123_400)) == 2
        rest = "\n".join([*without, *without.values()]).lower()
    promises = ("gambl", "double", "card", "guess", "heart", "risik", "doppelt", "verdoppel", "karte", "tipp")
    assert {word for word in promises if word in rest} == set()
    # "Win up to" leaves the gamble out, which is said only where there is one.
    assert all(words == with_cap[heading].replace(not_doubled, "") for heading, words in without.items())


def test_the_pages_follow_the_cap() -> None:
    """A cap set in the menu is on the next page that is drawn; with the gamble taken off its rule is gone."""
    rehearsal = Rehearsal()
    pages = Paytable(rehearsal.context, load("bewitched"))
    said = {}
    for cap in (500_000, 70_000, 0):
        rehearsal.view(game_view("bewitched", state="paytable", focus="page:0", gamble_cap_cents=cap))
        pages.draw(rehearsal.scene_manager.stage, rehearsal.director, rehearsal.now)
        said[cap] = " ".join(line.words for page in pages.rules_pages for line in page)
    assert ("5,000.00 €" in said[500_000], "700.00 €" in said[70_000]) == (True, True)
    assert "5,000.00 €" not in said[70_000]
    assert "GAMBLE" not in said[0]


def test_only_these_games_have_cards() -> None:
    """A game whose play ends in a double is not forgotten above."""
    tags = {game: str(load_game(game).step_type) for game in GAMES}
    assert {game for game, steps in tags.items() if "double_up" in steps} == set(DOUBLED)


def test_neptune_s_chests_hold_nothing_before_they_are_opened() -> None:
    """The rules say when a chest's amount is drawn, and the return is the exact one."""
    assert "drawn when it is opened" in rule_words("neptune")
    assert f"{neptune_rules.RTP} %" in rule_words("neptune")
