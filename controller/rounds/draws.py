"""Sources of draws: the operating system's generator, or a demo's seed; and the journal's draws for a replay.

A source returns one `Draw` for each segment. Real cabinets use `system_source`. Only a simulated journal may use
`seeded_source`, whose draws depend only on the seed, the round and the segment: a demo that was killed continues with
the same draws.
"""

import random
from collections.abc import Callable, Sequence

from controller.rounds.randomness import WatchedGenerator
from gamekit.play import Draw

DrawSource = Callable[[int, int], Draw]
"""Called with the number of the round (rounds begun so far) and of the segment; returns the segment's draw."""


class ReplayMismatchError(ValueError):
    """A replay asked for other draws than the journal has, or showed something different."""


class OtherMathsError(ReplayMismatchError):
    """A round was played with mathematics that this program lacks."""


def system_source() -> DrawSource:
    """Return the operating system's generator, unbiased and health-tested; raise `RandomnessError`."""
    generator = WatchedGenerator()

    def source(_round: int, _segment: int) -> Draw:
        return generator.draw

    return source


def seeded_source(seed: int) -> DrawSource:
    """Return a source for demos and tests that gives the same draws for the same seed."""

    def source(round_number: int, segment: int) -> Draw:
        return random.Random(f"{seed}/{round_number}/{segment}").randrange  # noqa: S311 - never in a real journal

    return source


class Replay:
    """A draw that returns the recorded values again; raises `ReplayMismatchError` for another bound."""

    def __init__(self, recorded: Sequence[tuple[int, int]]) -> None:
        self._left = list(reversed(recorded))

    def __call__(self, bound: int, /) -> int:
        """Return the next recorded value, if it was drawn with the same bound."""
        if not self._left:
            raise ReplayMismatchError(f"the replay draws below {bound} where nothing more was drawn")
        recorded_bound, value = self._left.pop()
        if recorded_bound != bound:
            raise ReplayMismatchError(f"the replay draws below {bound} where {recorded_bound} was the bound")
        return value

    def finish(self) -> None:
        """Raise `ReplayMismatchError` if recorded draws are left over."""
        if self._left:
            raise ReplayMismatchError(f"the replay leaves {len(self._left)} recorded draws unused")
