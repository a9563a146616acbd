"""What a PAR sheet costs: `cabinet par` within 20 s of one core and 200 MB, for the two games that take the longest."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.bench.par_time import AIM_MB, AIM_S, most_mb
from tests.rigs.needing import skip

pytestmark = pytest.mark.proof


RUN = """
import atexit, pathlib, sys
atexit.register(lambda: sys.stderr.write(pathlib.Path("/proc/self/status").read_text()))
from controller.cli import main
main(prog_name="cabinet")
"""
"""`cabinet`, which writes at its end what it held: `wait4` would count what pytest held before the exec too."""


@pytest.mark.parametrize("name", ["witch_feature", "mona_lisa_jewels"])
def test_a_par_sheet_takes_little_time_and_memory(name: str, record_property: Callable[[str, object], None]) -> None:
    """Time of the processor, where none is short of it, and the peak of resident memory."""
    command = [sys.executable, "-c", RUN, "par", name, "--format", "json"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        written = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, written
    seconds, megabytes = used.ru_utime + used.ru_stime, most_mb(written)
    record_property("proof", f"cabinet par {name}: {seconds:.1f} s of one core, {megabytes:.0f} MB")
    assert megabytes <= AIM_MB
    if os.getloadavg()[0] > (os.cpu_count() or 1):
        skip(f"{seconds:.1f} s of a core that other work shares", "run it on a machine with a core to spare")
    assert seconds <= AIM_S
