"""A restored venue has each ticket as it is in truth, whatever the backup had and in whatever order facts arrive."""

from collections.abc import Iterator, Sequence
from functools import partial

import pytest

from drivers.capabilities import PrintEnd
from tests.rigs.postgres import PostgresServer
from tests.rigs.stateful.venue_tickets import CABINETS, VenueTicketCycles
from tests.rigs.ticket_facts import Desk, History, ModelDesk, RealDesk, histories, orders
from tests.rigs.ticket_hall import ModelHouse

GIVEN_BACK_FIRST = [
    str(history) for history in histories(2) if len(history.steps) == 2 and "1:released, 2:" in str(history)
]
"""A ticket that one cabinet gave back, and another one then took: the backup may have it as held by the first."""


@pytest.fixture
def real(server: PostgresServer) -> Iterator[RealDesk]:
    """A venue in PostgreSQL."""
    database = server.new_database()
    desk = RealDesk(database)
    yield desk
    desk.close()
    database.drop()


def wrong(desk: Desk, found: Sequence[History], times: Sequence[int] = (1,)) -> list[str]:
    """Return the orders after which a ticket is not what it is in truth, or a person is asked for nothing."""
    each = ((history.state, what, then) for history in found for what, then in orders(desk, history, times))
    return [f"{what}: {then}" for state, what, then in each if then != (state, 0)]


def test_any_order_of_facts_gives_a_ticket_its_true_state() -> None:
    """Every history of at most two steps, every backup, every order, each fact once and twice."""
    assert not wrong(ModelDesk(), list(histories(2)), (1, 2))


@pytest.mark.parametrize("name", GIVEN_BACK_FIRST)
def test_a_ticket_that_was_given_back_and_then_taken_is_not_open_after_a_restore(real: RealDesk, name: str) -> None:
    """It was: what had become of it was heard first, then that it was given back, and it was paid once more."""
    assert not wrong(real, [history for history in histories(2) if str(history) == name])


@pytest.mark.parametrize("first", range(CABINETS))
def test_a_venue_restored_between_two_tries_of_a_ticket_takes_the_second(first: int) -> None:
    """Given back, a backup before the venue hears that, stacked, restored: the order that the state machine found."""
    hall = VenueTicketCycles(partial(ModelHouse, CABINETS))
    hall.switch_on(offline=0)
    tried = partial(hall.put_in, which=0, steps=0, killed="", fates=[], copied=False, says=True)
    try:
        hall.cash_out(0, 500, PrintEnd.PRINTED, 1.5, cut=False)
        hall.time_passes(5.0)
        tried(at=first, stacks=False)
        hall.back_up()
        hall.time_passes(1.5)
        tried(at=1, stacks=True)
        hall.kill(0)
        hall.set_back([])
    finally:
        hall.teardown()


@pytest.mark.parametrize("whole", [True, False])
def test_an_older_card_leaves_every_paper_worth_its_amount_once(*, whole: bool) -> None:
    """One that was paid since the copy, and one printed since: handed over (`whole`), or entered by two people."""
    house = ModelHouse(CABINETS)
    hall = VenueTicketCycles(lambda: house)
    hall.switch_on(offline=20_000)
    try:
        hall.cash_out(0, 1000, PrintEnd.PRINTED, 1.5, cut=False)
        hall.copy_card(0)
        hall.time_passes(5.0)
        hall.hand_in(0, copied=False, again=False)
        hall.line(0, [], away=not whole)
        hall.cash_out(0, 500, PrintEnd.PRINTED, 1.5, cut=False)
        hall.put_card_back(0, "ledger", whole=whole)
        hall.line(0, [], away=False)
        hall.time_passes(40.0)
        assert house.venue.ticket_books.worth(hall.papers[1].number) == ("open" if whole else "unknown")
    finally:
        hall.teardown()
    assert [paper.where for paper in hall.papers] == ["desk", "desk"]


@pytest.mark.proof
def test_any_order_of_more_facts_gives_a_ticket_its_true_state(real: RealDesk) -> None:
    """Every history of at most three steps, also in PostgreSQL."""
    assert not wrong(ModelDesk(), list(histories(3)), (1, 2))
    assert not wrong(real, list(histories(3)))
