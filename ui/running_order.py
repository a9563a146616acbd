"""The random order in which attract shows games and their highlights: each once before any is repeated."""

import random
from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

One = TypeVar("One", bound=Hashable)


class _Bag(Generic[One]):
    """Returns each of several things once in random order, then starts again; never the same one twice in a row."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._left: list[One] = []
        self._last: One | None = None

    def draw(self, things: Sequence[One]) -> One:
        """Return the next of `things`, which must not be empty and may have changed since the last call."""
        self._left = [thing for thing in self._left if thing in things]
        if not self._left:
            self._left = self._chance.sample(list(things), len(things))
            if self._left[-1] == self._last:
                self._left.reverse()
        self._last = self._left.pop()
        return self._last


class RunningOrder:
    """The next item by `chance`; it outlives the scene, so that an interrupted show does not start over."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._games: _Bag[str] = _Bag(chance)
        self._highlights: dict[str, _Bag[int]] = {}

    def game(self, games: Sequence[str]) -> str:
        """Return the game whose turn is next."""
        return self._games.draw(games)

    def highlight(self, game: str, count: int) -> int:
        """Return which of the `count` highlights of `game` is next."""
        return self._highlights.setdefault(game, _Bag(self._chance)).draw(range(count))

    def coin(self, values: Sequence[int]) -> int:
        """Return one of these coin values."""
        return self._chance.choice(values)
