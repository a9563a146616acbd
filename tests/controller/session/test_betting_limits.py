"""Whatever is pressed, no bet is beyond the house's largest stake and prize (docs/fair-play.md)."""

from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from controller.configuration.cabinet_toml import Games
from controller.session import betting
from gamekit.catalogue import load, names
from gamekit.win_up_to import promise
from tests.rigs.virtual_cabinet import only

LIMITS = st.sampled_from((0, 20, 50, 100, 200, 500))
PRIZES = st.sampled_from((0, 10_000, 40_000, 50_000, 1_000_000))
CONTROLS = st.lists(st.sampled_from(("bet", "lines", "coin_value", "most", "lowest")), max_size=12)


@given(name=st.sampled_from(names()), stake=LIMITS, prize=PRIZES, controls=CONTROLS, credit=st.integers(0, 10_000))
def test_no_press_leads_beyond_the_house_s_limits(
    name: str, stake: int, prize: int, controls: list[str], credit: int
) -> None:
    """Every bet that the panel reaches is one on offer, and the range that the lobby names holds it."""
    game, games = load(name), Games(largest_stake_cents=stake, largest_prize_cents=prize)
    if not betting.offered(game, games):
        assert name not in betting.playable(games)
        return
    bet = betting.first_bet(game, games)
    for control in ["", *controls]:
        if control in ("bet", "lines", "coin_value"):
            bet = betting.stepped(game, games, bet, control)
        elif control:
            lowest = control == "lowest"
            bet = betting.lowest_bet(game, games) if lowest else betting.most(game, games, bet, credit)
        assert betting.is_offered(game, games, bet)
        assert not stake or bet.cents <= stake
        found = promise(name, lines=bet.lines, coins_per_line=bet.coins_per_line)
        assert not prize or found.cents(bet.coin_value_cents) <= prize
        low, high = betting.bet_range(game, games)
        assert low <= bet.cents <= high


def test_a_growing_jackpot_has_no_highest_prize() -> None:
    """The bets that win it are not offered where there is one: none of Bewitched's, one of Mona Lisa Jewels'."""
    games = Games(largest_prize_cents=1_000_000_000)
    assert betting.offered(load("bewitched"), games) == ()
    mona = load("mona_lisa_jewels")
    without = betting.offered(mona, games)
    assert len(betting.offered(mona, Games())) - len(without) == len(games.coin_values_cents)
    assert not any((bet.lines, bet.coins_per_line) == (25, 10) for bet in without)


def test_a_gamble_wins_no_more_than_the_prize() -> None:
    """What is above half of it is not gambled."""
    game = load("bewitched")
    assert betting.gamble_cap(game, Games(largest_prize_cents=40_000)) == 20_000
    assert betting.gamble_cap(game, Games()) == game.gamble_cap_cents


def test_a_bought_feature_is_a_stake() -> None:
    """Its price is what is staked."""
    game, games = load("mystery_elves"), Games(largest_stake_cents=1_000)
    bet = betting.total_bet(game, 20)
    assert betting.fits(game, games, bet)
    assert not betting.fits(game, games, bet, game.buy_price)


def test_games_without_a_bet_leave_the_lobby(tmp_path: Path) -> None:
    """The default among them is replaced; with none left all stay, and a fault stops play."""
    config = only(tmp_path, *names())
    games = msgspec.structs.replace(config.games, largest_stake_cents=20, default="witch_feature")
    left = betting.within_limits(msgspec.structs.replace(config, games=games)).games
    assert set(names()) - set(left.enabled) == {"witch_feature"}
    assert left.default == left.enabled[0]
    nothing = msgspec.structs.replace(config, games=msgspec.structs.replace(games, largest_prize_cents=100))
    assert betting.within_limits(nothing) == nothing
    assert betting.playable(nothing.games) == ()
