"""Every requirement of docs/requirements.md is held by a test that names it, or the page says why none can."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from tests.rigs.paths import ROOT

PAGE = (ROOT / "docs" / "requirements.md").read_text("utf-8")
NUMBERED = re.compile(r"^- \*\*([A-Z]\d+)\*\* .+?\*[^*]+\*$", re.MULTILINE | re.DOTALL)
LISTED = re.compile(r"^- ([A-Z]\d+): .{20,}$", re.MULTILINE)
NAMED = re.compile(r"\b[PCMLDBRGJS]\d{1,2}\b")
OTHER_NUMBERS = ("tests/schematics", "tests/drivers/simulated")
"""Where the same signs are resistors and bytes."""


def words_of(source: str) -> Iterator[str]:
    """Yield the docstrings and comments of a module: a number within a string is data."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def held() -> set[str]:
    """Return the numbers that tests name."""
    found: set[str] = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        if not path.relative_to(ROOT).as_posix().startswith(OTHER_NUMBERS) and path.name != "test_requirements.py":
            for words in words_of(path.read_text("utf-8")):
                found.update(NAMED.findall(words))
    return found


def test_every_requirement_is_held_by_a_test_or_says_why_not() -> None:
    """Each number is in a test's docstring or comment or in the page's last table, and none in both."""
    wanted, named, excused = set(NUMBERED.findall(PAGE)), held(), set(LISTED.findall(PAGE))
    assert len(wanted) >= 110
    assert wanted - named - excused == set()
    assert excused & named == set()
    assert excused <= wanted


ONE = r"[PCMLDBRGJS]\d{1,2}"
CITED = re.compile(rf"(?:\(|requirements?(?:\.md)?,? )({ONE}(?:(?:, | and ){ONE})*)(?=[,.);:])")
"""Numbers in brackets, or behind the page's name."""


def citations() -> Iterator[tuple[str, str]]:
    """Yield each number that a module or a page of the tree cites, with the file that does."""
    for folder in ("controller", "venue", "games", "ui", "gamekit", "drivers", "common", "tests"):
        for path in (ROOT / folder).rglob("*.py"):
            for words in words_of(path.read_text("utf-8")):
                yield from ((number, path.name) for cited in CITED.findall(words) for number in NAMED.findall(cited))
    for path in [*(ROOT / "docs").glob("*.md"), *(ROOT / "games").glob("*/RULES.md")]:
        for cited in CITED.findall(path.read_text("utf-8")):
            yield from ((number, path.name) for number in NAMED.findall(cited))


def test_every_number_that_is_cited_is_on_the_page() -> None:
    """By code, tests, documents and the games' rules."""
    wanted, cited = set(NUMBERED.findall(PAGE)), list(citations())
    assert len(cited) > 300
    assert [(number, name) for number, name in cited if number not in wanted] == []


def test_strings_and_code_name_nothing() -> None:
    """A byte or a resistor in the code is no requirement; a docstring and a comment name one."""
    source = 'def test() -> None:\n    """What must hold (P1)."""\n    left = "P2"  # after P3\n    P4 = left\n'
    assert {number for words in words_of(source) for number in NAMED.findall(words)} == {"P1", "P3"}
