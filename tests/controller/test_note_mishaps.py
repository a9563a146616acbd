"""What befalls a note on its way, with each bill protocol, and the note after it: the books against the whereabouts.

Whole cabinets on virtual time. What a player put in and did not get back is credit, or an open item whose bounds
contain it; so is what was credited and came back to the hand. Nothing of ours is asked where a note lies.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from controller.journal.actor import Actor, Role
from controller.journal.errors import RefusedError
from controller.journal.open_items import OpenItem, Resolution, open_items
from controller.journal.resolutions import resolve_item
from controller.service.attendant import PAGES
from controller.service.page import Job, Submission
from controller.supervisor import Supervisor
from drivers.simulated.cctalk.bill_validator import IDENTITY, SimulatedCctalkBills
from drivers.simulated.ebds.bill_validator import Event, SimulatedEbdsValidator
from drivers.simulated.fault_model.rows import befalling
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.note_path import Paper
from drivers.simulated.ssp.bill_validator import SERIAL, SimulatedSspValidator
from drivers.simulated.whereabouts import Spot
from drivers.validator_protocols import validator_protocols
from tests.rigs.known_protocols import note_mishaps
from tests.rigs.money_cabinets import MdbCabinet
from tests.rigs.virtual_cabinet import VirtualCabinet, but_coins

pytestmark = pytest.mark.sampled(2)

ROWS = {protocol: note_mishaps(protocol) for protocol in validator_protocols()}
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


def made(folder: Path, protocol: str) -> VirtualCabinet:
    """A cabinet with a validator of that protocol."""
    return MdbCabinet(folder) if protocol == "mdb" else VirtualCabinet(folder, protocol=protocol)


@asynccontextmanager
async def taking(folder: Path, protocol: str, mishap: str) -> AsyncIterator[VirtualCabinet]:
    """A cabinet into which a note was just put that meets that mishap, if any; killed in the end."""
    cabinet = made(folder, protocol)
    await cabinet.start()
    try:
        await cabinet.until(lambda: cabinet.state == "attract")
        await asyncio.sleep(8.0)
        if mishap:
            cabinet.bills.mishaps.next(mishap)
        cabinet.bills.insert(NOTE)
        yield cabinet
    finally:
        await cabinet.kill()


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


GIVEN_TWICE = frozenset({"note_returned_after_credit"})
"""Kinds of items about money that the player has beside the credit for it."""


async def bounded(cabinet: VirtualCabinet, put_in: int) -> list[OpenItem]:
    """Prove that credit and open items bound what the device kept, and owe nobody more than was put in."""
    assert cabinet.supervisor is not None
    items = but_coins(await cabinet.supervisor.journal.do(open_items))
    most = least = credit = cabinet.credit
    for item in items:
        worth = put_in if item.amount_cents is None else item.amount_cents
        if item.kind in GIVEN_TWICE:
            least, most = least - worth, most - item.least_cents
        else:
            least, most = least + item.least_cents, most + worth
    kept = kept_cents(cabinet, put_in)
    assert least <= kept <= most <= put_in, (credit, kept, [(item.kind, item.amount_cents) for item in items])
    return items


async def raised(cabinet: VirtualCabinet) -> set[str]:
    """The codes of the faults that were ever raised."""
    assert cabinet.supervisor is not None
    rows = await cabinet.supervisor.journal.do(lambda tx: tx.execute("SELECT code FROM faults").fetchall())
    return {str(code) for (code,) in rows}


@pytest.mark.parametrize(("protocol", "mishap", "second"), [*mishaps()])
async def test_a_note_that_meets_a_mishap_is_credit_or_an_item(
    tmp_path: Path, protocol: str, mishap: str, second: int
) -> None:
    """Whether another note comes after it, of the same kind or another; then the device starts anew."""
    async with taking(tmp_path, protocol, mishap) as cabinet:
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


def rejected_after() -> Iterator[ParameterSet]:
    """Each protocol with each mishap of its fault model, and how soon after it another note is pushed in."""
    for protocol, rows in ROWS.items():
        for name in sorted({*befalling(rows)} - {CHEATS}):
            for after_s in (1.5, 2.5, WAIT_S):
                yield pytest.param(protocol, name, after_s, marks=() if name in EACH_RUN else pytest.mark.proof)


@pytest.mark.parametrize(("protocol", "mishap", "after_s"), [*rejected_after()])
async def test_a_note_that_is_rejected_says_nothing_of_the_one_before(
    tmp_path: Path, protocol: str, mishap: str, after_s: float
) -> None:
    """A second note that is not recognised comes back while nobody knows the end of the first."""
    async with taking(tmp_path, protocol, mishap) as cabinet:
        await asyncio.sleep(after_s)
        cabinet.bills.unreadable = 1
        cabinet.bills.insert(NOTE)
        await asyncio.sleep(STUCK_S)
        if mishap.startswith("cassette_out"):
            cabinet.bills.set_fault("stacker_open", on=False)
        cabinet.bills.brown_out()  # what still lies in its path goes on
        await asyncio.sleep(WAIT_S)
        await bounded(cabinet, 2 * NOTE)


UNHEARD = {"end_unreported", "counted_early", "counted_never"}
"""The mishaps after which a note lies in the box without any report of it."""


@pytest.mark.parametrize("second", [NOTE, pytest.param(500, marks=pytest.mark.proof)])
@pytest.mark.parametrize(
    ("protocol", "mishap"),
    [
        *((name, "") for name in ROWS),
        *((name, mishap) for name, rows in ROWS.items() for mishap in befalling(rows) if mishap in UNHEARD),
    ],
)
async def test_a_note_that_comes_and_goes_while_nobody_looks_says_nothing_of_the_one_before(
    tmp_path: Path, protocol: str, mishap: str, second: int
) -> None:
    """The program dies with a note on its way; the device takes a second one and gives it back by itself."""
    async with taking(tmp_path, protocol, mishap) as cabinet:
        await cabinet.until(lambda: cabinet.bills.slot == "stacking")
        await cabinet.crash()
        await asyncio.sleep(1.5)
        cabinet.bills.insert(second)
        await asyncio.sleep(40.0)
        await cabinet.start()
        await asyncio.sleep(2 * WAIT_S)
        await bounded(cabinet, NOTE + second)


def spare_cctalk() -> SimulatedCctalkBills:
    """A ccTalk validator with another serial number, whose start sent a note of its own into the box."""
    spare = SimulatedCctalkBills(identity=IDENTITY._replace(serial=IDENTITY.serial + 1), **GONE)
    spare.power(on=True)
    spare._record(spare.bill_ids.index(b"EU0010A") + 1, 0)
    return spare


def spare_ssp() -> SimulatedSspValidator:
    """An SSP validator with another serial number, which has not yet reported its last note."""
    spare = SimulatedSspValidator(serial=SERIAL + 1, **GONE)
    spare._credit_reported, spare._owed = False, NOTE
    spare.power(on=True)
    return spare


def spare_ebds() -> SimulatedEbdsValidator:
    """An EBDS validator with another serial number, which has not yet reported its last note."""
    spare = SimulatedEbdsValidator(**GONE)
    spare._become_another()
    spare.power(on=True)
    spare._stacked_paper = NOTE
    spare._events.append(Event.STACKED)
    return spare


GONE: dict[str, Callable[[Paper], None]] = {"returned": lambda _paper: None, "stacked": lambda _paper: None}
"""What a spare validator does with its notes is nobody's money."""
SPARES = {"cctalk": spare_cctalk, "ssp": spare_ssp, "ebds": spare_ebds}


