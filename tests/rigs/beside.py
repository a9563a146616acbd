"""A call to a venue's database beside the test's own ones."""

import threading
from collections.abc import Callable

import psycopg

from tests.rigs.postgres import VenueDatabase


class Beside:
    """A call on a connection of its own, which may wait for another one's lock."""

    def __init__(
        self, database: VenueDatabase, act: Callable[[psycopg.Connection], object], role: str = "venue_page"
    ) -> None:
        self._database = database
        self._connection = database.connect(role)
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, args=(act,))
        self._thread.start()

    def _run(self, act: Callable[[psycopg.Connection], object]) -> None:
        try:
            act(self._connection)
        except psycopg.Error as error:
            self._error = error

    def waits(self) -> bool:
        """Whether it waits for a lock, once it either does or has ended."""
        pid = self._connection.info.backend_pid
        while self._thread.is_alive():
            if self._database.ask(f"SELECT FROM pg_stat_activity WHERE pid = {pid} AND wait_event_type = 'Lock'"):
                return True
        return False

    def end(self) -> None:
        """Wait for its end; raise what it raised."""
        self._thread.join(60)
        assert not self._thread.is_alive()
        self._connection.close()
        if self._error is not None:
            raise self._error
