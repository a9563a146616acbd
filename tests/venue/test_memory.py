"""What a session of the venue's PostgreSQL may allocate: the kernel keeps it, since any session may set `work_mem`."""

import os
import resource
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import psycopg
import pytest

from tests.rigs.needing import needs_tools
from tests.rigs.postgres import PostgresServer, VenueDatabase
from tests.rigs.venue_cabinet import VenueCabinet
from venue.memory import DROP_IN, PROCESS_MB, UNIT, bound_memory

GREEDY = b"SELECT array_agg(repeat('x', 1000) || n) FROM generate_series(1, 5000000) n"
"""Five gigabytes, were they there."""


@pytest.fixture
def bounded() -> Iterator[VenueDatabase]:
    """A venue whose server was started with the drop-in's limit, which its processes inherit."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    server = PostgresServer()
    try:
        resource.setrlimit(resource.RLIMIT_DATA, (PROCESS_MB * 1024 * 1024, before[1]))
        server.start()
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
    yield server.new_database()
    server.close()


def test_a_greedy_session_ends_its_own_statement(bounded: VenueDatabase) -> None:
    """A statement that wants more than the limit fails; its session, the server and the others go on."""
    bounded.add_cabinet(1)
    bounded.add_cabinet(2)
    with bounded.connect("cab_1") as hostile, VenueCabinet(bounded.dsn("cab_2")) as other:
        other.hello()
        hostile.execute("SET statement_timeout = 0")
        hostile.execute("SET work_mem = '2000GB'")
        with pytest.raises(psycopg.errors.OutOfMemory):
            hostile.execute(GREEDY)
        assert hostile.execute("SELECT 1").fetchone() == (1,)
        other.beat()
        status = Path(f"/proc/{hostile.info.backend_pid}/status").read_text(encoding="ascii")
    highest = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    assert 100 < highest / 1024 < PROCESS_MB + 200, "the server's shared memory comes on top"


def keep_beating(cabinet: VenueCabinet) -> NoReturn:
    while True:
        cabinet.beat()


def test_what_the_kernel_ends_comes_back(bounded: VenueDatabase) -> None:
    """A process that is killed takes the server's others with it, which start again with all that was answered."""
    bounded.add_pool()
    bounded.add_cabinet(1)
    bounded.add_cabinet(2)
    with bounded.connect("cab_1") as hostile, VenueCabinet(bounded.dsn("cab_2")) as other:
        other.hello()
        other.play(1, 5_000)
        other.put()
        os.kill(hostile.info.backend_pid, signal.SIGKILL)
        with pytest.raises(psycopg.OperationalError):
            keep_beating(other)
    bounded.server.start()  # waits until it answers
    assert bounded.ask("SELECT cum FROM venue.meter") == [(5_000,)]


def test_the_drop_in_is_written_once_beside_the_unit(tmp_path: Path) -> None:
    """Nothing without Debian's unit; with it once, and again where it was changed."""
    assert not bound_memory(tmp_path)
    assert not (tmp_path / DROP_IN).exists()
    (tmp_path / UNIT).parent.mkdir(parents=True)
    (tmp_path / UNIT).touch()
    assert bound_memory(tmp_path)
    assert not bound_memory(tmp_path)
    (tmp_path / DROP_IN).write_text("[Service]\n", encoding="utf-8")
    assert bound_memory(tmp_path)
    found = dict(line.split("=", 1) for line in (tmp_path / DROP_IN).read_text().splitlines() if "=" in line)
    assert found == {
        "LimitDATA": f"{PROCESS_MB}M",
        "MemoryMax": "60%",
        "MemorySwapMax": "0",
        "OOMPolicy": "continue",
    }


@needs_tools("systemd-analyze", packages="systemd")
def test_the_service_manager_reads_it(tmp_path: Path) -> None:
    """`systemd-analyze verify` finds nothing wrong in a unit with the drop-in, and does in one that is spoiled."""
    unit = tmp_path / "postgresql@.service"
    drop_in = tmp_path / "postgresql@.service.d" / "cabinet-venue.conf"
    unit.write_text("[Service]\nExecStart=/bin/true\n", encoding="utf-8")
    (tmp_path / UNIT).parent.mkdir(parents=True)
    (tmp_path / UNIT).touch()
    bound_memory(tmp_path)
    drop_in.parent.mkdir()
    said = []
    for text in ((tmp_path / DROP_IN).read_text(encoding="utf-8"), "[Service]\nMemoryMax=much\n"):
        drop_in.write_text(text, encoding="utf-8")
        instance = tmp_path / "postgresql@15-main.service"
        instance.unlink(missing_ok=True)
        instance.symlink_to(unit)
        command = ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", str(instance)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        said.append([line for line in (done.stdout + done.stderr).splitlines() if "cabinet-venue.conf" in line])
    assert said[0] == []
    assert len(said[1]) == 1
