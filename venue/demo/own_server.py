"""A temporary PostgreSQL server with a venue, in its own folder and reachable only from this machine."""

import contextlib
import getpass
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import psycopg

from venue import setting_up
from venue.server import Place
from venue.setting_up import Site

START_S = 60


class NoPostgresError(RuntimeError):
    """PostgreSQL's programs cannot run; the message gives the reason or says how to install them."""


def programs() -> Path:
    """Return the program folder of the newest PostgreSQL, at least version 15; raises `NoPostgresError`."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    fitting = [path for path in found if path.parts[-2].isdigit() and int(path.parts[-2]) >= 15]  # noqa: PLR2004 - the version
    if fitting:
        return max(fitting, key=lambda path: int(path.parts[-2]))
    on_path = shutil.which("initdb")
    if on_path is None:
        raise NoPostgresError("PostgreSQL 15 or later is needed: apt-get install postgresql")
    return Path(on_path).parent


def _owner() -> pwd.struct_passwd | None:
    """Return the user that runs the server: `postgres` if this is root, which PostgreSQL refuses, else None.

    Raises `NoPostgresError` if there is no user `postgres`.
    """
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        raise NoPostgresError(
            "PostgreSQL does not run as root, and there is no user postgres: apt-get install postgresql"
        ) from None


class OwnServer(NamedTuple):
    """A running server: the folder of its socket, data and keys, and its port on the loopback address."""

    folder: Path
    port: int

    def dsn(self, role: str, database: str = setting_up.DATABASE) -> str:
        """Return the connection string for a role over the Unix socket."""
        return f"host={self.folder} port={self.port} user={role} dbname={database}"


@contextlib.contextmanager
def running(site: Site, coins: Sequence[int], by: str) -> Iterator[OwnServer]:
    """Run a server with a venue like one made by `cabinet venue init`; remove it with all its data on exit.

    Raises `NoPostgresError`, and `TimeoutError` if the server does not start or no port is free.
    """
    binaries, owner = programs(), _owner()
    folder = Path(tempfile.mkdtemp(prefix="venue-demo-"))
    server = OwnServer(folder, free_port(5432))
    user: int | None = None
    if owner is not None:
        user = owner.pw_uid
        os.chown(folder, user, owner.pw_gid)
    data = folder / "data"
    process: subprocess.Popen[bytes] | None = None
    try:
        kind = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "-N"]
        make: list[str | Path] = [binaries / "initdb", "-D", data, *kind]
        made = subprocess.run(make, check=False, cwd=folder, user=user, capture_output=True, text=True)  # noqa: S603 - PostgreSQL's own
        if made.returncode != 0:
            raise NoPostgresError(f"{binaries / 'initdb'} has failed: {made.stderr.strip()}")
        with (data / "pg_ident.conf").open("a") as map_of_users:
            map_of_users.write(f"cabinet_venue  {getpass.getuser()}  venue_page\n")  # the page runs as the current user
        options = {
            "listen_addresses": "127.0.0.1",
            "port": server.port,
            "unix_socket_directories": folder,
            "fsync": "off",
            "max_connections": 300,
        }
        process = subprocess.Popen(  # noqa: S603 - PostgreSQL's own program
            [binaries / "postgres", "-D", data, *(f"-c{key}={value}" for key, value in options.items())],
            cwd=folder,
            user=user,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _await(server)
        place = Place(server.dsn("postgres", "postgres"), setting_up.DATABASE, folder / "keys")
        setting_up.set_up(place, site, ["localhost", "127.0.0.1"], coins, by)
        yield server
    finally:
        if process is not None:
            process.send_signal(signal.SIGINT)  # fast shutdown: close connections at once
            process.wait(START_S)
        shutil.rmtree(folder, ignore_errors=True)


def free_port(first: int) -> int:
    """Return the first free port among the hundred from `first` on; raises `TimeoutError` if there is none."""
    for port in range(first, first + 100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise TimeoutError(f"no port from {first} on is free")


def _await(server: OwnServer) -> None:
    deadline = time.monotonic() + START_S
    while True:
        try:
            psycopg.connect(server.dsn("postgres", "postgres")).close()
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise TimeoutError(f"PostgreSQL in {server.folder} does not answer") from None
            time.sleep(0.1)
        else:
            return
