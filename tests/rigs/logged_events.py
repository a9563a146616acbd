"""The events of a journal as an export words them."""

import sqlite3
from collections.abc import Callable

from controller.journal.event_words import row_in_english

EVENTS = "SELECT code, text, place, data FROM events JOIN ledger USING (seq) ORDER BY seq"
"""Every event, as `row_in_english` takes it."""


def words_of(execute: Callable[[str], sqlite3.Cursor], code: str) -> list[str]:
    """The English words of the events with that code, in order."""
    return [row_in_english(*row) for row in execute(EVENTS) if row[0] == code]
