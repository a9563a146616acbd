"""What players may read of their chances agrees with the games' exact figures, which their folders keep."""

import msgspec
import pytest

from gamekit.agreement import KeptSimulation
from gamekit.catalogue import folder_of, load, names
from gamekit.par import ParSheet
from gamekit.play import Stake, Step
from games.bewitched.maths import MATHS
from games.mona_lisa_jewels.pays import JACKPOT_AWARD
from games.mystery_elves.pays import GRAND, MAJOR, MINI, MINOR
from games.witch_feature.potions import WitchMemory
from tests.games.table import Luck, play_out
from tests.proofs.simulations import RUNS, Run, page
from tests.rigs.paths import TEXT


def kept(name: str) -> ParSheet:
    """Return the PAR sheet that a game's folder keeps."""
    return msgspec.json.decode((folder_of(name) / "par.json").read_bytes(), type=ParSheet)


@pytest.mark.parametrize("name", names())
def test_the_kept_par_sheet_is_this_games(name: str) -> None:
    """Its folder holds the figures of the maths that is played, at every bet and in every state that it has."""
    game, sheet = load(name), kept(name)
    assert (game.name, game.maths_version, game.maths_hash) == (sheet.game, sheet.maths_version, sheet.maths_hash)
    bets = {(stake.lines, stake.coins_per_line) for stake in game.stakes()}
    assert bets == {(bet.lines, bet.coins_per_line) for bet in sheet.bets}


def test_the_page_gives_the_jackpots_odds_at_every_bet_of_bewitched() -> None:
    """The lowest and the highest chance are on the page; each bet has that of its coins, the exact one of the maths."""
    sheet = kept("bewitched")
    odds = {bet.stake: 1 / bet.triggers["jackpot"] for bet in sheet.bets}
    one, most = odds[min(odds)], odds[max(odds)]
    assert (min(odds), max(odds)) == (1, 150)
    assert f"in one paid spin in {one:,.0f}, a bet of 150 coins in one in {most:,.0f};" in TEXT
    assert f"*n* coins in one in {one:,.0f} / *n*" in TEXT
    assert all(round(one / coins) == round(each) for coins, each in odds.items())
    exact = MATHS.figures(Stake(lines=15, coins_per_line=10), "").triggers["jackpot"]
    for bet in sheet.bets:
        assert float(exact * bet.stake / 150) == pytest.approx(bet.triggers["jackpot"], rel=1e-12)


def test_the_page_gives_the_jackpots_odds_of_mona_lisa_jewels() -> None:
    """Only the highest bet plays for the pool, with the odds on the page."""
    sheet = kept("mona_lisa_jewels")
    with_pool = [bet for bet in sheet.bets if "pool" in bet.triggers]
    assert [(bet.lines, bet.coins_per_line) for bet in with_pool] == [(25, 10)]
    assert f"one paid spin in {1 / with_pool[0].triggers['pool']:,.0f}" in TEXT


@pytest.mark.requirement("S8", "R10")
@pytest.mark.parametrize("name", names())
def test_what_was_played_before_changes_no_round(name: str) -> None:
    """A round comes out the same after none and a hundred: its bet, draws, answers and memory make it."""
    game = load(name)
    stake = game.stakes()[-1]

    def round_of(seed: int) -> list[object]:
        luck = Luck(seed)
        return [*play_out(stake, luck.draw, lambda offer: offer.choices[0] if offer.choices else 0, game)]

    first = round_of(77)
    for seed in range(100):
        round_of(seed)
    assert first == round_of(77)


def test_only_what_a_bet_of_witch_feature_carries_enters_a_round() -> None:
    """From the same draws potions that the bet carries make another round of some; no other game has a memory."""
    assert {name for name in names() if load(name).memory_type is not None} == {"witch_feature"}
    game = load("witch_feature")
    stake = game.stakes()[-1]

    def rounds_with(memory: WitchMemory) -> list[list[Step]]:
        return [play_out(stake, Luck(seed).draw, game=game, memory=memory) for seed in range(300)]

    fresh, left = rounds_with(WitchMemory()), rounds_with(WitchMemory(("potion_blue", "potion_green")))
    assert fresh == rounds_with(WitchMemory())
    assert fresh != left


def test_the_page_gives_seeds_and_fixed_awards() -> None:
    """What the pools start at and grow by, and what is fixed, is the games' own."""
    pools = {name: pool for name in names() if (pool := load(name).pool) is not None}
    assert set(pools) == {"bewitched", "mona_lisa_jewels"}
    seeds = f"{pools['bewitched'].seed_coins:,} coins in Bewitched and {pools['mona_lisa_jewels'].seed_coins:,} in Mona"
    assert seeds in TEXT
    for pool in pools.values():
        assert f"grows by {pool.growth_per_mille / 10} % of every bet" in TEXT
    assert f"five jackpot symbols pay {JACKPOT_AWARD} coins per coin on the line" in TEXT
    assert f"are fixed: {MINI}, {MINOR}, {MAJOR} and {GRAND:,} times the bet" in TEXT


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_the_kept_simulation_is_of_this_maths(run: Run) -> None:
    """What the folder says was played is as many rounds as it says of the maths that is played, and raised no alarm."""
    kept_run = msgspec.json.decode(run.file.read_bytes(), type=KeptSimulation)
    report = kept_run.report
    assert (run.command, run.stake, run.rounds) == (kept_run.command, report.stake, report.rounds)
    assert load(run.game).maths_hash == report.maths_hash
    assert not kept_run.outside_jointly_99_99_percent
    assert page(run, report) == run.page.read_text()


def test_every_game_is_played_ten_million_times() -> None:
    """No game of the catalogue is left out of the proofs."""
    assert set(names()) == {run.game for run in RUNS if run.rounds >= 10_000_000}
