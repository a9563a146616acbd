"""An edit of the books that the program has not made is found: all by an audit, those of what counts now by a start."""

import random
from pathlib import Path

import pytest

from tests.controller.edits import audit_finds, columns, eventful, flipped, start_finds


@pytest.fixture(scope="module", params=[False, True], ids=["in a round", "while it pays"])
def books(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a journal with rows in every table, closed."""
    return eventful(tmp_path_factory.mktemp("books"), paying=request.param)


def test_nothing_is_found_in_books_that_nobody_changed(books: Path) -> None:
    """Neither an audit nor a start has anything to say of them."""
    assert (audit_finds(books), start_finds(books)) == (False, False)


def test_one_flip_in_each_column_is_found(books: Path, tmp_path: Path) -> None:
    """Over all columns of the schema: by the audit always, by the start where it touches what counts now."""
    chance, content = random.Random(1), books.read_bytes()
    path = tmp_path / "journal.sqlite"
    missed = []
    for column in columns(books):
        path.write_bytes(content)
        flip = flipped(path, column, chance)
        assert flip is not None, column
        if flip.present and not start_finds(path):
            missed.append(f"start: {flip}")
        if not audit_finds(path):
            missed.append(f"audit: {flip}")
    assert missed == []
