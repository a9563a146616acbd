"""Quantiles of the mean return of many rounds: how far it may deviate from its expectation by chance.

A round's win is far from normally distributed: most rounds pay nothing, a few pay thousands of bets. So this module
simulates rounds with the game's own play. The distribution of the sum of `n` rounds is the n-fold convolution of the
simulated distribution, computed by powers of its Fourier transform. A game that carries memory from round to round is
simulated in blocks of rounds, which preserve the correlation. A jackpot pool grows by the bets since its last hit, as
it does among linked cabinets. For a declared game of ways the exact distribution of a round is known, and nothing is
simulated.

Only `python -m venue.page.write_expectations` needs this module and numpy; the page reads the figures it writes.
"""

import random
from collections import Counter
from collections.abc import Iterator
from math import sqrt

import numpy as np

from gamekit.declared.maths import LawMaths
from gamekit.declared.reach import DeclaredReach
from gamekit.maths import Maths, cost
from gamekit.play import Answer, Claim, Offer, Stake
from gamekit.simulate import answer_fairly, seeded_draw
from venue.page.expectations import Reach

SIDE = 1 / 2500
"""Probability on each side of the band. 1/2000 gives 999 of 1,000; the rest allows for the simulation's error."""
NORMAL = 3.29
"""Standard deviations on each side of the mean that contain 999 of 1,000 results of a normal distribution."""
ROUNDS = 2_000_000
BLOCK = 50
AFTER = (500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 10_000_000)
"""Numbers of rounds for which the quantiles are stored."""
_BINS = 1 << 20
_COINS = 1 << 18
_NEVER = 1e-11
"""Probabilities below this may be rounding errors of the inverse Fourier transform."""


def returns(maths: Maths, stake: Stake, seed: int) -> Iterator[float]:
    """Simulate rounds at `stake` without end and yield the return of each in bets; gamble offers are collected."""
    game, paid = maths.game, cost(stake)
    draw = seeded_draw(random.Random(f"{seed}:{game.name}:{stake}"))  # noqa: S311 - deliberately reproducible
    growth = 0 if game.pool is None else game.pool.growth_per_mille
    memory, pool = maths.memory(maths.states[0]), 0 if game.pool is None else game.pool.seed_coins * 1000
    while True:
        pool += paid * growth
        play, answer, coins = game.play(stake, draw, memory), None, 0
        while True:
            try:
                step = play.send(answer)
            except StopIteration as ended:
                memory = ended.value
                break
            answer = None
            if isinstance(step, Claim) and game.pool is not None:
                answer = Answer(pool // 1000)
                pool = game.pool.seed_coins * 1000 + pool % 1000
            elif isinstance(step, Offer):
                answer = answer_fairly(step, draw, game.pool)
            else:
                coins += step.coins
        yield coins / paid


def exact_returns(maths: LawMaths, stake: Stake) -> tuple[np.ndarray, np.ndarray]:
    """Return the possible returns of a round in bets and their probabilities, without those below `_NEVER`."""
    reach = DeclaredReach(maths, _COINS)
    chances = np.fft.irfft(reach.spectrum(stake), _COINS)
    coins = np.nonzero(chances > _NEVER)[0]
    return coins / stake.lines, chances[coins] / chances[coins].sum()


def reaches(maths: Maths, stake: Stake, sigma: float, rounds: int = ROUNDS, seed: int = 1) -> list[Reach]:
    """Compute the reaches of `maths` at `stake`, whose exact standard deviation is `sigma` bets."""
    block = 1 if len(maths.states) == 1 else BLOCK
    if type(maths) is LawMaths and not maths.declared.free_spins.sticky:  # a subclass has additional wins
        values, chances = exact_returns(maths, stake)
    else:
        each = returns(maths, stake, seed)
        seen = Counter(sum(next(each) for _ in range(block)) for _ in range(rounds // block))
        values = np.fromiter(seen.keys(), float)
        chances = np.fromiter(seen.values(), float) / (rounds // block)
    mean = float(values @ chances)
    spread = sqrt(float((values - mean) ** 2 @ chances) / block)
    # The simulated spread lacks the rarest wins, which the exact standard deviation includes.
    missing = max(1.0, sigma / spread)
    found = []
    for number in AFTER:
        below, above = _quantiles(values, chances, mean, number // block)
        root = sqrt(number) / number
        found.append(
            Reach(number, round(below * root * missing, 6), round(max(above * root * missing, NORMAL * sigma), 6))
        )
    return found


def _quantiles(values: np.ndarray, chances: np.ndarray, mean: float, blocks: int) -> tuple[float, float]:
    """Return how far the sum of `blocks` values lies below and above its mean with probability `SIDE` each."""
    spread = sqrt(float((values - mean) ** 2 @ chances))
    window = max(16 * spread * sqrt(blocks), 3 * float(values.max()))
    width = window / _BINS
    # A value between two bins is split between them, which preserves the mean.
    places = (values - mean) / width
    lower = np.floor(places)
    part = places - lower
    density = np.zeros(_BINS)
    np.add.at(density, lower.astype(np.int64) % _BINS, chances * (1 - part))
    np.add.at(density, (lower.astype(np.int64) + 1) % _BINS, chances * part)
    total = np.fft.irfft(np.fft.rfft(density) ** blocks, _BINS)
    # The mean is bin 0; a third of the window holds the values below it.
    third = _BINS // 3
    heaped = np.cumsum(np.roll(total, third))
    low = int(np.searchsorted(heaped, SIDE))
    high = int(np.searchsorted(heaped, heaped[-1] - SIDE))
    return (third - low) * width, (high - third) * width
