"""Cabinets of a venue's tests."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.rigs.postgres import VenueDatabase
from tests.rigs.restored_venue import Party
from tests.rigs.venue_cabinet import VenueCabinet

Enrol = Callable[[int], list[VenueCabinet]]


@pytest.fixture
def enrol(venue_database: VenueDatabase) -> Iterator[Enrol]:
    """Enrols so many cabinets, numbered from 1, each with a session of its own, and closes them in the end."""
    with ExitStack() as stack:

        def enrolled(count: int) -> list[VenueCabinet]:
            found = [
                stack.enter_context(VenueCabinet(venue_database.dsn(venue_database.add_cabinet(number))))
                for number in range(1, count + 1)
            ]
            for cabinet in found:
                cabinet.hello()
            return found

        yield enrolled


@pytest.fixture
def party(venue_database: VenueDatabase) -> Iterator[Party]:
    """Yield three cabinets with one pool, which outlive the venue's database."""
    venue_database.add_pool()
    made = Party(venue_database, 3)
    yield made
    made.close()
