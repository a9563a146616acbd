"""No cut loses or doubles a ticket that a host validates: its books, the machine's and the player's slips agree."""

from pathlib import Path

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from controller.journal.errors import JournalError
from tests.rigs.stateful.host_tickets import HostTicketCycles
from tests.rigs.ticket_cuts import CutTickets

MOST_STEPS = 120
MOST_TURNS = 60


def test_no_order_of_tickets_cuts_and_moods_pays_a_cent_twice() -> None:
    """A few orders; `make proofs` tries hundreds."""
    few = settings(max_examples=3, stateful_step_count=8, phases=(Phase.explicit, Phase.reuse, Phase.generate))
    run_state_machine_as_test(HostTicketCycles, settings=few)


async def cut_cycles(folder: Path, steps: range) -> int:
    """Cut the power at each of these steps of a cash-out and of the ticket's return; return at which it was not cut."""
    one = CutTickets(folder)
    await one.start()
    for step in steps:
        await one.note(500)
        one.power.comes_back(step)
        try:
            await one.rig.press("collect", 8.0)
            if not one.power.is_off:
                one.take_slips()
                for number in tuple(one.held):
                    await one.put_in(number)
        except JournalError:
            assert one.power.is_off
        await one.mend()
        was_cut, one.cuts = one.cuts > 0, 0
        one.power.comes_back()
        await one.settle()
        if not was_cut:
            break
    await one.end()
    return step


async def test_a_cut_at_a_step_of_the_journal_leaves_a_ticket_worth_something_once(tmp_path: Path) -> None:
    """Some of the steps; `make proofs` tries each."""
    await cut_cycles(tmp_path, range(1, MOST_STEPS, 9))


@pytest.mark.proof
async def test_a_cut_at_each_step_of_the_journal_leaves_a_ticket_worth_something_once(tmp_path: Path) -> None:
    """From COLLECT to the credit and the host's reading of it."""
    assert await cut_cycles(tmp_path, range(1, MOST_STEPS)) < MOST_STEPS - 1


async def killed_cycles(folder: Path, turns: range) -> int:
    """Kill it at each of these turns of its loop after the host's number, and after its decision.

    Return how many tickets were to be stacked by then.
    """
    one = CutTickets(folder)
    await one.start()
    for turn in turns:
        await one.kill_within_validation(turn)
        await one.settle()
        await one.kill_within_redemption(turn)
        await one.settle()
    await one.end()
    return one.ordered


async def test_a_kill_at_an_await_leaves_a_ticket_worth_something_once(tmp_path: Path) -> None:
    """Some of them; `make proofs` tries each."""
    assert await killed_cycles(tmp_path, range(0, MOST_TURNS, 18))


@pytest.mark.proof
async def test_a_kill_at_each_await_leaves_a_ticket_worth_something_once(tmp_path: Path) -> None:
    """Until long after the answers have gone out."""
    assert 0 < await killed_cycles(tmp_path, range(MOST_TURNS)) < MOST_TURNS
