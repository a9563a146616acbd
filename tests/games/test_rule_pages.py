"""The rule tables in docs/games, and the promises of docs/fair-play.md, name tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_test_named_on_a_page_exists() -> None:
    """A rule answered by a test that was renamed or deleted is a rule no longer answered."""
    written = set()
    for file in (ROOT / "tests").rglob("test_*.py"):
        written |= set(re.findall(r"^def (test_\w+)", file.read_text(), re.MULTILINE))
    pages = [ROOT / "docs" / "fair-play.md", *sorted((ROOT / "docs" / "games").glob("*.md"))]
    named = {name for page in pages for name in re.findall(r"`(test_\w+)`", page.read_text())}
    assert named
    assert named - written == set()
