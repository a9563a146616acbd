from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test
from tests.rigs.stateful.lost_tickets import LostTicketCycles


def test_long():
    run_state_machine_as_test(
        LostTicketCycles, settings=settings(max_examples=25, stateful_step_count=20, deadline=None)
    )
