"""How Mona Lisa Jewels' own steps are performed: the reel that locks, what is held, five jackpot symbols."""

from gamekit.play import Stake, Step
from games.mona_lisa_jewels.steps import FiveJackpots, Held, JewelsHeld, JewelSpinsEnded, JewelSpinsWon
from ui.acts import Act, PacedAct, TotalAct
from ui.picture import Picture

WON_S = 3.4
LOCK_S = 0.45
"""How long the lock falls onto reel 1."""
BANNER_AFTER_S = 1.1
HELD_S = 1.3
FIVE_S = 2.6
FIVE_ROLL_S = 1.6
NOTHING_S = 1.0


class JewelsWonAct(PacedAct):
    """Reel 1 is locked for `spins` jewel spins; `picture` already holds what stays."""

    sound = "feature_start"

    def __init__(self, after: Picture, spins: int) -> None:
        super().__init__(after, 0, WON_S)
        self.spins = spins


class JewelsHeldAct(Act):
    """The symbols `new` have landed in the first jewel spin and stay for the second."""

    sound = "jewel"

    def __init__(self, after: Picture, new: tuple[Held, ...]) -> None:
        super().__init__(after, 0, HELD_S)
        self.new = new


class JewelsTotalAct(TotalAct):
    """The jewel spins are over: what they have paid all together."""


class NothingAct(Act):
    """The jewel spins are over and have paid nothing."""

    def __init__(self, before: Picture) -> None:
        super().__init__(before, 0, NOTHING_S)


class FiveJackpotsAct(Act):
    """Five jackpot symbols on `line` are lit; their `coins` are the paytable's award, 0 where the pool pays."""

    sound = "jackpot"

    def __init__(self, after: Picture, five: FiveJackpots) -> None:
        super().__init__(after, five.coins, FIVE_S, FIVE_ROLL_S)
        self.line = five.line


def act_of(step: Step, before: Picture, after: Picture, stake: Stake) -> Act | None:
    """Return the act of one of Mona Lisa Jewels' own steps, or None for a step that every game has."""
    match step:
        case JewelSpinsWon():
            return JewelsWonAct(after, step.spins)
        case JewelsHeld() if step.held:
            return JewelsHeldAct(after, step.held)
        case JewelSpinsEnded():
            return JewelsTotalAct(before, step.total, stake.coins) if step.total else NothingAct(before)
        case FiveJackpots():
            return FiveJackpotsAct(after, step)
    return None
