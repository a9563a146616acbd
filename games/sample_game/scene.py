"""What Sample Game's screen shows between two steps: reels, wins and free spins, as in every game of lines."""

from games.play import Scene, Stake, Step
from games.spin_scene import SpinScene, fold_spin


class SampleGameScene(SpinScene, frozen=True, kw_only=True):
    """The reels, their wins, and how far the free spins have come; add fields for what the game has of its own."""


def advance(scene: Scene, _stake: Stake, step: Step) -> SampleGameScene:
    """Fold one step into `scene`; an offer changes nothing. Raises TypeError for another game's scene or step."""
    if not isinstance(scene, SampleGameScene):
        raise TypeError(f"Sample Game is drawn from a SampleGameScene, not from a {type(scene).__name__}")
    return fold_spin(scene, step)
