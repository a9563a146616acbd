"""Golden pictures: the SHA-256 of a screen's pixels, with a thumbnail of 320 px for the reader.

After a change of the art or of a screen, look at the pictures and record them anew: `python -m tests.ui.golden`.
"""

from pathlib import Path

import msgspec
import pygame

from tests.ui.programme import PROGRAMME
from tests.ui.rehearsal import Rehearsal

FOLDER = Path(__file__).parent / "golden"
HASHES = FOLDER / "hashes.json"
MAIN_SCREENS = (
    "attract",
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
)
_THUMBNAIL = (320, 180)


def rehearsed(name: str) -> Rehearsal:
    """Return a rehearsal that stands at the screen `name`."""
    rehearsal = Rehearsal()
    PROGRAMME[name](rehearsal)
    return rehearsal


def recorded() -> dict[str, str]:
    """Return the recorded hash of each main screen."""
    return msgspec.json.decode(HASHES.read_bytes(), type=dict[str, str])


def record() -> None:
    """Write hashes and thumbnails of the main screens as they are now."""
    FOLDER.mkdir(exist_ok=True)
    hashes = {}
    for name in MAIN_SCREENS:
        rehearsal = rehearsed(name)
        hashes[name] = rehearsal.pixels()
        small = pygame.transform.smoothscale(rehearsal.screen.canvas, _THUMBNAIL)
        pygame.image.save(small, str(FOLDER / f"{name}.png"))
    HASHES.write_bytes(msgspec.json.format(msgspec.json.encode(hashes), indent=2) + b"\n")


if __name__ == "__main__":
    record()
