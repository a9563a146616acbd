"""Who reaches which socket in the supervisor's run directory, with the folders, users and groups of a cabinet."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.features.venue.relayed import SOCKET
from tests.rigs.needing import skipped_where
from tests.rigs.paths import ROOT
from tests.rigs.patience import PATIENCE_S
from tests.systemd.unit_files import SYSTEMD, values

pytestmark = [
    pytest.mark.processes,
    skipped_where(os.geteuid() != 0, "only root may be several users", "run it as root"),
]

IDS = {"cabinet": 64_001, "cabinet-display": 64_002, "cabinet-link": 64_003, "cabinet-venue-link": 64_004}
"""Numbers for the users and groups, which need not exist here."""
DROP = """
import asyncio, os, socket, sys
from pathlib import Path
from controller.system.local_socket import listen
from controller.features.venue.relayed import SOCKET, Address, RelayedVenue
path, user, *groups = Path(sys.argv[1]), *map(int, sys.argv[2:])
os.umask(0o027), os.setgroups(groups), os.setgid(user), os.setuid(user)
"""
"""Become a user once all is imported: the interpreter may lie where only root comes."""
SUPERVISOR = f"""{DROP}
run = path
listener = listen(run / "display.sock", 0o660)
asyncio.run(RelayedVenue(run / SOCKET, Address("venue.lan", 5432, "venue")).listen())
"""
REACH = f"""{DROP}
kind = socket.SOCK_SEQPACKET if path.name == "display.sock" else socket.SOCK_STREAM
try:
    socket.socket(socket.AF_UNIX, kind).connect(str(path))
except PermissionError:
    print("refused")
else:
    print("reached")
"""


def command(script: str, path: Path, user: str, unit: str) -> list[str]:
    """Return how a script is run as that user with the unit's groups, of those that guard the run directory."""
    named = " ".join(values(unit, "SupplementaryGroups")).split()
    numbers = [IDS[user], *(IDS[name] for name in named if name in IDS)]
    return [sys.executable, "-c", script, str(path), *map(str, numbers)]


@pytest.fixture
def run() -> Iterator[Path]:
    """The run directory as systemd-tmpfiles makes it, with a supervisor's sockets in it."""
    top = Path(tempfile.mkdtemp(prefix="access-", dir="/tmp"))
    top.chmod(0o755)
    lines = [line.split() for line in (SYSTEMD / "conf/tmpfiles.conf").read_text("utf-8").splitlines()]
    for line in lines:
        if line[:1] == ["d"] and line[1].startswith("/run/cabinet"):
            made = top / line[1].removeprefix("/run/")
            made.mkdir()
            os.chown(made, IDS[line[3]], IDS[line[4]])
            made.chmod(int(line[2], 8))
    folder = top / "cabinet"
    with subprocess.Popen(command(SUPERVISOR, folder, "cabinet", "cabinet.service"), cwd=ROOT) as process:
        try:
            until = time.monotonic() + PATIENCE_S
            while not (folder / SOCKET).exists() or (folder / SOCKET).stat().st_mode & 0o777 != 0o660:
                assert time.monotonic() < until, "the supervisor's sockets do not come"
                assert process.poll() is None
                time.sleep(0.05)
            yield folder
        finally:
            process.kill()
    shutil.rmtree(top)


def reached(path: Path, user: str, unit: str) -> str:
    """Try to connect to a socket as that user with the unit's groups."""
    done = subprocess.run(command(REACH, path, user, unit), cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_link_reaches_its_own_socket_and_the_display_its_own(run: Path) -> None:
    """Neither reaches the other's: the link presses no button, and the display answers no claim."""
    link, display = ("cabinet-venue-link", "cabinet-venue-link.service"), ("cabinet-display", "cabinet-display.service")
    assert [reached(run / SOCKET, *who) for who in (link, display)] == ["reached", "refused"]
    assert [reached(run / "display.sock", *who) for who in (link, display)] == ["refused", "reached"]
