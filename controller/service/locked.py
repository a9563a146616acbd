"""The pages of a locked cabinet: meters and history, with each meter marked good or suspect (C5, L1).

Either key opens them without a PIN: the journal cannot be written, so no attempt could be recorded, and the attendant
may read these pages anyway. Only a restart ends the lock.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from common.error_words import error_words
from controller.errors import LockingError
from controller.journal.actor import Role
from controller.journal.errors import UNREADABLE as UNREADABLE_BOOKS
from controller.journal.errors import JournalError
from controller.journal.readings import CREDIT, MODES, Reading, Readings, opened, read_meters
from controller.journal.transaction import Transaction
from controller.service import tree
from controller.service.keys import FRESH, LONG_PAGE, STEPS, first_of, keys_of_page, moved
from controller.service.meters import BY_VALUE, COUNTS, MONEY, of_value
from controller.service.page import Line, Page, RecallRound, bounded, rows
from ui.protocol.messages import ServicePage

TITLES = {"": "Meters and history, to be read only", "M.1": "Lifetime", "M.2": "Since last collection"}
IDLE_S = 180.0
"""The idle timeout after which the pages close."""
SUSPECT, GOOD = "suspect", "good"
UNREADABLE = "The books cannot be read"
BY_THE_LEDGER = "By the ledger"
ON_THE_REELS = "It can be shown on the reels after a restart"
NONSENSE = (JournalError, *UNREADABLE_BOOKS, ArithmeticError, LookupError, TypeError, ValueError)
"""The errors that reading a damaged journal can raise."""


def read_page(path: Path, read: Callable[[Transaction], Sequence[Line]]) -> tuple[Line, ...]:
    """Return a page's lines from the journal at `path`, opened read-only, or why it cannot be read."""
    troubles: dict[str, None] = {}
    for mode in MODES:
        try:
            with opened(path, mode) as connection:
                return bounded(list(map(_to_be_read, read(Transaction(connection, 0)))))
        except NONSENSE as error:
            troubles[error_words(error)] = None
