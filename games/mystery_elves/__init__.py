"""Mystery Elves: five reels, ten lines, Hold and Win, and a gamble (RULES.md)."""

from collections.abc import Mapping

from gamekit import beats, double_up, hold_and_win
from gamekit.identity import maths_hash
from gamekit.play import Game
from games.mystery_elves import bonuses
from games.mystery_elves.pays import (
    AWARDS,
    BUY_PRICE,
    CARRIED,
    CARRIED_BESIDE_MULTIPLYING,
    FULL_MULTIPLIER,
    GAMBLE,
    GRAND_MULTIPLIER,
    LEAST_BONUSES,
    LINE_RULES,
    LINES,
    MATHS_VERSION,
    MULTIPLIERS,
    TOTAL_BETS,
    VALUES,
)
from games.mystery_elves.play import play
from games.mystery_elves.scene import MysteryElvesScene, advance
from games.mystery_elves.strips import HOLD_RULES, REELS

__all__ = ["GAME", "MATHS_PARTS", "MysteryElvesScene", "MysteryElvesStep"]

MysteryElvesStep = (
    beats.ReelsLanded
    | bonuses.BonusesLanded
    | beats.LineWin
    | hold_and_win.RespinsWon
    | beats.Continue
    | hold_and_win.CellsLanded
    | hold_and_win.RespinsEnded
    | bonuses.MysteryOpened
    | bonuses.MultiplyingOpened
    | bonuses.BonusTurned
    | bonuses.HoldAndWinPaid
    | double_up.DoubleUp
    | double_up.CardTurned
    | double_up.Halved
    | double_up.DoubleUpEnded
)

MATHS_PARTS: Mapping[str, object] = {
    "maths_version": MATHS_VERSION,
    "strips": REELS.strips,
    "rows": REELS.rows,
    "lines": LINES,
    "pays": LINE_RULES.pays,
    "wild": LINE_RULES.wild,
    "least_bonuses": LEAST_BONUSES,
    "hold": HOLD_RULES,
    "carried": CARRIED.weights,
    "carried_beside_multiplying": CARRIED_BESIDE_MULTIPLYING.weights,
    "values": VALUES.weights,
    "awards": AWARDS.weights,
    "multipliers": MULTIPLIERS.weights,
    "grand_multiplier": GRAND_MULTIPLIER,
    "full_multiplier": FULL_MULTIPLIER,
    "buy_price": BUY_PRICE,
    "gamble": GAMBLE,
}
"""What the hash of the maths covers."""

GAME = Game(
    name="mystery_elves",
    title="Mystery Elves",
    maths_version=MATHS_VERSION,
    maths_hash=maths_hash(**MATHS_PARTS),
    reels=len(REELS.strips),
    rows=REELS.rows,
    line_counts=(len(LINES),),
    coins_per_line=(1,),
    total_bets=TOTAL_BETS,
    buy_price=BUY_PRICE,
    gamble_cap_cents=GAMBLE.most_cents or 0,
    play=play,
    step_type=MysteryElvesStep,
    scene_type=MysteryElvesScene,
    memory_type=None,
    idle=MysteryElvesScene(stops=(12, 11, 12, 29, 29)),
    advance=advance,
)
