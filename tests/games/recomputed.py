"""The bench of `test_filed_sheets`, which others use too."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import msgspec

from gamekit.catalogue import folder_of
from gamekit.designer.regulator import rules_and_returns
from gamekit.designer.regulator_html import as_html
from gamekit.par import ParSheet
from tests.games.from_filed_sheet import Filed
from tests.games.from_sheet import MonaLisa, MysteryElves, Row, bewitched, neptune
from tests.games.star_quarry_from_sheet import StarQuarry
from tests.games.witch_from_sheet import WitchFeature

RECOMPUTED: dict[str, Callable[[Filed], Callable[[Row], Fraction]]] = {
    "neptune": neptune,
    "bewitched": bewitched,
    "mona_lisa_jewels": lambda sheet: MonaLisa(sheet).returned(),
    "witch_feature": lambda sheet: WitchFeature(sheet).returned(),
    "mystery_elves": lambda sheet: MysteryElves(sheet).returned(),
    "star_quarry": lambda sheet: StarQuarry(sheet).in_each_row(),
}
"""What each row of a sheet returns by the sentences and tables in it, read as somebody does who has nothing else."""


def kept(name: str) -> ParSheet:
    return msgspec.json.decode((folder_of(name) / "par.json").read_bytes(), type=ParSheet)


@cache
def filed(name: str) -> str:
    """Return the text of a game's sheet."""
    return as_html(rules_and_returns(kept(name)))
