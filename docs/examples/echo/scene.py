"""What the screen shows of Lagoon: a declared game's scene, and the echo in its win."""

from gamekit.declared.game import DeclaredFold
from gamekit.play import Scene, Stake, Step
from gamekit.spin_scene import SpinScene, paid
from games.lagoon.definition import DEFINITION
from games.lagoon.steps import LinesPaidAgain

_declared = DeclaredFold(DEFINITION)


def advance(scene: Scene, stake: Stake, step: Step) -> Scene:
    """Fold one step into `scene`."""
    if isinstance(step, LinesPaidAgain) and isinstance(scene, SpinScene):
        return paid(scene, step.coins)
    return _declared(scene, stake, step)
