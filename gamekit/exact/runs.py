"""A payline read from left to right, as an automaton.

A line's cells are read reel by reel. While its run is alive, its state is (wilds, symbol): the number of wilds it
began with, and the symbol of the run, or None while it holds only wilds. The worth of a run that ends depends
only on its state and its length, which keeps every calculation below small.

Numbers here count stop combinations: integers, to be divided by the product of the strips' lengths.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from gamekit.lines import LineRules

State = tuple[int, str | None]
START: State = (0, None)

Values = Mapping[str, Mapping[int, int]]
"""What a run of a symbol is worth by its length: the pays, or how many picks it starts."""

Counts = Mapping[str, int]
"""How many stops show each symbol in one cell of a reel."""


def value_of(values: Values, symbol: str, length: int) -> int:
    """Return the worth of a run of `symbol` over `length` cells: the highest value for this or a shorter run."""
    return max((value for count, value in values.get(symbol, {}).items() if count <= length), default=0)


class Runs:
    """The automaton of one game's lines over `symbols`, for one way to value a run.

    `values` names the symbols whose runs are worth something; a line is worth the higher of what its leading wilds are
    worth, as wilds or as any symbol that they stand for, and its run's value.

    Where `wild_multipliers` are given, a run's value is multiplied by the first for one wild in it, by the second for
    two, by the last for any more; a state then counts all the run's wilds, which may be worth nothing of their own
    (ValueError) and may not begin a line (`SpinDefinition` sees to that).
    """

    def __init__(
        self, rules: LineRules, values: Values, symbols: Iterable[str], wild_multipliers: Sequence[int] = ()
    ) -> None:
        if wild_multipliers and rules.wild in values:
            raise ValueError(f"{rules.wild} pays of its own: which of its wins its multipliers hold for is not defined")
        self.rules = rules
        self._values = values
        self._multipliers = (1, *wild_multipliers)
        # A run of three wilds alone also counts as three of the best symbol that the wild stands for.
        self._stood_for = () if rules.wild is None else tuple(symbol for symbol in rules.pays if symbol in values)
        self.symbols = tuple(symbols)
        self._moves: dict[State, list[tuple[State | None, tuple[str, ...]]]] = {}

    def step(self, state: State, shown: str) -> State | None:
        """Return the state after a cell that shows `shown`; None where the run ends before it."""
        wilds, symbol = state
        rules = self.rules
        if symbol is not None:
            if not rules.covers(shown, symbol):
                return None
            counted = self.multiplied and shown == rules.wild
            return (wilds + 1, symbol) if counted else state
        if shown == rules.wild:
            return (wilds + 1, None)
        if shown in rules.pays or (shown in rules.features and wilds == 0):
            return (wilds, shown)
        return None

    @property
    def multiplied(self) -> bool:
        """Whether wilds in a run multiply it."""
        return len(self._multipliers) > 1

    def plain(self, state: State) -> State:
        """Return `state` without the wilds that change nothing: too few to pay of their own, or beyond the last factor.

        A state without a symbol keeps its wilds: they are its length.
        """
        wilds, symbol = state
        if symbol is None:
            return state
        if self.multiplied:
            return (min(wilds, len(self._multipliers) - 1), symbol)
        return state if self.worth((wilds, None), wilds) else (0, symbol)

    def worth(self, state: State, length: int) -> int:
        """Return what a run that ended in `state` after `length` cells is worth."""
        wilds, symbol = state
        by_symbol = 0 if symbol is None else value_of(self._values, symbol, length)
        if self.multiplied:
            return by_symbol * self._multipliers[min(wilds, len(self._multipliers) - 1)]
        by_wilds = max((value_of(self._values, stood_for, wilds) for stood_for in self._stood_for), default=0)
        return max(by_wilds, by_symbol)

    def moves(self, state: State) -> list[tuple[State | None, tuple[str, ...]]]:
        """Return the states that follow `state`, each with the symbols that lead there."""
        known = self._moves.get(state)
        if known is None:
            groups: dict[State | None, list[str]] = {}
            for symbol in self.symbols:
                groups.setdefault(self.step(state, symbol), []).append(symbol)
            known = [(after, tuple(shown)) for after, shown in groups.items()]
            self._moves[state] = known
        return known


class Futures:
    """The future worth of a run from a state on a reel, summed over all stops of the remaining reels."""

    def __init__(self, runs: Runs, reels: Sequence[Counts]) -> None:
        self._runs = runs
        self._reels = reels
        self._known: dict[tuple[State, int], int] = {}

    @cached_property
    def _combinations(self) -> list[int]:
        products = [1]
        for counts in reversed(self._reels):
            products.append(products[-1] * sum(counts.values()))
        return products[::-1]

    def total(self, state: State = START, length: int = 0) -> int:
        """Return the sum of the line's worth over all combinations of reels `length`, `length` + 1, ..."""
        if length == len(self._reels):
            return self._runs.worth(state, length)
        key = (state, length)
        if key not in self._known:
            counts = self._reels[length]
            self._known[key] = sum(
                sum(counts.get(symbol, 0) for symbol in shown) * self.after(after, state, length)
                for after, shown in self._runs.moves(state)
            )
        return self._known[key]

    def after(self, after: State | None, before: State, length: int) -> int:
        """Return the total once reel `length` turned state `before` into `after` (None: the run ended there)."""
        if after is not None:
            return self.total(after, length + 1)
        return self._runs.worth(before, length) * self._combinations[length + 1]
