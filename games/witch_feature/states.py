"""The states of a bet's memory, and the worth of carried potions.

Three potions have the same mean win in every unlock state, so the carried potions alone form a Markov chain. With
Phi(c) the worth of carried potions c, the mean of win + Phi(after) - Phi(before) is the same for each c: ten linear
equations in nine worths and that mean (Phi of no potions is 0).
"""

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product

from gamekit.exact.linear import solve
from games.witch_feature.pays import POTIONS
from games.witch_feature.play import PAID_REELS
from games.witch_feature.potions import COMBINATION, Collected, WitchMemory, collect, won_by
from games.witch_feature.worth import feature_mean

CARRIED: tuple[tuple[str, ...], ...] = tuple(
    carried for count in range(COMBINATION) for carried in combinations_with_replacement(sorted(POTIONS), count)
)
"""The ten multisets of at most two potions."""


@cache
def state_name(memory: WitchMemory) -> str:
    """Return the name of a state: features unlocked after the first, and colours carried, as in `2:blue+red`."""
    colours = "+".join(potion.removeprefix("potion_") for potion in memory.carried)
    return f"{memory.unlocked}:{colours or 'none'}"


@cache
def landing_chances() -> Mapping[tuple[str, ...], Fraction]:
    """Return the chance of each row of potions that a paid spin lands, from left to right."""
    chances: dict[tuple[str, ...], Fraction] = {(): Fraction(1)}
    for stops in PAID_REELS.potions:
        longer: dict[tuple[str, ...], Fraction] = defaultdict(Fraction)
        for landed, chance in chances.items():
            for potion in stops:
                longer[landed if potion is None else (*landed, potion[1])] += chance / len(stops)
        chances = dict(longer)
    return chances


@cache
def outcomes(carried: tuple[str, ...]) -> Mapping[Collected, Fraction]:
    """Return the chance of each outcome of a paid spin with potions `carried`."""
    chances: dict[Collected, Fraction] = defaultdict(Fraction)
    for landed, chance in landing_chances().items():
        chances[collect(carried, landed)] += chance
    return dict(chances)


def feature_chances(memory: WitchMemory) -> Mapping[str, Fraction]:
    """Return the chance of each feature that potions can trigger on a paid spin, Explosion included."""
    chances: dict[str, Fraction] = defaultdict(Fraction)
    for outcome, chance in outcomes(memory.carried).items():
        if outcome.combination is not None:
            feature, likely = won_by(outcome.combination, memory.unlocked)
            chances[feature] += chance * likely
    return dict(chances)


def combination_mean(combination: tuple[str, ...], unlocked: int) -> Fraction:
    """Return what a combination wins on average, in coins."""
    feature, chance = won_by(combination, unlocked)
    return chance * feature_mean((feature,))


@cache
def potion_values() -> tuple[Mapping[tuple[str, ...], Fraction], Fraction]:
    """Return Phi of each of the ten carried multisets, and the mean win of potion features per paid spin, in coins."""
    rows = []
    for carried in CARRIED:
        # Phi(before) - mean of Phi(after) + return = mean win; the first unknown, Phi of none, is the return instead.
        row = dict.fromkeys(CARRIED, Fraction(0))
        row[carried] += 1
        win = Fraction(0)
        for outcome, chance in outcomes(carried).items():
            row[outcome.carried] -= chance
            if outcome.combination is not None:
                win += chance * combination_mean(outcome.combination, 0)
        rows.append([Fraction(1), *(row[key] for key in CARRIED[1:]), win])
    mean, *worths = solve(rows)
    return {(): Fraction(0), **dict(zip(CARRIED[1:], worths, strict=True))}, mean


STATES: tuple[WitchMemory, ...] = tuple(
    WitchMemory(carried, unlocked) for unlocked, carried in product(range(4), CARRIED)
)
"""The forty states."""
