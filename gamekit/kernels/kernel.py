"""A game's rules, compiled, as the simulation uses them."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from gamekit.kernels.books import Books, Counts, empty_books, tally_of
from gamekit.kernels.compiled import compiling
from gamekit.kernels.generator import Source, give_back, source_of
from gamekit.maths import Maths
from gamekit.play import Stake
from gamekit.simulate import Tally

Tables = TypeVar("Tables")


@dataclass(frozen=True)
class Kernel(Generic[Tables]):
    """`KERNEL` of `games/<game>/kernel.py`.

    `tables` converts the production objects at one stake into the arrays that compiled code reads; `play_rounds` plays
    a number of rounds, the first from the memory state of the given number. Tables are made once for each stake. They
    hold the round being played, so a kernel must not be shared between threads.
    """

    maths: Maths
    tables: Callable[[Stake], Tables]
    play_rounds: Callable[[Tables, Source, Books, int, int], object]
    _known: dict[Stake, Tables] = field(default_factory=dict, init=False)

    def play(self, stake: Stake, generator: random.Random, rounds: int, state: str | None = None) -> Tally:
        """Return the tally of `rounds` rounds; `generator` is left where production would leave it."""
        books = empty_books(self.maths)
        self._play(stake, generator, books, rounds, state)
        return tally_of(books, self.maths, rounds)

    def record(self, stake: Stake, generator: random.Random, rounds: int, state: str | None = None) -> Counts:
        """Return a row for each of `rounds` rounds: its coins, and a bit for each trigger that it showed."""
        books = empty_books(self.maths, rounds)
        self._play(stake, generator, books, rounds, state)
        return books.record.reshape(rounds, 2)

    def _play(self, stake: Stake, generator: random.Random, books: Books, rounds: int, state: str | None) -> None:
        is_compiled = bool(self._known)
        if stake not in self._known:
            self._known[stake] = self.tables(stake)
        source = source_of(generator)
        first = 0 if state is None else list(self.maths.states).index(state)
        if not is_compiled:
            # Several processes need the same machine code at once: a simulation's, a test session's.
            with compiling():
                self.play_rounds(self._known[stake], source, books, 0, first)
        self.play_rounds(self._known[stake], source, books, rounds, first)
        give_back(source, generator)
