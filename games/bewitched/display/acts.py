"""How Bewitched's own steps are performed: the battle, Merlin's coming, a vial poured, and what the potion became."""

from gamekit.beats import Cell
from gamekit.play import Step
from games.bewitched.steps import Battle, MerlinCame, PotionBrewed, VialTaken
from ui.acts import TURBO, Act, roll
from ui.picture import Picture

BATTLE_S = 6.4
MERLIN_S = 2.2
POUR_S = 1.5
REVEAL_S = 1.9
BREW_S = 5.4
_ROLL_S = 1.8
_POOL_HOLD_S = 0.9
"""How long the word JACKPOT is shown before the pool's amount is shown on the reels."""


class _Paced(Act):
    """An act whose parts have their moments: `into` is how far it has come, whatever its pace."""

    def __init__(self, picture: Picture, coins: int, lasts: float, roll_s: float = 0.0) -> None:
        super().__init__(picture, coins, lasts, roll_s)
        self.whole = lasts
        self._pace = 1.0
        self._hurried_at = float("inf")

    def begin(self, now: float, *, turbo: bool) -> None:
        """Start at `now`; turbo shortens it, and all that happens in it."""
        super().begin(now, turbo=turbo)
        self._pace = TURBO if turbo else 1.0

    def hurry(self, now: float) -> None:
        """Show the end at once."""
        super().hurry(now)
        self._hurried_at = min(self._hurried_at, now)

    def into(self, now: float) -> float:
        """Return how far the act has come at `now`, in seconds of its full length; hurried, it is at its end."""
        return self.whole if now >= self._hurried_at else (now - self.began) / self._pace


class BattleAct(_Paced):
    """The witches fight; the player's wins where `won`, and brings `spins` free spins."""

    sound = "spell"

    def __init__(self, picture: Picture, battle: Battle) -> None:
        super().__init__(picture, 0, BATTLE_S)
        self.won = battle.won
        self.spins = battle.spins


class MerlinAct(Act):
    """Merlin is in `cells`: the vials come."""

    sound = "feature_start"

    def __init__(self, picture: Picture, cells: tuple[Cell, ...]) -> None:
        super().__init__(picture, 0, MERLIN_S)
        self.cells = cells


class PourAct(_Paced):
    """Vial `choice` is poured into the cauldron; `picture` still has it on the shelf."""

    sound = "vial"

    def __init__(self, picture: Picture, choice: int) -> None:
        super().__init__(picture, 0, POUR_S)
        self.choice = choice


def brews_s(potion: PotionBrewed) -> float:
    """Return how long it takes to see what a potion has become."""
    return BREW_S if potion.coins else BREW_S - _POOL_HOLD_S


class BrewAct(_Paced):
    """The potion boils, and shows what it has become: its coins are kept back until then."""

    sound = "potion"

    def __init__(self, picture: Picture, potion: PotionBrewed) -> None:
        super().__init__(picture, potion.coins, brews_s(potion), _ROLL_S)
        self.potion = potion

    def rolled(self, now: float) -> int:
        """Return how many of its coins are shown at `now`: none while the potion boils."""
        return roll(self.coins, self.into(now) - REVEAL_S, _ROLL_S)

    def rolling(self, now: float) -> bool:
        """Whether the amount grows."""
        return self.coins > 0 and REVEAL_S <= self.into(now) < REVEAL_S + _ROLL_S


def act_of(step: Step, before: Picture, after: Picture) -> Act | None:
    """Return the act of a step that Bewitched alone has, or None for the shared script's."""
    match step:
        case Battle():
            return BattleAct(after, step)
        case MerlinCame():
            return MerlinAct(before, step.cells)
        case VialTaken():
            return PourAct(before, step.choice)
        case PotionBrewed():
            return BrewAct(before, step)
    return None
