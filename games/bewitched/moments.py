"""The exact moments of one Bewitched spin: lines, scatters, Merlin's money and the jackpot, beside the spins won.

Witches and Merlins both count anywhere, so every sum runs over the numbers of each in the window. Given these two
numbers, the battle and the potion depend only on their own draws. A potion has exactly one outcome: money, spins and
jackpot exclude each other.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from typing import NamedTuple

from gamekit.exact.definition import PickRules, ScatterRules, SpinDefinition, count_symbols
from gamekit.exact.extremes import Largest, largest_win
from gamekit.exact.hits import LineHits
from gamekit.exact.moments import LineProducts, LineWithScatters, SpinMoments, line_mean, scatter_ways
from gamekit.exact.runs import Runs
from gamekit.play import Stake
from games.bewitched.pays import (
    BATTLE_ODDS,
    BATTLE_SPINS,
    LINE_RULES,
    LINES,
    MERLIN,
    MERLINS,
    POOL,
    WITCHES,
    WITCHES_PAYS,
)
from games.bewitched.potions import FREE_SPINS, JACKPOT, MONEY, Potion, potion_weights
from games.bewitched.strips import REELS

# The window's count is witches + _APART x Merlins: at most one witch of a reel is in view.
_APART = len(REELS.strips) + 1

# More than any window pays in bets, so that the search for the largest win prefers windows with a potion.
_PREFERRED = 10**6


def shown(count: int) -> tuple[int, int]:
    """Return the witches and the Merlins of a window's `count`."""
    merlins, witches = divmod(count, _APART)
    return witches, merlins


_pays = {count: WITCHES_PAYS.get(shown(count)[0], 0) for count in range(_APART**2)}

SPIN = SpinDefinition(
    counts=count_symbols(REELS),
    rows=REELS.rows,
    lines=LINES,
    rules=LINE_RULES,
    scatter=ScatterRules(symbol=WITCHES, pays=_pays, weights={WITCHES: 1, MERLIN: _APART}),
    picks=PickRules(name="none", picks={}, mean=Fraction(0)),
    reels=REELS,
)


class Moments(NamedTuple):
    """The mean of an amount, and the mean of its square."""

    mean: Fraction
    mean_square: Fraction


_NOTHING = Moments(Fraction(0), Fraction(0))

_LINES, _SCATTER, _MONEY, _JACKPOT = range(4)
"""The parts of a spin, in the order of `SpinFigures.moments`."""


@dataclass(frozen=True)
class PotionMoments:
    """What one potion is worth: the coins of its money and its jackpot, and its free spins."""

    money: Moments
    jackpot: Moments
    spins: Moments
    brings_spins: Fraction
    jackpot_chance: Fraction


def potion_moments(bet: int) -> PotionMoments:
    """Return the moments of a potion for a whole bet of `bet` coins, the pool at its seed."""
    weights = potion_weights(bet)
    total = sum(weights.values())

    def moments(worth: Mapping[Potion, int]) -> Moments:
        first = sum(amount * weights[potion] for potion, amount in worth.items())
        second = sum(amount**2 * weights[potion] for potion, amount in worth.items())
        return Moments(Fraction(first, total), Fraction(second, total))

    spins = {potion: potion.amount for potion in weights if potion.kind == FREE_SPINS}
    return PotionMoments(
        money=moments({potion: potion.amount * bet for potion in weights if potion.kind == MONEY}),
        jackpot=moments({Potion(JACKPOT): POOL.seed_coins}),
        spins=moments(spins),
        brings_spins=Fraction(sum(weights[potion] for potion in spins), total),
        jackpot_chance=Fraction(weights[Potion(JACKPOT)], total),
    )


