"""What a PAR sheet prints of a game beside its figures: the strips and tables that its play uses, as they are.

A game keeps its reels in `games/<game>/strips.py` and its pays, lines and tables in `games/<game>/pays.py`; the sheet
prints the public constants found there, so that it can't differ from what is played.
"""

from collections import Counter
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType

from games.lines import LineRules
from games.reels import Reels
from games.weights import WeightedTable

Rows = list[list[str]]


def strips(game: str) -> dict[str, Rows]:
    """Return for each set of reels of `game` its strips and how often each symbol stands on them."""
    printed = {}
    for name, reels in _constants(import_module(f"games.{game}.strips")).items():
        if isinstance(reels, Reels):
            counts = [Counter(strip) for strip in reels.strips]
            symbols = sorted({symbol for strip in reels.strips for symbol in strip})
            head = ["symbol", *(f"reel {number}" for number in range(1, len(counts) + 1))]
            table = [head, *([symbol, *(str(count[symbol]) for count in counts)] for symbol in symbols)]
            table += [["stops", *(str(length) for length in reels.lengths)]]
            table += [[f"reel {number}", " ".join(strip)] for number, strip in enumerate(reels.strips, start=1)]
            printed[name] = table
    return printed


def tables(game: str) -> dict[str, Rows]:
    """Return the pays, lines and tables of `game` by the names of their constants."""
    constants = _constants(import_module(f"games.{game}.pays"))
    return {name: rows for name, value in constants.items() if (rows := _rows(value))}


def _constants(module: ModuleType) -> dict[str, object]:
    return {name: value for name, value in vars(module).items() if name.isupper() and not name.startswith("_")}


def _rows(value: object) -> Rows:
    if isinstance(value, LineRules):
        return [["wild", str(value.wild)], *([f"{symbol}, from", str(n)] for symbol, n in value.features.items())]
    if isinstance(value, WeightedTable):
        return [["amount", "weight"], *([str(amount), str(weight)] for amount, weight in value.weights.items())]
    if isinstance(value, Mapping):
        return [[_plain(key), _plain(entry)] for key, entry in value.items()]
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return [[str(number), _plain(entry)] for number, entry in enumerate(value, start=1)]
    if isinstance(value, tuple | int | str):
        return [[_plain(value)]]
    return []


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{_plain(key)}: {_plain(entry)}" for key, entry in value.items())
    if isinstance(value, tuple | frozenset):
        return " ".join(_plain(entry) for entry in value)
    return str(value)
