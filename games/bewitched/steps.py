"""The steps that Bewitched alone has: the witches' battle, and Merlin's vials."""

from gamekit.beats import Cell
from gamekit.play import Beat


class Battle(Beat, frozen=True, gc=False):
    """The two witches fight. If the player's has `won`, `spins` free spins follow; which she is changes nothing."""

    won: bool
    spins: int


class MerlinCame(Beat, frozen=True, gc=False):
    """`count` Merlins are in `cells`: `vials` of the `shown` vials are to be combined."""

    count: int
    cells: tuple[Cell, ...]
    shown: int
    vials: int


class VialTaken(Beat, frozen=True, gc=False):
    """Vial `choice` (from 0) goes into the potion; by itself it means nothing."""

    choice: int


class PotionBrewed(Beat, frozen=True, gc=False):
    """The potion is `money`, `amount` times the whole bet in `coins`; `amount` `free_spins`; or the `jackpot`.

    Free spins are reported by `FreeSpinsWon`, the jackpot by `JackpotWon`, each after this.
    """

    kind: str
    amount: int
