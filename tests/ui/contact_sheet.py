"""The contact sheet: every screen of the programme, small, on every shape of monitor (`make contact-sheet`).

`python -m tests.ui.contact_sheet [FOLDER]` writes a picture for each game and shape, and a page that shows them.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import pygame

from tests.ui.golden import GERMAN_SCREENS
from tests.ui.programme import PROGRAMME, joined
from tests.ui.rehearsal import BAKED, Rehearsal
from ui.draw_context import DrawContext
from ui.layout import SHAPES

FOLDER = Path(__file__).parents[2] / "docs" / "screens"
_GROUND = (24, 26, 34)
_INK = (226, 230, 238)
_SHARED = "shared screens, played with Neptune"
_TITLES = {"pages": "menu, volumes, past rounds", "double_up": "double-up"}
_GAP, _CAPTION = 10, 20
_SIZES = {"wide": (368, 207), "tall": (300, 240), "portrait": (207, 368)}
_ACROSS = {"wide": 4, "tall": 5, "portrait": 7}


def groups() -> dict[str, list[str]]:
    """Return the programme's screens by the module that they come from; those of `programme.py` are called `shared`."""
    found: dict[str, list[str]] = {"shared": []}
    for name in PROGRAMME:
        found.setdefault(_group(name) or "shared", []).append(name)
    return found


def _group(name: str) -> str:
    """Return the programme that a screen comes from, or nothing for the shared one."""
    return next((prefix for prefix in joined() if name.startswith(f"{prefix}_")), "")


def sheet(names: Sequence[str], shape: str, language: str = "en") -> pygame.Surface:
    """Return the screens `names` on a monitor of that shape and in that language, small, each with its name."""
    width, height = _SIZES[shape]
    across = _ACROSS[shape]
    rows = -(-len(names) // across)
    whole = pygame.Surface((across * (width + _GAP) + _GAP, rows * (height + _CAPTION + _GAP) + _GAP))
    whole.fill(_GROUND)
    font = pygame.font.Font(str(BAKED / "fonts" / "Manrope-Bold.ttf"), 13)
    # The pictures are decoded once for all screens: a screen shows nothing of the one before (tests/ui/test_scenes.py).
    context = DrawContext(BAKED, 1, SHAPES[shape])
    for place, name in enumerate(names):
        rehearsal = Rehearsal(shape=shape, context=context, language=language)
        PROGRAMME[name](rehearsal)
        small = pygame.transform.smoothscale(rehearsal.picture(), (width, height))
        left = _GAP + place % across * (width + _GAP)
        top = _GAP + place // across * (height + _CAPTION + _GAP)
        whole.blit(small, (left, top))
        caption = name.removeprefix(f"{_group(name)}_").replace("_", " ")
        whole.blit(font.render(caption, antialias=True, color=_INK), (left, top + height + 2))
    return whole


def write(folder: Path) -> None:
    """Write the sheets and their page into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    pygame.font.init()
    lines = [
        "# Every screen",
        "",
        "Made by `make contact-sheet` from the baked art; the programme of screens is `tests/ui/programme.py`.",
    ]
    for group, names in groups().items():
        title = _SHARED if group == "shared" else _TITLES.get(group, group.replace("_", " "))
        lines += ["", f"## {title[0].upper()}{title[1:]}"]
        for shape, layout in SHAPES.items():
            picture = f"{group}_{shape}.jpg"
            pygame.image.save(sheet(names, shape), str(folder / picture))
            size = f"{layout.canvas[0]}x{layout.canvas[1]}"
            lines += ["", f"{shape.capitalize()}, {size}", "", f"![{title}, {shape}]({picture})"]
    lines += ["", "## German"]
    for shape in SHAPES:
        picture = f"german_{shape}.jpg"
        pygame.image.save(sheet(GERMAN_SCREENS, shape, "de"), str(folder / picture))
        lines += ["", f"The main screens, {shape}", "", f"![German, {shape}]({picture})"]
    (folder / "README.md").write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.ui.contact_sheet", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    write(parser.parse_args().folder)
