"""Credit moves exactly once over a cut at every byte of a host's request and of the answer, every step, every await."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.rigs import transfer_cuts
from tests.rigs.transfer_cuts import CutTransfers

pytestmark = [pytest.mark.proof, pytest.mark.timeout(3_600)]

ANSWER = 85
"""More bytes than the answer has."""
TURNS = 60
"""More turns of the loop than a transfer takes, its answer included."""


async def test_credit_moves_once_over_a_cut_at_every_byte_step_and_await(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """In and out by turns, full and in part; each time the host's books, credit, meters and history are compared."""
    async with CutTransfers(tmp_path) as cabinet:
        size = cabinet.size(cabinet.next_start(0))
        await transfer_cuts.cut_within_the_request(cabinet, range(size + 1))
        await transfer_cuts.cut_within_the_answer(cabinet, range(ANSWER), power=True)
        steps = await transfer_cuts.cut_at_each_step(cabinet)
        await transfer_cuts.cut_at_each_turn(cabinet, range(TURNS))
        await transfer_cuts.cut_within_the_answer(cabinet, range(ANSWER), power=False)
        await transfer_cuts.spoilt_within_the_request(cabinet, range(size))
        record_property(
            "proof",
            f"{cabinet.done} transfers, each moved once: cut at each of {size + 1} places of the request and "
            f"{ANSWER} of the answer, at {steps} steps of the journal and {TURNS} turns of the loop ({cabinet.cuts} "
            f"cuts), the answer lost at {ANSWER} places without a cut, {size} bytes spoilt",
        )
