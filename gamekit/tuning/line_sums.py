"""One line's mean, mean square and chance to win, and how much each symbol on each reel contributes to them.

A line's mean is linear in the shares of symbols on any one reel. So one backward and one forward pass over the reels
give the figures of every layout that differs on one reel only.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from gamekit.exact.definition import SpinDefinition
from gamekit.exact.runs import START, Runs, State

Sums = tuple[float, float, float, float]
"""Of one line: mean of its pay, of its pay's square, chance that it pays or starts a feature, mean of its picks."""

_KINDS = range(4)


@dataclass(frozen=True)
class _Step:
    """The transitions of a state: the next state for each symbol, or -1 if the run ends."""

    worth: Sums
    after: tuple[int, ...]


class LineSums:
    """The sums of one kind of spin's lines; `symbols` says the order in which counts are given."""

    def __init__(self, spin: SpinDefinition, symbols: Sequence[str]) -> None:
        pays = Runs(spin.rules, spin.rules.pays, spin.symbols, spin.wild_multipliers)
        picks = Runs(spin.rules, spin.picks.picks, spin.symbols)
        features = Runs(spin.rules, {symbol: {n: 1} for symbol, n in spin.rules.features.items()}, spin.symbols)

        def worth(state: State, length: int) -> Sums:
            pay = float(pays.worth(state, length))
            hit = pay > 0 or features.worth(state, length) > 0
            return pay, pay * pay, float(hit), float(picks.worth(state, length))

        self._levels: list[list[_Step]] = []
        states = [START]
        reels = len(spin.counts)
        for reel in range(reels):
            following: dict[State, int] = {}
            level = []
            for state in states:
                after = []
                for symbol in symbols:
                    step = pays.step(state, symbol)
                    after.append(-1 if step is None else following.setdefault(pays.plain(step), len(following)))
                level.append(_Step(worth(state, reel), tuple(after)))
            self._levels.append(level)
            states = list(following)
        self._last = [worth(state, reels) for state in states]

    def worths(self, shares: Sequence[Sequence[float]]) -> list[list[Sums]]:
        """Return, for each reel and symbol, the sums of a line if that reel shows only this symbol.

        `shares` is the fraction of the strip that shows a symbol, for each reel and symbol.
        """
        ahead = self._ahead(shares)
        behind = [1.0]
        settled = [0.0] * 4
        worths = []
        for reel, level in enumerate(self._levels):
            totals = [list(settled) for _ in shares[reel]]
            going = [0.0] * len(ahead[reel + 1])
            for step, weight in zip(level, behind, strict=True):
                if not weight:
                    continue
                for symbol, after in enumerate(step.after):
                    sums = step.worth if after < 0 else ahead[reel + 1][after]
                    total = totals[symbol]
                    for kind in _KINDS:
                        total[kind] += weight * sums[kind]
                    share = weight * shares[reel][symbol]
                    if after >= 0:
                        going[after] += share
                    else:
                        for kind in _KINDS:
                            settled[kind] += share * sums[kind]
            worths.append([(a, b, c, d) for a, b, c, d in totals])
            behind = going
        return worths

    def _ahead(self, shares: Sequence[Sequence[float]]) -> list[list[Sums]]:
        """Return the mean sums of the states before each reel, and of those after the last reel."""
        ahead = [self._last]
        for level, shown in zip(reversed(self._levels), reversed(shares), strict=True):
            following = ahead[-1]
            sums = []
            for step in level:
                a = b = c = d = 0.0
                ended = 0.0
                for after, share in zip(step.after, shown, strict=True):
                    if after < 0:
                        ended += share
                    elif share:
                        more = following[after]
                        a += share * more[0]
                        b += share * more[1]
                        c += share * more[2]
                        d += share * more[3]
                worth = step.worth
                sums.append((a + ended * worth[0], b + ended * worth[1], c + ended * worth[2], d + ended * worth[3]))
            ahead.append(sums)
        return ahead[::-1]


def mean_of(worths: Sequence[Sums], shares: Sequence[float]) -> Sums:
    """Return the sums over one reel's symbols, by their shares."""
    a = b = c = d = 0.0
    for worth, share in zip(worths, shares, strict=True):
        a += share * worth[0]
        b += share * worth[1]
        c += share * worth[2]
        d += share * worth[3]
    return a, b, c, d
