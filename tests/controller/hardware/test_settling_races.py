"""COLLECT at every moment at which a hopper that is back settles what it had not counted: each coin is booked once.

A payout that uses the hopper first settles what was pending. The settling that waited for the hopper must then find
nothing: it would count the new payout's coins as those of the order before.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.books.audit import audit
from controller.features.diagnostics.dispense import DiagnosticDispense
from controller.journal.diagnostics import hopper_diagnostic
from controller.journal.open_items import open_items
from controller.supervisor import Supervisor, build_settling
from tests.rigs.device_tests import device_tests
from tests.rigs.virtual_cabinet import VirtualCabinet

pytestmark = pytest.mark.sampled(3)

AWAY_S = 5
STEP_S, STEPS = 0.02, 52
"""The settling looks each second: every phase of it, and a little more."""


@asynccontextmanager
async def cabinet_in(folder: Path) -> AsyncIterator[VirtualCabinet]:
    """Run a cabinet whose key gives up a hopper that stays away after `AWAY_S`; nothing may go wrong with it."""
    cabinet = VirtualCabinet(folder)
    cabinet.config = replace(cabinet.config, payout=replace(cabinet.config.payout, hopper_away_s=AWAY_S))
    supervisor = await cabinet.start()
    try:
        await asyncio.sleep(8.0)
        yield cabinet
        assert supervisor.machine.journal.lock is None
        assert [(fault.code, fault.detail) for fault in supervisor.machine.conditions.faults] == []
        said = await supervisor.journal.do(
            lambda tx: tx.execute(
                "SELECT text FROM events WHERE code IN ('hopper_memory', 'hopper_runaway')"
            ).fetchall()
        )
        assert said == []
        assert audit(folder / "journal.sqlite", lambda *_: None).failures == []
    finally:
        await cabinet.kill()


def parts(cabinet: VirtualCabinet) -> tuple[Supervisor, DiagnosticDispense]:
    """The supervisor that runs, and its hopper's test."""
    assert cabinet.supervisor is not None
    dispense = device_tests(cabinet.supervisor).dispense
    assert dispense is not None
    return cabinet.supervisor, dispense


async def cut_off_test(cabinet: VirtualCabinet) -> None:
    """Pull the line within a test's dispense of 20 coins, and put in a note of 20.00."""
    supervisor, test = parts(cabinet)
    giving = asyncio.create_task(test.dispense(20))
    await asyncio.sleep(1.2)
    cabinet.lines["hopper"].unplug()
    await asyncio.gather(giving, return_exceptions=True)
    assert await supervisor.journal.do(hopper_diagnostic.running) is not None
    await asyncio.sleep(6.0)
    await cabinet.insert_note(2000)
    await asyncio.sleep(1.0)


async def held_payout(cabinet: VirtualCabinet) -> None:
    """Pull the line within a payout of 20.00, give the hopper up by key, and put in another note of 20.00."""
    await cabinet.insert_note(2000)
    await asyncio.sleep(1.0)
    await cabinet.collect_and_give_up_hopper()
    supervisor, _test = parts(cabinet)
    assert supervisor.machine.conditions.held_cents == 1400
    await cabinet.insert_note(2000)
    await asyncio.sleep(1.0)


async def hopper_back(cabinet: VirtualCabinet) -> None:
    """Put the line back, and wait until the hopper is ready."""
    supervisor, _test = parts(cabinet)
    cabinet.lines["hopper"].plug()
    hopper = supervisor.hardware.hopper
    assert hopper is not None
    await cabinet.until_fast(lambda: hopper.ready, 20.0)


async def paid_out(cabinet: VirtualCabinet) -> None:
    """Wait until the cash-out has paid the whole credit, and until what is pending was settled."""
    supervisor, _test = parts(cabinet)
    await cabinet.until(lambda: cabinet.credit == 0 and cabinet.state == "idle", 60.0)
    await asyncio.sleep(3.0)
    assert await supervisor.journal.do(hopper_diagnostic.running) is None


async def tray_holds_note_and_test(cabinet: VirtualCabinet) -> None:
    """What lies in the tray is the note of 20.00, and the coins that the test is owed."""
    supervisor, _test = parts(cabinet)
    out = await supervisor.journal.do(hopper_diagnostic.coins_out)
    assert out.missing > 0
    assert cabinet.tray_cents == 2000 + 100 * out.missing
    assert await supervisor.journal.do(open_items) == []


async def held_is_settled(cabinet: VirtualCabinet) -> None:
    """Both notes are accounted for: in the tray, and in the item of what never left the hopper."""
    supervisor, _test = parts(cabinet)
    items = await supervisor.journal.do(open_items)
    assert [item.kind for item in items] in ([], ["payout_rest"])
    assert cabinet.tray_cents + sum(item.amount_cents or 0 for item in items) == 4000
    assert (supervisor.machine.conditions.held_cents != 0) == bool(items)


@pytest.mark.parametrize("late_s", [0.0, 0.02, 0.2])
async def test_a_tests_settling_that_waits_for_a_payout_finds_nothing(tmp_path: Path, late_s: float) -> None:
    """The payout's dispense has ended the test's: nothing is refused, and the cabinet does not lock up."""
    async with cabinet_in(tmp_path) as cabinet:
        await cut_off_test(cabinet)
        await hopper_back(cabinet)
        supervisor, test = parts(cabinet)
        supervisor.machine.states.press("collect")
        await cabinet.until_fast(lambda: cabinet.state == "collecting")
        await asyncio.sleep(late_s)
        settling = asyncio.create_task(test.settle())
        await paid_out(cabinet)
        await settling
        await tray_holds_note_and_test(cabinet)


@pytest.mark.parametrize("late_s", [0.0, 0.02, 0.05, 0.2])
async def test_a_held_payouts_settling_that_waits_for_a_payout_finds_nothing(tmp_path: Path, late_s: float) -> None:
    """No memory fault and no runaway where nothing happened."""
    async with cabinet_in(tmp_path) as cabinet:
        await held_payout(cabinet)
        await hopper_back(cabinet)
        supervisor, _test = parts(cabinet)
        hopper = supervisor.hardware.hopper
        assert hopper is not None
        supervisor.machine.states.press("collect")
        await cabinet.until_fast(lambda: cabinet.state == "collecting")
        await asyncio.sleep(late_s)
        settling = asyncio.create_task(build_settling(supervisor.machine, supervisor.listener, hopper).settle())
        await paid_out(cabinet)
        await settling
        await held_is_settled(cabinet)


Scene = Callable[[VirtualCabinet], Awaitable[None]]


@pytest.mark.parametrize("first", [0, *(pytest.param(first, marks=pytest.mark.proof) for first in (1, 2, 3))])
@pytest.mark.parametrize(
    ("before", "after"), [(cut_off_test, tray_holds_note_and_test), (held_payout, held_is_settled)]
)
async def test_collect_at_any_moment_after_the_hopper_is_back(
    tmp_path: Path, before: Scene, after: Scene, first: int
) -> None:
    """At steps of 80 ms, and of 20 ms in the proofs, through every phase of the settling's look."""

    async def play(folder: Path, step: int) -> None:
        async with cabinet_in(folder) as cabinet:
            await before(cabinet)
            await hopper_back(cabinet)
            await asyncio.sleep(step * STEP_S)
            parts(cabinet)[0].machine.states.press("collect")
            await paid_out(cabinet)
            await after(cabinet)

    for step in range(first, STEPS, 4):
        folder = tmp_path / str(step)
        folder.mkdir()
        await play(folder, step)
