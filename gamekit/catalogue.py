"""The games of this cabinet, found by their folders; a game is imported only when it is needed.

A game is a folder with a `game.toml`. This program's own games are in its package `games`. A studio's games are in a
separate folder (`look_in`, `[games] folder` of cabinet.toml), or in a wheel with entry points `cabinet.games`. Wherever
a game is, it is imported as `games.<name>`, and its display as `games.<name>.display`.
"""

import os
import sys
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module, invalidate_caches
from importlib.metadata import EntryPoint, distributions, entry_points
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import NamedTuple, cast

import msgspec

from common.error_words import error_reason, error_words
from gamekit.play import Game

PACKAGE = "games"
"""The package that games are imported from, wherever their folders are."""
HOME = Path(__file__).resolve().parents[1] / PACKAGE
"""The folder of this program's own games."""
ENTRY_POINTS = "cabinet.games"
"""The entry points of wheels: the name of a game, and its package, whose last part is that name."""
_PROGRAM = "cabinet"
"""The distribution of this program."""
VARIABLE = "CABINET_GAMES"
"""The environment variable that passes the folders of `look_in` to child processes."""
DEFINITION = "game.toml"
MOST_NUMBER = 9_999
"""A host names a game by four digits; 0 is the whole machine."""
_MOST_BYTES = 1 << 16


class UnknownGameError(LookupError):
    """No game has that name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no game '{name}'; the games are: {', '.join(names())}")


class BrokenGameError(UnknownGameError):
    """A game was found but cannot be loaded: the message has its file and the remedy."""

    def __init__(self, name: str, reason: str) -> None:
        LookupError.__init__(self, f"the game '{name}' cannot be loaded: {reason}")


class InstalledGameError(UnknownGameError):
    """A game to be changed was found only as a wheel's copy; the message has the remedy."""

    def __init__(self, name: str, folder: Path) -> None:
        LookupError.__init__(
            self,
            f"{folder} is what a wheel installed of {name}, and the next installation overwrites it: change its"
            " source, and `pip install --editable` that in place of the wheel",
        )


class Definition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A `game.toml`: `number` identifies the game to hosts and orders it in lobbies.

    The number must never change: the books and hosts of cabinets in use refer to it.
    """

    number: int


class Found(NamedTuple):
    """A game that was found: its name, its number, its folder."""

    name: str
    number: int
    folder: Path


class Refused(NamedTuple):
    """A folder or an entry point that is not a valid game, and why; `name` is the name the game would have."""

    place: str
    reason: str
    name: str = ""


class _Shelf(NamedTuple):
    found: Mapping[str, Found]
    refused: tuple[Refused, ...]


_WITHDRAWN: dict[str, str] = {}
_EXCHANGED: dict[str, Path] = {}


def names() -> tuple[str, ...]:
    """Return the names of all games that can be played, in the order of their numbers."""
    return tuple(name for name in _shelf().found if name not in _WITHDRAWN)


def found() -> tuple[str, ...]:
    """Return the names of all games that were found, the withdrawn ones too, in the order of their numbers."""
    return tuple(_shelf().found)


def known() -> tuple[str, ...]:
    """Return the names of all games that were found, and of those that were refused."""
    return tuple(dict.fromkeys((*found(), *missing())))


def missing() -> dict[str, str]:
    """Return each unavailable game with the reason: it was refused, or it was withdrawn."""
    reasons = {one.name: f"{one.place}: {one.reason}" for one in refused() if one.name not in ("", *found())}
    return {**reasons, **_WITHDRAWN}


def withdraw(name: str, reason: str) -> None:
    """Mark a game that was found as unavailable, because it does not pass its check."""
    _WITHDRAWN[name] = reason


def refused() -> tuple[Refused, ...]:
    """Return the folders and entry points that look like games but are not valid."""
    return _shelf().refused


def number_of(name: str) -> int:
    """Return the number that identifies a game to hosts; 0 for a game that is unavailable."""
    one = _shelf().found.get(name)
    return 0 if one is None else one.number


def name_of(number: int) -> str | None:
    """Return the name of the game with that number; None if no playable game has it."""
    return next((name for name in names() if number_of(name) == number), None)


def most_number() -> int:
    """Return the highest number that a game has; 0 without games."""
    return max(map(number_of, names()), default=0)


def folder_of(name: str) -> Path:
    """Return the folder of the game called `name`; raise `UnknownGameError` where there is none."""
    if name not in _shelf().found:
        raise UnknownGameError(name)
    return _shelf().found[name].folder


def is_own(name: str) -> bool:
    """Whether the game called `name` is one of this program's own, not a studio's."""
    return folder_of(name).parent == HOME


def source_of(name: str) -> Path:
    """Return the folder of the game called `name`, to write into.

    Raises `InstalledGameError` where it is a wheel's copy, `UnknownGameError` where there is no such game.
    """
    folder = folder_of(name)
    if is_installed(folder / DEFINITION):
        raise InstalledGameError(name, folder)
    return folder


def is_installed(file: Path) -> bool:
    """Whether a wheel installed `file`: this program's wheel, or one with games."""
    points = entry_points(group=ENTRY_POINTS)
    for wheel in (*distributions(name=_PROGRAM), *(point.dist for point in points if point.dist is not None)):
        home = Path(str(wheel.locate_file(""))).resolve()
        if file.resolve().is_relative_to(home):
            inside = file.resolve().relative_to(home).as_posix()
            if any(one.as_posix() == inside for one in wheel.files or ()):
                return True
    return False


