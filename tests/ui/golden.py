"""Golden pictures: the SHA-256 of a screen's pixels, with a thumbnail for the reader.

There is one of every screen of the programme, and of the main ones one for each monitor and language. A picture at
1920x1080 has no thumbnail: it shows what the one at 1280x720 does. It needs the art at 1.5 (`cabinet bake`).

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
from ui.draw_context import DrawContext
from ui.layout import SHAPES

FOLDER = Path(__file__).parent / "golden"
HASHES = FOLDER / "hashes.json"
MAIN_SCREENS = (
    "attract",
    "attract_most",
    "attract_moment",
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
    "attract_moment",
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
    "service_rounds",
    "service_events",
    "host_off",
    "host_lock",
    "host_notes",
    "service_host",
    "service_host_events",
    "service_chart_days",
    "service_chart_wins",
    "service_pin",
    "service_card",
    "service_card_enrolled",
    "service_names",
    "service_code",
    "service_people",
    "service_guide",
    "service_guide_devices",
    "service_guide_people",
    "service_guide_panel",
)
FULL_HD = "full_hd"
MONITORS = {**{shape: (shape, 1.0) for shape in SHAPES}, FULL_HD: ("wide", 1.5)}
"""Each monitor's shape and scale: a wide one comes with 1280x720 and with 1920x1080."""
_OPERATORS = ("service", "recall")
"""The beginnings of the screens that no player sees."""
PLAYERS_SCREENS = tuple(name for name in MAIN_SCREENS if not name.startswith(_OPERATORS))
GOLDEN = [
    *((name, "wide", "en") for name in PROGRAMME),
    *((name, shape, "en") for shape in ("tall", "portrait") for name in MAIN_SCREENS),
    *((name, FULL_HD, "en") for name in PLAYERS_SCREENS),
    *((name, monitor, "de") for monitor in MONITORS for name in PLAYERS_SCREENS),
    *((name, "wide", "de") for name in GERMAN_SCREENS if name not in PLAYERS_SCREENS),
]
"""Each golden picture: its screen, the monitor, the language."""
_LONG_SIDE = {"wide": 320, "tall": 240, "portrait": 240}


@lru_cache(maxsize=1)
def _context(monitor: str) -> DrawContext:
    """Return what is decoded once for all screens of a monitor."""
    shape, scale = MONITORS[monitor]
    return DrawContext(BAKED, scale, SHAPES[shape])


def rehearsed(name: str, monitor: str = "wide", language: str = "en") -> Rehearsal:
    """Return a rehearsal that shows the screen `name` on that monitor, in that language."""
    shape, scale = MONITORS[monitor]
    rehearsal = Rehearsal(scale, shape, _context(monitor), language)
    PROGRAMME[name](rehearsal)
    return rehearsal


def key(name: str, monitor: str, language: str = "en") -> str:
    """Return the name under which a screen on that monitor and in that language is recorded."""
    return "_".join((name, *((monitor,) if monitor != "wide" else ()), *((language,) if language != "en" else ())))


def recorded() -> dict[str, str]:
    """Return the recorded hash of each golden picture."""
    return msgspec.json.decode(HASHES.read_bytes(), type=dict[str, str])


def record(*names: str) -> None:
    """Write hash and thumbnail of the screens whose name begins with one of `names`, or of all."""
    FOLDER.mkdir(exist_ok=True)
    new, left_out = {}, list[str]()
    for name, monitor, language in sorted(GOLDEN, key=lambda each: each[1]):
        recorded_as = key(name, monitor, language)
        if not recorded_as.startswith(names or ("",)):
            continue
        if not (BAKED / "ui" / f"{MONITORS[monitor][1]:g}").is_dir():
            left_out.append(recorded_as)
            continue
        rehearsal = rehearsed(name, monitor, language)
        new[recorded_as] = rehearsal.pixels()
        if monitor in _LONG_SIDE:
            canvas = rehearsal.screen.canvas
            small = pygame.transform.smoothscale_by(canvas, _LONG_SIDE[monitor] / max(canvas.get_size()))
            pygame.image.save(small, str(FOLDER / f"{recorded_as}.jpg"))
    # Read as late as can be: several hands record, each its own game.
    hashes = {name: pixels for name, pixels in (recorded() | new).items() if name in {key(*each) for each in GOLDEN}}
    HASHES.write_bytes(msgspec.json.format(msgspec.json.encode(dict(sorted(hashes.items()))), indent=2) + b"\n")
    if left_out:
        print(f"{len(left_out)} not recorded, whose scale is not baked: {left_out[0]} ...")  # noqa: T201  for the reader


if __name__ == "__main__":
    record(*sys.argv[1:])
