"""The runner of the one test that is open: however the test fails, it ends in order, and nothing of it goes on."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from controller.features.diagnostics.context import TestContext
from controller.features.diagnostics.device_test import DeviceTest, device_test_page
from controller.features.diagnostics.runner import BUSY, FAILED, TestRunner
from controller.journal.actor import Actor, Role
from controller.journal.errors import CorruptJournalError, RefusedError
from controller.service.page import DeviceAction, Line, Submission
from drivers.errors import PortError
from tests.rigs.device_tests import device_tests
from tests.rigs.technician import Technician, technician_at

SUBMISSION = Submission(Actor(Role.TECHNICIAN), {})
PLACES = ("taking over", "background", "row", "giving back")


class Clumsy(DeviceTest):
    """A test of the lamps that fails in one place, with one error; `steps` are what it came to."""

    place = ""
    error: Exception = PortError("the pin burnt out")

    def __init__(self, context: TestContext) -> None:
        super().__init__(context)
        self.steps: list[str] = []

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        with self.context.hold("lamps"):
            self.context.hardware.lamps.set({"info": "on"})
            try:
                self._fail("taking over")
                yield
                self._fail("giving back")
            finally:
                self.steps.append("given back")

    async def run(self) -> None:
        self._fail("background")
        await asyncio.Event().wait()

    def lines(self) -> Sequence[Line]:
        return (Line("Try", leads=DeviceAction(self.act)),)

    async def act(self, _submission: Submission) -> str:
        try:
            await asyncio.sleep(1.0)
            self._fail("row")
        finally:
            self.steps.append("row left")
        return "done"

    def _fail(self, place: str) -> None:
        if place == self.place:
            raise self.error


def clumsy(place: str, error: Exception | None = None) -> type[Clumsy]:
    """A test that fails there."""
    return type("Failing", (Clumsy,), {"place": place, **({} if error is None else {"error": error})})


@asynccontextmanager
async def runner_beside_menu(folder: Path) -> AsyncIterator[tuple[Technician, TestRunner]]:
    """A runner beside a running cabinet's own menu, on the same drivers."""
    async with technician_at(folder) as technician:
        own = device_tests(technician.cabinet.supervisor).context
        yield technician, TestRunner(TestContext(own.machine, own.hardware, own._outputs, own.dispense))


@pytest.mark.parametrize("place", PLACES)
async def test_a_device_that_fails_ends_the_test(tmp_path: Path, place: str) -> None:
    """Wherever it does: the lamps are the machine's again, and the page says so."""
    async with runner_beside_menu(tmp_path) as (technician, runner):
        page = device_test_page("T.99", "Clumsy", clumsy(place))
        before = technician.lit() | {"spin"}
        opened = await runner.open(page)
        at_once = place in ("taking over", "background")
        assert opened is not at_once
        if place == "row":
            assert isinstance(runner.test, Clumsy)
            runner.start(DeviceAction(runner.test.act), SUBMISSION)
        await technician.pause(2.0)
        if place == "giving back":
            await runner.end()
        elif not at_once:
            assert not await runner.open(page)
        if place != "giving back":
            assert runner.message == FAILED
        assert runner.test is None
        await technician.pause(0.6)
        assert technician.lit() | {"spin"} == before
        assert (await technician.events())[-1] == "T.99 Clumsy: ended"


async def test_what_a_row_is_refused_is_reported_and_the_test_stays(tmp_path: Path) -> None:
    """With its figures; the devices stay taken over, and the next row works."""
    async with runner_beside_menu(tmp_path) as (technician, runner):
        refused = RefusedError("First pay out the credit of {credit_cents}", credit_cents=2000)
        page = device_test_page("T.99", "Clumsy", clumsy("row", refused))
        assert await runner.open(page)
        test = runner.test
        assert isinstance(test, Clumsy)
        runner.start(DeviceAction(test.act), SUBMISSION)
        await technician.pause(2.0)
        assert await runner.open(page)
        assert (runner.message, runner.refusal, runner.test) == (refused.template, refused, test)
        test.place = ""
        runner.start(DeviceAction(test.act), SUBMISSION)
        await technician.pause(2.0)
        assert (runner.message, test.steps) == ("done", ["row left", "row left"])
        await runner.end()


