"""What a kernel counts: the figures of a `Tally`, in arrays."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamekit.kernels.compiled import inlined
from gamekit.maths import BeatRules, Maths
from gamekit.simulate import WIN_EDGES, Tally

Counts = npt.NDArray[np.int64]


class Books(NamedTuple):
    """The figures so far, by part and by trigger; `won` and `seen` are those of the round being played.

    `by_rounds` marks the parts whose events are rounds in which they paid, `once` the triggers counted once a round.
    `record` holds each round's coins and the bits of the triggers it showed, alternately, filled up to place `at`; it
    is empty if rounds are only added up.
    """

    sums: Counts
    squares: Counts
    events: Counts
    triggers: Counts
    wins: Counts
    states: Counts
    total_square: Counts
    won: Counts
    seen: Counts
    by_rounds: npt.NDArray[np.bool_]
    once: npt.NDArray[np.bool_]
    edges: Counts
    record: Counts
    at: Counts


def empty_books(maths: Maths, recorded: int = 0) -> Books:
    """Return empty books with room to record `recorded` rounds."""
    beat_rules = BeatRules.of(maths)
    parts, triggers = len(maths.parts), len(maths.triggers)

    def zeros(count: int) -> Counts:
        return np.zeros(count, dtype=np.int64)

    return Books(
        sums=zeros(parts),
        squares=zeros(parts),
        events=zeros(parts),
        triggers=zeros(triggers),
        wins=zeros(len(WIN_EDGES) + 1),
        states=zeros(len(maths.states)),
        total_square=zeros(1),
        won=zeros(parts),
        seen=zeros(triggers),
        by_rounds=np.array([number in beat_rules.by_rounds for number in range(parts)], dtype=np.bool_),
        once=np.array([number in beat_rules.once for number in range(triggers)], dtype=np.bool_),
        edges=np.array(WIN_EDGES, dtype=np.int64),
        record=zeros(2 * recorded),
        at=zeros(1),
    )


@inlined
def book(books: Books, paid: int) -> None:
    """Add the round just played, which cost `paid` coins, to the totals and clear it."""
    total = 0
    shown = 0
    for part in range(books.won.size):
        coins = books.won[part]
        if coins:
            total += coins
            books.sums[part] += coins
            books.squares[part] += coins * coins
            books.events[part] += books.by_rounds[part]
            books.won[part] = 0
    for trigger in range(books.seen.size):
        count = books.seen[trigger]
        if count:
            books.triggers[trigger] += 1 if books.once[trigger] else count
            shown |= 1 << trigger
            books.seen[trigger] = 0
    if total:
        books.total_square[0] += total * total
        size = 0
        while size < books.edges.size and books.edges[size] * paid < total:
            size += 1
        books.wins[size] += 1
    if books.record.size:
        books.record[books.at[0]] = total
        books.record[books.at[0] + 1] = shown
        books.at[0] += 2


def tally_of(books: Books, maths: Maths, rounds: int) -> Tally:
    """Return the books of `rounds` rounds as a `Tally`."""
    wins = books.wins.tolist()
    wins[0] = rounds - sum(wins[1:])
    return Tally(
        rounds=rounds,
        sums=books.sums.tolist(),
        squares=books.squares.tolist(),
        events=books.events.tolist(),
        triggers=books.triggers.tolist(),
        total_square=int(books.total_square[0]),
        states={name: count for name, count in zip(maths.states, books.states.tolist(), strict=True) if count},
        wins=wins,
    )
