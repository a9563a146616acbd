"""Golden pictures: the SHA-256 of a screen's pixels, with a thumbnail for the reader.

After a change of the art or of a screen, look at the pictures and record them anew: `python -m tests.ui.golden
[NAME ...]`, where a name is a screen's or the beginning of several (`bewitched`).
"""

import sys
from functools import lru_cache
from pathlib import Path

import msgspec
import pygame

from tests.ui.programme import OTHER_GAMES, PROGRAMME
from tests.ui.rehearsal import BAKED, Rehearsal
from ui.layout import SHAPES
from ui.scenes.props import Props

FOLDER = Path(__file__).parent / "golden"
HASHES = FOLDER / "hashes.json"
MAIN_SCREENS = (
    "attract",
    "attract_most",
    "lobby",
    "idle",
    "spinning",
    "line_by_line",
    "big_win",
    "free_spins_offer",
    "free_spin_win",
    "chest_cursor",
    "paytable",
    "autospin_settings",
    "autospin_pad",
    "autospin_spinning",
    "collecting",
    "handpay",
    "door_open",
    "large_win",
    "power_reset",
    *OTHER_GAMES,
)
GERMAN_SCREENS = (
    "attract",
    "attract_most",
    "lobby",
    "idle",
    "line_by_line",
    "free_spins_offer",
    "free_spins_total",
    "chest_cursor",
    "paytable",
    "rules",
    "autospin_settings",
    "handpay",
    "door_open",
    "pages_menu",
    "pages_history",
    "pages_replay",
    "pages_volumes",
    "pages_lowest_bet",
    "autospin_pad",
    "autospin_spinning",
    "recovering",
    "double_up_guess",
    "bewitched_witch",
    "bewitched_battle_won",
    "bewitched_vials",
    "bewitched_paytable",
    "mona_lisa_jewels_jewels_offer",
    "mona_lisa_jewels_jackpot",
    "mona_lisa_jewels_paytable",
    "witch_feature_explosion_begins",
    "witch_feature_unlocked",
    "witch_feature_paytable",
    "mystery_elves_offer",
    "mystery_elves_buy",
    "mystery_elves_paid",
    "recall_neptune",
    "recall_void",
    "service_chart_days",
    "service_chart_wins",
)
GOLDEN = [
    *((name, shape, "en") for shape in SHAPES for name in MAIN_SCREENS),
    *((name, "wide", "de") for name in GERMAN_SCREENS),
]
"""Each golden picture: its screen, the monitor's shape, the language."""
_LONG_SIDE = {"wide": 320, "tall": 240, "portrait": 240}


@lru_cache(maxsize=1)
def _props(shape: str) -> Props:
    """Return what is decoded once for all screens of a shape."""
    return Props(BAKED, 1, SHAPES[shape])


def rehearsed(name: str, shape: str = "wide", language: str = "en") -> Rehearsal:
    """Return a rehearsal that stands at the screen `name` on a monitor of that shape, in that language."""
    rehearsal = Rehearsal(shape=shape, props=_props(shape), language=language)
    PROGRAMME[name](rehearsal)
    return rehearsal


def key(name: str, shape: str, language: str = "en") -> str:
    """Return the name under which a screen of that shape and language is recorded."""
    return "_".join((name, *((shape,) if shape != "wide" else ()), *((language,) if language != "en" else ())))


def recorded() -> dict[str, str]:
    """Return the recorded hash of each main screen."""
    return msgspec.json.decode(HASHES.read_bytes(), type=dict[str, str])


def record(*names: str) -> None:
    """Write hash and thumbnail of the main screens whose name begins with one of `names`, or of all."""
    FOLDER.mkdir(exist_ok=True)
    new = {}
    for name, shape, language in GOLDEN:
        if not key(name, shape, language).startswith(names or ("",)):
            continue
        rehearsal = rehearsed(name, shape, language)
        new[key(name, shape, language)] = rehearsal.pixels()
        canvas = rehearsal.screen.canvas
        small = pygame.transform.smoothscale_by(canvas, _LONG_SIDE[shape] / max(canvas.get_size()))
        pygame.image.save(small, str(FOLDER / f"{key(name, shape, language)}.png"))
    # Read as late as can be: several hands record, each its own game.
    hashes = {name: pixels for name, pixels in (recorded() | new).items() if name in {key(*each) for each in GOLDEN}}
    HASHES.write_bytes(msgspec.json.format(msgspec.json.encode(dict(sorted(hashes.items()))), indent=2) + b"\n")


if __name__ == "__main__":
    record(*sys.argv[1:])
