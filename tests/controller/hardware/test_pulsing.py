"""Pulses from the journal to the coils: owed until they were given, whatever holds the meters up (invariant 7)."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from controller.hardware.pulsing import RIDE_S
from controller.journal.hard_meters import MOST_IN_BATCH
from controller.machine.machine import Machine
from controller.supervisor import build_pulsing
from controller.system.watchdog import METERS, PATIENCE_S
from drivers.clock import LoopClock
from drivers.pins.hard_meter import HardMeter
from drivers.wiring import Meter
from tests.rigs.machine import Rig
from tests.rigs.mock_header import MockHeader, running

pytestmark = pytest.mark.requirement("M11")

COIL, SENSE, OTHER = 22, 5, 23
UNIT_CENTS = 10


class Meters:
    """The drop meter with its plug, and the games meter without one, pulsed from a machine's journal."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.header = MockHeader()
        self.header.ground(SENSE)
        settings = {"drop": Meter(pin=COIL, sense=SENSE), "games": Meter(pin=OTHER)}
        self.meters = {
            name: HardMeter(name, wired, self.header, LoopClock(), debounce_ms=8, faults=rig.listener)
            for name, wired in settings.items()
        }
        self.pulsing = build_pulsing(self.machine, self.meters, UNIT_CENTS)

    @property
    def machine(self) -> Machine:
        """The machine whose journal owes."""
        return self.rig.machine

    async def books(self, name: str = "drop") -> tuple[int, ...]:
        """Owed, given, in flight and doubtful, as the journal has them."""
        rows = await self.rig.rows("SELECT name, owed, given, in_flight, doubtful FROM hard_meters")
        return next((tuple(figures) for meter, *figures in rows if meter == name), (0, 0, 0, 0))


async def pulses(header: MockHeader, pin: int, seconds: float) -> Sequence[int]:
    """How long each pulse on that pin was, in ms, within that time."""
    lengths: list[int] = []
    length = 0
    for _ in range(round(seconds * 1000)):
        await asyncio.sleep(0.001)
        if header.is_high(pin):
            length += 1
        elif length:
            lengths.append(length)
            length = 0
    return lengths


async def test_what_is_posted_is_pulsed(tmp_path: Path) -> None:
    """A note of 5.00 is fifty pulses of the configured width on the drop meter."""
    async with Rig(tmp_path) as rig:
        meters = Meters(rig)
        async with running(meters.meters["drop"].run()), running(meters.pulsing.run()):
            await rig.note(500)
            lengths = await pulses(meters.header, COIL, 7.0)
            assert len(lengths) == 50
            assert all(abs(length - 50) <= 1 for length in lengths)
            await asyncio.sleep(RIDE_S)
            assert await meters.books() == (0, 50, 0, 0)


async def test_a_stop_in_order_leaves_no_pulse_in_doubt(tmp_path: Path) -> None:
    """Whenever it is stopped: the pulse in flight ends, the books know it, the rest stays owed and is given later."""

    async def play(after_ms: int) -> None:
        async with Rig(tmp_path / str(after_ms)) as rig:
            meters = Meters(rig)
            async with running(meters.meters["drop"].run()):
                counting = asyncio.create_task(pulses(meters.header, COIL, 10.0))
                async with running(meters.pulsing.run()):
                    await rig.note(500)
                    await asyncio.sleep(after_ms / 1000)
                    await meters.pulsing.rest()
                    owed, given, in_flight, doubtful = await meters.books()
                assert given
                assert (owed + given * UNIT_CENTS, in_flight, doubtful) == (500, 0, 0)
                assert len(await counting) == given
                again = build_pulsing(rig.machine, meters.meters, UNIT_CENTS)
                async with running(again.run()):
                    assert given + len(await pulses(meters.header, COIL, 9.0)) == 50
                assert (await meters.books())[3] == 0

    for after_ms in (500, 520, 540, 560, 580, 600, 620):
        (tmp_path / str(after_ms)).mkdir()
        await play(after_ms)


async def test_rest_is_at_once_where_nothing_is_pulsed(tmp_path: Path) -> None:
    """Before the task has begun and after it has ended, as with books that have locked the cabinet."""
    async with Rig(tmp_path) as rig:
        meters = Meters(rig)
        now = asyncio.get_running_loop().time
        began = now()
        await meters.pulsing.rest()
        assert now() == began
        ended = build_pulsing(rig.machine, meters.meters, UNIT_CENTS)
        async with running(ended.run()):
            await asyncio.sleep(1.0)
        began = now()
        await ended.rest()
        assert now() == began


