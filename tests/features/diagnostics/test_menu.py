"""The frame of the service tests: who may open one, what it takes over, and that every way out gives all of it back."""

from pathlib import Path

import pytest

from controller.configuration.cabinet_toml import Service
from controller.features.diagnostics.device_test import DeviceTestPage
from controller.service import tree
from controller.service.messages import WORDS
from tests.rigs.machine import Rig
from tests.rigs.service_menu import Hand
from tests.rigs.technician import books, technician_at

TESTS = [code for code, page in tree.pages().items() if isinstance(page, DeviceTestPage)]
WAYS_OUT = ("back", "touch", "key off", "door shut", "nobody", "power cut")


@pytest.mark.requirement("M12")
@pytest.mark.parametrize("code", TESTS)
async def test_a_test_opens_and_leaves_everything_as_it_was(tmp_path: Path, code: str) -> None:
    """The page is marked as a test, no money is taken, and after it outputs, state and books are the same."""
    async with technician_at(tmp_path) as technician:
        machine = technician.machine
        await technician.open()
        await technician.pause(2.0)
        before = (
            technician.outputs(),
            machine.states.state,
            await machine.journal.do(books),
            await technician.meters(),
        )
        await technician.go(code)
        await technician.pause(1.0)
        assert technician.page.testing
        assert technician.page.rows or technician.page.picture
        assert (machine.states.takes_coins, machine.states.takes_notes) == (False, False)
        await technician.touch("service:back")
        assert (technician.page.code, technician.page.testing) == ("T", False)
        await technician.pause(2.0)
        after = (technician.outputs(), machine.states.state, await machine.journal.do(books), await technician.meters())
        assert before == after
        title = tree.pages()[code].title
        begun, *_, ended = await technician.events()
        assert begun == f"{code} {title}: begun"
        assert ended.startswith(f"{code} {title}: ended")
        await technician.close()
        await technician.cabinet.until(lambda: machine.states.takes_notes)


@pytest.mark.parametrize("way", WAYS_OUT)
async def test_every_way_out_of_a_test_gives_the_lamps_back(tmp_path: Path, way: str) -> None:
    """However a lit lamp is left behind, the machine's own lamps are lit again, and nothing of the test goes on."""
    async with technician_at(tmp_path) as technician:
        cabinet = technician.cabinet
        await technician.open()
        await technician.go("T.4")
        await technician.enter("info")
        assert technician.lit() == {"info"}
        if way == "back":
            await technician.key("back")
        elif way == "touch":
            await technician.touch("service:back")
        elif way == "key off":
            technician.turn(on=False)
        elif way == "door shut":
            cabinet.door("main", is_open=False)
        elif way == "nobody":
            await technician.pause(Service().idle_s + 1)
        else:
            await cabinet.kill()
            assert technician.lit() == set()
            await cabinet.start()
        await cabinet.until(lambda: not technician.service.testing)
        await technician.pause(2.0)
        menu = {"spin", "lines", "bet", "collect", "auto", "info", "max_bet"}  # T is longer than the screen
        tilted = {"service"}
        wanted = {"key off": tilted, "nobody": tilted, "power cut": tilted}
        assert technician.lit() == wanted.get(way, menu)
        technician.turn(on=False)
        cabinet.door("main", is_open=False)
        await cabinet.until(lambda: technician.machine.conditions.overlay is None)
        assert technician.machine.states.takes_notes
        assert cabinet.credit == 2000


@pytest.mark.requirement("S7")
async def test_a_test_wants_the_main_door_open(tmp_path: Path) -> None:
    """With the door shut the page says what to do, and nothing is taken over."""
    async with technician_at(tmp_path) as technician:
        await technician.open(door=False)
        await technician.enter("T")
        await technician.enter("T.4")
        assert (technician.page.code, technician.page.message) == ("T", WORDS["door"])
        assert not technician.service.testing
        assert await technician.events() == []


async def test_the_attendant_tests_the_lights_alone(tmp_path: Path) -> None:
    """Every other test is the technician's; turning the attendant's key back ends an open one."""
    async with technician_at(tmp_path) as technician:
        technician.turn(on=True, key="attendant")
        await technician.cabinet.until(lambda: not technician.closed)
        technician.cabinet.door("main", is_open=True)
        await technician.enter("T")
        assert [row.code for row in technician.page.rows] == ["T.4", "T.5", "T.6"]
        await technician.enter("T.5")
        assert technician.service.testing
        technician.turn(on=False, key="attendant")
        await technician.cabinet.until(lambda: technician.closed)
        assert not technician.service.testing


async def test_without_drivers_there_is_nothing_to_test(tmp_path: Path) -> None:
    """A machine whose drivers are not there says so instead of opening a page that does nothing."""
    async with Rig(tmp_path) as rig:
        await rig.door(is_open=True)
        hand = Hand(rig)
        await hand.technician()
        await hand.enter("T")
        await hand.enter("T.4")
        assert (hand.page.code, hand.page.message) == ("T", "There is no hardware that could be tested")
