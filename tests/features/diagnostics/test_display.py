"""T.12 and T.13: what the display is asked to play and draw, what it says back, and the touch calibration."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from controller.features.diagnostics.screen import KEPT, NO_FIT, NOBODY_DRAWS, NOT_TOUCHED, PATIENCE_S
from controller.features.diagnostics.sound import NOBODY_PLAYS
from controller.machine.touch_calibration import TARGETS
from tests.rigs.display_eye import Eye, looked_at
from tests.rigs.technician import Technician, technician_at
from ui.protocol.messages import (
    Frames,
    ServiceSound,
    Touch,
)


async def touch_crosses(technician: Technician, eye: Eye, *, beside: int = 0, count: int = len(TARGETS)) -> None:
    """Touch each cross where a panel that sees everything 60 units to the right sees it."""
    for number, (x, y) in enumerate(TARGETS[:count]):
        assert technician.page.marks == ((x, y),)
        assert technician.page.rows[0].value == f"{number + 1} / {len(TARGETS)}"
        eye.say(Touch(x + 60 + beside * (number % 2), y, down=True))
        eye.say(Touch(x + 60, y, down=False))
        await technician.pause(0.3)


async def test_the_loudspeakers_are_played_one_by_one(tmp_path: Path) -> None:
    """T.12: each channel, at the volume that is chosen; the display says whether it has a sound device."""
    async with technician_at(tmp_path) as technician, looked_at(technician) as eye:
        await technician.open()
        await technician.go("T.12")
        assert technician.row("Sound device").value == "not known"
        for heard, words in ((True, "works"), (False, "no sound device")):
            eye.say(Frames(0, 0.0, 0.0, heard))
            await technician.pause(0.3)
            assert technician.row("Sound device").value == words
        await technician.enter("Left loudspeaker")
        await technician.enter("Volume")
        await technician.enter("Right loudspeaker")
        await technician.pause(0.3)
        page = eye.view.pages.service
        assert page is not None
        assert page.sound == ServiceSound(number=2, channel="right", volume=100)
        assert (await technician.events())[1:] == [
            "T.12: sound, left, at 75 %",
            "T.12: sound, right, at 100 %",
        ]


async def test_without_a_display_nothing_is_played_or_drawn(tmp_path: Path) -> None:
    """T.12, T.13: the page says that there is no display, and no row pretends."""
    async with technician_at(tmp_path) as technician:
        await technician.open()
        for code, row, words in (
            ("T.12", "Both loudspeakers", NOBODY_PLAYS),
            ("T.13", "Grid", NOBODY_DRAWS),
            ("T.13", "Calibrate touch", NOBODY_DRAWS),
        ):
            await technician.go_by_touch(code)
            assert technician.row("Display").value == "not connected"
            await technician.enter(row)
            assert (technician.page.message, technician.page.picture) == (words, "")


async def test_a_display_that_goes_is_seen_to_go(tmp_path: Path) -> None:
    """T.13: its figures vanish with it, and a picture is left by any key."""
    async with technician_at(tmp_path) as technician:
        async with looked_at(technician) as eye:
            await technician.open()
            await technician.go("T.13")
            eye.say(Frames(58, 0.25, 1.5, None))
            await technician.pause(0.3)
            assert technician.row("Frames in the last second").count == 58
            assert technician.row("Usual work for a frame (ms)").value == "0.25"
            assert technician.row("Most work for a frame (ms)").value == "1.50"
            await technician.enter("Frame rate")
            assert technician.page.picture == "frames"
        assert technician.page.picture == "frames"
        await technician.key("back")
        assert technician.page.code == "T.13"
        assert "Frames in the last second" not in [row.label for row in technician.page.rows]


async def test_each_picture_comes_and_goes(tmp_path: Path) -> None:
    """T.13: ENTER draws it, up and down change nothing, ENTER and BACK and a touch lead back to the page."""
    async with technician_at(tmp_path) as technician, looked_at(technician) as eye:
        await technician.open()
        await technician.go("T.13")
        for row, picture in (("Colour bars", "bars"), ("Grid", "grid"), ("Touch", "touch")):
            for way in ("enter", "back"):
                await technician.enter(row)
                await technician.key("up")
                await technician.pause(0.1)
                page = eye.view.pages.service
                assert page is not None
                assert (page.picture, page.testing) == (picture, True)
                await technician.key(way)
                assert (technician.page.code, technician.page.picture) == ("T.13", "")
        await technician.enter("Grid")
        await technician.touch("service:back")
        assert (technician.page.code, technician.page.picture) == ("T.13", "")


async def test_touches_are_shown_where_they_are(tmp_path: Path) -> None:
    """T.13: each finger that is put down leaves its mark; the display draws them."""
    async with technician_at(tmp_path) as technician, looked_at(technician) as eye:
        await technician.open()
        await technician.go("T.13")
        await technician.enter("Touch")
        for x, y in ((10, 20), (1200, 700)):
            eye.say(Touch(x, y, down=True))
            eye.say(Touch(x, y, down=False))
        await technician.pause(0.3)
        assert technician.page.marks == ((10, 20), (1200, 700))
        assert (technician.row("Touches").count, technician.row("The last one").value) == (2, "1200, 700")


@pytest.mark.requirement("G10")
async def test_a_calibration_outlives_door_and_restart(tmp_path: Path) -> None:
    """T.13: five touches make it, an event has old and new, and it is there after a restart."""
    async with technician_at(tmp_path) as technician:
        async with looked_at(technician) as eye:
            await technician.open()
            await technician.go("T.13")
            assert technician.row("Touch is taken").value == "as it comes"
            await technician.enter("Calibrate touch")
            await touch_crosses(technician, eye)
            assert technician.page.message == KEPT
            assert technician.row("Touch is taken").value == "by its own calibration"
            found = technician.machine.settings.calibration
            assert [round(value, 3) for value in found] == [1, 0, -60, 0, 1, 0]
            ((key, old, new, who),) = await technician.machine.journal.do(
                lambda tx: tx.execute("SELECT key, old, new, who FROM setting_changes").fetchall()
            )
            assert (key, old, msgspec.json.decode(new, type=tuple[float, ...]), who) == (
                "touch.calibration",
                "[]",
                found,
                "technician",
            )
            await technician.close()
            assert eye.view.output.touch == found
        await technician.cabinet.kill()
        await technician.cabinet.start()
        await technician.pause(2.0)
        async with looked_at(technician) as eye:
            await technician.pause(0.3)
            assert eye.view.output.touch == found
            await technician.open()
            await technician.go("T.13")
            await technician.enter("Forget the calibration")
            await technician.pause(0.3)
            assert (technician.machine.settings.calibration, eye.view.output.touch) == ((), ())


async def test_touches_beside_the_crosses_change_nothing(tmp_path: Path) -> None:
    """T.13: a calibration that does not fit is refused, whoever does not touch gets the page back, BACK leaves."""
    async with technician_at(tmp_path) as technician, looked_at(technician) as eye:
        await technician.open()
        await technician.go("T.13")
        await technician.enter("Calibrate touch")
        await touch_crosses(technician, eye, beside=300)
        assert technician.page.message == NO_FIT
        await technician.enter("Calibrate touch")
        await touch_crosses(technician, eye, count=2)
        await technician.pause(PATIENCE_S + 1)
        assert (technician.page.message, technician.page.picture) == (NOT_TOUCHED, "")
        await technician.enter("Calibrate touch")
        await touch_crosses(technician, eye, count=4)
        await technician.key("back")
        assert (technician.page.code, technician.page.message) == ("T.13", NOT_TOUCHED)
        assert technician.machine.settings.calibration == ()


async def test_a_power_cut_within_the_calibration_keeps_the_old_one(tmp_path: Path) -> None:
    """T.13: nothing is kept before the last cross was touched."""
    async with technician_at(tmp_path) as technician:
        async with looked_at(technician) as eye:
            await technician.open()
            await technician.go("T.13")
            await technician.enter("Calibrate touch")
            await touch_crosses(technician, eye)
            before = technician.machine.settings.calibration
            await technician.enter("Calibrate touch")
            await touch_crosses(technician, eye, count=4)
            await technician.cabinet.kill()
        await technician.cabinet.start()
        await technician.pause(2.0)
        assert technician.machine.settings.calibration == before
        assert not technician.service.testing
        await asyncio.sleep(0)
