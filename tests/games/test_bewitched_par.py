"""Bewitched's PAR sheet: the required return at every bet with the pool at its seed and with its growth."""

from fractions import Fraction
from functools import cache

import pytest

from gamekit.agreement import judge
from gamekit.chunks import CHUNK_ROUNDS, simulate
from gamekit.maths import BetFigures
from gamekit.par import ParSheet, par_sheet
from gamekit.play import Stake
from games.bewitched import GAME
from games.bewitched.maths import MATHS
from games.bewitched.moments import SPIN, SpinFigures, potion_moments, shown
from games.bewitched.pays import BATTLE_ODDS, BATTLE_SPINS, FREE_SPIN_MULTIPLIER, MERLINS, POOL, WITCHES_PAYS
from games.bewitched.potions import FREE_SPINS, JACKPOT, MONEY, Potion, draw_potion, potion_weights
from tests.games.table import Script

HIGHEST = Stake(lines=15, coins_per_line=10)
HIGHEST_COINS = HIGHEST.coins


@cache
def sheet() -> ParSheet:
    return par_sheet(MATHS)


@cache
def figures(lines: int, coins: int) -> BetFigures:
    return MATHS.figures(Stake(lines=lines, coins_per_line=coins), "")


@pytest.mark.proof
def test_every_bet_returns_94_60_percent_and_95_10_with_growth() -> None:
    """Each of the 150 bets returns 94.600000 % with the pool at its seed and 95.100000 % with its growth."""
    assert [(stake.lines, stake.coins_per_line, stake.coins) for stake in GAME.stakes()] == [
        (bet.lines, bet.coins_per_line, bet.stake) for bet in sheet().bets
    ]
    assert {(bet.rtp_percent, bet.rtp_with_growth_percent) for bet in sheet().bets} == {("94.600000", "95.100000")}
    for bet in sheet().bets:
        assert abs(sum(map(Fraction, bet.parts.values())) - Fraction("94.6")) < Fraction(5, 10**6)


def test_every_bet_returns_the_same_fraction() -> None:
    """The return is one exact fraction at every bet, and so is each of its parts."""
    shares = {
        tuple(part.mean / stake.coins for part in figures(stake.lines, stake.coins_per_line).parts)
        for stake in GAME.stakes()
    }
    assert len(shares) == 1


def test_the_parts_have_their_names() -> None:
    """Lines, scatter, Merlin's money and the jackpot of the paid spin, and the same in free spins."""
    names = ["lines", "scatter", "merlin", "jackpot"]
    assert list(sheet().bets[0].parts) == [*names, *(f"free_{name}" for name in names)]


def test_the_jackpot_grows_by_half_a_percent_and_its_seed_is_small() -> None:
    """The seed's part is 0.02 %, the growth's half a percent; at 150 coins the jackpot falls once in 66,667 spins."""
    highest = figures(15, 10)
    parts = dict(zip((part.name for part in MATHS.parts), highest.parts, strict=True))
    seed = (parts["jackpot"].mean + parts["free_jackpot"].mean) / HIGHEST_COINS
    assert abs(seed - Fraction(2, 10000)) < Fraction(1, 10**9)
    assert (POOL.seed_coins, POOL.growth_per_mille) == (2000, 5)
    assert highest.growth == Fraction(5, 1000) * HIGHEST_COINS
    assert round(1 / highest.triggers["jackpot"]) == 66667


@pytest.mark.parametrize("coins", [1, 37, 150])
def test_the_jackpot_is_as_likely_as_the_coins_bet(coins: int) -> None:
    """Each coin bet brings the same chance of the jackpot, taken from the 15x; money's mean and free spins stay."""
    none, one, these = (potion_weights(bet) for bet in (0, 1, coins))
    assert these[Potion(JACKPOT)] == coins * one[Potion(JACKPOT)]
    assert sum(these.values()) == sum(none.values())
    changed = {potion for potion in these if these[potion] != none[potion]}
    assert changed == {Potion(MONEY, 15), Potion(MONEY, 300), Potion(JACKPOT)}
    assert potion_moments(coins).money.mean / coins == potion_moments(1).money.mean
    assert potion_moments(coins).spins == potion_moments(1).spins


def test_a_potion_is_drawn_as_its_weight_says() -> None:
    """At the ends of each potion's range of draws the production code makes that potion."""
    first = 0
    for potion, weight in potion_weights(150).items():
        for value in (first, first + weight - 1):
            assert draw_potion(150, Script([value])) == potion
        first += weight


def test_the_exact_counts_are_those_of_the_windows() -> None:
    """The chances of so many witches and Merlins are what drawing each reel's window one by one gives."""
    reels = SPIN.strips()
    expected = {(0, 0): Fraction(1)}
    for reel, length in enumerate(reels.lengths):
        going: dict[tuple[int, int], Fraction] = {}
        for (witches, merlins), chance in expected.items():
            for stop in range(length):
                column = reels.column(reel, stop)
                key = (witches + column.count("witches"), merlins + column.count("merlin"))
                going[key] = going.get(key, Fraction(0)) + chance / length
        expected = going
    assert {shown(count): chance for count, chance in SpinFigures().chances.items()} == expected


