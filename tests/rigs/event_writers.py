"""Every event that the supervisor's code can write, found in the code itself: its code and a sample of its text.

A text is followed from the call that writes the event through f-strings, conditions, local names and the arguments of
the functions that it came in by; what only the machine knows stands as `UNKNOWN`.
"""

import ast
from collections.abc import Iterator
from importlib import import_module
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from controller import faults

ROOT = Path(faults.__file__).parent
UNKNOWN = "7"
"""Stands for what is known only when the event is written: it fits a number, an amount and a word."""
_RECORDERS = {"context": "context", "link": "menu"}
"""What those are called that have a `record` of this module's; the machine's own takes no text."""
_PAGE = "T.8"
_PAGES = ("self.code", "page.code", "test")
"""What is a page's code."""
_DEEPEST = 4


class Sample(NamedTuple):
    """An event that some line of the code writes."""

    code: str
    text: str
    line: str


class _Place(NamedTuple):
    """Where in the code an expression stands."""

    module: ModuleType
    functions: tuple[ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, ...]


def samples() -> list[Sample]:
    """Return a sample of every event that is written with a code of its own; faults have theirs from whoever raises."""
    return sorted(set(_Writers().samples()))


class _Writers:
    def __init__(self) -> None:
        self._calls: dict[str, list[tuple[ast.Call, _Place]]] = {}
        for path in sorted(ROOT.rglob("*.py")):
            if path.name == "__main__.py":
                continue
            name = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
            self._visit(ast.parse(path.read_text("utf-8")), _Place(import_module(name), ()))

    def _visit(self, node: ast.AST, place: _Place) -> None:
        for child in ast.iter_child_nodes(node):
            inside = place
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                inside = place._replace(functions=(*place.functions, child))
            if isinstance(child, ast.Call):
                name = child.func.attr if isinstance(child.func, ast.Attribute) else getattr(child.func, "id", "")
                self._calls.setdefault(name, []).append((child, inside))
            self._visit(child, inside)

    def samples(self) -> Iterator[Sample]:
        for call, place in self._calls["event"]:
            if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value).endswith(("tx", "transaction")):
                code, text = call.args[:2]
                line = f"{place.module.__name__}:{call.lineno}"
                for known, words in product(self._texts(code, place), self._texts(text, place)):
                    if known.replace("_", "").isalpha() and words:
                        yield Sample(known, words, line)

    def _texts(self, node: ast.expr, place: _Place, deep: int = 0) -> set[str]:
        """Return every text that an expression may be."""
        found = {UNKNOWN}
        match node:
            case ast.Constant(value=str(words)):
                found = {words}
            case ast.JoinedStr(values=parts):
                each = [self._texts(part, place, deep) for part in parts]
                found = {"".join(words) for words in product(*each)}
            case ast.FormattedValue(value=value):
                found = self._texts(value, place, deep)
            case ast.IfExp(body=one, orelse=other) | ast.BoolOp(values=[one, other]):
                found = self._texts(one, place, deep) | self._texts(other, place, deep)
            case ast.Call(func=ast.Attribute(value=inner, attr="strip")):
                found = {words.strip() for words in self._texts(inner, place, deep)}
            case ast.Name(id=name) if deep < _DEEPEST:
                found = self._named(name, place, deep + 1)
            case ast.Attribute():
                value = _constant(ast.unparse(node), place.module)
                found = {_unknown(ast.unparse(node)) if value is None else value}
        return found

    def _named(self, name: str, place: _Place, deep: int) -> set[str]:
        """Return every text that a name may be: assigned in a function around, an argument of it, or the module's."""
        for depth in range(len(place.functions), 0, -1):
            function, around = place.functions[depth - 1], place._replace(functions=place.functions[:depth])
            arguments = [argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)]
            if name in arguments:
                return self._passed(around, name, deep)
            assigned = [
                value
                for statement in ast.walk(function)
                if isinstance(statement, ast.Assign)
                for target in statement.targets
                for value in _values(target, statement.value, name)
            ]
            if assigned:
                found = set[str]().union(*(self._texts(value, around, deep) for value in assigned))
                return found if found != {UNKNOWN} else {_unknown(name)}
        value = _constant(name, place.module)
        return {UNKNOWN if value is None else value}

    def _passed(self, around: _Place, name: str, deep: int) -> set[str]:
        """Return what callers pass as that argument of the innermost function."""
        function = around.functions[-1]
        called = getattr(function, "name", "")
        positional = [argument.arg for argument in function.args.args if argument.arg != "self"]
        least = len(positional) - len(function.args.defaults)
        found: set[str] = set()
        for call, place in self._calls.get(called, []):
            if not _is_of(call, place.module, around.module):
                continue
            given = dict(zip(positional, call.args, strict=False))
            given |= {word.arg: word.value for word in call.keywords if word.arg is not None}
            fits = len(call.args) <= len(positional) and given.keys() >= set(positional[:least])
            if fits and name in given:
                found |= self._texts(given[name], place, deep)
        return found or {_unknown(name)}


def _unknown(name: str) -> str:
    """Return what stands for that name."""
    return _PAGE if name in _PAGES else UNKNOWN


def _is_of(call: ast.Call, caller: ModuleType, module: ModuleType) -> bool:
    """Whether a call may be of a function of that module: named so in the caller's, or a method."""
    match call.func:
        case ast.Name(id=name):
            return getattr(getattr(caller, name, None), "__module__", "") == module.__name__
        case ast.Attribute(value=ast.Name(id="self")):
            return caller is module
        case ast.Attribute(value=ast.Name(id=base)) if isinstance(getattr(caller, base, None), ModuleType):
            return getattr(caller, base) is module
        case ast.Attribute(value=base, attr="record"):
            return ast.unparse(base).endswith(_RECORDERS[module.__name__.rpartition(".")[2]])
        case ast.Attribute(attr=name):
            return not name.startswith("_") and name != "end"
    return False


def _values(target: ast.expr, value: ast.expr, name: str) -> Iterator[ast.expr]:
    """Yield what an assignment gives that name."""
    if isinstance(target, ast.Name) and target.id == name:
        yield value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, part in zip(target.elts, value.elts, strict=True):
            yield from _values(one, part, name)


def _constant(name: str, module: ModuleType) -> str | None:
    """Return the text that a name of the module stands for, None for what is no text."""
    value: object = module
    for part in name.split("."):
        value = getattr(value, part, None)
    return str(value) if isinstance(value, str) else None
