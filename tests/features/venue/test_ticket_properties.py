"""No order of events pays a ticket of a venue twice, or leaves one that is handed in unpaid."""

from functools import partial

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.rigs.postgres import PostgresServer
from tests.rigs.stateful.venue_tickets import CABINETS, VenueTicketCycles
from tests.rigs.ticket_hall import ModelHouse, RealHouse, empty_of

# Shrinking a failing order takes minutes.
pytestmark = pytest.mark.proof


@pytest.mark.parametrize(("examples", "steps"), [(5, 15), (100, 30)])
def test_any_order_pays_each_ticket_once(examples: int, steps: int) -> None:
    """Against a venue in memory, written from the protocol's page."""
    machine = partial(VenueTicketCycles, partial(ModelHouse, CABINETS))
    run_state_machine_as_test(machine, settings=settings(max_examples=examples, stateful_step_count=steps))


@pytest.mark.parametrize(("examples", "steps"), [(2, 12), (40, 30)])
def test_any_order_pays_each_ticket_once_on_postgres(server: PostgresServer, examples: int, steps: int) -> None:
    """Against the venue's own functions in PostgreSQL, its backups and its recovery."""
    database = server.new_database()
    empty = empty_of(database, CABINETS)

    def house() -> RealHouse:
        return RealHouse(database, CABINETS, empty)

    machine = partial(VenueTicketCycles, house, RealHouse.close)  # type: ignore[arg-type] - the house that it made
    run_state_machine_as_test(machine, settings=settings(max_examples=examples, stateful_step_count=steps))
    database.drop()
