"""Bewitched: five reels, fifteen lines, the witches' battle, Merlin's vials and a jackpot (RULES.md)."""

from collections.abc import Mapping

from gamekit import beats
from gamekit.double_up import CardTurned, DoubleUp, DoubleUpEnded
from gamekit.identity import maths_hash
from gamekit.play import Claim, Game
from games.bewitched.pays import (
    BATTLE_ODDS,
    BATTLE_SPINS,
    DOUBLE_UP,
    DOUBLE_UP_CAP_CENTS,
    FREE_SPIN_MULTIPLIER,
    LINE_RULES,
    LINES,
    MATHS_VERSION,
    MERLINS,
    POOL,
    VIALS_SHOWN,
    VIALS_TAKEN,
    WITCHES_PAYS,
    WITCHES_TO_CHOOSE,
)
from games.bewitched.play import play
from games.bewitched.potions import PER_COIN, potion_weights
from games.bewitched.scene import BewitchedScene, advance
from games.bewitched.steps import Battle, MerlinCame, PotionBrewed, VialTaken
from games.bewitched.strips import REELS

__all__ = ["GAME", "MATHS_PARTS", "BewitchedScene", "BewitchedStep"]

BewitchedStep = (
    beats.ReelsLanded
    | beats.LineWin
    | beats.ScatterWin
    | Battle
    | MerlinCame
    | beats.Pick
    | VialTaken
    | PotionBrewed
    | Claim
    | beats.JackpotWon
    | beats.FreeSpinsWon
    | beats.Continue
    | beats.FreeSpinBegins
    | beats.FreeSpinsEnded
    | DoubleUp
    | CardTurned
    | DoubleUpEnded
)

MATHS_PARTS: Mapping[str, object] = {
    "maths_version": MATHS_VERSION,
    "strips": REELS.strips,
    "rows": REELS.rows,
    "lines": LINES,
    "pays": LINE_RULES.pays,
    "wild": LINE_RULES.wild,
    "scatter_pays": WITCHES_PAYS,
    "battle_odds": BATTLE_ODDS,
    "battle_spins": BATTLE_SPINS,
    "free_spin_multiplier": FREE_SPIN_MULTIPLIER,
    "merlins": MERLINS,
    "vials": (VIALS_SHOWN, VIALS_TAKEN),
    "potions": [(*potion, weight) for potion, weight in potion_weights(0).items()],
    "potions_per_coin": [(*potion, change) for potion, change in PER_COIN.items()],
    "pool": POOL,
    "double_up": DOUBLE_UP,
}
"""What the hash of the maths covers."""

GAME = Game(
    name="bewitched",
    title="Bewitched",
    maths_version=MATHS_VERSION,
    maths_hash=maths_hash(**MATHS_PARTS),
    reels=len(REELS.strips),
    rows=REELS.rows,
    line_counts=tuple(range(1, len(LINES) + 1)),
    coins_per_line=tuple(range(1, 11)),
    play=play,
    step_type=BewitchedStep,
    scene_type=BewitchedScene,
    memory_type=None,
    pool=POOL,
    gamble_cap_cents=DOUBLE_UP_CAP_CENTS,
    companions=WITCHES_TO_CHOOSE,
    idle=BewitchedScene(stops=(24, 24, 12, 21, 33)),
    advance=advance,
)
