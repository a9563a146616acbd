"""words.md lists every sentence that a player can see, with the tests that prove it."""

import re
from collections.abc import Collection
from pathlib import Path

from games.bewitched.display import words as bewitched
from games.mona_lisa_jewels.display import words as mona_lisa
from games.mystery_elves.display import words as elves
from games.star_quarry.display import words as quarry
from games.witch_feature.display import words as witch
from tests.ui.said import said
from ui import text

ROOT = Path(__file__).parents[2]
PAGE = (Path(__file__).parent / "words.md").read_text("utf-8")
ROWS = [line.split(" | ") for line in PAGE.splitlines() if line.startswith("| “")]
LEAST_WORDS = 4
"""From so many words on a text is taken for a sentence; shorter ones are names."""
OPERATORS = ("SERVICE_", "RECALL_", "TEST_", "DAY_")
"""The beginnings of the constants that no player reads."""


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [words for item in value.values() for words in _texts(item)]
    return [words for item in value for words in _texts(item)] if isinstance(value, tuple) else []


def sentences() -> set[str]:
    """Return the sentences of the shared screens and of the games' own scenes; rules have pages of their own."""
    found = set()
    for module in (text, bewitched, mona_lisa, elves, witch, quarry):
        for name, value in vars(module).items():
            if name.isupper() and not name.startswith(OPERATORS):
                found |= set(_texts(value))
    return {words for words in found if len(re.findall(r"[A-Za-z']+", re.sub(r"\{\w+\}", "", words))) >= LEAST_WORDS}


def listed(texts: Collection[str]) -> set[str]:
    """Return the sentences of the page, a line break for each stroke that is not in one of `texts`."""
    cells = [sentence for row in ROWS for sentence in re.findall("“(.*?)”", row[0])]
    return {sentence.replace(" / ", "\n") if sentence not in texts else sentence for sentence in cells}


def test_every_sentence_of_a_player_s_screen_is_listed() -> None:
    """A new sentence needs its row in words.md: where it is said, and the test that proves it there."""
    gathered = said()
    plurals = {form for pair in gathered.plurals for form in pair}
    assert sentences() - listed(gathered.texts) == set()
    assert listed(gathered.texts) - (gathered.texts | plurals) == set()


def test_every_row_names_a_proof_that_exists() -> None:
    """A test by its name, or a file of them."""
    written = set()
    for file in (ROOT / "tests").rglob("test_*.py"):
        written |= set(re.findall(r"^(?:async )?def (test_\w+)", file.read_text("utf-8"), re.MULTILINE))
    assert ROWS
    for row in ROWS:
        proofs = re.findall(r"`([\w/.]+)`", row[-1])
        assert proofs, row[0]
        assert [proof for proof in proofs if proof not in written and not (ROOT / proof).is_file()] == []
