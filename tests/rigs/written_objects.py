"""Where the code writes an object into a text as Python would: by `!r` or `repr`, or an object that has no words."""

import ast
import builtins
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

_WORDED: Final = {*vars(builtins), "StrEnum", "IntEnum", "Enum", "Flag", "Path", "PurePath"}
"""Classes of others that are written as words or figures."""

_LOGS: Final = {"debug", "info", "warning", "error", "critical", "exception", "log"}
_WORDLESS_ERRORS: Final = {
    *(name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, OSError | KeyError)),
    *("Exception", "BaseException", "LookupError", "lgpio.error", "socket.error"),
}
"""Errors whose text has a number in brackets or quotation marks, and classes that such an error may be of.

An error of ours that is made of one has words: it is raised with them.
"""

Types = Mapping[str, str]
"""The class of each name, as far as its annotation or its making says it."""


class Written(NamedTuple):
    """One place: its line, and the expression that is written."""

    line: int
    expression: str


class Classes:
    """The classes of these modules: which of them have words of their own (`__str__`, or a base's)."""

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self._bases: dict[str, set[str]] = {}
        self._worded = set(_WORDED)
        self._caught: dict[str, set[str]] = {}
        """The members of each tuple of classes that has a name."""
        for tree in trees.values():
            for node in ast.walk(tree):
                if isinstance(node, ast.AnnAssign | ast.Assign) and (name := _alias(node)):
                    self._worded.add(name)
                elif isinstance(node, ast.AnnAssign | ast.Assign) and isinstance(node.value, ast.Tuple):
                    self._caught[_target(node)] = set(map(_member, node.value.elts))
                elif isinstance(node, ast.ClassDef):
                    self._bases.setdefault(node.name, set()).update(_class_in(base) for base in node.bases)
                    if any(isinstance(one, ast.FunctionDef) and one.name == "__str__" for one in node.body):
                        self._worded.add(node.name)

    def is_wordless(self, name: str) -> bool:
        """Whether an object of that class is written as its repr."""
        return name in _WORDLESS_ERRORS or (name in self._bases and not self._has_words(name))

    def is_wordless_error(self, name: str) -> bool:
        """Whether what is caught by that name, of a class or of a tuple of classes, may be an error without words."""
        return name in _WORDLESS_ERRORS or any(map(self.is_wordless_error, self._caught.get(name, set()) - {name}))

    def _has_words(self, name: str) -> bool:
        return name in self._worded or any(self._has_words(base) for base in self._bases.get(name, set()) - {name})


def written_in(tree: ast.Module, classes: Classes) -> Iterator[Written]:
    """Yield what a module writes as a repr, outside of its `__repr__` methods."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            own = _attributes(node)
            for method in node.body:
                if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and method.name != "__repr__":
                    yield from _in_function(method, classes, {**own, "self": node.name})
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _in_function(node, classes, {})


def _in_function(function: ast.AST, classes: Classes, known: Types) -> Iterator[Written]:
    types = dict(known)
    for node in ast.walk(function):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            types |= _parameters(node)
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in {"repr", "ascii"} or (
                _writes(called) and any(classes.is_wordless(types.get(ast.unparse(one), "")) for one in node.args)
            ):
                yield Written(node.lineno, ast.unparse(node))
        elif isinstance(node, ast.FormattedValue):
            words = ast.unparse(node.value)
            if node.conversion == ord("r") or classes.is_wordless(types.get(words, "")):
                yield Written(node.lineno, words)
        elif isinstance(node, ast.ExceptHandler) and node.name and _wordless_in(node, classes):
            yield from _errors_written(node)


def _wordless_in(handler: ast.ExceptHandler, classes: Classes) -> bool:
    """Whether an error without words is among those that a handler catches."""
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(one is not None and classes.is_wordless_error(_member(one)) for one in caught)


def _member(one: ast.expr) -> str:
    """Return the name of a class, or of a tuple of classes that is written out with `*`."""
    return ast.unparse(one).removeprefix("*")


def _errors_written(handler: ast.ExceptHandler) -> Iterator[Written]:
    """Yield where the error that a handler has caught is written as it is: in a text, by `str`, or into a log."""
    for node in ast.walk(handler):
        if isinstance(node, ast.FormattedValue) and ast.unparse(node.value) == handler.name:
            yield Written(node.lineno, f"{{{handler.name}}}")
        elif (
            isinstance(node, ast.Call)
            and _writes(ast.unparse(node.func))
            and handler.name in map(ast.unparse, node.args)
        ):
            yield Written(node.lineno, ast.unparse(node))


def _writes(called: str) -> bool:
    """Whether a function writes its arguments as they are: `str`, or a method of a log."""
    return called == "str" or called.rpartition(".")[2] in _LOGS


def _attributes(node: ast.ClassDef) -> Types:
    """Return the classes of `self`'s attributes: fields, properties, and what `__init__` is given or makes."""
    found = dict[str, str]()
    for one in node.body:
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            found[f"self.{one.target.id}"] = _class_in(one.annotation)
        elif isinstance(one, ast.FunctionDef) and any(
            ast.unparse(by).endswith("property") for by in one.decorator_list
        ):
            found[f"self.{one.name}"] = _class_in(one.returns)
        elif isinstance(one, ast.FunctionDef) and one.name == "__init__":
            given = _parameters(one)
            for step in ast.walk(one):
                if isinstance(step, ast.Assign):
                    made = step.value.func if isinstance(step.value, ast.Call) else step.value
                    kind = given.get(ast.unparse(made)) or _class_in(made)
                    found |= {ast.unparse(target): kind for target in step.targets}
    return found


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Types:
    given = (*function.args.args, *function.args.kwonlyargs)
    return {one.arg: _class_in(one.annotation) for one in given if one.annotation is not None}


def _alias(node: ast.AnnAssign | ast.Assign) -> str:
    """Return the name of a type that stands for words or figures (`Pin: TypeAlias = int | str`), empty for none."""
    name = _target(node)
    return name if isinstance(node.value, ast.BinOp | ast.Subscript) and name[:1].isupper() else ""


def _target(node: ast.AnnAssign | ast.Assign) -> str:
    return ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.targets[0])


def _class_in(annotation: ast.expr | None) -> str:
    """Return the name of the class that an annotation, a base or a call names first."""
    words = "" if annotation is None else ast.unparse(annotation).strip("'\"")
    return words.partition("|")[0].partition("[")[0].strip().rpartition(".")[2]
