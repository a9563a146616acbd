"""The stand on which one test is open: however the test fails, it ends in order, and nothing of it goes on."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from controller.journal.actor import Actor, Role
from controller.journal.errors import CorruptJournalError, RefusedError
from controller.service.page import Deed, Drive, Line
from controller.service.testing.context import Bench
from controller.service.testing.device_test import Trial, trial_leaf
from controller.service.testing.runner import BUSY, FAILED, Stand
from drivers.errors import PortError
from tests.rigs.technician import Technician, technician_at

DEED = Deed(Actor(Role.TECHNICIAN), {})
PLACES = ("taking over", "background", "row", "giving back")


class Clumsy(Trial):
    """A test of the lamps that fails in one place, with one error; `steps` are what it came to."""

    place = ""
    error: Exception = PortError("the pin burnt out")

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self.steps: list[str] = []

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        with self.bench.hold("lamps"):
            self.bench.hardware.lamps.set({"info": "on"})
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
        return (Line("Try", leads=Drive(self.act)),)

    async def act(self, _deed: Deed) -> str:
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
async def standing(folder: Path) -> AsyncIterator[tuple[Technician, Stand]]:
    """A stand beside a running cabinet's own menu, on the same drivers."""
    async with technician_at(folder) as technician:
        stand = Stand(technician.machine)
        own = technician.machine.service._stand.bench
        assert own is not None
        stand.bench = Bench(technician.machine, technician.hardware, own._outputs)
        yield technician, stand


@pytest.mark.parametrize("place", PLACES)
async def test_a_device_that_fails_ends_the_test(tmp_path: Path, place: str) -> None:
    """Wherever it does: the lamps are the machine's again, and the reader is told."""
    async with standing(tmp_path) as (technician, stand):
        leaf = trial_leaf("T.99", "Clumsy", clumsy(place))
        before = technician.lit() | {"spin"}
        opened = await stand.open(leaf)
        at_once = place in ("taking over", "background")
        assert opened is not at_once
        if place == "row":
            assert isinstance(stand.trial, Clumsy)
            stand.drive(Drive(stand.trial.act), DEED)
        await technician.pause(2.0)
        if place == "giving back":
            await stand.end()
        elif not at_once:
            assert not await stand.open(leaf)
        if place != "giving back":
            assert stand.message == FAILED
        assert stand.trial is None
        await technician.pause(0.6)
        assert technician.lit() | {"spin"} == before
        assert (await technician.events())[-1] == "T.99 Clumsy: ended"


async def test_what_a_row_is_refused_is_told_and_the_test_stays(tmp_path: Path) -> None:
    """With its figures; the devices stay taken over, and the next row works."""
    async with standing(tmp_path) as (technician, stand):
        refused = RefusedError("First pay out the credit of {credit_cents}", credit_cents=2000)
        leaf = trial_leaf("T.99", "Clumsy", clumsy("row", refused))
        assert await stand.open(leaf)
        trial = stand.trial
        assert isinstance(trial, Clumsy)
        stand.drive(Drive(trial.act), DEED)
        await technician.pause(2.0)
        assert await stand.open(leaf)
        assert (stand.message, stand.refusal, stand.trial) == (refused.template, refused, trial)
        trial.place = ""
        stand.drive(Drive(trial.act), DEED)
        await technician.pause(2.0)
        assert (stand.message, trial.steps) == ("done", ["row left", "row left"])
        await stand.end()


async def test_a_refusal_that_locked_the_cabinet_goes_on(tmp_path: Path) -> None:
    """What was booked as beyond doubt and was refused is no answer to tell: the books' trouble goes to the lock."""
    async with standing(tmp_path) as (technician, stand):
        leaf = trial_leaf("T.99", "Clumsy", clumsy("row", RefusedError("The credit cannot be below zero")))
        assert await stand.open(leaf)
        assert isinstance(stand.trial, Clumsy)
        stand.drive(Drive(stand.trial.act), DEED)
        technician.machine.lock_up(RefusedError("The credit cannot be below zero"))
        await technician.pause(2.0)
        with pytest.raises(RefusedError):
            await stand.open(leaf)


async def test_a_refused_row_is_told_on_the_page_with_its_figures(tmp_path: Path) -> None:
    """The page of the test stays open, and says why in the reader's language, amounts and all."""

    async def refused(_deed: Deed) -> str:
        raise RefusedError("First pay out the credit of {credit_cents}", credit_cents=2000)

    async with technician_at(tmp_path) as technician:
        await technician.open()
        await technician.go("T.4")
        technician.machine.service._stand.drive(Drive(refused), DEED)
        await technician.pause(1.0)
        page = technician.page
        assert (page.code, page.message) == ("T.4", "First pay out the credit of {credit_cents}")
        assert (page.testing, page.figures) == (True, {"credit_cents": 2000})


async def test_a_failing_journal_goes_on_to_whoever_locks_the_cabinet(tmp_path: Path) -> None:
    """It is no device's trouble: everything is given back, and the error is not swallowed."""
    async with standing(tmp_path) as (technician, stand):
        leaf = trial_leaf("T.99", "Clumsy", clumsy("row", CorruptJournalError("a page is torn")))
        assert await stand.open(leaf)
        trial = stand.trial
        assert isinstance(trial, Clumsy)
        stand.drive(Drive(trial.act), DEED)
        await technician.pause(2.0)
        with pytest.raises(CorruptJournalError):
            await stand.open(leaf)
        assert (stand.trial, trial.steps) == (None, ["row left", "given back"])


async def test_an_end_that_is_cancelled_still_ends_all(tmp_path: Path) -> None:
    """The supervisor ends while a test is being left: neither the row nor the test goes on without anybody."""
    async with standing(tmp_path) as (technician, stand):
        assert await stand.open(trial_leaf("T.99", "Clumsy", Clumsy))
        trial = stand.trial
        assert isinstance(trial, Clumsy)
        stand.drive(Drive(trial.act), DEED)
        await technician.pause()
        ending = asyncio.ensure_future(stand.end())
        await asyncio.sleep(0)
        ending.cancel()
        await technician.pause()
        assert (ending.cancelled(), trial.steps) == (True, ["row left", "given back"])


async def test_one_row_works_at_a_time_and_leaving_stops_it(tmp_path: Path) -> None:
    """A second one is told to wait; leaving cancels the first before the devices are given back."""
    async with standing(tmp_path) as (technician, stand):
        assert await stand.open(trial_leaf("T.99", "Clumsy", Clumsy))
        trial = stand.trial
        assert isinstance(trial, Clumsy)
        stand.drive(Drive(trial.act), DEED)
        stand.drive(Drive(trial.act), DEED)
        assert (stand.message, stand.busy, stand.idle) == (BUSY, True, False)
        await technician.pause(2.0)
        assert (stand.message, stand.busy, stand.idle) == ("done", False, True)
        stand.drive(Drive(trial.act), DEED)
        await technician.pause(0.5)
        await stand.end()
        assert trial.steps == ["row left", "row left", "given back"]


async def test_a_lock_ends_the_test(tmp_path: Path) -> None:
    """Where the books cannot be trusted any more nothing is tested: the lamps go dark with the machine's own."""
    async with technician_at(tmp_path) as technician:
        await technician.open()
        await technician.go("T.4")
        await technician.enter("info")
        technician.machine.lock_up(CorruptJournalError("a page is torn"))
        await technician.cabinet.until(lambda: not technician.machine.service.testing)
        await technician.pause(1.0)
        assert technician.lit() == set()
