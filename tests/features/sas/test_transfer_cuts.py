"""A transfer that is cut off anywhere is done once or not at all, and its host finds out which."""

from pathlib import Path

from tests.rigs import transfer_cuts
from tests.rigs.transfer_cuts import CutTransfers


async def test_a_transfer_cut_off_at_some_bytes_is_done_once(tmp_path: Path) -> None:
    """The first and the last byte of the request and of the answer; `make proofs` takes each one."""
    async with CutTransfers(tmp_path) as cabinet:
        last = cabinet.size(cabinet.next_start(0)) - 1
        await transfer_cuts.cut_within_the_request(cabinet, range(last, last + 2))
        await transfer_cuts.cut_within_the_answer(cabinet, range(0, 60, 30), power=True)
        await transfer_cuts.cut_within_the_answer(cabinet, range(0, 60, 30), power=False)
        await transfer_cuts.spoilt_within_the_request(cabinet, range(0, last, 9))
