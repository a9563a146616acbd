"""Fine tuning: adjusts the weights of the table that picks are drawn from, to match a return to its last digits."""

from dataclasses import replace
from fractions import Fraction
from math import exp

from gamekit import catalogue
from gamekit.declared.line_game import LineGameMaths
from gamekit.maths import cost
from gamekit.play import Stake
from gamekit.tuning.running import UntunableError
from gamekit.weights import WeightedTable

_STEEPEST = 5.0
_HALVINGS = 60
_NEAR = range(-8, 9)
"""How much two weights are changed beyond the tilt, to come as near as whole numbers can."""


def table_of(maths: LineGameMaths, name: str) -> WeightedTable:
    """Return the table called `name` in `pays.py`; raise `UntunableError` if no picks are drawn from it."""
    table = getattr(catalogue.module(maths.game.name, "pays"), name, None)
    picks = maths.base.picks
    if not isinstance(table, WeightedTable) or (table.mean, table.variance) != (picks.mean, picks.variance):
        raise UntunableError(f"{name} is no WeightedTable in pays.py that {maths.game.title} draws its picks from")
    if maths.free.picks != picks:
        raise UntunableError(f"{name} cannot be tuned: picks in free spins are drawn otherwise")
    return table


def weighed(maths: LineGameMaths, stake: Stake, table: WeightedTable, rtp: Fraction) -> WeightedTable:
    """Return `table` with weights for which `maths` returns `rtp`, as closely as weights of that size allow.

    The amounts stay. Each weight is multiplied by a factor exponential in its amount, so the weights keep their shape.
    Raises `UntunableError` if no weights reach the return.
    """
    figures = maths.figures(stake, "")
    picks = [part.mean for name, part in zip(maths.parts, figures.parts, strict=True) if _of_picks(maths, name.name)]
    own = sum(picks, Fraction(0)) / cost(stake)
    mean = table.mean * (own + rtp - figures.mean / cost(stake)) / own if own else Fraction(0)
    if not min(table.weights) < mean < max(table.weights):
        raise UntunableError(f"no weights return {float(rtp):.6%}: picks would have to be worth {float(mean):.4f}")
    low, high = -_STEEPEST, _STEEPEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _tilted(table, middle).mean < mean else (low, middle)
    return _nearest(_tilted(table, low), mean)


def with_table(maths: LineGameMaths, table: WeightedTable) -> LineGameMaths:
    """Return `maths` with its picks drawn from `table`."""
    picks = replace(
        maths.base.picks,
        mean=table.mean,
        variance=table.variance,
        largest=table.largest,
        largest_chance=Fraction(table.weights[table.largest], table.total),
    )
    return replace(maths, base=replace(maths.base, picks=picks), free=replace(maths.free, picks=picks))


def _of_picks(maths: LineGameMaths, part: str) -> bool:
    return part in (maths.base.picks.name, f"free_{maths.base.picks.name}")


def _tilted(table: WeightedTable, slope: float) -> WeightedTable:
    """Return `table` with weights tilted to larger amounts by `slope`; the total stays the same up to rounding."""
    leaning = {amount: weight * exp(slope * amount / table.largest) for amount, weight in table.weights.items()}
    scale = table.total / sum(leaning.values())
    return WeightedTable({amount: max(1, round(weight * scale)) for amount, weight in leaning.items()})


def _nearest(table: WeightedTable, mean: Fraction) -> WeightedTable:
    """Return `table` with the small change of two weights that brings its mean nearest to `mean`."""
    coins = sum(amount * weight for amount, weight in table.weights.items())
    goal = float(mean)
    found = (abs(coins / table.total - goal), 0, 0, 0, 0)
    for one, first in table.weights.items():
        for other, second in table.weights.items():
            for a in _NEAR:
                for b in _NEAR:
                    if one < other and first + a > 0 and second + b > 0:
                        near = abs((coins + a * one + b * other) / (table.total + a + b) - goal)
                        found = min(found, (near, one, a, other, b))
    _, one, a, other, b = found
    return WeightedTable(
        {amount: weight + a * (amount == one) + b * (amount == other) for amount, weight in table.weights.items()}
    )
