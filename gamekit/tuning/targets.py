"""A designer's targets, and how far a game's figures are from them."""

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
        """The targets by name, without the free ones."""
        every = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in every.items() if value is not None}

    def errors(self, figures: Figures) -> dict[str, float]:
        """Return the error of `figures` for each target, in tolerances: up to 1 is accepted."""
        return {
            name: abs(getattr(figures, name) - value) / (RTP_WITHIN if name == "rtp" else value * SHARE_WITHIN)
            for name, value in self.asked.items()
        }

    def worst(self, figures: Figures) -> float:
        """Return the largest error of `figures`, in tolerances."""
        return max(self.errors(figures).values())

    def cost(self, figures: Figures, heat: float, *, but: str = "") -> float:
        """Return the cost of `figures` for a search at `heat`, which falls from 1 to 0.

        Each error is divided by a scale that shrinks with the heat: from 50 tolerances for the return and 3 for the
        others to a third of a tolerance for all. So, while hot, a return that happens to be right does not keep a
        layout whose other figures are far off. The target named `but` is left out.
        """
        if figures.rtp == inf:
            return inf
        every: float = sum(
            error / (_COLD * ((_HOT_RTP if name == "rtp" else _HOT) / _COLD) ** heat)
            for name, error in self.errors(figures).items()
            if name != but
        )
        return every
