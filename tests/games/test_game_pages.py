"""The figures that rule pages give in words are the games' exact ones."""

from fractions import Fraction
from pathlib import Path

import msgspec
import pytest

from gamekit.exact.hold_and_win import FilledCells
from gamekit.par import ParSheet
from games.bewitched.potions import FREE_SPINS, MONEY, potion_weights
from games.mystery_elves.maths import MATHS as ELVES
from games.mystery_elves.strips import HOLD_RULES

GAMES = Path(__file__).parents[2] / "games"


def page(name: str) -> str:
    """Return the page of a game, its lines joined."""
    return " ".join((GAMES / name / "RULES.md").read_text().split())


@pytest.mark.parametrize(
    ("name", "trigger", "words"),
    [
        ("bewitched", "battle", "A battle comes once in {:.2f} paid spins"),
        ("bewitched", "merlin", "Merlin in {:.2f}"),
        ("bewitched", "free_spins", "free spins in {:.2f}"),
        ("neptune", "free_spins", "Free spins: one paid spin in {:.2f}"),
        ("mona_lisa_jewels", "jewel_spins", "Jewel spins: one paid spin in {:.2f}"),
        ("mona_lisa_jewels", "pool", "The jackpot at the highest bet: one round in {:,.0f}"),
        ("mystery_elves", "hold_and_win", "Hold and Win starts once in {:.2f} paid spins"),
    ],
)
def test_how_often_a_feature_comes_is_the_par_sheet_s(name: str, trigger: str, words: str) -> None:
    """One in so many paid spins at the highest bet, rounded as the page does."""
    sheet = msgspec.json.decode((GAMES / name / "par.json").read_bytes(), type=ParSheet)
    assert words.format(1 / sheet.triggers[trigger]) in page(name)


def test_what_a_potion_of_bewitched_is() -> None:
    """How many brew free spins, how many those are, and what its money is worth over all potions."""
    potions = potion_weights(1)
    total = sum(potions.values())
    spins = {potion: weight for potion, weight in potions.items() if potion.kind == FREE_SPINS}
    mean = sum(potion.amount * weight for potion, weight in spins.items()) / sum(spins.values())
    money = sum(potion.amount * weight for potion, weight in potions.items() if potion.kind == MONEY) / total
    words = f"A potion is free spins in {100 * sum(spins.values()) / total:.1f} % ({mean:.1f} on average)"
    assert f"{words}, and its money is worth {money:.1f} bets on average" in page("bewitched")


def test_how_hold_and_win_ends() -> None:
    """With how many symbols on average, and with all fifteen once in how many features."""
    ways = sum(held.ways for held in ELVES.triggering.values())
    filled: dict[int, Fraction] = {}
    for held, stops in ELVES.triggering.items():
        for number, chance in FilledCells(HOLD_RULES).law(held).items():
            filled[number] = filled.get(number, Fraction(0)) + chance * Fraction(stops.ways, ways)
    mean = float(sum(number * chance for number, chance in filled.items()))
    assert (
        f"It ends with {mean:.2f} symbols on average, with fifteen once in {float(1 / filled[15]):.1f} features"
        in page("mystery_elves")
    )
