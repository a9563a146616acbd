"""Which reels make the player wait, and which landed symbols can still lead to a feature."""

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from gamekit.beats import Cell
from gamekit.reels import Strip
from ui.picture import Picture, Window


class Trigger(NamedTuple):
    """A feature is started by `least` of `symbol`: anywhere, or `on_line`, on a played line from reel 1 on."""

    symbol: str
    least: int
    on_line: bool = False


class Anticipation(NamedTuple):
    """For each reel, whether it makes the player wait, and the cells on it that can still lead to a feature.

    A reel waits if the symbols to its left have not started a feature and at least one of its stops can.
    """

    waits: tuple[bool, ...]
    called: tuple[tuple[Cell, ...], ...]

    @classmethod
    def none(cls, reels: int) -> "Anticipation":
        """Return the anticipation of reels without any."""
        return cls((False,) * reels, ((),) * reels)


def anticipate(
    strips: Sequence[Strip],
    picture: Picture,
    window: Window,
    triggers: Sequence[Trigger],
    lines: Sequence[Sequence[int]],
) -> Anticipation:
    """Return the anticipation of reels with these `strips` that stop on `window`, with the held symbols of `picture`.

    `lines` are the played ones.
    """
    reels = range(len(window))
    fixed = {reel: frozenset(held.row for held in picture.held if held.reel == reel) for reel in reels}
    waits, called = [False for _ in reels], [set[Cell]() for _ in reels]
    for trigger in triggers:
        # The most that each reel can add; a locked one adds what it shows.
        most = [
            window[reel].count(trigger.symbol)
            if reel in picture.locked
            else _most(strips[reel], trigger.symbol, len(window[reel]), fixed[reel])
            + sum(window[reel][row] == trigger.symbol for row in fixed[reel])
            for reel in reels
        ]
        judge = _on_lines if trigger.on_line else _anywhere
        for reel, (waiting, cells) in enumerate(judge(window, trigger, most, lines)):
            turning = reel not in picture.locked
            waits[reel] |= waiting and reel > 0 and turning
            called[reel] |= cells if turning else set()
    return Anticipation(tuple(waits), tuple(tuple(sorted(cells)) for cells in called))


_Judged = list[tuple[bool, set[Cell]]]


def _anywhere(window: Window, trigger: Trigger, most: Sequence[int], _lines: Sequence[Sequence[int]]) -> _Judged:
    judged: _Judged = []
    count = 0
    for reel, column in enumerate(window):
        waiting = count < trigger.least <= count + most[reel]
        count += column.count(trigger.symbol)
        hopeful = count + sum(most[reel + 1 :]) >= trigger.least
        cells = {(reel, row) for row, symbol in enumerate(column) if symbol == trigger.symbol and hopeful}
        judged.append((waiting, cells))
    return judged


def _on_lines(window: Window, trigger: Trigger, most: Sequence[int], lines: Sequence[Sequence[int]]) -> _Judged:
    judged: _Judged = []
    alive = list(lines)
    for reel, column in enumerate(window):
        waiting = reel == trigger.least - 1 and bool(alive) and most[reel] > 0
        alive = [line for line in alive if column[line[reel]] == trigger.symbol]
        hopeful = reel >= trigger.least - 1 or all(most[reel + 1 : trigger.least])
        judged.append((waiting, {(reel, line[reel]) for line in alive if hopeful}))
    return judged


@lru_cache(maxsize=512)
def _most(strip: Strip, symbol: str, rows: int, fixed: Collection[int]) -> int:
    """Return the most of `symbol` that a window of `strip` can show in rows that are not `fixed`."""
    free = [row for row in range(rows) if row not in fixed]
    return max(sum(strip[(stop + row) % len(strip)] == symbol for row in free) for stop in range(len(strip)))