async def test_a_refusal_that_locked_the_cabinet_goes_on(tmp_path: Path) -> None:
    """A refused booking that had to succeed is no message: the journal's failure locks the cabinet."""
    async with runner_beside_menu(tmp_path) as (technician, runner):
        page = device_test_page("T.99", "Clumsy", clumsy("row", RefusedError("The credit cannot be below zero")))
        assert await runner.open(page)
        assert isinstance(runner.test, Clumsy)
        runner.start(DeviceAction(runner.test.act), SUBMISSION)
        technician.machine.journal.lock_up(RefusedError("The credit cannot be below zero"))
        await technician.pause(2.0)
        with pytest.raises(RefusedError):
            await runner.open(page)


async def test_a_refused_row_is_reported_on_the_page_with_its_figures(tmp_path: Path) -> None:
    """The page of the test stays open, and says why in the reader's language, amounts and all."""

    async def refused(_submission: Submission) -> str:
        raise RefusedError("First pay out the credit of {credit_cents}", credit_cents=2000)

    async with technician_at(tmp_path) as technician:
        await technician.open()
        await technician.go("T.4")
        technician.service._runner.start(DeviceAction(refused), SUBMISSION)
        await technician.pause(1.0)
        page = technician.page
        assert (page.code, page.message) == ("T.4", "First pay out the credit of {credit_cents}")
        assert (page.testing, page.figures) == (True, {"credit_cents": 2000})


async def test_a_failing_journal_goes_on_to_whoever_locks_the_cabinet(tmp_path: Path) -> None:
    """It is no device's trouble: everything is given back, and the error is not swallowed."""
    async with runner_beside_menu(tmp_path) as (technician, runner):
        page = device_test_page("T.99", "Clumsy", clumsy("row", CorruptJournalError("a page is torn")))
        assert await runner.open(page)
        test = runner.test
        assert isinstance(test, Clumsy)
        runner.start(DeviceAction(test.act), SUBMISSION)
        await technician.pause(2.0)
        with pytest.raises(CorruptJournalError):
            await runner.open(page)
        assert (runner.test, test.steps) == (None, ["row left", "given back"])


async def test_an_end_that_is_cancelled_still_ends_all(tmp_path: Path) -> None:
    """The supervisor ends while a test is being left: neither the row nor the test goes on without anybody."""
    async with runner_beside_menu(tmp_path) as (technician, runner):
        assert await runner.open(device_test_page("T.99", "Clumsy", Clumsy))
        test = runner.test
        assert isinstance(test, Clumsy)
        runner.start(DeviceAction(test.act), SUBMISSION)
        await technician.pause()
        ending = asyncio.ensure_future(runner.end())
        await asyncio.sleep(0)
        ending.cancel()
        await technician.pause()
        assert (ending.cancelled(), test.steps) == (True, ["row left", "given back"])


async def test_one_row_works_at_a_time_and_leaving_stops_it(tmp_path: Path) -> None:
    """A second one has to wait; leaving cancels the first before the devices are returned."""
    async with runner_beside_menu(tmp_path) as (technician, runner):
        assert await runner.open(device_test_page("T.99", "Clumsy", Clumsy))
        test = runner.test
        assert isinstance(test, Clumsy)
        runner.start(DeviceAction(test.act), SUBMISSION)
        runner.start(DeviceAction(test.act), SUBMISSION)
        assert (runner.message, runner.busy, runner.idle) == (BUSY, True, False)
        await technician.pause(2.0)
        assert (runner.message, runner.busy, runner.idle) == ("done", False, True)
        runner.start(DeviceAction(test.act), SUBMISSION)
        await technician.pause(0.5)
        await runner.end()
        assert test.steps == ["row left", "row left", "given back"]


async def test_a_lock_ends_the_test(tmp_path: Path) -> None:
    """Where the books cannot be trusted any more nothing is tested: the lamps go dark with the machine's own."""
    async with technician_at(tmp_path) as technician:
        await technician.open()
        await technician.go("T.4")
        await technician.enter("info")
        technician.machine.journal.lock_up(CorruptJournalError("a page is torn"))
        await technician.cabinet.until(lambda: not technician.service.testing)
        await technician.pause(1.0)
        assert technician.lit() == set()
