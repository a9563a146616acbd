"""The demo of a venue starts, plays, and ends without a trace."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rigs.patience import PATIENCE_S
from tests.rigs.postgres import binaries

pytestmark = pytest.mark.processes


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that PostgreSQL's own user can enter; a test's usual one is root's alone."""
    made = Path(tempfile.mkdtemp(prefix="demo-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made, ignore_errors=True)


def test_the_demo_plays_and_ends_clean(folder: Path) -> None:
    """It prints address and login, three whole cabinets enrol and beat, and SIGINT removes processes and folders."""
    binaries()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with subprocess.Popen(
        [sys.executable, "-m", "venue.demo", "--port", str(port)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(folder)},
    ) as demo:
        assert demo.stdout is not None
        lines: list[str] = []
        while not any("Ctrl-C" in line for line in lines):
            line = demo.stdout.readline()
            assert line, lines
            lines.append(line)
        assert re.search(r"Password:\s+\S{12,}", "".join(lines))
        _until_three_play(demo, port)
        demo.send_signal(signal.SIGINT)
        assert demo.wait(PATIENCE_S) == 0
    assert list(folder.iterdir()) == []


def _until_three_play(demo: subprocess.Popen[str], port: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    metrics = ""
    while len(re.findall(r"^cabinet_up\{.*\} 1\.0$", metrics, re.MULTILINE)) < 3:
        assert demo.poll() is None, demo.communicate()[0]
        assert time.monotonic() < deadline, metrics
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
                metrics = answer.read().decode()
        except OSError:
            time.sleep(0.2)
