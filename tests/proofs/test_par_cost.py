"""What a PAR sheet costs in time of one core and in memory, for the two games that take the longest."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.bench.par_time import AIM_MB, loop_s, most_mb

pytestmark = pytest.mark.proof

MOST_LOOPS = 150
"""The time that a sheet may take, in bare loops of `loop_s`: it takes some 100."""

RUN = """
import atexit, pathlib, sys
atexit.register(lambda: sys.stderr.write(pathlib.Path("/proc/self/status").read_text()))
from controller.cli import main
main(prog_name="cabinet")
"""
"""`cabinet`, which writes at its end what it held: `wait4` would count what pytest held before the exec too."""


@pytest.mark.parametrize("name", ["witch_feature", "mona_lisa_jewels"])
def test_a_par_sheet_takes_little_time_and_memory(name: str, record_property: Callable[[str, object], None]) -> None:
    """Time of the processor beside that of a bare loop in the same minute, and the peak of resident memory."""
    before = loop_s()
    command = [sys.executable, "-c", RUN, "par", name, "--format", "json"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        written = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, written
    seconds, megabytes = used.ru_utime + used.ru_stime, most_mb(written)
    loops = 2 * seconds / (before + loop_s())
    record_property("proof", f"cabinet par {name}: {seconds:.1f} s of one core, {loops:.0f} loops, {megabytes:.0f} MB")
    assert megabytes <= AIM_MB
    assert loops <= MOST_LOOPS
