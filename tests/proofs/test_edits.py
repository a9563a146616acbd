"""Thousands of edits of the books, each by itself: the audit finds every one (issue 13, point 9).

`.venv/bin/python -m pytest -m proof tests/proofs/test_edits.py`
"""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.rigs.edits import audit_finds, bits_flipped, columns, contents, eventful, flipped, start_finds

pytestmark = [pytest.mark.proof, pytest.mark.timeout(3000)]

PER_COLUMN = 8
BITS = 6_000


@pytest.mark.parametrize("paying", [False, True], ids=["in a round", "while it pays"])
def test_every_value_that_was_changed_is_found(
    tmp_path: Path,
    record_property: Callable[[str, object], None],
    *,
    paying: bool,
) -> None:
    """Flips in every column of every table: by the audit all, by the start those of what counts now."""
    (tmp_path / "books").mkdir()
    books = eventful(tmp_path / "books", paying=paying)
    chance, content, path = random.Random(2), books.read_bytes(), tmp_path / "journal.sqlite"
    missed, flips, present = [], 0, 0
    for column in columns(books) * PER_COLUMN:
        path.write_bytes(content)
        flip = flipped(path, column, chance)
        assert flip is not None, column
        flips += 1
        present += flip.present
        if flip.present and not start_finds(path):
            missed.append(f"start: {flip}")
        if not audit_finds(path):
            missed.append(f"audit: {flip}")
    record_property("proof", f"{flips} values changed, {present} of them present ones; missed: {len(missed)}")
    assert missed == []


def test_every_bit_of_the_file_that_changes_what_it_says_is_found(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Random bits of the file itself: whatever reads otherwise afterwards, or no more, is found by the audit."""
    (tmp_path / "books").mkdir()
    books = eventful(tmp_path / "books", paying=False)
    before, path = contents(books), tmp_path / "journal.sqlite"
    missed, changed = 0, 0
    for content in bits_flipped(books.read_bytes(), random.Random(3), BITS):
        path.write_bytes(content)
        if contents(path) != before:
            changed += 1
            missed += not audit_finds(path)
            start_finds(path)  # which need not find it all, but must not fail in any other way
    record_property("proof", f"{BITS} bits flipped, {changed} changed what the books say; missed: {missed}")
    assert changed > BITS // 10
    assert missed == 0