def module(name: str, part: str = "") -> ModuleType:
    """Import a module of the game called `name`: `maths`, `display.theme`, or without a `part` its package.

    Raises `UnknownGameError` where there is no such game, and what the import raises.
    """
    folder_of(name)
    if name in _WITHDRAWN:
        raise BrokenGameError(name, _WITHDRAWN[name])
    return import_module(f"{PACKAGE}.{name}{part and '.'}{part}")


def has_module(name: str, part: str) -> bool:
    """Whether the game called `name` has such a module; its package is imported."""
    return Path(folder_of(name), *part.split(".")).with_suffix(".py").is_file()


def load(name: str) -> Game:
    """Return the game called `name`, which its package exports as `GAME`.

    Raises `UnknownGameError` where there is none, `BrokenGameError` where it cannot be loaded.
    """
    try:
        game = module(name).GAME
    except UnknownGameError:
        raise
    except (
        Exception,
        SystemExit,
    ) as error:  # a studio's code may raise whatever it likes: the cabinet goes on without the game
        reason = f"{folder_of(name) / '__init__.py'}: {type(error).__name__}: {error_reason(error)}"
        raise BrokenGameError(name, reason) from error
    if not isinstance(game, Game) or game.name != name:
        called = game.name if isinstance(game, Game) else type(game).__name__
        raise BrokenGameError(name, f"{folder_of(name) / '__init__.py'}: GAME is '{called}'; name it '{name}'")
    return game


def look_in(folder: Path) -> None:
    """Also search `folder` for games, in this process and in those that it starts."""
    place = str(folder.resolve())
    known = [one for one in os.environ.get(VARIABLE, "").split(os.pathsep) if one]
    if place not in known:
        os.environ[VARIABLE] = os.pathsep.join([*known, place])
    look_again()


def look_again() -> None:
    """Search the folders again after their games have changed; this also clears the withdrawals."""
    invalidate_caches()
    _WITHDRAWN.clear()
    _shelf.cache_clear()
    _shelf()  # a game's own modules may be imported from now on


@contextmanager
def in_place_of(name: str, folder: Path) -> Iterator[None]:
    """Use the version of the game called `name` in `folder` instead; the process must not have imported the game.

    Raises `UnknownGameError` where there is no such game, RuntimeError where it has been imported.
    """
    if name not in _shelf().found:
        raise UnknownGameError(name)
    if any(one.startswith(f"{PACKAGE}.{name}.") for one in sys.modules):
        raise RuntimeError(f"{name} has been imported: look for another version of it in a process of its own")
    with TemporaryDirectory() as place:
        # Other games beside the folder are not found: they may belong to another version of this whole program.
        other = Path(place, name)
        other.symlink_to(folder.resolve(), target_is_directory=True)
        _places().insert(0, place)
        _EXCHANGED[name] = other
        look_again()
        try:
            yield
        finally:
            del _EXCHANGED[name]
            _places().remove(place)
            look_again()


