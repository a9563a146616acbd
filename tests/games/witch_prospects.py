"""The exact worth, in whole bets, of the carried potions to players who come and go.

Witch Feature's return is the same in every state only if the worth of the potions carried afterwards is counted. A
player who stops leaves them behind: the first spins return less, and the next player may find some.
"""

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from functools import cache

from gamekit.exact.linear import solve
from games.witch_feature.maths import free_spins_mean
from games.witch_feature.pays import LINES
from games.witch_feature.play import PAID_REELS
from games.witch_feature.states import CARRIED, combination_mean, outcomes
from games.witch_feature.worth import lines_mean

Carried = tuple[str, ...]
"""The potions that a bet carries, as in `CARRIED`."""


@cache
def own_return(carried: Carried) -> Fraction:
    """Return the mean win of one spin by itself; it is the same whatever is unlocked."""
    potions = sum(
        (
            chance * combination_mean(outcome.combination, 0)
            for outcome, chance in outcomes(carried).items()
            if outcome.combination is not None
        ),
        Fraction(0),
    )
    return (lines_mean(PAID_REELS) + potions + free_spins_mean()) / len(LINES)


@cache
def moves(carried: Carried) -> Mapping[Carried, Fraction]:
    """Return the chance of each set of potions that a spin leaves behind."""
    chances: dict[Carried, Fraction] = defaultdict(Fraction)
    for outcome, chance in outcomes(carried).items():
        chances[outcome.carried] += chance
    return dict(chances)


def first_spins_return(spins: int) -> Fraction:
    """Return the mean return of the first `spins` spins at a bet that was never played."""
    present: dict[Carried, Fraction] = {(): Fraction(1)}
    won = Fraction(0)
    for _ in range(spins):
        won += sum(chance * own_return(carried) for carried, chance in present.items())
        after: dict[Carried, Fraction] = defaultdict(Fraction)
        for carried, chance in present.items():
            for left, likely in moves(carried).items():
                after[left] += chance * likely
        present = after
    return won / spins


def worth_to_the_next() -> Mapping[Carried, Fraction]:
    """Return the worth of each set of potions left behind to the next player, who plays while it pays and then leaves.

    It is the highest mean of wins less bets over all stopping rules, found by exact policy iteration: the set of states
    in which to play is improved until no state can be improved.
    """
    plays: frozenset[Carried] = frozenset()
    while True:
        worth = _worth_of(plays)
        better = frozenset(carried for carried in CARRIED if _played(carried, worth) > 0)
        if better == plays:
            return worth
        plays = better


def _played(carried: Carried, worth: Mapping[Carried, Fraction]) -> Fraction:
    """Return the mean of a spin from `carried`: its win less its bet, and the potions left behind."""
    left = sum((chance * worth[after] for after, chance in moves(carried).items()), Fraction(0))
    return own_return(carried) - 1 + left


def _worth_of(plays: frozenset[Carried]) -> Mapping[Carried, Fraction]:
    """Return each state's worth to a player who plays in `plays` and leaves elsewhere."""
    within = [carried for carried in CARRIED if carried in plays]
    rows = [
        [*((carried == after) - moves(carried).get(after, Fraction(0)) for after in within), own_return(carried) - 1]
        for carried in within
    ]
    return {**dict.fromkeys(CARRIED, Fraction(0)), **dict(zip(within, solve(rows), strict=True))}
