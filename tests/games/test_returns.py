"""What the meters' page calls the theoretical return is what the mathematics gives."""

import json
from pathlib import Path

import pytest

from gamekit.catalogue import load, names
from gamekit.figures import theoretical_return

pytestmark = pytest.mark.requirement("M5")

GAMES = Path(__file__).parents[2] / "games"
LEAST_PERCENT, MOST_PERCENT = 80, 100


@pytest.mark.parametrize("name", names())
def test_the_return_of_every_bet_is_its_par_sheets(name: str) -> None:
    """Each bet of the sheet, the growth of its pool included."""
    for row in json.loads((GAMES / name / "par.json").read_text("utf-8"))["bets"]:
        percent = row["rtp_with_growth_percent"] or row["rtp_percent"]
        coins_per_line = row["coins_per_line"]
        figure = theoretical_return(name, lines=row["lines"], coins_per_line=coins_per_line, price=row["price"])
        assert figure == int(percent.replace(".", ""))


@pytest.mark.requirement("R11", "R12")
@pytest.mark.parametrize("name", names())
def test_every_bet_returns_what_jurisdictions_ask_for(name: str) -> None:
    """80 to 100 % at each bet (Mississippi 7-12.5), the lowest one too, in each state that is carried.

    It is the return of endless play at one bet, without the pool's growth. A spin of Witch Feature that starts without
    potions pays 79.87 % by itself: the rest is in the potions that it leaves (docs/fair-play.md).
    """
    rows = json.loads((GAMES / name / "par.json").read_text("utf-8"))["bets"]
    assert {row["lines"] * row["coins_per_line"] for row in rows} == {stake.coins for stake in load(name).stakes()}
    assert [row for row in rows if not LEAST_PERCENT <= float(row["rtp_percent"]) <= MOST_PERCENT] == []


def test_an_unknown_game_has_no_return() -> None:
    """A journal may hold rounds of a game that this program has no more."""
    assert theoretical_return("no such game", lines=1, coins_per_line=1) is None
