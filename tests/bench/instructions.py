"""Instructions of a start, a round and a frame, and what they come to on a Raspberry Pi: an estimate without one.

`python -m tests.bench.instructions [start picture round frame by_gpu in_memory]`, with valgrind and gcc. Instructions
are callgrind's, so that neither the load nor the speed of the machine counts; how they become seconds is in
docs/benchmarks.md.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from controller.features.demo.processes import end
from drivers.simulated.bench.frame_mirror import FrameMirror
from tests.bench.figures import ROOT
from tests.bench.live_cabinet import BAKED
from tests.bench.start_time import SHORT, Site
from tests.ui.rehearsal import neptune_view
from ui.protocol.messages import Hello, Snapshot, encode

A72_A_SECOND = 2.71e9
"""CPython's instructions a second on a Pi 4 at 1.5 GHz: n-body's 85,733 a step, five million steps in 158.26 s."""
A76_TIMES = (2.0, 2.5)
"""A Pi 5 by a Pi 4."""
COLD = 2.0
"""A start runs each piece of code once, from memory: it is taken to be so many times as slow as n-body's loop."""
SPINS, ROUNDS, COMPOSED = 2, 20, 12
_PATIENCE_S = 1800.0
_HERE = Path(__file__).parent


def counted(work: Path, *words: str | Path, begins: bool) -> subprocess.Popen[str]:
    """Start counted.py under callgrind, which writes its count into `work`; `begins` counts from the start."""
    marks = work / "marks.so"
    if not marks.exists():
        subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-o", marks, _HERE / "callgrind_marks.c"], check=True)
    valgrind = ["valgrind", "--quiet", "--tool=callgrind", f"--instr-atstart={'yes' if begins else 'no'}"]
    valgrind += ["--separate-threads=yes"] if "composed" in words else []
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"}
    return subprocess.Popen(
        [*valgrind, f"--callgrind-out-file={work / 'count'}", sys.executable, _HERE / "counted.py", marks, *words],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )


def total(work: Path, dump: str = "count.1") -> int:
    """Return the instructions of a dump in `work`, by default the first."""
    found = re.search(r"^totals: (\d+)", (work / dump).read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    return int(found[1])


def _module(work: Path, command: list[str], is_there: Callable[[], bool]) -> int:
    """Count a module's start until `is_there`."""
    arguments = command[command.index("-m") + 1 :]
    deadline = time.monotonic() + _PATIENCE_S
    with counted(work, "until-signal", *arguments, begins=True) as process:
        try:
            while not is_there():
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"{arguments[0]} does not start under callgrind")
                time.sleep(0.02)
            process.send_signal(signal.SIGUSR1)
            process.wait(_PATIENCE_S)
        finally:
            end(process)
    return total(work)


def start(work: Path) -> int:
    """From the supervisor's first instruction to READY, on a journal of a thousand rounds."""
    with Site(SHORT) as site, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        address = str(site.run.path / "notify")
        manager.bind(address)
        manager.settimeout(0.0)
        os.environ["NOTIFY_SOCKET"] = address

        def ready() -> bool:
            try:
                return manager.recv(1024) == b"READY=1"
            except BlockingIOError:
                return False

        try:
            return _module(work, site.plan.supervisor(), ready)
        finally:
            del os.environ["NOTIFY_SOCKET"]


def picture(work: Path) -> int:
    """From the display's first instruction to the first picture of what the supervisor has sent."""
    place, glass = work / "display.sock", work / "glass"
    with ExitStack() as displays, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(place))
        listener.listen()
        listener.settimeout(0.0)
        joined = False

        def shown() -> bool:
            nonlocal joined
            try:
                display = displays.enter_context(listener.accept()[0])
                display.send(encode(Hello()))
                display.send(encode(Snapshot(1, neptune_view(state="idle", controls=("spin",)))))
                joined = True
            except BlockingIOError:
                pass
            with FrameMirror(glass) as mirror:
                return joined and mirror.frame() is not None

        words = ["-m", "ui", "--socket", str(place), "--frame-mirror", str(glass), "--baked", str(BAKED)]
        return _module(work, words, shown)


def round_(work: Path) -> float:
    """A whole round of Neptune in the supervisor, from the press to its end, the mean of twenty."""
    folder = work / "books"
    folder.mkdir()
    process = counted(work, "rounds", folder, str(ROUNDS), begins=False)
    process.communicate(timeout=_PATIENCE_S)
    return total(work) / ROUNDS


def frame(work: Path) -> float:
    """One frame while Neptune's reels spin, at 1280x720, without its upload to the GPU: the mean of all."""
    process = counted(work, "frames", str(SPINS), begins=False)
    drawn, _ = process.communicate(timeout=_PATIENCE_S)
    return total(work) / int(drawn.split()[-1])


def composed(compose: str, work: Path) -> float:
    """One frame while Neptune's reels spin, at 1920x1080, presented: the drawing thread's, Mesa's rasteriser left out.

    It needs Neptune and the shared sprites baked at 1.5.
    """
    process = counted(work, "composed", compose, str(COMPOSED), begins=False)
    process.communicate(timeout=_PATIENCE_S)
    return total(work, "count.1-01") / COMPOSED


AIMS_S = {"start": 1.5, "picture": 2.0, "by_gpu": 0.5 / 60}
"""Seconds of a Pi 4 that each may take: issue 16's, the last of them half of a core at 60 frames."""

WHAT: dict[str, tuple[Callable[[Path], float], float]] = {
    "start": (start, COLD),
    "picture": (picture, COLD),
    "round": (round_, 1.0),
    "frame": (frame, 1.0),
    "by_gpu": (partial(composed, "gpu"), 1.0),
    "in_memory": (partial(composed, "software"), 1.0),
}


def estimated(name: str) -> tuple[float, float]:
    """Count one of `WHAT`; return its instructions, and the seconds that they take on a Pi 4."""
    measure, slower = WHAT[name]
    with tempfile.TemporaryDirectory(prefix="cg") as work:
        count = measure(Path(work))
    return count, count / A72_A_SECOND * slower


def main() -> None:
    """Count what is named, all for none, and print each."""
    for name in sys.argv[1:] or WHAT:
        count, seconds = estimated(name)
        pi4 = seconds * 1000
        pi5 = " to ".join(f"{pi4 / times:.2f}" for times in reversed(A76_TIMES))
        print(f"{name}: {count / 1e6:.2f} million instructions; Pi 4 {pi4:.2f} ms, Pi 5 {pi5} ms", flush=True)  # noqa: T201 - its output is what it is for


if __name__ == "__main__":
    main()
