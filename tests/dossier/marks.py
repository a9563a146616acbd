"""Which tests show which requirement: the `requirement` markers in the source of the tests."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.rigs.paths import ROOT


class Mark(NamedTuple):
    """A marker of one test, or of all tests of a module."""

    module: str
    """Dotted, as pytest's results have it."""
    test: str
    """The function's name, or nothing for all tests of the module."""
    numbers: tuple[str, ...]
    proof: bool
    """Whether `make proofs` alone runs it."""


@cache
def marks() -> tuple[Mark, ...]:
    """Return the markers of all tests, in the order of their files."""
    return tuple(
        mark
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for mark in marks_of(path.read_text("utf-8"), module_of(path))
    )


def module_of(path: Path) -> str:
    """Return the dotted name of a module of the tree."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def marks_of(source: str, module: str) -> Iterator[Mark]:
    """Yield the markers in a module's source."""
    tree = ast.parse(source)
    of_all = [
        marker
        for node in tree.body
        if isinstance(node, ast.Assign)
        and any(isinstance(to, ast.Name) and to.id == "pytestmark" for to in node.targets)
        for marker in (node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else [node.value])
    ]
    proof = any(map(is_proof, of_all))
    if numbers := numbers_of(of_all):
        yield Mark(module, "", numbers, proof)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (numbers := numbers_of(node.decorator_list)):
            yield Mark(module, node.name, numbers, proof or any(map(is_proof, node.decorator_list)))


def is_proof(marker: ast.expr) -> bool:
    """Whether a marker is `pytest.mark.proof`."""
    return isinstance(marker, ast.Attribute) and marker.attr == "proof"


def numbers_of(markers: list[ast.expr]) -> tuple[str, ...]:
    """Return the numbers of the `requirement` markers among these."""
    return tuple(
        number.value
        for marker in markers
        if isinstance(marker, ast.Call) and isinstance(marker.func, ast.Attribute) and marker.func.attr == "requirement"
        for number in marker.args
        if isinstance(number, ast.Constant) and isinstance(number.value, str)
    )
