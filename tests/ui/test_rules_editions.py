"""The edition of a game's rules is raised whenever a word or a figure of them changes, in either language."""

import json
from datetime import date
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest

from gamekit.catalogue import load as load_game
from tests.ui.rehearsal import GAMES
from tests.ui.said import spoken
from ui.theme import load

RECORDED = Path(__file__).with_name("rules_editions.json")
"""By game: each edition's number, its day, and the SHA-256 of its words; the newest last."""


def words_of(game: str) -> str:
    """Return the SHA-256 of a game's rules in both languages."""
    found = []
    for language in ("en", "de"):
        with spoken(language):
            found += [text for rule in load(game).rules(load_game(game).gamble_cap_cents) for text in rule]
    return sha256("\n".join(found).encode()).hexdigest()


@pytest.mark.parametrize("game", GAMES)
def test_the_words_of_an_edition_stay_what_they_are(game: str) -> None:
    """Where this fails raise `EDITION` in the game's `display/rules.py`, and add what is compared here to the file."""
    edition = load(game).edition
    recorded = json.loads(RECORDED.read_text("utf-8"))[game]
    assert recorded[-1] == [edition.version, edition.since.isoformat(), words_of(game)]
    assert [number for number, _, _ in recorded] == [*range(1, len(recorded) + 1)]
    days = [date.fromisoformat(day) for _, day, _ in recorded]
    assert all(earlier <= later for earlier, later in pairwise(days))
    assert len({words for _, _, words in recorded}) == len(recorded)
