"""Mishaps of a simulated device: queued by a script, or drawn at random.

A device calls `happens(name)` on each occasion at which a mishap is possible (an order to stack, a coin at the credit
sensor, a start). If it returns True, the device behaves as the row of that name in `drivers.simulated.fault_model`
says.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial


class Mishaps:
    """The mishaps `names` of one device; without a queued mishap or a rate nothing happens.

    `happened` counts the mishaps that occurred. `chance` draws those with a rate: a fixed seed repeats a run.
    """

    def __init__(self, names: Iterable[str], chance: random.Random | None = None) -> None:
        self.names = frozenset(names)
        self.happened: Counter[str] = Counter()
        # No game outcome is drawn here, only faults of a simulation.
        self._chance = chance or random.Random(0)  # noqa: S311
        self._ordered: Counter[str] = Counter()
        self._rates: dict[str, float] = {}

    def __repr__(self) -> str:
        return f"<Mishaps ordered {dict(self._ordered)}, by chance {self._rates}>"

    def next(self, name: str, times: int = 1) -> None:
        """Queue `name` for the next `times` occasions, 0 for none; raise `ValueError` for an unknown name."""
        self._require(name)
        if times < 0:
            raise ValueError(f"{times} times {name}: order none or more")
        self._ordered[name] = times

    def rate(self, name: str, probability: float) -> None:
        """Let `name` happen on each occasion with `probability`; raise `ValueError` for an unknown name."""
        self._require(name)
        if not 0 <= probability <= 1:
            raise ValueError(f"{name} with probability {probability}: give 0 to 1")
        self._rates[name] = probability

    def forget(self) -> None:
        """Cancel all queued mishaps and rates."""
        self._ordered.clear()
        self._rates.clear()

    def happens(self, name: str) -> bool:
        """Return whether `name` happens on this occasion, and use up one queued mishap."""
        self._require(name)
        if self._ordered[name]:
            self._ordered[name] -= 1
        elif not (rate := self._rates.get(name)) or self._chance.random() >= rate:
            return False
        self.happened[name] += 1
        return True

    def orders(self) -> dict[str, Callable[[int], None]]:
        """Return, by name, the function that queues each mishap for a number of occasions."""
        return {name: partial(self.next, name) for name in sorted(self.names)}

    def which(self, *names: str) -> str:
        """Return the first of `names` that happens on this occasion, or an empty string."""
        return next((name for name in names if self.happens(name)), "")

    def _require(self, name: str) -> None:
        if name not in self.names:
            raise ValueError(f"no such mishap: {name}; there are {', '.join(sorted(self.names))}")
