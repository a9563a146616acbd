"""T.15 to T.19 on the whole cabinet: disk, watchdog, combinations, check-out and burn-in, well and unwell."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from controller.features.diagnostics import burn_in, checkout, checks, storage, watchdog
from controller.features.diagnostics.context import TestContext
from controller.journal.diagnostics import CoinsOut, Outcome, watchdog_diagnostic
from controller.journal.errors import CorruptJournalError, RefusedError
from controller.journal.key_value import DEVICE_STATE
from controller.machine.ports import Screen
from controller.machine.view import view_of
from controller.session.session import change_session
from controller.system.notify import Notifier
from controller.system.starts import Start, record_start, record_stop
from drivers.simulated.misbehaviour import Kind, Way
from gamekit.catalogue import load, names
from tests.rigs.books import opened as opened_books
from tests.rigs.device_tests import device_tests
from tests.rigs.technician import Technician, books, opened, says, technician_at
from tests.rigs.virtual_cabinet import VirtualCabinet
from ui.protocol.messages import Frames

pytestmark = pytest.mark.sampled(3)

FRAMES = Frames(60, 0.5, 2.0, sound=True)
Trouble = Callable[[Technician], None]


class Drawn:
    """The machine's screen as if a display were connected."""

    connected = True

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self.publish, self.show, self.hurry = screen.publish, screen.show, screen.hurry


def _context(technician: Technician) -> TestContext:
    """What the tests work with."""
    return device_tests(technician.cabinet.supervisor).context


# T.15


async def test_the_disk_is_measured_and_nothing_of_it_stays(tmp_path: Path) -> None:
    """Whole, so many commits with their slowest, free space; the books are as before."""
    async with technician_at(tmp_path) as technician:
        before = await opened(technician, "T.15")
        await technician.enter("Integrity of the books")
        await says(technician, storage.WHOLE)
        await technician.enter("Commit latency")
        await says(technician, "Slowest of them")
        assert technician.row("Commits measured").count == 20
        free = os.statvfs(tmp_path)
        assert technician.row("Free space").value.endswith(" MB")
        assert int(technician.row("Size of the disk").value.split()[0]) == free.f_blocks * free.f_frsize // 1_000_000
        rows = await technician.machine.journal.do(
            lambda tx: tx.execute("SELECT count(*) FROM device_state WHERE device = 'commit_latency'").fetchone()
        )
        assert (rows, await technician.machine.journal.do(books)) == ((0,), before)


async def test_a_damaged_file_is_reported_and_locks_the_cabinet(tmp_path: Path) -> None:
    """What a test finds damaged is not played on."""
    async with technician_at(tmp_path) as technician:
        await opened(technician, "T.15")
        journal = technician.machine.journal.journal
        path, journal.path = journal.path, tmp_path / "damaged"
        journal.path.write_bytes(b"no journal at all" * 300)
        await technician.enter("Integrity of the books")
        await technician.cabinet.until(lambda: technician.machine.journal.lock is not None)
        assert isinstance(technician.machine.journal.lock, CorruptJournalError)
        journal.path = path


async def test_slow_commits_and_a_full_disk_are_bad(tmp_path: Path) -> None:
    """Figures beyond their limits are marked."""
    async with technician_at(tmp_path) as technician:
        await opened(technician, "T.15")
        seconds = iter(range(1000))
        _context(technician).stopwatch = lambda: float(next(seconds))
        await technician.enter("Commit latency")
        await says(technician, "1000.0 ms")
        assert technician.row("Slowest of them").tone == "bad"

        least = technician.machine.settings.config.storage.low_mb
        assert not storage.is_enough(_context(technician), storage.Space(least - 1, 10_000))
        assert storage.is_enough(_context(technician), storage.Space(least, 10_000))


# T.16


class Manager:
    """A service manager's socket, which counts what it is fed."""

    def __init__(self, folder: Path) -> None:
        path = str(folder / "notify")
        self.fed = 0
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)  # noqa: FBT003 - the standard library's signature
        self._socket.bind(path)
        asyncio.get_running_loop().add_reader(self._socket, self._take)
        self.notifier = Notifier(path, watchdog_s=9.0)

    def _take(self) -> None:
        self.fed += self._socket.recv(100) == b"WATCHDOG=1"

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()


@asynccontextmanager
async def watched(folder: Path, games: Sequence[str] = ("neptune",)) -> AsyncIterator[tuple[Technician, Manager]]:
    """A technician before a cabinet that a service manager watches, without credit."""
    manager = Manager(folder)
    cabinet = VirtualCabinet(folder, games=games)
    cabinet.notifier = manager.notifier
    await cabinet.start()
    technician = Technician(cabinet)
    try:
        await technician.pause(8.0)
        yield technician, manager
    finally:
        await cabinet.kill()
        manager.close()


