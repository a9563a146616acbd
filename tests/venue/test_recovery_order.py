"""Cabinets, backups, restores and persons in any order: no jackpot is paid twice, and the books balance."""

from functools import partial

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.rigs.postgres import VenueDatabase
from tests.rigs.stateful.venue_recovery import POOLS, SEED, VenueRecovery
from tests.rigs.venue_snapshot import Snapshot

pytestmark = pytest.mark.sampled(3)


@pytest.mark.parametrize(("examples", "steps"), [(8, 15), pytest.param(300, 40, marks=pytest.mark.proof, id="long")])
def test_no_order_of_a_recovery_pays_twice(venue_database: VenueDatabase, examples: int, steps: int) -> None:
    """The state machine's own tally: rounds that were paid, contributions, slips that a person forgot."""
    for pool, game in zip(POOLS, ("bewitched", "mona_lisa"), strict=True):
        venue_database.add_pool(pool, game, seed=SEED)
    with venue_database.connect() as admin:
        empty = Snapshot.of(admin)
    machine = partial(VenueRecovery, venue_database, empty)
    run_state_machine_as_test(machine, settings=settings(max_examples=examples, stateful_step_count=steps))
