"""The constants that a PAR sheet prints beside its figures: everything on which the return of a game depends.

They are the public constants of `games/<game>/play.py` and of the game's modules that it imports, so the sheet cannot
differ from the play. Programs read them as JSON, people as tables.
"""

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from fractions import Fraction
from importlib import import_module
from inspect import getsource
from types import ModuleType

import msgspec

from gamekit import catalogue
from gamekit.bought_spin import TriggeringStops
from gamekit.declared.declaration import Declaration
from gamekit.identity import canonical
from gamekit.reels import Reels
from gamekit.weights import WeightedTable

Rows = list[list[str]]

_STRIPS = {"rows", "strips"}
_WEIGHTS = {"weights", "total"}


class ConstantError(ValueError):
    """A constant cannot be printed, or two modules of a game use one name for different constants."""


def hashed_text(game: str) -> str:
    """Return the text whose SHA-256 is the maths hash of `game`."""
    return canonical(import_module(f"games.{game}").MATHS_PARTS).decode()


def constants(game: str) -> dict[str, object]:
    """Return the public constants of the play of `game`, as JSON holds them."""
    found: dict[str, object] = {}
    for module in modules_of(game):
        for name, value in vars(module).items():
            # A declaration is made of the other constants.
            if name.startswith("_") or not name.isupper() or isinstance(value, Declaration):
                continue
            try:
                plain = _plain(value)
            except TypeError as error:
                raise ConstantError(
                    f"{module.__name__}.{name}: {error}: teach gamekit/par_tables.py its type"
                ) from error
            if found.setdefault(name, plain) != plain:
                raise ConstantError(
                    f"{module.__name__}.{name}: another module of the game has another {name}: rename it"
                )
    return found


def modules_of(game: str) -> list[ModuleType]:
    """Return the modules of `game` that its play or its declaration imports, itself first."""
    wanted = [f"games.{game}.{'play' if catalogue.has_module(game, 'play') else 'definition'}"]
    for name in wanted:
        for node in ast.walk(ast.parse(getsource(import_module(name)))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(f"games.{game}."):
                wanted += [node.module] if node.module not in wanted else []
    return [import_module(name) for name in wanted]


def _plain(value: object) -> object:  # noqa: C901, PLR0911  # one case for each type
    """Return `value` as JSON holds it; raise TypeError for a type that has no form there yet."""
    match value:
        case bool() | int() | str() | None:
            return value
        case Fraction():
            return str(value)
        case WeightedTable():
            return {"weights": [[amount, weight] for amount, weight in value.weights.items()], "total": value.total}
        case Reels():
            return {"rows": value.rows, "strips": [" ".join(strip) for strip in value.strips]}
        case TriggeringStops():
            return {"total": value.total}
        case Mapping():
            if all(isinstance(key, str) for key in value):
                return {key: _plain(entry) for key, entry in value.items()}
            return [[_plain(key), _plain(entry)] for key, entry in value.items()]
        case frozenset():
            return sorted(map(_plain, value), key=str)
        case list() | tuple():
            return [_plain(entry) for entry in value]
        case msgspec.Struct():
            return {name: _plain(getattr(value, name)) for name in value.__struct_fields__}
    if is_dataclass(value) and not isinstance(value, type):
        return {name: _plain(entry) for name, entry in asdict(value).items()}
    raise TypeError(f"a {type(value).__name__} has no form in a PAR sheet")


def is_reels(constant: object) -> bool:
    """Whether `constant` is a set of reel strips."""
    return isinstance(constant, dict) and set(constant) == _STRIPS


def is_weights(constant: object) -> bool:
    """Whether `constant` is a weighted table."""
    return isinstance(constant, dict) and set(constant) == _WEIGHTS


def rows(constant: object) -> Rows:
    """Return `constant` as the rows of a table."""
    if is_reels(constant):
        return _strip_rows([strip.split() for strip in constant["strips"]])  # type: ignore[index]  # as is_reels has seen
    if is_weights(constant):
        return [["amount", "weight"], *([_words(amount), _words(weight)] for amount, weight in constant["weights"])]  # type: ignore[index]  # as is_weights has seen
    if isinstance(constant, dict):
        return [[key, _words(entry)] for key, entry in constant.items()]
    if isinstance(constant, list) and constant and all(isinstance(entry, list) for entry in constant):
        if all(len(entry) == 2 for entry in constant):  # noqa: PLR2004  # a key and its value
            return [[_words(key), _words(entry)] for key, entry in constant]
        return [[str(number), _words(entry)] for number, entry in enumerate(constant, start=1)]
    return [[_words(constant)]]


def _strip_rows(strips: Sequence[Sequence[str]]) -> Rows:
    """Return how often each symbol is on each reel, then the strips themselves."""
    counts = [Counter(strip) for strip in strips]
    symbols = sorted({symbol for strip in strips for symbol in strip})
    return [
        ["symbol", *(f"reel {number}" for number in range(1, len(counts) + 1))],
        *([symbol, *(str(count[symbol]) for count in counts)] for symbol in symbols),
        ["stops", *(str(len(strip)) for strip in strips)],
        *([f"reel {number}", " ".join(strip)] for number, strip in enumerate(strips, start=1)),
    ]


def _words(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_words(entry)}" for key, entry in value.items())
    if isinstance(value, list):
        if value and all(isinstance(entry, list) for entry in value):
            return ", ".join(_words(entry) for entry in value)
        return " ".join(_words(entry) for entry in value)
    return str(value)