async def starve(technician: Technician, answers: int = 2) -> None:
    """Ask for the deliberate test and answer YES so often."""
    await technician.enter(watchdog.STARVE)
    for _ in range(answers):
        await technician.touch("service:up")
        await technician.touch("service:enter")


async def test_the_watchdog_is_shown_as_it_is_fed(tmp_path: Path) -> None:
    """Set to nine seconds, fed within the last three."""
    async with watched(tmp_path) as (technician, manager):
        await opened(technician, "T.16")
        assert technician.row("Watchdog").value == "9 s"
        assert technician.row("Service manager").value == watchdog.THERE
        assert float(technician.row("Last fed, seconds ago").value) <= 3.1
        assert manager.fed > 0


async def test_without_a_watchdog_nothing_is_starved(tmp_path: Path) -> None:
    """Neither manager nor watchdog: shown, and refused after both questions."""
    async with technician_at(tmp_path) as technician:
        await opened(technician, "T.16")
        assert technician.row("Watchdog").value == watchdog.NOT_SET
        assert technician.row("Service manager").value == watchdog.NOT_THERE
        await starve(technician)
        await says(technician, "No watchdog is set")
        assert not technician.machine.task_monitor.starved


@pytest.mark.parametrize("risk", ["credit", "one answer"])
async def test_nothing_is_starved_with_money_at_risk_or_by_one_answer(tmp_path: Path, risk: str) -> None:
    """Credit refuses it; and it is asked twice, NO being the answer of whoever presses on."""
    async with watched(tmp_path) as (technician, manager):
        if risk == "credit":
            await technician.cabinet.insert_note(500)
        await opened(technician, "T.16")
        await starve(technician, answers=2 if risk == "credit" else 1)
        if risk == "credit":
            await says(technician, "There is credit on the machine")
        else:
            await technician.touch("service:enter")
        fed = manager.fed
        await technician.pause(10.0)
        assert manager.fed > fed
        assert await technician.machine.journal.do(watchdog_diagnostic.newest) is None


async def test_a_starved_watchdog_is_fed_no_more_and_the_next_start_reports_it(tmp_path: Path) -> None:
    """The manager kills the program; its successor finds the test, says so, and calls it no crash."""
    async with watched(tmp_path) as (technician, manager):
        await opened(technician, "T.16")
        await starve(technician)
        await says(technician, watchdog.STARVED)
        fed = manager.fed
        await technician.pause(20.0)
        assert manager.fed == fed
        technician.machine.task_monitor.starve(starved=False)  # as SIGABRT does: nothing more is written
        await technician.cabinet.kill()
        await technician.cabinet.start()
        await technician.pause(5.0)
        newest = await technician.machine.journal.do(watchdog_diagnostic.newest)
        assert newest is not None
        assert newest.outcome is Outcome.ACTED
        assert "program_crash" not in {fault.code for fault in technician.machine.conditions.faults}
        assert manager.fed > fed
        await opened(technician, "T.16")
        await says(technician, Outcome.ACTED)


@pytest.mark.parametrize("ending", ["patience", "back"])
async def test_a_watchdog_that_does_not_bite_is_fed_again(tmp_path: Path, ending: str) -> None:
    """Nobody acted long after it had to: FAIL; or the page was left before: nothing proved."""
    async with watched(tmp_path) as (technician, manager):
        await opened(technician, "T.16")
        await starve(technician)
        await says(technician, watchdog.STARVED)
        if ending == "back":
            await technician.touch("service:back")
            wanted = Outcome.LEFT
        else:
            await says(technician, watchdog.STILL_HERE)
            wanted = Outcome.FAILED
        newest = await technician.machine.journal.do(watchdog_diagnostic.newest)
        assert newest is not None
        assert newest.outcome is wanted
        fed = manager.fed
        await technician.pause(10.0)
        assert manager.fed > fed


@pytest.mark.parametrize(
    ("boot", "stopped", "start", "outcome"),
    [
        ("one", False, Start.TESTED, Outcome.ACTED),
        ("two", False, Start.POWER, Outcome.POWER),
        ("one", True, Start.STOPPED, Outcome.STOPPED),
    ],
)
def test_each_start_after_a_test_knows_what_it_proves(
    tmp_path: Path, boot: str, start: Start, outcome: Outcome, *, stopped: bool
) -> None:
    """The same boot: the manager acted. Another boot, or an orderly stop: nothing is proved."""
    with opened_books(tmp_path) as store:
        store.transact(lambda tx: record_start(tx, "one", crash_locks=True))
        store.transact(lambda tx: watchdog_diagnostic.begin(tx, "technician", 10.0))
        if stopped:
            store.transact(record_stop)
        assert store.transact(lambda tx: record_start(tx, boot, crash_locks=True)) is start
        newest = store.transact(watchdog_diagnostic.newest)
        assert newest is not None
        assert newest.outcome is outcome
        with pytest.raises(RefusedError, match="No watchdog is set"):
            store.transact(lambda tx: watchdog_diagnostic.begin(tx, "technician", None))


