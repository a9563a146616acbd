"""Witch Feature: five reels, four rows, fifty lines, potions and respins (RULES.md)."""

from collections.abc import Mapping

from gamekit import beats
from gamekit.identity import maths_hash
from gamekit.play import Game
from games.witch_feature import steps
from games.witch_feature.features import MEGA_WILDS
from games.witch_feature.pays import (
    EXPLOSION_MARKS,
    EXPLOSION_SYMBOLS,
    EXPLOSION_TABLE,
    FREE_FEATURE_TABLE,
    FREE_FEATURES,
    FREE_SPINS_ADDED,
    FREE_SPINS_WON,
    LINE_RULES,
    LINES,
    LOCKED_CHANCES,
    MATHS_VERSION,
    MULTIPLIER_TABLE,
    OTHER_CHANCE,
    RANDOM_WILDS_TABLE,
    ROWS,
    TOTAL_BETS,
)
from games.witch_feature.play import PAID_REELS, play
from games.witch_feature.potions import FEATURE_OF, FEATURES, WitchMemory
from games.witch_feature.scene import WitchScene, advance, at_rest, seated
from games.witch_feature.strips import FREE_REELS, HIGH_REELS, RESPIN_REELS

__all__ = ["GAME", "MATHS_PARTS", "WitchScene", "WitchStep"]

WitchStep = (
    beats.ReelsLanded
    | beats.LineWin
    | beats.FreeSpinsWon
    | beats.FreeSpinBegins
    | beats.FreeSpinsEnded
    | beats.Continue
    | steps.PotionsKept
    | steps.PotionCollected
    | steps.CombinationMade
    | steps.FeatureUnlocked
    | steps.FeatureBegins
    | steps.Respun
    | steps.FeatureEnded
)

MATHS_PARTS: Mapping[str, object] = {
    "maths_version": MATHS_VERSION,
    "paid_strips": PAID_REELS.strips,
    "free_strips": FREE_REELS.strips,
    "respin_strips": RESPIN_REELS.strips,
    "high_strips": HIGH_REELS.strips,
    "rows": ROWS,
    "lines": LINES,
    "pays": LINE_RULES.pays,
    "wild": LINE_RULES.wild,
    "combinations": sorted(FEATURE_OF.items()),
    "unlock_order": FEATURES,
    "locked_chances": {feature: str(chance) for feature, chance in LOCKED_CHANCES.items()},
    "other_chance": str(OTHER_CHANCE),
    "random_wilds": RANDOM_WILDS_TABLE.weights,
    "multipliers": MULTIPLIER_TABLE.weights,
    "mega_wilds": MEGA_WILDS,
    "explosion_marks": EXPLOSION_MARKS,
    "explosion_symbols": EXPLOSION_SYMBOLS,
    "explosion": EXPLOSION_TABLE.weights,
    "free_spins": (FREE_SPINS_WON, FREE_SPINS_ADDED),
    "free_features": FREE_FEATURES,
    "free_feature_weights": FREE_FEATURE_TABLE.weights,
}
"""What the hash of the maths covers."""

GAME = Game(
    name="witch_feature",
    title="Witch Feature",
    maths_version=MATHS_VERSION,
    maths_hash=maths_hash(**MATHS_PARTS),
    reels=len(PAID_REELS.strips),
    rows=ROWS,
    line_counts=(len(LINES),),
    coins_per_line=(1,),
    total_bets=TOTAL_BETS,
    seated=seated,
    play=play,
    step_type=WitchStep,
    scene_type=WitchScene,
    memory_type=WitchMemory,
    idle=at_rest((9, 4, 20, 7, 17)),
    advance=advance,
)