@pytest.mark.parametrize("protocol", [*SPARES])
async def test_another_validator_says_nothing_of_the_note_of_the_one_before(tmp_path: Path, protocol: str) -> None:
    """A validator is exchanged with a note jammed in it; the spare one has a note of its own in its report."""
    async with taking(tmp_path, protocol, "jam_in_stacker") as cabinet:
        await asyncio.sleep(WAIT_S)
        await cabinet.crash()
        cabinet.bills.power(on=False)
        cabinet.lines["bill"] = MemoryLine(SPARES[protocol](), path="bill")
        await cabinet.start()
        await asyncio.sleep(WAIT_S)
        (item,) = await bounded(cabinet, NOTE)
        assert (item.kind, cabinet.credit) == ("note_unknown", 0)


ENDS = {"paid": Resolution.PAID, "void": Resolution.VOID, "open": None}
TELL = frozenset({"cctalk", "ssp"})
"""The protocols that say what became of the note that a start found on its way; of others a person's word stands."""


STARTS = {"alone": None, "together": 0.0, "before_the_computer": 30.0}
"""Seconds from the validator's power to the program's start; None: the program keeps running."""


async def start_anew(cabinet: VirtualCabinet, started: str) -> Supervisor:
    """Cut the validator off and let it start, with the computer or alone; return the supervisor that runs then."""
    before_s = STARTS[started]
    if before_s is None:
        assert cabinet.supervisor is not None
        cabinet.bills.brown_out()
        return cabinet.supervisor
    await cabinet.crash()
    cabinet.mains(on=False)
    await asyncio.sleep(1.0)
    cabinet.mains(on=True)
    await asyncio.sleep(before_s)
    return await cabinet.start()


