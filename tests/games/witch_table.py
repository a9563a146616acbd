"""Witch Feature by hand: stops found for what they show, and draws that make a round go as given."""

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from gamekit.play import Answer, Offer, Stake, Step
from gamekit.reels import Reels
from games.witch_feature import GAME
from games.witch_feature.features import evaluator
from games.witch_feature.pays import FREE_FEATURE_TABLE, FREE_FEATURES, FREE_SPINS, LINES
from games.witch_feature.play import PAID_REELS
from games.witch_feature.potions import WitchMemory
from games.witch_feature.strips import FREE_REELS, HIGH_REELS, RESPIN_REELS

STAKE = Stake(lines=50, coins_per_line=1)
HAPPENS = 0
FAILS = 2**32 - 1
R, B, G = "potion_red", "potion_blue", "potion_green"
ALL_UNLOCKED = 3


class Round(NamedTuple):
    """The steps of a round and the memory that it leaves."""

    steps: list[Step]
    memory: WitchMemory


def play_round(
    draw: Callable[[int], int],
    memory: WitchMemory | None = None,
    choose: Callable[[Offer], int] = lambda offer: offer.choices[0],
) -> Round:
    """Play one round to its end with the memory of the bet."""
    play = GAME.play(STAKE, draw, memory)
    steps: list[Step] = []
    answer = None
    while True:
        try:
            step = play.send(answer)
        except StopIteration as end:
            return Round(steps, end.value)
        steps.append(step)
        answer = Answer(choose(step)) if isinstance(step, Offer) else None


def of_type(steps: Sequence[Step], *kinds: type[Step]) -> list[Step]:
    """Return the steps of some kinds, in their order."""
    return [step for step in steps if isinstance(step, kinds)]


def losing(reels: Reels, potions: Mapping[int, str] | None = None, free_spins: Sequence[int] = ()) -> tuple[int, ...]:
    """Return stops that win no line, with `potions` on just those reels and Free Spins on just those (from 0)."""
    wanted = potions or {}

    def fits(reel: int, stop: int) -> bool:
        if (FREE_SPINS in reels.column(reel, stop)) != (reel in free_spins):
            return False
        found = PAID_REELS.potions[reel][stop] if reels is PAID_REELS else None
        return (found[1] if found else None) == wanted.get(reel)

    choices = [[stop for stop in range(length) if fits(reel, stop)] for reel, length in enumerate(reels.lengths)]
    lines = evaluator(reels)
    for first in choices[0]:
        for second in choices[1]:
            for third in choices[2]:
                stops = (first, second, third, choices[3][0], choices[4][0])
                if not lines.hits(stops, len(LINES)):
                    return stops
    raise LookupError("every such window wins")


def winning(reels: Reels) -> tuple[int, ...]:
    """Return stops that win on some line, with neither a potion nor Free Spins in the window."""
    lines = evaluator(reels)
    for second in range(reels.lengths[1]):
        for third in range(reels.lengths[2]):
            stops = (0, second, third, 0, 0)
            plain = reels is not PAID_REELS or not PAID_REELS.landed(stops)
            if plain and lines.hits(stops, len(LINES)):
                return stops
    raise LookupError("no such window wins")


NOTHING = losing(PAID_REELS)
FREE_NOTHING = losing(FREE_REELS)
RESPIN_NOTHING = losing(RESPIN_REELS)
HIGH_WIN = winning(HIGH_REELS)
TRIGGER = losing(PAID_REELS, free_spins=(0, 4))
"""Both Free Spins symbols and nothing else."""

NO_FEATURE = 0
"""A free spin's draw that triggers no feature."""
FULL_RESPIN = (0,) * 5
"""Stops at which the respin strips, and those of high symbols, show wilds alone."""


IDLE_SPIN = [*FREE_NOTHING, NO_FEATURE]


WEIGHTS = list(FREE_FEATURE_TABLE.weights.values())


def drawing(*features: str) -> int:
    """Return the draw with which a free spin triggers `features`."""
    return [0, *accumulate(WEIGHTS)][FREE_FEATURES.index(features)]
