"""T.7: the one test that moves a hard meter, and how the books explain it, whatever happens meanwhile."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.books.audit import audit
from controller.features.diagnostics.meter_pulse import DOUBTFUL, GIVEN, NONE_GIVEN, QUESTION
from controller.journal.diagnostics import meter_diagnostic
from tests.rigs.technician import Technician, technician_at
from tests.rigs.virtual_cabinet import VirtualCabinet

pytestmark = pytest.mark.requirement("M11")

DROP, SENSE = 15, 3


def sensed(folder: Path) -> VirtualCabinet:
    """A cabinet whose drop meter has a sense contact, in place of the cash-box door's switch."""
    cabinet = VirtualCabinet(folder)
    pins = cabinet.config.pins
    drop = replace(pins.meters["drop"], sense=SENSE)
    doors = {name: door for name, door in pins.doors.items() if name != "cash_box"}
    cabinet.config = replace(cabinet.config, pins=replace(pins, doors=doors, meters={**pins.meters, "drop": drop}))
    return cabinet


async def ask(technician: Technician) -> None:
    """Open T.7 and say YES to a pulse of the drop meter."""
    await technician.enter("Drop")
    assert (technician.page.question, technician.page.yes) == (QUESTION, False)
    await technician.key("up")
    await technician.key("enter")


async def books(technician: Technician) -> tuple[int, int, int, int]:
    """The drop meter: owed, given for the books, given in tests, and doubtful among these."""
    machine = technician.machine
    ((owed, given),) = await machine.journal.do(
        lambda tx: tx.execute("SELECT owed, given FROM hard_meters WHERE name = 'drop'").fetchall()
    )
    tests, doubtful = await machine.journal.do(
        lambda tx: (meter_diagnostic.pulses(tx), meter_diagnostic.doubtful_pulses(tx))
    )
    return owed, given, tests.get("drop", 0), doubtful.get("drop", 0)


async def highs(technician: Technician, seconds: float) -> int:
    """How often the drop meter's coil is energised within that time."""
    was, count = technician.driven(DROP), 0
    for _ in range(round(seconds * 200)):
        await technician.pause(0.005)
        now = technician.driven(DROP)
        count += now and not was
        was = now
    return count


async def test_one_pulse_is_given_and_explained(tmp_path: Path) -> None:
    """After YES one pulse is sent; the pulses owed are unchanged, and M.4 and M.5 show it."""
    async with technician_at(tmp_path) as technician:
        await technician.pause(30.0)
        await technician.open()
        await technician.go("T.7")
        before = await books(technician)
        assert before == (0, 200, 0, 0)
        await technician.enter("Drop")
        await technician.key("enter")
        assert technician.page.message == "Nothing was changed"
        assert await highs(technician, 2.0) == 0
        await technician.enter("Drop")
        await technician.key("up")
        technician.machine.states.press("spin")
        assert await highs(technician, 2.0) == 1
        assert technician.page.message == GIVEN
        assert technician.row("Drop").count == 1
        assert await books(technician) == (0, 200, 1, 0)
        for code in ("M.4", "M.5"):
            await technician.go_by_touch(code)
            assert technician.row("Given in tests").count == 1
        await technician.close()
        assert await technician.events("test_pulse") == ["hard meter for the drop: one pulse was given in a test"]
    assert audit(tmp_path / "journal.sqlite", lambda *_: None).failures == []


async def test_no_meter_and_no_driver_give_no_pulse(tmp_path: Path) -> None:
    """A meter that is not fitted has no row to enter; an unplugged one is shown, gets no current, counts nothing."""
    cabinet = sensed(tmp_path)
    pins = cabinet.config.pins
    meters = {name: meter for name, meter in pins.meters.items() if name != "games"}
    cabinet.config = replace(cabinet.config, pins=replace(pins, meters=meters))
    cabinet.closed.add(SENSE)
    async with technician_at(tmp_path, cabinet) as technician:
        await technician.pause(30.0)
        await technician.open()
        await technician.go("T.7")
        assert (technician.row("Games").value, technician.row("Games").leads) == ("not fitted", False)
        cabinet.closed.discard(SENSE)
        cabinet.factory.pin(SENSE).drive_high()
        await technician.pause(0.5)
        assert technician.row("Drop").value == "cannot be pulsed"
        assert technician.row("hard meter for the drop").tone == "bad"
        await ask(technician)
        assert await highs(technician, 1.0) == 0
        assert technician.page.message == NONE_GIVEN
        assert await books(technician) == (0, 200, 0, 0)


async def in_a_pulse(technician: Technician) -> None:
    """Ask for a pulse of the drop meter, and return while it is given."""
    await technician.open()
    await technician.go("T.7")
    await technician.enter("Drop")
    await technician.key("up")
    technician.machine.states.press("spin")
    await technician.cabinet.until_fast(lambda: technician.driven(DROP))


async def test_a_meter_that_is_unplugged_within_its_pulse_is_doubtful(tmp_path: Path) -> None:
    """Whether it stepped is unknown: it is counted as doubtful."""
    cabinet = sensed(tmp_path)
    cabinet.closed.add(SENSE)
    async with technician_at(tmp_path, cabinet) as technician:
        await technician.pause(30.0)
        await in_a_pulse(technician)
        cabinet.closed.discard(SENSE)
        cabinet.factory.pin(SENSE).drive_high()
        await technician.pause(1.0)
        assert technician.page.message == DOUBTFUL
        assert await books(technician) == (0, 200, 1, 1)


async def test_leaving_within_the_pulse_finishes_it(tmp_path: Path) -> None:
    """A pulse that has begun is given whole and counted, though the key is turned back meanwhile."""
    async with technician_at(tmp_path) as technician:
        await technician.pause(30.0)
        await in_a_pulse(technician)
        technician.turn(on=False)
        await technician.cabinet.until(lambda: technician.closed)
        assert not technician.driven(DROP)
        assert await books(technician) == (0, 200, 1, 0)


async def test_a_pulse_that_only_its_beginning_was_recorded_of_is_counted_at_the_start(tmp_path: Path) -> None:
    """The power went before anything else could be written: the start counts it as doubtful and records it once."""
    async with technician_at(tmp_path) as technician:
        await technician.pause(30.0)
        await technician.machine.journal.do(lambda tx: meter_diagnostic.begin(tx, "drop"))
        for _ in range(2):
            await technician.cabinet.kill()
            await technician.cabinet.start()
            await technician.pause(5.0)
            assert await books(technician) == (0, 200, 1, 1)
            logged = ["hard meter for the drop: the power was cut during a test's pulse"]
            assert await technician.events("test_pulse_cut") == logged
    assert audit(tmp_path / "journal.sqlite", lambda *_: None).failures == []


async def test_a_stop_within_the_pulse_is_counted_once(tmp_path: Path) -> None:
    """The coil falls with the supervisor: it counts as given in a test, and as doubtful; the books are as before."""
    async with technician_at(tmp_path) as technician:
        await technician.pause(30.0)
        await in_a_pulse(technician)
        await technician.cabinet.kill()
        assert not technician.driven(DROP)
        for _ in range(2):
            await technician.cabinet.start()
            await technician.pause(5.0)
            assert await books(technician) == (0, 200, 1, 1)
            assert not technician.service.testing
            await technician.cabinet.kill()
        await technician.cabinet.start()