async def test_many_pulses_are_no_hang(tmp_path: Path) -> None:
    """Notes of 100.00 are pulsed for longer than a hung task is waited for; the watchdog is fed all the time."""
    async with Rig(tmp_path) as rig:
        meters = Meters(rig)
        async with running(meters.meters["drop"].run()), running(meters.pulsing.run()):
            for _ in range(2):
                await rig.note(5000)
            for _ in range(90):
                await asyncio.sleep(1.0)
                assert METERS not in rig.machine.task_monitor.late()
            owed, given, *_ = await meters.books()
            assert owed
            assert given * 0.1 > PATIENCE_S[METERS]


@pytest.mark.requirement("M11")
async def test_the_open_service_menu_holds_every_meter(tmp_path: Path) -> None:
    """While it is open no meter moves, however often it comes between; what is owed is given afterwards."""
    async with Rig(tmp_path) as rig:
        meters = Meters(rig)
        rig.machine.keys.take("attendant", turned=False)
        async with running(meters.meters["drop"].run()), running(meters.pulsing.run()):
            await rig.note(500)
            for _ in range(2):
                rig.machine.keys.take("attendant", turned=True)
                await rig.until("service_menu")
                await asyncio.sleep(1.0)
                assert rig.machine.conditions.meters_held
                assert await pulses(meters.header, COIL, 30.0) == []
                owed, given, in_flight, doubtful = await meters.books()
                assert (owed + UNIT_CENTS * given, owed > 0, in_flight, doubtful) == (500, True, 0, 0)
                rig.machine.keys.take("attendant", turned=False)
                assert len(await pulses(meters.header, COIL, 1.02)) > 0
            await asyncio.sleep(10.0)
            assert await meters.books() == (0, 50, 0, 0)


async def test_an_unplugged_meter_waits_for_its_pulses(tmp_path: Path) -> None:
    """They stay owed while the plug is out and the fault is present; neither is left when it is back. Others go on."""
    async with Rig(tmp_path) as rig:
        meters = Meters(rig)
        drop, games = (meters.meters[name] for name in ("drop", "games"))
        await rig.note(500)
        meters.header.let_go(SENSE)
        async with running(drop.run()), running(games.run()), running(meters.pulsing.run()):
            await asyncio.sleep(0.1)
            assert (rig.notices(), rig.shown) == ({"meter_unplugged"}, "tilted")
            await rig.journal.do(lambda tx: tx.post("test", meters={"games": 3}))
            assert await pulses(meters.header, COIL, 20.0) == []
            assert await meters.books() == (500, 0, 0, 0)
            assert await meters.books("games") == (0, 3, 0, 0)
            meters.header.ground(SENSE)
            await asyncio.sleep(0.1)
            assert (rig.notices(), rig.shown) == (set(), "idle")
            await rig.note(500)
            await asyncio.sleep(20.0)
            owed, given, _in_flight, doubtful = await meters.books()
            assert (owed, doubtful) == (0, 0)
            assert given * UNIT_CENTS == await rig.meter("notes_in")


async def test_a_plug_pulled_within_a_pulse_costs_that_pulse_only_its_certainty(tmp_path: Path) -> None:
    """It counts as given and doubtful, with the reason in the books; a pulse of another meter beside it does not."""
    async with Rig(tmp_path) as rig:
        meters = Meters(rig)
        drop, games = (meters.meters[name] for name in ("drop", "games"))
        await rig.note(500)
        await rig.journal.do(lambda tx: tx.post("test", meters={"games": 1}))
        async with running(drop.run()), running(games.run()), running(meters.pulsing.run()):
            await asyncio.sleep(0.020)
            assert drop.energised
            meters.header.let_go(SENSE)
            await asyncio.sleep(2.0 + RIDE_S)
            assert await meters.books() == (490, 1, 0, 1)
            assert await meters.books("games") == (0, 1, 0, 0)
            (cut,) = await rig.events("pulse_cut")
            assert "hard meter drop was unplugged within a pulse" in cut


async def test_a_meter_that_stopped_before_its_pulse_still_gets_it(tmp_path: Path) -> None:
    """No current flowed, so nothing was given: the pulse is owed until the driver runs again."""
    async with Rig(tmp_path) as rig:
        meters = Meters(rig)
        drop = meters.meters["drop"]
        await rig.note(500)
        held = asyncio.ensure_future(drop._one_at_a_time.acquire())
        await held
        async with running(meters.pulsing.run()):
            async with running(drop.run()):
                await asyncio.sleep(0.5)
                assert (await meters.books())[2] == MOST_IN_BATCH
            drop._one_at_a_time.release()
            await asyncio.sleep(1.0 + RIDE_S)
            assert await meters.books() == (500, 0, 0, 0)
            async with running(drop.run()):
                await asyncio.sleep(10.0 + RIDE_S)
                assert await meters.books() == (0, 50, 0, 0)
