"""`python -m ui.scenes.find_highlights GAME`: the highlights to keep of a game, for `cabinet highlights`.

The search asks of each round how long attract would show it, which is known here.
"""

import argparse
import os
import sys
from functools import partial

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

from gamekit.highlight_search import encoded, find
from gamekit.maths import load_maths
from ui.scenes.moments import fitting
from ui.theme import load


def main() -> None:
    """Print the highlights of the game that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m ui.scenes.find_highlights", description="Finds highlights.")
    parser.add_argument("game")
    name = parser.parse_args().game
    sys.stdout.buffer.write(encoded(find(load_maths(name), partial(fitting, load(name)))))


if __name__ == "__main__":
    main()
