"""`python -m ui.check_game GAME`: finds what the display lacks of a game, draws its screens, and prints faults as JSON.

It serves `cabinet check-game` and `cabinet check-config`, for each requested shape, scale and language. If the art can
be drawn anew, as on the machine that baked it, the contrast of its words is measured too (`ui/contrast.py`). What
cannot be checked before another fault is corrected is reported last: the screens while pictures are missing, and both
screens and rules while the figures that they show are missing.
"""

import argparse
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
# SDL reads its environment when it is loaded, so this must precede the drawing imports.
os.environ["SDL_VIDEODRIVER"] = "dummy"

import msgspec

from common.error_words import error_words
from gamekit import catalogue, figures
from gamekit.checking import Fault
from gamekit.maths import load_maths
from ui.checking import faults
from ui.explaining import misprinted, untold
from ui.languages import SOURCE, Languages
from ui.layout import SHAPES
from ui.rehearsing import rehearsed
from ui.theme import load

NOT_DRAWN = "its screens are not drawn where theme or pictures have faults; mend those, and check again"
NOT_COUNTED = "its screens are not drawn and its rules not read, for both show its figures; make them, and check again"


def main() -> int:
    """Print the faults of a game as JSON; return 1 if it has any."""
    parser = argparse.ArgumentParser(prog="python -m ui.check_game", description="What the display misses of a game.")
    parser.add_argument("game")
    parser.add_argument("--baked", type=Path, default=Path("build/baked"))
    parser.add_argument("--shape", action="append", choices=SHAPES, dest="shapes")
    parser.add_argument("--scale", action="append", type=float, dest="scales")
    parser.add_argument("--language", action="append", dest="languages")
    parser.add_argument("--pictures", type=Path, help="keep a picture of each screen here")
    given = parser.parse_args()
    name, baked, languages = given.game, given.baked, given.languages or (SOURCE,)
    found: dict[Fault, None] = {}
    waits: dict[Fault, None] = {}
    counted = _counted(name)
    for shape in given.shapes or SHAPES:
        for scale in given.scales or (1.0,):
            for language in languages:
                now = faults(name, baked, shape=shape, scale=scale, language=language)
                found |= dict.fromkeys(now)
                if any(map(_hinders, now)):
                    waits[Fault(f"games/{name}/display", NOT_DRAWN)] = None
                elif counted:
                    drawn = rehearsed(name, baked, shape=shape, scale=scale, language=language, pictures=given.pictures)
                    found |= dict.fromkeys(drawn)
    found |= dict.fromkeys(_of_wins(name, Languages(baked), languages if counted else ()))
    if not counted:
        waits = {Fault(f"games/{name}/{figures.FILE}", NOT_COUNTED): None}
    if importlib.util.find_spec("resvg_py") is not None:
        from ui import contrast  # noqa: PLC0415 - it needs what only the bake needs

        found |= dict.fromkeys(contrast.faults(given.game, given.languages or ()))
    found |= waits
    sys.stdout.buffer.write(msgspec.json.encode(list(found)) + b"\n")
    return 1 if found else 0


def _counted(name: str) -> bool:
    """Return whether there are figures to show, even if they belong to other mathematics."""
    try:
        figures.figures_of(name)
    except (catalogue.UnknownGameError, figures.StaleFiguresError):
        return False
    return True


def _hinders(fault: Fault) -> bool:
    """Return whether this fault prevents drawing any screen: a fault of the theme or of pictures."""
    if "sounds" in Path(fault.file).parts:
        return False
    return not fault.file.endswith((".po", ".mo"))


def _of_wins(name: str, words: Languages, languages: Sequence[str]) -> list[Fault]:
    """Return what the paytable prints wrongly, and what the rules in these languages do not explain.

    An error in a game's own code is a fault like any other; one that prevents loading was already reported.
    """
    try:
        theme, maths = load(name), load_maths(name)
    except Exception:  # noqa: BLE001 - see above
        return []
    try:
        found = misprinted(theme, maths)
        return found + (untold(theme, maths, {each: words.catalogue(each) for each in languages}) if languages else [])
    except Exception as error:  # noqa: BLE001 - see above
        file = catalogue.folder_of(name) / "display" / "theme.py"
        return [Fault(str(file), f"what it says of its wins ends in {type(error).__name__}: {error_words(error)}")]


if __name__ == "__main__":
    sys.exit(main())
