"""The cabinet that is soaked: supervisor, books with key and second copy, drivers, devices and display on one loop.

Its power can be cut at any instant, in both ways: a crash (the supervisor and the display are gone, the devices run on)
and the mains (the devices' power too). What the supervisor leaves on the disk is what SIGKILL leaves: its
write-ahead log not yet in the journal.
"""

import random
from concurrent.futures import Executor
from pathlib import Path

from msgspec.structs import replace

from controller.books.opening import opened_books
from controller.configuration.cabinet_toml import Config
from controller.journal.store import Store
from controller.machine.machine import Machine
from controller.supervisor import Supervisor
from drivers.clock import LoopClock
from tests.rigs.displayed_cabinet import DisplayedCabinet
from tests.rigs.power_cuts import left_as_cut
from tests.soak.day_loop import AtOnce
from tests.soak.host import PORT, DayHost

POLL_MS = 200
UNIT_CENTS = 100

FIRST_MS = 1_767_225_600_000
"""When the cabinet's day begins by its clock: 2026-01-01, midnight UTC."""


class DayClock(LoopClock):
    """The loop's clock, with a wall clock that goes with it: a day of simulated time is a day in the books."""

    def wall_ms(self) -> int:
        """Milliseconds since 1970 in the cabinet's day; only for the loop's own thread."""
        return FIRST_MS + round(self.now() * 1000)


class SoakedCabinet(DisplayedCabinet):
    """One cabinet, its devices and its display; `folder` has its books and sockets."""

    drawn_s = 2.0  # with its sixty frames a second the day would take days
    clock: DayClock

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(folder, seed=seed)
        site = replace(self.config.cabinet, second_copy=str(folder / "second-copy"))
        self.config = _slower(replace(self.config, cabinet=site, host_port=PORT))
        self.clock = DayClock()
        self.host = DayHost(self.clock.now, random.Random(seed))
        self.lines[PORT.port] = self.host.line
        self.journal_path = Path(site.journal)
        self._now_ms = FIRST_MS

    def _opened(self, path: Path) -> Store:
        site = self.config.cabinet
        return opened_books(
            path,
            site.key_file,
            lambda: self._now_ms,
            simulated=True,
            create=True,
            second_copy=site.second_copy_file,
        )

    def _writer(self) -> Executor:
        return AtOnce()

    @property
    def machine(self) -> Machine:
        """The machine of the supervisor that runs."""
        assert self.supervisor is not None
        return self.supervisor.machine

    async def start(self) -> Supervisor:
        """Start a supervisor on the books as they are."""
        self._now_ms = self.clock.wall_ms()
        return await super().start()

    def mind(self) -> None:
        """Raise what has ended the supervisor or the display; keep the books' clock going."""
        self._now_ms = self.clock.wall_ms()
        for task in (self._task, self._drawing, self.host.task):
            if task is not None and task.done():
                task.result()

    async def cut(self, *, mains: bool) -> int:
        """Cut the power, of the devices too where `mains`; return the credit of which the supervisor knew last."""
        assert self._task is not None
        assert self.supervisor is not None
        journal = self.supervisor.journal
        for line in self.lines.values():
            line.port.close()  # as SIGKILL does: nothing more is said on the wires
        self.host.interrupt()
        await self._cancel()
        await journal.turns()
        with left_as_cut(self.journal_path):
            journal.close()
        await self.kill_display()
        self.supervisor = None
        if mains:
            self.mains(on=False)
        return journal.credit_cents


def _slower(config: Config) -> Config:
    """Set what costs the machine most to the slow end of what a technician may set: polls, and pulses of the meters."""
    assert config.bill_validator is not None
    assert config.hopper is not None
    return replace(
        config,
        bill_validator=replace(config.bill_validator, poll_ms=POLL_MS),
        hopper=replace(config.hopper, poll_ms=POLL_MS),
        pins=replace(config.pins, meter_unit_cents=UNIT_CENTS),
    )
