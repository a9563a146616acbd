"""Sample Game: five reels, ten lines, free spins."""

from collections.abc import Mapping

from games import beats
from games.identity import maths_hash
from games.play import Game
from games.sample_game.pays import (
    FREE_SPIN_MULTIPLIER,
    FREE_SPINS,
    LINE_RULES,
    LINES,
    MATHS_VERSION,
    SCATTER_PAYS,
)
from games.sample_game.play import play
from games.sample_game.scene import SampleGameScene, advance
from games.sample_game.strips import REELS

__all__ = ["GAME", "MATHS_PARTS", "SampleGameScene", "SampleGameStep"]

SampleGameStep = (
    beats.ReelsLanded
    | beats.LineWin
    | beats.ScatterWin
    | beats.FreeSpinsWon
    | beats.FreeSpinBegins
    | beats.FreeSpinsEnded
    | beats.Continue
)

MATHS_PARTS: Mapping[str, object] = {
    "maths_version": MATHS_VERSION,
    "strips": REELS.strips,
    "rows": REELS.rows,
    "lines": LINES,
    "pays": LINE_RULES.pays,
    "wild": LINE_RULES.wild,
    "scatter_pays": SCATTER_PAYS,
    "free_spins": FREE_SPINS,
    "free_spin_multiplier": FREE_SPIN_MULTIPLIER,
}
"""What the hash of the maths covers."""

GAME = Game(
    name="sample_game",
    title="Sample Game",
    maths_version=MATHS_VERSION,
    maths_hash=maths_hash(**MATHS_PARTS),
    reels=len(REELS.strips),
    rows=REELS.rows,
    line_counts=(1, 5, 10),
    coins_per_line=(1, 2, 5),
    play=play,
    step_type=SampleGameStep,
    scene_type=SampleGameScene,
    memory_type=None,
    idle=SampleGameScene(stops=(20, 7, 12, 16, 16)),
    advance=advance,
)
