"""What befalls a note on its way, with each bill protocol, and the note after it: the books against the whereabouts.

Whole cabinets on virtual time. What a player put in and did not get back is credit, or an open item whose bounds
contain it; so is what was credited and came back to the hand. Nothing of ours is asked where a note lies.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from controller.journal.actor import Actor, Role
from controller.journal.errors import RefusedError
from controller.journal.open_items import open_items
from controller.service.attendant import PAGES
from controller.service.page import Job, Submission
from drivers.simulated.fault_model import cctalk_bills, ebds_bills, id003_bills, mdb_bills, ssp_bills
from drivers.simulated.fault_model.rows import befalling
from drivers.simulated.whereabouts import Spot
from drivers.wiring import BillProtocol
from tests.rigs.money_cabinets import MdbCabinet
from tests.rigs.virtual_cabinet import VirtualCabinet

pytestmark = pytest.mark.sampled(2)

ROWS = {
    "cctalk": cctalk_bills.ROWS,
    "ebds": ebds_bills.ROWS,
    "id003": id003_bills.ROWS,
    "mdb": mdb_bills.ROWS,
    "ssp": ssp_bills.ROWS,
}
NOTE = 1000
EACH_RUN = {"jam_on_the_way", "jam_in_stacker", "end_unreported", "buffer_overflow", "counted_early"}
"""The mishaps of which nothing is a proof: they are played in each run, the others in `make proofs`."""
CHEATS = "pulled_after_credit"
"""A note that is drawn out after its credit stays credited: the device reports an attempt to cheat.

A ccTalk validator's event 8 does not say whether it was that note or another one that was being read.
"""
WAIT_S = 20.0
STUCK_S = 320.0
"""By then the end of a note is not waited for any more."""


def made(folder: Path, protocol: BillProtocol) -> VirtualCabinet:
    """A cabinet with a validator of that protocol."""
    return MdbCabinet(folder) if protocol == "mdb" else VirtualCabinet(folder, protocol=protocol)


def mishaps() -> Iterator[ParameterSet]:
    """Each protocol with each mishap of its fault model, and no second note, one of the same kind or another."""
    for protocol, rows in ROWS.items():
        for name in sorted(befalling(rows)):
            for second in (0, NOTE, 500):
                each = name in EACH_RUN and second == NOTE
                yield pytest.param(protocol, name, second, marks=() if each else pytest.mark.proof)


def kept_cents(cabinet: VirtualCabinet, put_in: int) -> int:
    """What was put in and is not in the player's hand again."""
    lies = cabinet.bills.money()
    returned = sum(piece * count for piece, count in lies.get(Spot.RETURNED, {}).items() if isinstance(piece, int))
    return put_in - returned


async def bounded(cabinet: VirtualCabinet, put_in: int) -> bool:
    """Whether credit and open items bound what the device kept."""
    assert cabinet.supervisor is not None
    items = await cabinet.supervisor.journal.do(open_items)
    doubt = sum(item.amount_cents if item.amount_cents is not None else 10**6 for item in items)
    kept, credit = kept_cents(cabinet, put_in), cabinet.credit
    assert credit - doubt <= kept <= credit + doubt, (credit, kept, [(item.kind, item.amount_cents) for item in items])
    return bool(items)


async def raised(cabinet: VirtualCabinet) -> set[str]:
    """The codes of the faults that were ever raised."""
    assert cabinet.supervisor is not None
    rows = await cabinet.supervisor.journal.do(lambda tx: tx.execute("SELECT code FROM faults").fetchall())
    return {str(code) for (code,) in rows}


@pytest.mark.parametrize(("protocol", "mishap", "second"), [*mishaps()])
async def test_a_note_that_meets_a_mishap_is_credit_or_an_item(
    tmp_path: Path, protocol: BillProtocol, mishap: str, second: int
) -> None:
    """Whether another note comes after it, of the same kind or another; then the device starts anew."""
    cabinet = made(tmp_path, protocol)
    await cabinet.start()
    try:
        await cabinet.until(lambda: cabinet.state == "attract")
        await asyncio.sleep(8.0)
        cabinet.bills.mishaps.next(mishap)
        cabinet.bills.insert(NOTE)
        put_in = NOTE
        await asyncio.sleep(WAIT_S)
        faults = await raised(cabinet)
        if second:
            cabinet.bills.insert(second)
            put_in += second
            await asyncio.sleep(WAIT_S)
        cabinet.bills.brown_out()
        await asyncio.sleep(WAIT_S)
        if mishap == CHEATS:
            assert protocol == "cctalk" or "cheated" in faults
            return
        await asyncio.sleep(STUCK_S)
        await bounded(cabinet, put_in)
        await cabinet.crash()
        await cabinet.start()
        await asyncio.sleep(WAIT_S)
        await bounded(cabinet, put_in)
    finally:
        await cabinet.kill()


@pytest.mark.parametrize("protocol", [*ROWS])
async def test_an_attendant_ends_a_note_whose_end_no_device_reports(tmp_path: Path, protocol: BillProtocol) -> None:
    """On A.8, long before the time limit: an open item, named with who did it."""
    cabinet = made(tmp_path, protocol)
    supervisor = await cabinet.start()
    try:
        await cabinet.until(lambda: cabinet.state == "attract")
        await asyncio.sleep(8.0)
        cabinet.bills.mishaps.next("jam_in_stacker")
        cabinet.bills.insert(NOTE)
        await asyncio.sleep(WAIT_S)
        machine = supervisor.service.machine
        (read,) = (page.read for page in PAGES if page.code == "A.8")
        lines = await supervisor.journal.do(lambda tx: read(tx, machine))
        (job,) = [line.leads for line in lines if isinstance(line.leads, Job)]
        await job.run(machine, Submission(Actor(Role.ATTENDANT), {}))
        await asyncio.sleep(WAIT_S)
        (item,) = await supervisor.journal.do(open_items)
        assert (item.kind, item.least_cents, item.amount_cents) == ("note_unknown", 0, NOTE)
        with pytest.raises(RefusedError, match="on its way"):
            await job.run(machine, Submission(Actor(Role.ATTENDANT), {}))
        await bounded(cabinet, NOTE)
    finally:
        await cabinet.kill()
