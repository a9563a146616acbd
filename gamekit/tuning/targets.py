"""What a designer asks for, and how far a game is from it."""

from dataclasses import dataclass, fields
from math import inf

import msgspec

RTP_WITHIN = 0.0001
"""0.01 % of what is staked."""
SHARE_WITHIN = 0.01
"""Of hit frequency, sigma and the chance of free spins: 1 % of the target."""
_HOT_RTP = 50.0
_HOT = 3.0
_COLD = 0.33


class Figures(msgspec.Struct, frozen=True):
    """A bet's figures: return (1 is all), hit frequency, sigma in whole bets, chance of free spins per paid spin."""

    rtp: float
    hit: float
    sigma: float
    free_spins: float


@dataclass(frozen=True)
class Targets:
    """The figures asked for, each as in `Figures`; None is free."""

    rtp: float | None = None
    hit: float | None = None
    sigma: float | None = None
    free_spins: float | None = None

    @property
    def asked(self) -> dict[str, float]:
        """The targets by name, those that are free left out."""
        every = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in every.items() if value is not None}

    def errors(self, figures: Figures) -> dict[str, float]:
        """Return by target how far `figures` are from it, in tolerances: 1 is the most that is taken."""
        return {
            name: abs(getattr(figures, name) - value) / (RTP_WITHIN if name == "rtp" else value * SHARE_WITHIN)
            for name, value in self.asked.items()
        }

    def worst(self, figures: Figures) -> float:
        """Return how far `figures` are from the target that they miss most, in tolerances."""
        return max(self.errors(figures).values())

    def cost(self, figures: Figures, heat: float, *, but: str = "") -> float:
        """Return how far off `figures` are for a search at `heat`, which falls from 1 to 0.

        Each error counts by what is taken for near at that heat: 50 tolerances of the return and 3 of the others while
        hot, a third of each once cold. So a return that happens to be right does not hold what else is still far off.
        The target named `but` is left out.
        """
        if figures.rtp == inf:
            return inf
        every: float = sum(
            error / (_COLD * ((_HOT_RTP if name == "rtp" else _HOT) / _COLD) ** heat)
            for name, error in self.errors(figures).items()
            if name != but
        )
        return every
