"""What every bet returns to the player in the long run: the figures of the PAR sheets, held to them by a test (M5).

Where a game has a pool, the growth that its bets pay into it is counted in: it comes back as a jackpot.
"""

from collections.abc import Mapping
from typing import NamedTuple


class _Special(NamedTuple):
    lines: int
    coins_per_line: int
    price: int


_USUAL: Mapping[str, int] = {
    "neptune": 96_560_000,
    "bewitched": 95_100_000,
    "witch_feature": 94_020_000,
    "mystery_elves": 95_009_936,
    "mona_lisa_jewels": 94_299_614,
}
"""In millionths of a percent, by game; the pools of Mona Lisa Jewels are won at the highest bet alone."""
_SPECIAL: Mapping[str, Mapping[_Special, int]] = {
    "mystery_elves": {_Special(10, 1, 70): 95_009_922},
    "mona_lisa_jewels": {_Special(25, 10, 1): 95_096_995},
}


def theoretical_return(game: str, *, lines: int, coins_per_line: int, price: int = 1) -> int | None:
    """Return what a bet gives back in theory, in millionths of a percent; None for a game that is not known here."""
    special = _SPECIAL.get(game, {}).get(_Special(lines, coins_per_line, price))
    return _USUAL.get(game) if special is None else special
