"""What potions mean to players who come and go: exact, and as docs/fair-play.md and the rules on the screen say."""

from fractions import Fraction
from pathlib import Path

import msgspec
import pytest

from gamekit.par import ParSheet
from games.witch_feature.display import rules
from games.witch_feature.display.theme import THEME
from games.witch_feature.states import CARRIED, potion_values
from tests.games.witch_prospects import first_spins_return, moves, own_return, worth_to_the_next
from tests.rigs.paths import TEXT

PAR = Path(__file__).parents[2] / "games" / "witch_feature" / "par.json"
COINS = 50
BLUE_GREEN = ("potion_blue", "potion_green")


def colours(carried: tuple[str, ...]) -> str:
    """Return a set of potions as the PAR sheet names it."""
    return "+".join(potion.removeprefix("potion_") for potion in carried) or "none"


def test_a_spin_s_own_return_is_the_par_sheet_s() -> None:
    """Without what potions gain in worth, in each of the forty states."""
    sheet = msgspec.json.decode(PAR.read_bytes(), type=ParSheet)
    by_colours = {colours(carried): float(100 * own_return(carried)) for carried in CARRIED}
    for bet in sheet.bets:
        own = float(Fraction(str(bet.rtp_percent)) - Fraction(str(bet.parts["potions_carried"])))
        assert own == pytest.approx(by_colours[bet.state.split(":")[1]], abs=1e-4)


def test_what_is_won_and_left_is_the_return_whenever_one_stops() -> None:
    """After any number of first spins, their wins and the worth of what they leave are 94.02 % of their bets."""
    worth, _ = potion_values()
    present = {(): Fraction(1)}
    for spins in (1, 2, 5, 20):
        present = {(): Fraction(1)}
        for _ in range(spins):
            present = {
                after: sum((chance * moves(carried).get(after, Fraction(0)) for carried, chance in present.items()))
                for after in CARRIED
            }
        left = sum(chance * worth[carried] for carried, chance in present.items()) / COINS
        assert float(100 * (first_spins_return(spins) + left / spins)) == pytest.approx(94.02, abs=1e-4)


def test_nobody_does_better_than_to_play_on_while_it_pays() -> None:
    """No spin more and no spin less improves the worth of any state, and no state is worth less than nothing."""
    worth = worth_to_the_next()
    for carried in CARRIED:
        left = sum(chance * worth[after] for after, chance in moves(carried).items())
        assert worth[carried] == max(Fraction(0), own_return(carried) - 1 + left)


def test_the_worth_left_behind_is_what_many_steps_come_to() -> None:
    """Worked out otherwise: the best of at most n spins, for more and more spins."""
    best = dict.fromkeys(CARRIED, 0.0)
    own = {carried: float(own_return(carried)) for carried in CARRIED}
    steps = {carried: {after: float(chance) for after, chance in moves(carried).items()} for carried in CARRIED}
    for _ in range(2_000):
        best = {
            carried: max(0.0, own[carried] - 1 + sum(chance * best[after] for after, chance in steps[carried].items()))
            for carried in CARRIED
        }
    assert best == pytest.approx({carried: float(value) for carried, value in worth_to_the_next().items()}, abs=1e-9)


def test_the_page_and_the_rules_say_what_potions_left_behind_are_worth() -> None:
    """4.48 bets at most, for a blue and a green one; 79.87 % on a fresh bet's first spin, 91.2 % over fifty."""
    worth = worth_to_the_next()
    assert max(worth, key=lambda carried: worth[carried]) == BLUE_GREEN
    figures = (
        f"{float(worth[BLUE_GREEN]):.2f}",
        f"{float(100 * own_return(())):.2f}",
        f"{float(100 * first_spins_return(50)):.1f}",
    )
    assert figures == ("4.48", "79.87", "91.2")
    assert figures == (rules.LEFT_WORTH[BLUE_GREEN], rules.OWN_RETURNS[()], rules.FIRST_SPINS_RETURN)
    said = dict(THEME.rules(0))["Potions left behind"]
    most, first, fifty = figures
    assert f"up to {most} times the bet (Blue + Green)" in said
    assert f"{first} % on its first spin" in said
    assert f"{fifty} % over its first {rules.FIRST_SPINS}" in said
    assert f"up to {most} bets to whoever comes next (blue and green)" in TEXT
    assert f"{first} % on its first spin and {fifty} % over its first fifty" in TEXT


@pytest.mark.parametrize("carried", CARRIED)
def test_the_page_s_table_of_what_is_left_is_exact(carried: tuple[str, ...]) -> None:
    """Each set of potions with the return of one spin and its worth to the next player."""
    row = f"| {colours(carried).replace('+', ', ')} | {float(100 * own_return(carried)):.2f} % | "
    assert f"{row}{float(worth_to_the_next()[carried]):.2f} |" in TEXT
