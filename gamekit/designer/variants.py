"""A game with one constant changed: its own modules are executed again with another strip or another weight.

The source of the module that sets the constant is compiled so that the changed value replaces the original as soon as
it is set. Everything derived from it, in this module or in others, is derived from the changed value.
"""

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from gamekit import catalogue, par_tables
from gamekit.maths import Maths
from gamekit.reels import Reels
from gamekit.weights import WeightedTable

_HOOK = "__changed__"


@dataclass(frozen=True)
class Constant:
    """A constant of a game's play: the module that sets it, its name, and its value."""

    module: str
    name: str
    value: object


def strips_of(name: str) -> list[tuple[Constant, tuple[tuple[str, ...], ...]]]:
    """Return the sets of reel strips of the game called `name`; what is derived from another set is left out."""
    found = []
    for constant in _own_constants(name):
        value = constant.value
        if isinstance(value, Reels):
            found.append((constant, value.strips))
        elif constant.name.endswith("STRIPS") and isinstance(value, tuple):
            found.append((constant, value))
    return found


def weights_of(name: str) -> list[tuple[Constant, dict[object, int]]]:
    """Return the weights of the game called `name`: weighted tables, and mappings called `..._WEIGHTS`."""
    found: list[tuple[Constant, dict[object, int]]] = []
    for constant in _own_constants(name):
        value = constant.value
        if isinstance(value, WeightedTable):
            found.append((constant, dict(value.weights.items())))
        elif constant.name.endswith("_WEIGHTS") and isinstance(value, Mapping):
            found.append((constant, dict(value)))
    return found


def with_strips(constant: Constant, strips: Sequence[Sequence[str]]) -> object:
    """Return the value of `constant` with other strips; raises ValueError if a reel becomes too short."""
    if isinstance(constant.value, Reels):
        return Reels(strips, constant.value.rows)
    return tuple(tuple(strip) for strip in strips)


def with_weights(constant: Constant, weights: Mapping[object, int]) -> object:
    """Return the value of `constant` with other weights; raises ValueError for a weight below 1."""
    if isinstance(constant.value, WeightedTable):
        return WeightedTable(weights)  # type: ignore[arg-type]  # its own amounts
    return dict(weights)


def _own_constants(name: str) -> Iterator[Constant]:
    """Yield the public constants that the modules of the play set, except those made from other strips."""
    for module in par_tables.modules_of(name):
        for constant, expression in _assigned(module):
            if constant.startswith("_") or not constant.isupper():
                continue
            names = {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}
            if not any(other.isupper() and other[0] != "_" and other.endswith(("STRIPS", "REELS")) for other in names):
                yield Constant(module.__name__, constant, getattr(module, constant))


def _assigned(module: ModuleType) -> Iterator[tuple[str, ast.expr]]:
    for statement in ast.parse(Path(str(module.__file__)).read_text("utf-8")).body:
        yield from _settings(statement)


def _settings(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        yield statement.targets[0].id, statement.value
    elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
        yield statement.target.id, statement.value


@contextmanager
def changed(name: str, constant: Constant, value: object) -> Iterator[Maths]:
    """Provide the maths of the game called `name` with `constant` set to `value`; restore its modules afterwards.

    Raises what the game's modules raise for such a value. No other thread may use the game meanwhile.
    """
    package = f"{catalogue.PACKAGE}.{name}"
    saved = {one: sys.modules.pop(one) for one in [*sys.modules] if one == package or one.startswith(f"{package}.")}
    finder = _Finder(constant, value)
    sys.meta_path.insert(0, finder)
    try:
        maths: Maths = import_module(f"{package}.maths").MATHS
        yield maths
    finally:
        sys.meta_path.remove(finder)
        for one in [*sys.modules]:
            if one == package or one.startswith(f"{package}."):
                del sys.modules[one]
        sys.modules.update(saved)
        if package in saved:
            setattr(import_module(catalogue.PACKAGE), name, saved[package])


class _Finder(MetaPathFinder):
    def __init__(self, constant: Constant, value: object) -> None:
        self._constant = constant
        self._value = value

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._constant.module:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin is None:
            return None
        spec.loader = _Loader(fullname, spec.origin, self._constant.name, self._value)
        return spec


class _Loader(SourceFileLoader):
    def __init__(self, fullname: str, path: str, constant: str, value: object) -> None:
        super().__init__(fullname, path)
        self._constant = constant
        self._value = value

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - as it is called; the cached code is the unchanged one's
        path = self.path
        tree = ast.parse(self.get_data(path), path)
        for statement in tree.body:
            for name, expression in _settings(statement):
                if name == self._constant and isinstance(statement, ast.Assign | ast.AnnAssign):
                    call = ast.Call(ast.Name(_HOOK, ast.Load()), [expression], [])
                    statement.value = ast.fix_missing_locations(ast.copy_location(call, expression))
        code: CodeType = compile(tree, path, "exec")
        return code

    def exec_module(self, module: ModuleType) -> None:
        vars(module)[_HOOK] = lambda _own: self._value
        super().exec_module(module)
