"""A venue's database for the tests of the link."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rigs.postgres import PostgresServer, VenueDatabase
from tests.rigs.threaded_venue import ThreadedVenue, line_to
from tests.rigs.venue_store import ME, POOLS


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    """A server for all tests of a process."""
    server = PostgresServer()
    server.start()
    yield server
    server.close()


@pytest.fixture
def database(server: PostgresServer) -> Iterator[VenueDatabase]:
    """A venue with the contract's pools and one cabinet."""
    database = server.new_database()
    for number, key in POOLS.items():
        database.add_pool(number, key.game, key.coin_value_cents)
    database.add_cabinet(ME)
    yield database
    database.drop()


@pytest.fixture
def line(database: VenueDatabase, tmp_path: Path) -> Iterator[ThreadedVenue]:
    """The cabinet's connection."""
    line = line_to(database, ME, tmp_path)
    yield line
    line.stop()