@pytest.mark.parametrize("started", [*STARTS])
@pytest.mark.parametrize("protocol", sorted({*ROWS} - {"ebds"}))
async def test_a_note_in_escrow_that_a_start_stacks_is_an_item(tmp_path: Path, protocol: str, started: str) -> None:
    """Nobody ordered it: the mains fail while it is in escrow, and its validator sends it on by itself.

    An EBDS validator does not report it, nor does it count notes: the program cannot know of it.
    """
    async with taking(tmp_path, protocol, "start_stacks") as cabinet:
        await cabinet.until(lambda: cabinet.bills.escrow_cents == NOTE)
        await start_anew(cabinet, started)
        await asyncio.sleep(90.0)
        await bounded(cabinet, NOTE)


@pytest.mark.parametrize("way", [*ENDS])
@pytest.mark.parametrize("comes", ["start_stacks", "start_returns"])
@pytest.mark.parametrize("started", [*STARTS])
@pytest.mark.parametrize("protocol", [name for name, rows in ROWS.items() if "jam_in_stacker" in befalling(rows)])
@pytest.mark.sampled(5)
async def test_a_note_that_was_given_up_is_one_item(
    tmp_path: Path, protocol: str, comes: str, way: str, started: str
) -> None:
    """Its validator ends it after all when it starts anew, with the program or alone: no second item for one note.

    Where its item was closed meanwhile, what then proves otherwise is an item again.
    """
    async with taking(tmp_path, protocol, "jam_in_stacker") as cabinet:
        supervisor = cabinet.supervisor
        assert supervisor is not None
        await asyncio.sleep(STUCK_S + WAIT_S)
        (item,) = await bounded(cabinet, NOTE)
        found = ENDS[way]
        if found is not None:
            cents = NOTE if found.moves_money else 0
            await supervisor.journal.do(
                lambda tx: resolve_item(tx, item.id, found, "technician", amount_cents=cents, reason="a test")
            )
        cabinet.bills.mishaps.next(comes)
        supervisor = await start_anew(cabinet, started)
        await asyncio.sleep(60.0)
        items = but_coins(await supervisor.journal.do(open_items))
        kept, paid = kept_cents(cabinet, NOTE), NOTE if found is Resolution.PAID else 0
        assert len(items) <= 1
        owed = sum(item.amount_cents or 0 for item in items if item.kind not in GIVEN_TWICE)
        missing = sum(item.amount_cents or 0 for item in items if item.kind in GIVEN_TWICE)
        assert cabinet.credit + paid + owed <= NOTE
        if protocol in TELL or found is None:
            assert cabinet.credit + paid - missing <= kept <= cabinet.credit + paid + owed


@pytest.mark.parametrize("protocol", [*ROWS])
async def test_an_attendant_ends_a_note_whose_end_no_device_reports(tmp_path: Path, protocol: str) -> None:
    """On A.8, long before the time limit: an open item, named with who did it."""
    async with taking(tmp_path, protocol, "jam_in_stacker") as cabinet:
        supervisor = cabinet.supervisor
        assert supervisor is not None
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