def test_the_free_spins_add_up() -> None:
    """Free spins a round follow from battles and potions alone: what each wins, over one less what a free spin wins."""
    spin = SpinFigures()
    per_spin = sum(
        chance
        * (
            Fraction(BATTLE_SPINS.get(shown(count)[0], 0), BATTLE_ODDS)
            + (potion_moments(1).spins.mean if shown(count)[1] >= MERLINS else 0)
        )
        for count, chance in spin.chances.items()
    )
    assert figures(15, 1).free_spins == per_spin / (1 - per_spin)
    scatter = sum(chance * WITCHES_PAYS.get(shown(count)[0], 0) for count, chance in spin.chances.items())
    assert figures(15, 1).parts[1].mean == 15 * scatter


def test_the_moments_are_those_of_all_outcomes() -> None:
    """Scatter, money, jackpot and spins, their squares and products are those of every window, battle and potion."""
    stake = Stake(lines=15, coins_per_line=2)
    weights = potion_weights(30)
    potions = [(potion, Fraction(weight, sum(weights.values()))) for potion, weight in weights.items()]
    spin = SpinFigures()
    mean = [Fraction(0)] * 4
    product = [[Fraction(0)] * 4 for _ in range(4)]
    for count, chance in spin.chances.items():
        witches, merlins = shown(count)
        battles = [(BATTLE_SPINS[witches], Fraction(1, 2)), (0, Fraction(1, 2))] if witches > 1 else [(0, Fraction(1))]
        brews = potions if merlins >= MERLINS else [(Potion(MONEY, 0), Fraction(1))]
        for battle, likely in battles:
            for potion, share in brews:
                extra = potion.amount if potion.kind == FREE_SPINS else 0
                money = potion.amount * 30 if potion.kind == MONEY else 0
                jackpot = 2000 if potion.kind == JACKPOT else 0
                outcome = (WITCHES_PAYS.get(witches, 0) * 30, money, jackpot, battle + extra)
                odds = chance * likely * share
                mean = [known + odds * value for known, value in zip(mean, outcome, strict=True)]
                for place, row in enumerate(product):
                    product[place] = [
                        known + odds * outcome[place] * value for known, value in zip(row, outcome, strict=True)
                    ]
    exact = spin.moments(stake, FREE_SPIN_MULTIPLIER)
    assert (*exact.mean[1:], exact.spins) == tuple(mean)
    assert [list(row[1:]) for row in exact.product[1:]] == [row[:3] for row in product[:3]]
    assert (*exact.with_spins[1:], exact.spins_square) == tuple(product[3])


@pytest.mark.parametrize("stake", [Stake(lines=1, coins_per_line=1), Stake(lines=7, coins_per_line=3), HIGHEST])
def test_the_played_game_agrees_with_the_exact_one(stake: Stake) -> None:
    """Rounds of the production play lie inside the jointly 99.99 % intervals, part by part."""
    report = judge(MATHS, stake, simulate("bewitched", stake, 2 * CHUNK_ROUNDS, seed=3, jobs=1), seed=3)
    assert [part.name for part in report.parts if part.alarm] == []


def test_more_lines_hit_more_often() -> None:
    """With each further line the hit frequency rises; it is the same for any coins."""
    hits = [figures(lines, 1).hit_frequency for lines in range(1, 16)]
    assert sorted(hits) == hits
    assert len(set(hits)) == 15
    assert figures(15, 10).hit_frequency == hits[-1]


def test_the_largest_win_counts_the_potion() -> None:
    """At one line and one coin five owls beat what Merlin can bring beside a line; the jackpot's seed is in it."""
    one = figures(1, 1).largest
    assert one.coins == 10_000
    # Two owls on reels 1, 2, 4 and 5, three on reel 3.
    assert one.chance == Fraction(2 * 2 * 3 * 2 * 2, 40 * 40 * 41 * 41 * 41)
    assert figures(1, 10).largest.coins == 100_000
    free = MATHS.best_free_spin(Stake(lines=1, coins_per_line=1))
    assert (free.coins, free.chance) == (FREE_SPIN_MULTIPLIER * 10_000, one.chance)


def test_the_triggers_are_named() -> None:
    """The sheet says how often battle, Merlin, free spins and the jackpot come."""
    assert set(sheet().triggers) == {"battle", "merlin", "free_spins", "jackpot"}
    assert all(0 < chance < 1 for chance in sheet().triggers.values())


def test_this_maths_version_has_this_hash() -> None:
    """Changing strips, pays, lines, battle, potions or pool needs a new maths version: rounds are replayed by it."""
    assert (GAME.maths_version, GAME.maths_hash) == (
        1,
        "e4a64932e981aabc2fb8b6afc82dcfdeb835299b3e3f31f036e239e34dda4123",
    )