# T.17


@pytest.mark.parametrize("name", names())
async def test_a_chosen_window_stands_on_the_games_own_screen(tmp_path: Path, name: str) -> None:
    """Marked as a test, evaluated as in play, and the machine's view is given back whole."""
    async with watched(tmp_path, games=(name,)) as (technician, _):
        before = await opened(technician, "T.17")
        await technician.enter(load(name).title)
        await says(technician, "Win in coins")
        view = view_of(technician.machine.parts)
        assert (view.past.replay is not None and view.past.replay.state, view.game, view.round.win_cents) == (
            "test",
            name,
            0,
        )
        stops = technician.row("Stops").value
        for key in ("service:down", "service:last", "service:enter", "service:up", "service:first"):
            await technician.touch(key)
        assert technician.row("Reel").value == "2 / 5"
        assert technician.row("Stops").value != stops
        await technician.touch("service:back")
        assert technician.page.code == "T.17"
        assert view_of(technician.machine.parts).past.replay is None
        await technician.touch("service:back")
        assert technician.page.code == "T"
        assert await technician.machine.journal.do(books) == before
        rounds = await technician.machine.journal.do(lambda tx: tx.execute("SELECT count(*) FROM rounds").fetchone())
        assert rounds == (0,)


# T.18


async def check(technician: Technician) -> None:
    """Run the check-out to its end, with a display that reports and a stopwatch of virtual time."""
    _context(technician).stopwatch = technician.machine.clock.now
    await technician.touch("service:row:0")
    for _ in range(200):
        technician.service.frames(FRAMES)
        await technician.pause(0.2)
        if any(row.label == checkout.OVERALL for row in technician.page.rows):
            return
    raise AssertionError(technician.said())


def _fine(_technician: Technician) -> None:
    """Nothing is wrong."""


def _stuck(technician: Technician) -> None:
    technician.cabinet.factory.pin(technician.cabinet.config.pins.buttons["info"].pin).drive_low()


def _box_open(technician: Technician) -> None:
    technician.cabinet.door("cash_box", is_open=True)


def _silent(technician: Technician) -> None:
    technician.cabinet.coins.power(on=False)


def _low(technician: Technician) -> None:
    technician.cabinet.hopper.low_mark = 5000


def _muted(technician: Technician) -> None:
    technician.machine.journal.post(lambda tx: change_session(tx, muted=True))


def _held(technician: Technician) -> None:
    (lamp, *_) = technician.cabinet.config.pins.meters.values()
    pin = technician.cabinet.factory.pin(lamp.pin)
    pin._state = not pin._state


def _hot(technician: Technician) -> None:
    technician.service.machine.thermometer = lambda: 91.0


@pytest.mark.parametrize(
    ("trouble", "failed", "words"),
    [
        (_fine, "", ""),
        (_stuck, "Inputs", checks.HELD),
        (_box_open, "Inputs", "The {place} is open"),
        (_silent, "Devices of money", "The {place} does not answer"),
        (_low, "Hopper level", checks.LOW),
        (_muted, "Sound", checks.MUTED),
        (_held, "Pins read back", checks.PIN_HELD),
        (_hot, "Temperature", checks.TOO_HOT),
    ],
)
async def test_the_check_out_names_what_is_wrong(tmp_path: Path, trouble: Trouble, failed: str, words: str) -> None:
    """Every check has PASS or FAIL with its reason; one that fails fails the whole, and the event says which."""
    async with technician_at(tmp_path) as technician:
        technician.service.machine.screen = Drawn(technician.machine.screen)
        before = await opened(technician, "T.18")
        trouble(technician)
        await technician.pause(75.0)  # a hopper without level sensors is asked for them once a minute
        await check(technician)
        page = technician.page
        results = {row.label: row.value for row in page.rows if row.value in (checkout.PASS, checkout.FAIL)}
        assert set(results) == {*checks.CHECKS, checkout.OVERALL}
        wrong = {name for name, result in results.items() if result == checkout.FAIL}
        assert wrong == ({failed, checkout.OVERALL} if failed else set()), technician.said()
        if words:
            assert words in [row.label for row in page.rows]
        (event,) = await technician.events("check_out")
        assert event.startswith(f"Check-out: {checkout.FAIL if failed else checkout.PASS}")
        assert failed in event
        assert await technician.machine.journal.do(books) == before


