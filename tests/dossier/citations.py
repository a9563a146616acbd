"""Where the tree cites requirements by their numbers: in docstrings, comments and pages."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from tests.rigs.paths import ROOT

ONE = r"[PCMLDBRGJS]\d{1,2}"
CITED = re.compile(rf"(?:\(|requirements?(?:\.md)?,? )({ONE}(?:(?:, | and ){ONE})*)(?=[,.);:])")
"""Numbers in brackets, or behind the page's name."""
PRODUCT = ("controller", "venue", "games", "ui", "gamekit", "drivers", "common")


def words_of(source: str) -> Iterator[str]:
    """Yield the docstrings and comments of a module: a number within a string is data."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def citations(folders: tuple[str, ...] = PRODUCT) -> Iterator[tuple[str, str]]:
    """Yield each number that a module or a page of the tree cites, with the file that does."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            source = path.read_text("utf-8")
            for words in words_of(source) if CITED.search(source) else ():
                yield from cited(words, path.relative_to(ROOT).as_posix())
    for path in [*sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "games").glob("*/RULES.md"))]:
        yield from cited(path.read_text("utf-8"), path.relative_to(ROOT).as_posix())


def cited(words: str, file: str) -> Iterator[tuple[str, str]]:
    """Yield each number that some words of a file cite."""
    for numbers in CITED.findall(words):
        yield from ((number, file) for number in re.findall(ONE, numbers))
