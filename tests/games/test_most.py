"""What the screens promise as the highest win is what the mathematics gives."""

import json
from pathlib import Path

import pytest

from games.catalogue import NAMES
from games.most import MOST_COINS, most_at, most_cents

PAR = Path(__file__).parents[2] / "docs" / "par"


@pytest.mark.parametrize("name", NAMES)
def test_the_highest_win_of_every_bet_is_its_par_sheets(name: str) -> None:
    """Each bet of the sheet, whatever potions it carries (Witch Feature: or its free spin), and no others."""
    sheet = json.loads((PAR / f"{name}.json").read_text("utf-8"))
    most: dict[int, set[int]] = {}
    for row in sheet["bets"]:
        assert row["max_win"] % row["coins_per_line"] == 0
        most.setdefault(row["lines"], set()).add(row["max_win"] // row["coins_per_line"])
    if name == "witch_feature":
        most[50].add(sheet["free_spin"]["max_win"])
    assert {lines: max(coins) for lines, coins in most.items()} == MOST_COINS[name]


def test_it_follows_coins_and_coin_value() -> None:
    """Neptune at 15 lines, 2 coins, 0.05."""
    assert most_cents("neptune", lines=15, coins_per_line=2, coin_value_cents=5) == 9165 * 2 * 5


def test_the_highest_total_bet_has_its_most_on_all_lines() -> None:
    """Neptune at 75.00: 15 lines, 5 coins, 1.00; Mystery Elves at 80.00 on its ten lines."""
    assert most_at("neptune", 7_500) == most_cents("neptune", lines=15, coins_per_line=5, coin_value_cents=100)
    assert most_at("mystery_elves", 8_000) == 145_550 * 800