async def test_without_a_display_the_check_out_fails(tmp_path: Path) -> None:
    """Neither picture nor sound can be vouched for."""
    async with technician_at(tmp_path) as technician:
        await opened(technician, "T.18")
        await technician.enter(checkout.RUN)
        await technician.cabinet.until(lambda: any(row.label == checkout.OVERALL for row in technician.page.rows))
        labels = [row.label for row in technician.page.rows]
        assert checks.NO_DISPLAY in labels
        assert checks.NO_SOUND in labels


async def test_coins_of_the_hopper_that_are_out_fail_the_check_out(tmp_path: Path) -> None:
    """T.10 was not ended in order."""
    async with technician_at(tmp_path) as technician:
        seen = checks.Seen(_context(technician), lambda: FRAMES)
        assert (await checks.hopper_level(seen)).passed
        kept = CoinsOut(missing=2, value_cents=100)
        await technician.machine.journal.do(
            lambda tx: DEVICE_STATE.store(tx, "hopper.test_coins", msgspec.json.encode(kept).decode())
        )
        finding = await checks.hopper_level(seen)
        assert [line.label for line in finding.reasons] == [checks.COINS_OUT]


# T.19


@pytest.mark.parametrize("way", ["time", "stop", "back", "door"])
async def test_a_burn_in_works_everything_and_counts_nothing_where_all_is_well(tmp_path: Path, way: str) -> None:
    """Lamps, tower, sound, plays, commits; ended by its time, STOP, leaving or the door: recorded, no meter moved."""
    async with technician_at(tmp_path) as technician:
        context = _context(technician)
        context.stopwatch = technician.machine.clock.now
        before = await opened(technician, "T.19")
        meters = await technician.meters()
        await technician.enter(burn_in.RUN_FOR)
        lit: set[frozenset[str]] = set()
        pictures: set[str] = set()
        for _ in range(96):
            await technician.pause(1.0)
            lit.add(frozenset(technician.lit()))
            pictures.add(technician.page.picture)
        assert len(lit) > 5
        assert pictures == {"", *burn_in.BurnIn.pictures}
        assert technician.row("Demo plays").count
        assert technician.page.sound is not None
        if way == "time":
            await technician.cabinet.until(lambda: f"The burn-in: {burn_in.ENDED}" in technician.said(), 700.0)
        elif way == "stop":
            await technician.enter(burn_in.STOP)
        elif way == "back":
            await technician.touch("service:back")
        else:
            technician.cabinet.door("main", is_open=False)
        await technician.pause(3.0)
        (event,) = await technician.events("burn_in")
        assert event.endswith(burn_in.NO_ERRORS), event
        assert (await technician.machine.journal.do(books), await technician.meters()) == (before, meters)


async def test_a_key_leads_from_a_burn_ins_pattern_to_its_page(tmp_path: Path) -> None:
    """And back once more out of the test: it can be left at any time."""
    async with technician_at(tmp_path) as technician:
        await opened(technician, "T.19")
        await technician.enter(burn_in.RUN_FOR)
        await technician.cabinet.until(lambda: bool(technician.page.picture))
        await technician.touch("service:back")
        assert (technician.page.code, technician.page.picture) == ("T.19", "")
        assert technician.row(burn_in.STOP).leads
        await technician.cabinet.until(lambda: bool(technician.page.picture))
        await technician.touch("service:back")
        await technician.touch("service:back")
        assert technician.page.code == "T"


def _coin_line_dies(technician: Technician) -> None:
    technician.cabinet.lines["coin"].unplug()


def _hopper_garbled(technician: Technician) -> None:
    technician.cabinet.lines["hopper"].misbehaviour.inject(Kind.DROP, 200, way=Way.TO_HOST)


def _slow_disk(technician: Technician) -> None:
    seconds = iter(range(10_000))
    _context(technician).stopwatch = lambda: float(next(seconds))


@pytest.mark.parametrize(
    ("trouble", "counted"),
    [
        (_coin_line_dies, burn_in.FAULTS),
        (_hopper_garbled, burn_in.FAULTS),
        (_slow_disk, burn_in.SLOW),
        (_held, burn_in.PINS),
    ],
)
async def test_what_goes_wrong_in_a_burn_in_is_counted(tmp_path: Path, trouble: Trouble, counted: str) -> None:
    """Each kind under its name, on the page and in the event."""
    async with technician_at(tmp_path) as technician:
        await opened(technician, "T.19")
        await technician.enter(burn_in.RUN_FOR)
        await technician.pause(5.0)
        trouble(technician)
        await technician.pause(125.0)
        row = technician.row(counted)
        assert row.count
        assert row.tone == "bad"
        await technician.touch("service:back")
        (event,) = await technician.events("burn_in")
        assert counted in event
