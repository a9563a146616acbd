"""The machine of a venue: a PostgreSQL server, and `cabinet venue` on it."""

import re
from collections.abc import Sequence
from typing import Self

import psycopg
from click.testing import CliRunner, Result

from controller.features.venue.command import venue
from tests.rigs.postgres import PostgresServer


class VenueMachine:
    """A machine with an empty PostgreSQL, and the commands of the venue on it."""

    def __init__(self) -> None:
        self.server = PostgresServer()
        self.server.start()
        self.keys = self.server.folder / "keys"  # which the server's own user reads

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.server.close()

    def run(self, command: str, *arguments: str, exits: int = 0) -> Result:
        options = ["--dsn", self.server.dsn()]
        if command in {"init", "status", "backup", "restore"}:
            options += ["--folder", str(self.keys)]
        done = CliRunner().invoke(venue, [command, *arguments, *options], catch_exceptions=False)
        assert done.exit_code == exits, done.output
        return done

    def init(self, coins: Sequence[int] = (25, 10)) -> Result:
        """Make a venue that is reached as localhost, with pools at these coin values in cents."""
        reached = ("--host", "localhost", "--host", "127.0.0.1")
        return self.run("init", "--name", "Casino Nord", *reached, *(f"--coin={coin}" for coin in coins))

    def admin(self) -> psycopg.Connection:
        """Return the superuser's connection to the venue's database."""
        return psycopg.connect(self.server.dsn("venue"), autocommit=True)

    def restart(self) -> None:
        self.server.stop()
        self.server.start()

    def tls(self, role: str, password: str = "", host: str = "localhost", mode: str = "verify-full") -> str:
        """Return the connection string of a cabinet's network, with the authority in a file of its own."""
        return (
            f"host={host} hostaddr=127.0.0.1 port={self.server.port} dbname=venue user={role} sslmode={mode}"
            f" sslrootcert={self.keys / 'authority.pem'}" + (f" password={password}" if password else "")
        )

    def code(self, *options: str) -> str:
        """Return the twenty digits of a one-time code of the command line."""
        code = self.run("enrol", *options).output.replace(" ", "").strip()
        assert re.fullmatch(r"\d{20}", code)
        return code

    def enrol(self, identity: str, *options: str) -> tuple[str, str]:
        """Enrol by a code of the command line over TLS; return role and password."""
        code = self.code(*options)
        guest = f"{self.tls(f'enrol_{code[:3]}', code[3:], mode='require')} channel_binding=require"
        with psycopg.connect(guest, autocommit=True) as caller:
            row = caller.execute("SELECT role, password FROM venue.enrol(%s, '', '')", (identity,)).fetchone()
        assert row is not None
        return row[0], row[1]
