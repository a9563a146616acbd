"""The rule tables of the games, and the promises of docs/fair-play.md, name tests that exist."""

import re
from pathlib import Path

import pytest

from gamekit.catalogue import folder_of, names

ROOT = Path(__file__).parents[2]


def rules(name: str) -> Path:
    """Return the rule page of a game, which lies in its folder."""
    return folder_of(name) / "RULES.md"


def test_every_test_named_on_a_page_exists() -> None:
    """A rule answered by a test that was renamed or deleted is a rule no longer answered."""
    written = set()
    homes = [ROOT / "tests", *(folder_of(name) / "tests" for name in names())]
    for file in (file for home in homes for file in home.rglob("test_*.py")):
        written |= set(re.findall(r"^(?:async )?def (test_\w+)", file.read_text(), re.MULTILINE))
    pages = [ROOT / "docs" / "fair-play.md", *map(rules, names())]
    named = {name for page in pages for name in re.findall(r"`(test_\w+)`", page.read_text())}
    assert named
    assert named - written == set()


@pytest.mark.parametrize("name", names())
def test_every_rule_is_answered_by_a_test(name: str) -> None:
    """Each row of a game's table names a test or more: none is answered by words alone."""
    page = rules(name).read_text()
    table = [line for line in page.partition("## Rule by rule")[2].splitlines() if line.startswith("| ")][2:]
    assert len(table) > 20
    assert [row for row in table if "`test_" not in row.rsplit("|", 2)[1]] == []
