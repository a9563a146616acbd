"""What the meters' page calls the theoretical return is what the mathematics gives (M5)."""

import json
from pathlib import Path

import pytest

from games.catalogue import names
from games.figures import theoretical_return

GAMES = Path(__file__).parents[2] / "games"


@pytest.mark.parametrize("name", names())
def test_the_return_of_every_bet_is_its_par_sheets(name: str) -> None:
    """Each bet of the sheet, the growth of its pool included."""
    for row in json.loads((GAMES / name / "par.json").read_text("utf-8"))["bets"]:
        percent = row["rtp_with_growth_percent"] or row["rtp_percent"]
        coins_per_line = row["coins_per_line"]
        figure = theoretical_return(name, lines=row["lines"], coins_per_line=coins_per_line, price=row["price"])
        assert figure == int(percent.replace(".", ""))


def test_an_unknown_game_has_no_return() -> None:
    """A journal may hold rounds of a game that this program has no more."""
    assert theoretical_return("no such game", lines=1, coins_per_line=1) is None