def _places() -> list[str]:
    """The folders that the package of the games looks in."""
    return cast("list[str]", import_module(PACKAGE).__path__)


@cache
def _shelf() -> _Shelf:
    shelf: dict[str, Found] = {}
    refusals: list[Refused] = []
    # This program's games come first: no studio's game can take the name or number of a game already in use.
    for folder in _folders(refusals):
        if any(folder == one.folder for one in shelf.values()):
            continue
        one = _read(folder)
        clash = one if isinstance(one, Refused) else _clash(one, shelf)
        if clash is not None:
            refusals.append(clash._replace(name=folder.name))
        elif isinstance(one, Found):
            shelf[one.name] = one
            if str(folder.parent) not in _places():
                _places().append(str(folder.parent))
    for name in _EXCHANGED.keys() & shelf.keys():
        shelf[name] = shelf[name]._replace(folder=_EXCHANGED[name])
    in_order = sorted(shelf.values(), key=lambda one: one.number)
    return _Shelf({one.name: one for one in in_order}, tuple(refusals))


def _folders(refusals: list[Refused]) -> Iterator[Path]:
    """Yield the folders that may be games, this program's first."""
    yield from _games_in(HOME, refusals)
    yield from _of_wheels(entry_points(group=ENTRY_POINTS), refusals)
    for place in os.environ.get(VARIABLE, "").split(os.pathsep):
        if place:
            yield from _games_in(Path(place), refusals)


def _games_in(folder: Path, refusals: list[Refused]) -> Iterator[Path]:
    try:
        inside = sorted(path.parent for path in folder.glob(f"*/{DEFINITION}"))
    except OSError as error:
        refusals.append(Refused(str(folder), f"cannot be read ({error.strerror})"))
        return
    if not folder.is_dir():
        refusals.append(Refused(str(folder), "is no folder; name the one that holds the games' folders"))
    yield from inside


def _of_wheels(points: Iterable[EntryPoint], refusals: list[Refused]) -> Iterator[Path]:
    for point in sorted(points, key=lambda one: one.name):
        place = f"entry point {point.name} = '{point.value}'"
        try:
            spec = find_spec(point.value)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the import runs a studio's code, as `load` does
            refusals.append(Refused(place, f"names no package ({error_words(error)})", point.name))
            continue
        folders = [] if spec is None else [Path(one) for one in spec.submodule_search_locations or ()]
        if not folders or folders[0].name != point.name or not (folders[0] / DEFINITION).is_file():
            reason = f"names no package called {point.name} with a {DEFINITION} in it"
            refusals.append(Refused(place, reason, point.name))
            continue
        yield folders[0]


def _read(folder: Path) -> Found | Refused:
    file = folder / DEFINITION
    if not folder.name.isidentifier() or not folder.name.islower() or iskeyword(folder.name):
        return Refused(str(folder), "is no name of a game; use small letters, digits and underscores")
    try:
        with file.open("rb") as text:
            definition = msgspec.toml.decode(text.read(_MOST_BYTES).removeprefix(BOM_UTF8), type=Definition)
    except (OSError, ValueError, RecursionError) as error:
        return Refused(
            str(file), f"cannot be read: {error_words(error)}; write number = N, a number that no other game has"
        )
    if not 1 <= definition.number <= MOST_NUMBER:
        return Refused(str(file), f"number = {definition.number} is not from 1 to {MOST_NUMBER}")
    return Found(folder.name, definition.number, folder)


def _clash(one: Found, shelf: Mapping[str, Found]) -> Refused | None:
    if one.name in shelf and shelf[one.name].folder.parent != HOME:
        first = shelf[one.name].folder
        return Refused(str(one.folder), f"{one.name} was found in {first}; take one of them away, or rename it")
    if one.name in shelf:
        return Refused(str(one.folder), f"{one.name} is taken in this program; give the game another name")
    for other in shelf.values():
        if other.number == one.number:
            file = one.folder / DEFINITION
            return Refused(str(file), f"number = {one.number} is that of {other.name}; give the game another number")
    return None
