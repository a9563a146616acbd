"""Neptune: five reels, fifteen lines, free spins and treasure chests (rules/neptune.txt)."""

from collections.abc import Mapping

from games import beats
from games.identity import maths_hash
from games.neptune.pays import (
    CHEST_TABLE,
    CHESTS_SHOWN,
    FREE_SPIN_MULTIPLIER,
    FREE_SPINS,
    LINE_RULES,
    LINES,
    MATHS_VERSION,
    MERMAID_PAYS,
)
from games.neptune.play import play
from games.neptune.scene import NeptuneScene, advance
from games.neptune.strips import REELS
from games.play import Game

__all__ = ["GAME", "MATHS_PARTS", "NeptuneScene", "NeptuneStep"]

NeptuneStep = (
    beats.ReelsLanded
    | beats.LineWin
    | beats.ScatterWin
    | beats.PicksWon
    | beats.PickOpened
    | beats.PicksEnded
    | beats.FreeSpinsWon
    | beats.FreeSpinBegins
    | beats.FreeSpinsEnded
    | beats.Continue
    | beats.Pick
)

MATHS_PARTS: Mapping[str, object] = {
    "maths_version": MATHS_VERSION,
    "strips": REELS.strips,
    "rows": REELS.rows,
    "lines": LINES,
    "pays": LINE_RULES.pays,
    "wild": LINE_RULES.wild,
    "features": LINE_RULES.features,
    "scatter_pays": MERMAID_PAYS,
    "free_spins": FREE_SPINS,
    "free_spin_multiplier": FREE_SPIN_MULTIPLIER,
    "chests": CHEST_TABLE.weights,
    "chests_shown": CHESTS_SHOWN,
}
"""What the hash of the maths covers."""

GAME = Game(
    name="neptune",
    title="Neptune",
    maths_version=MATHS_VERSION,
    maths_hash=maths_hash(**MATHS_PARTS),
    reels=len(REELS.strips),
    rows=REELS.rows,
    line_counts=tuple(range(1, len(LINES) + 1)),
    coins_per_line=(1, 2, 3, 4, 5),
    play=play,
    step_type=NeptuneStep,
    scene_type=NeptuneScene,
    memory_type=None,
    idle=NeptuneScene(stops=(5, 16, 17, 2, 11)),
    advance=advance,
)
