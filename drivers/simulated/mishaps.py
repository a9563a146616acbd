"""What befalls a simulated device at the next occasion: ordered by a script, or left to chance.

A device asks `happens(name)` at each occasion at which a mishap could befall it (an order to stack, a coin at the
credit sensor, a start), and then does what the row of that name in `drivers.simulated.fault_model` says.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial


class Mishaps:
    """The mishaps `names` of one device; without an order and without a rate nothing happens.

    `happened` counts what has befallen it. `chance` decides where a rate is set: a fixed seed repeats a run.
    """

    def __init__(self, names: Iterable[str], chance: random.Random | None = None) -> None:
        self.names = frozenset(names)
        self.happened: Counter[str] = Counter()
        # Nothing of money is drawn here: only what goes wrong in a simulation.
        self._chance = chance or random.Random(0)  # noqa: S311
        self._ordered: Counter[str] = Counter()
        self._rates: dict[str, float] = {}

    def __repr__(self) -> str:
        return f"<Mishaps ordered {dict(self._ordered)}, by chance {self._rates}>"

    def next(self, name: str, times: int = 1) -> None:
        """Let `name` befall the next `times` occasions, 0 for none; raise `ValueError` for one that is not known."""
        self._require(name)
        if times < 0:
            raise ValueError(f"{times} times {name}: order none or more")
        self._ordered[name] = times

    def rate(self, name: str, probability: float) -> None:
        """Let `name` befall each occasion with `probability`; raise `ValueError` for one that is not known."""
        self._require(name)
        if not 0 <= probability <= 1:
            raise ValueError(f"{name} with probability {probability}: give 0 to 1")
        self._rates[name] = probability

    def forget(self) -> None:
        """Let nothing happen, whatever was ordered before."""
        self._ordered.clear()
        self._rates.clear()

    def happens(self, name: str) -> bool:
        """Return whether `name` befalls this occasion, using up one order."""
        self._require(name)
        if self._ordered[name]:
            self._ordered[name] -= 1
        elif not (rate := self._rates.get(name)) or self._chance.random() >= rate:
            return False
        self.happened[name] += 1
        return True

    def orders(self) -> dict[str, Callable[[int], None]]:
        """Return what orders each mishap for so many occasions, by name."""
        return {name: partial(self.next, name) for name in sorted(self.names)}

    def which(self, *names: str) -> str:
        """Return the first of `names` that befalls this occasion, empty for none."""
        return next((name for name in names if self.happens(name)), "")

    def _require(self, name: str) -> None:
        if name not in self.names:
            raise ValueError(f"no such mishap: {name}; there are {', '.join(sorted(self.names))}")
