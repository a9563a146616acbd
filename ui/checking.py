"""Checks what the display would lack of a game: theme, symbols, pictures by kind and size, sounds and texts.

This only checks files, without drawing; the display does so for each game on offer. `python -m ui.check_game` also
draws.
"""

import struct
from collections.abc import Callable, Iterator
from gettext import GNUTranslations, NullTranslations
from pathlib import Path

import msgspec

from common.error_words import error_words
from gamekit import catalogue
from gamekit.checking import Fault
from gamekit.figures import StaleFiguresError
from ui.atlas import REELS, ArtError, read_manifest
from ui.baking.wording import modules_of, worded
from ui.languages import SOURCE, catalogue_path
from ui.layout import REEL_WIDTH, SHAPES, WINDOW_HEIGHT
from ui.theme import Theme, load

WIN_FRAMES = 12
CUTS = {"wide": ("", (1280, 720)), "tall": ("_tall", (1280, 1024)), "portrait": ("_portrait", (1080, 1920))}
"""The name suffix and size of a scenery's cut for each shape of monitor (docs/art.md)."""
LOGO, TILE, FRAME, SPARK = (560, 110), (284, 204), (1280, 720), (32, 32)
WIN_MARGIN = 12
"""How far a symbol's win frames extend beyond its cell, in units."""


class _Baked(msgspec.Struct, frozen=True):
    """The bake's record of a world's sounds: the hash of each file's inputs."""

    sounds: dict[str, str]


class _Unknown(NullTranslations):
    """Returns an empty text if no catalogue has a translation."""

    def gettext(self, message: str) -> str:
        """Return an empty text."""
        del message
        return ""

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Return an empty text."""
        del msgid1, msgid2, n
        return ""


def faults(name: str, baked: Path, *, shape: str, scale: float, language: str) -> list[Fault]:
    """Return what a display of this shape, scale and language would lack of the game called `name`."""
    try:
        folder = catalogue.folder_of(name) / "display"
    except catalogue.UnknownGameError as error:
        return [Fault(name, f"{error}; put its folder back")]
    try:
        theme = load(name)
    except Exception as error:  # noqa: BLE001 - whatever a game's code raises keeps this game off the screen, and nothing else
        return [
            Fault(str(folder / "theme.py"), f"THEME cannot be loaded: {type(error).__name__}: {error_words(error)}")
        ]
    checks: tuple[Callable[[], Iterator[Fault]], ...] = (
        lambda: _of_theme(theme, folder / "theme.py"),
        lambda: _of_art(theme, folder, baked, shape, scale),
        lambda: _of_sounds(name, folder, baked),
        lambda: _of_words(theme, folder, baked, language),
    )
    found: list[Fault] = []
    for check in checks:
        try:
            found += check()
        except StaleFiguresError:
            continue  # rules show figures: `gamekit.checking` has said that there are none
        except Exception as error:  # noqa: BLE001 - see above
            found.append(Fault(str(folder / "theme.py"), f"{type(error).__name__}: {error_words(error)}"))
    return found


def _symbols(theme: Theme) -> dict[str, None]:
    """Return every symbol that can be on the reels before the first spin, and those of the paytable, in order."""
    picture = theme.picture(theme.game.idle)
    return dict.fromkeys([*theme.symbols, *(symbol for strip in theme.strips(picture) for symbol in strip)])


def _of_theme(theme: Theme, file: Path) -> Iterator[Fault]:
    game = theme.game
    if game is not catalogue.load(game.name):
        yield Fault(str(file), "THEME.game is not this game's GAME")
    if theme.world != file.parents[1].name:
        yield Fault(str(file), f"THEME.world is '{theme.world}'; name it '{file.parents[1].name}', as the game")
    if not theme.ways and len(theme.lines) < game.line_counts[-1]:
        yield Fault(str(file), f"THEME.lines has {len(theme.lines)} of {game.line_counts[-1]} lines; add the others")
    for number, line in enumerate(theme.lines, start=1):
        if len(line) != game.reels or not all(0 <= row < game.rows for row in line):
            yield Fault(str(file), f"line {number} is {line}; give a row from 0 to {game.rows - 1} for each reel")
    if theme.scatter and theme.scatter not in theme.symbols:
        yield Fault(str(file), f"THEME.scatter is '{theme.scatter}', which THEME.symbols does not name; add it there")
    strips = theme.strips(theme.picture(game.idle))
    if len(strips) != game.reels:
        yield Fault(str(file), f"THEME.strips returns {len(strips)} strips for {game.reels} reels")
    if not theme.rules(game.gamble_cap_cents):
        yield Fault(str(file), "THEME.rules returns nothing; the player must be able to read the rules")


def _of_art(theme: Theme, folder: Path, baked: Path, shape: str, scale: float) -> Iterator[Fault]:
    art = folder / "art"
    place = baked / theme.world / f"{scale:g}"
    bake = f"run `cabinet bake --world {theme.world} --scale {scale:g}`"
    try:
        manifest = read_manifest(place / "manifest.json")
    except ArtError as error:
        yield Fault(str(place / "manifest.json"), f"{error}; {bake}")
        return
    for atlas in sorted({sprite.atlas for sprite in manifest.sprites.values()}):
        if not (place / atlas).is_file():
            yield Fault(str(place / atlas), f"is missing; {bake}")
    wanted = {name: (size, [round(side * scale) for side in size]) for name, size in _wanted(theme, shape).items()}
    for name, (size, (width, height)) in (wanted | _wanted_on_reels(theme, shape, scale)).items():
        svg = art / f"{_source(name)}.svg"
        mend = f"draw {svg.name} ({_kind(name)}, {size[0]}x{size[1]} units: docs/art.md), and {bake}"
        sprite = manifest.sprites.get(name)
        if sprite is None:
            yield Fault(str(svg), f"there is no sprite '{name}': {mend}")
        elif (sprite.w, sprite.h) != (width, height):
            yield Fault(str(svg), f"the sprite '{name}' has {sprite.w}x{sprite.h} pixels, not {width}x{height}: {mend}")


def _wanted(theme: Theme, shape: str) -> dict[str, tuple[int, int]]:
    """Return the sprites that every game needs, with their sizes in units."""
    cell = (REEL_WIDTH, WINDOW_HEIGHT // theme.game.rows)
    cut, size = CUTS[shape]
    wanted = {
        f"background{cut}": size,
        "frame": FRAME,
        "reel": (REEL_WIDTH, cell[1] * theme.game.rows),
        "logo": LOGO,
        "tile": TILE,
        "spark": SPARK,
    }
    for symbol in _symbols(theme):
        wanted |= {symbol: cell, f"{symbol}_blur": cell}
        swollen = (cell[0] + 2 * WIN_MARGIN, cell[1] + 2 * WIN_MARGIN)
        wanted |= {f"{symbol}_win_{frame:02}": swollen for frame in range(WIN_FRAMES)}
    return wanted


def _wanted_on_reels(theme: Theme, shape: str, scale: float) -> dict[str, tuple[tuple[int, int], list[int]]]:
    """Return the sprites of portrait's reels, with their sources' sizes in units and their sizes in pixels."""
    zoom = SHAPES[shape].reels_zoom
    if zoom == 1 or scale != 1:
        return {}
    wanted = {}
    for name, size in _wanted(theme, shape).items():
        if name.removesuffix("_blur") in _symbols(theme) or name == "reel":
            wanted[f"{name}_{REELS}"] = (size, [round(side * zoom) for side in size])
    wanted[f"frame_{REELS}"] = (FRAME, [SHAPES[shape].canvas[0], round(FRAME[1] * zoom)])
    return wanted


def _source(sprite: str) -> str:
    """Return the name of the source from which a sprite is made."""
    name = sprite.removesuffix(f"_{REELS}").removesuffix("_blur").removesuffix("_tall").removesuffix("_portrait")
    head, win, _ = name.partition("_win_")
    return "logo" if name == "tile" else head if win else name


def _kind(sprite: str) -> str:
    """Return the kind of a sprite's source, in words."""
    sprite = sprite.removesuffix(f"_{REELS}")
    if sprite.startswith("background"):
        return 'data-kind="scenery", its cut'
    return "a picture" if sprite in ("frame", "reel", "logo", "tile", "spark") else 'data-kind="symbol", its sprite'


