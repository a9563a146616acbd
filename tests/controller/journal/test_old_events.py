"""Rows of before: events that were logged as English words are shown as they were when programs wrote them so."""

from collections.abc import Iterator
from gettext import NullTranslations
from pathlib import Path

import pytest

from controller.domain import Money
from controller.journal.event_log import LoggedEvent
from controller.journal.event_words import describe
from ui import text
from ui.baking import catalogues
from ui.languages import Languages

FILE = Path(__file__).with_name("old_events.tsv")
ROWS = [line.split("\t") for line in FILE.read_text("utf-8").splitlines()]
"""Code, place and words of a row in each form that a program has written, what was shown of it in English and German,
and its untranslated detail: recorded with the last program that wrote such rows."""


def shown(code: str, place: str, written: str) -> tuple[str, str]:
    """What the display shows of a row without figures, and its detail."""
    words = describe(LoggedEvent(1, code, written, place, 0))
    if words.figures:
        return text.outcome(words.template, dict(words.figures), words.place), words.detail
    return text.translate(words.template, words.place), words.detail


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2])
def test_a_row_of_before_is_shown_as_ever(row: list[str], spoken: Languages) -> None:
    """In both languages, word for word."""
    code, place, written, english, german, detail = row
    text.speak(NullTranslations(), Money())
    assert shown(code, place, written) == (english, detail)
    text.speak(spoken.catalogue("de"), Money(decimal=",", thousands="."))
    assert shown(code, place, written) == (german, detail)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Languages:
    """The display's languages."""
    folder = tmp_path_factory.mktemp("locale")
    catalogues.compile_to(folder)
    return Languages(folder)


@pytest.fixture
def spoken(compiled: Languages) -> Iterator[Languages]:
    """The languages; the display speaks English again afterwards."""
    yield compiled
    text.speak(NullTranslations(), Money())
