"""A whole simulated cabinet of real processes, as `cabinet demo` starts and keeps them, for benchmarks to time."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from controller.features.demo import script
from controller.features.demo.launcher import Cabinet, Plan
from controller.features.demo.processes import spawn
from controller.features.demo.scripted_player import ScriptedPlayer, is_idle
from controller.features.demo.settings import RunDirectory
from drivers.simulated.bench.frame_mirror import HEADER, HEADER_BYTES, PIXEL_BYTES
from drivers.simulated.front_client import FrontClient
from tests.bench.figures import ROOT
from ui.layout import WIDE

BAKED = ROOT / "build" / "baked"
_LONGEST_WAIT_S = 60.0
_LONGEST_FRAME_S = 10.0
_SURE_S = 0.3
_TOP, _BOTTOM = int(WIDE.hud.credit[1]), int(WIDE.hud.credit[1] + WIDE.hud.credit[3])
_LEFT, _RIGHT = int(WIDE.hud.credit[0]), int(WIDE.hud.bet[0] + WIDE.hud.bet[2])


class Header(NamedTuple):
    """The glass's header: which buffer is in front, the frame's number, and when it was presented."""

    width: int
    height: int
    front: int
    number: int
    ns: int


class LiveCabinet:
    """Devices, supervisor and display as processes of their own, in a run directory of their own.

    Use it as a context manager, and from the main thread. Nothing is restarted but within `until`.
    """

    def __init__(self, seed: int) -> None:
        self.run = RunDirectory.made(None)
        self.run.write_configuration(BAKED)
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        """The newest process of each module."""
        self.hand = ScriptedPlayer(
            self.run,
            client=FrontClient(self.run.hardware_socket),
            pictures=self.run.path,
            report=lambda _line: None,
            now=time.monotonic,
            pause=self.rest,
            hurry=True,
        )
        plan = Plan(run=self.run, baked=BAKED, seed=seed)
        self._cabinet = Cabinet(
            plan,
            FrontClient(self.run.hardware_socket),
            spawn=self._spawn,
            now=time.monotonic,
            report=lambda _line: None,
        )
        self._glass = -1

    def _spawn(self, command: Sequence[str], log: Path, variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
        process = spawn(command, log, variables)
        self.processes[command[2]] = process
        return process

    def __enter__(self) -> Self:
        try:
            self._cabinet.start()
            self.hand.client.connect()
            self.until(lambda: self.run.frame_mirror.exists() and self.run.frame_mirror.stat().st_size > HEADER_BYTES)
            self._glass = os.open(self.run.frame_mirror, os.O_RDONLY | os.O_CLOEXEC)
            self.until(lambda: self.hand.client.front.lamps["spin"] and self.header.number > 0)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        self.hand.client.close()
        self._cabinet.stop()
        if self._glass >= 0:
            os.close(self._glass)
        shutil.rmtree(self.run.path)

    @property
    def header(self) -> Header:
        """What the glass's header says now; one that is being turned is read again."""
        while True:
            packed = os.pread(self._glass, HEADER.size, 0)
            if packed == os.pread(self._glass, HEADER.size, 0):
                _magic, *rest = HEADER.unpack(packed)
                return Header(*rest)

    def figures(self, header: Header) -> list[bytes]:
        """Return the pixels of credit and bet, row by row, in the frame that `header` names."""
        stride = header.width * PIXEL_BYTES
        start = HEADER_BYTES + header.front * header.height * stride + _TOP * stride
        rows = os.pread(self._glass, (_BOTTOM - _TOP) * stride, start)
        left, right = _LEFT * PIXEL_BYTES, _RIGHT * PIXEL_BYTES
        return [rows[row + left : row + right] for row in range(0, len(rows), stride)]

    def frame_when(self, header: Header, holds: Callable[[list[bytes]], bool], pause: Callable[[], object]) -> Header:
        """Return the first frame after `header` whose figures `holds`; `pause` between looks.

        Raises `TimeoutError` with what the front shows.
        """
        deadline = time.monotonic() + _LONGEST_FRAME_S
        while True:
            now = self.header
            if now.number != header.number:
                header = now
                if holds(self.figures(header)):
                    return header
            if time.monotonic() > deadline:
                raise TimeoutError(f"no such frame; the front shows {self.hand.client.front}; logs in {self.run.path}")
            pause()

    def until(self, holds: Callable[[], bool], seconds: float = _LONGEST_WAIT_S) -> None:
        """Keep the processes running until it holds; raise `TimeoutError` with what the front shows."""
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > deadline:
                raise TimeoutError(
                    f"not within {seconds:g} s; the front shows {self.hand.client.latest}; logs in {self.run.path}"
                )
            self._cabinet.step()

    def rest(self, seconds: float) -> None:
        """Keep the processes running for so long, and look after them once at least."""
        ends = time.monotonic() + seconds
        self._cabinet.step()
        while time.monotonic() < ends:
            self._cabinet.step()

    def insert_note(self, cents: int) -> None:
        """Push a note in, and wait until it is credited and a round may begin."""
        script.insert(self.hand, cents)
        self.finish_round()

    def finish_round(self) -> None:
        """Hurry what is shown, and go on with what is offered, until a round may begin."""
        idle = False
        while not idle:
            self.hand.press_until_idle(_LONGEST_WAIT_S, lambda: None)
            self.rest(_SURE_S)  # the last press may have begun another round
            idle = is_idle(self.hand.client.front)
