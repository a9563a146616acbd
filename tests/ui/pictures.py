"""The pictures of the README, taken from the programme of screens (`make pictures`).

`python -m tests.ui.pictures [FOLDER]` writes them. The bench's is a window of a running demo, and is not among them.
"""

import argparse
from pathlib import Path

import pygame

from tests.ui.programme import PROGRAMME
from tests.ui.rehearsal import Rehearsal

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
SCREENS = {
    "bewitched": "bewitched_idle",
    "double_up": "double_up_guess",
    "mona_lisa_jewels": "mona_lisa_jewels_idle",
    "mystery_elves": "mystery_elves_respin",
    "lobby": "lobby",
    "neptune": "line_by_line",
    "star_quarry": "star_quarry_ways",
    "witch_feature": "witch_feature_idle",
}
"""The screen of each picture, by the picture's name."""


def write(folder: Path) -> None:
    """Write the pictures into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    pygame.font.init()
    for name, screen in SCREENS.items():
        rehearsal = Rehearsal()
        PROGRAMME[screen](rehearsal)
        pygame.image.save(rehearsal.picture(), str(folder / f"{name}.png"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.ui.pictures", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    write(parser.parse_args().folder)
