"""Playing by hand: draws and answers written down beforehand, and windows put together on purpose."""

import random
from collections.abc import Callable, Sequence

from gamekit.play import Answer, Beat, Game, Memory, Offer, Stake, Step
from gamekit.simulate import seeded_draw
from games.neptune import GAME
from games.neptune.pays import MERMAID
from games.neptune.strips import REELS

Stops = tuple[int, ...]


class Script:
    """A draw that hands out `values` in turn and keeps the bounds it was asked with."""

    def __init__(self, values: Sequence[int]) -> None:
        self.values = list(values)
        self.bounds: list[int] = []

    def __call__(self, bound: int, /) -> int:
        """Return the next value, which must lie below `bound`."""
        value = self.values[len(self.bounds)]
        assert 0 <= value < bound
        self.bounds.append(bound)
        return value

    @property
    def spent(self) -> bool:
        """Whether every value has been drawn."""
        return len(self.bounds) == len(self.values)


class Luck:
    """A seeded player and his draws: every draw's bound and value, and every answer, are kept."""

    def __init__(self, seed: int) -> None:
        self._source = random.Random(seed)  # a test's luck must be the same every time
        self._draw = seeded_draw(self._source)
        self.draws: list[tuple[int, int]] = []
        self.answers: list[int] = []

    def draw(self, bound: int, /) -> int:
        """Draw below `bound`."""
        self.draws.append((bound, self._draw(bound)))
        return self.draws[-1][1]

    def choose(self, offer: Offer) -> int:
        """Answer `offer` with any of its choices."""
        self.answers.append(self._source.choice(offer.choices))
        return self.answers[-1]


def play_out(
    stake: Stake,
    draw: Callable[[int], int],
    choose: Callable[[Offer], int] = lambda offer: offer.choices[0],
    game: Game = GAME,
    memory: Memory = None,
) -> list[Step]:
    """Play one round of `game` to its end and return all its steps, offers among them."""
    play = game.play(stake, draw, memory)
    steps: list[Step] = []
    answer = None
    while True:
        try:
            step = play.send(answer)
        except StopIteration:
            return steps
        steps.append(step)
        answer = Answer(choose(step)) if isinstance(step, Offer) else None


def beats(steps: Sequence[Step]) -> list[Beat]:
    """Return the steps that are no offers."""
    return [step for step in steps if isinstance(step, Beat)]


def won(steps: Sequence[Step]) -> int:
    """Return the coins that `steps` pay."""
    return sum(beat.coins for beat in beats(steps))


def stop_showing(reel: int, symbol: str, row: int, *, mermaid: bool = False) -> int:
    """Return a stop that shows `symbol` of `reel` in `row`; whether a Mermaid is in the window is as given."""
    for stop in range(REELS.lengths[reel]):
        column = REELS.column(reel, stop)
        if column[row] == symbol and (MERMAID in column) == mermaid:
            return stop
    raise LookupError(f"reel {reel + 1} never shows {symbol} in row {row}")


def middle_row(*symbols: str) -> Stops:
    """Return stops whose middle row, payline 1, shows `symbols`, with no Mermaid in the window."""
    return tuple(stop_showing(reel, symbol, 1) for reel, symbol in enumerate(symbols))


def mermaids(count: int, middle: Sequence[str] = ("jewel_box", "clam", "ten", "ace", "king")) -> Stops:
    """Return stops with a Mermaid on each of the first `count` reels and nothing won on payline 1."""
    return tuple(
        stop_showing(reel, MERMAID, 0, mermaid=True) if reel < count else stop_showing(reel, middle[reel], 1)
        for reel in range(len(REELS.strips))
    )


NOTHING = middle_row("jewel_box", "clam", "ten", "ace", "king")
"""Stops that win nothing on payline 1."""
