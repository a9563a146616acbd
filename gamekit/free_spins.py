"""The free-spin queue: spins won are played one after another, retriggers queue behind, without limit."""

from collections.abc import Callable, Generator
from typing import NamedTuple

from gamekit.beats import Begin, Continue, FreeSpinBegins, FreeSpinsEnded, checked_choice
from gamekit.play import Answer, Step


class SpinResult(NamedTuple):
    """What one spin paid in `coins`, features included, and the `free_spins` it won."""

    coins: int
    free_spins: int


Spin = Generator[Step, Answer | None, SpinResult]


def play_free_spins(won: int, spin: Callable[[], Spin]) -> Generator[Step, Answer | None, None]:
    """Play `won` free spins and those they win; each begins with an offer, and its draws follow the answer.

    Only the first waits for a press.
    """
    total, played, coins = won, 0, 0
    while played < total:
        offer = Continue(total - played) if played else Begin(total)
        checked_choice(offer, (yield offer))
        played += 1
        yield FreeSpinBegins(played, total)
        result = yield from spin()
        total += result.free_spins
        coins += result.coins
    yield FreeSpinsEnded(played, coins)
