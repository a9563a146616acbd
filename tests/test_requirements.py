"""Every requirement of docs/requirements.md has a test that is marked with it, or the page says why none can."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator

import pytest

from tests.dossier.marks import Mark, marks, marks_of
from tests.dossier.page import PAGE, excuses, requirements
from tests.rigs.paths import ROOT

TEXT = PAGE.read_text("utf-8")
ONE = r"[PCMLDBRGJS]\d{1,2}"
CITED = re.compile(rf"(?:\(|requirements?(?:\.md)?,? )({ONE}(?:(?:, | and ){ONE})*)(?=[,.);:])")
"""Numbers in brackets, or behind the page's name."""


def words_of(source: str) -> Iterator[str]:
    """Yield the docstrings and comments of a module: a number within a string is data."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def test_every_requirement_is_shown_by_a_test_or_says_why_not() -> None:
    """Each number is in the marker of a test or in the page's last list, and none in both."""
    wanted = {requirement.number for requirement in requirements(TEXT)}
    shown, excused = {number for mark in marks() for number in mark.numbers}, set(excuses(TEXT))
    assert len(wanted) >= 110
    assert wanted - shown - excused == set()
    assert excused & shown == set()
    assert excused <= wanted
    assert shown <= wanted


def citations() -> Iterator[tuple[str, str]]:
    """Yield each number that a module or a page of the tree cites, with the file that does."""
    for folder in ("controller", "venue", "games", "ui", "gamekit", "drivers", "common", "tests"):
        for path in (ROOT / folder).rglob("*.py"):
            for words in words_of(path.read_text("utf-8")):
                yield from ((number, path.name) for cited in CITED.findall(words) for number in re.findall(ONE, cited))
    for path in [*(ROOT / "docs").glob("*.md"), *(ROOT / "games").glob("*/RULES.md")]:
        for cited in CITED.findall(path.read_text("utf-8")):
            yield from ((number, path.name) for number in re.findall(ONE, cited))


def test_every_number_that_is_cited_is_on_the_page() -> None:
    """By code, documents and the games' rules."""
    wanted, cited = {requirement.number for requirement in requirements(TEXT)}, list(citations())
    assert len(cited) > 100
    assert [(number, name) for number, name in cited if number not in wanted] == []


MARKED = '''
import pytest

pytestmark = [pytest.mark.proof, pytest.mark.requirement("P1")]

@pytest.mark.requirement("P2", "C3")
async def test_one() -> None:
    """Nothing of P4."""
'''


def test_markers_are_read_from_modules_and_functions() -> None:
    """What a docstring says counts for nothing."""
    assert list(marks_of(MARKED, "tests.m")) == [
        Mark("tests.m", "", ("P1",), proof=True),
        Mark("tests.m", "test_one", ("P2", "C3"), proof=True),
    ]
    assert list(marks_of(MARKED.replace("pytest.mark.proof, ", ""), "tests.m"))[1].proof is False


@pytest.mark.parametrize("number", ["P1", "S8"])
def test_a_requirement_has_its_chapter_words_and_sources(number: str) -> None:
    """As the page has them, each on one line."""
    (found,) = [requirement for requirement in requirements(TEXT) if requirement.number == number]
    assert found.chapter in TEXT
    assert found.text.endswith(".")
    assert found.sources[0] not in " *"
