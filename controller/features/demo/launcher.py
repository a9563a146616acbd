"""Starts a simulated cabinet's processes and follows its mains switch and its crash button.

One loop without threads: it reads the hardware's front, then checks the processes. The player (at the bench window, or
the script in its thread) is separate.
"""

import subprocess
import sys
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from controller.features.demo.processes import (
    GivenUpError,
    Process,
    Readiness,
    ReadySocket,
    Spawn,
    SupervisedProcess,
    end,
    tail,
)
from controller.features.demo.settings import RunDirectory
from drivers.simulated.front import Front
from drivers.simulated.front_client import FrontLostError

CRASH_PAUSE_S = 1.0
"""The pause after the crash button."""

TICK_S = 0.02
_HARDWARE_START_S = 120.0


class FrontLink(Protocol):
    """The part of `drivers.simulated.front_client.FrontClient` that is used here."""

    latest: Front | None

    def connect(self) -> None:
        """Connect or raise `FrontLostError`."""

    def receive(self, timeout: float = 0.0) -> bool:
        """Receive what has arrived, waiting at most `timeout` seconds."""

    def close(self) -> None:
        """Disconnect."""


class Web(msgspec.Struct, frozen=True):
    """The place where the bench's page is served; port 0 is any that is free."""

    host: str = "127.0.0.1"
    port: int = 0


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a demo: the `seed` of its draws, the monitor's `shape`, and whether the `bench` is shown.

    The bench is a window, or a page at `web`. An `unattended` cabinet has no display; a `linked` one runs the link's
    process. While games are being baked (`baking`), they join the lobby.
    """

    run: RunDirectory
    baked: Path
    seed: int | None = None
    shape: str = "wide"
    bench: bool = False
    web: Web | None = None
    unattended: bool = False
    linked: bool = False
    baking: bool = False

    def restarted(self) -> list[tuple[str, list[str]]]:
        """Return names and commands of the processes that systemd would restart, the supervisor first."""
        display = [] if self.unattended else [("display", self.display())]
        link = [("link", self.link())] if self.linked else []
        return [("supervisor", self.supervisor()), *display, *link]

    def hardware(self) -> list[str]:
        """The simulated hardware's command."""
        run = self.run
        return _python("drivers.simulated", "--config", run.configuration, "--run", run.path, "--state", run.devices)

    def supervisor(self) -> list[str]:
        """The supervisor's command."""
        seed = [] if self.seed is None else ["--seed", self.seed]
        baking = ["--baking"] if self.baking else []
        fixed = (self.run.configuration, "--simulated", "--boot", self.run.boot)
        return _python("controller.supervisor", *fixed, *seed, *baking)

    def display(self) -> list[str]:
        """The display's command."""
        run = self.run
        paths = ("--socket", run.display_socket, "--touch", run.touch_socket, "--frame-mirror", run.frame_mirror)
        language = ("--language-file", run.language)
        return _python("ui", *paths, *language, "--baked", self.baked, "--shape", self.shape)

    def link(self) -> list[str]:
        """The command of the link to a venue."""
        return _python("controller.features.venue.relay", self.run.venue_socket, self.run.credentials)

    def front(self) -> list[str]:
        """The bench's command."""
        where = ("--run", self.run.path, "--baked", self.baked)
        if self.web is None:
            return _python("drivers.simulated.bench", *where)
        return _python("drivers.simulated.bench.web", *where, "--host", self.web.host, "--port", self.web.port)


def _python(module: str, *arguments: object) -> list[str]:
    return [sys.executable, "-m", module, *map(str, arguments)]


def screen_exists() -> bool:
    """Whether a window can be shown; the bench tries, since DISPLAY may be stale."""
    probe = subprocess.run(_python("drivers.simulated.bench", "--probe"), capture_output=True, check=False)  # noqa: S603 - our own module
    return probe.returncode == 0


class Cabinet:
    """The processes of one simulated cabinet.

    Call `start`, then `step` until it returns False, then `stop`, which leaves no process behind. A process that ends
    by itself is reported with its last line.
    """

    def __init__(
        self,
        plan: Plan,
        link: FrontLink,
        *,
        spawn: Spawn,
        now: Callable[[], float],
        report: Callable[[str], None],
        readiness: Callable[[], Readiness] = ReadySocket,
    ) -> None:
        self._plan = plan
        self._link = link
        self._spawn = spawn
        self._now = now
        self._hardware: Process | None = None
        self._bench: Process | None = None
        self._processes = [
            SupervisedProcess(name, command, plan.run.log(name), spawn=spawn, readiness=readiness(), report=report)
            for name, command in plan.restarted()
        ]
        self._mains = True
        self._crashes: int | None = None

    def start(self) -> None:
        """Start the hardware and wait until its front is reachable; raises `GivenUpError` if it is not."""
        self._name_boot()
        self._hardware = self._start("hardware", self._plan.hardware())
        deadline = self._now() + _HARDWARE_START_S
        while True:
            try:
                self._link.connect()
            except FrontLostError:
                log = self._plan.run.log("hardware")
                if self._hardware.poll() is not None or self._now() > deadline:
                    raise GivenUpError(f"the simulated hardware does not start; {tail(log)}") from None
                self._wait(self._hardware)
            else:
                break
        if self._plan.bench:
            self._plan.run.bench_address.unlink(missing_ok=True)
            self._bench = self._start("bench", self._plan.front())

    def step(self) -> bool:
        """Read the front, follow it, check the processes; return False once the bench window is closed.

        Raises `GivenUpError` when a process cannot be kept running, or the bench has ended by a failure.
        """
        try:
            self._link.receive(TICK_S)
        except FrontLostError as error:
            log = self._plan.run.log("hardware")
            raise GivenUpError(f"the simulated hardware is gone ({error}); {tail(log)}") from error
        if self._link.latest is not None:
            self._obey(self._link.latest)
            for supervised in self._processes:
                supervised.look(self._now())
        return self._bench is None or self._is_shown(self._bench)

    def _is_shown(self, bench: Process) -> bool:
        """Return whether the bench is still running; raise `GivenUpError` if it has failed."""
        if code := bench.poll():
            raise GivenUpError(f"the bench ended with {code}; {tail(self._plan.run.log('bench'))}")
        return code is None

    def stop(self) -> None:
        """End all processes in order, the supervisor first."""
        for supervised in self._processes:
            supervised.end()
        self._link.close()
        for child in (self._bench, self._hardware):
            if child is not None:
                end(child)

    def _start(self, name: str, command: Sequence[str]) -> Process:
        return self._spawn(command, self._plan.run.log(name), {})

    def _obey(self, front: Front) -> None:
        if self._crashes is None:
            self._crashes = front.crashes
        crashed, self._crashes = front.crashes != self._crashes, front.crashes
        switched, self._mains = front.mains != self._mains, front.mains
        if crashed or (switched and not front.mains):
            for supervised in self._processes:
                supervised.kill()
        if front.mains and switched:
            self._name_boot()
        if front.mains and (crashed or switched):
            for supervised in self._processes:
                supervised.start_at(self._now() + (CRASH_PAUSE_S if crashed else 0.0))

    def _name_boot(self) -> None:
        """Write a new boot id: the mains switch restarts the computer, a crash does not."""
        self._plan.run.boot.write_text(f"{uuid.uuid4()}\n", encoding="ascii")

    def _wait(self, process: Process) -> None:
        try:
            process.wait(TICK_S)
        except subprocess.TimeoutExpired:
            return
