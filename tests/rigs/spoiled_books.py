"""Books that were changed from outside, or cannot be written."""

import sqlite3
from typing import NoReturn

from controller.journal.transaction import Transaction
from tests.rigs.books import rewritten
from tests.rigs.machine import Rig


async def spoil(rig: Rig, *statements: str) -> None:
    """Change the journal behind the program's back, while no supervisor runs."""
    await rig.kill()
    with rewritten(rig.path) as connection:
        for statement in statements:
            connection.execute(statement)


def full(_tx: Transaction) -> None:
    """A transaction on a disk with no room left."""
    _fail("database or disk is full", sqlite3.SQLITE_FULL)


def failing(_tx: Transaction) -> None:
    """A transaction on a disk that takes no writes."""
    _fail("disk I/O error", sqlite3.SQLITE_IOERR)


def _fail(words: str, code: int) -> NoReturn:
    error = sqlite3.OperationalError(words)
    error.sqlite_errorcode = code
    raise error
