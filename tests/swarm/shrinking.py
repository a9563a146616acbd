"""The shortest script that still fails: acts are left out as long as the life fails in the same way."""

from collections.abc import Callable, Sequence

from tests.swarm.living import Outcome, lived
from tests.swarm.script import Act, Life


def shrunk(outcome: Outcome, live: Callable[[Life], Outcome] = lived) -> Outcome:
    """Leave out halves, quarters and so on of the acts, then one by one, while what is wrong begins as it did."""
    best, size = outcome, max(len(outcome.life.acts) // 2, 1)
    while True:
        shorter = _without(best, size, live)
        if shorter is not None:
            best = shorter
        elif size > 1:
            size //= 2
        else:
            return best


def _without(outcome: Outcome, size: int, live: Callable[[Life], Outcome]) -> Outcome | None:
    acts: Sequence[Act] = outcome.life.acts
    for begin in range(0, len(acts), size):
        tried = live(outcome.life.only([*acts[:begin], *acts[begin + size :]]))
        if tried.wrong and tried.wrong.split(":")[:2] == outcome.wrong.split(":")[:2]:
            return tried
    return None
