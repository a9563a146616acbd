"""A real PostgreSQL for tests: a server in a folder of its own, stopped and killed at will, and the venue's databases.

PostgreSQL refuses to run as root, so that a test run as root starts it as the user `postgres`.
"""

import atexit
import contextlib
import functools
import itertools
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tests.rigs.needing import skip
from tests.rigs.patience import PATIENCE_S
from venue.demo.own_server import NoPostgresError, programs
from venue.schema import migrate

NEEDED = "CABINET_NEEDS_POSTGRES"
"""Environment variable of the checks: with it a machine without PostgreSQL fails, without it tests are skipped."""

FAST = {"fsync": "off", "full_page_writes": "off"}
"""Settings of a server whose machine never loses power; what is committed outlives a killed server."""

_TEMPLATE = "venue_template"


def binaries() -> Path:
    """Return the folder of PostgreSQL's newest programs, from 15 on; skip (or fail) the test where there is none."""
    try:
        return programs()
    except NoPostgresError as error:
        if os.environ.get(NEEDED):
            pytest.fail(str(error))
        skip(*str(error).split(": ", 1))


class PostgresServer:
    """One server: `start`, `stop` in a mode, `kill`, and databases in it.

    `environment` is added to that of the server's processes: set it before `start`.
    Over the Unix socket every role is let in without a password; over the loopback port it needs its own.
    """

    def __init__(self, settings: Mapping[str, str] | None = None) -> None:
        self._bin = binaries()
        # The socket's path is short, whatever the test's own folder is.
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        self.settings = dict(FAST if settings is None else settings)
        self.environment: dict[str, str] = {}
        self.port = _free_port()
        self._user: int | None = None
        self._group: int | None = None
        if os.geteuid() == 0:
            entry = pwd.getpwnam("postgres")
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
            self._user, self._group = entry.pw_uid, entry.pw_gid
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = itertools.count(1)
        self._template_made = False
        self._init()

    @property
    def data(self) -> Path:
        """The server's data folder."""
        return self.folder / "data"

    @property
    def log(self) -> Path:
        """What the server wrote."""
        return self.folder / "log"

    def dsn(self, database: str = "postgres", role: str = "postgres") -> str:
        """Return the connection string for a role over the Unix socket, which needs no password."""
        return f"host={self.folder} port={self.port} dbname={database} user={role}"

    def tcp_dsn(self, database: str, role: str, password: str = "") -> str:
        """Return the connection string for a role over the loopback port."""
        secret = f" password={password}" if password else ""
        return f"host=127.0.0.1 port={self.port} dbname={database} user={role}{secret}"

    def start(self) -> None:
        """Start the server and wait until it answers; raises `TimeoutError` with its log if it does not."""
        options = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": str(self.folder),
            "max_connections": "300",
            "jit": "off",
            "shared_buffers": "64MB",
            **self.settings,
        }
        deadline = time.monotonic() + PATIENCE_S
        while not self._answers():
            if self._process is None or self._process.poll() is not None:
                # Also again after a kill: the killed server's children may still hold its shared memory.
                with self.log.open("ab") as log:
                    self._process = subprocess.Popen(
                        [
                            self._bin / "postgres",
                            "-D",
                            self.data,
                            *(f"-c{key}={value}" for key, value in options.items()),
                        ],
                        stdout=log,
                        stderr=log,
                        cwd=self.folder,
                        env={**os.environ, **self.environment},
                        start_new_session=True,
                        user=self._user,
                        group=self._group,
                    )
            if time.monotonic() > deadline:
                raise TimeoutError(f"PostgreSQL does not answer:\n{self.log.read_text(errors='replace')[-3000:]}")
            time.sleep(0.05)

    def stop(self, mode: str = "fast") -> None:
        """Stop the server: `smart`, `fast` or `immediate` (as a crash: no checkpoint, connections cut)."""
        signals = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}
        self._end(signals[mode])

    def kill(self) -> None:
        """Kill the server with SIGKILL; its children notice and end by themselves."""
        self._end(signal.SIGKILL)

    def close(self) -> None:
        """Stop the server and remove its folder."""
        if self._process is not None and self._process.poll() is None:
            self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, program: str, *arguments: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
        """Run one of PostgreSQL's programs (`pg_dump`, `pgbench`) as the server's user against this server."""
        environment = {**os.environ, "PGHOST": str(self.folder), "PGPORT": str(self.port), "PGUSER": "postgres", **more}
        done = subprocess.run(
            [self._bin / program, *arguments],
            env=environment,
            cwd=self.folder,
            check=False,
            text=True,
            capture_output=True,
            user=self._user,
            group=self._group,
        )
        if done.returncode:
            raise RuntimeError(f"{program} exited with {done.returncode}: {done.stderr[-2000:]}")
        return done

    def new_database(self) -> "VenueDatabase":
        """Create a database with the venue's schema and no cabinet or pool."""
        with psycopg.connect(self.dsn(), autocommit=True) as admin:
            if not self._template_made:
                admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(_TEMPLATE)))
                with psycopg.connect(self.dsn(_TEMPLATE), autocommit=True) as connection:
                    migrate(connection)
                    connection.execute("INSERT INTO venue.site (name) VALUES ('Test')")
                self._template_made = True
            name = f"venue_{next(self._numbers)}"
            admin.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(_TEMPLATE))
            )
            # Roles belong to the server: a code of a test before is not one that waits here.
            for (role,) in admin.execute("SELECT rolname FROM pg_roles WHERE rolname ~ '^enrol_'").fetchall():
                admin.execute(sql.SQL("ALTER ROLE {} NOLOGIN").format(sql.Identifier(role)))
        with psycopg.connect(self.dsn(name), autocommit=True) as connection:
            migrate(connection)  # a template's rights on the database itself are not copied
            connection.execute("UPDATE venue.site SET identity = gen_random_uuid()")
        return VenueDatabase(self, name)

    def _init(self) -> None:
        shutil.copytree(_initialised(self._bin), self.data)
        if self._user is not None and self._group is not None:
            for path in (self.data, *self.data.rglob("*")):
                os.chown(path, self._user, self._group)
        self.data.chmod(0o700)
        (self.data / "pg_hba.conf").write_text(
            "local all all trust\nlocal replication all trust\nhost all all 127.0.0.1/32 scram-sha-256\n",
            encoding="utf-8",
        )

    def _answers(self) -> bool:
        if self._process is None or self._process.poll() is not None:
            return False
        try:
            psycopg.connect(self.dsn(), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(timeout=PATIENCE_S)
            self._process = None


class VenueDatabase:
    """A database with the venue's schema, in a server."""

    def __init__(self, server: PostgresServer, name: str) -> None:
        self.server = server
        self.name = name

    def dsn(self, role: str = "postgres") -> str:
        """Return the connection string for a role, over the Unix socket and without a password."""
        return self.server.dsn(self.name, role)

    def connect(self, role: str = "postgres") -> psycopg.Connection:
        """Return an autocommitting connection as `role`: `postgres`, `cab_1`, `venue_page`, a code's."""
        return psycopg.connect(self.dsn(role), autocommit=True)

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """Ask the database as its administrator."""
        with self.connect() as admin:
            return admin.execute(query.encode()).fetchall()

    def add_pool(
        self, pool: int = 1, game: str = "bewitched", coin: int = 25, *, seed: int | None = None, rate: int = 5
    ) -> None:
        """Add a pool; `seed` is in 1/1000 cent, 2,000 coins where it is left out."""
        with self.connect() as admin:
            admin.execute(
                "INSERT INTO venue.pool (pool, game, coin, seed, rate_per_mille) VALUES (%s, %s, %s, %s, %s)",
                (pool, game, coin, 2000 * coin * 1000 if seed is None else seed, rate),
            )

    def add_cabinet(self, cabinet: int = 1) -> str:
        """Enrol a cabinet without a code; return its role, which logs in over the Unix socket without a password."""
        role = f"cab_{cabinet}"
        with self.connect() as admin:
            admin.execute(
                "INSERT INTO venue.cabinet (cabinet, role, label, enrolled_at) VALUES (%s, %s, %s, '2026-01-01 UTC')",
                (cabinet, role, f"Cabinet {cabinet}"),
            )
            admin.execute("SELECT venue.set_login(%s, 'of a test')", (role,))
        return role

    def add_code(self, replaces: int | None = None) -> str:
        """Make a one-time code; return its login, which needs no password over the Unix socket."""
        with self.connect("venue_page") as page:
            verifier = page.pgconn.encrypt_password(b"of a test", b"", b"scram-sha-256").decode()
            (number,) = page.execute("SELECT venue.new_code(%s, %s, 'anna')", (verifier, replaces)).fetchone() or (0,)
        return f"enrol_{number:03d}"

    def drop(self) -> None:
        """Drop the database, whoever is connected."""
        with psycopg.connect(self.server.dsn(), autocommit=True) as admin:
            admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(self.name)))


@functools.cache
def _initialised(folder: Path) -> Path:
    """Return a data folder made by initdb, once for each process: copying it takes a tenth of the time."""
    made = Path(tempfile.mkdtemp(prefix="pg-initdb-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
    if user is not None:
        os.chown(made, user.pw_uid, user.pw_gid)
    subprocess.run(
        [
            folder / "initdb",
            "-D",
            made / "data",
            "-A",
            "trust",
            "-U",
            "postgres",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "-N",
        ],
        check=True,
        capture_output=True,
        cwd=made,
        user=None if user is None else user.pw_uid,
        group=None if user is None else user.pw_gid,
    )
    return made / "data"


def _free_port() -> int:
    """Return a free port below those that outgoing connections take: it is still free when a server starts again."""
    while True:
        port = secrets.choice(range(20_000, 32_000))
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