def _of_sounds(name: str, folder: Path, baked: Path) -> Iterator[Fault]:
    """Yield missing sound files of a game with its own music, by the bake's record."""
    if not (folder / "music.py").is_file():
        return
    manifest = baked / "sounds" / name / "manifest.json"
    try:
        files = msgspec.json.decode(manifest.read_bytes(), type=_Baked).sounds
    except (OSError, ValueError) as error:
        yield Fault(str(manifest), f"cannot be read ({error_words(error)}); run `cabinet bake`")
        return
    for file in files:
        if not (manifest.parent / file).is_file():
            yield Fault(str(manifest.parent / file), "is missing; run `cabinet bake`")


def _of_words(theme: Theme, folder: Path, baked: Path, language: str) -> Iterator[Fault]:
    if language == SOURCE:
        return
    path = catalogue_path(baked, language)
    try:
        with path.open("rb") as file:
            known = GNUTranslations(file)
    except (OSError, ValueError, struct.error) as error:
        yield Fault(str(path), f"cannot be read ({error_words(error)}); run `cabinet bake`")
        return
    known.add_fallback(_Unknown())
    said = worded(modules_of(theme.game.name), theme.symbols.values())
    where = str(folder / "locale" / f"{language}.po")
    for words in sorted(said.texts):
        if not known.gettext(words):
            yield Fault(where, f"lacks '{words}'; translate it, and run `cabinet bake`")
    for one, many in sorted(said.plurals):
        if not known.ngettext(one, many, 1):
            yield Fault(where, f"lacks the forms of '{one}'; translate them, and run `cabinet bake`")
