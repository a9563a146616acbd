"""Counts played rounds, for games whose exact distribution of a play is not known.

The game's kernel plays them, or its production code where it has none: both play the same rounds, chunk by chunk, each
from a generator of its own (`gamekit.chunks`). The memory is carried from round to round.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gamekit.chunks import CHUNK_ROUNDS, Run, generator_of
from gamekit.kernels.finding import Compiled, find_kernel
from gamekit.maths import Maths, cost, load_maths
from gamekit.play import Stake
from gamekit.simulate import play_rounds, seeded_draw

Rows = NDArray[np.int64]


def recorded(run: Run, chunk: int, kernel: Compiled | None, rounds: int = CHUNK_ROUNDS) -> Rows:
    """Play the first `rounds` of a chunk; return a row for each: its coins, and a bit for each trigger it showed."""
    generator = generator_of(run, chunk)
    if kernel is not None:
        return kernel.record(run.stake, generator, rounds, run.state)
    rows: list[tuple[int, int]] = []
    play_rounds(
        load_maths(run.game),
        run.stake,
        seeded_draw(generator),
        rounds,
        run.state,
        each=lambda coins, shown: rows.append((coins, shown)),
    )
    return np.array(rows, dtype=np.int64)


@dataclass
class Sample:
    """Rounds at one stake, counted: `wins` by coins, `sessions` by their number of plays the coins won in each.

    `lasted` are how many plays a budget paid for, of as many sessions as there are of the longest kind. `waits` are the
    rounds from one that showed a trigger to the next, by the trigger's place.
    """

    bet: int
    rounds: int = 0
    wins: dict[int, int] = field(default_factory=dict)
    sessions: dict[int, list[int]] = field(default_factory=dict)
    lasted: list[int] = field(default_factory=list)
    waits: dict[int, list[int]] = field(default_factory=dict)
    _since: dict[int, int] = field(default_factory=dict)

    def add(self, rows: Rows, lengths: tuple[int, ...], budget_bets: int, triggers: int) -> None:
        """Count a chunk: sessions of each of `lengths`, the last of which must divide the chunk, as must all others."""
        coins, shown = rows[:, 0], rows[:, 1]
        for won, times in zip(*np.unique(coins, return_counts=True), strict=True):
            self.wins[int(won)] = self.wins.get(int(won), 0) + int(times)
        for plays in lengths:
            self.sessions.setdefault(plays, []).extend(coins.reshape(-1, plays).sum(axis=1).tolist())
        balances = budget_bets * self.bet + np.cumsum(coins.reshape(-1, lengths[-1]) - self.bet, axis=1)
        broke = balances < self.bet
        # The first place at which the balance no longer pays: so many plays were played.
        self.lasted += np.where(broke.any(axis=1), broke.argmax(axis=1) + 1, lengths[-1]).tolist()
        for trigger in range(triggers):
            places = self.rounds + np.nonzero((shown >> trigger) & 1)[0]
            if places.size:
                since = [self._since[trigger]] if trigger in self._since else []
                every = [*since, *places.tolist()]
                self.waits.setdefault(trigger, []).extend(after - before for before, after in pairwise(every))
                self._since[trigger] = every[-1]
        self.rounds += len(rows)


def played(
    maths: Maths,
    stake: Stake,
    rounds: int,
    seed: int,
    *,
    lengths: tuple[int, ...],
    budget_bets: int,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> tuple[Sample, bool]:
    """Play `rounds` rounds, up to a whole chunk, from the first memory state; return them and whether by the kernel."""
    kernel = find_kernel(maths.game.name)
    sample = Sample(cost(stake))
    for done, rows in _chunks(Run.of(maths.game.name, stake, seed, maths.states[0]), rounds, kernel):
        sample.add(rows, lengths, budget_bets, len(maths.triggers))
        progress(done, rounds)
    return sample, kernel is not None


def _chunks(run: Run, rounds: int, kernel: Compiled | None) -> Iterator[tuple[int, Rows]]:
    for chunk in range(-(-rounds // CHUNK_ROUNDS)):
        yield (chunk + 1) * CHUNK_ROUNDS, recorded(run, chunk, kernel)
