"""`python -m venue.page.write_expectations [GAME ...]`: writes `expectation.json` of the named games, or of all."""

import json
import sys
from fractions import Fraction
from math import sqrt

import msgspec

from gamekit import catalogue
from gamekit.maths import cost, load_maths
from gamekit.read_back import read_kept
from venue.page.expectations import FILE, Expectation, Reach
from venue.page.spread import reaches


def compute(game: str) -> Expectation:
    """Compute a game's expectation from its exact mathematics and simulated play; takes some minutes."""
    maths = load_maths(game)
    returns: list[Fraction] = []
    sigmas: list[tuple[float, int]] = []
    for number, stake in enumerate(maths.stakes):
        for state in maths.states:
            figures = maths.figures(stake, state)
            paid = cost(stake)
            returns += [(figures.mean) / paid, (figures.mean + figures.growth) / paid]
            if figures.variance is not None:
                sigmas.append((sqrt(figures.variance) / paid, number))
    with_growth = returns[1::2] if maths.game.pool is not None else returns
    highest = len(maths.stakes) - 1
    widest_sigma, widest = max(sigmas)
    usual = reaches(maths, maths.stakes[highest], max(sigma for sigma, number in sigmas if number == highest))
    other = usual if widest == highest else reaches(maths, maths.stakes[widest], widest_sigma)
    return Expectation(
        game=game,
        maths_hash=maths.game.maths_hash,
        least=round(float(min(with_growth)), 9),
        most=round(float(max(with_growth)), 9),
        usual=tuple(usual),
        wide=tuple(
            Reach(one.rounds, max(one.below, two.below), max(one.above, two.above))
            for one, two in zip(usual, other, strict=True)
        ),
    )


if __name__ == "__main__":
    for name in sys.argv[1:] or catalogue.names():
        file = catalogue.source_of(name) / FILE
        read_kept(name)
        file.write_text(json.dumps(msgspec.to_builtins(compute(name)), indent=1) + "\n")
        sys.stdout.write(f"{file}\n")
