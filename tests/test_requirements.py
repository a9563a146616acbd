"""Every requirement of docs/requirements.md has a test that is marked with it, or the page says why none can."""

import pytest

from tests.dossier.citations import PRODUCT, citations
from tests.dossier.marks import Mark, marks, marks_of
from tests.dossier.page import PAGE, excuses, requirements

TEXT = PAGE.read_text("utf-8")


def test_every_requirement_is_shown_by_a_test_or_says_why_not() -> None:
    """Each number is in the marker of a test or in the page's last list, and none in both."""
    wanted = {requirement.number for requirement in requirements(TEXT)}
    shown, excused = {number for mark in marks() for number in mark.numbers}, set(excuses(TEXT))
    assert len(wanted) >= 110
    assert wanted - shown - excused == set()
    assert excused & shown == set()
    assert excused <= wanted
    assert shown <= wanted


def test_every_number_that_is_cited_is_on_the_page() -> None:
    """By code, documents and the games' rules."""
    wanted, cited = {requirement.number for requirement in requirements(TEXT)}, list(citations((*PRODUCT, "tests")))
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
