"""T.4 to T.6: the lamps and the tower light do what the page says, also where a pin is dead."""

from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from drivers.wiring import Tier
from tests.rigs.technician import Technician, technician_at
from tests.rigs.virtual_cabinet import VirtualCabinet


async def flashes(technician: Technician, pin: int, seconds: float) -> int:
    """How often a pin goes high within that time."""
    was, count = technician.driven(pin), 0
    for _ in range(round(seconds * 100)):
        await technician.pause(0.01)
        now = technician.driven(pin)
        count += now and not was
        was = now
    return count


async def test_one_lamp_at_a_time(tmp_path: Path) -> None:
    """T.4: ENTER lights a lamp, lets it blink, puts it out; the one before goes dark, and each is an event."""
    async with technician_at(tmp_path) as technician:
        await technician.open()
        await technician.go("T.4")
        assert technician.lit() == set()
        row = technician.row("O1")
        assert (row.place, row.value, row.detail) == ("service", "off", "GPIO 16")
        await technician.enter("service")
        await technician.enter("auto")
        assert technician.lit() == {"auto"}
        await technician.enter("auto")
        assert technician.row("O7").value == "blinking"
        lamp = technician.cabinet.config.pins.buttons["auto"].lamp
        await technician.cabinet.until_fast(lambda: technician.driven(int(lamp)))
        await technician.pause(0.1)  # away from an edge
        assert await flashes(technician, int(lamp), 4.0) == 8
        await technician.enter("auto")
        assert (technician.row("O7").value, technician.lit()) == ("off", set())
        assert (await technician.events())[1:] == [
            "T.4: lamp service: on",
            "T.4: lamp auto: on",
            "T.4: lamp auto: blinking",
            "T.4: lamp auto: off",
        ]


async def test_all_lamps_together_and_in_turn(tmp_path: Path) -> None:
    """T.5: on, off, and one after another, each in its turn."""
    async with technician_at(tmp_path) as technician:
        await technician.open()
        await technician.go("T.5")
        every = set(technician.cabinet.config.pins.buttons)
        await technician.enter("All on")
        assert technician.lit() == every
        await technician.pause(0.3)
        assert technician.row("O1").value == "lit"
        await technician.enter("One after another")
        turns: Counter[str] = Counter()
        for _ in range(80):
            await technician.pause(0.1)
            assert len(technician.lit()) <= 1
            turns.update(technician.lit())
        assert set(turns) == every
        await technician.enter("All off")
        await technician.pause(1.0)
        assert technician.lit() == set()


@pytest.mark.requirement("D11")
async def test_each_tier_in_each_of_its_patterns(tmp_path: Path) -> None:
    """T.6: every tier alone and all together, with colour and wire, at the rates of the driver."""
    cabinet = VirtualCabinet(tmp_path)
    pins = cabinet.config.pins
    tower = {**pins.tower, "top": Tier(pin=24, wire="grey", colour="white")}
    cabinet.config = replace(cabinet.config, pins=replace(pins, tower=tower))
    async with technician_at(tmp_path, cabinet) as technician:
        await technician.open()
        await technician.go("T.6")
        assert technician.row("O9").detail == "white  ·  GPIO 24  ·  grey"
        counted = []
        for value in ("on", "slow", "medium", "fast", "off"):
            await technician.enter("O9")
            assert technician.row("O9").value == value
            await technician.pause(1.0)
            counted.append(await flashes(technician, 24, 12.0))
            assert not technician.driven(25)
        assert counted == [0, 12, 20, 30, 0]
        await technician.enter("All tiers")
        assert (technician.driven(24), technician.driven(25)) == (True, True)
        await technician.touch("service:back")
        await technician.pause(1.0)
        assert await flashes(technician, 24, 12.0) == 30


async def test_a_dead_lamp_is_reported(tmp_path: Path) -> None:
    """T.4 to T.6: a pin that can be driven no more is a fault on the page, and the test goes on."""
    async with technician_at(tmp_path) as technician:
        cabinet = technician.cabinet
        await technician.open()
        for code, pin, row, place in (
            ("T.4", 22, "O7", "wiring of the button lamps"),
            ("T.6", 25, "O12", "tower light"),
        ):
            await technician.go_by_touch(code)
            assert technician.row(place).value == "ready"
            cabinet.broken.add(pin)
            await technician.enter(row)
            await technician.pause(1.0)
            failing = technician.row(place)
            assert (failing.label, failing.tone) == ("The {place} is unplugged", "bad")
            assert technician.page.code == code
            cabinet.broken.clear()
            await cabinet.until(lambda place=place: technician.row(place).value == "ready")  # type: ignore[misc]


async def test_a_cabinet_without_a_tower_light_says_so(tmp_path: Path) -> None:
    """T.6: no device, no row to enter."""
    cabinet = VirtualCabinet(tmp_path)
    cabinet.config = replace(cabinet.config, pins=replace(cabinet.config.pins, tower={}))
    async with technician_at(tmp_path, cabinet) as technician:
        await technician.open()
        await technician.go("T.6")
        assert technician.said() == ["tower light: not fitted"]
