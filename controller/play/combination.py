"""A chosen combination: the window it shows, and what the game's own play pays for it (T.17).

Nothing is drawn at random. The game's play gets the chosen stops and is left where the paid spin ends: at its first
offer, or where a feature begins.
"""

from collections.abc import Sequence
from typing import NamedTuple

from gamekit.beats import CascadeFell, LineWin, ReelsLanded, ScatterWin, WaysWin
from gamekit.play import Game, Offer, Scene, Stake

BEGINS = frozenset(
    {
        "PicksWon",
        "FreeSpinsWon",
        "Battle",
        "MerlinCame",
        "RespinsWon",
        "JewelSpinsWon",
        "CombinationMade",
        "FeatureBegins",
    }
)
"""The names of the steps that begin something that the window alone does not decide."""


class Combination(NamedTuple):
    """The symbols at `stops` and their win in coins; `feature` is whether a feature would begin.

    If symbols fall, `scene` shows those at the stops with their wins by `ways`; `coins` counts all windows.
    """

    stops: tuple[int, ...]
    scene: Scene
    lines: tuple[LineWin, ...]
    scatter: ScatterWin | None
    coins: int
    feature: bool
    ways: tuple[WaysWin, ...] = ()


class _Chosen:
    """Supplies the play with the chosen stops; any further draw, such as a bonus symbol's worth, is the lowest."""

    def __init__(self, stops: Sequence[int]) -> None:
        self.bounds: list[int] = []
        self._stops = stops

    def __call__(self, bound: int, /) -> int:
        at = len(self.bounds)
        self.bounds.append(bound)
        if at >= len(self._stops):
            return 0
        if not 0 <= self._stops[at] < bound:
            raise ValueError(f"reel {at + 1} has the stops 0 to {bound - 1}, not {self._stops[at]}")
        return self._stops[at]


def reel_lengths(game: Game) -> tuple[int, ...]:
    """Return the number of stops of each reel in the paid spin, as its play draws them."""
    chosen = _Chosen((0,) * game.reels)
    for step in game.play(widest_stake(game), chosen, None):
        if isinstance(step, ReelsLanded):
            break
    return tuple(chosen.bounds[: game.reels])


def widest_stake(game: Game, coin_value_cents: int = 1) -> Stake:
    """Return the bet on all lines, with one coin on each."""
    return Stake(lines=game.line_counts[-1], coins_per_line=game.coins_per_line[0], coin_value_cents=coin_value_cents)


def combination(game: Game, stops: Sequence[int], stake: Stake) -> Combination:
    """Evaluate these stops at this stake; raise `ValueError` for stops that the reels do not have.

    Only the paid spin's lines and scatters are evaluated; a feature that would begin is not played.
    """
    scene, lines, coins = game.idle, list[LineWin](), 0
    scatter: ScatterWin | None = None
    ways: list[WaysWin] = []
    feature = fallen = False
    for step in game.play(stake, _Chosen(stops), None):
        feature = type(step).__name__ in BEGINS or (isinstance(step, Offer) and not step.gamble)
        if feature or isinstance(step, Offer):
            break
        fallen = fallen or isinstance(step, CascadeFell)
        if not fallen:
            scene = game.advance(scene, stake, step)
        coins += step.coins
        if isinstance(step, LineWin):
            lines.append(step)
        if isinstance(step, WaysWin) and not fallen:
            ways.append(step)
        if isinstance(step, ScatterWin):
            scatter = step
    return Combination(tuple(stops), scene, tuple(lines), scatter, coins, feature, tuple(ways))