class SpinFigures:
    """One spin's exact figures; what depends on the strips alone is worked out once."""

    def __init__(self) -> None:
        self._runs = Runs(SPIN.rules, SPIN.rules.pays, SPIN.symbols)
        self._products = LineProducts(SPIN, self._runs, self._runs)
        self._beside = LineWithScatters(SPIN, self._runs)
        self.chances = {
            count: Fraction(ways, SPIN.combinations) for count, ways in enumerate(scatter_ways(SPIN)) if ways
        }
        self.battle_chance = self._chance_of({count for count in self.chances if shown(count)[0] in WITCHES_PAYS})
        self.merlin_chance = self._chance_of({count for count in self.chances if shown(count)[1] >= MERLINS})
        self._pairs = cache(self._count_pairs)
        self._lines_by_count = cache(self._count_lines)

    @cached_property
    def line_chance(self) -> Callable[..., Fraction]:
        """The chance that so many lines win, or the count is one of those given."""
        return cache(LineHits(SPIN, tuple(SPIN.rules.pays)).chance)

    def _chance_of(self, counts: set[int]) -> Fraction:
        return sum((self.chances[count] for count in counts), Fraction(0))

    def _count_pairs(self, lines: int) -> Fraction:
        played = LINES[:lines]
        return Fraction(sum(self._products.total(a, b) for a in played for b in played), SPIN.combinations)

    def _count_lines(self, lines: int) -> list[Fraction]:
        by_line = [self._beside.ways(line) for line in LINES[:lines]]
        return [Fraction(sum(ways), SPIN.combinations) for ways in zip(*by_line, strict=True)]

    def hit_frequency(self, lines: int) -> Fraction:
        """Return the chance that a spin pays, or starts a battle or Merlin's bonus."""
        counts = {count for count in self.chances if shown(count)[0] in WITCHES_PAYS or shown(count)[1] >= MERLINS}
        return self.line_chance(lines, frozenset(counts))

    def free_spins_chance(self, brings_spins: Fraction) -> Fraction:
        """Return the chance that a spin wins free spins, by its battle or by a potion with the chance given."""
        none = Fraction(0)
        for count, chance in self.chances.items():
            witches, merlins = shown(count)
            lost = 1 - Fraction(1, BATTLE_ODDS) if witches in WITCHES_PAYS else Fraction(1)
            none += chance * lost * (1 - brings_spins if merlins >= MERLINS else 1)
        return 1 - none

    def means(self, stake: Stake, multiplier: int) -> tuple[Fraction, Fraction]:
        """Return what a spin wins in coins and how many free spins it wins, on average."""
        potion = potion_moments(stake.coins)
        coins = line_mean(SPIN, self._runs) * stake.coins * multiplier
        spins = Fraction(0)
        for count, chance in self.chances.items():
            witches, merlins = shown(count)
            coins += chance * WITCHES_PAYS.get(witches, 0) * stake.coins
            spins += chance * Fraction(BATTLE_SPINS.get(witches, 0), BATTLE_ODDS)
            if merlins >= MERLINS:
                coins += chance * (potion.money.mean + potion.jackpot.mean)
                spins += chance * potion.spins.mean
        return coins, spins

    def moments(self, stake: Stake, multiplier: int) -> SpinMoments:
        """Return the moments in coins, parts in the order lines, scatter, Merlin's money, jackpot."""
        potion = potion_moments(stake.coins)
        mean, with_spins = [Fraction(0)] * 4, [Fraction(0)] * 4
        product = [[Fraction(0)] * 4 for _ in range(4)]
        spins = spins_square = Fraction(0)
        by_count = self._lines_by_count(stake.lines)
        for count, chance in self.chances.items():
            witches, merlins = shown(count)
            brews = merlins >= MERLINS
            lines = by_count[count] * stake.coins_per_line * multiplier
            scatter = Fraction(WITCHES_PAYS.get(witches, 0) * stake.coins)
            money, jackpot, extra = (potion.money, potion.jackpot, potion.spins) if brews else (_NOTHING,) * 3
            battle = Fraction(BATTLE_SPINS.get(witches, 0), BATTLE_ODDS)
            mean_spins = battle + extra.mean
            # `lines` is already weighted by the chance of this count; the other three are not.
            sums = (lines, chance * scatter, chance * money.mean, chance * jackpot.mean)
            others = (scatter, money.mean, jackpot.mean)
            for part, (worth, won) in enumerate(zip(sums, (mean_spins, mean_spins, battle, battle), strict=True)):
                mean[part] += worth
                with_spins[part] += worth * won
            for part, other in enumerate(others, start=_SCATTER):
                product[_LINES][part] += lines * other
                product[part][_LINES] += lines * other
            for part in (_MONEY, _JACKPOT):
                product[_SCATTER][part] += scatter * sums[part]
                product[part][_SCATTER] += scatter * sums[part]
            for part, square in enumerate((scatter**2, money.mean_square, jackpot.mean_square), start=_SCATTER):
                product[part][part] += chance * square
            spins += chance * mean_spins
            spins_square += chance * (battle**2 * BATTLE_ODDS + extra.mean_square + 2 * battle * extra.mean)
        product[_LINES][_LINES] = self._pairs(stake.lines) * (stake.coins_per_line * multiplier) ** 2
        return SpinMoments(
            mean=tuple(mean),
            product=tuple(map(tuple, product)),
            with_spins=tuple(with_spins),
            spins=spins,
            spins_square=spins_square,
        )


@cache
def _largest(lines: int, multiplier: int, *, brews: bool) -> Largest:
    """Return the largest win in coins at one coin a line, the potion left out; where it `brews`, among such windows."""
    pays = {count: pay + _PREFERRED * (brews and shown(count)[1] >= MERLINS) for count, pay in _pays.items()}
    found = largest_win(replace(SPIN, multiplier=multiplier, scatter=replace(SPIN.scatter, pays=pays)), lines)
    return Largest(found.coins - _PREFERRED * lines * brews, found.chance)


def largest(stake: Stake, multiplier: int) -> Largest:
    """Return the largest win of one spin in coins with its potion, the pool at its seed."""
    weights = potion_weights(stake.coins)
    worth = {
        potion: POOL.seed_coins if potion.kind == JACKPOT else potion.amount * stake.coins
        for potion in weights
        if potion.kind != FREE_SPINS
    }
    most = max(worth.values())
    chance = Fraction(sum(weights[potion] for potion in worth if worth[potion] == most), sum(weights.values()))
    beside = _largest(stake.lines, multiplier, brews=True)
    with_potion = Largest(beside.coins * stake.coins_per_line + most, beside.chance * chance)
    plain = _largest(stake.lines, multiplier, brews=False)
    without = Largest(plain.coins * stake.coins_per_line, plain.chance)
    if with_potion.coins == without.coins:
        return Largest(without.coins, with_potion.chance + without.chance)
    return max(with_potion, without, key=lambda found: found.coins)
