"""A cabinet with Bewitched alone, and its double."""

from pathlib import Path

from controller.configuration.cabinet_toml import Config
from gamekit.play import Draw
from tests.games.bewitched_table import MOONS_AND_MERLINS, NOTHING_ON_ANY_LINE, jackpot
from tests.games.table import Script
from tests.rigs.machine import Rig
from tests.rigs.virtual_cabinet import only

RED_CARD, BLACK_CARD = 0, 1
MERLINS_JACKPOT = (*MOONS_AND_MERLINS, jackpot(15))
"""The jackpot in Merlin's vials, on 15 lines of one coin."""


def bewitched(folder: Path, *values: int, every_round: bool = False, config: Config | None = None) -> Rig:
    """A cabinet with Bewitched alone, whose first round draws `values`, or `every_round`; other rounds win nothing."""
    rounds: dict[int, Script] = {}

    def draws(number: int, _segment: int) -> Draw:
        drawn = values if every_round or not rounds else NOTHING_ON_ANY_LINE
        return rounds.setdefault(number, Script([*drawn, *[0] * 50]))

    return Rig(folder, draws=draws, config=config or only(folder, "bewitched"))


async def to_the_win(rig: Rig) -> int:
    """Spin to the win that may be doubled; return the credit there."""
    await rig.game(2000)
    await rig.press("spin")
    await rig.until("gamble_offer")
    return rig.credit


async def to_the_table(rig: Rig) -> int:
    """Spin to the win and press GAMBLE; return the credit there."""
    credit = await to_the_win(rig)
    await rig.press("max_bet")
    await rig.until("gamble")
    return credit
