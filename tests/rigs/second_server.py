"""A second server made from a running one by `pg_basebackup`: a streaming standby, or one set back in time."""

import shutil
from collections.abc import Mapping

import psycopg

from tests.rigs.patience import until
from tests.rigs.postgres import FAST, PostgresServer


class SecondServer(PostgresServer):
    """Made by `pg_basebackup` with `options`; `signal` is the file that says how it begins, `settings` are added."""

    def __init__(
        self, primary: PostgresServer, *options: str, signal: str, settings: Mapping[str, str] | None = None
    ) -> None:
        self.primary = primary
        self._options = options
        super().__init__({**FAST, **(settings or {})})
        mark = self.data / signal
        mark.touch()
        shutil.chown(mark, self.data.stat().st_uid, self.data.stat().st_gid)

    def _init(self) -> None:
        made = self.primary.folder / "copied"
        self.primary.run("pg_basebackup", "--pgdata", made, "--checkpoint=fast", *self._options)
        shutil.move(made, self.data)


class Standby(SecondServer):
    """A streaming standby, set up as docs/venue.md says."""

    def __init__(self, primary: PostgresServer) -> None:
        super().__init__(primary, "--write-recovery-conf", signal="standby.signal")

    def catch_up(self) -> None:
        """Wait until it has all that the primary has."""
        with psycopg.connect(self.primary.dsn()) as primary:
            (newest,) = primary.execute("SELECT pg_current_wal_lsn()").fetchone() or ("",)
        with psycopg.connect(self.dsn(), autocommit=True) as own:
            until(lambda: own.execute("SELECT pg_last_wal_replay_lsn() >= %s", (newest,)).fetchone() == (True,))

    def cut_off(self) -> None:
        """End the streaming: from now on it lags."""
        with psycopg.connect(self.dsn(), autocommit=True) as own:
            own.execute("ALTER SYSTEM SET primary_conninfo = ''")
            own.execute("SELECT pg_reload_conf()")
            until(lambda: own.execute("SELECT count(*) FROM pg_stat_wal_receiver").fetchone() == (0,))

    def promote(self) -> None:
        """Promote it, as a person does it."""
        with psycopg.connect(self.dsn(), autocommit=True) as own:
            assert own.execute("SELECT pg_promote()").fetchone() == (True,)


def archiving(server: PostgresServer) -> None:
    """Have a server that is not started yet archive its log into the folder `archive` beside its data."""
    archive = server.folder / "archive"
    archive.mkdir()
    shutil.chown(archive, server.data.stat().st_uid, server.data.stat().st_gid)
    server.settings |= {"archive_mode": "on", "archive_command": f"cp %p {archive}/%f"}
