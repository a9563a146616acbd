"""Whoever has only a PAR sheet can work out the game's return from it, and arrives at the figures that it prints."""

import pytest

from tests.games import from_sheet, witch_from_sheet
from tests.games.from_sheet import MonaLisa, MysteryElves, bewitched, neptune, read
from tests.games.sheet_pages import imported_by, percent
from tests.games.witch_from_sheet import WitchFeature


@pytest.mark.parametrize("name", ["neptune", "bewitched", "mona_lisa_jewels"])
def test_the_return_at_every_bet_comes_out_of_the_sheet(name: str) -> None:
    """Every bet's six decimals, the jackpot at its seed."""
    sheet = read(name)
    returned = {
        "neptune": neptune,
        "bewitched": bewitched,
        "mona_lisa_jewels": lambda known: MonaLisa(known).returned(),
    }[name](sheet)
    assert [percent(returned(bet["lines"], bet["coins_per_line"])) for bet in sheet["bets"]] == [
        bet["rtp_percent"] for bet in sheet["bets"]
    ]


def test_mystery_elves_returns_come_out_of_the_sheet() -> None:
    """Paid and bought."""
    sheet = read("mystery_elves")
    elves = MysteryElves(sheet)
    assert {bet["price"]: percent(elves.returned(bet["price"])) for bet in sheet["bets"]} == {
        bet["price"]: bet["rtp_percent"] for bet in sheet["bets"]
    }


def test_witch_feature_s_returns_come_out_of_the_sheet() -> None:
    """What a spin returns by itself in each of the 40 states, and the return of endless play."""
    sheet = read("witch_feature")
    witch = WitchFeature(sheet)
    printed = sorted(bet["own_rtp_percent"] for bet in sheet["bets"])
    assert sorted(percent(witch.own_return(state)) for state in witch.states()) == printed
    assert {bet["rtp_percent"] for bet in sheet["bets"]} == {percent(witch.in_the_long_run())}


def test_mona_lisa_s_free_spins_come_as_often_as_the_sheet_says() -> None:
    """One paid spin in 173.76: by its own palettes, or by those of its jewel spins."""
    sheet = read("mona_lisa_jewels")
    chance = MonaLisa(sheet).free_spin_trigger()
    assert f"{float(1 / chance):.2f}" == "173.76"
    assert float(chance) == pytest.approx(sheet["triggers"]["free_spins"], rel=1e-12)


@pytest.mark.parametrize("module", [from_sheet, witch_from_sheet])
def test_only_the_sheet_is_read(module: object) -> None:
    """No code of the games, the controller or the display takes part."""
    imported = imported_by(module)
    assert {name for name in imported if name.split(".")[0] in {"games", "controller", "drivers", "ui"}} == set()
    assert {name for name in imported if name.startswith("tests.")} <= {"tests.games.from_sheet"}
