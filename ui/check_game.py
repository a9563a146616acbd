"""`python -m ui.check_game GAME`: all that the display misses of a game, its screens drawn; the faults as JSON.

For `cabinet check-game` and `cabinet check-config`, in each shape, scale and language asked for. Where the art can be
drawn anew, as it can where it was baked, its words are measured too (`ui/contrast.py`).
"""

import argparse
import importlib.util
import os
import sys
from pathlib import Path

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
# SDL reads its environment when it is loaded, so this stands above what draws.
os.environ["SDL_VIDEODRIVER"] = "dummy"

import msgspec

from games.checking import Fault
from ui.checking import faults
from ui.explaining import unexplained
from ui.languages import SOURCE
from ui.layout import SHAPES
from ui.rehearsing import rehearsed


def main() -> int:
    """Print the faults of a game as JSON; return 1 where it has any."""
    parser = argparse.ArgumentParser(prog="python -m ui.check_game", description="What the display misses of a game.")
    parser.add_argument("game")
    parser.add_argument("--baked", type=Path, default=Path("build/baked"))
    parser.add_argument("--shape", action="append", choices=SHAPES, dest="shapes")
    parser.add_argument("--scale", action="append", type=float, dest="scales")
    parser.add_argument("--language", action="append", dest="languages")
    parser.add_argument("--pictures", type=Path, help="keep a picture of each screen here")
    given = parser.parse_args()
    found: dict[Fault, None] = {}
    for shape in given.shapes or SHAPES:
        for scale in given.scales or (1.0,):
            for language in given.languages or (SOURCE,):
                name, baked = given.game, given.baked
                now = faults(name, baked, shape=shape, scale=scale, language=language)
                now = now or rehearsed(
                    name, baked, shape=shape, scale=scale, language=language, pictures=given.pictures
                )
                found |= dict.fromkeys(now)
    found |= dict.fromkeys([] if found else unexplained(given.game))
    if importlib.util.find_spec("resvg_py") is not None:
        from ui import contrast  # noqa: PLC0415 - it needs what only the bake needs

        found |= dict.fromkeys(contrast.faults(given.game, given.languages or ()))
    sys.stdout.buffer.write(msgspec.json.encode(list(found)) + b"\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
