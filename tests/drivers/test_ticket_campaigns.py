"""A ticket in the bill validators that read barcodes, under the same misfortunes as a note."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from drivers.capabilities import Verdict
from drivers.clock import LoopClock
from drivers.note_alarms import NoteAlarms
from drivers.note_fate import NoteFate
from drivers.simulated.cctalk.bill_validator import BillHabits
from drivers.simulated.ebds.bill_validator import EbdsHabits
from drivers.simulated.id003.bill_validator import Habits
from drivers.simulated.misbehaviour import Kind, Misbehaviour, Way
from drivers.simulated.ssp.bill_validator import SspHabits
from drivers.validator_protocols import ticket_readers
from drivers.wiring import BillValidator
from tests.rigs.bill_rig import (
    NOTE,
    RESTS,
    SILENT,
    STACKS,
    TICKET,
    TICKET_CENTS,
    Books,
    DeviceRig,
    KilledError,
    check_ticket_accounted,
)
from tests.rigs.validator_rigs import LANGUAGES, MakeRig, cctalk, drilled, ebds, id003, known_of, slices, ssp

pytestmark = pytest.mark.sampled(4)

READERS = {
    **{name: LANGUAGES[name] for name in ticket_readers()},
    "ssp-acknowledges": ssp(SspHabits(acknowledges=True)),
    "ssp-acknowledges-tickets": ssp(SspHabits(acknowledges=True, repeats_tickets=True, keeps_barcode=True)),
}
STACKS_AFTER_CUT = {
    "id003-stacks": id003(STACKS),
    "id003-silent": id003(SILENT),
    "id003-rests": id003(RESTS),
    "cctalk-stacks": cctalk(BillHabits(returns_after_cut=False)),
    "ebds-unnamed": ebds(EbdsHabits(stacked_names_ticket=False, reports_uncredited=True)),
    "ssp-stacks": ssp(SspHabits(returns_after_cut=False)),
    "ssp-acknowledges-stacks": ssp(SspHabits(acknowledges=True, repeats_tickets=True, returns_after_cut=False)),
}
PHASES = 16
SLICES = slices(PHASES)
"""Each moment of a drill belongs to one phase; the checks run the first one, `make proofs` all of them."""
EACH = pytest.mark.parametrize("name", READERS)
DRILLED = pytest.mark.parametrize("name", drilled(READERS))


async def begun(make: MakeRig, misbehaviour: Misbehaviour | None = None) -> DeviceRig[Any]:
    """Boot a rig whose books have one ticket."""
    rig = make(misbehaviour)
    rig.books.tickets = {TICKET: TICKET_CENTS}
    await rig.start()
    return rig


async def run_rig(make: MakeRig, scene: Callable[[DeviceRig[Any]], Awaitable[None]]) -> DeviceRig[Any]:
    """Boot a rig, play the scene, end everything."""
    rig = await begun(make)
    await scene(rig)
    return await rig.end()


def unheard(name: str, rig: DeviceRig[Any]) -> bool:
    """Whether a ticket came back while nobody listened, after the order to stack it: these number no events."""
    protocol = known_of(name)
    if protocol.NUMBERS_EVENTS:
        return False
    return protocol.TICKET_ORDERED in rig.books.calls and rig.down_s > 2 and bool(rig.returned)


@EACH
async def test_a_ticket_is_redeemed_once_and_notes_go_on(name: str) -> None:
    """Reserved before it is stacked, redeemed when it is in the cash box; the notes around it are credited as ever."""

    async def scene(rig: DeviceRig[Any]) -> None:
        rig.device.insert(NOTE)
        await rig.settle()
        rig.device.insert_ticket(TICKET)
        await rig.settle()
        rig.device.insert(500)
        await rig.settle()

    rig = await run_rig(READERS[name], scene)

    assert rig.stacked == [NOTE, TICKET, 500]
    assert (rig.books.credit_cents, rig.books.redeemed) == (NOTE + TICKET_CENTS + 500, [TICKET])
    assert (rig.books.tickets, rig.books.open_items, rig.books.escrow) == ({}, [], None)
    assert rig.books.calls.index(f"ticket {TICKET}") < rig.books.calls.index("ticket stacked")


@pytest.mark.parametrize(
    "habits",
    [Habits(names_stacked=True), Habits(bars_notes=False), Habits(reader=False)],
    ids=["names", "bars", "none"],
)
async def test_id003_devices_as_their_public_descriptions_leave_them_open(habits: Habits) -> None:
    """One that names a stacked ticket, one whose bar inhibit is for tickets alone, one without a barcode reader."""

    async def scene(rig: DeviceRig[Any]) -> None:
        for insert, paper in ((rig.device.insert_ticket, TICKET), (rig.device.insert, NOTE)):
            insert(paper)
            await rig.settle()

    rig = await run_rig(id003(habits), scene)

    taken = TICKET_CENTS if habits.reader else 0
    assert (rig.books.credit_cents, rig.books.open_items, rig.books.faults) == (NOTE + taken, [], {})
    assert (rig.stacked, rig.returned) == (([TICKET, NOTE], []) if habits.reader else ([NOTE], [TICKET]))


@EACH
async def test_a_copy_and_a_foreign_ticket_are_returned(name: str) -> None:
    """What the books do not take comes back, and counts for no alarm about notes that come back."""

    async def scene(rig: DeviceRig[Any]) -> None:
        rig.device.insert_ticket(TICKET)
        await rig.settle()
        for number in (TICKET, *["123456789012345678"] * 6):
            rig.device.insert_ticket(number)
            await rig.settle()

    rig = await run_rig(READERS[name], scene)

    assert (rig.stacked, rig.returned) == ([TICKET], [TICKET, *["123456789012345678"] * 6])
    assert (rig.books.credit_cents, rig.books.open_items, rig.books.raised) == (TICKET_CENTS, [], [])


@EACH
async def test_a_verdict_that_takes_long_is_waited_for(name: str) -> None:
    """A venue may take its time: the ticket is held as long as the verdict takes, and then stacked."""

    async def scene(rig: DeviceRig[Any]) -> None:
        rig.books.verdict_after_s = 45.0
        rig.device.insert_ticket(TICKET)
        await rig.settle(40)
        assert rig.device.slot in {"escrow", "holding"}
        await rig.settle(20)

    rig = await run_rig(READERS[name], scene)

    check_ticket_accounted(rig)
    assert rig.books.credit_cents == TICKET_CENTS


@DRILLED
@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("way", list(Way))
@pytest.mark.parametrize("frames", [1, 3])
@pytest.mark.parametrize("phase", SLICES)
async def test_every_frame_of_a_tickets_life_goes_wrong(
    name: str, phase: int, kind: Kind, way: Way, frames: int
) -> None:
    """Whatever happens to the frames at any moment, a stacked ticket is redeemed once and a returned one is not."""
    for twentieths in range(phase, 56, PHASES):
        misbehaviour = Misbehaviour(delay_s=1.2)
        rig = await begun(READERS[name], misbehaviour)
        rig.device.insert_ticket(TICKET)
        await rig.settle(twentieths / 20)
        misbehaviour.inject(kind, frames, way=way)
        await rig.settle(40)
        check_ticket_accounted(await rig.end())
        assert rig.books.credit_cents == TICKET_CENTS or rig.deaths or frames > 1


@DRILLED
@pytest.mark.parametrize("sent", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("down_s", [0.05, 2.0, 40.0])
@pytest.mark.parametrize("phase", SLICES)
async def test_killed_at_every_frame(name: str, phase: int, down_s: float, sent: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """A driver killed around any frame takes the dialogue up again: redeemed once if stacked, never lost."""
    for write in range(1 + phase, 25, PHASES):
        rig = await begun(READERS[name])
        rig.down_s = down_s
        rig.port.die_at, rig.port.die_sent = rig.port.writes + write, sent
        rig.device.insert_ticket(TICKET)
        await rig.settle(down_s + 40)
        await rig.end()
        assert [type(death) for death in rig.deaths] == [KilledError]
        check_ticket_accounted(rig, open_items_allowed=unheard(name, rig))


@EACH
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("down_s", [0.05, 40.0])
async def test_killed_around_every_commit(name: str, down_s: float, when: str) -> None:
    """The process dies before or after any transaction about the ticket: still redeemed exactly once, or released."""
    deaths = 0
    for call in range(1, 9):
        rig = await begun(READERS[name])
        rig.down_s = down_s
        fatal = len(rig.books.calls) + call

        async def die(number: int, at: str, fatal: int = fatal) -> None:
            if (number, at) == (fatal, when):
                raise KilledError

        rig.books.at_call = die
        rig.device.insert_ticket(TICKET)
        await rig.settle(down_s + 40)
        await rig.end()
        deaths += len(rig.deaths)
        check_ticket_accounted(rig, open_items_allowed=unheard(name, rig))
    assert deaths >= 3


@pytest.mark.parametrize(("whole_cabinet", "off_s"), [(False, 0.3), (False, 25.0), (True, 1.0)])
@pytest.mark.parametrize("name", [*READERS, *STACKS_AFTER_CUT])
@pytest.mark.parametrize("phase", SLICES)
async def test_mains_cut_at_every_position(name: str, phase: int, off_s: float, whole_cabinet: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """A ticket caught by a power cut is redeemed if the device says so, else released, else an open item."""
    make = (READERS | STACKS_AFTER_CUT)[name]
    for step in range(1 + phase, 45, PHASES):
        rig = await begun(make)
        rig.device.insert_ticket(TICKET)
        await rig.settle(step / 20)
        rig.device.power(on=False)
        if whole_cabinet:
            await rig.kill()
        await rig.settle(off_s)
        rig.device.power(on=True)
        if whole_cabinet:
            rig.run()
        await rig.settle(60)
        assert rig.books.faults == {}
        protocol = known_of(name)
        unseen = protocol.HIDES_CUT and off_s > 20 and protocol.TICKET_ORDERED in rig.books.calls
        allowed = unseen or (bool(rig.stacked) and "acknowledges" not in name)
        check_ticket_accounted(await rig.end(), open_items_allowed=allowed)


@EACH
async def test_a_ticket_of_a_test_is_held_and_returned(name: str) -> None:
    """In a service test no ticket is redeemed, and no number reserved."""

    async def scene(rig: DeviceRig[Any]) -> None:
        assert rig.driver is not None
        sights: list[object] = []
        rig.driver.test(sights.append)
        rig.device.insert_ticket(TICKET)
        await rig.settle()
        rig.driver.test(None)
        assert [TICKET in repr(sight) for sight in sights] == [True, False]

    check_ticket_accounted(await run_rig(READERS[name], scene))


@pytest.mark.proof
@EACH
async def test_a_flooded_device_takes_tickets_afterwards(name: str) -> None:
    """A million random bytes move no ticket, and the next one is redeemed."""

    async def scene(rig: DeviceRig[Any]) -> None:
        rig.device.receive(random.Random(5).randbytes(1_000_000))
        await rig.settle(10)
        rig.device.insert_ticket(TICKET)
        await rig.settle()

    rig = await run_rig(READERS[name], scene)

    check_ticket_accounted(rig)
    assert rig.books.credit_cents == TICKET_CENTS


async def test_another_ticket_in_escrow_is_not_the_one_before() -> None:
    """The device took it back unheard: its number is released, and the new one is asked about by itself."""
    books = Books()
    other = TICKET[::-1]
    books.tickets = {TICKET: TICKET_CENTS, other: 500}
    fate = NoteFate(books, NoteAlarms(BillValidator(port=""), LoopClock(), books), LoopClock())

    async def hold(asking: asyncio.Future[Verdict]) -> None:
        await asking

    first = await fate.in_escrow(255, None, ticket=TICKET)
    await fate.judge(first, hold)
    fate.stacking(first)
    assert await fate.in_escrow(255, None, ticket=TICKET) is first
    second = await fate.in_escrow(255, None, ticket=other)
    assert (second.verdict, books.tickets) == (None, {TICKET: TICKET_CENTS, other: 500})
    await fate.judge(second, hold)
    fate.stacking(second)
    await fate.stacked()
    assert (books.redeemed, books.credit_cents, books.tickets) == ([other], 500, {TICKET: TICKET_CENTS})
