"""A real cabinet's processes at a venue: its configuration, supervisor and link."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controller.features.demo.settings import RunDirectory
from controller.features.venue.relayed import SOCKET
from tests.rigs.real_cabinet import RealCabinet

LINKED = ("bewitched", "mona_lisa_jewels")
GAMES = (*LINKED, "neptune")


def configure(run: RunDirectory, port: int) -> None:
    """Put three games, the venue and quick shows into `cabinet.toml`."""
    run.write_configuration(Path("build/baked"), GAMES)
    with run.configuration.open("a") as file:
        file.write(f'[timing]\nundisplayed_show_ms = 50\n[venue]\nhost = "localhost"\nport = {port}\n')


@contextmanager
def running(cabinet: RealCabinet, credentials: Path) -> Iterator[None]:
    """Run the supervisor and the link's process, started as its unit does."""
    link = [sys.executable, "-m", "controller.features.venue.relay", str(cabinet.run.path / SOCKET), str(credentials)]
    with cabinet.run.log("link").open("ab") as log:
        processes = [cabinet.supervisor(), subprocess.Popen(link, stdout=log, stderr=log)]
    try:
        yield
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(30.0)
