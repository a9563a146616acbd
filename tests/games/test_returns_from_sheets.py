"""Whoever has only a filed PAR sheet can work out the game's returns from it, and arrives at those that it prints."""

import pytest

from tests.games.from_filed_sheet import Filed
from tests.games.from_sheet import MonaLisa, MysteryElves, counts, table
from tests.games.recomputed import RECOMPUTED, filed, kept
from tests.games.sheet_pages import percent
from tests.games.witch_from_sheet import WitchFeature


@pytest.mark.parametrize("name", ["neptune", "bewitched", "mona_lisa_jewels"])
def test_the_return_at_every_bet_comes_out_of_the_sheet(name: str) -> None:
    """Every bet's six decimals, the jackpot at its seed, as `par.json` has them."""
    sheet = Filed(filed(name))
    returned = RECOMPUTED[name](sheet)
    assert [percent(returned(row)) for row in sheet.returns] == [bet.rtp_percent for bet in kept(name).bets]


def test_mystery_elves_returns_come_out_of_the_sheet() -> None:
    """Paid and bought."""
    sheet = Filed(filed("mystery_elves"))
    returned = MysteryElves(sheet).returned()
    assert {int(row["price"]): percent(returned(row)) for row in sheet.returns} == {
        bet.price: bet.rtp_percent for bet in kept("mystery_elves").bets
    }


def test_witch_feature_s_returns_come_out_of_the_sheet() -> None:
    """What a spin returns by itself in each of the 40 states, and the return of endless play."""
    sheet = Filed(filed("witch_feature"))
    witch = WitchFeature(sheet)
    assert {witch.state_of(row) for row in sheet.returns} == {*witch.states()}
    for row, bet in zip(sheet.returns, kept("witch_feature").bets, strict=True):
        own = percent(witch.own_return(witch.state_of(row)))
        assert own == row["the spin itself %"] == bet.own_rtp_percent
    assert {bet.rtp_percent for bet in kept("witch_feature").bets} == {percent(witch.in_the_long_run())}


def test_mona_lisa_s_free_spins_come_as_often_as_the_sheet_says() -> None:
    """One paid spin in 173.76: by its own palettes, or by those of its jewel spins."""
    mona = MonaLisa(Filed(filed("mona_lisa_jewels")))
    least = min(table(mona.known["FREE_SPINS"]))
    own = counts(mona.shown, mona.known["PALETTE"])
    jewel_spins = sum(chance for told, chance in mona.palettes().items() if told[0] < least <= max(told[1:]))
    chance = sum(chance for number, chance in own.items() if number >= least) + mona.trigger * jewel_spins
    assert f"{float(1 / chance):.2f}" == "173.76"
    assert float(chance) == pytest.approx(kept("mona_lisa_jewels").triggers["free_spins"], rel=1e-12)
