"""The journal's files before each statement of a transaction."""

import shutil
import sqlite3
from pathlib import Path
from typing import Any

from controller.journal.transaction import Transaction


class Shots(Transaction):
    """A transaction that keeps a copy of the journal's files before each of its statements: what a cut would leave."""

    def __init__(self, inner: Transaction, path: Path, folder: Path) -> None:
        super().__init__(inner._connection, inner.at_ms)
        self._path, self._folder, self.taken = path, folder, 0

    def execute(self, sql: str, parameters: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        """Copy, then run."""
        self.shoot()
        return super().execute(sql, parameters)

    def shoot(self) -> None:
        """Copy the journal as it lies on the disk now."""
        shot = self._folder / str(self.taken)
        shot.mkdir()
        for name in (self._path, Path(f"{self._path}-wal")):
            if name.exists():
                shutil.copy(name, shot)
        self.taken += 1
