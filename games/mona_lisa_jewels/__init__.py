"""Mona Lisa Jewels: five reels, 25 lines, held jewels, multiplying wilds, a pool (RULES.md)."""

from collections.abc import Mapping

from gamekit import beats
from gamekit.identity import maths_hash
from gamekit.play import Claim, Game, PoolRule
from games.mona_lisa_jewels.pays import (
    COINS_PER_LINE,
    FREE_SPINS,
    JACKPOT_AWARD,
    JEWEL_SPINS,
    JEWELS_TO_TRIGGER,
    LINE_RULES,
    LINES,
    MATHS_VERSION,
    PALETTE_PAYS,
    POOL_GROWTH_PER_MILLE,
    POOL_SEED_COINS,
    WILD_MULTIPLIERS,
)
from games.mona_lisa_jewels.play import play
from games.mona_lisa_jewels.scene import MonaLisaScene, advance
from games.mona_lisa_jewels.steps import FiveJackpots, JewelsHeld, JewelSpinBegins, JewelSpinsEnded, JewelSpinsWon
from games.mona_lisa_jewels.strips import REELS

__all__ = ["GAME", "MATHS_PARTS", "MonaLisaScene", "MonaLisaStep"]

MonaLisaStep = (
    beats.ReelsLanded
    | beats.LineWin
    | beats.ScatterWin
    | FiveJackpots
    | Claim
    | beats.JackpotWon
    | JewelSpinsWon
    | JewelSpinBegins
    | JewelsHeld
    | JewelSpinsEnded
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
    "features": LINE_RULES.features,
    "jackpot_award": JACKPOT_AWARD,
    "pool_seed": POOL_SEED_COINS,
    "pool_growth": POOL_GROWTH_PER_MILLE,
    "scatter_pays": PALETTE_PAYS,
    "free_spins": FREE_SPINS,
    "wild_multipliers": WILD_MULTIPLIERS,
    "jewels_to_trigger": JEWELS_TO_TRIGGER,
    "jewel_spins": JEWEL_SPINS,
}
"""What the hash of the maths covers."""

GAME = Game(
    name="mona_lisa_jewels",
    title="Mona Lisa Jewels",
    maths_version=MATHS_VERSION,
    maths_hash=maths_hash(**MATHS_PARTS),
    reels=len(REELS.strips),
    rows=REELS.rows,
    line_counts=tuple(range(1, len(LINES) + 1)),
    coins_per_line=COINS_PER_LINE,
    play=play,
    step_type=MonaLisaStep,
    scene_type=MonaLisaScene,
    memory_type=None,
    pool=PoolRule(seed_coins=POOL_SEED_COINS, growth_per_mille=POOL_GROWTH_PER_MILLE),
    pool_at_highest_bet=True,
    idle=MonaLisaScene(stops=(13, 6, 9, 20, 16)),
    advance=advance,
)
