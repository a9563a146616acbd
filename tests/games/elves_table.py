"""Playing Mystery Elves by hand: stops that show what is wanted, tickets that draw it, and every way a play can go."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import TypeVar

from gamekit.beats import Cell
from gamekit.double_up import COLLECT, DoubleUp
from gamekit.hold_and_win import HoldRules
from gamekit.lines import LineEvaluator
from gamekit.play import Draw, Offer, Stake, Step
from gamekit.weights import WeightedTable
from games.mystery_elves import GAME
from games.mystery_elves.pays import (
    BONUS,
    CARRIED,
    CARRIED_BESIDE_MULTIPLYING,
    LINE_RULES,
    LINES,
    MULTIPLYING,
)
from games.mystery_elves.strips import HOLD_RULES, REELS
from tests.games.table import Script, Stops, play_out

STAKE = Stake(lines=10, coins_per_line=1)
BOUGHT = Stake(lines=10, coins_per_line=1, price=70)
LANDS, MISSES = 0, 1
"""A cell's stop with a bonus symbol on it, and one without."""

EVALUATOR = LineEvaluator(REELS, LINES, LINE_RULES)


def ticket(table: WeightedTable, amount: int) -> int:
    """Return the lowest draw that gives `amount` out of `table`."""
    amounts = list(table.weights)
    return sum(table.weights[before] for before in amounts[: amounts.index(amount)])


def carry(*carried: int) -> list[int]:
    """Return the draws with which symbols that land one after another carry what is given."""
    tickets = []
    multiplying = False
    for amount in carried:
        tickets.append(ticket(CARRIED_BESIDE_MULTIPLYING if multiplying else CARRIED, amount))
        multiplying = multiplying or amount == MULTIPLYING
    return tickets


def middle_row(*symbols: str) -> Stops:
    """Return stops whose middle row, payline 1, shows `symbols`, with no bonus symbol in the window."""
    stops = []
    for reel, symbol in enumerate(symbols):
        columns = ((stop, REELS.column(reel, stop)) for stop in range(REELS.lengths[reel]))
        stops.append(next(stop for stop, column in columns if column[1] == symbol and BONUS not in column))
    return tuple(stops)


def bonuses(*counts: int) -> Stops:
    """Return stops that show so many bonus symbols on each reel, and win nothing on the lines."""
    wanted = [
        [stop for stop in range(length) if REELS.column(reel, stop).count(BONUS) == counts[reel]]
        for reel, length in enumerate(REELS.lengths)
    ]
    return next(stops for stops in product(*wanted) if not EVALUATOR.hits(stops, len(LINES)))


SIX = bonuses(2, 2, 2, 0, 0)


def cells_of(stops: Stops) -> tuple[Cell, ...]:
    """Return the cells of the bonus symbols at `stops`."""
    return tuple((reel, row) for reel, row in HOLD_RULES.cells if REELS.column(reel, stops[reel])[row] == BONUS)


def collect(offer: Offer) -> int:
    """Press on, and collect where winnings could be gambled."""
    return COLLECT if isinstance(offer, DoubleUp) else offer.choices[0]


def play_round(*draws: Sequence[int], stake: Stake = STAKE, choose: Callable[[Offer], int] = collect) -> list[Step]:
    """Play one round with `draws` one after another, all of them, and return its steps."""
    script = Script([value for part in draws for value in part])
    steps = play_out(stake, script, choose, GAME)
    assert script.spent
    return steps


def misses(*empty: int) -> list[int]:
    """Return the draws of respins in which so many empty cells show no bonus symbol."""
    return [MISSES] * sum(empty)


def full(rules: HoldRules, held: int) -> list[int]:
    """Return the draws of one respin in which every empty cell shows its symbol."""
    return [LANDS] * (len(rules.cells) - held)


Result = TypeVar("Result")


class _MoreError(Exception):
    """The play draws beyond the path that has been laid out for it."""

    def __init__(self, bound: int) -> None:
        super().__init__(bound)
        self.bound = bound


def every_way(
    run: Callable[[Draw], Result], options: Callable[[int], Sequence[tuple[int, Fraction]]]
) -> Iterator[tuple[Result, Fraction]]:
    """Run `run` with every sequence of draws and yield its result with its chance.

    `options` are, for a bound, the draws that make a difference and their chances.
    """
    paths: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while paths:
        path, chance = paths.pop()
        left = list(reversed(path))

        def draw(bound: int, /, left: list[int] = left) -> int:
            if not left:
                raise _MoreError(bound)
            return left.pop()

        try:
            result = run(draw)
        except _MoreError as more:
            paths += [((*path, value), chance * part) for value, part in options(more.bound)]
        else:
            yield result, chance
