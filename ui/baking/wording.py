"""Gathers the texts that every language must translate from the code of the display's modules.

These are the constants of the modules named in `WORDED`, the literal arguments of `text.say`, and the pairs given to
`text.count`.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from gamekit import catalogue

WORDED = ("words.py", "rules.py", "text.py", "promises.py")
"""The modules that contain only texts; each of their constants must be translated."""


def modules_of(game: str) -> Iterator[ModuleType]:
    """Yield the modules of a game's display."""
    for path in sorted((catalogue.folder_of(game) / "display").glob("[!.]*.py")):
        yield catalogue.module(game, f"display.{path.stem}" if path.stem != "__init__" else "display")


class Worded(NamedTuple):
    """The texts, and the pairs of singular and plural."""

    texts: frozenset[str]
    plurals: frozenset[tuple[str, str]]


def worded(modules: Iterable[ModuleType], names: Iterable[str] = ()) -> Worded:
    """Return the texts of `modules` and the symbols' `names`; a plural form is not a text of its own."""
    texts: set[str] = set(names)
    plurals: set[tuple[str, str]] = set()
    for module in modules:
        path = Path(str(module.__file__))
        tree = ast.parse(path.read_text("utf-8"))
        if path.name in WORDED:
            texts.update(constants(tree, module))
        for call in calls(tree):
            if call.args and isinstance(call.args[0], ast.Constant) and called(call) in ("say", "text.say"):
                texts.add(str(call.args[0].value))
            if called(call) == "text.count":
                one, many = (_value(argument, module) for argument in call.args[:2])
                plurals.add((one, many))
    texts -= {form for pair in plurals for form in pair}
    return Worded(frozenset(filter(has_words, texts)), frozenset(plurals))


def constants(syntax: ast.Module, module: ModuleType, but: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the texts in a module's constants, but for those named in `but`."""
    for node in syntax.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                for name in target.elts if isinstance(target, ast.Tuple) else (target,):
                    if isinstance(name, ast.Name) and name.id.isupper() and name.id not in but:
                        yield from _texts(getattr(module, name.id))


def calls(tree: ast.Module) -> Iterator[ast.Call]:
    """Yield the calls in a module."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def called(call: ast.Call) -> str:
    """Return the called name as written in the source."""
    return ast.unparse(call.func)


def has_words(words: str) -> bool:
    """Whether there is anything to translate: a letter besides the figures."""
    return any(character.isalpha() for character in re.sub(r"\{\w+\}", "", words))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)


def _value(node: ast.expr, module: ModuleType) -> str:
    """Return the constant that `text.COIN` or `words.HOLDING` names in `module`."""
    value: object = module
    for part in ast.unparse(node).split("."):
        value = getattr(value, part)
    return str(value)
