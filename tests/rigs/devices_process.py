"""The devices' process with a `cabinet.toml` of a test's own, and a host's end of its terminals."""

import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.rigs.patience import PATIENCE_S, until

PINS = """
[pins]
factory = "simulated"
buttons = { spin = { pin = 5, lamp = 17 } }
doors = { main = { pin = 6, active = 1 } }
keys = { attendant = { pin = 13 } }
tower = { top = { pin = 27 } }
meters = { coin_in = { pin = 22 } }
"""


@contextmanager
def devices(run: Path, tables: str, *faults: str) -> Iterator[None]:
    """`python -m drivers.simulated` in `run`, wired by `PINS` and `tables`, listening, ended by SIGTERM."""
    (run / "cabinet.toml").write_text(PINS + tables)
    command = [sys.executable, "-m", "drivers.simulated", "--config", str(run / "cabinet.toml"), "--run", str(run)]
    options = [word for fault in faults for word in ("--fault", fault)]
    running = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True)
    try:
        until(lambda: (run / "hardware.sock").exists() or running.poll() is not None)
        assert running.poll() is None, running.communicate()
        yield
    finally:
        running.terminate()
        _out, errors = running.communicate(timeout=PATIENCE_S)
    assert (running.returncode, errors) == (0, "")


def ask(terminal: Path, frame: str, length: int) -> str:
    """Say `frame` on a terminal; return the first `length` bytes of what is answered, in hex."""
    heard = b""
    line = os.open(terminal, os.O_RDWR | os.O_NOCTTY)
    try:
        os.write(line, bytes.fromhex(frame))
        while len(heard) < length and select.select([line], [], [], PATIENCE_S)[0]:
            heard += os.read(line, length - len(heard))
    finally:
        os.close(line)
    return heard.hex(" ").upper()
