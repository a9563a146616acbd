"""The stateful properties of books and cabinet, searched far longer than the fast tests search them."""

import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from tests.rigs.stateful.cabinet import Interleaving
from tests.rigs.stateful.host_queue import HostQueue
from tests.rigs.stateful.host_tickets import HostTicketCycles
from tests.rigs.stateful.journal import Books
from tests.rigs.stateful.lost_tickets import LostTicketCycles
from tests.rigs.stateful.mdb import MdbBus
from tests.rigs.stateful.money import Pulsing, RecyclerPays, SmartHopperPays
from tests.rigs.stateful.payouts import CashOuts
from tests.rigs.stateful.playing import Playing

pytestmark = pytest.mark.proof


@pytest.mark.parametrize(
    ("kind", "examples", "steps"),
    [
        (Interleaving, 300, 40),
        (Pulsing, 200, 40),
        (SmartHopperPays, 100, 40),
        (RecyclerPays, 100, 40),
        (MdbBus, 100, 40),
        (Playing, 300, 40),
        (Books, 400, 60),
        (CashOuts, 400, 25),
        (HostQueue, 300, 40),
        (HostTicketCycles, 200, 25),
        (LostTicketCycles, 100, 25),
    ],
)
def test_no_order_of_events_unbalances_the_books(kind: type[RuleBasedStateMachine], examples: int, steps: int) -> None:
    """Hundreds of orders of coins, notes, presses, faults, kills and cuts: the machines' own invariants fail in it."""
    run_state_machine_as_test(kind, settings=settings(max_examples=examples, stateful_step_count=steps))
